//! What a handler can do while it runs.

use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use async_trait::async_trait;
use mcp_provider::JsonObject;
use serde_json::{Value, json};

/// What a handler can do while it runs: report, log, and ask the client.
///
/// In process nobody listens: reports and logs go nowhere, and questions are declined.
#[derive(Clone)]
pub struct ToolContext {
    caller: Arc<dyn Caller>,
    asked: Arc<AtomicUsize>,
}

impl ToolContext {
    /// A context in which nobody listens.
    pub fn in_process() -> Self {
        Self::new(Arc::new(InProcess))
    }

    pub(crate) fn new(caller: Arc<dyn Caller>) -> Self {
        Self { caller, asked: Arc::default() }
    }

    /// Reports progress if the caller asked for it, and says whether it did.
    pub fn progress(&self, progress: f64, total: Option<f64>, message: Option<&str>) -> bool {
        let mut report = JsonObject::new();
        report.insert("progress".to_owned(), number(progress));
        if let Some(total) = total {
            report.insert("total".to_owned(), number(total));
        }
        if let Some(message) = message {
            report.insert("message".to_owned(), json!(message));
        }
        self.report(report)
    }

    /// Reports `members` as progress, however odd, under the caller's token if it gave one.
    pub fn report(&self, members: JsonObject) -> bool {
        let Some(token) = self.caller.progress_token() else { return false };
        let mut params = JsonObject::new();
        params.insert("progressToken".to_owned(), token);
        params.extend(members);
        self.caller.notify("notifications/progress", params);
        true
    }

    /// Logs `data` if the caller wants to hear of that level, and says whether it does.
    pub fn log(&self, level: &str, data: impl Into<Value>, logger: Option<&str>) -> bool {
        if !self.caller.wants_log(level) {
            return false;
        }
        let mut params = JsonObject::new();
        params.insert("level".to_owned(), json!(level));
        if let Some(logger) = logger {
            params.insert("logger".to_owned(), json!(logger));
        }
        params.insert("data".to_owned(), data.into());
        self.caller.notify("notifications/message", params);
        true
    }

    /// Sends a notification as it is, whether or not the caller may want it.
    pub fn notify(&self, method: &str, params: JsonObject) {
        self.caller.notify(method, params);
    }

    /// Says that something changed, to every client that wants to know.
    pub fn changed(&self, change: &Change) {
        self.caller.changed(change);
    }

    /// Writes a line of its own into the stream of messages: noise.
    pub fn raw_line(&self, line: &str) {
        self.caller.raw_line(line);
    }

    /// Asks the user: the answer is `{"action": …, "content": …}`.
    ///
    /// # Errors
    ///
    /// Fails where the client cannot be asked, or gives no answer.
    pub async fn elicit(&self, params: Value) -> Result<JsonObject, AskError> {
        self.ask_one("elicit", "elicitation/create", params).await
    }

    /// Asks the client's model: the answer is a message.
    ///
    /// # Errors
    ///
    /// Fails where the client cannot be asked, or gives no answer.
    pub async fn sample(&self, params: Value) -> Result<JsonObject, AskError> {
        self.ask_one("sample", "sampling/createMessage", params).await
    }

    /// Asks for the roots: the answer is `{"roots": […]}`.
    ///
    /// # Errors
    ///
    /// Fails where the client cannot be asked, or gives no answer.
    pub async fn roots(&self) -> Result<JsonObject, AskError> {
        self.ask_one("roots", "roots/list", json!({})).await
    }

    /// Asks several things in one round: `requests` maps a key of one's own to
    /// `{"method": …, "params": …}`, and the answers carry the same keys.
    ///
    /// With no requests at all a modern client comes back at once, with the state alone.
    ///
    /// # Errors
    ///
    /// Fails where the client cannot be asked.  A request it gave no answer to is missing.
    pub async fn ask(&self, requests: JsonObject) -> Result<JsonObject, AskError> {
        self.caller.ask(requests).await
    }

    /// Whether the caller has cancelled the request.  A handler that is polled still is not.
    pub fn is_cancelled(&self) -> bool {
        self.caller.is_cancelled()
    }

    async fn ask_one(
        &self,
        kind: &str,
        method: &str,
        params: Value,
    ) -> Result<JsonObject, AskError> {
        let key = format!("{kind}-{}", self.asked.fetch_add(1, Ordering::Relaxed) + 1);
        let mut requests = JsonObject::new();
        requests.insert(key.clone(), json!({ "method": method, "params": params }));
        match self.ask(requests).await?.remove(&key) {
            Some(Value::Object(answer)) => Ok(answer),
            _ => Err(AskError::Unanswered),
        }
    }
}

impl fmt::Debug for ToolContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ToolContext").finish_non_exhaustive()
    }
}

/// Something that clients may have subscribed to changed.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Change {
    /// The list of prompts.
    Prompts,
    /// The resource with this URI.
    Resource(String),
    /// The list of resources.
    Resources,
    /// The list of tools.
    Tools,
}

/// Why a question got no answer.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum AskError {
    /// The client did not declare that it can answer; what it should have declared.
    NotDeclared(JsonObject),
    /// The client gave no answer.
    Unanswered,
}

impl fmt::Display for AskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotDeclared(missing) => {
                let names: Vec<&str> = missing.keys().map(String::as_str).collect();
                write!(f, "The client did not declare the capability: {}", names.join(", "))
            }
            Self::Unanswered => f.write_str("The client gave no answer"),
        }
    }
}

impl Error for AskError {}

/// The one on whose behalf a handler runs.
#[async_trait]
pub(crate) trait Caller: Send + Sync {
    fn progress_token(&self) -> Option<Value>;
    fn wants_log(&self, level: &str) -> bool;
    fn notify(&self, method: &str, params: JsonObject);
    fn changed(&self, change: &Change);
    fn raw_line(&self, line: &str);
    fn is_cancelled(&self) -> bool;
    async fn ask(&self, requests: JsonObject) -> Result<JsonObject, AskError>;
}

struct InProcess;

#[async_trait]
impl Caller for InProcess {
    fn progress_token(&self) -> Option<Value> {
        None
    }

    fn wants_log(&self, _level: &str) -> bool {
        false
    }

    fn notify(&self, _method: &str, _params: JsonObject) {}

    fn changed(&self, _change: &Change) {}

    fn raw_line(&self, _line: &str) {}

    fn is_cancelled(&self) -> bool {
        false
    }

    async fn ask(&self, requests: JsonObject) -> Result<JsonObject, AskError> {
        let declined = requests.into_iter().filter_map(|(key, request)| {
            let answer = match request["method"].as_str()? {
                "elicitation/create" => json!({ "action": "decline" }),
                "roots/list" => json!({ "roots": [] }),
                _ => return None,
            };
            Some((key, answer))
        });
        Ok(declined.collect())
    }
}

/// A number as most servers write it: whole ones without a fraction.
fn number(value: f64) -> Value {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    if value.fract() == 0.0 && value.abs() < EXACT {
        #[allow(clippy::cast_possible_truncation, reason = "whole and in range")]
        return json!(value as i64);
    }
    json!(value)
}
