//! A connection that writes down what goes over it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_client::protocol::{Notification, Request};
use mcp_client::{Http, Stdio};
use mcp_transport::{
    Answer, Connect, Failure, Handler, Outgoing, StdioTransport, Transport, TransportError,
};
use serde_json::Value;

use crate::journal::{Entry, Journal, Outcome};

/// Connects as its recipe does, and remembers what it started.
#[derive(Debug)]
pub(crate) struct Tap {
    recipe: Recipe,
    journal: Arc<Journal>,
    started: Mutex<Vec<Arc<StdioTransport>>>,
}

#[derive(Debug)]
enum Recipe {
    Http(Http),
    Stdio(Stdio),
}

impl Tap {
    pub(crate) fn stdio(stdio: Stdio, journal: &Arc<Journal>) -> Self {
        let wrote = Arc::clone(journal);
        let stdio = stdio.on_stderr(move |line| wrote.write(Entry::Wrote(line.to_owned())));
        Self::new(Recipe::Stdio(stdio), journal)
    }

    pub(crate) fn http(http: Http, journal: &Arc<Journal>) -> Self {
        Self::new(Recipe::Http(http), journal)
    }

    fn new(recipe: Recipe, journal: &Arc<Journal>) -> Self {
        Self { recipe, journal: Arc::clone(journal), started: Mutex::default() }
    }

    /// The server that was started last; none over HTTP, where the client starts none.
    pub(crate) fn last(&self) -> Option<Arc<StdioTransport>> {
        self.started.lock().unwrap_or_else(PoisonError::into_inner).last().cloned()
    }
}

#[async_trait]
impl Connect for Tap {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        self.journal.write(Entry::Started);
        let ear = Arc::new(Ear { inner: handler, journal: Arc::clone(&self.journal) });
        let inner = match &self.recipe {
            Recipe::Http(http) => http.connect(ear).await?,
            Recipe::Stdio(stdio) => {
                let transport = Arc::new(StdioTransport::spawn(stdio, ear)?);
                let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
                started.push(Arc::clone(&transport));
                transport
            }
        };
        Ok(Arc::new(Tapped { inner, journal: Arc::clone(&self.journal) }))
    }

    fn is_local(&self) -> bool {
        match &self.recipe {
            Recipe::Http(http) => http.is_local(),
            Recipe::Stdio(stdio) => stdio.is_local(),
        }
    }
}

#[derive(Debug)]
struct Tapped {
    inner: Arc<dyn Transport>,
    journal: Arc<Journal>,
}

#[async_trait]
impl Transport for Tapped {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        let method = request.method.to_string();
        self.journal.write(Entry::Sent { method: method.clone() });
        let answer = self.inner.request(request).await;
        let outcome = outcome(&answer);
        self.journal.write(Entry::Answered { method, outcome });
        answer
    }

    async fn notify(&self, message: Outgoing) {
        self.inner.notify(message).await;
    }

    async fn close(&self) {
        self.inner.close().await;
    }

    async fn ended(&self) -> TransportError {
        self.inner.ended().await
    }

    fn is_alive(&self) -> bool {
        self.inner.is_alive()
    }

    fn mirrors_parameters(&self) -> bool {
        self.inner.mirrors_parameters()
    }

    fn stderr_tail(&self) -> String {
        self.inner.stderr_tail()
    }
}

fn outcome(answer: &Result<Answer, Failure>) -> Outcome {
    match answer {
        Ok(answer) => match answer.decode::<Value>() {
            Ok(result) => Outcome::Result(result),
            Err(error) => Outcome::Unusable(error.to_string()),
        },
        Err(failure) => match &failure.error {
            TransportError::Rpc(error) => match error.code {
                Some(code) => Outcome::Error(code.0),
                None => Outcome::Unusable(error.to_string()),
            },
            TransportError::Http(failure) => Outcome::Status(failure.status),
            TransportError::ServerGone(_) => Outcome::Gone,
            error => Outcome::Unusable(error.to_string()),
        },
    }
}

/// Hears what the server says before the client does.
struct Ear {
    inner: Arc<dyn Handler>,
    journal: Arc<Journal>,
}

impl Handler for Ear {
    fn notification(&self, notification: Notification<'_>) {
        self.inner.notification(notification);
    }

    fn request(&self, request: Request<'_>) {
        let (id, method) = (request.id.clone(), request.method.to_string());
        self.journal.write(Entry::Asked { id, method });
        self.inner.request(request);
    }

    fn warning(&self, warning: &str) {
        self.inner.warning(warning);
    }
}
