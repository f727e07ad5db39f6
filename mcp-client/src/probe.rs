//! Making a connection, and finding out how to speak on it.

use std::pin::pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_protocol::{
    Dialect, DiscoverResult, Era, ErrorCode, InitializeParams, InitializeResult, JsonObject,
    Params, ProtocolVersion, RequestId, SetLevelParams, method, notification,
};
use mcp_transport::{Answer, Connect, Failure, Handler, Outgoing, Transport, TransportError};
use tokio::time::timeout;

use crate::Error;
use crate::connection::{Connection, Server, modern_dialect};
use crate::era::{Evidence, On, Verdict, judge, supported};
use crate::inbox::Inbox;
use crate::lock::lock;
use crate::opened::Opened;
use crate::settings::Settings;
use crate::shared::Shared;

/// What it takes to connect.
pub(crate) struct Dialer {
    pub(crate) connect: Arc<dyn Connect>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) ids: Arc<AtomicU64>,
    pub(crate) opened: Arc<Opened>,
    /// The era that the server was last found to speak.
    pub(crate) known: Mutex<Option<Era>>,
}

impl Dialer {
    /// Connects, asks the server what it is, and agrees with it on a version.
    pub(crate) async fn establish(&self) -> Result<Connection, Error> {
        let connection = self.establish_anew().await?;
        *lock(&self.known) = Some(connection.era);
        Ok(connection)
    }

    async fn establish_anew(&self) -> Result<Connection, Error> {
        let line = self.open().await?;
        let known = *lock(&self.known);
        let found = match (self.shared.settings.era, known) {
            (Some(Era::Legacy), _) => line.handshake().await.map(Some),
            // What it spoke before it is asked for first; only a server that minds is asked what
            // it speaks now.
            (None, Some(Era::Legacy)) => match line.handshake().await {
                Err(error) if error.code().is_some() => line.discover().await,
                found => found.map(Some),
            },
            _ => line.discover().await,
        };
        match found {
            Ok(Some(server)) => Ok(line.connection(server)),
            Ok(None) => {
                line.discard();
                let line = self.open().await?;
                match line.handshake().await {
                    Ok(server) => Ok(line.connection(server)),
                    Err(error) => Err(line.refuse(error)),
                }
            }
            Err(error) => Err(line.refuse(error)),
        }
    }

    async fn open(&self) -> Result<Line<'_>, Error> {
        let inbox = Arc::new(Inbox::new(Arc::clone(&self.shared)));
        let handler: Arc<dyn Handler> = Arc::clone(&inbox) as Arc<dyn Handler>;
        let transport = self.connect.connect(handler).await.map_err(Failure::before_sending)?;
        self.opened.add(&transport);
        inbox.connected(&transport);
        Ok(Line { dialer: self, transport, inbox })
    }
}

/// A connection on which nothing is agreed yet.
struct Line<'a> {
    dialer: &'a Dialer,
    transport: Arc<dyn Transport>,
    inbox: Arc<Inbox>,
}

