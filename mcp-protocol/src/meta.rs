//! Keys of `_meta`, and the methods of the protocol.

/// The version of the protocol that a request is written in.
pub const META_PROTOCOL_VERSION: &str = "io.modelcontextprotocol/protocolVersion";
/// What the client can do, for this request.
pub const META_CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
/// What the client is.
pub const META_CLIENT_INFO: &str = "io.modelcontextprotocol/clientInfo";
/// What the server is.
pub const META_SERVER_INFO: &str = "io.modelcontextprotocol/serverInfo";
/// The least severe log message that the client wants to see while the request runs.
pub const META_LOG_LEVEL: &str = "io.modelcontextprotocol/logLevel";
/// The subscription that a notification belongs to.
pub const META_SUBSCRIPTION_ID: &str = "io.modelcontextprotocol/subscriptionId";
/// The token under which progress is reported, in both eras.
pub const META_PROGRESS_TOKEN: &str = "progressToken";

/// The methods that a client sends or receives, by the name they have on the wire.
pub mod method {
    /// Asks a modern server what it is.
    pub const DISCOVER: &str = "server/discover";
    /// Opens a legacy session.
    pub const INITIALIZE: &str = "initialize";
    /// Ends the legacy handshake.
    pub const INITIALIZED: &str = "notifications/initialized";
    /// Asks for a sign of life; legacy only.
    pub const PING: &str = "ping";
    /// Lists tools.
    pub const LIST_TOOLS: &str = "tools/list";
    /// Runs a tool.
    pub const CALL_TOOL: &str = "tools/call";
    /// Lists resources.
    pub const LIST_RESOURCES: &str = "resources/list";
    /// Lists resource templates.
    pub const LIST_RESOURCE_TEMPLATES: &str = "resources/templates/list";
    /// Reads a resource.
    pub const READ_RESOURCE: &str = "resources/read";
    /// Asks to be told about changes of a resource; legacy only.
    pub const SUBSCRIBE: &str = "resources/subscribe";
    /// Takes a subscription back; legacy only.
    pub const UNSUBSCRIBE: &str = "resources/unsubscribe";
    /// Lists prompts.
    pub const LIST_PROMPTS: &str = "prompts/list";
    /// Renders a prompt.
    pub const GET_PROMPT: &str = "prompts/get";
    /// Suggests values for an argument.
    pub const COMPLETE: &str = "completion/complete";
    /// Sets the log level of a session; legacy only.
    pub const SET_LEVEL: &str = "logging/setLevel";
    /// Opens a stream of change notifications; modern only.
    pub const LISTEN: &str = "subscriptions/listen";
    /// Asks the user; sent by servers.
    pub const ELICIT: &str = "elicitation/create";
    /// Says that the user has dealt with a URL; sent by servers of `2025-11-25`.
    pub const ELICITATION_COMPLETE: &str = "notifications/elicitation/complete";
    /// Asks a model; sent by servers.
    pub const CREATE_MESSAGE: &str = "sampling/createMessage";
    /// Asks for the roots; sent by servers.
    pub const LIST_ROOTS: &str = "roots/list";
    /// Says that nobody waits for a request any more.
    pub const CANCELLED: &str = "notifications/cancelled";
    /// Reports progress.
    pub const PROGRESS: &str = "notifications/progress";
    /// Carries a log message.
    pub const MESSAGE: &str = "notifications/message";
    /// Says that the list of tools changed.
    pub const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
    /// Says that the list of resources changed.
    pub const RESOURCES_CHANGED: &str = "notifications/resources/list_changed";
    /// Says that the list of prompts changed.
    pub const PROMPTS_CHANGED: &str = "notifications/prompts/list_changed";
    /// Says that a resource changed.
    pub const RESOURCE_UPDATED: &str = "notifications/resources/updated";
    /// Says that the client's roots changed; legacy only.
    pub const ROOTS_CHANGED: &str = "notifications/roots/list_changed";
    /// Says which part of a subscription the server accepted.
    pub const SUBSCRIPTION_ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
}
