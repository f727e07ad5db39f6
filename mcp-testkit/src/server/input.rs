//! Calls that need more input: rounds, and the calls parked between them.

use std::sync::Arc;

use mcp_provider::JsonObject;
use serde_json::{Value, json};
use tokio::sync::{mpsc, oneshot};
use tokio::task::JoinSet;

use crate::handler::Handling;
use crate::rpc::object;
use crate::server::answers::Shape;
use crate::server::call::{Call, Job, Question};
use crate::server::connection::Connection;
use crate::server::handshake::Sender;
use crate::{RpcError, ToolContext, ToolOutput};

/// A handler that waits for the next round of its input.
pub(super) struct Parked {
    round: Round,
    answer: oneshot::Sender<JsonObject>,
}

/// A handler, between its start and its end.
struct Round {
    call: Arc<Call>,
    handling: Handling,
    asked: mpsc::UnboundedReceiver<Question>,
    shape: Shape,
    /// What the first round was asked for: the later ones must ask for the same.
    origin: JsonObject,
}

impl Connection {
    /// Runs a handler, or goes on with the parked one that the request names.
    pub(super) fn run(
        self: &Arc<Self>,
        id: Value,
        job: Job,
        params: JsonObject,
        sender: Sender,
        running: &mut JoinSet<()>,
    ) {
        let state = params.get("requestState").and_then(Value::as_str).map(str::to_owned);
        let round = match state {
            Some(state) if sender.is_modern => match self.resume(&state, params, sender) {
                Ok(round) => round,
                Err(error) => return self.answer(&id, Err(error)),
            },
            _ => self.start(job, params, sender),
        };
        let connection = Arc::clone(self);
        let call = Arc::clone(&round.call);
        self.spawn(id, call, running, async move { round.play(&connection).await });
    }

    fn start(self: &Arc<Self>, job: Job, params: JsonObject, sender: Sender) -> Round {
        let (call, asked) = Call::new(self, sender);
        let context = ToolContext::new(Arc::clone(&call) as _);
        let counters = self.server.counters();
        let handling = job.handler.run(&job.name, counters, job.arguments, context);
        Round { call, handling, asked, shape: job.shape, origin: origin(params) }
    }

    fn resume(
        &self,
        state: &str,
        mut params: JsonObject,
        sender: Sender,
    ) -> Result<Round, RpcError> {
        let answers = object(params.remove("inputResponses").unwrap_or_default());
        let mut locked = self.state();
        let parked = locked.parked.get(state);
        let parked = parked.ok_or_else(|| RpcError::invalid_params("Unknown requestState"))?;
        if parked.round.origin != origin(params) {
            return Err(RpcError::invalid_params("The retry asks for something else"));
        }
        let parked = locked.parked.remove(state);
        drop(locked);
        let parked = parked.ok_or_else(|| RpcError::invalid_params("Unknown requestState"))?;
        parked.round.call.renew(sender);
        // The handler may have lost its interest in the answer.
        let _ = parked.answer.send(answers);
        Ok(parked.round)
    }

    fn park(&self, round: Round, question: Question) -> JsonObject {
        let mut state = self.state();
        state.rounds += 1;
        let key = format!("{STATE_HEAD}{}", state.rounds);
        state.parked.insert(key.clone(), Parked { round, answer: question.answer });
        let mut result = JsonObject::new();
        result.insert("resultType".to_owned(), json!("input_required"));
        if !question.requests.is_empty() {
            result.insert("inputRequests".to_owned(), Value::Object(question.requests));
        }
        result.insert("requestState".to_owned(), json!(key));
        result
    }
}

impl Round {
    /// Lets the handler run until it is done or wants to know something.
    async fn play(mut self, connection: &Connection) -> Result<Value, RpcError> {
        let sender = self.call.sender();
        let result = tokio::select! {
            output = &mut self.handling => self.finish(output, &sender)?,
            Some(question) = self.asked.recv() => connection.park(self, question),
        };
        Ok(connection.server.complete(result, "", &sender))
    }

    fn finish(&self, output: ToolOutput, sender: &Sender) -> Result<JsonObject, RpcError> {
        self.shape.result(output, sender)
    }
}

fn origin(mut params: JsonObject) -> JsonObject {
    for key in ["_meta", "inputResponses", "requestState"] {
        params.remove(key);
    }
    params
}

/// Nothing that survives trimming, normalising or re-encoding.
const STATE_HEAD: &str = " {\"state\":\n\"e\u{301}\u{85}\u{2028}\\\"} ";
