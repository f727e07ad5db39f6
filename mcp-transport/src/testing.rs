//! What the tests of this crate share.

use std::sync::Mutex;

use mcp_protocol::{Notification, Request};

use crate::task::lock;
use crate::{Handler, Outgoing};

/// A handler that keeps all it is told, as lines such as `warning ...`.
#[derive(Debug, Default)]
pub(crate) struct Recorder(Mutex<Vec<String>>);

impl Recorder {
    /// What was told since the last time.
    pub(crate) fn take(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.0))
    }

    fn push(&self, line: String) {
        lock(&self.0).push(line);
    }
}

impl Handler for Recorder {
    fn notification(&self, notification: Notification<'_>) {
        let params = notification.params.map_or("none", |params| params.get());
        self.push(format!("notification {} {params}", notification.method));
        assert!(notification.method != "panic", "as the test wants");
    }

    fn request(&self, request: Request<'_>) {
        self.push(format!("request {} {}", request.id, request.method));
        assert!(request.method != "panic", "as the test wants");
    }

    fn warning(&self, warning: &str) {
        self.push(format!("warning {warning}"));
        assert!(!warning.contains("panic"), "as the test wants");
    }
}

/// A request called `method`.
pub(crate) fn request(id: u64, method: &'static str) -> Outgoing {
    let body = format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}");
    Outgoing::request(id, method, body.into_bytes())
}

/// Lets every other task go as far as it can.
pub(crate) async fn settle() {
    for _ in 0..50 {
        tokio::task::yield_now().await;
    }
}
