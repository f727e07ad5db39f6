//! What the tests share: servers in memory, and somebody who listens to warnings.

#![allow(dead_code, reason = "each test file needs a part of it")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::io::Write;
use std::sync::{Arc, Mutex};

use mcp_client::protocol::CallToolResult;
use mcp_client::{Client, ClientBuilder, Connect, Memory};
use mcp_testkit::{ScriptedServer, ServeEra, Server, serve};
use serde_json::{Value, json};
use tokio::io::{DuplexStream, copy_bidirectional, split};

/// A server made of handlers, served in `era` at every connection.
pub(crate) fn served(server: &Arc<Server>, era: ServeEra) -> Memory {
    let server = Arc::clone(server);
    Memory::new(move |stream| {
        let (reader, writer) = split(stream);
        tokio::spawn(serve(Arc::clone(&server), era, reader, writer));
    })
}

/// A client of a server made of handlers, which must have nothing to warn about.
pub(crate) fn client(server: Server, era: ServeEra) -> (Client, Arc<Server>) {
    let server = Arc::new(server);
    (Client::builder(served(&server, era)).on_warning(no_warning).build().unwrap(), server)
}

/// Ends the tests at a warning.  A panic would be contained by the client.
pub(crate) fn no_warning(warning: &str) {
    let _ = writeln!(std::io::stderr(), "there should be no warning: {warning}");
    std::process::abort();
}

/// One connection after the other; those that come later end as soon as they are made.
pub(crate) fn streams(streams: impl IntoIterator<Item = DuplexStream>) -> Memory {
    let streams: Mutex<VecDeque<_>> = Mutex::new(streams.into_iter().collect());
    Memory::new(move |mut ours| {
        let next = streams.lock().unwrap().pop_front();
        if let Some(mut theirs) = next {
            // Either end may hang up at any time.
            tokio::spawn(async move { copy_bidirectional(&mut ours, &mut theirs).await.ok() });
        }
    })
}

/// A scripted server that has introduced itself as modern, and a client of it.
pub(crate) fn modern() -> (ScriptedServer, ClientBuilder) {
    let (server, stream) = ScriptedServer::modern(json!({}));
    (server, Client::builder(streams([stream])))
}

/// A scripted server that answers the legacy handshake, and a client of it.
pub(crate) fn legacy() -> (ScriptedServer, ClientBuilder) {
    let (server, stream) = ScriptedServer::legacy(json!({}));
    (server, Client::builder(streams([stream])))
}

/// A connection that can never be made, and fails as a program that is not there does.
#[derive(Clone, Debug, Default)]
pub(crate) struct Nowhere {
    attempts: Arc<Mutex<usize>>,
}

impl Nowhere {
    pub(crate) fn attempts(&self) -> usize {
        *self.attempts.lock().unwrap()
    }
}

#[async_trait::async_trait]
impl Connect for Nowhere {
    async fn connect(
        &self,
        _handler: Arc<dyn mcp_transport::Handler>,
    ) -> Result<Arc<dyn mcp_transport::Transport>, mcp_client::TransportError> {
        *self.attempts.lock().unwrap() += 1;
        Err(mcp_client::TransportError::SpawnFailed {
            command: "no-such-server".to_owned(),
            args: vec!["--stdio".to_owned()],
            detail: "not found".to_owned(),
        })
    }
}

/// What a client warned about.
#[derive(Clone, Debug, Default)]
pub(crate) struct Warnings(Arc<Mutex<Vec<String>>>);

impl Warnings {
    /// Listens to a client.
    pub(crate) fn of(builder: ClientBuilder) -> (ClientBuilder, Self) {
        let warnings = Self::default();
        let heard = warnings.clone();
        let hook = move |warning: &str| heard.0.lock().unwrap().push(warning.to_owned());
        (builder.on_warning(hook), warnings)
    }

    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// The only warning there is.
    pub(crate) fn one(&self) -> String {
        let all = self.all();
        assert_eq!(all.len(), 1, "{all:?}");
        all[0].clone()
    }
}

/// Everything that somebody was told, in order.
#[derive(Debug)]
pub(crate) struct Heard<T>(Arc<Mutex<Vec<T>>>);

impl<T> Heard<T> {
    pub(crate) fn new() -> Self {
        Self(Arc::default())
    }

    pub(crate) fn push(&self, told: T) {
        self.0.lock().unwrap().push(told);
    }

    pub(crate) fn take(&self) -> Vec<T> {
        std::mem::take(&mut self.0.lock().unwrap())
    }

    pub(crate) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }
}

impl<T> Clone for Heard<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

/// The text of a tool's result.
pub(crate) fn text(result: &CallToolResult) -> &str {
    result.content.first().and_then(|block| block.as_text()).unwrap_or_default()
}

/// A tool's result that says `words`.
pub(crate) fn says(words: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": words }] })
}

/// The parameters of a message, without the stamp of the modern era.
pub(crate) fn bare_params(message: &Value) -> Value {
    let mut params = message["params"].clone();
    if let Some(members) = params.as_object_mut() {
        members.remove("_meta");
    }
    params
}

/// Lets every task run until nothing is left to do but wait.
pub(crate) async fn settle() {
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
}

pub(crate) const STAMP: &str = "io.modelcontextprotocol/protocolVersion";
pub(crate) const CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
pub(crate) const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
pub(crate) const LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
