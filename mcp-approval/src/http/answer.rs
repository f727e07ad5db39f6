//! What a chat endpoint answered, as the text of the model: pure.

use std::time::Duration;

use http::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, LOCATION, RETRY_AFTER};
use http::{HeaderMap, StatusCode};
use mcp_policy::display_text;
use serde::Deserialize;
use serde_json::Value;

use crate::llm::model::ModelError;

/// Fails where the answer is no JSON of a request that worked; `secret` is in no error.
pub(crate) fn check(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    secret: &str,
) -> Result<(), ModelError> {
    let shown = |text: &str| match secret {
        "" => shown(text),
        // Some repeat the key that they do not like.
        secret => shown(&text.replace(secret, "[key]")),
    };
    if status.is_redirection() {
        let (status, location) = (status.as_u16(), shown(&header(headers, LOCATION)));
        return Err(ModelError::Redirect { status, location });
    }
    if status != StatusCode::OK {
        let retry_after = header(headers, RETRY_AFTER).parse().ok().map(Duration::from_secs);
        let detail = shown(&String::from_utf8_lossy(body));
        return Err(ModelError::Status { status: status.as_u16(), detail, retry_after });
    }
    let content_type = header(headers, CONTENT_TYPE);
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    if !kind.eq_ignore_ascii_case("application/json") {
        return Err(ModelError::ContentType { content_type: shown(&content_type) });
    }
    match header(headers, CONTENT_ENCODING) {
        encoding if encoding.is_empty() || encoding.eq_ignore_ascii_case("identity") => Ok(()),
        encoding => Err(malformed(format!("its content encoding is {:?}", shown(&encoding)))),
    }
}

/// The text of the model in a chat completion.
pub(crate) fn text(body: &[u8]) -> Result<String, ModelError> {
    let completion: Completion =
        serde_json::from_slice(body).map_err(|error| malformed(error.to_string()))?;
    let [choice]: [Choice; 1] = completion
        .choices
        .try_into()
        .map_err(|choices: Vec<Choice>| malformed(format!("it has {} choices", choices.len())))?;
    let Choice { message, finish_reason } = choice;
    if let Some(refusal) = message.refusal.filter(|it| !it.is_empty()) {
        return Err(ModelError::Refused { refusal: shown(&refusal) });
    }
    match finish_reason.as_deref() {
        Some("stop") => {}
        Some("content_filter") => {
            let refusal = "a content filter withheld the answer".to_owned();
            return Err(ModelError::Refused { refusal });
        }
        other => {
            let why = match other {
                Some(reason) => format!("finish_reason {:?}", shown(reason)),
                None => "no finish_reason".to_owned(),
            };
            return Err(ModelError::Truncated { why });
        }
    }
    if message.role.as_deref().is_some_and(|it| it != "assistant") {
        return Err(malformed("its message is not the assistant's".to_owned()));
    }
    if message
        .tool_calls
        .is_some_and(|it| !matches!(it, Value::Null) && it != Value::Array(Vec::new()))
    {
        return Err(malformed("the model calls a tool, though it was given none".to_owned()));
    }
    message.content.ok_or_else(|| malformed("it has no text".to_owned()))
}

/// Members that nobody here knows are skipped; one that is there twice is an error.
#[derive(Deserialize)]
struct Completion {
    choices: Vec<Choice>,
}

#[derive(Deserialize)]
struct Choice {
    message: Message,
    finish_reason: Option<String>,
}

#[derive(Deserialize)]
struct Message {
    role: Option<String>,
    content: Option<String>,
    refusal: Option<String>,
    tool_calls: Option<Value>,
}

fn malformed(what: String) -> ModelError {
    ModelError::Malformed { what }
}

fn header(headers: &HeaderMap, name: HeaderName) -> String {
    let value = headers.get(name).map(|it| String::from_utf8_lossy(it.as_bytes()).into_owned());
    value.unwrap_or_default()
}

/// The beginning of a text from outside, with nothing hidden in it.
fn shown(text: &str) -> String {
    let start: String = text.chars().take(SHOWN).collect();
    display_text(start.trim())
}

/// How much of it is shown, in characters.
const SHOWN: usize = 200;
