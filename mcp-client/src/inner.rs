//! What all handles on one client share: the connection, and the requests made on it.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use mcp_cache::{Partition, Provenance};
use mcp_protocol::{CallToolResult, ListToolsResult, ReadResourceResult, method};
use mcp_transport::Connect;
use serde::Serialize;
use serde_json::value::RawValue;
use tokio::sync::watch;

use crate::Error;
use crate::cache::read_key;
use crate::call::Options;
use crate::catalogue::Catalogue;
use crate::connection::Connection;
use crate::input::Concluded;
use crate::listing::Page;
use crate::lock::lock;
use crate::probe::establish;
use crate::request::Question;
use crate::shared::Shared;

pub(crate) struct Inner {
    pub(crate) shared: Arc<Shared>,
    pub(crate) ids: AtomicU64,
    pub(crate) connect: Arc<dyn Connect>,
    state: Mutex<State>,
}

/// How far the connection has come.
enum State {
    Idle,
    /// Somebody needed it first; all others wait for the same outcome.
    Connecting(watch::Receiver<Option<Outcome>>),
    Connected(Arc<Connection>),
    Closed,
}

type Outcome = Result<Arc<Connection>, Error>;

impl Inner {
    pub(crate) fn new(shared: Shared, connect: Arc<dyn Connect>) -> Self {
        Self {
            shared: Arc::new(shared),
            ids: AtomicU64::new(0),
            connect,
            state: Mutex::new(State::Idle),
        }
    }

    /// The connection, if there is one already; an error once the client is closed.
    pub(crate) fn connected(&self) -> Result<Option<Arc<Connection>>, Error> {
        match &*lock(&self.state) {
            State::Idle | State::Connecting(_) => Ok(None),
            State::Connected(connection) => Ok(Some(Arc::clone(connection))),
            State::Closed => Err(Error::TransportClosed { is_sent: false }),
        }
    }

    pub(crate) async fn close(&self) {
        let before = std::mem::replace(&mut *lock(&self.state), State::Closed);
        self.shared.cache.clear(&self.shared.partition);
        match before {
            State::Connected(connection) => connection.transport.close().await,
            State::Connecting(mut outcome) => {
                // Whoever connects finds the client closed, and closes what it has made.
                let _ = outcome.wait_for(Option::is_some).await;
            }
            State::Idle | State::Closed => (),
        }
        self.shared.hub.close();
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
                State::Connecting(outcome) => outcome.clone(),
                State::Idle => {
                    let (sender, outcome) = watch::channel(None);
                    tokio::spawn(Arc::clone(self).connect(sender));
                    *state = State::Connecting(outcome.clone());
                    outcome
                }
            }
        };
        let outcome = outcome.wait_for(Option::is_some).await;
        // A task that vanished went with its runtime.
        let outcome = outcome.ok().and_then(|outcome| outcome.clone());
        outcome.unwrap_or(Err(Error::TransportClosed { is_sent: false }))
    }

    async fn connect(self: Arc<Self>, outcome: watch::Sender<Option<Outcome>>) {
        let established = establish(&*self.connect, &self.shared, &self.ids).await.map(Arc::new);
        let is_closed = {
            let mut state = lock(&self.state);
            match (&*state, &established) {
                (State::Closed, _) => true,
                (_, Ok(connection)) => {
                    *state = State::Connected(Arc::clone(connection));
                    false
                }
                (_, Err(_)) => {
                    *state = State::Idle;
                    false
                }
            }
        };
        let established = match established {
            Ok(connection) if is_closed => {
                connection.transport.close().await;
                Err(Error::TransportClosed { is_sent: false })
            }
            established => established,
        };
        outcome.send_replace(Some(established));
    }

    /// The server's tools, from the cache if it has them.
    pub(crate) async fn catalogue(
        self: &Arc<Self>,
        options: &Options,
    ) -> Result<Arc<Catalogue>, Error> {
        let connection = self.connection().await?;
        self.list::<ListToolsResult>(&connection, options).await
    }

    pub(crate) async fn listing<P: Page>(
        self: &Arc<Self>,
        options: &Options,
    ) -> Result<P::Listing, Error>
    where
        P::Listing: Clone,
    {
        let connection = self.connection().await?;
        let listing = self.list::<P>(&connection, options).await?;
        Ok(P::Listing::clone(&listing))
    }

    pub(crate) async fn call_tool(
        self: &Arc<Self>,
        name: &str,
        arguments: &RawValue,
        options: Options,
    ) -> Result<Concluded<CallToolResult>, Error> {
        #[derive(Serialize)]
        struct Params<'a> {
            name: &'a str,
            arguments: &'a RawValue,
        }
        let params = Params { name, arguments };
        let question = Question { method: method::CALL_TOOL, name: Some(name), params: &params };
        let (options, _token) = options.with_token(&self.shared.tokens);
        let connection = self.connection().await?;
        self.conclude(&connection, &question, &options).await
    }

    pub(crate) async fn read_resource(
        self: &Arc<Self>,
        uri: &str,
        options: Options,
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
        let question = Question { method: method::READ_RESOURCE, name: Some(uri), params: &params };
        let (options, _token) = options.with_token(&shared.tokens);
        let concluded: Concluded<ReadResourceResult> =
            self.conclude(&connection, &question, &options).await?;
        let result = Arc::new(concluded.result);
        if connection.is_modern() {
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

/// A partition that no other client has.
pub(crate) fn own_partition() -> Partition {
    static CLIENTS: AtomicU64 = AtomicU64::new(0);
    let number = CLIENTS.fetch_add(1, Ordering::Relaxed) + 1;
    Partition::new(format!("client {number}"))
}
