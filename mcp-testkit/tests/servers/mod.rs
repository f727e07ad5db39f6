//! Servers that a test starts, and everything they said.

#![allow(dead_code, reason = "each test file uses its own part")]

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::Stdio;
use mcp_client::protocol::{Notification, Request};
use mcp_transport::{Failure, Handler, Outgoing, StdioTransport, Transport};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::{Instant, interval, timeout};

use crate::processes::Tag;

/// A running server, marked so that whatever it leaves behind is found.
pub(crate) struct Server {
    pub(crate) transport: Arc<StdioTransport>,
    pub(crate) told: Arc<Recorder>,
    pub(crate) tag: Tag,
}

/// An exit code and a signal.
pub(crate) type End = (Option<i32>, Option<i32>);

pub(crate) type Asking = JoinHandle<Result<String, Failure>>;

impl Server {
    pub(crate) fn start(settings: Stdio) -> Self {
        let tag = Tag::new("server");
        let told = Arc::new(Recorder::default());
        let transport = StdioTransport::spawn(&tag.mark(settings), Arc::clone(&told) as _).unwrap();
        Self { transport: Arc::new(transport), told, tag }
    }

    pub(crate) fn pid(&self) -> u32 {
        self.transport.pid().unwrap()
    }

    /// Sends a request without parameters and gives back the text of its result.
    pub(crate) async fn ask(&self, id: u64, method: &'static str) -> Result<String, Failure> {
        ask(&self.transport, id, method).await
    }

    pub(crate) fn asking(&self, id: u64, method: &'static str) -> Asking {
        let transport = Arc::clone(&self.transport);
        tokio::spawn(async move { ask(&transport, id, method).await })
    }

    /// How it ended: the exit code and the signal.
    pub(crate) fn end(&self) -> End {
        (self.transport.exit_code(), self.transport.signal())
    }

    /// Makes sure that nothing is left of it: no process, and no entry for one in the system's table.
    pub(crate) async fn is_gone_within(&self, time: Duration) {
        assert_eq!(self.tag.left_after(time).await, 0, "processes are left");
        // A process that is ending has no environment any more, and is there all the same.
        until("the process is waited for", || state(self.pid()).is_none()).await;
    }
}

async fn ask(transport: &StdioTransport, id: u64, method: &'static str) -> Result<String, Failure> {
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method }).to_string();
    let asking = transport.request(Outgoing::request(id, method, body.into_bytes()));
    let answer = timeout(2 * PATIENCE, asking).await.unwrap()?;
    Ok(String::from_utf8_lossy(answer.as_bytes()).into_owned())
}

/// The text of the failure, and whether the request may have been sent.
pub(crate) fn failed(outcome: Result<String, Failure>) -> (String, bool) {
    let failure = outcome.unwrap_err();
    (failure.error.to_string(), failure.is_sent)
}

/// A shell that runs `script`.
pub(crate) fn sh(script: &str) -> Stdio {
    Stdio::new("/bin/sh").args(["-c", script])
}

/// A server that misbehaves as `script` says.
pub(crate) fn script(script: &Value) -> Stdio {
    let case = json!({ "script": script }).to_string();
    Stdio::new(env!("CARGO_BIN_EXE_script-server")).arg(case)
}

/// The state letter of a process, `Z` for one that nobody has waited for; nothing if there is none.
pub(crate) fn state(pid: u32) -> Option<char> {
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name stands in brackets and may hold any character.
    stat.rsplit_once(") ")?.1.chars().next()
}

/// Waits until `is_so`, ten seconds at most.
pub(crate) async fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    let mut look = interval(Duration::from_millis(10));
    while !is_so() {
        assert!(Instant::now() < deadline, "still not: {what}");
        look.tick().await;
    }
}

/// Keeps all it is told, as lines such as `warning ...`.
#[derive(Debug, Default)]
pub(crate) struct Recorder(watch::Sender<Vec<String>>);

impl Recorder {
    pub(crate) fn lines(&self) -> Vec<String> {
        self.0.borrow().clone()
    }

    pub(crate) fn count(&self, beginning: &str) -> usize {
        self.0.borrow().iter().filter(|line| line.starts_with(beginning)).count()
    }

    /// Waits for a line that begins like this.
    pub(crate) async fn wait_for(&self, beginning: &str) {
        let mut lines = self.0.subscribe();
        let told = lines.wait_for(|all| all.iter().any(|line| line.starts_with(beginning)));
        let outcome = timeout(PATIENCE, told).await.map(drop);
        assert!(outcome.is_ok(), "{beginning:?} is not among {:?}", self.lines());
    }

    pub(crate) fn push(&self, line: String) {
        self.0.send_modify(|lines| lines.push(line));
    }
}

impl Handler for Recorder {
    fn notification(&self, notification: Notification<'_>) {
        self.push(format!("notification {}", notification.method));
    }

    fn request(&self, request: Request<'_>) {
        self.push(format!("request {} {}", request.id, request.method));
    }

    fn warning(&self, warning: &str) {
        self.push(format!("warning {warning}"));
    }
}

const PATIENCE: Duration = Duration::from_secs(10);
