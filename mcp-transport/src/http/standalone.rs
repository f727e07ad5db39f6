//! The stream on which a legacy server says what belongs to no request.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::oneshot;
use tokio::time::{sleep, timeout};

use crate::http::answered::Kind;
use crate::http::backoff::Backoff;
use crate::http::connection::Connection;
use crate::http::endpoint::{Reply, Success};
use crate::http::events::{Events, Next, Place};
use crate::http::exchange::is_expiry;

impl Connection {
    /// Opens the stream in the background, and gives the server a moment to do so: some say at
    /// once what they have to say, to whoever listens.
    pub(crate) async fn listen(self: &Arc<Self>) {
        let (opened, is_open) = oneshot::channel();
        let connection = Arc::clone(self);
        self.spawn(async move { connection.keep_listening(opened).await });
        // It goes on without: not every server has such a stream.
        let _ = timeout(MOMENT, is_open).await;
    }

    async fn keep_listening(&self, opened: oneshot::Sender<()>) {
        let mut opened = Some(opened);
        let mut backoff = Backoff::default();
        let mut place = Place::default();
        let mut was_open = false;
        loop {
            let reply = self.get(&place.last_event_id).await;
            if let Some(opened) = opened.take() {
                // Nobody may be waiting any more.
                let _ = opened.send(());
            }
            match reply {
                Ok(Reply::Success(Success { kind: Kind::Sse, body, .. })) => {
                    let events = Events::new(body.unhurried(), self.endpoint.limits.message, place);
                    was_open = true;
                    place = self.hear(events, &mut backoff).await;
                }
                // It had such a stream: what is gone is the session.
                Ok(Reply::Refusal(refusal))
                    if was_open && self.session.has_id() && is_expiry(&refusal, None) =>
                {
                    return self.expire();
                }
                // The server has no such stream, and says so in one of many ways.
                Ok(Reply::Success(_)) => return,
                Ok(Reply::Refusal(refusal)) if refusal.status.is_client_error() => return,
                Ok(Reply::Refusal(_)) | Err(_) => (),
            }
            if let Some(retry) = place.retry {
                backoff.told(retry);
            }
            sleep(backoff.next_delay()).await;
        }
    }

    /// Hands on what comes until the stream ends, and says where that was.
    async fn hear(&self, mut events: Events, backoff: &mut Backoff) -> Place {
        loop {
            match events.next().await {
                Next::Event(event) => {
                    backoff.progressed();
                    if self.take_message(&event.data.into()).is_some() {
                        self.endpoint.warn("dropped an answer on a stream that asked for nothing");
                    }
                }
                Next::TooLarge => self.endpoint.warn(&format!(
                    "dropped an event that is longer than the limit of {} bytes (raise \
                     `Limits::message` to read it)",
                    self.endpoint.limits.message
                )),
                Next::End | Next::Broken(_) => return events.place().clone(),
            }
        }
    }
}

/// How long the first request after the handshake waits for the stream.
const MOMENT: Duration = Duration::from_secs(1);
