//! What a scripted server is to say, and what it was told.

use std::collections::{HashMap, VecDeque};
use std::fmt;

use serde_json::Value;
use tokio::sync::oneshot;

use crate::rpc::{answer_line, notification_line, object, request_line};
use crate::scripted_server::peer::Peer;
use crate::{Latch, RpcError};

/// How a scripted server answers a request.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub enum Answer {
    /// With a result.
    Result(Value),
    /// With an error.
    Error(RpcError),
    /// With these bytes; in text `${id}` stands for the id of the request.
    Raw(Vec<u8>),
    /// Not at all.
    Silence,
    /// By hanging up.
    HangUp,
}

/// A message that is expected, and what is to happen before it is answered.
#[must_use = "say how it is answered"]
pub struct Expected<'a> {
    peer: &'a Peer,
    method: Option<String>,
    entry: Entry,
}

impl<'a> Expected<'a> {
    pub(super) fn new(peer: &'a Peer, method: Option<&str>) -> Self {
        Self { peer, method: method.map(str::to_owned), entry: Entry::default() }
    }

    /// Expects it any number of times, none included, once all else queued for it has come.
    pub fn always(mut self) -> Self {
        self.entry.is_lasting = true;
        self
    }

    /// Sends a notification first.
    pub fn notify(self, method: &str, params: Value) -> Self {
        self.line(notification_line(method, &object(params)))
    }

    /// Sends a request first; its answer is recorded, and not waited for.
    pub fn request(self, id: &Value, method: &str, params: &Value) -> Self {
        self.line(request_line(id, method, params))
    }

    /// Sends a line first, whatever is on it.
    pub fn line(mut self, line: impl Into<String>) -> Self {
        self.entry.before.push(line.into() + "\n");
        self
    }

    /// Answers once `latch` is open; other messages are answered meanwhile.
    pub fn after(mut self, latch: &Latch) -> Self {
        self.entry.latch = Some(latch.clone());
        self
    }

    /// Answers with a result.
    pub fn result(self, result: Value) {
        self.answer(Answer::Result(result));
    }

    /// Answers with an error.
    pub fn error(self, code: i64, message: &str, data: Option<Value>) {
        let error = RpcError::new(code, message);
        self.answer(Answer::Error(match data {
            Some(data) => error.with_data(data),
            None => error,
        }));
    }

    /// Answers with these bytes; in text `${id}` stands for the id of the request.
    pub fn raw(self, bytes: impl Into<Vec<u8>>) {
        self.answer(Answer::Raw(bytes.into()));
    }

    /// Does not answer.
    pub fn silence(self) {
        self.answer(Answer::Silence);
    }

    /// Hangs up.
    pub fn hang_up(self) {
        self.answer(Answer::HangUp);
    }

    /// Answers in this way.
    pub fn answer(self, answer: Answer) {
        self.compute(move |_| answer.clone());
    }

    /// Answers as `answer` says when it sees the message.
    pub fn compute(mut self, answer: impl FnMut(&Value) -> Answer + Send + 'static) {
        self.entry.answer = Some(Box::new(answer));
        let mut script = self.peer.script();
        match self.method {
            Some(method) => script.entries.entry(method).or_default().push_back(self.entry),
            None => script.fallback.push_back(self.entry),
        }
    }
}

impl fmt::Debug for Expected<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Expected").field("method", &self.method).finish_non_exhaustive()
    }
}

/// What to do when an expected message comes.
#[derive(Default)]
pub(super) struct Entry {
    before: Vec<String>,
    latch: Option<Latch>,
    is_lasting: bool,
    answer: Option<Compute>,
}

type Compute = Box<dyn FnMut(&Value) -> Answer + Send>;

/// What is to happen for one message, decided.
pub(super) struct Move {
    pub(super) before: Vec<String>,
    pub(super) latch: Option<Latch>,
    pub(super) answer: Answer,
}

/// What a scripted server is to say, and what it was told.
#[derive(Default)]
pub(super) struct Script {
    pub(super) lines: Vec<String>,
    pub(super) unexpected: Vec<String>,
    pub(super) waiting: HashMap<String, oneshot::Sender<Result<Value, RpcError>>>,
    pub(super) is_ended: bool,
    entries: HashMap<String, VecDeque<Entry>>,
    fallback: VecDeque<Entry>,
}

impl Script {
    /// The move that `message` calls for, if it calls for one.
    pub(super) fn next_move(&mut self, message: &Value) -> Option<Move> {
        let method = message["method"].as_str()?;
        let is_request = message.get("id").is_some();
        if let Some(next) = self.entries.get_mut(method).and_then(|queue| take(queue, message)) {
            return Some(next);
        }
        if !is_request {
            return None;
        }
        take(&mut self.fallback, message).or_else(|| {
            self.unexpected.push(method.to_owned());
            let error = RpcError::new(-32601, format!("nothing is scripted for {method:?}"));
            Some(Move { before: Vec::new(), latch: None, answer: Answer::Error(error) })
        })
    }

    /// Keeps `answer` for when the client answers the request `id`, unless it is gone.
    pub(super) fn wait(&mut self, id: &Value, answer: oneshot::Sender<Result<Value, RpcError>>) {
        if !self.is_ended {
            self.waiting.insert(id.to_string(), answer);
        }
    }

    pub(super) fn messages(&self) -> impl Iterator<Item = Value> {
        self.lines.iter().map(|line| serde_json::from_str(line).unwrap_or_default())
    }

    pub(super) fn received(&self, method: &str) -> Vec<Value> {
        self.messages().filter(|message| message["method"] == method).collect()
    }

    /// What did not go as expected.
    pub(super) fn complaints(&self) -> Vec<String> {
        let unexpected = self.unexpected.iter().map(|method| format!("{method} was unscripted"));
        let mut missing = Vec::new();
        for (method, queue) in &self.entries {
            let left = queue.iter().filter(|entry| !entry.is_lasting).count();
            if left > 0 {
                missing.push(format!("{method} was expected {left} times more"));
            }
        }
        missing.sort_unstable();
        if self.fallback.iter().any(|entry| !entry.is_lasting) {
            missing.push("another request was expected".to_owned());
        }
        unexpected.chain(missing).collect()
    }
}

impl Answer {
    /// The bytes of the answer to the request `id`.
    pub(super) fn bytes(self, id: &Value) -> Option<Vec<u8>> {
        let answer = match self {
            Self::Result(result) => Ok(result),
            Self::Error(error) => Err(error),
            Self::Raw(bytes) => {
                return Some(match String::from_utf8(bytes) {
                    Ok(text) => text.replace("${id}", &id.to_string()).into_bytes(),
                    Err(error) => error.into_bytes(),
                });
            }
            Self::Silence | Self::HangUp => return None,
        };
        Some((answer_line(id, answer) + "\n").into_bytes())
    }
}

/// The next move of a queue: what happens once comes first, in order, and then the latest of
/// what lasts.
fn take(queue: &mut VecDeque<Entry>, message: &Value) -> Option<Move> {
    let once = queue.iter().position(|entry| !entry.is_lasting);
    let index = once.or_else(|| queue.len().checked_sub(1))?;
    let entry = queue.get_mut(index)?;
    let answer = entry.answer.as_mut().map_or(Answer::Silence, |answer| answer(message));
    let decided = Move { before: entry.before.clone(), latch: entry.latch.clone(), answer };
    if once.is_some() {
        queue.remove(index);
    }
    Some(decided)
}
