//! Processes that a peer starts, found again however they hide.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::Stdio;
use tokio::time::{Instant, interval};

/// A mark in the environment that every process a peer starts inherits.
#[derive(Debug)]
pub(crate) struct Mark(String);

impl Mark {
    pub(crate) fn new() -> Self {
        static MARKS: AtomicUsize = AtomicUsize::new(0);
        let number = MARKS.fetch_add(1, Ordering::Relaxed);
        Self(format!("{}-{number}", std::process::id()))
    }

    /// The command, marked.
    pub(crate) fn put_on(&self, command: Stdio) -> Stdio {
        let (name, value) = self.variable();
        command.env(name, value)
    }

    /// The variable that is the mark.
    pub(crate) fn variable(&self) -> (&'static str, &str) {
        (VARIABLE, &self.0)
    }

    /// Which marked processes are left once they have had `time` to end: their command lines.
    ///
    /// Nothing where the system does not show processes as files.
    pub(crate) async fn left_after(&self, time: Duration) -> Option<Vec<String>> {
        let deadline = Instant::now() + time;
        let mut look = interval(Duration::from_millis(20));
        loop {
            look.tick().await;
            let left = self.look()?;
            if left.is_empty() || Instant::now() >= deadline {
                return Some(left);
            }
        }
    }

    fn look(&self) -> Option<Vec<String>> {
        let needle = format!("{VARIABLE}={}", self.0);
        let is_marked = |process: &Path| {
            let environment = fs::read(process.join("environ")).unwrap_or_default();
            environment.split(|&byte| byte == 0).any(|entry| entry == needle.as_bytes())
        };
        if !Path::new("/proc/self/environ").exists() {
            return None;
        }
        let processes = fs::read_dir("/proc").ok()?.filter_map(|entry| Some(entry.ok()?.path()));
        Some(processes.filter(|process| is_marked(process)).map(|it| command_line(&it)).collect())
    }
}

fn command_line(process: &Path) -> String {
    let line = fs::read(process.join("cmdline")).unwrap_or_default();
    let line = String::from_utf8_lossy(&line).replace('\0', " ");
    format!("{} {}", process.file_name().unwrap_or_default().to_string_lossy(), line.trim())
}

const VARIABLE: &str = "MCP_LIVE_PEER";
