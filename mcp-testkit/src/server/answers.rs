//! What answers look like in each era.

use mcp_provider::JsonObject;
use serde_json::{Value, json};

use crate::items::CacheHint;
use crate::rpc::MISSING_CAPABILITY;
use crate::server::handshake::Sender;
use crate::{AskError, RpcError, Server, ToolOutput};

/// Which kind of result a handler's output becomes.
#[derive(Clone, Debug)]
pub(super) enum Shape {
    Tool,
    Prompt,
    Resource { uri: String, media_type: String, cache: Option<CacheHint> },
    Whole,
}

impl Shape {
    /// Makes a result of a handler's output.
    pub(super) fn result(
        &self,
        output: ToolOutput,
        sender: &Sender,
    ) -> Result<JsonObject, RpcError> {
        if let (ToolOutput::Unasked(AskError::NotDeclared(missing)), true) =
            (&output, sender.is_modern)
        {
            let error = RpcError::new(MISSING_CAPABILITY, "A client capability is missing");
            return Err(error.with_data(json!({ "requiredCapabilities": missing })));
        }
        let mut result = match (self, output) {
            (Self::Tool, output) => return output.into_tool_result(),
            (_, ToolOutput::Result(result)) => result,
            (_, ToolOutput::Error(error)) => return Err(error),
            (_, ToolOutput::Failure(why)) => return Err(RpcError::invalid_params(why)),
            (_, ToolOutput::Unasked(why)) => return Err(RpcError::invalid_params(why.to_string())),
            (shape, ToolOutput::Text(text)) => shape.around(&text),
        };
        if let (Self::Resource { cache: Some(cache), .. }, true) = (self, sender.is_modern) {
            cache.stamp(&mut result);
        }
        Ok(result)
    }

    fn around(&self, text: &str) -> JsonObject {
        let (key, value) = match self {
            Self::Tool => ("content", json!([{ "type": "text", "text": text }])),
            Self::Prompt => {
                let content = json!({ "type": "text", "text": text });
                ("messages", json!([{ "role": "user", "content": content }]))
            }
            Self::Resource { uri, media_type, .. } => {
                ("contents", json!([{ "uri": uri, "mimeType": media_type, "text": text }]))
            }
            Self::Whole => ("completion", json!({ "values": [text] })),
        };
        [(key.to_owned(), value)].into_iter().collect()
    }
}

impl Server {
    /// A result with what its era wants around it.
    pub(super) fn complete(&self, mut result: JsonObject, method: &str, sender: &Sender) -> Value {
        if sender.is_modern {
            result.entry("resultType").or_insert_with(|| json!("complete"));
            if let Some(cache) = self.cache.get(method) {
                cache.stamp(&mut result);
            }
            let meta = result.entry("_meta").or_insert_with(|| json!({}));
            meta[SERVER_INFO_KEY] = self.info.clone();
        }
        Value::Object(result)
    }

    /// What the server says it can do.
    pub(super) fn capabilities(&self) -> Value {
        let mut capabilities = json!({ "tools": { "listChanged": true }, "logging": {} });
        if !self.prompts.is_empty() {
            capabilities["prompts"] = json!({ "listChanged": true });
        }
        if !self.resources.is_empty() {
            capabilities["resources"] = json!({ "subscribe": true, "listChanged": true });
        }
        if self.completion.is_some() {
            capabilities["completions"] = json!({});
        }
        capabilities
    }
}

/// Whether a message at `level` is wanted by someone who asked for `wanted` and above.
pub(super) fn reaches(level: &str, wanted: &str) -> bool {
    let rank = |level: &str| LEVELS.iter().position(|known| *known == level);
    rank(level).is_some_and(|level| rank(wanted).is_some_and(|wanted| level >= wanted))
}

pub(super) fn is_level(level: &str) -> bool {
    LEVELS.contains(&level)
}

const LEVELS: [&str; 8] =
    ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

const SERVER_INFO_KEY: &str = "io.modelcontextprotocol/serverInfo";
