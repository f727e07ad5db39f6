//! A connection that writes down what goes over it.

use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_client::Stdio;
use mcp_client::protocol::{Notification, Request};
use mcp_transport::{
    Answer, Connect, Failure, Handler, Outgoing, StdioTransport, Transport, TransportError,
};
use serde_json::Value;

use crate::journal::{Entry, Journal, Outcome};

/// Starts servers as [`Stdio`] does, and remembers them.
#[derive(Debug)]
pub(crate) struct Tap {
    stdio: Stdio,
    journal: Arc<Journal>,
    started: Mutex<Vec<Arc<StdioTransport>>>,
}

impl Tap {
    pub(crate) fn new(stdio: Stdio, journal: &Arc<Journal>) -> Self {
        let wrote = Arc::clone(journal);
        let stdio = stdio.on_stderr(move |line| wrote.write(Entry::Wrote(line.to_owned())));
        Self { stdio, journal: Arc::clone(journal), started: Mutex::default() }
    }

    /// The server that was started last.
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
        let ear = Ear { inner: handler, journal: Arc::clone(&self.journal) };
        let transport = Arc::new(StdioTransport::spawn(&self.stdio, Arc::new(ear))?);
        let mut started = self.started.lock().unwrap_or_else(PoisonError::into_inner);
        started.push(Arc::clone(&transport));
        Ok(Arc::new(Tapped { inner: transport, journal: Arc::clone(&self.journal) }))
    }

    fn is_local(&self) -> bool {
        self.stdio.is_local()
    }
}

#[derive(Debug)]
struct Tapped {
    inner: Arc<StdioTransport>,
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

    fn is_alive(&self) -> bool {
        self.inner.is_alive()
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
