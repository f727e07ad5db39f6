//! A small MCP server: what it offers, and how it behaves where the protocol leaves room.

use std::collections::{BTreeMap, HashMap};
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError, Weak};

use mcp_provider::JsonObject;
use serde_json::{Value, json};
use tokio::sync::watch;

use crate::handler::Handler;
use crate::items::CacheHint;
use crate::server::connection::Connection;
use crate::{Change, Counters, Prompt, Resource, ToolContext, ToolOutput, Toolkit};

mod answers;
mod call;
mod connection;
mod dispatch;
mod handshake;
mod input;
mod pages;
mod serve;
mod subscriptions;

pub use serve::{connect, serve};

/// Which generations of the protocol a connection speaks.
#[allow(clippy::exhaustive_enums, reason = "there are two generations")]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum ServeEra {
    /// Whichever the client speaks.
    #[default]
    Both,
    /// Only 2026-07-28.
    Modern,
    /// Only versions with a handshake.
    Legacy,
}

/// A server for tests: correct unless it is told otherwise.
#[derive(Debug)]
pub struct Server {
    info: Value,
    instructions: Option<String>,
    toolkit: Toolkit,
    prompts: BTreeMap<String, Prompt>,
    resources: Vec<Resource>,
    completion: Option<Handler>,
    page_size: Option<usize>,
    has_empty_cursor: bool,
    cache: HashMap<String, CacheHint>,
    versions: Vec<String>,
    legacy_versions: Vec<String>,
    hides_discover: bool,
    connections: Mutex<Vec<Weak<Connection>>>,
    received: watch::Sender<Vec<Value>>,
}

impl Server {
    /// A server that offers nothing yet.
    pub fn new(name: &str, version: &str) -> Self {
        Self {
            info: json!({ "name": name, "version": version }),
            instructions: None,
            toolkit: Toolkit::new(),
            prompts: BTreeMap::new(),
            resources: Vec::new(),
            completion: None,
            page_size: None,
            has_empty_cursor: false,
            cache: HashMap::new(),
            versions: vec![MODERN_VERSION.to_owned()],
            legacy_versions: LEGACY_VERSIONS.map(str::to_owned).to_vec(),
            hides_discover: false,
            connections: Mutex::default(),
            received: watch::Sender::default(),
        }
    }

    /// Offers the tools of `toolkit`, and shares its counters.
    #[must_use]
    pub fn toolkit(self, toolkit: Toolkit) -> Self {
        Self { toolkit, ..self }
    }

    /// Offers a prompt.
    #[must_use]
    pub fn prompt(mut self, prompt: Prompt) -> Self {
        self.prompts.insert(prompt.name.clone(), prompt);
        self
    }

    /// Offers a resource, or a template.
    #[must_use]
    pub fn resource(mut self, resource: Resource) -> Self {
        self.resources.push(resource);
        self.resources.sort_by(|one, other| one.uri.cmp(&other.uri));
        self
    }

    /// Completes arguments: the handler gets the parameters of `completion/complete` and
    /// returns `{"completion": …}`.
    #[must_use]
    pub fn completion<F, R>(
        self,
        handler: impl Fn(JsonObject, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Into<ToolOutput>,
    {
        Self { completion: Some(Handler::new(handler)), ..self }
    }

    /// Sets the instructions.
    #[must_use]
    pub fn instructions(self, instructions: impl Into<String>) -> Self {
        Self { instructions: Some(instructions.into()), ..self }
    }

    /// Cuts every listing into pages of `size` items; by default it is one page.
    #[must_use]
    pub fn page_size(self, size: usize) -> Self {
        Self { page_size: Some(size.max(1)), ..self }
    }

    /// Makes the cursor of every second page the empty string, which is a cursor like any other.
    #[must_use]
    pub fn empty_cursor(self) -> Self {
        Self { has_empty_cursor: true, ..self }
    }

    /// Says how long a modern client may keep the result of a listing or of `server/discover`.
    #[must_use]
    pub fn cache(mut self, method: &str, ttl_ms: i64, scope: &str) -> Self {
        self.cache.insert(method.to_owned(), CacheHint { ttl_ms, scope: scope.to_owned() });
        self
    }

    /// Sets the modern versions, 2026-07-28 by default.
    #[must_use]
    pub fn versions(self, versions: &[&str]) -> Self {
        Self { versions: versions.iter().map(|&version| version.to_owned()).collect(), ..self }
    }

    /// Sets the legacy versions, latest first: a handshake that asks for another gets the first.
    #[must_use]
    pub fn legacy_versions(self, versions: &[&str]) -> Self {
        let legacy_versions = versions.iter().map(|&version| version.to_owned()).collect();
        Self { legacy_versions, ..self }
    }

    /// Makes a legacy connection refuse `server/discover` as an unknown method, rather than
    /// answer it with an empty list of versions.
    #[must_use]
    pub fn without_discover(self) -> Self {
        Self { hides_discover: true, ..self }
    }

    /// Tells every client that wants to know what changed.
    pub fn changed(&self, change: &Change) {
        for connection in self.connections() {
            connection.changed(change);
        }
    }

    /// Ends every subscription of every client, as a server that shuts down does.
    pub fn end_subscriptions(&self) {
        for connection in self.connections() {
            connection.end_subscriptions();
        }
    }

    /// How often each handler ran: tools, prompts, and resources by URI.
    pub fn counters(&self) -> &Counters {
        self.toolkit.counters()
    }

    /// The tools, which may be changed while they are served.
    pub fn tools(&self) -> &Toolkit {
        &self.toolkit
    }

    /// How many calls wait for the next round of their input.
    pub fn parked(&self) -> usize {
        self.connections().iter().map(|connection| connection.parked()).sum()
    }

    /// Every message received so far, in order, on all connections.
    pub fn received(&self) -> Vec<Value> {
        self.received.borrow().clone()
    }

    /// The messages with this method received so far.
    pub fn received_method(&self, method: &str) -> Vec<Value> {
        let received = self.received.borrow();
        received.iter().filter(|message| message["method"] == method).cloned().collect()
    }

    /// Waits until `times` messages with this method have been received.
    pub async fn until_received(&self, method: &str, times: usize) {
        let count = |messages: &Vec<Value>| {
            messages.iter().filter(|message| message["method"] == method).count()
        };
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.received.subscribe().wait_for(|messages| count(messages) >= times).await;
    }

    fn record(&self, message: &Value) {
        self.received.send_modify(|messages| messages.push(message.clone()));
    }

    fn register(&self, connection: &Arc<Connection>) {
        let mut connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.retain(|connection| connection.strong_count() > 0);
        connections.push(Arc::downgrade(connection));
    }

    fn connections(&self) -> Vec<Arc<Connection>> {
        let connections = self.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().filter_map(Weak::upgrade).collect()
    }
}

const MODERN_VERSION: &str = "2026-07-28";
const LEGACY_VERSIONS: [&str; 4] = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
