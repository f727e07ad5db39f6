//! The same calls for programs without a runtime.
//!
//! ```no_run
//! use mcp_client::{Stdio, blocking::Client};
//!
//! fn main() -> Result<(), mcp_client::Error> {
//!     let client = Client::new(mcp_client::Client::builder(Stdio::new("mcp-server-git")))?;
//!     for tool in client.list_tools().wait()?.iter() {
//!         println!("{}", tool.name);
//!     }
//!     client.close();
//!     Ok(())
//! }
//! ```

use std::fmt;
use std::future::{Future, IntoFuture};
use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{
    CallToolResult, ClientCapabilities, CompleteParams, CompleteResult, GetPromptResult,
    LoggingLevel, Prompt, ReadResourceResult, Resource, ResourceTemplate, Tool, ToolAnnotations,
};
use mcp_provider::{Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use serde::Serialize;
use serde_json::Value;
use tokio::runtime::{Builder, Handle, Runtime};

use crate::{ClientBuilder, Error, InvalidOption, Notification, Progress, Server};

/// A server, as methods that wait.
///
/// It brings a runtime of one thread, which reads the connection; a clone shares both.  Its calls
/// must not be made from asynchronous code, which they would block: there they fail.
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
        let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build();
        let runtime = runtime.map_err(|error| InvalidOption::new("blocking", error.to_string()))?;
        let client = builder.build()?;
        Ok(Self { client, runtime: Arc::new(Background(Some(runtime))) })
    }

    /// What the server says about itself.
    ///
    /// # Errors
    ///
    /// Fails when there is no connection, or no version in common.
    pub fn server(&self) -> Result<Arc<Server>, Error> {
        self.runtime.wait(self.client.server())?
    }

    /// What this client declares that it can do.
    pub fn declared_capabilities(&self) -> &ClientCapabilities {
        self.client.declared_capabilities()
    }

    /// Lists the server's tools, all pages of them, in its order.
    pub fn list_tools(&self) -> Call<Arc<[Tool]>> {
        self.call(self.client.list_tools())
    }

    /// Lists the server's resources, all pages of them, in its order.
    pub fn list_resources(&self) -> Call<Arc<[Resource]>> {
        self.call(self.client.list_resources())
    }

    /// Lists the server's resource templates, all pages of them, in its order.
    pub fn list_resource_templates(&self) -> Call<Arc<[ResourceTemplate]>> {
        self.call(self.client.list_resource_templates())
    }

    /// Lists the server's prompts, all pages of them, in its order.
    pub fn list_prompts(&self) -> Call<Arc<[Prompt]>> {
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

    /// Closes the connection and waits until it is closed.
    pub fn close(&self) {
        // From asynchronous code nothing can be waited for: dropping the client ends it there.
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

/// A request that is about to be made: [`wait`](Self::wait) for it, or set options first.
#[must_use = "a request is made when it is waited for"]
#[derive(Debug)]
pub struct Call<T> {
    call: crate::Call<T>,
    runtime: Arc<Background>,
}

impl<T: Send + 'static> Call<T> {
    /// Makes the request and waits for its result.
    ///
    /// # Errors
    ///
    /// Fails when there is no result, and when called from asynchronous code.
    pub fn wait(self) -> Result<T, Error> {
        self.runtime.wait(self.call.into_future())?
    }

    /// How long the server may take; see [`crate::Call::timeout`].
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { call: self.call.timeout(timeout), ..self }
    }

    /// Waits for the server for as long as it takes.
    pub fn no_timeout(self) -> Self {
        Self { call: self.call.no_timeout(), ..self }
    }

    /// Gives the request up as soon as `cancelled` is ready.
    pub fn cancelled_by(self, cancelled: impl Future<Output = ()> + Send + 'static) -> Self {
        Self { call: self.call.cancelled_by(cancelled), ..self }
    }

    /// Asks the server even if the cache has the answer.
    pub fn refresh(self) -> Self {
        Self { call: self.call.refresh(), ..self }
    }

    /// Reports progress to `listener`; see [`crate::Call::progress`].
    pub fn progress(self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        Self { call: self.call.progress(listener), ..self }
    }

    /// Adds a member to the request's `_meta`; see [`crate::Call::meta`].
    pub fn meta(self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        Self { call: self.call.meta(key, value), ..self }
    }
}

/// Every notification from the moment it was subscribed to; an iterator that waits for each.
#[derive(Debug)]
pub struct Notifications {
    notifications: crate::Notifications,
    runtime: Arc<Background>,
}

impl Notifications {
    /// How many notifications were lost because nobody fetched them in time.
    pub fn lost(&self) -> u64 {
        self.notifications.lost()
    }
}

impl Iterator for Notifications {
    type Item = Notification;

    fn next(&mut self) -> Option<Notification> {
        self.runtime.wait(self.notifications.next()).ok().flatten()
    }
}

/// The runtime; only its drop takes it away.
#[derive(Debug)]
struct Background(Option<Runtime>);

impl Background {
    fn wait<T>(&self, future: impl Future<Output = T>) -> Result<T, Error> {
        match &self.0 {
            Some(runtime) if Handle::try_current().is_err() => Ok(runtime.block_on(future)),
            _ => Err(Error::Protocol {
                detail: "a blocking client was used in asynchronous code: use mcp_client::Client"
                    .to_owned(),
                code: None,
                data: None,
                delivery: Delivery::NotSent,
            }),
        }
    }
}

impl Drop for Background {
    fn drop(&mut self) {
        if let Some(runtime) = self.0.take() {
            // Also where the last handle is dropped in asynchronous code, which may not wait.
            runtime.shutdown_background();
        }
    }
}
