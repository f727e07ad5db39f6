//! A server at the other end of a pipe in memory, that says what a test tells it to.

use std::fmt;
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};
use tokio::io::{DuplexStream, duplex, split};
use tokio::sync::oneshot;

use crate::RpcError;
use crate::rpc::{notification_line, object, request_line};
use crate::scripted_server::peer::Peer;

mod peer;
mod script;

pub use script::{Answer, Expected};

/// A server that says what a test tells it to, over a pipe in memory.
///
/// Each [`on`](Self::on) queues one answer to one method.  A request that nothing was queued for
/// fails the test, and so does, in [`finish`](Self::finish), an answer that was never asked for.
///
/// ```
/// use mcp_testkit::ScriptedServer;
/// use serde_json::json;
/// use tokio::io::{AsyncReadExt, AsyncWriteExt};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let (server, mut client) = ScriptedServer::start();
/// server.on("ping").notify("notifications/vendor", json!({})).result(json!({}));
///
/// client.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\n").await.unwrap();
/// let mut lines = [0; 128];
/// client.read(&mut lines).await.unwrap();
///
/// assert_eq!(server.methods(), ["ping"]);
/// server.finish();
/// # });
/// ```
pub struct ScriptedServer {
    peer: Arc<Peer>,
}

impl ScriptedServer {
    /// A server with nothing to say yet, and the client's end of the pipe.
    pub fn start() -> (Self, DuplexStream) {
        let (client, ours) = duplex(PIPE_SIZE);
        let (reader, writer) = split(ours);
        (Self { peer: Peer::start(reader, writer) }, client)
    }

    /// A server that has introduced itself as modern, with these capabilities.
    pub fn modern(capabilities: Value) -> (Self, DuplexStream) {
        let (server, client) = Self::start();
        let info = json!({ "name": "scripted", "version": "1" });
        let mut discovered = json!({
            "resultType": "complete",
            "supportedVersions": ["2026-07-28"],
            "_meta": { "io.modelcontextprotocol/serverInfo": info },
        });
        discovered["capabilities"] = capabilities;
        server.on("server/discover").always().result(discovered);
        (server, client)
    }

    /// A server that answers the legacy handshake, with these capabilities.
    pub fn legacy(capabilities: Value) -> (Self, DuplexStream) {
        let (server, client) = Self::start();
        server.on("server/discover").always().error(-32601, "Method not found", None);
        let mut initialized = json!({
            "protocolVersion": "2025-11-25",
            "serverInfo": { "name": "scripted", "version": "1" },
        });
        initialized["capabilities"] = capabilities;
        server.on("initialize").always().result(initialized);
        (server, client)
    }

    /// Expects a message with this method; what it returns says what happens then.
    pub fn on(&self, method: &str) -> Expected<'_> {
        Expected::new(&self.peer, Some(method))
    }

    /// Expects a request of any method that nothing else is queued for.
    pub fn otherwise(&self) -> Expected<'_> {
        Expected::new(&self.peer, None)
    }

    /// Sends a notification now.
    pub fn notify(&self, method: &str, params: Value) {
        self.send(notification_line(method, &object(params)));
    }

    /// Sends a request now, and waits for the client's answer.
    ///
    /// # Errors
    ///
    /// Fails with the error that the client answers.
    pub async fn request(&self, id: Value, method: &str, params: Value) -> Result<Value, RpcError> {
        let (answer, answered) = oneshot::channel();
        self.peer.script().wait(&id, answer);
        self.send(request_line(&id, method, &params));
        answered.await.unwrap_or_else(|_| Err(RpcError::new(0, "the client is gone")))
    }

    /// Sends a line now, whatever is on it.
    pub fn send(&self, line: impl Into<String>) {
        let line: String = line.into();
        self.peer.write(format!("{line}\n").into_bytes());
    }

    /// Sends bytes now, whatever they are.
    pub fn send_raw(&self, bytes: impl Into<Vec<u8>>) {
        self.peer.write(bytes.into());
    }

    /// Hangs up: the client reads to the end, and can write no more.
    pub fn hang_up(&self) {
        self.peer.hang_up();
    }

    /// Every line received so far, in order, without its end.
    pub fn lines(&self) -> Vec<String> {
        self.peer.script().lines.clone()
    }

    /// Every message received so far, in order; null where a line is not JSON.
    pub fn messages(&self) -> Vec<Value> {
        self.peer.script().messages().collect()
    }

    /// The messages with this method received so far.
    pub fn received(&self, method: &str) -> Vec<Value> {
        self.peer.script().received(method)
    }

    /// The method of every message received so far, in order; an answer has none.
    pub fn methods(&self) -> Vec<String> {
        let methods = self.messages().into_iter();
        methods.map(|message| message["method"].as_str().unwrap_or_default().to_owned()).collect()
    }

    /// Waits until `times` messages with this method have been received.
    pub async fn until_received(&self, method: &str, times: usize) {
        self.peer.until(|script| script.received(method).len() >= times).await;
    }

    /// Waits until the client has hung up.
    pub async fn until_closed(&self) {
        self.peer.until(|script| script.is_ended).await;
    }

    /// Ends the conversation: what was expected has come, and nothing else.
    ///
    /// # Panics
    ///
    /// Panics where that is not so: the test fails.
    #[allow(clippy::panic, reason = "a test fails by panicking")]
    pub fn finish(self) {
        let complaints = self.peer.script().complaints();
        self.peer.script().unexpected.clear();
        assert!(complaints.is_empty(), "{}", complaints.join("; "));
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        let unexpected = std::mem::take(&mut self.peer.script().unexpected);
        self.peer.hang_up();
        let is_fine = unexpected.is_empty() || thread::panicking();
        assert!(is_fine, "unscripted: {}", unexpected.join(", "));
    }
}

impl fmt::Debug for ScriptedServer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ScriptedServer").field("methods", &self.methods()).finish_non_exhaustive()
    }
}

const PIPE_SIZE: usize = 1 << 20;
