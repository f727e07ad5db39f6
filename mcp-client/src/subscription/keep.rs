//! Keeping a subscription open.

use std::pin::pin;
use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_protocol::{
    Dialect, Era, ErrorCode, JsonObject, Params, RequestId, SubscriptionFilter,
    SubscriptionsListenParams, method,
};
use mcp_transport::{Answer, Failure, Outgoing};
use tokio::sync::oneshot;
use tokio::time::{Instant, sleep};

use crate::call::Options;
use crate::connection::Connection;
use crate::era::reselect;
use crate::inner::Inner;
use crate::probe::next_id;
use crate::shared::Shared;
use crate::subscription::feed::Feed;
use crate::task::spawn;
use crate::{Error, Subscription, SubscriptionEnd};

impl Inner {
    /// Opens a subscription, and keeps it open in a task of its own.
    pub(crate) async fn subscribe(
        self: &Arc<Self>,
        filter: SubscriptionFilter,
        options: &Options,
    ) -> Result<Subscription, Error> {
        if filter.is_empty() {
            return Err(Error::refused("a subscription needs something to be told of"));
        }
        let connection = self.connection().await?;
        let feed = Feed::new(self.shared.feeds.room);
        let keeper = Keeper {
            inner: Arc::downgrade(self),
            ids: Arc::clone(&self.ids),
            shared: Arc::clone(&self.shared),
            feed: Arc::clone(&feed),
            filter: filter.clone(),
            timeout: options.timeout,
            meta: options.meta.clone(),
            reopens: options.reopens,
        };
        let (opened, is_open) = oneshot::channel();
        let task = spawn(keeper.keep(connection, opened)).abort_handle();
        self.shared.feeds.keep(&feed, task.clone());
        // Dropped before it is open, it is given up.
        let subscription = Subscription::new(filter, feed, task);
        is_open.await.unwrap_or(Err(Error::TransportClosed { is_sent: false }))?;
        Ok(subscription)
    }
}

/// How far opening has come.
pub(crate) struct Opened {
    /// Where the outcome goes, the first time.
    outcome: Option<oneshot::Sender<Result<(), Error>>>,
    /// Since when the subscription is open; nothing while it is not.
    since: Option<Instant>,
    /// Whether the server has said that it never will be.
    pub(super) is_refused: bool,
}

/// What it takes to open a subscription, and to open it again.
pub(crate) struct Keeper {
    inner: Weak<Inner>,
    ids: Arc<AtomicU64>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) filter: SubscriptionFilter,
    pub(crate) timeout: Option<Duration>,
    meta: Option<Box<JsonObject>>,
    reopens: bool,
}

impl Keeper {
    async fn keep(
        self,
        mut connection: Arc<Connection>,
        opened: oneshot::Sender<Result<(), Error>>,
    ) {
        let mut opened = Opened { outcome: Some(opened), since: None, is_refused: false };
        let (mut delay, mut is_renewed) = (FIRST_DELAY, false);
        loop {
            let outcome = match connection.era {
                Era::Modern => self.listen(&connection, &mut opened).await,
                Era::Legacy => self.watch(&connection, &mut opened).await,
            };
            let Err(mut error) = outcome else {
                return self.feed.finish(SubscriptionEnd::Graceful);
            };
            let held = opened.since.take().map(|since| since.elapsed());
            // Nothing was opened in a session that was over: the next one is tried at once.
            if held.is_none() && !is_renewed && matches!(error, Error::SessionExpired { .. }) {
                is_renewed = true;
                match self.renew(&connection).await {
                    Ok(renewed) => {
                        connection = renewed;
                        continue;
                    }
                    Err(failed) => error = failed,
                }
            }
            if let Some(opened) = opened.outcome.take() {
                // Whoever gave up waiting has aborted this task.
                let _ = opened.send(Err(error));
                return;
            }
            // Whatever changes from now on is not told.
            self.forget();
            if !self.reopens || opened.is_refused || is_final(&error) {
                return self.feed.finish(ending(error));
            }
            // One that held longer than it was waited for owes nothing to the breaks before.
            if held.is_some_and(|held| held > delay) {
                delay = FIRST_DELAY;
            }
            sleep(delay).await;
            (delay, is_renewed) = ((2 * delay).min(LAST_DELAY), false);
            connection = match self.reconnect(connection, error).await {
                Ok(connection) => connection,
                Err(error) => return self.feed.finish(ending(error)),
            };
        }
    }

    /// A connection to open the subscription on again.
    ///
    /// # Errors
    ///
    /// Fails with the reason why there will be none.
    async fn reconnect(
        &self,
        connection: Arc<Connection>,
        error: Error,
    ) -> Result<Arc<Connection>, Error> {
        if let Error::SessionExpired { .. } = error {
            return match self.renew(&connection).await {
                Err(error @ Error::TransportClosed { .. }) => Err(error),
                // The next attempt tries again.
                Err(_) => Ok(connection),
                renewed => renewed,
            };
        }
        // A server that has ended is not started again.
        if connection.transport.is_alive() { Ok(connection) } else { Err(error) }
    }

