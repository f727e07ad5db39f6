//! A request and its answer.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use bytes::Bytes;
use http::StatusCode;
use mcp_protocol::{ErrorCode, Inbound, Response, method};
use tokio::time::sleep;

use crate::http::answered::{Kind, read_json, settle};
use crate::http::backoff::Backoff;
use crate::http::body::{Body, Unread};
use crate::http::connection::Connection;
use crate::http::endpoint::{Refusal, Reply, Success};
use crate::http::events::{Events, Next, Place};
use crate::http::fallback;
use crate::http::metadata::last_event_id;
use crate::{Answer, Failure, Outgoing, TransportError};

impl Connection {
    /// Sends a request and reads its answer.
    pub(crate) async fn exchange(
        self: &Arc<Self>,
        request: Outgoing,
        id: u64,
        is_sent: &AtomicBool,
    ) -> Result<Answer, Failure> {
        if let Some(fallback) = self.fallback.get() {
            return Box::pin(self.exchange_on(fallback, request, id, is_sent)).await;
        }
        let is_modern = request.version.is_some();
        let is_opening = !is_modern && request.method == method::INITIALIZE;
        let has_session = !is_modern && !is_opening && self.session.has_id();
        let again = is_opening.then(|| request.clone());
        // On a subscription nothing is due, so that no silence is too long.
        let is_hurried = request.method != method::LISTEN;
        match self.post(request, is_sent).await? {
            Reply::Success(success) if is_opening => {
                self.session.open(&success.headers, &self.endpoint);
                let answer = Box::pin(self.read(success, id, true)).await;
                match &answer {
                    Ok(answer) => self.session.agree(answer),
                    Err(_) => self.session.forget(),
                }
                answer
            }
            Reply::Success(mut success) => {
                if !is_hurried {
                    success.body = success.body.unhurried();
                }
                self.read(success, id, !is_modern).await
            }
            Reply::Refusal(refusal) => {
                if has_session && is_expiry(&refusal, Some(id)) {
                    self.expire();
                    return Err(Failure::before_sending(TransportError::SessionExpired));
                }
                let error = refusal.error();
                if let Some(again) = again.filter(|_| fallback::is_worth_a_try(&refusal, &error)) {
                    match Box::pin(self.fall_back()).await {
                        Ok(Some(fallback)) => {
                            return Box::pin(self.exchange_on(&fallback, again, id, is_sent)).await;
                        }
                        Ok(None) => (),
                        Err(detail) => {
                            return Err(Failure::after_sending(TransportError::Protocol(detail)));
                        }
                    }
                }
                Err(Failure::after_sending(error))
            }
        }
    }

    async fn read(
        self: &Arc<Self>,
        success: Success,
        id: u64,
        is_resumable: bool,
    ) -> Result<Answer, Failure> {
        let Success { kind, mut body, .. } = success;
        match kind {
            Kind::Sse => self.read_events(body, id, is_resumable).await,
            Kind::Accepted | Kind::Refused => {
                body.drain().await;
                Err(protocol(format!(
                    "{} acknowledged the request without an answer",
                    self.endpoint.target
                )))
            }
            Kind::Json => {
                let limit = self.endpoint.limits.message;
                let text = body.whole(limit).await.map_err(|unread| match unread {
                    Unread::TooLarge => too_large(limit),
                    Unread::Broken(cause) => self.endpoint.broken(cause),
                })?;
                let (answer, warning) = read_json(&text, id).map_err(Failure::after_sending)?;
                if let Some(warning) = warning {
                    self.endpoint.warn(&warning);
                }
                Ok(answer)
            }
        }
    }

    /// Reads events until the answer comes, on one stream after the other if need be.
    async fn read_events(
        self: &Arc<Self>,
        body: Body,
        id: u64,
        is_resumable: bool,
    ) -> Result<Answer, Failure> {
        let limit = self.endpoint.limits.message;
        let mut events = Events::new(body, limit, Place::default());
        let mut backoff = Backoff::default();
        let mut is_resumed = false;
        loop {
            let broken = loop {
                match events.next().await {
                    Next::Event(event) => {
                        let answer = self.take_event(event.data, id, is_resumed);
                        if let Some(answer) = answer {
                            self.leave(events.into_body());
                            return answer;
                        }
                    }
                    Next::TooLarge => return Err(too_large(limit)),
                    Next::End => break None,
                    Next::Broken(cause) => break Some(cause),
                }
            };
            if events.has_brought() {
                backoff.progressed();
            }
            let place = events.place().clone();
            // A request for the rest that cannot say behind what would open another stream.
            let can_resume = is_resumable && last_event_id(&place.last_event_id).is_some();
            if !can_resume || backoff.fruitless() >= ATTEMPTS {
                return Err(match broken {
                    Some(cause) => self.endpoint.broken(cause),
                    None => protocol(format!(
                        "the stream of {} ended without an answer",
                        self.endpoint.target
                    )),
                });
            }
            events = Box::pin(self.resume(place, &mut backoff)).await?;
            is_resumed = true;
        }
    }

