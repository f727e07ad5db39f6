//! A server, as Rust methods.

use std::ffi::OsString;
use std::fmt;
use std::sync::Arc;

use mcp_protocol::{
    CallToolResult, ClientCapabilities, CompleteParams, CompleteResult, Era, ErrorCode,
    GetPromptResult, Implementation, JsonObject, ListPromptsResult, ListResourceTemplatesResult,
    ListResourcesResult, LoggingLevel, Prompt, ProtocolVersion, ReadResourceResult, Resource,
    ResourceTemplate, ServerCapabilities, SetLevelParams, SubscriptionFilter, Tool,
    ToolAnnotations, method, result_type,
};
use mcp_transport::{Connect, Stdio};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use crate::call::{Call, Options};
use crate::inner::Inner;
use crate::input::Concluded;
use crate::request::{Question, complete};
use crate::shared::Shared;
use crate::{ClientBuilder, Error, Listing, Notifications, Server, Subscription};

/// A Model Context Protocol server, as Rust methods and as a provider of tools.
///
/// Nothing is started or sent until the first call that needs the server; that call also finds
/// out which era it speaks.  A clone is another handle on the same connection, and calls on all of
/// them run at the same time.
///
/// When the last handle is dropped the server is ended in the background;
/// [`close`](Self::close) ends it and waits.
#[derive(Clone)]
pub struct Client(Arc<Inner>);

impl Client {
    /// A client of the server that `connect` reaches, with every option at its default.
    ///
    /// ```no_run
    /// # async fn example() -> Result<(), mcp_client::Error> {
    /// use mcp_client::{Client, Stdio};
    ///
    /// let client = Client::new(Stdio::new("mcp-server-git"));
    /// for tool in &client.list_tools().await? {
    ///     println!("{}", tool.name);
    /// }
    /// client.close().await;
    /// # Ok(())
    /// # }
    /// ```
    pub fn new(connect: impl Connect + 'static) -> Self {
        Self::builder(connect).build_default()
    }

    /// A client of the server that `program` starts, as [`new`](Self::new) makes it.
    pub fn stdio(program: impl Into<OsString>) -> Self {
        Self::new(Stdio::new(program))
    }

    /// A client of the server at `url`, as [`new`](Self::new) makes it.
    ///
    /// # Errors
    ///
    /// Fails where `url` is no URL of `http` or `https`.
    #[cfg(feature = "http")]
    pub fn http(url: impl AsRef<str>) -> Result<Self, crate::InvalidHttp> {
        Ok(Self::new(crate::Http::new(url)?))
    }

    /// A client with options.
    pub fn builder(connect: impl Connect + 'static) -> ClientBuilder {
        ClientBuilder::new(Arc::new(connect))
    }

    pub(crate) fn from_parts(shared: Shared, connect: Arc<dyn Connect>) -> Self {
        Self(Inner::new(shared, connect))
    }

    /// What the server says about itself.
    ///
    /// # Errors
    ///
    /// Fails when there is no connection, or no version in common.
    pub async fn server(&self) -> Result<Arc<Server>, Error> {
        Ok(self.0.connection().await?.server())
    }

