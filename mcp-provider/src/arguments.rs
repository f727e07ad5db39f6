//! The arguments of a call, read once however many layers look.

use std::borrow::Cow;
use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::Value;
use serde_json::value::RawValue;

use crate::{JsonObject, canonical_json, canonical_text};

/// The arguments of a call, in whichever shape a model's API delivered them.
///
/// They are parsed at the first look and never again: a clone shares what was read.  Text that
/// nobody replaces stays byte for byte.
#[derive(Clone, Default)]
pub struct Arguments(Arc<Inner>);

#[derive(Default)]
struct Inner {
    source: Source,
    object: OnceLock<Result<JsonObject, InvalidArguments>>,
}

#[derive(Default)]
enum Source {
    #[default]
    Absent,
    Text(String),
    Value(Value),
}

impl Arguments {
    /// Arguments from JSON: text, an object, null for nothing, or what a confused model wrote.
    pub fn from_json(json: Value) -> Self {
        Self::new(match json {
            Value::String(text) => Source::Text(text),
            other => Source::Value(other),
        })
    }

    /// The arguments as JSON, as they came: text stays text; nothing where there were none.
    pub fn to_json(&self) -> Option<Value> {
        match &self.0.source {
            Source::Absent => None,
            Source::Text(text) => Some(Value::String(text.clone())),
            Source::Value(value) => Some(value.clone()),
        }
    }

    /// The text of the arguments, if that is how they came.
    pub fn as_text(&self) -> Option<&str> {
        match &self.0.source {
            Source::Text(text) => Some(text),
            Source::Absent | Source::Value(_) => None,
        }
    }

    /// The arguments as an object.  None at all and blank text both mean an empty one.
    ///
    /// Of a key that is written twice the last value counts.
    ///
    /// # Errors
    ///
    /// Fails where they are not a JSON object, with a sentence for the model that wrote them.
    pub fn as_object(&self) -> Result<&JsonObject, &InvalidArguments> {
        if let Source::Value(Value::Object(object)) = &self.0.source {
            return Ok(object);
        }
        self.0.object.get_or_init(|| self.read()).as_ref()
    }

    /// The arguments as the JSON text of an object, byte for byte where they came as text.
    ///
    /// # Errors
    ///
    /// Fails where they are not a JSON object, with a sentence for the model that wrote them.
    pub fn to_object_text(&self) -> Result<Cow<'_, str>, InvalidArguments> {
        match &self.0.source {
            Source::Absent | Source::Value(Value::Null) => Ok(Cow::Borrowed("{}")),
            Source::Value(Value::Object(object)) => {
                serde_json::to_string(object).map(Cow::Owned).map_err(InvalidArguments::malformed)
            }
            Source::Value(_) => Err(InvalidArguments::not_an_object()),
            Source::Text(text) if text.trim().is_empty() => Ok(Cow::Borrowed("{}")),
            Source::Text(text) => {
                let text = text.trim();
                let known_good = matches!(self.0.object.get(), Some(Ok(_)));
                if !known_good {
                    let raw: &RawValue = serde_json::from_str(text).map_err(|error| {
                        // In the words of whoever reads the object, where that fails too.
                        let known = self.as_object().err().cloned();
                        known.unwrap_or_else(|| InvalidArguments::malformed(error))
                    })?;
                    if !raw.get().starts_with('{') {
                        return Err(InvalidArguments::not_an_object());
                    }
                }
                Ok(Cow::Borrowed(text))
            }
        }
    }

    /// The arguments in the one spelling under which two calls are the same call.
    ///
    /// Keys are sorted by code point at every level, white space between tokens is gone, and no
    /// arguments at all are `{}`.  What is not a JSON object or array is its own spelling.
    pub fn canonical(&self) -> String {
        match &self.0.source {
            Source::Absent | Source::Value(Value::Null) => "{}".to_owned(),
            Source::Text(text) => match text.trim() {
                "" => "{}".to_owned(),
                trimmed if trimmed.starts_with(['{', '[']) => {
                    canonical_text(trimmed).unwrap_or_else(|| text.clone())
                }
                _ => text.clone(),
            },
            Source::Value(value) => canonical_json(value),
        }
    }

    fn new(source: Source) -> Self {
        Self(Arc::new(Inner { source, object: OnceLock::new() }))
    }

    fn read(&self) -> Result<JsonObject, InvalidArguments> {
        match &self.0.source {
            Source::Absent | Source::Value(Value::Null) => Ok(JsonObject::new()),
            Source::Value(Value::Object(object)) => Ok(object.clone()),
            Source::Value(_) => Err(InvalidArguments::not_an_object()),
            Source::Text(text) if text.trim().is_empty() => Ok(JsonObject::new()),
            Source::Text(text) => match serde_json::from_str(text.trim()) {
                Ok(Value::Object(object)) => Ok(object),
                Ok(_) => Err(InvalidArguments::not_an_object()),
                Err(error) => Err(InvalidArguments::malformed(error)),
            },
        }
    }
}

impl From<&str> for Arguments {
    fn from(text: &str) -> Self {
        Self::new(Source::Text(text.to_owned()))
    }
}

impl From<String> for Arguments {
    fn from(text: String) -> Self {
        Self::new(Source::Text(text))
    }
}

impl From<JsonObject> for Arguments {
    fn from(object: JsonObject) -> Self {
        Self::new(Source::Value(Value::Object(object)))
    }
}

impl From<Value> for Arguments {
    fn from(json: Value) -> Self {
        Self::from_json(json)
    }
}

impl PartialEq for Arguments {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.to_json() == other.to_json()
    }
}

impl fmt::Debug for Arguments {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0.source {
            Source::Absent => f.write_str("none"),
            Source::Text(text) => fmt::Debug::fmt(text, f),
            Source::Value(value) => write!(f, "{value}"),
        }
    }
}

/// The arguments of a call are not a JSON object.  The message is written for the model.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidArguments(String);

impl InvalidArguments {
    fn not_an_object() -> Self {
        Self("Tool arguments must be a JSON object".to_owned())
    }

    #[allow(clippy::needless_pass_by_value, reason = "the shape that map_err wants")]
    fn malformed(error: serde_json::Error) -> Self {
        Self(format!("Invalid tool arguments JSON: {error}"))
    }
}
