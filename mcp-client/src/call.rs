//! A request that is about to be made.

use std::fmt;
use std::future::{Future, IntoFuture, pending};
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{JsonObject, META_PROGRESS_TOKEN};
use mcp_provider::Extensions;
use serde_json::Value;

use crate::progress::{Listener, Token, Tokens};
use crate::{Client, Error, Progress, Subscription};

/// A request that is about to be made: await it, or set options first.
///
/// Dropping the future that waits for it cancels the request, and the server is told.
#[must_use = "a request is made when it is awaited"]
pub struct Call<T> {
    client: Client,
    method: &'static str,
    options: Options,
    cancel: Option<Pin<Box<dyn Future<Output = ()> + Send>>>,
    run: Run<T>,
}

type Run<T> = Box<dyn FnOnce(Client, Options) -> Answering<T> + Send>;
type Answering<T> = Pin<Box<dyn Future<Output = Result<T, Error>> + Send>>;

/// What a caller wants of one request.
pub(crate) struct Options {
    pub(crate) timeout: Option<Duration>,
    pub(crate) refresh: bool,
    /// Boxed, as most requests have none.
    pub(crate) meta: Option<Box<JsonObject>>,
    pub(crate) progress: Option<Listener>,
    /// Whether a subscription that broke off is opened again.
    pub(crate) reopens: bool,
    /// What travels with the tool call that the request is for.
    pub(crate) extensions: Extensions,
}

impl Options {
    /// Nothing but a time limit.
    pub(crate) fn within(timeout: Option<Duration>) -> Self {
        Self {
            timeout,
            refresh: false,
            meta: None,
            progress: None,
            reopens: false,
            extensions: Extensions::default(),
        }
    }

    /// Mints a token if progress is wanted, and puts it into the request's `_meta`.
    pub(crate) fn mint<'a>(&mut self, tokens: &'a Tokens) -> Option<Token<'a>> {
        let token = tokens.mint(self.progress.take()?);
        let meta = self.meta.get_or_insert_default();
        meta.insert(META_PROGRESS_TOKEN.to_owned(), Value::from(token.as_str()));
        Some(token)
    }
}

impl<T: Send + 'static> Call<T> {
    pub(crate) fn new<F, A>(client: &Client, method: &'static str, run: F) -> Self
    where
        F: FnOnce(Client, Options) -> A + Send + 'static,
        A: Future<Output = Result<T, Error>> + Send + 'static,
    {
        Self {
            client: client.clone(),
            method,
            options: client.default_options(),
            cancel: None,
            run: Box::new(move |client, options| Box::pin(run(client, options))),
        }
    }

    /// How long the server may take, instead of the client's own limit; zero means as long as it
    /// takes.
    ///
    /// A request that takes several rounds of input, or a listing of several pages, has this long
    /// for each.  Making the connection, where this call is the first, is not counted.
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.options.timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Waits for the server for as long as it takes.
    pub fn no_timeout(self) -> Self {
        self.timeout(Duration::ZERO)
    }

    /// Gives the request up as soon as `cancelled` is ready.
    pub fn cancelled_by(mut self, cancelled: impl Future<Output = ()> + Send + 'static) -> Self {
        self.cancel = Some(Box::pin(cancelled));
        self
    }

    /// Asks the server even if the cache has the answer, and keeps the new one.
    pub fn refresh(mut self) -> Self {
        self.options.refresh = true;
        self
    }

    /// Reports the progress that the server makes to `listener`.
    ///
    /// It is called by the task that reads the connection: do little in it, and never wait for
    /// this client.
    pub fn progress(mut self, listener: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.options.progress = Some(Arc::new(listener));
        self
    }

    /// Adds a member to the request's `_meta`, such as a `traceparent` or a progress token of
    /// your own, whose reports arrive as notifications.
    pub fn meta(mut self, key: impl Into<String>, value: impl Into<Value>) -> Self {
        self.options.meta.get_or_insert_default().insert(key.into(), value.into());
        self
    }
}

impl Call<Subscription> {
    /// Opens the subscription again whenever it breaks off, for as long as the server can be
    /// reached again: after a second, then ever later, up to a minute.
    ///
    /// What changed meanwhile is not told; that this may be so is
    /// ([`SubscriptionEvent::Reopened`](crate::SubscriptionEvent::Reopened)).
    pub fn reopen(mut self) -> Self {
        self.options.reopens = true;
        self
    }
}

impl<T: Send + 'static> IntoFuture for Call<T> {
    type Output = Result<T, Error>;
    type IntoFuture = Answering<T>;

    fn into_future(self) -> Answering<T> {
        let Self { client, method, mut options, cancel, run } = self;
        if options.progress.is_none() && cancel.is_none() {
            return run(client, options);
        }
        Box::pin(async move {
            let shared = Arc::clone(&client.inner().shared);
            // Forgotten when this ends, in whatever way.
            let _token = options.mint(&shared.tokens);
            let cancelled = cancel.unwrap_or_else(|| Box::pin(pending()));
            tokio::select! {
                biased;
                () = cancelled => Err(Error::Cancelled { method: method.to_owned() }),
                answer = run(client, options) => answer,
            }
        })
    }
}

impl<T> fmt::Debug for Call<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Call").field("method", &self.method).finish_non_exhaustive()
    }
}
