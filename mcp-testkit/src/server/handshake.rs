//! Which era a request belongs to, and what its sender declared.

use mcp_provider::JsonObject;
use serde_json::{Value, json};

use crate::rpc::{INVALID_REQUEST, UNSUPPORTED_VERSION};
use crate::server::connection::Connection;
use crate::{RpcError, ServeEra};

/// What a request says about its sender, in either era.
#[derive(Clone, Debug, Default)]
pub(super) struct Sender {
    pub(super) is_modern: bool,
    pub(super) capabilities: JsonObject,
    pub(super) log_level: Option<String>,
    pub(super) progress_token: Option<Value>,
}

/// What a legacy client said in its handshake, and since.
#[derive(Clone, Debug, Default)]
pub(super) struct Session {
    pub(super) capabilities: JsonObject,
    pub(super) log_level: Option<String>,
}

impl Connection {
    /// Finds out who sends a request, and refuses one that cannot be served.
    pub(super) fn sender(&self, method: &str, params: &JsonObject) -> Result<Sender, RpcError> {
        let meta = params.get("_meta").unwrap_or(&Value::Null);
        let version = meta.get(VERSION_KEY).and_then(Value::as_str);
        let progress_token =
            meta.get("progressToken").filter(|it| it.is_string() || it.is_number());
        let is_modern = match self.era {
            ServeEra::Modern => true,
            ServeEra::Legacy => false,
            ServeEra::Both => method == "server/discover" || version.is_some(),
        };
        if !is_modern {
            return self.legacy_sender(method, progress_token.cloned());
        }
        // A modern server does not know the handshake, whatever version it would negotiate.
        if method == "initialize" {
            return Err(RpcError::method_not_found(method));
        }
        let version = version.unwrap_or_default();
        if !self.server.versions.iter().any(|known| known == version) {
            return Err(self.unsupported(version));
        }
        let Some(Value::Object(capabilities)) = meta.get(CAPABILITIES_KEY) else {
            return Err(RpcError::invalid_params("_meta lacks the client's capabilities"));
        };
        Ok(Sender {
            is_modern: true,
            capabilities: capabilities.clone(),
            log_level: meta.get(LOG_LEVEL_KEY).and_then(Value::as_str).map(str::to_owned),
            progress_token: progress_token.cloned(),
        })
    }

    /// Answers `initialize`.
    pub(super) fn initialize(&self, params: &JsonObject) -> Result<JsonObject, RpcError> {
        let requested = params.get("protocolVersion").and_then(Value::as_str);
        let requested = requested
            .ok_or_else(|| RpcError::invalid_params("initialize needs a protocolVersion"))?;
        let known = &self.server.legacy_versions;
        let version = known.iter().find(|version| *version == requested).or_else(|| known.first());
        let capabilities = params.get("capabilities").and_then(Value::as_object);
        let capabilities = capabilities.cloned().unwrap_or_default();
        self.state().session = Some(Session { capabilities, log_level: None });
        let mut result = JsonObject::new();
        result.insert("protocolVersion".to_owned(), json!(version));
        result.insert("capabilities".to_owned(), self.server.capabilities());
        result.insert("serverInfo".to_owned(), self.server.info.clone());
        if let Some(instructions) = &self.server.instructions {
            result.insert("instructions".to_owned(), json!(instructions));
        }
        Ok(result)
    }

    /// Answers `server/discover`.
    pub(super) fn discover(&self, is_modern: bool) -> Result<JsonObject, RpcError> {
        if !is_modern && self.server.hides_discover {
            return Err(RpcError::method_not_found("server/discover"));
        }
        let versions = if is_modern { &*self.server.versions } else { &[] };
        let mut result = JsonObject::new();
        result.insert("supportedVersions".to_owned(), json!(versions));
        result.insert("capabilities".to_owned(), self.server.capabilities());
        if let Some(instructions) = &self.server.instructions {
            result.insert("instructions".to_owned(), json!(instructions));
        }
        Ok(result)
    }

    fn legacy_sender(&self, method: &str, token: Option<Value>) -> Result<Sender, RpcError> {
        let session = match self.state().session.clone() {
            Some(session) => session,
            None if ["initialize", "ping", "server/discover"].contains(&method) => {
                Session::default()
            }
            None => return Err(RpcError::new(INVALID_REQUEST, "The server is not initialized")),
        };
        Ok(Sender {
            is_modern: false,
            capabilities: session.capabilities,
            log_level: session.log_level.or_else(|| Some("debug".to_owned())),
            progress_token: token,
        })
    }

    fn unsupported(&self, requested: &str) -> RpcError {
        let mut supported = self.server.versions.clone();
        if self.era == ServeEra::Both {
            supported.extend(self.server.legacy_versions.first().cloned());
        }
        RpcError::new(UNSUPPORTED_VERSION, format!("Unsupported protocol version: {requested:?}"))
            .with_data(json!({ "supported": supported, "requested": requested }))
    }
}

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const LOG_LEVEL_KEY: &str = "io.modelcontextprotocol/logLevel";
