//! The parts of a JSON-RPC message that both directions share.

use std::fmt;

use serde::de::{self, Deserializer, Visitor};
use serde::ser::Serializer;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::ErrorCode;
use crate::lenient::whole;

/// The id of a request: an integer or a string.
///
/// An integer that a peer spelled as `3.0` is the integer 3.  A fraction, a boolean or an object
/// is no id (JSON-RPC 2.0, and "Requests" of the specification).
#[allow(clippy::exhaustive_enums, reason = "the specification allows these two")]
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub enum RequestId {
    /// An integer, wide enough to echo whatever 64-bit number a server mints.
    Integer(i128),
    /// A string.
    String(String),
}

impl RequestId {
    /// The id as one of our own, which are all small integers.
    ///
    /// Lenient on purpose: servers exist that answer request 3 as `"3"`.
    pub fn as_own(&self) -> Option<u64> {
        match self {
            Self::Integer(id) => u64::try_from(*id).ok(),
            Self::String(text) => text.parse().ok(),
        }
    }

    /// Reads an id from JSON text, or nothing where it is none.
    pub(crate) fn from_text(text: &str) -> Option<Self> {
        match text.parse() {
            Ok(integer) => Some(Self::Integer(integer)),
            Err(_) => serde_json::from_str(text).ok(),
        }
    }
}

impl From<u64> for RequestId {
    fn from(id: u64) -> Self {
        Self::Integer(id.into())
    }
}

impl From<&str> for RequestId {
    fn from(id: &str) -> Self {
        Self::String(id.to_owned())
    }
}

impl fmt::Display for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(id) => id.fmt(f),
            // Quoted, so that 92 and "92" differ in a log.
            Self::String(id) => write!(f, "{id:?}"),
        }
    }
}

impl fmt::Debug for RequestId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for RequestId {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            // The common case, in a form that every serializer has.
            Self::Integer(id) => match (u64::try_from(*id), i64::try_from(*id)) {
                (Ok(id), _) => serializer.serialize_u64(id),
                (_, Ok(id)) => serializer.serialize_i64(id),
                _ => serializer.serialize_i128(*id),
            },
            Self::String(id) => serializer.serialize_str(id),
        }
    }
}

impl<'de> Deserialize<'de> for RequestId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(RequestIdVisitor)
    }
}

struct RequestIdVisitor;

impl Visitor<'_> for RequestIdVisitor {
    type Value = RequestId;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a string or an integer")
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<RequestId, E> {
        Ok(RequestId::Integer(id.into()))
    }

    fn visit_i64<E: de::Error>(self, id: i64) -> Result<RequestId, E> {
        Ok(RequestId::Integer(id.into()))
    }

    fn visit_f64<E: de::Error>(self, id: f64) -> Result<RequestId, E> {
        match Number::from_f64(id).as_ref().and_then(whole) {
            Some(id) => Ok(RequestId::Integer(id)),
            None => Err(E::custom("an id must be a string or an integer")),
        }
    }

    fn visit_str<E: de::Error>(self, id: &str) -> Result<RequestId, E> {
        Ok(RequestId::String(id.to_owned()))
    }
}

/// What went wrong with a request, in the words of the other side.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize, thiserror::Error)]
#[error("{message}{}", .code.map(|code| format!(" (code {code})")).unwrap_or_default())]
pub struct ErrorObject {
    /// The code; nothing where the peer gave none that is a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<ErrorCode>,
    /// What the peer says about it.
    pub message: String,
    /// Anything more, verbatim.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub data: Option<Box<Value>>,
}

impl ErrorObject {
    /// An error with a code and a message.
    pub fn new(code: ErrorCode, message: impl Into<String>) -> Self {
        Self { code: Some(code), message: message.into(), data: None }
    }

    /// Reads an error as leniently as it can be read: any object is one.
    ///
    /// A code that is not a number is none, a message that is not a string is a remark that
    /// there was none.
    pub fn from_raw(raw: &RawValue) -> Option<Self> {
        #[derive(Deserialize)]
        struct Members<'a> {
            #[serde(borrow, default)]
            code: Option<&'a RawValue>,
            #[serde(borrow, default)]
            message: Option<&'a RawValue>,
            #[serde(borrow, default)]
            data: Option<&'a RawValue>,
        }
        if !raw.get().starts_with('{') {
            return None;
        }
        // An object with a member written twice is still an error: of nothing we can read.
        let members = serde_json::from_str(raw.get()).unwrap_or(Members {
            code: None,
            message: None,
            data: None,
        });
        let code = members.code.and_then(|raw| serde_json::from_str::<f64>(raw.get()).ok());
        let message = members.message.and_then(|raw| serde_json::from_str(raw.get()).ok());
        let data = members.data.filter(|raw| raw.get() != "null").map(|raw| {
            // A number that no value can hold is better kept as text than lost.
            serde_json::from_str(raw.get()).unwrap_or_else(|_| Value::from(raw.get()))
        });
        Some(Self {
            #[allow(
                clippy::cast_possible_truncation,
                reason = "codes are small; a fraction is cut"
            )]
            code: code.map(|code| ErrorCode(code as i64)),
            message: message.unwrap_or_else(|| "the peer gave no message".to_owned()),
            data: data.map(Box::new),
        })
    }
}
