//! What a handler returns.

use mcp_provider::JsonObject;
use serde_json::{Value, json};

use crate::RpcError;
use crate::context::AskError;

/// What a handler returns: of a tool, a prompt, a resource or a completion.
///
/// Handlers may return anything that converts into one: text, a JSON value, or a `Result` of
/// such things, so that `?` works inside them.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum ToolOutput {
    /// Text for the model.
    Text(String),
    /// A whole result of the protocol, sent as it is.
    Result(JsonObject),
    /// The tool failed, and why.
    Failure(String),
    /// The request failed, with a JSON-RPC error.
    Error(RpcError),
    /// The handler asked for something and got no answer.
    Unasked(AskError),
}

impl ToolOutput {
    /// The tool failed because of `message`.
    pub fn failure(message: impl Into<String>) -> Self {
        Self::Failure(message.into())
    }

    /// The output of a tool as a protocol result.
    pub(crate) fn into_tool_result(self) -> Result<JsonObject, RpcError> {
        let text = |text: String| json!([{ "type": "text", "text": text }]);
        let mut result = JsonObject::new();
        match self {
            Self::Result(result) => return Ok(result),
            Self::Error(error) => return Err(error),
            Self::Text(words) => {
                result.insert("content".to_owned(), text(words));
            }
            Self::Failure(why) => {
                result.insert("content".to_owned(), text(why));
                result.insert("isError".to_owned(), json!(true));
            }
            Self::Unasked(why) => return Self::Failure(why.to_string()).into_tool_result(),
        }
        Ok(result)
    }
}

impl From<String> for ToolOutput {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

impl From<&str> for ToolOutput {
    fn from(text: &str) -> Self {
        Self::Text(text.to_owned())
    }
}

impl From<JsonObject> for ToolOutput {
    fn from(result: JsonObject) -> Self {
        Self::Result(result)
    }
}

/// An object is a whole result; anything else is text.
impl From<Value> for ToolOutput {
    fn from(json: Value) -> Self {
        match json {
            Value::Object(result) => Self::Result(result),
            Value::String(text) => Self::Text(text),
            other => Self::Text(other.to_string()),
        }
    }
}

impl From<RpcError> for ToolOutput {
    fn from(error: RpcError) -> Self {
        Self::Error(error)
    }
}

impl From<AskError> for ToolOutput {
    fn from(error: AskError) -> Self {
        Self::Unasked(error)
    }
}

impl<T: Into<Self>, E: Into<Self>> From<Result<T, E>> for ToolOutput {
    fn from(result: Result<T, E>) -> Self {
        match result {
            Ok(output) => output.into(),
            Err(error) => error.into(),
        }
    }
}
