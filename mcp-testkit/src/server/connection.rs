//! One connection: what it has running, what it waits for, and what it is subscribed to.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_provider::JsonObject;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::{AbortHandle, JoinSet};

use crate::rpc::{
    INTERNAL_ERROR, INVALID_REQUEST, PARSE_ERROR, answer_line, notification_line, object,
    request_line,
};
use crate::server::call::Call;
use crate::server::handshake::Session;
use crate::server::input::Parked;
use crate::server::subscriptions::Subscription;
use crate::{RpcError, ServeEra, Server};

/// A client at the other end.
pub(crate) struct Connection {
    pub(super) server: Arc<Server>,
    pub(super) era: ServeEra,
    out: mpsc::UnboundedSender<Option<String>>,
    state: Mutex<State>,
}

/// What changes while a connection lives.
#[derive(Default)]
pub(super) struct State {
    pub(super) session: Option<Session>,
    pub(super) parked: HashMap<String, Parked>,
    pub(super) rounds: usize,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) legacy_subscriptions: HashSet<String>,
    running: HashMap<String, (AbortHandle, Arc<Call>)>,
    waiting: HashMap<u64, oneshot::Sender<Result<Value, RpcError>>>,
    next_id: u64,
    is_closed: bool,
}

impl Connection {
    pub(super) fn new(
        server: Arc<Server>,
        era: ServeEra,
        out: mpsc::UnboundedSender<Option<String>>,
    ) -> Arc<Self> {
        let connection = Arc::new(Self { server, era, out, state: Mutex::default() });
        connection.server.register(&connection);
        connection
    }

    pub(super) fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes one line, and whatever it asks for is done or on its way when this returns.
    pub(super) fn receive(self: &Arc<Self>, line: &[u8], running: &mut JoinSet<()>) {
        let message: Value = match serde_json::from_slice(line) {
            Ok(message) => message,
            Err(error) => {
                self.answer(&Value::Null, Err(RpcError::new(PARSE_ERROR, error.to_string())));
                return;
            }
        };
        self.server.record(&message);
        let Value::Object(mut message) = message else {
            let error = RpcError::new(INVALID_REQUEST, "A message must be an object");
            self.answer(&Value::Null, Err(error));
            return;
        };
        let params = object(message.remove("params").unwrap_or_default());
        let id = message.remove("id").filter(|id| !id.is_null());
        match (message.remove("method"), id) {
            (Some(Value::String(method)), Some(id)) => self.request(id, &method, params, running),
            (Some(Value::String(method)), None) => self.notified(&method, &params),
            (_, Some(id)) => self.answered(&id, message),
            (_, None) => {
                let error = RpcError::new(INVALID_REQUEST, "Neither a method nor an id");
                self.answer(&Value::Null, Err(error));
            }
        }
    }

    /// Runs `work` for the request `id` and sends its answer, unless it is cancelled before.
    pub(super) fn spawn(
        self: &Arc<Self>,
        id: Value,
        call: Arc<Call>,
        running: &mut JoinSet<()>,
        work: impl Future<Output = Result<Value, RpcError>> + Send + 'static,
    ) {
        let connection = Arc::clone(self);
        let key = id.to_string();
        // Locked while spawning, so that the work cannot end before it is known to be running.
        let mut state = self.state();
        let handle = running.spawn({
            let key = key.clone();
            async move {
                let answer = work.await;
                let is_wanted = connection.state().running.remove(&key).is_some();
                if is_wanted {
                    connection.answer(&id, answer);
                }
            }
        });
        state.running.insert(key, (handle, call));
    }

    /// Sends a request to the client and waits for its answer.
    pub(super) async fn ask(&self, method: &str, params: &Value) -> Result<Value, RpcError> {
        let (answer, answered) = oneshot::channel();
        let id = {
            let mut state = self.state();
            let id = state.next_id;
            state.next_id += 1;
            if !state.is_closed {
                state.waiting.insert(id, answer);
            }
            id
        };
        self.send(request_line(&json!(id), method, params));
        let gone = |_| Err(RpcError::new(INTERNAL_ERROR, "The client is gone"));
        answered.await.unwrap_or_else(gone)
    }

    pub(super) fn answer(&self, id: &Value, answer: Result<Value, RpcError>) {
        self.send(answer_line(id, answer));
    }

    pub(super) fn notify(&self, method: &str, params: &JsonObject) {
        self.send(notification_line(method, params));
    }

    pub(super) fn send(&self, line: String) {
        // A writer that is gone has no reader either.
        let _ = self.out.send(Some(line));
    }

    pub(super) fn parked(&self) -> usize {
        self.state().parked.len()
    }

    /// Stops waiting for a client that has stopped writing.
    pub(super) fn hang_up(&self) {
        let mut state = self.state();
        state.is_closed = true;
        let (waiting, parked) =
            (std::mem::take(&mut state.waiting), std::mem::take(&mut state.parked));
        drop(state);
        drop((waiting, parked));
    }

    /// Ends the writer once everything sent so far is written.
    pub(super) fn close(&self) {
        self.hang_up();
        let _ = self.out.send(None);
    }

    fn notified(&self, method: &str, params: &JsonObject) {
        if method != "notifications/cancelled" {
            return;
        }
        let id = params.get("requestId").unwrap_or(&Value::Null);
        self.end_subscription(id);
        let running = self.state().running.remove(&id.to_string());
        if let Some((handle, call)) = running {
            call.cancel();
            handle.abort();
        }
    }

    fn answered(&self, id: &Value, mut message: JsonObject) {
        let waiting = id.as_u64().and_then(|id| self.state().waiting.remove(&id));
        let Some(waiting) = waiting else { return };
        let answer = match message.remove("error") {
            Some(error) => Err(RpcError::new(
                error["code"].as_i64().unwrap_or(INTERNAL_ERROR),
                error["message"].as_str().unwrap_or_default(),
            )),
            None => Ok(message.remove("result").unwrap_or_default()),
        };
        // The handler may have been cancelled meanwhile.
        let _ = waiting.send(answer);
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection").field("era", &self.era).finish_non_exhaustive()
    }
}