    /// Opens the stream again, behind the last event that came.
    async fn resume(&self, place: Place, backoff: &mut Backoff) -> Result<Events, Failure> {
        loop {
            if let Some(retry) = place.retry {
                backoff.told(retry);
            }
            sleep(backoff.next_delay()).await;
            match self.get(&place.last_event_id).await {
                Ok(Reply::Success(Success { kind: Kind::Sse, body, .. })) => {
                    return Ok(Events::new(body, self.endpoint.limits.message, place));
                }
                Ok(Reply::Success(_)) => {
                    return Err(protocol(format!(
                        "{} answered a request for the rest of the events with something else",
                        self.endpoint.target
                    )));
                }
                Ok(Reply::Refusal(refusal)) => {
                    if self.session.has_id() && is_expiry(&refusal, None) {
                        self.expire();
                    }
                    return Err(protocol(format!(
                        "the answer was cut off, and the server does not send the rest: {}",
                        refusal.error()
                    )));
                }
                // The server may be about to start again.
                Err(_) if backoff.fruitless() < ATTEMPTS => (),
                Err(failure) => return Err(Failure::after_sending(failure.error)),
            }
        }
    }

    /// Takes what an event brings, and returns the answer if that is what it brought.
    fn take_event(
        &self,
        data: String,
        id: u64,
        is_resumed: bool,
    ) -> Option<Result<Answer, Failure>> {
        let text = Bytes::from(data);
        let response = self.take_message(&text)?;
        if is_resumed && response.id.as_ref().and_then(|it| it.as_own()) != Some(id) {
            // A stream that was taken up again may bring what belongs to others.
            self.endpoint.warn("dropped an answer to another request on a resumed stream");
            return None;
        }
        Some(match settle(&text, response, id) {
            Ok((answer, warning)) => {
                if let Some(warning) = warning {
                    self.endpoint.warn(&warning);
                }
                Ok(answer)
            }
            Err(error) => Err(Failure::after_sending(error)),
        })
    }

    /// Hands on what the server says of its own accord; an answer is returned.
    pub(crate) fn take_message<'a>(&self, text: &'a Bytes) -> Option<Response<'a>> {
        // Some servers begin a stream with an event that has an id and nothing else.
        if text.trim_ascii().is_empty() {
            return None;
        }
        match Inbound::parse(text) {
            Ok(Inbound::Response(response)) => return Some(response),
            Ok(Inbound::Notification(notification)) => {
                self.endpoint.shielded(|handler| handler.notification(notification));
            }
            Ok(Inbound::Request(request)) => {
                self.endpoint.shielded(|handler| handler.request(request));
            }
            Ok(_) => (),
            Err(invalid) => {
                let quoted = crate::quote::quote(text);
                self.endpoint.warn(&format!("dropped an event: {invalid}: {quoted}"));
            }
        }
        None
    }

    /// Leaves a body behind, without closing a connection that could be used again.
    fn leave(self: &Arc<Self>, body: Body) {
        if !body.has_ended() {
            self.spawn(body.drain());
        }
    }
}

/// Whether the server says that it does not know the session, rather than something else.
///
/// That is what 404 is for (`basic/transports` of `2025-11-25`), but for an error that names the
/// request `id`: that one comes from a server that has looked at it in its session, unless its code
/// is −32001, as several say that there is none.  Many servers made from the samples of the
/// TypeScript SDK say 400 and −32000 instead, and something of a session.
pub(crate) fn is_expiry(refusal: &Refusal, id: Option<u64>) -> bool {
    let error = match Inbound::parse(&refusal.body) {
        Ok(Inbound::Response(Response { id: named, outcome: Err(error), .. })) => {
            let is_named = named.and_then(|named| named.as_own()).is_some_and(|it| Some(it) == id);
            Some((is_named, error))
        }
        _ => None,
    };
    match (refusal.status, error) {
        (StatusCode::NOT_FOUND, Some((is_named, error))) => {
            !is_named || error.code == Some(ErrorCode(-32001))
        }
        (StatusCode::NOT_FOUND, None) => true,
        (StatusCode::BAD_REQUEST, Some((_, error))) => {
            error.code == Some(ErrorCode(-32000))
                && error.message.to_ascii_lowercase().contains("session")
        }
        _ => false,
    }
}

fn protocol(detail: String) -> Failure {
    Failure::after_sending(TransportError::Protocol(detail))
}

fn too_large(limit: usize) -> Failure {
    protocol(format!(
        "the answer is longer than the limit of {limit} bytes (raise `Limits::message` to read it)"
    ))
}

/// How many times in a row a stream is opened again that brings nothing.
const ATTEMPTS: u32 = 5;
