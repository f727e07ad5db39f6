//! The session that a legacy server keeps for its client.

use std::fmt;
use std::sync::{Arc, Mutex};

use http::header::ACCEPT;
use http::{HeaderMap, HeaderValue};
use mcp_protocol::{InitializeResult, ProtocolVersion};

use crate::http::endpoint::Endpoint;
use crate::http::metadata::{SessionHeaders, session_id};
use crate::task::lock;
use crate::{Answer, Outgoing};

/// The session, once there is one.
#[derive(Default)]
pub(crate) struct Session(Mutex<Option<Arc<SessionHeaders>>>);

impl Session {
    /// A server has begun to answer `initialize` with these headers.
    pub(crate) fn open(&self, headers: &HeaderMap, endpoint: &Endpoint) {
        let id = session_id(headers).unwrap_or_else(|warning| {
            endpoint.warn(&format!("{}: {warning}; going on without it", endpoint.target));
            None
        });
        let opened = SessionHeaders { id, ..SessionHeaders::default() };
        *lock(&self.0) = Some(Arc::new(opened));
    }

    /// The answer to `initialize` has come.
    pub(crate) fn agree(&self, answer: &Answer) {
        let Ok(result) = answer.decode::<InitializeResult>() else { return };
        let version = ProtocolVersion::from(result.protocol_version);
        let mut session = lock(&self.0);
        let id = session.as_ref().and_then(|session| session.id.clone());
        *session = Some(Arc::new(SessionHeaders::new(id, &version)));
    }

    /// The server knows the session no longer, or never opened it.
    pub(crate) fn forget(&self) {
        *lock(&self.0) = None;
    }

    /// Whether the server gave the session an id, and so can end it.
    pub(crate) fn has_id(&self) -> bool {
        lock(&self.0).as_ref().is_some_and(|session| session.id.is_some())
    }

    /// What a message carries; only those of the legacy era do.
    pub(crate) fn headers_for(&self, message: &Outgoing) -> Option<Arc<SessionHeaders>> {
        if message.version.is_some() { None } else { lock(&self.0).clone() }
    }

    /// What a request for a stream carries.
    pub(crate) fn stream_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(ACCEPT, HeaderValue::from_static("text/event-stream"));
        if let Some(session) = &*lock(&self.0) {
            session.put_into(&mut headers);
        }
        headers
    }

    /// Ends the session on this side: what it takes to end it on the other, if there is one.
    pub(crate) fn close(&self) -> Option<HeaderMap> {
        let session = lock(&self.0).take().filter(|session| session.id.is_some())?;
        let mut headers = HeaderMap::new();
        session.put_into(&mut headers);
        Some(headers)
    }
}

impl fmt::Debug for Session {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        lock(&self.0).fmt(f)
    }
}
