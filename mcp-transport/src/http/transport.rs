//! A connection over HTTP, as a client sees it.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use async_trait::async_trait;
use mcp_protocol::method;
use tokio::sync::OnceCell;

use crate::http::connection::{Connection, Waiting};
use crate::{Answer, Failure, Outgoing, Transport, TransportError};

/// One server, reached over HTTP.
///
/// Requests are exchanges of their own that end with their futures.  What runs in the background
/// ends with this.
#[derive(Debug)]
pub(crate) struct HttpTransport {
    connection: Arc<Connection>,
    closing: OnceCell<()>,
}

impl HttpTransport {
    pub(crate) fn new(connection: Connection) -> Self {
        Self { connection: Arc::new(connection), closing: OnceCell::new() }
    }
}

#[async_trait]
impl Transport for HttpTransport {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        let Some(id) = request.id else {
            let error = TransportError::Protocol("a request needs an id".to_owned());
            return Err(Failure::before_sending(error));
        };
        if let Some(error) = self.connection.end() {
            return Err(Failure::before_sending(error));
        }
        let is_sent = AtomicBool::new(false);
        let waiting = Waiting::new(&self.connection, &request, id, &is_sent);
        let outcome = tokio::select! {
            biased;
            outcome = self.connection.exchange(request, id, &is_sent) => outcome,
            error = self.connection.closed() => {
                Err(Failure { error, is_sent: is_sent.load(Ordering::Relaxed) })
            }
        };
        waiting.settled();
        outcome
    }

    async fn notify(&self, message: Outgoing) {
        if self.connection.end().is_some() {
            return;
        }
        let is_greeting = message.version.is_none() && message.method == method::INITIALIZED;
        let is_taken = tokio::select! {
            biased;
            is_taken = self.connection.tell(message) => is_taken,
            _ = self.connection.closed() => return,
        };
        if is_greeting && is_taken && self.connection.fallback.get().is_none() {
            self.connection.listen().await;
        }
    }

    async fn close(&self) {
        self.closing
            .get_or_init(async || {
                let has_ended = self.connection.end().is_some();
                self.connection.close();
                if let Some(mut tasks) = self.connection.stop() {
                    tasks.shutdown().await;
                }
                if !has_ended {
                    self.connection.delete().await;
                }
                self.connection.endpoint.client.close();
            })
            .await;
    }

    async fn ended(&self) -> TransportError {
        self.connection.ended().await
    }

    fn is_alive(&self) -> bool {
        self.connection.end().is_none()
    }

    fn mirrors_parameters(&self) -> bool {
        true
    }
}

impl Drop for HttpTransport {
    fn drop(&mut self) {
        self.connection.close();
        self.connection.stop();
        self.connection.endpoint.client.close();
    }
}
