//! How each era writes a request, and what both write alike.

use serde::Serialize;
use serde::ser::Error as _;
use serde_json::Error;

use crate::meta::{
    META_CLIENT_CAPABILITIES, META_CLIENT_INFO, META_LOG_LEVEL, META_PROTOCOL_VERSION, method,
};
use crate::{
    ClientCapabilities, ErrorObject, Implementation, JsonObject, LoggingLevel, Params,
    ProtocolVersion, RequestId,
};

/// How requests are written on one connection.
#[allow(clippy::exhaustive_enums, reason = "one for each era")]
#[derive(Clone, Debug)]
pub enum Dialect {
    /// Parameters as they are.
    Legacy,
    /// Every request stamped.
    Modern(Stamp),
}

/// What a modern request says about its sender, serialised once for a whole connection.
#[derive(Clone, Debug)]
pub struct Stamp {
    version: ProtocolVersion,
    /// The members of `_meta`, with a comma between each two.
    members: String,
    keys: Vec<&'static str>,
}

impl Stamp {
    /// A stamp for requests in `version`.
    ///
    /// `capabilities` are declared even when empty: that is how a client says that it has no
    /// optional features.  An implementation without a name is not worth declaring.
    ///
    /// # Errors
    ///
    /// Fails for a version of the legacy era, which is reached by handshake and not by a stamp.
    pub fn new(
        version: &ProtocolVersion,
        client_info: Option<&Implementation>,
        capabilities: Option<&ClientCapabilities>,
        log_level: Option<LoggingLevel>,
    ) -> Result<Self, LegacyVersion> {
        if version.is_legacy() {
            return Err(LegacyVersion(version.clone()));
        }
        let written = [
            Some((META_PROTOCOL_VERSION, json(version))),
            client_info.map(|info| (META_CLIENT_INFO, json(info))),
            capabilities.map(|capabilities| (META_CLIENT_CAPABILITIES, json(capabilities))),
            log_level.map(|level| (META_LOG_LEVEL, json(&level))),
        ];
        let (mut keys, mut members) = (Vec::new(), Vec::new());
        for (key, value) in written.into_iter().flatten() {
            keys.push(key);
            members.push(format!("\"{key}\":{value}"));
        }
        Ok(Self { version: version.clone(), members: members.join(","), keys })
    }

    /// The version of the requests that carry this stamp.
    pub fn version(&self) -> &ProtocolVersion {
        &self.version
    }
}

/// A version of the legacy era where only a modern one will do.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0} is reached by handshake and cannot be stamped on a request")]
pub struct LegacyVersion(pub ProtocolVersion);

fn json(value: &impl Serialize) -> String {
    // Only a map with keys that are not strings cannot be written, and there is none in here.
    serde_json::to_string(value).unwrap_or_else(|_| "null".to_owned())
}

impl Dialect {
    /// The version that messages are stamped with; nothing in the legacy era, which agrees on one
    /// for the whole session.
    pub fn version(&self) -> Option<&ProtocolVersion> {
        match self {
            Self::Legacy => None,
            Self::Modern(stamp) => Some(&stamp.version),
        }
    }

    /// Writes a request as one line of JSON, without the line end.
    ///
    /// `meta` is the caller's own `_meta`; where it collides with the stamp, the stamp counts.
    ///
    /// # Errors
    ///
    /// Fails where `params` cannot be written, or are not an object.
    pub fn request(
        &self,
        id: &RequestId,
        method: &str,
        params: Option<&dyn Params>,
        meta: Option<&JsonObject>,
    ) -> Result<Vec<u8>, Error> {
        let mut out = Vec::with_capacity(512);
        out.extend_from_slice(b"{\"jsonrpc\":\"2.0\",\"id\":");
        serde_json::to_writer(&mut out, id)?;
        out.extend_from_slice(b",\"method\":");
        serde_json::to_writer(&mut out, method)?;
        self.write_params(&mut out, params, meta)?;
        out.push(b'}');
        Ok(one_line(out))
    }

    fn write_params(
        &self,
        out: &mut Vec<u8>,
        params: Option<&dyn Params>,
        meta: Option<&JsonObject>,
    ) -> Result<(), Error> {
        let (stamp, stamped) = match self {
            Self::Legacy => ("", &[][..]),
            Self::Modern(stamp) => (&*stamp.members, &*stamp.keys),
        };
        let has_meta = !stamp.is_empty() || meta.is_some();
        if params.is_none() && !has_meta {
            return Ok(());
        }
        out.extend_from_slice(b",\"params\":");
        if has_meta {
            out.extend_from_slice(b"{\"_meta\":{");
            out.extend_from_slice(stamp.as_bytes());
            let mut is_first = stamp.is_empty();
            for (key, value) in meta.into_iter().flatten() {
                if !stamped.contains(&&**key) {
                    if !std::mem::take(&mut is_first) {
                        out.push(b',');
                    }
                    serde_json::to_writer(&mut *out, key)?;
                    out.push(b':');
                    serde_json::to_writer(&mut *out, value)?;
                }
            }
            out.push(b'}');
        }
        let start = out.len();
        match params {
            Some(params) => params.write(out)?,
            None => out.extend_from_slice(b"{}"),
        }
        if out.get(start) != Some(&b'{') {
            return Err(Error::custom("the parameters of a request must be an object"));
        }
        if has_meta {
            // The object goes on after `_meta`, or ends there.
            match out.len() - start {
                2 => {
                    out.remove(start);
                }
                _ => out[start] = b',',
            }
        }
        Ok(())
    }
}

/// Writes a notification as one line of JSON, without the line end.
///
/// # Errors
///
/// Fails where `params` cannot be written.
pub fn notification<P: Serialize + ?Sized>(
    method: &str,
    params: Option<&P>,
) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct Notification<'a, P: ?Sized> {
        jsonrpc: &'static str,
        method: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        params: Option<&'a P>,
    }
    serde_json::to_vec(&Notification { jsonrpc: "2.0", method, params }).map(one_line)
}

/// Writes `notifications/cancelled` for a request of ours.
pub fn cancelled(id: u64, reason: &str) -> Vec<u8> {
    let reason = serde_json::Value::from(reason);
    format!(
        "{{\"jsonrpc\":\"2.0\",\"method\":\"{}\",\"params\":{{\"requestId\":{id},\"reason\":{reason}}}}}",
        method::CANCELLED,
    )
    .into_bytes()
}

/// Writes the answer to a request of a legacy server as one line of JSON.
///
/// # Errors
///
/// Fails where the result cannot be written.
pub fn response<R: Serialize + ?Sized>(
    id: &RequestId,
    outcome: Result<&R, &ErrorObject>,
) -> Result<Vec<u8>, Error> {
    #[derive(Serialize)]
    struct Response<'a, R: ?Sized> {
        jsonrpc: &'static str,
        id: &'a RequestId,
        #[serde(skip_serializing_if = "Option::is_none")]
        result: Option<&'a R>,
        #[serde(skip_serializing_if = "Option::is_none")]
        error: Option<&'a ErrorObject>,
    }
    let (result, error) = (outcome.ok(), outcome.err());
    serde_json::to_vec(&Response { jsonrpc: "2.0", id, result, error }).map(one_line)
}

/// Takes line ends out of a message.
///
/// Raw JSON that a caller hands in may be spread over lines.  Inside a string a line end is
/// always escaped, so one that stands bare is white space between tokens.
fn one_line(mut message: Vec<u8>) -> Vec<u8> {
    for byte in &mut message {
        if matches!(byte, b'\n' | b'\r') {
            *byte = b' ';
        }
    }
    message
}
