//! What all handles on one client share: the connection, and the requests made on it.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, Weak};

use mcp_cache::{Partition, Provenance};
use mcp_protocol::{CallToolResult, Era, ListToolsResult, ReadResourceResult, method};
use mcp_provider::contain;
use mcp_transport::Connect;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;
use tokio::task::JoinHandle;

use crate::Error;
use crate::cache::read_key;
use crate::call::Options;
use crate::catalogue::Catalogue;
use crate::connection::Connection;
use crate::input::Concluded;
use crate::listing::Page;
use crate::lock::lock;
use crate::opened::Opened;
use crate::probe::Dialer;
use crate::request::Question;
use crate::shared::Shared;
use crate::task::spawn;

pub(crate) struct Inner {
    /// Itself, for whoever has to connect again on its behalf.
    this: Weak<Self>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) ids: Arc<AtomicU64>,
    pub(crate) dialer: Arc<Dialer>,
    state: Mutex<State>,
}

/// How far the connection has come.
enum State {
    Idle,
    /// Somebody needed it first; all others wait for the same outcome.
    Connecting(Connecting),
    Connected(Arc<Connection>),
    Closed,
}

/// A task that connects.  It stops when this is dropped.
struct Connecting {
    outcome: watch::Receiver<Option<Outcome>>,
    task: JoinHandle<()>,
}

type Outcome = Result<Arc<Connection>, Error>;

impl Connecting {
    fn start(dialer: Arc<Dialer>, inner: Weak<Inner>) -> Self {
        let (sender, outcome) = watch::channel(None);
        Self { outcome, task: spawn(connect(dialer, inner, sender)) }
    }

    /// Whether there will be an outcome.  A task that vanished went with its runtime.
    fn is_running(&self) -> bool {
        self.outcome.has_changed().is_ok()
    }
}

impl Drop for Connecting {
    fn drop(&mut self) {
        // The task itself ends here as well, when it is done: then this changes nothing.
        self.task.abort();
    }
}

impl Inner {
    pub(crate) fn new(shared: Shared, connect: Arc<dyn Connect>) -> Arc<Self> {
        let (shared, ids) = (Arc::new(shared), Arc::default());
        let (opened, known) = (Arc::new(Opened::default()), Mutex::default());
        let (for_dialer, minted) = (Arc::clone(&shared), Arc::clone(&ids));
        let dialer = Dialer { connect, shared: for_dialer, ids: minted, opened, known };
        Arc::new_cyclic(|this| Self {
            this: Weak::clone(this),
            shared,
            ids,
            dialer: Arc::new(dialer),
            state: Mutex::new(State::Idle),
        })
    }

    /// The connection, if there is one already; an error once the client is closed.
    pub(crate) fn connected(&self) -> Result<Option<Arc<Connection>>, Error> {
        match &*lock(&self.state) {
            State::Idle | State::Connecting(_) => Ok(None),
            State::Connected(connection) => Ok(Some(Arc::clone(connection))),
            State::Closed => Err(Error::TransportClosed { is_sent: false }),
        }
    }

