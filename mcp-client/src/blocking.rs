//! The same calls for programs without a runtime.
//!
//! ```no_run
//! use mcp_client::{Stdio, blocking::Client};
//!
//! fn main() -> Result<(), mcp_client::Error> {
//!     let client = Client::new(mcp_client::Client::builder(Stdio::new("mcp-server-git")))?;
//!     for tool in &client.list_tools().wait()? {
//!         println!("{}", tool.name);
//!     }
//!     client.close();
//!     Ok(())
//! }
//! ```

mod background;
mod call;
mod notifications;
mod subscription;

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use mcp_protocol::{
    CallToolResult, ClientCapabilities, CompleteParams, CompleteResult, Era, GetPromptResult,
    Implementation, JsonObject, LoggingLevel, Prompt, ProtocolVersion, ReadResourceResult,
    Resource, ResourceTemplate, ServerCapabilities, SubscriptionFilter, Tool, ToolAnnotations,
};
use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use serde::Serialize;

use crate::blocking::background::Background;
pub use crate::blocking::call::Call;
pub use crate::blocking::notifications::Notifications;
pub use crate::blocking::subscription::Subscription;
use crate::{ClientBuilder, Error, Listing, Server, Stdio};

/// A server, as methods that wait.
///
/// It brings a runtime of one thread, which reads the connection; a clone shares both.
///
/// Asynchronous code must not wait: there every call fails, and nothing is sent.  Threads that
/// tokio lets block, as in `spawn_blocking` and `block_in_place`, may wait.
///
/// When the last handle is dropped, be it a client, a [`Call`] or [`Notifications`], a server that
/// was started has been killed; [`close`](Self::close) lets it end by itself.  Only asynchronous
/// code does not wait for that, and a program that ends at once may leave the server behind.
#[derive(Clone)]
pub struct Client {
    client: crate::Client,
    runtime: Arc<Background>,
}

impl Client {
    /// Makes a client with the options of `builder`.  Nothing is started or sent.
    ///
    /// # Errors
    ///
    /// Fails when an option cannot work, and when the system gives no thread to read in.
    pub fn new(builder: ClientBuilder) -> Result<Self, Error> {
        let client = builder.build()?;
        Ok(Self { client, runtime: Arc::new(Background::start()?) })
    }

    /// A client of the server that `program` starts, with every option at its default.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new) does.
    pub fn stdio(program: impl Into<OsString>) -> Result<Self, Error> {
        Self::new(crate::Client::builder(Stdio::new(program)))
    }

    /// Makes a client with the options of `builder`, and connects it.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new) does, and as [`server`](Self::server) does.
    pub fn connect(builder: ClientBuilder) -> Result<Self, Error> {
        let client = Self::new(builder)?;
        client.server()?;
        Ok(client)
    }

    /// What the server says about itself.
    ///
    /// # Errors
    ///
    /// Fails when there is no connection, or no version in common, and in asynchronous code.
    pub fn server(&self) -> Result<Arc<Server>, Error> {
        self.runtime.wait(self.client.server())?
    }

