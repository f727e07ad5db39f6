//! A connection whose era is decided, and how it was decided.

use std::sync::{Arc, Mutex};

use mcp_protocol::{
    Dialect, DiscoverResult, Era, Implementation, InitializeResult, LoggingLevel, ProtocolVersion,
    ServerCapabilities, Stamp,
};
use mcp_transport::Transport;

use crate::catalogue::Catalogue;
use crate::lock::lock;
use crate::mirrors::Mirrors;
use crate::settings::Settings;
use crate::subscription::Watchlist;

/// What a server said about itself when the connection was made.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Server {
    /// The era that it is spoken to in.
    pub era: Era,
    /// The version that it is spoken to in.
    pub protocol_version: ProtocolVersion,
    /// Every version it named; none in the legacy era, which knows no such list.
    pub supported_versions: Vec<String>,
    /// What it can do.
    pub capabilities: ServerCapabilities,
    /// What it calls itself; for display and logs, and not to be trusted.
    pub info: Implementation,
    /// Its advice on how to use it, for a model.
    pub instructions: Option<String>,
    /// The whole of what it answered, as JSON text: a `DiscoverResult` or an `InitializeResult`, or
    /// `{}` where it did not describe itself.
    pub document: Box<str>,
}

impl Server {
    /// A modern server, as it described itself.
    pub(crate) fn modern(
        version: &ProtocolVersion,
        answer: &DiscoverResult,
        document: Box<str>,
    ) -> Self {
        Self {
            era: Era::Modern,
            protocol_version: version.clone(),
            supported_versions: answer.supported_versions.clone(),
            capabilities: answer.capabilities.clone(),
            info: answer.server_info().unwrap_or_default(),
            instructions: answer.instructions.clone(),
            document,
        }
    }

    /// A modern server that did not describe itself.
    pub(crate) fn undescribed(version: &ProtocolVersion) -> Self {
        let mut answer = DiscoverResult::default();
        answer.supported_versions = vec![version.as_str().to_owned()];
        Self::modern(version, &answer, "{}".into())
    }

    /// A legacy server, as it answered the handshake.
    pub(crate) fn legacy(answer: &InitializeResult, document: Box<str>) -> Self {
        Self {
            era: Era::Legacy,
            protocol_version: answer.protocol_version.clone().into(),
            supported_versions: Vec::new(),
            capabilities: answer.capabilities.clone(),
            info: answer.server_info.clone(),
            instructions: answer.instructions.clone(),
            document,
        }
    }
}

/// A connection that requests can be sent on.
#[derive(Debug)]
pub(crate) struct Connection {
    pub(crate) transport: Arc<dyn Transport>,
    /// The era, which never changes.
    pub(crate) era: Era,
    /// What the last listing said about parameters that are repeated in headers.
    mirroring: Mutex<Option<Arc<Mirrors>>>,
    /// The resources that a legacy server was asked to watch.
    pub(crate) watched: Arc<Watchlist>,
    /// Changes where a modern server takes another version, or another log level is wanted.
    speech: Mutex<Speech>,
}

#[derive(Debug)]
struct Speech {
    server: Arc<Server>,
    log_level: Option<LoggingLevel>,
    dialect: Arc<Dialect>,
}

impl Connection {
    pub(crate) fn new(transport: Arc<dyn Transport>, server: Server, settings: &Settings) -> Self {
        let (era, log_level) = (server.era, settings.log_level);
        let dialect = match era {
            Era::Modern => modern_dialect(settings, &server.protocol_version, log_level),
            Era::Legacy => Dialect::Legacy,
        };
        let speech = Speech { server: Arc::new(server), log_level, dialect: Arc::new(dialect) };
        Self {
            transport,
            era,
            mirroring: Mutex::default(),
            watched: Arc::default(),
            speech: Mutex::new(speech),
        }
    }

    /// Whether calls of tools repeat parameters in headers.
    pub(crate) fn mirrors(&self) -> bool {
        self.era == Era::Modern && self.transport.mirrors_parameters()
    }

    /// What the last listing said about headers, on a connection that mirrors.
    pub(crate) fn mirroring(&self) -> Option<Arc<Mirrors>> {
        lock(&self.mirroring).clone()
    }

    pub(crate) fn remember(&self, catalogue: &Catalogue) {
        if let Some(mirrors) = &catalogue.mirrors {
            *lock(&self.mirroring) = Some(Arc::clone(mirrors));
        }
    }

    pub(crate) fn server(&self) -> Arc<Server> {
        Arc::clone(&lock(&self.speech).server)
    }

    pub(crate) fn dialect(&self) -> Arc<Dialect> {
        Arc::clone(&lock(&self.speech).dialect)
    }

    /// Goes on in another version.
    pub(crate) fn speak(&self, settings: &Settings, version: ProtocolVersion) {
        let mut speech = lock(&self.speech);
        speech.dialect = Arc::new(modern_dialect(settings, &version, speech.log_level));
        Arc::make_mut(&mut speech.server).protocol_version = version;
    }

    /// Asks a modern server for log messages of this level, with every request from now on.
    pub(crate) fn stamp_log_level(&self, settings: &Settings, level: LoggingLevel) {
        let mut speech = lock(&self.speech);
        speech.log_level = Some(level);
        let version = &speech.server.protocol_version;
        speech.dialect = Arc::new(modern_dialect(settings, version, Some(level)));
    }
}

/// The dialect of the modern era in `version`.
pub(crate) fn modern_dialect(
    settings: &Settings,
    version: &ProtocolVersion,
    log_level: Option<LoggingLevel>,
) -> Dialect {
    let info = Some(&settings.client_info).filter(|info| !info.name.is_empty());
    let stamp = Stamp::new(version, info, Some(&settings.capabilities), log_level);
    // The settings were refused if they name a legacy version here.
    stamp.map_or(Dialect::Legacy, Dialect::Modern)
}
