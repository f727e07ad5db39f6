//! How far a request has come: `notifications/progress`.

use std::fmt;

use serde::de::{Deserialize, Deserializer};
use serde::{Serialize, Serializer};
use serde_json::Value;

use crate::json::{Failed, Json};
use crate::lenient::{Member, Read, read_strictly, whole};
use crate::object::object;
use crate::{Extra, JsonObject};

/// What ties progress to its request: chosen by the one who asks, unique among open requests.
#[allow(clippy::exhaustive_enums, reason = "the specification allows these two and no others")]
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum ProgressToken {
    /// A whole number.
    Integer(i64),
    /// A text.
    String(String),
}

impl From<i64> for ProgressToken {
    fn from(token: i64) -> Self {
        Self::Integer(token)
    }
}

impl From<&str> for ProgressToken {
    fn from(token: &str) -> Self {
        Self::String(token.to_owned())
    }
}

impl From<String> for ProgressToken {
    fn from(token: String) -> Self {
        Self::String(token)
    }
}

impl fmt::Display for ProgressToken {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(token) => token.fmt(formatter),
            Self::String(token) => token.fmt(formatter),
        }
    }
}

impl Member for ProgressToken {
    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        Ok(match json.into_value()? {
            Value::String(token) => Read::Good(Self::String(token)),
            Value::Number(token) => match whole(&token).and_then(|it| i64::try_from(it).ok()) {
                Some(token) => Read::Good(Self::Integer(token)),
                None => Read::Odd(token.into()),
            },
            other => Read::Odd(other),
        })
    }
}

impl<'de> Deserialize<'de> for ProgressToken {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        read_strictly(value, "progress token")
    }
}

impl Serialize for ProgressToken {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Integer(token) => serializer.serialize_i64(*token),
            Self::String(token) => serializer.serialize_str(token),
        }
    }
}

object! {
    /// `notifications/progress`: how far a request has come.
    pub struct ProgressNotification {
        /// The token that the request carried.
        pub progress_token: ProgressToken => "progressToken",
        /// How much is done.
        pub progress: f64 => "progress",
        /// How much there is to do, if known.
        pub total: Option<f64> => "total",
        /// What is being done (since 2025-03-26).
        pub message: Option<String> => "message",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl ProgressNotification {
    /// Creates a report for the request that carried `token`.
    pub fn new(token: impl Into<ProgressToken>, progress: f64) -> Self {
        Self {
            progress_token: token.into(),
            progress,
            total: None,
            message: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}
