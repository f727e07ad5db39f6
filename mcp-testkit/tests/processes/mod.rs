//! Processes that a test starts, found again however they hide.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::Stdio;
use tokio::time::{Instant, interval};

/// A mark in the environment that every process a server starts inherits.
pub(crate) struct Tag(String);

impl Tag {
    pub(crate) fn new(name: &str) -> Self {
        static TAGS: AtomicUsize = AtomicUsize::new(0);
        let number = TAGS.fetch_add(1, Ordering::Relaxed);
        Self(format!("mcp-test-{}-{number}-{name}", std::process::id()))
    }

    pub(crate) fn name(&self) -> &str {
        &self.0
    }

    /// The command, marked.
    pub(crate) fn mark(&self, command: Stdio) -> Stdio {
        let (name, value) = self.variable();
        command.env(name, value)
    }

    /// The variable that marks a process.
    pub(crate) fn variable(&self) -> (&'static str, &str) {
        ("MCP_TEST_TAG", &self.0)
    }

    /// How many marked processes there are.
    pub(crate) fn count(&self) -> usize {
        let needle = format!("MCP_TEST_TAG={}", self.0);
        let marked = |pid: &str| {
            let environment = fs::read(format!("/proc/{pid}/environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|entry| entry == needle.as_bytes())
        };
        let entries = fs::read_dir("/proc").unwrap();
        let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
        names.filter(|name| name.parse::<u32>().is_ok() && marked(name)).count()
    }

    /// How many marked processes are left once they have had `time` to end.
    pub(crate) async fn left_after(&self, time: Duration) -> usize {
        let deadline = Instant::now() + time;
        let mut look = interval(Duration::from_millis(20));
        loop {
            look.tick().await;
            match self.count() {
                0 => return 0,
                left if Instant::now() >= deadline => return left,
                _ => (),
            }
        }
    }
}
