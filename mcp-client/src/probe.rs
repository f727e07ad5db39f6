//! Making a connection, and finding out how to speak on it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use mcp_protocol::{
    Dialect, DiscoverResult, Era, InitializeParams, InitializeResult, JsonObject, ProtocolVersion,
    RequestId, method, notification,
};
use mcp_transport::{Answer, Connect, Failure, Handler, Outgoing, Transport, TransportError};
use serde::Serialize;
use tokio::time::timeout;

use crate::Error;
use crate::connection::{Connection, Server, modern_dialect};
use crate::era::{Evidence, On, Verdict, judge};
use crate::inbox::Inbox;
use crate::settings::Settings;
use crate::shared::Shared;

/// Connects, asks the server what it is, and agrees with it on a version.
pub(crate) async fn establish(
    connect: &dyn Connect,
    shared: &Arc<Shared>,
    ids: &AtomicU64,
) -> Result<Connection, Error> {
    let settings = &shared.settings;
    let line = Line::open(connect, shared, ids).await?;
    let found = match settings.era {
        Some(Era::Legacy) => line.handshake(settings).await.map(Some),
        _ => line.discover(settings).await,
    };
    let server = match found {
        Ok(Some(server)) => server,
        Ok(None) => {
            line.close();
            let line = Line::open(connect, shared, ids).await?;
            return match line.handshake(settings).await {
                Ok(server) => Ok(line.agree(shared, server)),
                Err(error) => Err(line.refuse(error)),
            };
        }
        Err(error) => return Err(line.refuse(error)),
    };
    Ok(line.agree(shared, server))
}

/// A connection on which nothing is agreed yet.
struct Line<'a> {
    transport: Arc<dyn Transport>,
    inbox: Arc<Inbox>,
    ids: &'a AtomicU64,
}

impl<'a> Line<'a> {
    async fn open(
        connect: &dyn Connect,
        shared: &Arc<Shared>,
        ids: &'a AtomicU64,
    ) -> Result<Self, Error> {
        let inbox = Arc::new(Inbox::new(Arc::clone(shared)));
        let handler: Arc<dyn Handler> = Arc::clone(&inbox) as Arc<dyn Handler>;
        let transport = connect.connect(handler).await.map_err(Failure::before_sending)?;
        inbox.connected(&transport);
        Ok(Self { transport, inbox, ids })
    }

    fn agree(self, shared: &Shared, server: Server) -> Connection {
        self.inbox.agreed(server.era);
        shared.set_server(&server.info);
        let dialect = match server.era {
            Era::Modern => modern_dialect(&shared.settings, &server.protocol_version),
            Era::Legacy => Dialect::Legacy,
        };
        Connection::new(self.transport, server, dialect)
    }

    /// Ends the connection in the background: a server may take its time over it.
    fn close(&self) {
        let transport = Arc::clone(&self.transport);
        tokio::spawn(async move { transport.close().await });
    }

    /// Ends a connection that came to nothing, and passes on why.
    fn refuse(&self, error: Error) -> Error {
        self.close();
        error
    }

    /// Asks the server what it is, in one version after the other.
    ///
    /// Nothing means that it has to be asked in the legacy way, on a new connection.
    async fn discover(&self, settings: &Settings) -> Result<Option<Server>, Error> {
        let mut version = settings.protocol_versions[0].clone();
        let mut tried = Vec::new();
        loop {
            tried.push(version.clone());
            let dialect = modern_dialect(settings, &version);
            let params = JsonObject::new();
            let mut question = Box::pin(self.request(&dialect, method::DISCOVER, &params));
            let answer = within(settings.probe_timeout, &mut question).await;
            let late = match answer {
                Some(answer) => match Found::from(&answer, settings, &tried)? {
                    Found::Server(server) => return Ok(Some(*server)),
                    Found::Retry(next) => {
                        version = next;
                        continue;
                    }
                    Found::Legacy(_) if settings.era == Some(Era::Modern) => {
                        let (requested, supported) = (version.to_string(), Vec::new());
                        return Err(Error::UnsupportedVersion { requested, supported });
                    }
                    Found::Legacy(On::NewConnection) => return Ok(None),
                    Found::Legacy(On::ThisConnection) => {
                        return self.handshake(settings).await.map(Some);
                    }
                },
                None => question,
            };
            if settings.era == Some(Era::Modern) {
                let seconds = settings.probe_timeout.unwrap_or_default().as_secs_f64();
                let method = method::DISCOVER.to_owned();
                return Err(Error::Timeout { seconds, method, id: None });
            }
            // It may be deaf to this question, or only slow to start: it is asked the other
            // question as well, and whichever answer settles the matter first counts.
            return self.handshake_or(late, settings, &tried).await;
        }
    }

