//! A model behind any OpenAI-compatible chat endpoint.

mod answer;
mod client;
mod endpoint;

use std::fmt;

use async_trait::async_trait;
use bytes::Bytes;
use http::header::{ACCEPT, AUTHORIZATION, CONTENT_TYPE};
use http::{HeaderMap, HeaderValue};
use mcp_provider::JsonObject;
use serde_json::{Value, json};

use self::client::{Client, Received};
use self::endpoint::Endpoint;
pub use self::endpoint::InvalidEndpoint;
use crate::llm::model::{Model, ModelError};
use crate::llm::prompt::Prompt;

/// A model behind an endpoint that speaks OpenAI's chat completions: a vendor's, a gateway's, or
/// one on this machine.
///
/// It lives in a tokio runtime.  Connections are kept and used again.  It follows no redirects,
/// and sends the key to the one address that it was given.
///
/// ```
/// use mcp_approval::OpenAiChat;
///
/// # fn main() -> Result<(), mcp_approval::InvalidEndpoint> {
/// let model = OpenAiChat::new("http://127.0.0.1:11434/v1", "qwen3")?;
/// assert_eq!(model.url(), "http://127.0.0.1:11434/v1/chat/completions");
/// # Ok(())
/// # }
/// ```
pub struct OpenAiChat {
    endpoint: Endpoint,
    model: String,
    key: Option<HeaderValue>,
    max_answer: usize,
    members: JsonObject,
    client: Client,
}

impl OpenAiChat {
    /// The model `model` behind the base address `url`, such as `https://api.example.com/v1`.
    ///
    /// # Errors
    ///
    /// Fails where `url` is no `http` or `https` address, or carries a login, a query or a
    /// fragment.
    pub fn new(url: &str, model: impl Into<String>) -> Result<Self, InvalidEndpoint> {
        Ok(Self {
            endpoint: Endpoint::parse(url)?,
            model: model.into(),
            key: None,
            max_answer: 256 << 10,
            members: JsonObject::new(),
            client: Client::default(),
        })
    }

    /// Sends `key` as a bearer token.
    ///
    /// # Errors
    ///
    /// Fails where the key cannot stand in a header, and where it would go over a network in the
    /// clear: with a key, `http` is for this machine only.
    pub fn key(self, key: &str) -> Result<Self, InvalidEndpoint> {
        if !self.endpoint.is_private() {
            return Err(InvalidEndpoint::Clear { host: self.endpoint.host().to_owned() });
        }
        let key = key.trim();
        if key.is_empty() || !key.bytes().all(|it| it.is_ascii_graphic()) {
            return Err(InvalidEndpoint::Key);
        }
        let value = HeaderValue::try_from(format!("Bearer {key}"));
        let mut value = value.map_err(|_| InvalidEndpoint::Key)?;
        value.set_sensitive(true);
        Ok(Self { key: Some(value), ..self })
    }

    /// How large an answer may be, in bytes; 256 KiB by default.
    #[must_use]
    pub fn max_answer(self, bytes: usize) -> Self {
        Self { max_answer: bytes, ..self }
    }

    /// Adds a member to each request, or replaces one: `temperature`, `max_completion_tokens`,
    /// `response_format` …
    ///
    /// `null` leaves one out, for an endpoint that refuses `response_format`.  The model, the
    /// messages, and that the answer comes whole cannot be replaced.
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: impl Into<Value>) -> Self {
        self.members.insert(name.into(), value.into());
        self
    }

    /// The address that requests go to.
    pub fn url(&self) -> String {
        self.endpoint.uri().to_string()
    }

    fn body(&self, prompt: &Prompt) -> Bytes {
        let mut body = JsonObject::new();
        body.insert("response_format".to_owned(), json!({ "type": "json_object" }));
        body.extend(self.members.clone());
        body.retain(|_, value| !value.is_null());
        body.insert("model".to_owned(), json!(self.model));
        body.insert("stream".to_owned(), json!(false));
        let messages = json!([
            { "role": "system", "content": prompt.system },
            { "role": "user", "content": prompt.user },
        ]);
        body.insert("messages".to_owned(), messages);
        Bytes::from(Value::Object(body).to_string())
    }

    /// The key as it stands in the header; empty without one.
    fn secret(&self) -> &str {
        let key = self.key.as_ref().and_then(|it| it.to_str().ok());
        key.map(|it| it.trim_start_matches("Bearer ")).unwrap_or_default()
    }

    fn headers(&self) -> HeaderMap {
        let json = HeaderValue::from_static("application/json");
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, json.clone());
        headers.insert(ACCEPT, json);
        if let Some(key) = &self.key {
            headers.insert(AUTHORIZATION, key.clone());
        }
        headers
    }
}

#[async_trait]
impl Model for OpenAiChat {
    async fn complete(&self, prompt: &Prompt) -> Result<String, ModelError> {
        let uri = self.endpoint.uri().clone();
        let sending = self.client.post(uri, self.headers(), self.body(prompt), self.max_answer);
        let Received { status, headers, body } = sending.await?;
        answer::check(status, &headers, &body, self.secret())?;
        answer::text(&body)
    }
}

impl fmt::Debug for OpenAiChat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("OpenAiChat")
            .field("url", &self.url())
            .field("model", &self.model)
            .field("has_key", &self.key.is_some())
            .finish_non_exhaustive()
    }
}
