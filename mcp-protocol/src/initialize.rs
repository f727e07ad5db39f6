//! The handshake of 2025-11-25 and before.

use crate::object::object;
use crate::{ClientCapabilities, Extra, Implementation, JsonObject, ServerCapabilities};

object! {
    /// What a client says first.
    pub struct InitializeParams {
        /// The version that the client would like best.
        pub protocol_version: String => "protocolVersion",
        /// What the client can do.
        pub capabilities: ClientCapabilities => "capabilities" or default,
        /// What the client is.
        pub client_info: Implementation => "clientInfo" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl InitializeParams {
    /// Creates the parameters of an `initialize` request.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ClientCapabilities,
        client_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            client_info,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// What a server answers.
    pub struct InitializeResult {
        /// The version that the server will speak, which need not be the one asked for.
        pub protocol_version: String => "protocolVersion",
        /// What the server can do.
        pub capabilities: ServerCapabilities => "capabilities" or default,
        /// What the server is.
        pub server_info: Implementation => "serverInfo" or default,
        /// Advice on using the server, for a model to read.
        pub instructions: Option<String> => "instructions",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl InitializeResult {
    /// Creates the result of an `initialize` request.
    pub fn new(
        protocol_version: impl Into<String>,
        capabilities: ServerCapabilities,
        server_info: Implementation,
    ) -> Self {
        Self {
            protocol_version: protocol_version.into(),
            capabilities,
            server_info,
            instructions: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}
