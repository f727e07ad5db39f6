//! What can be set about a client.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{
    ClientCapabilities, Era, Implementation, LoggingLevel, LoggingMessage, ProtocolVersion,
};
use mcp_transport::Connect;

use crate::hooks::Hooks;
use crate::inner::own_partition;
use crate::settings::{OnLog, OnProgress, OnWarning, Settings};
use crate::shared::Shared;
use crate::{
    Client, Elicit, Error, InvalidOption, Limits, ListRoots, ResultCache, Sample, ToolProgress,
};

/// Sets up a client.
///
/// What it declares to servers follows from the hooks that are set: a kind of question that
/// nobody answers is never invited.
#[must_use = "a client is made by `build` or `connect`"]
pub struct ClientBuilder {
    connect: Arc<dyn Connect>,
    client_info: Implementation,
    protocol_versions: Vec<ProtocolVersion>,
    era: Option<Era>,
    request_timeout: Option<Duration>,
    probe_timeout: Option<Duration>,
    max_input_rounds: usize,
    tool_concurrency: usize,
    trusts_annotations: Option<bool>,
    hooks: Hooks,
    client_capabilities: Option<ClientCapabilities>,
    log_level: Option<LoggingLevel>,
    on_log: Option<OnLog>,
    on_progress: Option<OnProgress>,
    on_warning: OnWarning,
    limits: Limits,
    cache: ResultCache,
}

impl ClientBuilder {
    pub(crate) fn new(connect: Arc<dyn Connect>) -> Self {
        Self {
            connect,
            client_info: Implementation::new("mcp-client", env!("CARGO_PKG_VERSION")),
            protocol_versions: ProtocolVersion::MODERN.to_vec(),
            era: None,
            request_timeout: Some(Duration::from_secs(60)),
            probe_timeout: Some(Duration::from_secs(10)),
            max_input_rounds: 8,
            tool_concurrency: 4,
            trusts_annotations: None,
            hooks: Hooks::default(),
            client_capabilities: None,
            log_level: None,
            on_log: None,
            on_progress: None,
            on_warning: Arc::new(warn_on_stderr),
            limits: Limits::default(),
            cache: ResultCache::default(),
        }
    }

    /// What the client calls itself.  By default it is named after this crate.
    pub fn client_info(mut self, info: Implementation) -> Self {
        self.client_info = info;
        self
    }

    /// The modern versions to speak, best first.  All that this crate knows, by default.
    ///
    /// The legacy era is always there to fall back on and must not be named here: it is reached
    /// by handshake.
    pub fn protocol_versions(
        mut self,
        versions: impl IntoIterator<Item = impl Into<ProtocolVersion>>,
    ) -> Self {
        self.protocol_versions = versions.into_iter().map(Into::into).collect();
        self
    }

    /// Speaks this era without finding out whether the server speaks the other.  By default the
    /// server is asked, which costs a server that ignores the question the whole
    /// [`probe_timeout`](Self::probe_timeout).
    pub fn era(mut self, era: Era) -> Self {
        self.era = Some(era);
        self
    }