    async fn renew(&self, connection: &Connection) -> Result<Arc<Connection>, Error> {
        let inner = self.inner.upgrade().ok_or(Error::TransportClosed { is_sent: true })?;
        inner.renew(connection).await
    }

    /// Listens to a modern server until it ends the subscription, or the subscription breaks off.
    ///
    /// Where the server takes the version in use no longer, it is asked once more in another.
    async fn listen(&self, connection: &Connection, opened: &mut Opened) -> Result<(), Error> {
        let dialect = connection.dialect();
        let outcome = self.listen_in(&dialect, connection, opened).await;
        let (Dialect::Modern(stamp), Err(Error::Protocol { code, data, .. })) =
            (&*dialect, &outcome)
        else {
            return outcome;
        };
        let (settings, in_use) = (&self.shared.settings, stamp.version());
        match reselect(*code, data.as_deref(), &settings.protocol_versions, in_use) {
            Some(version) if opened.since.is_none() => connection.speak(settings, version),
            _ => return outcome,
        }
        self.listen_in(&connection.dialect(), connection, opened).await
    }

    async fn listen_in(
        &self,
        dialect: &Dialect,
        connection: &Connection,
        opened: &mut Opened,
    ) -> Result<(), Error> {
        let params = SubscriptionsListenParams::from(self.filter.clone());
        let (id, request) = self.request(dialect, method::LISTEN, &params)?;
        let registered = self.shared.feeds.under(id, &self.feed);
        let mut acknowledgements = self.feed.acknowledgements();
        let mut listening = pin!(connection.transport.request(request));
        let opening = async {
            tokio::select! {
                biased;
                // The feed, and with it the sender, is held here.
                _ = acknowledgements.changed() => Ok(()),
                answer = &mut listening => Err(unopened(answer)),
                () = registered.taken_back() => Err(Error::protocol(UNOPENED)),
            }
        };
        match self.shared.patience.within(self.timeout, opening).await {
            Some(opening) => opening?,
            None => return Err(Error::timeout(method::LISTEN, id, self.timeout)),
        }
        self.opened(opened);
        tokio::select! {
            biased;
            answer = &mut listening => answer.map(drop).map_err(Error::from),
            () = registered.taken_back() => Ok(()),
        }
    }

    /// A request, and its id.
    pub(super) fn request(
        &self,
        dialect: &Dialect,
        method: &'static str,
        params: &dyn Params,
    ) -> Result<(u64, Outgoing), Error> {
        let id = next_id(&self.ids);
        let body =
            dialect.request(&RequestId::from(id), method, Some(params), self.meta.as_deref());
        let body = body.map_err(|error| Error::refused(error.to_string()))?;
        let mut request = Outgoing::request(id, method, body);
        request.version = dialect.version().cloned();
        Ok((id, request))
    }

    /// The subscription is open: for the first time, or again.
    pub(crate) fn opened(&self, opened: &mut Opened) {
        opened.since = Some(Instant::now());
        match opened.outcome.take() {
            // Whoever gave up waiting has aborted this task.
            Some(opened) => _ = opened.send(Ok(())),
            None => {
                self.forget();
                self.feed.reopened();
            }
        }
    }

    /// Forgets the results that the subscription was to keep fresh.
    fn forget(&self) {
        let Self { shared, filter, .. } = self;
        let lists = [
            (filter.tools_list_changed, method::TOOLS_CHANGED),
            (filter.prompts_list_changed, method::PROMPTS_CHANGED),
            (filter.resources_list_changed, method::RESOURCES_CHANGED),
        ];
        for (_, changed) in lists.iter().filter(|(asked, _)| *asked == Some(true)) {
            shared.forget(changed, "{}");
        }
        for uri in filter.resource_subscriptions.iter().flatten() {
            shared.cache.invalidate_resource(&shared.partition, uri);
        }
    }
}

impl Drop for Keeper {
    fn drop(&mut self) {
        // Also when a runtime takes the task with it: nobody may be left waiting.
        self.feed.finish(SubscriptionEnd::Closed);
    }
}

/// Why a subscription was not opened, which the server ended at once.
fn unopened(answer: Result<Answer, Failure>) -> Error {
    match answer.map_err(Error::from) {
        Ok(_) => Error::protocol(UNOPENED),
        Err(Error::Protocol { code, data, delivery, .. })
            if code == Some(ErrorCode::METHOD_NOT_FOUND) =>
        {
            let detail = "the server offers no subscriptions".to_owned();
            Error::Protocol { detail, code, data, delivery }
        }
        Err(error) => error,
    }
}

fn ending(error: Error) -> SubscriptionEnd {
    match error {
        Error::TransportClosed { .. } => SubscriptionEnd::Closed,
        error => SubscriptionEnd::Broken(error),
    }
}

/// Whether a subscription that ended so would not be opened however often it were asked for.
fn is_final(error: &Error) -> bool {
    matches!(
        error,
        Error::Protocol { code: Some(ErrorCode::METHOD_NOT_FOUND), .. }
            | Error::TransportClosed { .. }
            | Error::UnsupportedVersion { .. }
    )
}

const UNOPENED: &str = "the server ended the subscription before it acknowledged it";

/// How long a subscription that broke off is left alone at first, and at most.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(60);