    /// Closes the connection; boxed, so that its code is here alone.
    pub(crate) fn close(&self) -> Pin<Box<dyn Future<Output = ()> + Send + '_>> {
        Box::pin(self.close_all())
    }

    async fn close_all(&self) {
        let before = std::mem::replace(&mut *lock(&self.state), State::Closed);
        self.shared.cache.clear(&self.shared.partition);
        // The streams end when the server has, or when nobody waits for that any more.
        let _streams = EndStreams(&self.shared);
        if let State::Connecting(mut connecting) = before {
            connecting.task.abort();
            // Once it has ended, whatever it opened is known.
            let _ = (&mut connecting.task).await;
        }
        self.dialer.opened.close().await;
    }

    /// The connection, made by the first who needs it.
    ///
    /// It is made in a task of its own: whoever gave up waiting does not undo it for the others.
    pub(crate) async fn connection(self: &Arc<Self>) -> Outcome {
        let mut outcome = {
            let mut state = lock(&self.state);
            match &*state {
                State::Connected(connection) => return Ok(Arc::clone(connection)),
                State::Closed => return Err(Error::TransportClosed { is_sent: false }),
                State::Connecting(connecting) if connecting.is_running() => {
                    connecting.outcome.clone()
                }
                State::Idle | State::Connecting(_) => {
                    let connecting =
                        Connecting::start(Arc::clone(&self.dialer), Arc::downgrade(self));
                    let outcome = connecting.outcome.clone();
                    *state = State::Connecting(connecting);
                    outcome
                }
            }
        };
        let outcome = outcome.wait_for(Option::is_some).await;
        let outcome = outcome.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or(Err(Error::TransportClosed { is_sent: false }))
    }

    /// A connection in place of one whose session the server has ended: the one that somebody else
    /// has made since, or else a new one.
    pub(crate) async fn renew(&self, expired: &Connection) -> Outcome {
        let this = self.this.upgrade();
        let this = this.ok_or(Error::TransportClosed { is_sent: false })?;
        let is_current = |it: &Arc<Connection>| std::ptr::eq(&**it, expired);
        {
            let mut state = lock(&self.state);
            if matches!(&*state, State::Connected(connection) if is_current(connection)) {
                // What is under way on it goes on to its own end.
                *state = State::Idle;
            }
        }
        this.connection().await
    }

    /// Takes the outcome of connecting over, and returns it as the others are to see it.
    fn connect_ended(&self, outcome: Outcome) -> Outcome {
        let mut state = lock(&self.state);
        if let State::Closed = *state {
            // Whoever closed the client closes what was opened.
            return Err(Error::TransportClosed { is_sent: false });
        }
        *state = match &outcome {
            Ok(connection) => State::Connected(Arc::clone(connection)),
            Err(_) => State::Idle,
        };
        outcome
    }

    /// The server's tools, from the cache if it has them.
    pub(crate) async fn catalogue(
        self: &Arc<Self>,
        options: &Options,
    ) -> Result<Arc<Catalogue>, Error> {
        let connection = self.connection().await?;
        self.catalogue_on(&connection, options).await
    }

    pub(crate) async fn catalogue_on(
        &self,
        connection: &Connection,
        options: &Options,
    ) -> Result<Arc<Catalogue>, Error> {
        let catalogue = self.list::<ListToolsResult>(connection, options).await?;
        connection.remember(&catalogue);
        Ok(catalogue)
    }

    pub(crate) async fn listing<P: Page>(
        self: &Arc<Self>,
        options: &Options,
    ) -> Result<P::Whole, Error>
    where
        P::Whole: Clone,
    {
        let connection = self.connection().await?;
        let listing = self.list::<P>(&connection, options).await?;
        Ok(P::Whole::clone(&listing))
    }

    pub(crate) async fn call_tool(
        self: &Arc<Self>,
        name: &str,
        arguments: &RawValue,
        options: &Options,
    ) -> Result<Concluded<CallToolResult>, Error> {
        let params = CallParams { name, arguments };
        let connection = self.connection().await?;
        match connection.mirrors() {
            true => Box::pin(self.call_mirrored(&connection, &params, options)).await,
            false => Ok(self.conclude(&connection, &params.question(), options).await?),
        }
    }

    pub(crate) async fn read_resource(
        self: &Arc<Self>,
        uri: &str,
        options: &Options,
    ) -> Result<Arc<ReadResourceResult>, Error> {
        #[derive(Serialize)]
        struct Params<'a> {
            uri: &'a str,
        }
        let shared = &self.shared;
        let connection = self.connection().await?;
        let key = read_key(&shared.partition, uri);
        if options.refresh {
            shared.cache.evict(&key);
        } else if let Some(result) = shared.cache.get(&key) {
            return Ok(result);
        }
        let mark = shared.cache.mark();
        let params = Params { uri };
        let question = Question::new(method::READ_RESOURCE, Some(&params)).naming(uri);
        let concluded: Concluded<ReadResourceResult> =
            self.conclude(&connection, &question, options).await?;
        let result = Arc::new(concluded.result);
        if connection.era == Era::Modern {
            let provenance = match concluded.had_input {
                true => Provenance::AfterInput,
                false => Provenance::Request(mark),
            };
            let kept = (concluded.answer.as_bytes().len(), result.cache_hint());
            shared.cache.put(&key, Arc::clone(&result), kept, provenance);
        }
        Ok(result)
    }
}

/// What a call of a tool is sent with.
#[derive(Serialize)]
pub(crate) struct CallParams<'a> {
    pub(crate) name: &'a str,
    pub(crate) arguments: &'a RawValue,
}

impl CallParams<'_> {
    pub(crate) fn question(&self) -> Question<'_> {
        Question::new(method::CALL_TOOL, Some(self)).naming(self.name)
    }
}

/// Ends the streams of notifications when it is dropped.
struct EndStreams<'a>(&'a Shared);

impl Drop for EndStreams<'_> {
    fn drop(&mut self) {
        self.0.hub.close();
        self.0.feeds.close();
    }
}

/// Connects, for as long as there is a client to connect for.
async fn connect(dialer: Arc<Dialer>, inner: Weak<Inner>, outcome: watch::Sender<Option<Outcome>>) {
    let established = contain(Box::pin(dialer.establish())).await;
    let established = established.unwrap_or_else(|panicked| {
        Err(Error::refused(format!("making the connection {panicked}")))
    });
    let established = established.map(Arc::new).map_err(Error::before_sending);
    if let Some(inner) = inner.upgrade() {
        outcome.send_replace(Some(inner.connect_ended(established)));
    }
}

impl Drop for Inner {
    fn drop(&mut self) {
        self.dialer.opened.abandon();
        self.shared.cache.clear(&self.shared.partition);
        self.shared.hub.close();
        self.shared.feeds.close();
    }
}

/// A partition that no other client has.
pub(crate) fn own_partition() -> Partition {
    static CLIENTS: AtomicU64 = AtomicU64::new(0);
    let number = CLIENTS.fetch_add(1, Ordering::Relaxed) + 1;
    Partition::new(format!("client {number}"))
}
