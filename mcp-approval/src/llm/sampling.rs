//! A model behind MCP's sampling: `sampling/createMessage`, its parameters and its result.

use std::fmt;
use std::future::Future;

use async_trait::async_trait;
use mcp_policy::display_text;
use mcp_provider::BoxError;
use serde_json::{Value, json};

use crate::llm::model::{Model, ModelError};
use crate::llm::prompt::Prompt;

/// The parameters of `sampling/createMessage` that ask for a verdict.
///
/// Source: `CreateMessageRequestParams` of the schema.  No context of servers is included, and no
/// tools are offered.
pub fn create_message_params(prompt: &Prompt, max_tokens: u32) -> Value {
    json!({
        "messages": [
            { "role": "user", "content": { "type": "text", "text": prompt.user } },
        ],
        "systemPrompt": prompt.system,
        "includeContext": "none",
        "maxTokens": max_tokens,
    })
}

/// The text of a result of `sampling/createMessage`.
///
/// The content is one block of text, or a list with one in it.
///
/// # Errors
///
/// Fails where the message is not the assistant's, is no text, or did not end by itself.
pub fn message_text(result: &Value) -> Result<String, ModelError> {
    let malformed = |what: &str| ModelError::Malformed { what: what.to_owned() };
    if result.get("role").and_then(Value::as_str) != Some("assistant") {
        return Err(malformed("its role is not \"assistant\""));
    }
    let content = match result.get("content") {
        Some(Value::Array(blocks)) => match &**blocks {
            [block] => block,
            _ => return Err(malformed("its content is not one block")),
        },
        Some(block) => block,
        None => return Err(malformed("it has no content")),
    };
    let kind = content.get("type").and_then(Value::as_str);
    let Some(text) = content.get("text").and_then(Value::as_str).filter(|_| kind == Some("text"))
    else {
        return Err(malformed("its content is not a text"));
    };
    match result.get("stopReason") {
        // The reason may be left out, and then nothing speaks against the text.
        None | Some(Value::Null) => Ok(text.to_owned()),
        Some(Value::String(why)) if why == "endTurn" || why == "stopSequence" => {
            Ok(text.to_owned())
        }
        Some(why) => Err(ModelError::Truncated {
            why: format!("stopReason {}", display_text(&why.to_string())),
        }),
    }
}

/// A model behind whoever answers `sampling/createMessage`: parameters in, a result out.
pub struct Sampling<F> {
    create_message: F,
    max_tokens: u32,
}

impl<F> Sampling<F> {
    /// A model that `create_message` speaks for.
    pub fn new(create_message: F) -> Self {
        Self { create_message, max_tokens: 400 }
    }

    /// How long an answer may be, in tokens; 400 by default.
    #[must_use]
    pub fn max_tokens(self, max_tokens: u32) -> Self {
        Self { max_tokens, ..self }
    }
}

#[async_trait]
impl<F, R> Model for Sampling<F>
where
    F: Fn(Value) -> R + Send + Sync,
    R: Future<Output = Result<Value, BoxError>> + Send,
{
    async fn complete(&self, prompt: &Prompt) -> Result<String, ModelError> {
        let params = create_message_params(prompt, self.max_tokens);
        let asking = (self.create_message)(params);
        message_text(&asking.await.map_err(ModelError::Other)?)
    }
}

impl<F> fmt::Debug for Sampling<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Sampling").field("max_tokens", &self.max_tokens).finish_non_exhaustive()
    }
}
