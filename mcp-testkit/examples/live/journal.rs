//! All that happened between the client and one peer, in order.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use mcp_client::protocol::{ElicitParams, LoggingMessage, RequestId};
use serde_json::Value;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::data::Wire;

#[derive(Debug)]
pub(crate) enum Entry {
    /// A connection was made; over stdio, a process was started for it.
    Started,
    /// The client asked for this.
    Sent { method: String },
    /// An answer came, or will not come.
    Answered { method: String, outcome: Outcome },
    /// The server asked this, in a request of its own.
    Asked { id: RequestId, method: String },
    /// A hook of the client was asked this.
    Elicited(ElicitParams),
    /// The client reported the first progress of a call that is about to be cut off.
    Begun,
    /// The client passed on a notification.
    Notified { method: String },
    /// The client passed on a log message.
    Logged(LoggingMessage),
    /// The client warned.
    Warned(String),
    /// The server wrote this line, on stderr, or where the protocol does not use stdout.
    Wrote(String),
}

#[derive(Clone, Debug)]
pub(crate) enum Outcome {
    Result(Value),
    Error(i64),
    Status(u16),
    Gone,
    Unusable(#[allow(dead_code, reason = "shown where a check fails")] String),
}

impl Outcome {
    pub(crate) fn matches(&self, wire: &Wire) -> bool {
        match (self, wire) {
            (Self::Result(_), Wire::Ok) | (Self::Gone, Wire::Eof) => true,
            (Self::Error(found), Wire::Error(expected)) => found == expected,
            (Self::Status(found), Wire::Status(expected)) => found == expected,
            _ => false,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct Journal {
    entries: Mutex<Vec<Entry>>,
    written: watch::Sender<usize>,
}

impl Journal {
    pub(crate) fn write(&self, entry: Entry) {
        self.lock().push(entry);
        // Not under the lock: whoever waits takes it while they hold this.
        self.written.send_modify(|count| *count += 1);
    }

    /// This moment, for [`since`](Self::since).
    pub(crate) fn mark(&self) -> usize {
        self.lock().len()
    }

    /// What `pick` finds in the entries since `mark`.
    pub(crate) fn since<T>(&self, mark: usize, pick: impl FnMut(&Entry) -> Option<T>) -> Vec<T> {
        self.lock()[mark..].iter().filter_map(pick).collect()
    }

    pub(crate) fn all<T>(&self, pick: impl FnMut(&Entry) -> Option<T>) -> Vec<T> {
        self.since(0, pick)
    }

    /// Waits until `pick` finds `count` entries, and for `patience` at most.  Returns what it
    /// finds then.
    pub(crate) async fn wait_for<T>(
        &self,
        count: usize,
        patience: Duration,
        mut pick: impl FnMut(&Entry) -> Option<T>,
    ) -> Vec<T> {
        let mut written = self.written.subscribe();
        let enough = written.wait_for(|_| self.all(&mut pick).len() >= count);
        // Not enough within the time is what the caller finds out from what there is.
        let _ = timeout(patience, enough).await;
        self.all(pick)
    }

    /// How many requests for `method` the client made since `mark`.
    pub(crate) fn sent(&self, mark: usize, method: &str) -> usize {
        let is_sent = |entry: &Entry| match entry {
            Entry::Sent { method: sent } => (sent == method).then_some(()),
            _ => None,
        };
        self.since(mark, is_sent).len()
    }

    /// What came for the latest request for `method` since `mark`.
    pub(crate) fn last_outcome(&self, mark: usize, method: &str) -> Option<Outcome> {
        let outcome = |entry: &Entry| match entry {
            Entry::Answered { method: asked, outcome } => {
                (asked == method).then(|| outcome.clone())
            }
            _ => None,
        };
        self.since(mark, outcome).pop()
    }

    /// How many connections were made.
    pub(crate) fn connections(&self) -> usize {
        self.all(|entry| matches!(entry, Entry::Started).then_some(())).len()
    }

    /// The last lines of stderr.
    pub(crate) fn stderr_tail(&self, lines: usize) -> Vec<String> {
        let line = |entry: &Entry| match entry {
            Entry::Wrote(line) => Some(line.clone()),
            _ => None,
        };
        let mut all = self.all(line);
        all.split_off(all.len().saturating_sub(lines))
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Entry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