impl Line<'_> {
    fn settings(&self) -> &Settings {
        &self.dialer.shared.settings
    }

    fn connection(self, server: Server) -> Connection {
        Connection::new(self.transport, server, &self.dialer.shared.settings)
    }

    /// Ends a connection that is of no use.
    fn discard(&self) {
        self.dialer.opened.discard(&self.transport);
    }

    /// Ends a connection that came to nothing, and passes on why.
    fn refuse(&self, error: Error) -> Error {
        self.discard();
        error
    }

    fn agree(&self, server: &Server) {
        self.dialer.shared.set_server(&server.info);
        self.inbox.agreed(server.era);
    }

    /// Asks the server what it is, in one version after the other.
    ///
    /// Nothing means that it has to be asked in the legacy way, on a new connection.
    async fn discover(&self) -> Result<Option<Server>, Error> {
        let mut tried = vec![self.settings().protocol_versions[0].clone()];
        loop {
            match self.probe(&tried).await? {
                Found::Modern(server) => {
                    self.agree(&server);
                    return Ok(Some(*server));
                }
                Found::Retry(version) => tried.push(version),
                Found::Legacy(On::NewConnection) => return Ok(None),
                Found::Legacy(On::ThisConnection) => return self.handshake().await.map(Some),
                Found::Begun(server) => return Ok(Some(*server)),
            }
        }
    }

    /// Asks in the version that is to be tried last.
    async fn probe(&self, tried: &[ProtocolVersion]) -> Result<Found, Error> {
        let settings = self.settings();
        let version = tried.last().unwrap_or(&settings.protocol_versions[0]);
        let dialect = modern_dialect(settings, version, settings.log_level);
        let (id, params) = (self.next_id(), JsonObject::new());
        let mut question = pin!(self.request(id, &dialect, method::DISCOVER, &params));
        if let Some(answer) = within(settings.probe_timeout, &mut question).await {
            return self.found(&answer, tried);
        }
        if settings.era == Some(Era::Modern) {
            return Err(Error::timeout(method::DISCOVER, id, settings.probe_timeout));
        }
        // It may be deaf to this question, or only slow to start: it is asked the other question
        // as well, and whichever answer settles the matter first counts.
        let mut handshake = pin!(self.initialize());
        let answered = tokio::select! {
            biased;
            answer = &mut question => match self.found(&answer, tried)? {
                Found::Legacy(On::ThisConnection) => {
                    return Ok(Found::Begun(Box::new(self.begin(handshake.await?).await)));
                }
                // A server of both eras goes on in the one that it was asked for last.
                found @ (Found::Modern(_) | Found::Retry(_)) => {
                    let Ok(server) = handshake.await else { return Ok(found) };
                    return Ok(Found::Begun(Box::new(self.begin(server).await)));
                }
                found => return Ok(found),
            },
            answered = &mut handshake => answered,
        };
        let refused = match answered {
            // Before the question is dropped, and so cancelled: some servers want to be greeted
            // before they are told anything else.
            Ok(server) => return Ok(Found::Begun(Box::new(self.begin(server).await))),
            Err(error) if error.code() == Some(ErrorCode::METHOD_NOT_FOUND) => error,
            Err(error) => return Err(error),
        };
        // What knows no handshake is modern, and is still about to say so.
        match within(settings.probe_timeout, question).await {
            Some(answer) => match self.found(&answer, tried)? {
                Found::Legacy(_) => Err(refused),
                found => Ok(found),
            },
            None => Err(refused),
        }
    }

    /// Opens a legacy session.
    async fn handshake(&self) -> Result<Server, Error> {
        let server = self.initialize().await?;
        Ok(self.begin(server).await)
    }

    async fn initialize(&self) -> Result<Server, Error> {
        let settings = self.settings();
        let requested = ProtocolVersion::V2025_11_25;
        let capabilities = settings.capabilities.clone();
        let params =
            InitializeParams::new(requested.as_str(), capabilities, settings.client_info.clone());
        let id = self.next_id();
        let question = self.request(id, &Dialect::Legacy, method::INITIALIZE, &params);
        let Some(answer) = within(settings.request_timeout, question).await else {
            return Err(Error::timeout(method::INITIALIZE, id, settings.request_timeout));
        };
        let answer = answer?;
        let unsupported = |supported| {
            let requested = requested.to_string();
            Err(Error::UnsupportedVersion { requested, supported })
        };
        let Ok(result) = answer.decode::<InitializeResult>() else {
            return unsupported(Vec::new());
        };
        let version = &result.protocol_version;
        if !ProtocolVersion::from(version.as_str()).is_legacy() {
            return unsupported(vec![version.clone()]);
        }
        Ok(Server::legacy(&result, document(&answer)))
    }

    /// Begins the session that a legacy server has agreed to.
    async fn begin(&self, server: Server) -> Server {
        let message = notification::<JsonObject>(method::INITIALIZED, None).unwrap_or_default();
        let settings = self.settings();
        let greeting = Outgoing::notification(method::INITIALIZED, message);
        // A server that takes nothing more is found out by the first request, which has a budget.
        let _ = within(settings.request_timeout, self.transport.notify(greeting)).await;
        self.agree(&server);
        if let (Some(level), Some(_)) = (settings.log_level, &server.capabilities.logging) {
            let params = SetLevelParams::new(level);
            let asked = self.request(self.next_id(), &Dialect::Legacy, method::SET_LEVEL, &params);
            // A server that minds logs what it likes; nothing else depends on it.
            let _ = within(settings.request_timeout, asked).await;
        }
        server
    }

    /// Judges the answer to the probe.
    fn found(
        &self,
        answer: &Result<Answer, Failure>,
        tried: &[ProtocolVersion],
    ) -> Result<Found, Error> {
        let (settings, is_local) = (self.settings(), self.dialer.connect.is_local());
        let mut result = None;
        let evidence = match answer {
            Ok(answer) => {
                result = answer.decode::<DiscoverResult>().ok();
                Evidence::Answer(result.as_ref())
            }
            Err(failure) => match &failure.error {
                TransportError::Rpc(error) | TransportError::Unattributed(error) => {
                    Evidence::Error(error)
                }
                // Nobody was reached who could have said anything.
                TransportError::ServerGone(_) if !failure.is_sent && !is_local => {
                    return Err(failure.clone().into());
                }
                TransportError::ServerGone(_) => Evidence::Gone,
                TransportError::Http(failure) => Evidence::Status(failure.status),
                TransportError::Protocol(_) => Evidence::Silence,
                // A wire that was cut on this side says nothing about the server.
                _ => return Err(failure.clone().into()),
            },
        };
        match judge(&evidence, &settings.protocol_versions, tried) {
            Verdict::Modern(version) => Ok(Found::Modern(Box::new(match (&result, answer) {
                (Some(result), Ok(answer)) => Server::modern(&version, result, document(answer)),
                _ => Server::undescribed(&version),
            }))),
            Verdict::Retry(version) => Ok(Found::Retry(version)),
            Verdict::Legacy(_) if settings.era == Some(Era::Modern) => {
                Err(not_modern(answer, result, tried))
            }
            Verdict::Legacy(on) => Ok(Found::Legacy(on)),
            Verdict::Unsupported { requested, supported } => {
                let requested = requested.to_string();
                Err(Error::UnsupportedVersion { requested, supported })
            }
            Verdict::Fatal => Err(not_modern(answer, result, tried)),
        }
    }

    fn next_id(&self) -> u64 {
        next_id(&self.dialer.ids)
    }

    async fn request(
        &self,
        id: u64,
        dialect: &Dialect,
        method: &'static str,
        params: &(dyn Params + Sync),
    ) -> Result<Answer, Failure> {
        let body = dialect.request(&RequestId::from(id), method, Some(params), None);
        let body = body.map_err(|error| {
            Failure::before_sending(TransportError::Protocol(error.to_string()))
        })?;
        let mut request = Outgoing::request(id, method, body);
        request.version = dialect.version().cloned();
        self.transport.request(request).await
    }
}

