#![doc = include_str!("../README.md")]

mod arguments;
mod call;
mod canonical;
mod contain;
mod declaration;
mod error;
mod extensions;
mod json_edge;
mod latest;
pub mod location;
mod parameters;
mod provider;
mod result;
mod shape;
pub mod time;

pub use crate::arguments::{Arguments, InvalidArguments};
pub use crate::call::{CallId, MalformedCall, ToolCall};
pub use crate::canonical::{canonical_json, canonical_text};
pub use crate::contain::{Panicked, contain, execute_contained, shield};
pub use crate::declaration::ToolDeclaration;
pub use crate::error::{BoxError, ProviderError};
pub use crate::extensions::Extensions;
pub use crate::json_edge::{execute_json, tools_json};
pub use crate::latest::{Latest, Turn};
pub use crate::parameters::Parameters;
pub use crate::provider::{Provider, ProviderExt};
pub use crate::result::{Delivery, ToolResult, one_per_call};

/// The attribute that an `impl Provider` needs, so that a provider needs no crate but this one.
pub use async_trait::async_trait;

/// A JSON object whose members keep their order.
pub type JsonObject = serde_json::Map<String, serde_json::Value>;
