//! What every exchange with one server shares.

use std::fmt;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, Method};
use mcp_protocol::{cancelled, method};
use tokio::runtime::Handle;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::http::endpoint::{Call, Endpoint, Reply, before};
use crate::http::fallback::Fallback;
use crate::http::metadata::{LAST_EVENT_ID, last_event_id, metadata};
use crate::http::session::Session;
use crate::task::{Boxed, lock};
use crate::{Failure, Outgoing, TransportError};

/// A server, the session with it, and the tasks that work for both.
pub(crate) struct Connection {
    pub(crate) endpoint: Endpoint,
    pub(crate) session: Session,
    /// Set once the server turned out to speak HTTP with SSE, of `2024-11-05`.
    pub(crate) fallback: OnceLock<Arc<Fallback>>,
    ending: watch::Sender<Ending>,
    runtime: Handle,
    /// Gone once there is nothing more to do.
    tasks: Mutex<Option<JoinSet<()>>>,
}

/// How far a connection has come to its end.
#[derive(Debug, Default)]
struct Ending {
    /// Why no more requests are taken, once they are not.
    why: Option<TransportError>,
    /// Whether those that are under way are given up as well.
    is_cut: bool,
}

impl Connection {
    pub(crate) fn new(endpoint: Endpoint, runtime: Handle) -> Self {
        Self {
            endpoint,
            session: Session::default(),
            fallback: OnceLock::new(),
            ending: watch::Sender::new(Ending::default()),
            runtime,
            tasks: Mutex::new(Some(JoinSet::new())),
        }
    }

    /// Sends one message.
    pub(crate) async fn post(
        &self,
        message: Outgoing,
        is_sent: &AtomicBool,
    ) -> Result<Reply, Failure> {
        let fallback = self.fallback.get().map(|fallback| fallback.target());
        let target = Arc::clone(fallback.unwrap_or(&self.endpoint.target));
        let session = self.session.headers_for(&message);
        let headers = metadata(&message, session.as_deref()).map_err(before)?;
        let body = Bytes::from(message.body);
        self.endpoint.send(Call { method: Method::POST, target, headers, body }, is_sent).await
    }

    /// Opens a stream of events, or goes on with one behind the event of this id.
    pub(crate) async fn get(&self, last_event: &str) -> Result<Reply, Failure> {
        let mut headers = self.session.stream_headers();
        if let Some(id) = last_event_id(last_event) {
            headers.insert(LAST_EVENT_ID, id);
        }
        self.bodiless(Method::GET, headers).await
    }

    /// Ends the session, if there is one.
    pub(crate) async fn delete(&self) {
        if let Some(headers) = self.session.close() {
            // A server that knows no DELETE ends the session in its own time.
            let _ = timeout(GOODBYE, self.bodiless(Method::DELETE, headers)).await;
        }
    }

    async fn bodiless(&self, method: Method, headers: HeaderMap) -> Result<Reply, Failure> {
        let target = Arc::clone(&self.endpoint.target);
        let call = Call { method, target, headers, body: Bytes::new() };
        self.endpoint.send(call, &AtomicBool::new(false)).await
    }

    /// Sends a message that has no answer; what goes wrong is warned about.
    pub(crate) async fn tell(&self, message: Outgoing) -> bool {
        let what = match &*message.method {
            "" => "an answer to the server".to_owned(),
            method => method.to_owned(),
        };
        let sending = async { self.post(message, &AtomicBool::new(false)).await };
        let detail = match timeout(NOTICE, sending).await {
            Ok(Ok(Reply::Success(success))) => {
                success.body.drain().await;
                return true;
            }
            Ok(Ok(Reply::Refusal(refusal))) => refusal.error().to_string(),
            Ok(Err(failure)) => failure.to_string(),
            Err(_) => format!("the server did not take it within {} s", NOTICE.as_secs()),
        };
        self.endpoint.warn(&format!("could not send {what}: {detail}"));
        false
    }

