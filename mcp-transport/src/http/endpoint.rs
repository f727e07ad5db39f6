//! One server that is reached over HTTP, and one request to it.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, SystemTime};

use bytes::Bytes;
use http::header::{CONTENT_TYPE, LOCATION};
use http::{HeaderMap, Method, StatusCode};
use hyper::body::Incoming;

use crate::http::answered::{self, Kind, kind};
use crate::http::authorizer::{Authorizer, Credentials, Refused, contained};
use crate::http::body::{Body, text, within};
use crate::http::challenge::{challenges, retry_after};
use crate::http::client::{HttpClient, NoResponse};
use crate::http::redirect::{Redirect, follow, is_redirect};
use crate::http::target::Target;
use crate::{Failure, Handler, HttpFailure, Limits, ServerGone, TransportError};

/// A server, the connections to it, and what every request to it carries.
pub(crate) struct Endpoint {
    pub(crate) target: Arc<Target>,
    pub(crate) client: HttpClient,
    /// What the host wants every request to carry.
    pub(crate) headers: Arc<HeaderMap>,
    pub(crate) authorizer: Option<Arc<dyn Authorizer>>,
    pub(crate) handler: Arc<dyn Handler>,
    pub(crate) limits: Limits,
    pub(crate) read_timeout: Option<Duration>,
}

/// What is to be sent.
#[derive(Clone, Debug)]
pub(crate) struct Call {
    pub(crate) method: Method,
    pub(crate) target: Arc<Target>,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

/// What came back.
#[derive(Debug)]
pub(crate) enum Reply {
    /// A success, with its body yet to be read.
    Success(Success),
    Refusal(Refusal),
}

#[derive(Debug)]
pub(crate) struct Success {
    pub(crate) kind: Kind,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Body,
}

/// A status that is no success, with as much of its body as is of interest.
#[derive(Debug)]
pub(crate) struct Refusal {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    pub(crate) url: String,
}

impl Refusal {
    pub(crate) fn error(&self) -> TransportError {
        answered::refused(self.status, &self.headers, &self.body, &self.url)
    }
}

impl Endpoint {
    /// Sends a request, to where redirects of the same origin lead and with credentials.
    ///
    /// `is_sent` is set as soon as the request may arrive.
    pub(crate) async fn send(&self, call: Call, is_sent: &AtomicBool) -> Result<Reply, Failure> {
        let Call { method, mut target, headers, body } = call;
        let count = self.headers.len() + headers.len();
        if count > MAX_HEADERS {
            // More than a map of headers can hold must not come near one.
            let detail = format!("{count} headers are too many: at most {MAX_HEADERS} can be sent");
            return Err(before(detail));
        }
        let (mut hops, mut retried) = (0, Vec::new());
        loop {
            let mut all = headers.clone();
            // None of them is one that a message makes, so none is there twice.
            for (name, value) in &*self.headers {
                all.append(name, value.clone());
            }
            let credentials = self.credentials(&target).await?;
            credentials.apply(&mut all).map_err(before)?;
            is_sent.store(true, Ordering::Relaxed);
            let uri = target.uri().clone();
            let response = {
                // By reference: it is large, and whoever hands it over would keep the room for it.
                let sending = pin!(self.client.send(method.clone(), uri, all, body.clone()));
                match within(self.read_timeout, sending).await {
                    Ok(response) => response.map_err(|error| self.gone(&error))?,
                    Err(cause) => return Err(self.broken(cause)),
                }
            };
            let status = response.status();
            if status.is_success() {
                return Ok(Reply::Success(self.success(response)));
            }
            let (head, incoming) = response.into_parts();
            let mut refused = Body::new(incoming, self.read_timeout);
            let read = Box::pin(refused.beginning()).await;
            if is_redirect(status) {
                match follow(status, head.headers.get(LOCATION), &target, &method, hops) {
                    Redirect::Follow(next) => {
                        (target, hops) = (Arc::new(next), hops + 1);
                        continue;
                    }
                    Redirect::Refuse(detail) => {
                        // Whoever sends the same request elsewhere has done nothing with it.
                        let is_sent = !matches!(status.as_u16(), 307 | 308);
                        return Err(Failure { error: TransportError::Protocol(detail), is_sent });
                    }
                }
            }
            let url = target.to_string();
            let refusal = Refusal { status, headers: head.headers, body: read, url };
            if !retried.contains(&status)
                && Box::pin(self.is_worth_a_retry(&refusal, &credentials)).await
            {
                retried.push(status);
                continue;
            }
            return Ok(Reply::Refusal(refusal));
        }
    }

    /// The request got no response, or lost it.
    pub(crate) fn gone(&self, error: &NoResponse) -> Failure {
        let gone = ServerGone {
            command: self.target.to_string(),
            stderr_tail: error.cause.clone(),
            ..ServerGone::default()
        };
        let (is_sent, error) = (error.is_sent, TransportError::ServerGone(Arc::new(gone)));
        Failure { error, is_sent }
    }

    pub(crate) fn broken(&self, cause: String) -> Failure {
        self.gone(&NoResponse { is_sent: true, cause })
    }

    fn success(&self, response: http::Response<Incoming>) -> Success {
        let (head, incoming) = response.into_parts();
        let kind = kind(head.status, text(&head.headers, CONTENT_TYPE));
        Success { kind, headers: head.headers, body: Body::new(incoming, self.read_timeout) }
    }

    async fn credentials(&self, target: &Target) -> Result<Credentials, Failure> {
        let Some(authorizer) = &self.authorizer else { return Ok(Credentials::none()) };
        let url = target.to_string();
        let given = contained(authorizer.credentials(&url)).await;
        given
            .unwrap_or_else(|| Err("the authorizer panicked".to_owned()))
            .map_err(|reason| before(format!("there are no credentials for {url}: {reason}")))
    }

    async fn is_worth_a_retry(&self, refusal: &Refusal, credentials: &Credentials) -> bool {
        let Some(authorizer) = &self.authorizer else { return false };
        if !matches!(refusal.status, StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN) {
            return false;
        }
        let failure = match refusal.error() {
            TransportError::Http(failure) => failure,
            error => Arc::new(HttpFailure {
                url: refusal.url.clone(),
                status: refusal.status.as_u16(),
                challenges: challenges(&refusal.headers),
                retry_after: retry_after(&refusal.headers, SystemTime::now()),
                detail: error.to_string(),
            }),
        };
        let answer = contained(authorizer.refused(&failure, credentials)).await;
        answer == Some(Refused::Retry)
    }

    pub(crate) fn warn(&self, warning: &str) {
        self.shielded(|handler| handler.warning(warning));
    }

    /// Calls the handler; what it does must not stop whoever reads.
    pub(crate) fn shielded(&self, call: impl FnOnce(&dyn Handler)) {
        // A panic has been reported by the panic hook, and the exchange owes it nothing more.
        let _ = catch_unwind(AssertUnwindSafe(|| call(&*self.handler)));
    }
}

/// A request that cannot be sent as it is.
pub(crate) fn before(detail: String) -> Failure {
    Failure::before_sending(TransportError::Protocol(detail))
}

/// Servers take a hundred or so.
const MAX_HEADERS: usize = 4096;
