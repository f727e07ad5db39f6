//! How often each handler ran, and how many ran at once.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};
use tokio::sync::watch;

/// How often each handler started, finished and was cancelled.
///
/// Handlers are known by the name of their tool or prompt, or the URI of their resource.
/// Clones share the counts.
#[derive(Clone)]
pub struct Counters(Arc<watch::Sender<Counts>>);

#[derive(Default)]
struct Counts {
    handlers: BTreeMap<String, Count>,
    running: usize,
    peak: usize,
}

#[derive(Clone, Copy, Default)]
struct Count {
    started: usize,
    finished: usize,
    cancelled: usize,
}

impl Counters {
    /// How often the handler `name` has started.
    pub fn started(&self, name: &str) -> usize {
        self.get(name).started
    }

    /// How often the handler `name` has run to its end.
    pub fn finished(&self, name: &str) -> usize {
        self.get(name).finished
    }

    /// How often the handler `name` was dropped before its end.
    pub fn cancelled(&self, name: &str) -> usize {
        self.get(name).cancelled
    }

    /// The most handlers that ever ran at once.
    pub fn peak(&self) -> usize {
        self.0.borrow().peak
    }

    /// Starts counting again from nothing, with what is running now.
    pub fn reset(&self) {
        self.0.send_modify(|counts| {
            counts.handlers.clear();
            counts.peak = counts.running;
        });
    }

    /// Waits until the handler `name` has started `times` times.
    pub async fn until_started(&self, name: &str, times: usize) {
        self.until(|counts| counts.get(name).started >= times).await;
    }

    /// Waits until the handler `name` has run to its end `times` times.
    pub async fn until_finished(&self, name: &str, times: usize) {
        self.until(|counts| counts.get(name).finished >= times).await;
    }

    /// Waits until the handler `name` was dropped before its end `times` times.
    pub async fn until_cancelled(&self, name: &str, times: usize) {
        self.until(|counts| counts.get(name).cancelled >= times).await;
    }

    /// All counts as JSON: `{"echo": {"started": 1, "finished": 1, "cancelled": 0}}`.
    pub fn to_json(&self) -> Value {
        let counts = self.0.borrow();
        let handlers = counts.handlers.iter().map(|(name, count)| {
            let Count { started, finished, cancelled } = count;
            (
                name.clone(),
                json!({ "started": started, "finished": finished, "cancelled": cancelled }),
            )
        });
        Value::Object(handlers.collect())
    }

    /// Counts one run, which ends when what this returns is dropped.
    pub(crate) fn start(&self, name: &str) -> Run {
        self.0.send_modify(|counts| {
            counts.handlers.entry(name.to_owned()).or_default().started += 1;
            counts.running += 1;
            counts.peak = counts.peak.max(counts.running);
        });
        Run { counters: self.clone(), name: name.to_owned(), is_finished: false }
    }

    async fn until(&self, condition: impl Fn(&Counts) -> bool) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.subscribe().wait_for(|counts| condition(counts)).await;
    }

    fn get(&self, name: &str) -> Count {
        self.0.borrow().get(name)
    }
}

impl Counts {
    fn get(&self, name: &str) -> Count {
        self.handlers.get(name).copied().unwrap_or_default()
    }
}

impl Default for Counters {
    fn default() -> Self {
        Self(Arc::new(watch::Sender::new(Counts::default())))
    }
}

impl fmt::Debug for Counters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}

/// One run of a handler.
pub(crate) struct Run {
    counters: Counters,
    name: String,
    is_finished: bool,
}

impl Run {
    pub(crate) fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        self.counters.0.send_modify(|counts| {
            let count = counts.handlers.entry(std::mem::take(&mut self.name)).or_default();
            if self.is_finished {
                count.finished += 1;
            } else {
                count.cancelled += 1;
            }
            counts.running = counts.running.saturating_sub(1);
        });
    }
}