    /// How long a request may take; zero means as long as it takes.  60 seconds by default.
    ///
    /// Time in which a hook of this client asks a person or a model for the server does not count.
    pub fn request_timeout(mut self, timeout: Duration) -> Self {
        self.request_timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// How long a server may take to say what it is, before it is taken for a legacy server;
    /// zero means as long as it takes.  10 seconds by default.
    pub fn probe_timeout(mut self, timeout: Duration) -> Self {
        self.probe_timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// How many times one request may ask for input.  8 by default, at least 1.
    pub fn max_input_rounds(mut self, rounds: usize) -> Self {
        self.max_input_rounds = rounds;
        self
    }

    /// How many calls of one batch run at a time, if all of them are safe to.  4 by default;
    /// with 1 they always run one after another.
    pub fn tool_concurrency(mut self, calls: usize) -> Self {
        self.tool_concurrency = calls;
        self
    }

    /// Whether to believe a server that says its tools are read-only and idempotent: such calls
    /// run at the same time, and identical ones once.
    ///
    /// By default a server that this process started is believed, and one that it reached over a
    /// network is not ("Tools" of the specification: annotations are hints).
    pub fn trust_annotations(mut self, is_trusted: bool) -> Self {
        self.trusts_annotations = Some(is_trusted);
        self
    }

    /// Answers the questions that the server has for the user.
    pub fn on_elicit(mut self, hook: impl Elicit + 'static) -> Self {
        self.hooks.elicit = Some(Arc::new(hook));
        self
    }

    /// Answers the questions that the server has for a model.
    pub fn on_sample(mut self, hook: impl Sample + 'static) -> Self {
        self.hooks.sample = Some(Arc::new(hook));
        self
    }

    /// Names the folders that the server may work in.
    pub fn on_list_roots(mut self, hook: impl ListRoots + 'static) -> Self {
        self.hooks.list_roots = Some(Arc::new(hook));
        self
    }

    /// Declares exactly this, whatever hooks there are: for a client that can do more than they
    /// show, such as open a URL.
    pub fn client_capabilities(mut self, capabilities: ClientCapabilities) -> Self {
        self.client_capabilities = Some(capabilities);
        self
    }

    /// The least severe log message that the server should send.  A modern server sends none
    /// unless this is set.
    pub fn log_level(mut self, level: LoggingLevel) -> Self {
        self.log_level = Some(level);
        self
    }

    /// Receives the server's log messages.
    ///
    /// It is called by the task that reads the connection: do little in it, and never wait for
    /// this client.
    pub fn on_log(mut self, hook: impl Fn(LoggingMessage) + Send + Sync + 'static) -> Self {
        self.on_log = Some(Arc::new(hook));
        self
    }

    /// Receives the progress of a model's tool calls.  Setting it is what asks servers for it.
    ///
    /// It is called by the task that reads the connection: do little in it, and never wait for
    /// this client.
    pub fn on_progress(mut self, hook: impl Fn(ToolProgress) + Send + Sync + 'static) -> Self {
        self.on_progress = Some(Arc::new(hook));
        self
    }

    /// Receives what went wrong without failing anything, one line each: a hook that failed, a
    /// line that was no message, an answer that came too late.  By default it goes to the error
    /// output.
    pub fn on_warning(mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_warning = Arc::new(hook);
        self
    }

    /// How much is taken from the server.
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// Keeps results in this cache.  By default the client has one of its own.
    pub fn cache(mut self, cache: ResultCache) -> Self {
        self.cache = cache;
        self
    }

    /// Makes the client.  Nothing is started or sent.
    ///
    /// # Errors
    ///
    /// Fails when an option cannot work, and names it.
    pub fn build(self) -> Result<Client, InvalidOption> {
        self.check()?;
        Ok(self.build_unchecked())
    }

    /// Makes the client and connects it.
    ///
    /// # Errors
    ///
    /// Fails when an option cannot work, when there is no connection, and when client and server
    /// have no version in common.
    pub async fn connect(self) -> Result<Client, Error> {
        let client = self.build()?;
        client.server().await?;
        Ok(client)
    }

    fn check(&self) -> Result<(), InvalidOption> {
        let refuse = |option, reason: &str| Err(InvalidOption::new(option, reason));
        if self.protocol_versions.is_empty() {
            return refuse("protocol_versions", "name at least one modern version");
        }
        if self.protocol_versions.iter().any(|version| version.as_str().is_empty()) {
            return refuse("protocol_versions", "a version cannot be empty");
        }
        if let Some(version) = self.protocol_versions.iter().find(|version| version.is_legacy()) {
            let reason = format!("{version} is reached by handshake, and always tried last");
            return Err(InvalidOption::new("protocol_versions", reason));
        }
        if self.max_input_rounds == 0 {
            return refuse("max_input_rounds", "at least 1 round is needed");
        }
        if self.tool_concurrency == 0 {
            return refuse("tool_concurrency", "at least 1 call has to run at a time");
        }
        Ok(())
    }

    /// Makes a client of which no option was set, so that none can be wrong.
    pub(crate) fn build_default(self) -> Client {
        self.build_unchecked()
    }

    fn build_unchecked(self) -> Client {
        let capabilities = self.client_capabilities.unwrap_or_else(|| self.hooks.capabilities());
        let settings = Settings {
            client_info: self.client_info,
            protocol_versions: self.protocol_versions,
            era: self.era,
            request_timeout: self.request_timeout,
            probe_timeout: self.probe_timeout,
            max_input_rounds: self.max_input_rounds,
            tool_concurrency: self.tool_concurrency,
            trusts_annotations: self.trusts_annotations.unwrap_or_else(|| self.connect.is_local()),
            hooks: self.hooks,
            capabilities,
            log_level: self.log_level,
            on_log: self.on_log,
            on_progress: self.on_progress,
            on_warning: self.on_warning,
            limits: self.limits,
        };
        Client::from_parts(Shared::new(settings, self.cache, own_partition()), self.connect)
    }
}

#[allow(clippy::print_stderr, reason = "where a program's warnings go unless it says otherwise")]
fn warn_on_stderr(warning: &str) {
    eprintln!("mcp-client: {warning}");
}

impl fmt::Debug for ClientBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ClientBuilder")
            .field("connect", &self.connect)
            .field("client_info", &self.client_info)
            .field("hooks", &self.hooks)
            .finish_non_exhaustive()
    }
}
