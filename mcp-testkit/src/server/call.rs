//! A handler at work for a request.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

use async_trait::async_trait;
use mcp_provider::JsonObject;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};

use crate::context::Caller;
use crate::handler::Handler;
use crate::rpc::object;
use crate::server::answers::{Shape, reaches};
use crate::server::connection::Connection;
use crate::server::handshake::Sender;
use crate::{AskError, Change};

/// A handler, what it is to be run with, and what becomes of its output.
#[derive(Clone, Debug)]
pub(super) struct Job {
    pub(super) name: String,
    pub(super) handler: Handler,
    pub(super) arguments: JsonObject,
    pub(super) shape: Shape,
}

/// The caller of a running handler: the client, as it was when the latest round came in.
pub(super) struct Call {
    connection: Arc<Connection>,
    sender: RwLock<Sender>,
    asking: mpsc::UnboundedSender<Question>,
    is_cancelled: AtomicBool,
}

/// What a handler wants to know before it goes on.
pub(super) struct Question {
    pub(super) requests: JsonObject,
    pub(super) answer: oneshot::Sender<JsonObject>,
}

impl Call {
    pub(super) fn new(
        connection: &Arc<Connection>,
        sender: Sender,
    ) -> (Arc<Self>, mpsc::UnboundedReceiver<Question>) {
        let (asking, asked) = mpsc::unbounded_channel();
        let call = Self {
            connection: Arc::clone(connection),
            sender: RwLock::new(sender),
            asking,
            is_cancelled: AtomicBool::new(false),
        };
        (Arc::new(call), asked)
    }

    /// Takes over what the sender of a later round declares.
    pub(super) fn renew(&self, sender: Sender) {
        *self.sender.write().unwrap_or_else(PoisonError::into_inner) = sender;
    }

    pub(super) fn cancel(&self) {
        self.is_cancelled.store(true, Ordering::Relaxed);
    }

    pub(super) fn sender(&self) -> Sender {
        self.sender.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    async fn ask_legacy(&self, requests: JsonObject) -> JsonObject {
        let mut answers = JsonObject::new();
        for (key, mut request) in requests {
            let method = request["method"].as_str().unwrap_or_default().to_owned();
            if request["params"]["mode"] == "url" {
                request["params"]["elicitationId"] = json!(key);
            }
            if let Ok(answer) = self.connection.ask(&method, &request["params"]).await {
                answers.insert(key, answer);
            }
        }
        answers
    }
}

#[async_trait]
impl Caller for Call {
    fn progress_token(&self) -> Option<Value> {
        self.sender().progress_token
    }

    fn wants_log(&self, level: &str) -> bool {
        self.sender().log_level.is_some_and(|wanted| reaches(level, &wanted))
    }

    fn notify(&self, method: &str, params: JsonObject) {
        self.connection.notify(method, &params);
    }

    fn changed(&self, change: &Change) {
        self.connection.server.changed(change);
    }

    fn raw_line(&self, line: &str) {
        self.connection.send(line.to_owned());
    }

    fn is_cancelled(&self) -> bool {
        self.is_cancelled.load(Ordering::Relaxed)
    }

    async fn ask(&self, requests: JsonObject) -> Result<JsonObject, AskError> {
        let sender = self.sender();
        let mut missing = json!({});
        for request in requests.values() {
            need(&mut missing, request, &sender.capabilities);
        }
        let missing = object(missing);
        if !missing.is_empty() {
            return Err(AskError::NotDeclared(missing));
        }
        if !sender.is_modern {
            return Ok(self.ask_legacy(requests).await);
        }
        let (answer, answered) = oneshot::channel();
        // Whoever polls this handler holds the other ends.
        let _ = self.asking.send(Question { requests, answer });
        answered.await.map_err(|_| AskError::Unanswered)
    }
}

/// Adds to `missing` what `request` needs and `declared` lacks.
fn need(missing: &mut Value, request: &Value, declared: &JsonObject) {
    match request["method"].as_str() {
        Some("sampling/createMessage") if !declared.contains_key("sampling") => {
            missing["sampling"] = json!({});
        }
        Some("roots/list") if !declared.contains_key("roots") => missing["roots"] = json!({}),
        Some("elicitation/create") => {
            let mode = request["params"]["mode"].as_str().unwrap_or("form");
            // An empty declaration is one of forms, as it was before there were modes.
            let is_declared = declared.get("elicitation").is_some_and(|modes| {
                modes.get(mode).is_some() || (mode == "form" && modes == &json!({}))
            });
            if !is_declared {
                missing["elicitation"][mode] = json!({});
            }
        }
        _ => {}
    }
}