    /// Tells the server that nobody waits for the answer to `id` any more.
    pub(crate) fn cancel(self: &Arc<Self>, id: u64) {
        let body = cancelled(id, "the client no longer waits for the answer");
        let message = Outgoing::notification(method::CANCELLED, body);
        let connection = Arc::clone(self);
        self.spawn(async move {
            connection.tell(message).await;
        });
    }

    /// Does something in the background, for as long as the connection lasts.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        let work: Boxed<()> = Box::pin(work);
        if let Some(tasks) = &mut *lock(&self.tasks) {
            while tasks.try_join_next().is_some() {}
            tasks.spawn_on(work, &self.runtime);
        }
    }

    /// Ends the connection: every request fails, those that wait and those that will come.
    pub(crate) fn close(&self) {
        self.retire(&TransportError::Closed);
        self.ending.send_modify(|ending| ending.is_cut = true);
    }

    /// The server knows the session no longer: only a new connection can open another.
    ///
    /// Requests that are under way go on to an end of their own: the server may have refused them
    /// as well, or may still be answering.
    pub(crate) fn expire(&self) {
        self.session.forget();
        self.retire(&TransportError::SessionExpired);
    }

    fn retire(&self, error: &TransportError) {
        self.ending.send_if_modified(|ending| {
            let is_first = ending.why.is_none();
            ending.why.get_or_insert_with(|| error.clone());
            is_first
        });
    }

    /// Waits until requests that are under way are given up.
    pub(crate) async fn closed(&self) -> TransportError {
        // The sender lives as long as this is borrowed.
        let _ = self.ending.subscribe().wait_for(|ending| ending.is_cut).await;
        TransportError::Closed
    }

    /// Why the connection ended, if it has.
    pub(crate) fn end(&self) -> Option<TransportError> {
        self.ending.borrow().why.clone()
    }

    /// Waits until the connection has ended, and says how.
    pub(crate) async fn ended(&self) -> TransportError {
        let mut ending = self.ending.subscribe();
        let ending = ending.wait_for(|ending| ending.why.is_some()).await;
        // The sender lives as long as this is borrowed.
        ending.ok().and_then(|ending| ending.why.clone()).unwrap_or(TransportError::Closed)
    }

    /// Stops what is done in the background; nothing more is begun.
    pub(crate) fn stop(&self) -> Option<JoinSet<()>> {
        let mut tasks = lock(&self.tasks).take();
        if let Some(tasks) = &mut tasks {
            tasks.abort_all();
        }
        tasks
    }
}

impl fmt::Debug for Connection {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Connection")
            .field("url", &self.endpoint.target.to_string())
            .field("session", &self.session)
            .field("ended", &self.end())
            .finish_non_exhaustive()
    }
}

/// A request that somebody waits for.  Dropped while they still do, it tells a legacy server; a
/// modern one sees its stream closed.
pub(crate) struct Waiting<'a> {
    connection: &'a Arc<Connection>,
    is_sent: &'a AtomicBool,
    id: u64,
    is_told: bool,
}

impl<'a> Waiting<'a> {
    pub(crate) fn new(
        connection: &'a Arc<Connection>,
        request: &Outgoing,
        id: u64,
        is_sent: &'a AtomicBool,
    ) -> Self {
        let is_told = request.version.is_none() && request.is_cancellable();
        Self { connection, is_sent, id, is_told }
    }

    pub(crate) fn settled(mut self) {
        self.is_told = false;
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if let Some(fallback) = self.connection.fallback.get() {
            fallback.forget(self.id);
        }
        if self.is_told && self.is_sent.load(Ordering::Relaxed) {
            self.connection.cancel(self.id);
        }
    }
}

/// How long a server may take to take a message that has no answer.
const NOTICE: Duration = Duration::from_secs(60);
/// How long a server may take to end a session.
const GOODBYE: Duration = Duration::from_secs(2);