    /// The era that the server is spoken to in.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub async fn era(&self) -> Result<Era, Error> {
        Ok(self.server().await?.era)
    }

    /// The version that the server is spoken to in.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub async fn protocol_version(&self) -> Result<ProtocolVersion, Error> {
        Ok(self.server().await?.protocol_version.clone())
    }

    /// What the server can do.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub async fn capabilities(&self) -> Result<ServerCapabilities, Error> {
        Ok(self.server().await?.capabilities.clone())
    }

    /// What the server calls itself.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub async fn server_info(&self) -> Result<Implementation, Error> {
        Ok(self.server().await?.info.clone())
    }

    /// The server's advice on how to use it, for a model.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub async fn instructions(&self) -> Result<Option<String>, Error> {
        Ok(self.server().await?.instructions.clone())
    }

    /// The whole of what the server answered when it was asked what it is.
    ///
    /// # Errors
    ///
    /// Fails as [`server`](Self::server) does.
    pub async fn discover(&self) -> Result<JsonObject, Error> {
        // It was read once already, when the connection was made.
        Ok(serde_json::from_str(&self.server().await?.document).unwrap_or_default())
    }

    /// What this client declares that it can do.
    pub fn declared_capabilities(&self) -> &ClientCapabilities {
        &self.0.shared.settings.capabilities
    }

    /// Lists the server's tools, all pages of them, in its order.
    pub fn list_tools(&self) -> Call<Listing<Tool>> {
        Call::new(self, method::LIST_TOOLS, |client, options| async move {
            Ok(client.0.catalogue(&options).await?.tools.clone())
        })
    }

    /// Lists the server's resources, all pages of them, in its order.
    pub fn list_resources(&self) -> Call<Listing<Resource>> {
        Call::new(self, method::LIST_RESOURCES, |client, options| async move {
            client.0.listing::<ListResourcesResult>(&options).await
        })
    }

    /// Lists the server's resource templates, all pages of them, in its order.
    pub fn list_resource_templates(&self) -> Call<Listing<ResourceTemplate>> {
        Call::new(self, method::LIST_RESOURCE_TEMPLATES, |client, options| async move {
            client.0.listing::<ListResourceTemplatesResult>(&options).await
        })
    }

    /// Lists the server's prompts, all pages of them, in its order.
    pub fn list_prompts(&self) -> Call<Listing<Prompt>> {
        Call::new(self, method::LIST_PROMPTS, |client, options| async move {
            client.0.listing::<ListPromptsResult>(&options).await
        })
    }

    /// Runs a tool.
    ///
    /// `arguments` are anything that serialises to a JSON object, or `()` for none.  A tool that
    /// fails is a result: look at [`CallToolResult::is_error`].
    pub fn call_tool(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<CallToolResult> {
        self.call_tool_with(name.into(), object(&arguments))
    }

    /// Without types of the caller's, so that it is compiled once, here.
    fn call_tool_with(&self, name: String, arguments: Arguments) -> Call<CallToolResult> {
        Call::new(self, method::CALL_TOOL, |client, options| async move {
            let arguments = arguments.map_err(|error| *error)?;
            Ok(client.0.call_tool(&name, &arguments, &options).await?.result)
        })
    }

    /// Reads a resource.
    pub fn read_resource(&self, uri: impl Into<String>) -> Call<Arc<ReadResourceResult>> {
        self.read_resource_at(uri.into())
    }

    fn read_resource_at(&self, uri: String) -> Call<Arc<ReadResourceResult>> {
        Call::new(self, method::READ_RESOURCE, |client, options| async move {
            client.0.read_resource(&uri, &options).await
        })
    }

    /// Renders a prompt.
    ///
    /// `arguments` are anything that serialises to a JSON object of strings, or `()` for none.
    pub fn get_prompt(
        &self,
        name: impl Into<String>,
        arguments: impl Serialize,
    ) -> Call<GetPromptResult> {
        self.get_prompt_with(name.into(), object(&arguments))
    }

    fn get_prompt_with(&self, name: String, arguments: Arguments) -> Call<GetPromptResult> {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            #[serde(skip_serializing_if = "Option::is_none")]
            arguments: Option<&'a RawValue>,
        }
        Call::new(self, method::GET_PROMPT, |client, options| async move {
            let (inner, arguments) = (&client.0, arguments.map_err(|error| *error)?);
            let arguments = Some(&*arguments).filter(|arguments| arguments.get() != "{}");
            let params = Params { name: &name, arguments };
            let question = Question::new(method::GET_PROMPT, Some(&params)).naming(&name);
            let connection = inner.connection().await?;
            let concluded: Concluded<GetPromptResult> =
                inner.conclude(&connection, &question, &options).await?;
            Ok(concluded.result)
        })
    }

    /// Suggests values for an argument of a prompt or of a resource template.
    pub fn complete(&self, params: CompleteParams) -> Call<CompleteResult> {
        Call::new(self, method::COMPLETE, |client, options| async move {
            let connection = client.0.connection().await?;
            let question = Question::new(method::COMPLETE, Some(&params));
            client.0.ask_for(&connection, &question, &options).await
        })
    }

    /// Asks for a sign of life, and says whether the server knows how to give one.
    ///
    /// The modern era has no such request: a modern server that answers "no such method" is well,
    /// and the answer is `false`.
    pub fn ping(&self) -> Call<bool> {
        Call::new(self, method::PING, |client, options| async move {
            let connection = client.0.connection().await?;
            let question = Question::new(method::PING, None);
            match client.0.ask(&connection, &question, &options).await {
                Ok(answer) => {
                    let result: JsonObject = answer.decode().unwrap_or_default();
                    let kind = result_type(&result.into());
                    complete(method::PING, Some(&kind), connection.era)?;
                    Ok(true)
                }
                Err(error) if error.code() == Some(ErrorCode::METHOD_NOT_FOUND) => Ok(false),
                Err(error) => Err(error),
            }
        })
    }

    /// Sets the least severe log message that the server should send.
    ///
    /// A legacy server is told at once; a modern one with every request from now on.
    pub fn set_log_level(&self, level: LoggingLevel) -> Call<()> {
        Call::new(self, method::SET_LEVEL, move |client, options| async move {
            let connection = client.0.connection().await?;
            if connection.era == Era::Modern {
                connection.stamp_log_level(&client.0.shared.settings, level);
                return Ok(());
            }
            let params = SetLevelParams::new(level);
            let question = Question::new(method::SET_LEVEL, Some(&params));
            client.0.ask(&connection, &question, &options).await?;
            Ok(())
        })
    }

    /// What the server says about one of its tools; nothing where it says nothing, or cannot be
    /// asked.
    pub async fn tool_annotations(&self, name: &str) -> ToolAnnotations {
        let catalogue = self.0.catalogue(&self.default_options()).await;
        let annotations = catalogue.ok().and_then(|it| it.annotations(name).cloned());
        annotations.unwrap_or_default()
    }

    /// Asks the server to tell when what `filter` names changes.
    ///
    /// A modern server is sent `subscriptions/listen`; the timeout of the call is for its
    /// acknowledgement.  A legacy server is sent `resources/subscribe` for each resource, and tells
    /// of its lists by itself as far as it declares so.  A server may honor a part of the filter
    /// only: see [`Subscription::missing`].
    ///
    /// # Errors
    ///
    /// Fails where the server offers no subscriptions, where it does not acknowledge this one, and
    /// where a legacy server declares nothing of it.
    pub fn subscribe(&self, filter: SubscriptionFilter) -> Call<Subscription> {
        Call::new(self, method::LISTEN, move |client, options| async move {
            client.0.subscribe(filter, &options).await
        })
    }

    /// Everything that the server tells of its own accord, from now on.
    pub fn notifications(&self) -> Notifications {
        self.0.shared.hub.subscribe()
    }

    /// Whether the client is open and its server, if it was started, is there.
    pub fn is_alive(&self) -> bool {
        match self.0.connected() {
            Ok(connection) => connection.is_none_or(|it| it.transport.is_alive()),
            Err(_) => false,
        }
    }

    /// The last words that the server wrote to its error output, if it has one.
    pub fn stderr_tail(&self) -> String {
        let connection = self.0.connected().ok().flatten();
        connection.map_or_else(String::new, |connection| connection.transport.stderr_tail())
    }

    /// Closes the connection and waits until it is closed; a server that was started has ended
    /// then.
    ///
    /// Whoever still waits for an answer is told [`Error::TransportClosed`].  Closing twice, or
    /// after the server's death, does nothing more.
    pub async fn close(&self) {
        self.0.close().await;
    }

    pub(crate) fn default_options(&self) -> Options {
        Options::within(self.0.shared.settings.request_timeout)
    }

    pub(crate) fn inner(&self) -> &Arc<Inner> {
        &self.0
    }
}

impl fmt::Debug for Client {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Client")
            .field("connect", &self.0.dialer.connect)
            .field("is_alive", &self.is_alive())
            .finish_non_exhaustive()
    }
}

/// The JSON text of an object.  An error is boxed: every call carries the room for it.
type Arguments = Result<Box<RawValue>, Box<Error>>;

/// Arguments as they are sent.
fn object(arguments: &impl Serialize) -> Arguments {
    let refuse = |error: serde_json::Error| Box::new(Error::refused(error.to_string()));
    let text = to_raw_value(arguments).map_err(refuse)?;
    match text.get() {
        "null" => RawValue::from_string("{}".to_owned()).map_err(refuse),
        object if object.starts_with('{') => Ok(text),
        other => {
            let reason = format!("arguments must be a JSON object, not {other}");
            Err(Box::new(Error::refused(reason)))
        }
    }
}