    /// The era that the server is spoken to in.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub fn era(&self) -> Result<Era, Error> {
        self.runtime.wait(self.client.era())?
    }

    /// The version that the server is spoken to in.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub fn protocol_version(&self) -> Result<ProtocolVersion, Error> {
        self.runtime.wait(self.client.protocol_version())?
    }

    /// What the server can do.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub fn capabilities(&self) -> Result<ServerCapabilities, Error> {
        self.runtime.wait(self.client.capabilities())?
    }

    /// What the server calls itself.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub fn server_info(&self) -> Result<Implementation, Error> {
        self.runtime.wait(self.client.server_info())?
    }

    /// The server's advice on how to use it, for a model.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub fn instructions(&self) -> Result<Option<String>, Error> {
        self.runtime.wait(self.client.instructions())?
    }

    /// The whole of what the server answered when it was asked what it is.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub fn discover(&self) -> Result<JsonObject, Error> {
        self.runtime.wait(self.client.discover())?
    }

    /// What this client declares that it can do.
    pub fn declared_capabilities(&self) -> &ClientCapabilities {
        self.client.declared_capabilities()
    }

    /// Lists the server's tools, all pages of them, in its order.
    pub fn list_tools(&self) -> Call<Listing<Tool>> {
        self.call(self.client.list_tools())
    }

    /// Lists the server's resources, all pages of them, in its order.
    pub fn list_resources(&self) -> Call<Listing<Resource>> {
        self.call(self.client.list_resources())
    }

    /// Lists the server's resource templates, all pages of them, in its order.
    pub fn list_resource_templates(&self) -> Call<Listing<ResourceTemplate>> {
        self.call(self.client.list_resource_templates())
    }

    /// Lists the server's prompts, all pages of them, in its order.
    pub fn list_prompts(&self) -> Call<Listing<Prompt>> {
        self.call(self.client.list_prompts())
    }

    /// Runs a tool; see [`crate::Client::call_tool`].
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolResult> {
        self.call(self.client.call_tool(name, arguments))
    }

    /// Reads a resource.
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<Arc<ReadResourceResult>> {
        self.call(self.client.read_resource(uri))
    }

    /// Renders a prompt; see [`crate::Client::get_prompt`].
    pub fn get_prompt(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<GetPromptResult> {
        self.call(self.client.get_prompt(name, arguments))
    }

    /// Suggests values for an argument of a prompt or of a resource template.
    pub fn complete(&self, params: CompleteParams) -> Call<CompleteResult> {
        self.call(self.client.complete(params))
    }

    /// Asks for a sign of life; see [`crate::Client::ping`].
    pub fn ping(&self) -> Call<bool> {
        self.call(self.client.ping())
    }

    /// Sets the least severe log message that the server should send.
    pub fn set_log_level(&self, level: LoggingLevel) -> Call<()> {
        self.call(self.client.set_log_level(level))
    }

    /// What the server says about one of its tools; nothing where it says nothing.
    pub fn tool_annotations(&self, name: &str) -> ToolAnnotations {
        self.runtime.wait(self.client.tool_annotations(name)).unwrap_or_default()
    }

    /// Asks the server to tell when what `filter` names changes: [`Call::open`] opens the
    /// subscription, and [`crate::Client::subscribe`] says more.
    pub fn subscribe(&self, filter: SubscriptionFilter) -> Call<crate::Subscription> {
        self.call(self.client.subscribe(filter))
    }

    /// Everything that the server tells of its own accord, from now on.
    pub fn notifications(&self) -> Notifications {
        let notifications = self.client.notifications();
        Notifications { notifications, runtime: Arc::clone(&self.runtime) }
    }

    /// Lists the tools a model may call.
    ///
    /// # Errors
    ///
    /// Fails when the tools cannot be listed.
    pub fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        self.runtime.wait(self.client.tools_for_llm()).map_err(ProviderError::new)?
    }

    /// Runs the calls of a model, and returns one result per call, in the same order.
    pub fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let ids: Vec<_> = calls.iter().map(|call| call.id.clone()).collect();
        let results = self.runtime.wait(self.client.execute_tool_calls(calls));
        results.unwrap_or_else(|error| {
            ids.into_iter().map(|id| ToolResult::not_sent(id, error.to_string())).collect()
        })
    }

    /// Whether the client is open and its server, if it was started, is there.
    pub fn is_alive(&self) -> bool {
        self.client.is_alive()
    }

    /// The last words that the server wrote to its error output, if it has one.
    pub fn stderr_tail(&self) -> String {
        self.client.stderr_tail()
    }

    /// Closes the connection and waits until it is closed; nothing in asynchronous code.
    pub fn close(&self) {
        // Who may not wait still drops the client, which ends the server.
        let _ = self.runtime.wait(self.client.close());
    }

    fn call<T>(&self, call: crate::Call<T>) -> Call<T> {
        Call { call, runtime: Arc::clone(&self.runtime) }
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("blocking::Client").field(&self.client).finish()
    }
}
