//! What a response to a POST is: from its status, its headers and its body, and nothing else.

use std::time::SystemTime;

use bytes::Bytes;
use http::{HeaderMap, StatusCode};
use mcp_protocol::{ErrorObject, Inbound, Response};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::http::challenge::{challenges, retry_after};
use crate::{Answer, HttpFailure, TransportError};

/// What kind of body a response has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Kind {
    /// A stream of events.
    Sse,
    /// One message.
    Json,
    /// None: the message was taken, and there is no answer in this response.
    Accepted,
    /// Something about why the message was not taken.
    Refused,
}

/// Says what is to be read.  Some servers send JSON under the name of something else.
pub(crate) fn kind(status: StatusCode, content_type: Option<&str>) -> Kind {
    let is_stream =
        || content_type.is_some_and(|it| it.to_ascii_lowercase().contains("text/event-stream"));
    match status {
        StatusCode::OK if is_stream() => Kind::Sse,
        StatusCode::OK => Kind::Json,
        status if status.is_success() => Kind::Accepted,
        _ => Kind::Refused,
    }
}

/// The answer in a body that is one message, and what is odd about it.
///
/// # Errors
///
/// Fails with the server's error if it is one, and else by saying what the body is instead.
pub(crate) fn read_json(body: &Bytes, id: u64) -> Result<(Answer, Option<String>), TransportError> {
    let instead = |what: String| {
        Err(TransportError::Protocol(format!("the server answered with {what}, not an answer")))
    };
    match Inbound::parse(body) {
        Ok(Inbound::Response(response)) => settle(body, response, id),
        Ok(Inbound::Notification(notification)) => {
            instead(format!("the notification {}", notification.method))
        }
        Ok(Inbound::Request(request)) => instead(format!("the request {}", request.method)),
        Ok(_) => instead("an empty body".to_owned()),
        Err(_) if body.trim_ascii().starts_with(b"[") => instead("a batch".to_owned()),
        Err(invalid) => match first_line(body) {
            line if line.is_empty() => instead("an empty body".to_owned()),
            line => instead(format!("something unreadable ({invalid}): {line}")),
        },
    }
}

/// The answer that a response to the request `id` is, and what is odd about it.
///
/// It came in the exchange that the request opened, so it is the request's, whatever id it names.
pub(crate) fn settle(
    body: &Bytes,
    response: Response<'_>,
    id: u64,
) -> Result<(Answer, Option<String>), TransportError> {
    let raw = response.outcome.map_err(TransportError::Rpc)?;
    let is_own = response.id.as_ref().and_then(mcp_protocol::RequestId::as_own) == Some(id);
    let odd = (!is_own).then(|| match response.id {
        Some(named) => format!("took an answer to {named} for one to request {id}"),
        None => format!("took an answer that names no request for one to request {id}"),
    });
    Ok((Answer::new(body.slice_ref(raw.get().as_bytes())), odd))
}

/// Why a request was refused: the error in the body, or else the status and what it came with.
/// Where a 401 or a 403 comes with a challenge, it is the status whatever the body is.
///
/// `url` is what the failure names: without anything secret in it.
pub(crate) fn refused(
    status: StatusCode,
    headers: &HeaderMap,
    body: &[u8],
    url: &str,
) -> TransportError {
    let challenges = match status {
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN => challenges(headers),
        _ => Vec::new(),
    };
    let detail = match error_in(body) {
        // Who could find credentials needs the challenge more than the code.
        Some(error) if !challenges.is_empty() => first_line(error.message.as_bytes()),
        Some(error) => return TransportError::Rpc(error),
        None => first_line(body),
    };
    TransportError::Http(std::sync::Arc::new(HttpFailure {
        url: url.to_owned(),
        status: status.as_u16(),
        challenges,
        retry_after: retry_after(headers, SystemTime::now()),
        detail,
    }))
}

/// The error that a body carries: a response, or an object that has an error and little else.
fn error_in(body: &[u8]) -> Option<ErrorObject> {
    #[derive(Deserialize)]
    struct Loose<'a> {
        #[serde(borrow)]
        error: &'a RawValue,
    }
    match Inbound::parse(body) {
        Ok(Inbound::Response(Response { outcome: Err(error), .. })) => Some(error),
        // A result under a status that says otherwise is no result.
        Ok(_) => None,
        Err(_) => {
            let loose: Loose<'_> = serde_json::from_slice(body.trim_ascii()).ok()?;
            let error = ErrorObject::from_raw(loose.error)?;
            // `{"error": {}}` says no more than the status does.
            (error.code.is_some() || loose.error.get().contains("\"message\"")).then_some(error)
        }
    }
}

/// The first line of a body that says something, cut at 200 characters, each of which can be shown.
fn first_line(body: &[u8]) -> String {
    // Four bytes are the longest character, and blank lines before the first are few.
    let beginning = &body[..body.len().min(8 * LONGEST)];
    let text = String::from_utf8_lossy(beginning);
    let line = text.lines().map(str::trim).find(|line| !line.is_empty()).unwrap_or_default();
    // It may end up on a terminal, and must not steer it.
    let shown = |character: char| if character.is_control() { ' ' } else { character };
    let beginning: String = line.chars().take(LONGEST).map(shown).collect();
    if line.chars().nth(LONGEST).is_some() { beginning + "..." } else { beginning }
}

const LONGEST: usize = 200;

#[cfg(test)]
mod tests;
