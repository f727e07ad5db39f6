//! The six members around a message, borrowed from its bytes.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;

use crate::RequestId;

/// The envelope of a message.  Of a member that is written twice the last one counts.
#[derive(Debug, Default)]
pub(crate) struct Envelope<'a> {
    pub(crate) is_version_2: bool,
    /// The id, or that what stood there is none.  Null is no id.
    pub(crate) id: Option<Result<RequestId, ()>>,
    pub(crate) has_null_id: bool,
    /// The method, if it is a string.
    pub(crate) method: Option<Cow<'a, str>>,
    /// The parameters, if they are an object.
    pub(crate) params: Option<&'a RawValue>,
    pub(crate) result: Option<&'a RawValue>,
    /// The error.  Null is none: servers exist that send it beside a result.
    pub(crate) error: Option<&'a RawValue>,
}

impl<'a> Envelope<'a> {
    fn set(&mut self, member: Member, raw: &'a RawValue) {
        let text = raw.get();
        match member {
            Member::JsonRpc => self.is_version_2 = text == "\"2.0\"",
            Member::Id => {
                self.has_null_id = text == "null";
                self.id = (text != "null").then(|| RequestId::from_text(text).ok_or(()));
            }
            Member::Method => self.method = string(text),
            Member::Params => self.params = Some(raw).filter(|_| text.starts_with('{')),
            Member::Result => self.result = Some(raw),
            Member::Error => self.error = Some(raw).filter(|_| text != "null"),
            Member::Other => (),
        }
    }
}

/// A JSON string, borrowed where it holds no escapes.
fn string(text: &str) -> Option<Cow<'_, str>> {
    let inside = text.strip_prefix('"')?.strip_suffix('"')?;
    if inside.contains('\\') {
        serde_json::from_str(text).ok().map(Cow::Owned)
    } else {
        Some(Cow::Borrowed(inside))
    }
}

#[derive(Clone, Copy)]
enum Member {
    JsonRpc,
    Id,
    Method,
    Params,
    Result,
    Error,
    Other,
}

impl Member {
    fn named(name: &str) -> Self {
        match name {
            "jsonrpc" => Self::JsonRpc,
            "id" => Self::Id,
            "method" => Self::Method,
            "params" => Self::Params,
            "result" => Self::Result,
            "error" => Self::Error,
            _ => Self::Other,
        }
    }
}

impl<'de> Deserialize<'de> for Member {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Name;

        impl Visitor<'_> for Name {
            type Value = Member;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a member name")
            }

            fn visit_str<E>(self, name: &str) -> Result<Member, E> {
                Ok(Member::named(name))
            }
        }
        deserializer.deserialize_identifier(Name)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Envelope<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Members;

        impl<'de> Visitor<'de> for Members {
            type Value = Envelope<'de>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON-RPC message")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Envelope<'de>, A::Error> {
                let mut envelope = Envelope::default();
                while let Some(member) = map.next_key()? {
                    if let Member::Other = member {
                        map.next_value::<IgnoredAny>()?;
                    } else {
                        envelope.set(member, map.next_value()?);
                    }
                }
                Ok(envelope)
            }
        }
        deserializer.deserialize_map(Members)
    }
}

/// Finds the id of what looks like an answer, in bytes that could not be read as a whole.
///
/// It reads the members in order, as far as they are intact.  What has a method is a request of
/// the other side's, whose ids are its own.
pub(crate) fn peek_id(bytes: &[u8]) -> Option<RequestId> {
    let (mut id, mut is_answer) = (None, false);
    let mut rest = bytes.strip_prefix(b"{");
    while let Some((name, value)) = rest.and_then(split_name) {
        match name {
            b"\"method\"" => return None,
            b"\"result\"" | b"\"error\"" => is_answer = true,
            _ => (),
        }
        let Some((text, after)) = split_value(value) else { break };
        if name == b"\"id\"" {
            id = std::str::from_utf8(text).ok().and_then(RequestId::from_text);
        }
        rest = after.trim_ascii_start().strip_prefix(b",");
    }
    id.filter(|_| is_answer)
}

/// Splits the name of a member, quotes included, off what follows it.
fn split_name(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (name, after) = split_value(bytes)?;
    Some((name, after.trim_ascii_start().strip_prefix(b":")?))
}

/// Splits the first JSON value off `bytes`, without judging it.
fn split_value(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let bytes = bytes.trim_ascii_start();
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, &byte) in bytes.iter().enumerate() {
        if in_string {
            match byte {
                _ if escaped => escaped = false,
                b'\\' => escaped = true,
                b'"' => in_string = false,
                _ => (),
            }
            if !in_string && depth == 0 {
                return Some(bytes.split_at(at + 1));
            }
            continue;
        }
        match byte {
            b'"' => in_string = true,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth > 0 => {
                depth -= 1;
                if depth == 0 {
                    return Some(bytes.split_at(at + 1));
                }
            }
            b',' | b':' | b'}' | b']' if depth == 0 => {
                let (value, rest) = bytes.split_at(at);
                return Some((value.trim_ascii_end(), rest)).filter(|(value, _)| !value.is_empty());
            }
            _ => (),
        }
    }
    None
}
