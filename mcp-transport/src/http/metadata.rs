//! The headers of a message: what it repeats of itself, the session, and what the host adds.

use std::fmt;

use http::header::{ACCEPT, CONTENT_TYPE};
use http::{HeaderMap, HeaderName, HeaderValue};
use mcp_protocol::{ProtocolVersion, method};

use super::value::encode;
use crate::Outgoing;

/// The headers of one POST that follow from its message.
///
/// In the modern era the message repeats its version, its method, what it names and the mirrored
/// parameters; in the legacy era it carries the session, unless it opens one
/// (`basic/transports/streamable-http`, "Request Metadata"; `basic/transports` of `2025-11-25`).
///
/// # Errors
///
/// Fails, with a sentence about it, where something cannot stand in a header.
pub(crate) fn metadata(
    message: &Outgoing,
    session: Option<&SessionHeaders>,
) -> Result<HeaderMap, String> {
    let mut headers = HeaderMap::with_capacity(8);
    headers.insert(ACCEPT, HeaderValue::from_static("application/json, text/event-stream"));
    headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    let Some(version) = &message.version else {
        if let Some(session) = session.filter(|_| message.method != method::INITIALIZE) {
            session.put_into(&mut headers);
        }
        return Ok(headers);
    };
    let version = HeaderValue::from_str(version.as_str())
        .map_err(|_| format!("the version {:?} cannot stand in a header", version.as_str()))?;
    headers.insert(MCP_PROTOCOL_VERSION, version);
    if !message.method.is_empty() {
        headers.insert(MCP_METHOD, encoded(&message.method)?);
    }
    if let Some(name) = message.name.as_ref().filter(|_| is_named(&message.method)) {
        headers.insert(MCP_NAME, encoded(name)?);
    }
    if message.method == method::CALL_TOOL {
        for (parameter, value) in &message.mirrored {
            let name = HeaderName::from_bytes(format!("{MCP_PARAM}{parameter}").as_bytes());
            let name = name.map_err(|_| format!("{MCP_PARAM}{parameter:?} is no header name"))?;
            match headers.try_insert(name, encoded(value)?) {
                Ok(None) => (),
                Ok(Some(_)) => return Err(format!("two parameters are called {parameter:?}")),
                Err(_) => return Err("there are too many mirrored parameters".to_owned()),
            }
        }
    }
    Ok(headers)
}

/// Whether messages of a method carry the name of what they are about.
fn is_named(of: &str) -> bool {
    matches!(of, method::CALL_TOOL | method::GET_PROMPT | method::READ_RESOURCE)
}

fn encoded(value: &str) -> Result<HeaderValue, String> {
    // An encoded value is printable ASCII, so this does not happen.
    HeaderValue::from_str(&encode(value)).map_err(|_| "a value cannot be encoded".to_owned())
}

/// What every message of a legacy session carries after the handshake.
#[derive(Clone, Default)]
pub(crate) struct SessionHeaders {
    /// The id of the session, if the server gave one.
    pub(crate) id: Option<HeaderValue>,
    /// The version that was agreed on, where its servers know the header.
    pub(crate) version: Option<HeaderValue>,
}

impl SessionHeaders {
    /// A session in `version`.  The servers of `2024-11-05` are not told the version.
    pub(crate) fn new(id: Option<HeaderValue>, version: &ProtocolVersion) -> Self {
        let is_told = *version != ProtocolVersion::V2024_11_05;
        let version = HeaderValue::from_str(version.as_str()).ok().filter(|_| is_told);
        Self { id, version }
    }

    /// Adds the headers to those of a request.
    pub(crate) fn put_into(&self, headers: &mut HeaderMap) {
        for (name, value) in [(MCP_SESSION_ID, &self.id), (MCP_PROTOCOL_VERSION, &self.version)] {
            if let Some(value) = value {
                headers.insert(name, value.clone());
            }
        }
    }
}