    async fn handshake_or(
        &self,
        late: impl Future<Output = Result<Answer, Failure>>,
        settings: &Settings,
        tried: &[ProtocolVersion],
    ) -> Result<Option<Server>, Error> {
        let handshake = self.handshake(settings);
        tokio::pin!(late, handshake);
        tokio::select! {
            biased;
            answer = &mut late => match Found::from(&answer, settings, tried)? {
                Found::Server(server) => Ok(Some(*server)),
                Found::Legacy(On::ThisConnection) | Found::Retry(_) => handshake.await.map(Some),
                Found::Legacy(On::NewConnection) => Ok(None),
            },
            server = &mut handshake => server.map(Some),
        }
    }

    /// Opens a legacy session.
    async fn handshake(&self, settings: &Settings) -> Result<Server, Error> {
        let requested = ProtocolVersion::V2025_11_25;
        let capabilities = settings.capabilities.clone();
        let params =
            InitializeParams::new(requested.as_str(), capabilities, settings.client_info.clone());
        let question = self.request(&Dialect::Legacy, method::INITIALIZE, &params);
        let Some(answer) = within(settings.request_timeout, question).await else {
            let seconds = settings.request_timeout.unwrap_or_default().as_secs_f64();
            let method = method::INITIALIZE.to_owned();
            return Err(Error::Timeout { seconds, method, id: None });
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
        let server = Server::legacy(&result, answer.decode().unwrap_or_default());
        let message = notification::<JsonObject>(method::INITIALIZED, None).unwrap_or_default();
        self.transport.notify(Outgoing::notification(method::INITIALIZED, message)).await;
        self.set_level(settings, &server).await;
        Ok(server)
    }

    /// Tells a legacy server how much to log, if it logs at all.
    async fn set_level(&self, settings: &Settings, server: &Server) {
        if let (Some(level), Some(_)) = (settings.log_level, &server.capabilities.logging) {
            let params = mcp_protocol::SetLevelParams::new(level);
            let asked = self.request(&Dialect::Legacy, method::SET_LEVEL, &params);
            // A server that minds logs what it likes; nothing else depends on it.
            let _ = within(settings.request_timeout, asked).await;
        }
    }

    async fn request<P: Serialize>(
        &self,
        dialect: &Dialect,
        method: &'static str,
        params: &P,
    ) -> Result<Answer, Failure> {
        let id = next_id(self.ids);
        let body = dialect.request(&RequestId::from(id), method, Some(params), None);
        let body = body.map_err(|error| {
            Failure::before_sending(TransportError::Protocol(error.to_string()))
        })?;
        self.transport.request(Outgoing::request(id, method, body)).await
    }
}

/// What the answer to the probe amounts to.
enum Found {
    Server(Box<Server>),
    Retry(ProtocolVersion),
    Legacy(On),
}

impl Found {
    fn from(
        answer: &Result<Answer, Failure>,
        settings: &Settings,
        tried: &[ProtocolVersion],
    ) -> Result<Self, Error> {
        let mut result = None;
        let verdict = {
            let evidence = match answer {
                Ok(answer) => {
                    result = answer.decode::<DiscoverResult>().ok();
                    Evidence::Answer(result.as_ref())
                }
                Err(failure) => match &failure.error {
                    TransportError::Rpc(error) => Evidence::Error(error),
                    TransportError::ServerGone(_) => Evidence::Gone,
                    TransportError::Protocol(_) => Evidence::Silence,
                    // A wire that was cut on this side says nothing about the server.
                    _ => return Err(failure.clone().into()),
                },
            };
            judge(&evidence, &settings.protocol_versions, tried)
        };
        Ok(match verdict {
            Verdict::Modern(version) => Self::Server(Box::new(match (&result, answer) {
                (Some(result), Ok(answer)) => {
                    Server::modern(&version, result, answer.decode().unwrap_or_default())
                }
                _ => Server::undescribed(&version),
            })),
            Verdict::Retry(version) => Self::Retry(version),
            Verdict::Legacy(on) => Self::Legacy(on),
            Verdict::Unsupported { requested, supported } => {
                let requested = requested.to_string();
                return Err(Error::UnsupportedVersion { requested, supported });
            }
        })
    }
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
