//! Asking a model on a server's behalf: `sampling/createMessage`.

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::json::{Failed, Json};
use crate::lenient::{Member, Read, read_strictly};
use crate::object::object;
use crate::tagged::tagged;
use crate::words::words;
use crate::{AudioContent, ContentBlock, Extra, ImageContent, JsonObject, Role, TextContent, Tool};

object! {
    /// What to ask a model, and how.
    #[derive(Default)]
    pub struct CreateMessageParams with unreadable {
        /// The conversation so far.
        pub messages: Vec<SamplingMessage> => "messages" or default,
        /// Which model would do.
        pub model_preferences: Option<ModelPreferences> => "modelPreferences",
        /// A system prompt; the client may change it or leave it out.
        pub system_prompt: Option<String> => "systemPrompt",
        /// What else to show the model; all but `none` is deprecated.
        pub include_context: Option<IncludeContext> => "includeContext",
        /// The sampling temperature.
        pub temperature: Option<f64> => "temperature",
        /// The most tokens to sample; the protocol demands it, some servers forget it.
        pub max_tokens: Option<u64> => "maxTokens",
        /// Texts that end the answer.
        pub stop_sequences: Option<Vec<String>> => "stopSequences",
        /// Settings to pass on to whoever runs the model.
        pub metadata: Option<JsonObject> => "metadata",
        /// Tools that the model may use (since 2025-11-25).
        pub tools: Option<Vec<Tool>> => "tools",
        /// Whether the model may or must use them (since 2025-11-25).
        pub tool_choice: Option<ToolChoice> => "toolChoice",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

words! {
    /// What to show the model beside the conversation.
    pub enum IncludeContext {
        /// Nothing.
        None = "none",
        /// Context from the server that asks (deprecated).
        ThisServer = "thisServer",
        /// Context from every server (deprecated).
        AllServers = "allServers",
    }
}

object! {
    /// Whether the model may or must use tools.
    #[derive(Default)]
    pub struct ToolChoice {
        /// The choice; absent means [`ToolChoiceMode::Auto`].
        pub mode: Option<ToolChoiceMode> => "mode",
    }
}

words! {
    /// How free a model is to use tools.
    pub enum ToolChoiceMode {
        /// It may.
        Auto = "auto",
        /// It has to use one at least.
        Required = "required",
        /// It may not.
        None = "none",
    }
}

object! {
    /// Which model would do; all of it is advice.
    #[derive(Default)]
    pub struct ModelPreferences {
        /// Names to look for, the best first.
        pub hints: Option<Vec<ModelHint>> => "hints",
        /// How much a low price counts, from 0 to 1.
        pub cost_priority: Option<f64> => "costPriority",
        /// How much a quick answer counts, from 0 to 1.
        pub speed_priority: Option<f64> => "speedPriority",
        /// How much a good answer counts, from 0 to 1.
        pub intelligence_priority: Option<f64> => "intelligencePriority",
    }
}

object! {
    /// A model to look for.
    #[derive(Default)]
    pub struct ModelHint {
        /// Part of its name.
        pub name: Option<String> => "name",
    }
}

object! {
    /// One message of a conversation with a model.
    pub struct SamplingMessage {
        /// Whose it is.
        pub role: Role => "role",
        /// What it says.
        pub content: SamplingContent => "content",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl SamplingMessage {
    /// Creates a message by `role`.
    pub fn new(role: Role, content: impl Into<SamplingContent>) -> Self {
        Self { role, content: content.into(), meta: None, extra: Extra::default() }
    }
}

object! {
    /// What the model said.
    pub struct CreateMessageResult {
        /// Whose message it is: the assistant's.
        pub role: Role => "role",
        /// What it says.
        pub content: SamplingContent => "content",
        /// The model's name.
        pub model: String => "model" or default,
        /// Why it stopped: `endTurn`, `stopSequence`, `maxTokens`, `toolUse`, or its own word.
        pub stop_reason: Option<String> => "stopReason",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl CreateMessageResult {
    /// Creates the answer of `model`.
    pub fn new(model: impl Into<String>, content: impl Into<SamplingContent>) -> Self {
        Self {
            role: Role::Assistant,
            content: content.into(),
            model: model.into(),
            stop_reason: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

/// What a message says: one block, or several (since 2025-11-25).
///
/// Which of the two is kept, because peers from before 2025-11-25 know only the first.
#[allow(clippy::exhaustive_enums, reason = "a list or no list, there is no third")]
#[allow(
    clippy::large_enum_variant,
    reason = "a conversation is short beside a model's answer time"
)]
#[derive(Clone, Debug, PartialEq)]
pub enum SamplingContent {
    /// One block, written bare.
    One(SamplingContentBlock),
    /// A list of blocks.
    Many(Vec<SamplingContentBlock>),
}

impl SamplingContent {
    /// Returns the blocks, however they are written.
    pub fn blocks(&self) -> &[SamplingContentBlock] {
        match self {
            Self::One(block) => std::slice::from_ref(block),
            Self::Many(blocks) => blocks,
        }
    }
}

impl<T: Into<SamplingContentBlock>> From<T> for SamplingContent {
    fn from(block: T) -> Self {
        Self::One(block.into())
    }
}

impl From<Vec<SamplingContentBlock>> for SamplingContent {
    fn from(blocks: Vec<SamplingContentBlock>) -> Self {
        Self::Many(blocks)
    }
}

impl Member for SamplingContent {
    fn read(json: Json<'_, '_>, unreadable: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::Object(_) => Ok(SamplingContentBlock::read(json, unreadable)?.map(Self::One)),
            Json::Array(_) => Ok(Vec::read(json, unreadable)?.map(Self::Many)),
            _ => Read::odd(json),
        }
    }
}

impl<'de> Deserialize<'de> for SamplingContent {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        read_strictly(value, "content of a message")
    }
}

impl Serialize for SamplingContent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::One(block) => block.serialize(serializer),
            Self::Many(blocks) => blocks.serialize(serializer),
        }
    }
}

tagged! {
    /// One piece of a message from a model or for one.
    pub enum SamplingContentBlock by "type" {
        /// Text.
        Text(TextContent) = "text",
        /// A picture.
        Image(ImageContent) = "image",
        /// Sound (since 2025-03-26).
        Audio(AudioContent) = "audio",
        /// The model wants a tool called (since 2025-11-25).
        ToolUse(ToolUseContent) = "tool_use",
        /// What that tool answered (since 2025-11-25).
        ToolResult(ToolResultContent) = "tool_result",
    }
}

object! {
    /// A model's wish to call a tool.
    pub struct ToolUseContent: "type" = "tool_use" {
        /// What the result will name.
        pub id: String => "id",
        /// The tool's name.
        pub name: String => "name",
        /// The arguments.
        pub input: JsonObject => "input" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ToolUseContent {
    /// Creates a call of the tool `name`.
    pub fn new(id: impl Into<String>, name: impl Into<String>, input: JsonObject) -> Self {
        Self { id: id.into(), name: name.into(), input, meta: None, extra: Extra::default() }
    }
}

object! {
    /// What a tool answered to a model.
    pub struct ToolResultContent: "type" = "tool_result" {
        /// Which [`ToolUseContent`] it answers.
        pub tool_use_id: String => "toolUseId",
        /// The result for a model to read.
        pub content: Vec<ContentBlock> => "content" or default,
        /// The result for programs: an object before 2026-07-28, any value but null since.
        pub structured_content: Option<Value> => "structuredContent",
        /// Whether the tool failed.
        pub is_error: Option<bool> => "isError",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ToolResultContent {
    /// Creates the answer to the tool use called `tool_use_id`.
    pub fn new(tool_use_id: impl Into<String>, content: Vec<ContentBlock>) -> Self {
        Self {
            tool_use_id: tool_use_id.into(),
            content,
            structured_content: None,
            is_error: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}