impl fmt::Debug for SessionHeaders {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The id may be all that is needed to take a session over.
        let id = self.id.as_ref().map(|_| "…");
        f.debug_struct("SessionHeaders").field("id", &id).field("version", &self.version).finish()
    }
}

/// The id of the session that the answer to `initialize` opens, if it opens one.
///
/// # Errors
///
/// Fails, with a sentence about it, where the id is empty, longer than 1 KiB, or anything but
/// visible ASCII.
pub(crate) fn session_id(headers: &HeaderMap) -> Result<Option<HeaderValue>, String> {
    let Some(id) = headers.get(MCP_SESSION_ID) else { return Ok(None) };
    let length = id.len();
    if length > MAX_SESSION_ID {
        return Err(format!(
            "the server's session id is {length} bytes long; at most {MAX_SESSION_ID} are taken"
        ));
    }
    if length == 0 || !id.as_bytes().iter().all(u8::is_ascii_graphic) {
        return Err("the server's session id is not of visible ASCII characters".to_owned());
    }
    let mut id = id.clone();
    id.set_sensitive(true);
    Ok(Some(id))
}

/// The id of the last event that came, as a header; nothing where it cannot be one.
pub(crate) fn last_event_id(id: &str) -> Option<HeaderValue> {
    if id.is_empty() || id.len() > MAX_EVENT_ID {
        return None;
    }
    HeaderValue::from_bytes(id.as_bytes()).ok()
}

/// The headers that a host wants on every request.
///
/// # Errors
///
/// Fails, with a sentence that never shows a value, where a name is none, where the header is
/// made by the transport, and where a value cannot stand in a header.
pub(crate) fn custom<'a>(
    headers: impl IntoIterator<Item = (&'a str, &'a str)>,
) -> Result<HeaderMap, String> {
    let mut map = HeaderMap::new();
    for (name, value) in headers {
        let header = HeaderName::from_bytes(name.as_bytes()).map_err(|_| {
            format!("{name:?} is no header name: it may hold only token characters")
        })?;
        if header.as_str().starts_with("mcp-param-") || DERIVED.contains(&header.as_str()) {
            return Err(format!("the header {name} is derived from each message; leave it out"));
        }
        if OWN.contains(&header.as_str()) {
            return Err(format!("the header {name} belongs to the connection; leave it out"));
        }
        // The library would let bytes beyond ASCII pass, which servers read in different ways.
        let printable = Some(value).filter(|value| value.is_ascii());
        let value = printable.and_then(|value| HeaderValue::from_str(value).ok());
        let mut value = value.ok_or_else(|| {
            format!(
                "the value of the header {name} holds a character that is not printable ASCII; \
                 is there a line break at its end?"
            )
        })?;
        value.set_sensitive(true);
        map.try_append(header, value).map_err(|_| "there are too many headers".to_owned())?;
    }
    Ok(map)
}

pub(crate) const MCP_PROTOCOL_VERSION: HeaderName = HeaderName::from_static("mcp-protocol-version");
pub(crate) const MCP_METHOD: HeaderName = HeaderName::from_static("mcp-method");
pub(crate) const MCP_NAME: HeaderName = HeaderName::from_static("mcp-name");
pub(crate) const MCP_SESSION_ID: HeaderName = HeaderName::from_static("mcp-session-id");
pub(crate) const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

const MCP_PARAM: &str = "Mcp-Param-";

/// What says something of the message, and must say the same as its body.
const DERIVED: [&str; 8] = [
    "accept",
    "content-length",
    "content-type",
    "last-event-id",
    "mcp-method",
    "mcp-name",
    "mcp-protocol-version",
    "mcp-session-id",
];

/// What says how the message is carried.  Compressed answers are not read.
const OWN: [&str; 11] = [
    "accept-encoding",
    "connection",
    "content-encoding",
    "expect",
    "host",
    "keep-alive",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

const MAX_SESSION_ID: usize = 1 << 10;
const MAX_EVENT_ID: usize = 8 << 10;

#[cfg(test)]
mod tests;
