//! Keeping a subscription open.

use std::future::pending;
use std::pin::pin;
use std::sync::{Arc, Weak};
use std::time::Duration;

use mcp_protocol::{
    Era, ErrorCode, JsonObject, RequestId, SubscriptionFilter, SubscriptionsListenParams, method,
};
use mcp_transport::{Answer, Failure, Outgoing};
use tokio::sync::oneshot;
use tokio::task::AbortHandle;
use tokio::time::sleep;

use crate::call::Options;
use crate::connection::Connection;
use crate::inner::Inner;
use crate::probe::next_id;
use crate::shared::Shared;
use crate::subscription::feed::Feed;
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
            shared: Arc::clone(&self.shared),
            feed: Arc::clone(&feed),
            filter: filter.clone(),
            timeout: options.timeout,
            meta: options.meta.clone(),
            reopens: options.reopens,
        };
        let (opened, is_open) = oneshot::channel();
        let task = tokio::spawn(keeper.keep(connection, opened)).abort_handle();
        self.shared.feeds.keep(&feed, task.clone());
        let opening = Opening(Some(task));
        is_open.await.unwrap_or(Err(Error::TransportClosed { is_sent: false }))?;
        Ok(opening.into_subscription(filter, feed))
    }
}

/// A subscription that somebody waits for.  Dropped while they still do, it is given up.
struct Opening(Option<AbortHandle>);

impl Opening {
    fn into_subscription(mut self, filter: SubscriptionFilter, feed: Arc<Feed>) -> Subscription {
        // There is one until here.
        let task = self.0.take().unwrap_or_else(|| tokio::spawn(async {}).abort_handle());
        Subscription::new(filter, feed, task)
    }
}

impl Drop for Opening {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}

/// Where the outcome of opening goes, the first time.
pub(crate) type Opened = Option<oneshot::Sender<Result<(), Error>>>;

/// What it takes to open a subscription, and to open it again.
pub(crate) struct Keeper {
    pub(crate) inner: Weak<Inner>,
    pub(crate) shared: Arc<Shared>,
    pub(crate) feed: Arc<Feed>,
    pub(crate) filter: SubscriptionFilter,
    pub(crate) timeout: Option<Duration>,
    meta: Option<JsonObject>,
    reopens: bool,
}

impl Keeper {
    async fn keep(
        self,
        mut connection: Arc<Connection>,
        opened: oneshot::Sender<Result<(), Error>>,
    ) {
        let (mut opened, mut delay) = (Some(opened), FIRST_DELAY);
        loop {
            let was_open = opened.is_none();
            let outcome = match connection.era {
                Era::Modern => self.listen(&connection, &mut opened).await,
                Era::Legacy => self.watch(&connection, &mut opened).await,
            };
            let Err(error) = outcome else {
                return self.feed.finish(SubscriptionEnd::Graceful);
            };
            if let Some(opened) = opened.take() {
                // Whoever gave up waiting has aborted this task.
                let _ = opened.send(Err(error));
                return;
            }
            if !was_open {
                delay = FIRST_DELAY;
            }
            // Whatever changes from now on is not told.
            self.forget();
            if !self.reopens {
                return self.feed.finish(ending(error));
            }
            sleep(delay).await;
            delay = (2 * delay).min(LAST_DELAY);
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
        let inner = self.inner.upgrade().ok_or(Error::TransportClosed { is_sent: true })?;
        if let Error::SessionExpired { .. } = error {
            return match inner.renew(&connection).await {
                Err(error @ Error::TransportClosed { .. }) => Err(error),
                // The next attempt tries again.
                Err(_) => Ok(connection),
                renewed => renewed,
            };
        }
        // A server that has ended is not started again.
        if connection.transport.is_alive() { Ok(connection) } else { Err(error) }
    }

    /// Listens to a modern server until it ends the subscription, or the subscription breaks off.
    async fn listen(&self, connection: &Connection, opened: &mut Opened) -> Result<(), Error> {
        let id = self.mint()?;
        let (dialect, filter) = (connection.dialect(), self.filter.clone());
        let params = SubscriptionsListenParams::from(filter);
        let body = dialect.request(
            &RequestId::from(id),
            method::LISTEN,
            Some(&params),
            self.meta.as_ref(),
        );
        let body = body.map_err(|error| Error::refused(error.to_string()))?;
        let mut request = Outgoing::request(id, method::LISTEN, body);
        request.version = dialect.version().cloned();
        let _registered = self.shared.feeds.under(id, &self.feed);
        let mut acknowledgements = self.feed.acknowledgements();
        let mut listening = pin!(connection.transport.request(request));
        tokio::select! {
            biased;
            // The feed, and with it the sender, is held here.
            _ = acknowledgements.changed() => (),
            answer = &mut listening => return Err(unopened(answer)),
            () = expired(self.timeout) => {
                return Err(Error::timeout(method::LISTEN, id, self.timeout));
            }
        }
        self.opened(opened);
        match listening.await {
            Ok(_) => Ok(()),
            Err(failure) => Err(failure.into()),
        }
    }

    /// The subscription is open: for the first time, or again.
    pub(crate) fn opened(&self, opened: &mut Opened) {
        match opened.take() {
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

    fn mint(&self) -> Result<u64, Error> {
        let inner = self.inner.upgrade().ok_or(Error::TransportClosed { is_sent: false })?;
        Ok(next_id(&inner.ids))
    }
}

/// Why a subscription was not opened, which the server ended at once.
fn unopened(answer: Result<Answer, Failure>) -> Error {
    match answer.map_err(Error::from) {
        Ok(_) => Error::protocol("the server ended the subscription before it acknowledged it"),
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

async fn expired(timeout: Option<Duration>) {
    match timeout {
        Some(timeout) => sleep(timeout).await,
        None => pending().await,
    }
}

/// How long a subscription that broke off is left alone at first, and at most.
const FIRST_DELAY: Duration = Duration::from_secs(1);
const LAST_DELAY: Duration = Duration::from_secs(60);
