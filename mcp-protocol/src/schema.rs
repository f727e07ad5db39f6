//! JSON Schemas, kept as text.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;
use serde_json::value::{RawValue, to_raw_value};

use crate::JsonObject;
use crate::json::{Failed, Form, Json};
use crate::lenient::{Member, Read, read_strictly};

/// A JSON Schema as the server wrote it.
///
/// Most schemas are only passed on, so one stays the text it came as; [`Schema::to_object`] parses
/// it. Two are equal if their texts are. A schema that the server left out is the default,
/// `{"type":"object"}`.
#[derive(Clone, Default)]
pub struct Schema(Option<Box<RawValue>>);

impl Schema {
    /// Returns the JSON text.
    pub fn as_str(&self) -> &str {
        self.0.as_ref().map_or(ANY_OBJECT, |text| text.get())
    }

    /// Returns the JSON text as such; nothing where the server left the schema out.
    pub fn as_raw(&self) -> Option<&RawValue> {
        self.0.as_deref()
    }

    /// Returns the schema as an object, or `None` where the server sent something else.
    pub fn to_object(&self) -> Option<JsonObject> {
        serde_json::from_str(self.as_str()).ok()
    }

    /// Returns whether the server left the schema out.
    pub fn is_missing(&self) -> bool {
        self.0.is_none()
    }
}

impl From<JsonObject> for Schema {
    fn from(object: JsonObject) -> Self {
        Self(to_raw_value(&object).ok())
    }
}

impl From<&Value> for Schema {
    fn from(value: &Value) -> Self {
        Self(to_raw_value(value).ok())
    }
}

impl PartialEq for Schema {
    fn eq(&self, other: &Self) -> bool {
        self.as_str() == other.as_str()
    }
}

impl Eq for Schema {}

impl fmt::Debug for Schema {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Schema({})", self.as_str())
    }
}

impl Member for Schema {
    const FORM: Form = Form::Raw;

    fn read(json: Json<'_, '_>, _: &mut Vec<Value>) -> Result<Read<Self>, Failed> {
        match json {
            Json::Raw(text) if text.get() != "null" => Ok(Read::Good(Self(Some(text)))),
            other => Read::odd(other),
        }
    }
}

impl<'de> Deserialize<'de> for Schema {
    fn deserialize<D: Deserializer<'de>>(value: D) -> Result<Self, D::Error> {
        read_strictly(value, "schema")
    }
}

impl Serialize for Schema {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let text = self.as_str();
        // On stdio a line break ends the message. Inside a JSON string none can stand, so those
        // of a schema that arrived over several lines are only layout.
        if text.contains(['\n', '\r']) {
            let line = RawValue::from_string(text.replace(['\n', '\r'], " "));
            return line.map_err(serde::ser::Error::custom)?.serialize(serializer);
        }
        match &self.0 {
            Some(text) => text.serialize(serializer),
            None => serde_json::json!({"type": "object"}).serialize(serializer),
        }
    }
}

const ANY_OBJECT: &str = r#"{"type":"object"}"#;
