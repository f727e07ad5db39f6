//! Who wants to hear how far a request has come.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_protocol::ProgressNotification;
use mcp_provider::CallId;

use crate::lock::lock;

/// How far a request has come.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Progress {
    /// How much is done, in whatever unit the server counts.
    pub progress: f64,
    /// How much there is to do, if the server knows.
    pub total: Option<f64>,
    /// What the server says about it.
    pub message: Option<String>,
}

/// How far a model's tool call has come.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct ToolProgress {
    /// The id of the call, as the model made it.
    pub tool_call_id: CallId,
    /// How far it has come.
    pub progress: Progress,
}

pub(crate) type Listener = Arc<dyn Fn(Progress) + Send + Sync>;

/// The progress tokens of the requests under way.
#[derive(Default)]
pub(crate) struct Tokens {
    listeners: Mutex<HashMap<String, Listener>>,
    minted: AtomicU64,
}

/// A token, forgotten when this is dropped.
pub(crate) struct Token<'a> {
    tokens: &'a Tokens,
    text: String,
}

impl Tokens {
    /// Mints a token whose reports go to `listener` until it is dropped.
    ///
    /// It is unique and cannot be guessed, so a report under it belongs to its request.
    pub(crate) fn mint(&self, listener: Listener) -> Token<'_> {
        let number = self.minted.fetch_add(1, Ordering::Relaxed) + 1;
        // The keys of a new hasher come from the system's randomness.
        let text = format!("prog-{number}-{:016x}", RandomState::new().hash_one(number));
        lock(&self.listeners).insert(text.clone(), listener);
        Token { tokens: self, text }
    }

    /// Finds the listener of a report; nothing for a token that was never minted or is forgotten.
    pub(crate) fn listener(&self, report: &ProgressNotification) -> Option<Listener> {
        lock(&self.listeners).get(&report.progress_token.to_string()).cloned()
    }
}

impl Token<'_> {
    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }
}

impl Drop for Token<'_> {
    fn drop(&mut self) {
        lock(&self.tokens.listeners).remove(&self.text);
    }
}

impl From<ProgressNotification> for Progress {
    fn from(report: ProgressNotification) -> Self {
        Self { progress: report.progress, total: report.total, message: report.message }
    }
}
