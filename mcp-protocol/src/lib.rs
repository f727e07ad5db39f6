#![doc = include_str!("../README.md")]

mod caching;
mod cancelled;
mod capabilities;
mod completion;
mod content;
mod dialect;
mod discover;
mod elicitation;
mod envelope;
mod error_code;
mod error_data;
mod extra;
mod inbound;
mod initialize;
mod input;
mod json;
mod jsonrpc;
mod lenient;
mod logging;
mod meta;
mod mirrored;
mod object;
mod order;
mod params;
mod progress;
mod prompts;
mod resources;
mod roots;
mod sampling;
mod schema;
mod shaping;
mod subscriptions;
mod tagged;
mod tools;
mod version;
mod words;

pub use crate::caching::{CacheHint, CacheScope};
pub use crate::cancelled::CancelledNotification;
pub use crate::capabilities::{
    ClientCapabilities, ElicitationCapability, Icon, Implementation, PromptsCapability,
    ResourcesCapability, RootsCapability, SamplingCapability, ServerCapabilities, ToolsCapability,
};
pub use crate::completion::{
    CompleteParams, CompleteResult, Completion, CompletionArgument, CompletionContext,
    CompletionReference, PromptReference, ResourceTemplateReference,
};
pub use crate::content::{
    Annotations, AudioContent, ContentBlock, EmbeddedResource, ImageContent, ResourceContents,
    ResourceLink, Role, TextContent,
};
pub use crate::dialect::{Dialect, LegacyVersion, Stamp, cancelled, notification, response};
pub use crate::discover::DiscoverResult;
pub use crate::elicitation::{
    ElicitAction, ElicitFormParams, ElicitMode, ElicitParams, ElicitResult, ElicitUrlParams,
    ElicitationComplete,
};
pub use crate::error_code::ErrorCode;
pub use crate::error_data::{
    MissingRequiredClientCapability, UnsupportedProtocolVersion, UrlElicitationRequired,
};
pub use crate::extra::Extra;
pub use crate::inbound::{Inbound, InvalidMessage, Notification, Request, Response};
pub use crate::initialize::{InitializeParams, InitializeResult};
pub use crate::input::{
    InputRequest, InputRequests, InputRequiredResult, InputResponses, ResultType, decline,
};
pub use crate::jsonrpc::{ErrorObject, RequestId};
pub use crate::logging::{LoggingLevel, LoggingMessage, SetLevelParams};
pub use crate::meta::*;
pub use crate::mirrored::{InvalidMirroredParam, MirroredParams, UnfitArgument};
pub use crate::params::Params;
pub use crate::progress::{ProgressNotification, ProgressToken};
pub use crate::prompts::{
    GetPromptParams, GetPromptResult, ListPromptsResult, Prompt, PromptArgument, PromptMessage,
};
pub use crate::resources::{
    ListResourceTemplatesResult, ListResourcesResult, ReadResourceParams, ReadResourceResult,
    Resource, ResourceTemplate, ResourceUpdated, SubscribeParams,
};
pub use crate::roots::{ListRootsResult, Root};
pub use crate::sampling::{
    CreateMessageParams, CreateMessageResult, IncludeContext, ModelHint, ModelPreferences,
    SamplingContent, SamplingContentBlock, SamplingMessage, ToolChoice, ToolChoiceMode,
    ToolResultContent, ToolUseContent,
};
pub use crate::schema::Schema;
pub use crate::shaping::{ENVELOPE_KEYS, normalize, result_type, strip_envelope};
pub use crate::subscriptions::{
    SubscriptionFilter, SubscriptionsAcknowledged, SubscriptionsListenParams,
    SubscriptionsListenResult,
};
pub use crate::tools::{
    CallToolParams, CallToolResult, ListToolsResult, TaskSupport, Tool, ToolAnnotations,
    ToolExecution,
};
pub use crate::version::{Era, ProtocolVersion};

/// A JSON object whose members keep their order.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
