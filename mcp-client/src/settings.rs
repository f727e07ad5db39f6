//! What a client is made of, once it was checked.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{
    ClientCapabilities, Era, Implementation, LoggingLevel, LoggingMessage, ProtocolVersion,
};

use crate::ToolProgress;
use crate::hooks::Hooks;

/// How much a client takes from a server before it says that it is enough.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// How many pages of one listing are fetched.  1,000 by default.
    pub pages: usize,
    /// How many entries one listing may have.  100,000 by default.
    pub entries: usize,
    /// How many bytes one listing may have, as JSON text.  256 MiB by default.
    pub listing_bytes: usize,
    /// How many questions one round of input may ask.  64 by default.
    pub input_requests: usize,
    /// How many notifications wait for one listener.  1,024 by default.
    pub notifications: usize,
    /// How many bytes of notifications wait for one listener.  8 MiB by default.
    pub notification_bytes: usize,
    /// How many requests of a legacy server are worked on at a time.  64 by default.
    pub server_requests: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            pages: 1_000,
            entries: 100_000,
            listing_bytes: 256 << 20,
            input_requests: 64,
            notifications: 1_024,
            notification_bytes: 8 << 20,
            server_requests: 64,
        }
    }
}

pub(crate) type OnLog = Arc<dyn Fn(LoggingMessage) + Send + Sync>;
pub(crate) type OnProgress = Arc<dyn Fn(ToolProgress) + Send + Sync>;
pub(crate) type OnWarning = Arc<dyn Fn(&str) + Send + Sync>;

/// Settings that were checked.
#[derive(Clone)]
pub(crate) struct Settings {
    pub(crate) client_info: Implementation,
    pub(crate) protocol_versions: Vec<ProtocolVersion>,
    pub(crate) era: Option<Era>,
    pub(crate) request_timeout: Option<Duration>,
    pub(crate) probe_timeout: Option<Duration>,
    pub(crate) max_input_rounds: usize,
    pub(crate) tool_concurrency: usize,
    pub(crate) trusts_annotations: bool,
    pub(crate) hooks: Hooks,
    pub(crate) capabilities: ClientCapabilities,
    pub(crate) log_level: Option<LoggingLevel>,
    pub(crate) on_log: Option<OnLog>,
    pub(crate) on_progress: Option<OnProgress>,
    pub(crate) on_warning: OnWarning,
    pub(crate) limits: Limits,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("client_info", &self.client_info)
            .field("protocol_versions", &self.protocol_versions)
            .field("capabilities", &self.capabilities)
            .field("hooks", &self.hooks)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}
