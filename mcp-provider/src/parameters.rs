//! The JSON Schema of a tool's arguments, read when somebody looks.

use std::fmt;
use std::sync::{Arc, OnceLock};

use serde_json::value::{RawValue, to_raw_value};
use serde_json::{Value, json};

use crate::JsonObject;

/// The JSON Schema of a tool's arguments: an object, kept as text until a layer looks inside.
///
/// A clone shares both the text and what was read from it, so a listing of many tools copies
/// no JSON on its way through layers that leave it alone.
#[derive(Clone)]
pub struct Parameters(Arc<Inner>);

struct Inner {
    text: Option<Box<RawValue>>,
    object: OnceLock<Option<JsonObject>>,
}

impl Parameters {
    /// A schema from JSON text, or nothing where the text is not that of an object.
    pub fn from_raw(text: Box<RawValue>) -> Option<Self> {
        text.get()
            .starts_with('{')
            .then(|| Self(Arc::new(Inner { text: Some(text), object: OnceLock::new() })))
    }

    /// The schema as an object.
    ///
    /// Nothing where its text cannot be held as one: JSON allows a number that no JSON value
    /// here can hold, such as `1e400`.
    pub fn as_object(&self) -> Option<&JsonObject> {
        let read = || self.0.text.as_ref().and_then(|text| serde_json::from_str(text.get()).ok());
        self.0.object.get_or_init(read).as_ref()
    }

    /// The schema as JSON text: the text it came as, if it came as text.
    pub fn to_raw(&self) -> Box<RawValue> {
        let written = || self.as_object().and_then(|object| to_raw_value(object).ok());
        self.0.text.clone().or_else(written).unwrap_or_else(|| RawValue::NULL.to_owned())
    }

    /// Whether the two share one text and what was read from it.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    /// The schema as a JSON value; null where it cannot be held as one.
    pub fn to_json(&self) -> Value {
        self.as_object().cloned().map_or(Value::Null, Value::Object)
    }
}

/// The schema that allows any object.
impl Default for Parameters {
    fn default() -> Self {
        let Value::Object(object) = json!({ "type": "object", "properties": {} }) else {
            return Self::from(JsonObject::new());
        };
        Self::from(object)
    }
}

impl From<JsonObject> for Parameters {
    fn from(object: JsonObject) -> Self {
        Self(Arc::new(Inner { text: None, object: OnceLock::from(Some(object)) }))
    }
}

impl PartialEq for Parameters {
    fn eq(&self, other: &Self) -> bool {
        self.is_same(other)
            || match (self.as_object(), other.as_object()) {
                (Some(this), Some(that)) => this == that,
                _ => self.to_raw().get() == other.to_raw().get(),
            }
    }
}

impl fmt::Debug for Parameters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.to_raw().get())
    }
}