/// What asking a server has come to.
enum Found {
    /// A modern server.
    Modern(Box<Server>),
    /// A modern server that wants to be asked in another version.
    Retry(ProtocolVersion),
    /// A legacy server, yet to be greeted.
    Legacy(On),
    /// A legacy server, with which a session has begun.
    Begun(Box<Server>),
}

/// Why a server that may only be spoken to in the modern era cannot be.
fn not_modern(
    answer: &Result<Answer, Failure>,
    result: Option<DiscoverResult>,
    tried: &[ProtocolVersion],
) -> Error {
    let supported = match answer {
        Ok(_) => result.map(|result| result.supported_versions).unwrap_or_default(),
        Err(Failure { error: TransportError::Rpc(error), .. }) => supported(error.data.as_deref()),
        Err(failure) => return failure.clone().into(),
    };
    let requested = tried.last().map(ToString::to_string).unwrap_or_default();
    Error::UnsupportedVersion { requested, supported }
}

/// An answer as its text: smaller than what it says, and seldom looked at.
fn document(answer: &Answer) -> Box<str> {
    String::from_utf8_lossy(answer.as_bytes()).into()
}

async fn within<T>(budget: Option<Duration>, future: impl Future<Output = T>) -> Option<T> {
    match budget {
        Some(budget) => timeout(budget, future).await.ok(),
        None => Some(future.await),
    }
}

/// Mints an id: 1, 2, 3 and so on, in the one place that does.
pub(crate) fn next_id(ids: &AtomicU64) -> u64 {
    ids.fetch_add(1, Ordering::Relaxed) + 1
}
