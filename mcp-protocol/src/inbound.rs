//! What a line, an event or a body from the other side is.

use std::borrow::Cow;

use serde_json::value::RawValue;

use crate::envelope::{Envelope, peek_id};
use crate::{ErrorObject, RequestId};

/// A message from the other side, read no further than its envelope.
///
/// Everything borrows from the bytes it was read from: a result is decoded by whoever asked
/// for it, once, into the type they want.
#[non_exhaustive]
#[derive(Debug)]
pub enum Inbound<'a> {
    /// An answer to a request of ours.
    Response(Response<'a>),
    /// Something the server tells us.
    Notification(Notification<'a>),
    /// Something the server asks of us; only servers of the legacy era may.
    Request(Request<'a>),
}

/// An answer to a request.
#[non_exhaustive]
#[derive(Debug)]
pub struct Response<'a> {
    /// The request it answers; nothing where the server could not tell.
    pub id: Option<RequestId>,
    /// The result as JSON text, or the error.
    pub outcome: Result<&'a RawValue, ErrorObject>,
}

/// A message that expects no answer.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Notification<'a> {
    /// What it is about.
    pub method: Cow<'a, str>,
    /// Its parameters as the JSON text of an object, if it has any.
    pub params: Option<&'a RawValue>,
}

/// A message from the server that expects an answer.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Request<'a> {
    /// The id its answer must carry.  It may equal one of ours: the two sides count apart.
    pub id: RequestId,
    /// What is asked.
    pub method: Cow<'a, str>,
    /// Its parameters as the JSON text of an object, if it has any.
    pub params: Option<&'a RawValue>,
}

impl<'a> Inbound<'a> {
    /// Reads one message: one line, the data of one event, or one body.
    ///
    /// A byte order mark and white space around the message are skipped.
    ///
    /// # Errors
    ///
    /// Fails where the bytes are not one JSON-RPC message, and says which requests of ours they
    /// seem to have answered all the same.
    pub fn parse(bytes: &'a [u8]) -> Result<Self, InvalidMessage> {
        let bytes = trim(bytes);
        match bytes.first() {
            None => return Err(InvalidMessage::new("blank line")),
            Some(b'{') => (),
            Some(b'[') => return Err(InvalidMessage::batch(bytes)),
            Some(_) => return Err(InvalidMessage::new("not a JSON object")),
        }
        let envelope = serde_json::from_slice::<Envelope<'a>>(bytes).map_err(|error| {
            let ids = peek_id(bytes).into_iter().collect();
            InvalidMessage { reason: format!("malformed JSON: {error}").into(), answers: ids }
        })?;
        Self::classify(&envelope)
    }

    fn classify(envelope: &Envelope<'a>) -> Result<Self, InvalidMessage> {
        let invalid = |reason: &'static str| {
            let is_answer = envelope.method.is_none();
            let answered =
                envelope.id.as_ref().filter(|_| is_answer).and_then(|id| id.as_ref().ok());
            let answers = answered.into_iter().cloned().collect();
            Err(InvalidMessage { reason: reason.into(), answers })
        };
        if !envelope.is_version_2 {
            return invalid("the member \"jsonrpc\" is not \"2.0\"");
        }
        let params = envelope.params;
        if let Some(method) = &envelope.method {
            let method = method.clone();
            return match &envelope.id {
                None => Ok(Self::Notification(Notification { method, params })),
                Some(Ok(id)) => Ok(Self::Request(Request { id: id.clone(), method, params })),
                Some(Err(_)) => invalid(NO_ID),
            };
        }
        let id = match &envelope.id {
            Some(Ok(id)) => Some(id.clone()),
            Some(Err(_)) => return invalid(NO_ID),
            None => None,
        };
        let outcome = match (envelope.error, envelope.result) {
            (Some(error), _) => match ErrorObject::from_raw(error) {
                Some(error) => Err(error),
                None => return invalid("the member \"error\" is not an object"),
            },
            (None, Some(result)) => Ok(result),
            (None, None) if envelope.id.is_none() && !envelope.has_null_id => {
                return invalid("neither a method nor an id");
            }
            (None, None) => return invalid("an answer with neither result nor error"),
        };
        Ok(Self::Response(Response { id, outcome }))
    }
}

const NO_ID: &str = "the member \"id\" is neither a string nor an integer";

/// The bytes are not a JSON-RPC message.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{reason}")]
pub struct InvalidMessage {
    /// Why not.
    pub reason: Cow<'static, str>,
    /// The requests that the bytes seem to answer, so that nobody waits for them any longer.
    pub answers: Vec<RequestId>,
}

impl InvalidMessage {
    /// Bytes of which only the beginning is known, because the whole would be too large.
    pub fn truncated(reason: impl Into<Cow<'static, str>>, beginning: &[u8]) -> Self {
        Self { reason: reason.into(), answers: peek_id(trim(beginning)).into_iter().collect() }
    }

    fn new(reason: &'static str) -> Self {
        Self { reason: reason.into(), answers: Vec::new() }
    }

    /// A batch, which only `2025-03-26` knew.
    fn batch(bytes: &[u8]) -> Self {
        let members: Vec<&RawValue> = serde_json::from_slice(bytes).unwrap_or_default();
        Self {
            reason: "not a JSON object but a batch, which is not supported".into(),
            answers: members.iter().filter_map(|raw| peek_id(raw.get().as_bytes())).collect(),
        }
    }
}

/// Drops a byte order mark, and white space at both ends.
fn trim(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes).trim_ascii();
    match (bytes.first(), bytes.last()) {
        // Nothing can be left to trim, and most messages end here.
        (None, _) | (Some(b'{'), Some(b'}')) => bytes,
        // White space beyond ASCII counts as well, if the bytes are text at all.
        _ => std::str::from_utf8(bytes).map_or(bytes, |text| text.trim().as_bytes()),
    }
}
