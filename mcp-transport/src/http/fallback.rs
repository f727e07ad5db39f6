//! HTTP with SSE, as `2024-11-05` had it: messages go one way, everything else comes on one stream.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use bytes::Bytes;
use mcp_protocol::Response;
use tokio::time::timeout;

use crate::http::answered::Kind;
use crate::http::connection::Connection;
use crate::http::endpoint::{Refusal, Reply, Success};
use crate::http::events::{Events, Next, Place};
use crate::http::target::Target;
use crate::pending::Pending;
use crate::{Answer, Failure, Outgoing, TransportError};

/// Where messages go, and who waits for the answers that come on the stream.
#[derive(Debug)]
pub(crate) struct Fallback {
    target: Arc<Target>,
    pending: Pending,
}

impl Fallback {
    pub(crate) fn target(&self) -> &Arc<Target> {
        &self.target
    }

    /// Stops waiting for the answer to a request.
    pub(crate) fn forget(&self, id: u64) {
        self.pending.forget(id);
    }
}

/// Whether a server that refused `initialize` so may speak HTTP with SSE
/// (`basic/transports` of `2025-11-25`, "Backwards Compatibility").
pub(crate) fn is_worth_a_try(refusal: &Refusal, error: &TransportError) -> bool {
    let is_modern = match error {
        TransportError::Rpc(error) => error.code.is_some_and(|code| code.is_modern()),
        _ => false,
    };
    matches!(refusal.status.as_u16(), 400 | 404 | 405) && !is_modern
}

impl Connection {
    /// Asks for the stream, and for where messages go; nothing if the server knows neither.
    ///
    /// # Errors
    ///
    /// Fails, with a sentence about it, where messages would go to another server.
    pub(crate) async fn fall_back(self: &Arc<Self>) -> Result<Option<Arc<Fallback>>, String> {
        let reply = self.get("").await;
        let Ok(Reply::Success(Success { kind: Kind::Sse, body, .. })) = reply else {
            return Ok(None);
        };
        let limit = self.endpoint.limits.message;
        let mut events = Events::new(body.unhurried(), limit, Place::default());
        let first = timeout(GREETING, async {
            loop {
                match events.next().await {
                    Next::Event(event) => return Some(event),
                    Next::TooLarge => (),
                    Next::End | Next::Broken(_) => return None,
                }
            }
        });
        let Some(event) = first.await.ok().flatten().filter(|it| it.event_type == "endpoint")
        else {
            return Ok(None);
        };
        let from = &self.endpoint.target;
        let target = from.resolve(event.data.trim()).map_err(|error| {
            format!("{from} names an endpoint for messages that cannot be used: {error}")
        })?;
        if !from.same_origin(&target) {
            return Err(format!(
                "{from} wants messages to be sent to another server, {target}, which would be \
                 shown the credentials; if you trust it, configure a URL of that server"
            ));
        }
        let target = Arc::new(target);
        let fallback = Arc::new(Fallback { target, pending: Pending::default() });
        let fallback = Arc::clone(self.fallback.get_or_init(|| fallback));
        let (connection, reading) = (Arc::clone(self), Arc::clone(&fallback));
        self.spawn(async move { connection.read_answers(&reading, events).await });
        Ok(Some(fallback))
    }

    /// Sends a request whose answer comes on the stream.
    pub(crate) async fn exchange_on(
        &self,
        fallback: &Fallback,
        request: Outgoing,
        id: u64,
        is_sent: &AtomicBool,
    ) -> Result<Answer, Failure> {
        let mut answer = fallback.pending.register(id).map_err(Failure::before_sending)?;
        let posting = self.post(request, is_sent);
        let mut posting = std::pin::pin!(posting);
        // An answer may be faster than the acknowledgement of its request.
        let settled = tokio::select! {
            biased;
            settled = &mut answer => Some(settled),
            reply = &mut posting => match reply? {
                Reply::Success(success) => {
                    success.body.drain().await;
                    None
                }
                Reply::Refusal(refusal) => return Err(Failure::after_sending(refusal.error())),
            },
        };
        let settled = match settled {
            Some(settled) => settled,
            None => answer.await,
        };
        let outcome = settled.unwrap_or(Err(TransportError::Closed));
        outcome.map_err(|error| Failure { error, is_sent: is_sent.load(Ordering::Relaxed) })
    }

    async fn read_answers(&self, fallback: &Fallback, mut events: Events) {
        let cause = loop {
            match events.next().await {
                Next::Event(event) => {
                    let text = Bytes::from(event.data);
                    if let Some(response) = self.take_message(&text) {
                        self.take_answer(fallback, &text, response);
                    }
                }
                Next::TooLarge => {
                    break format!(
                        "it sent a message that is longer than the limit of {} bytes (raise \
                         `Limits::message` to read it)",
                        self.endpoint.limits.message
                    );
                }
                Next::End => break "its stream of events ended".to_owned(),
                Next::Broken(cause) => break cause,
            }
        };
        // Whoever waits may have been heard; later requests can begin anew elsewhere.
        fallback.pending.retire(&self.endpoint.broken(cause).error);
        self.expire();
    }

    fn take_answer(&self, fallback: &Fallback, text: &Bytes, response: Response<'_>) {
        let outcome = match response.outcome {
            Ok(raw) => Ok(Answer::new(text.slice_ref(raw.get().as_bytes()))),
            Err(error) => Err(TransportError::Rpc(error)),
        };
        let Some(id) = response.id else {
            let outcome = outcome.map_err(|error| match error {
                TransportError::Rpc(error) => TransportError::Unattributed(error),
                error => error,
            });
            if outcome.is_ok() || !fallback.pending.resolve_only(outcome) {
                self.endpoint.warn("dropped an answer that names no request");
            }
            return;
        };
        if !id.as_own().is_some_and(|id| fallback.pending.resolve(id, outcome)) {
            let warning = format!("dropped a late answer to request {id}: nobody waits for it");
            self.endpoint.warn(&warning);
        }
    }
}

/// How long a server may take to say where messages go.
const GREETING: Duration = Duration::from_secs(5);
