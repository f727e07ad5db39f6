//! A call as a model makes it.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::shape::fill;
use crate::{Arguments, Extensions, JsonObject};

/// One call to one tool.
///
/// In JSON it is the OpenAI shape; members that nobody here knows survive in their places:
///
/// ```json
/// {"id": "call_1", "type": "function", "function": {"name": "…", "arguments": "{…}"}}
/// ```
#[derive(Clone, Debug)]
pub struct ToolCall {
    /// The id that the result carries back.
    pub id: CallId,
    /// The tool to run; empty where the model named none.
    pub name: String,
    /// What to run it with.
    pub arguments: Arguments,
    /// What travels with the call and is never part of its JSON.
    pub extensions: Extensions,
    /// The members around the function and inside it, if the call came as JSON.
    rest: Option<Arc<(JsonObject, JsonObject)>>,
}

impl ToolCall {
    /// A call to `name` with `arguments`.
    pub fn new(
        id: impl Into<CallId>,
        name: impl Into<String>,
        arguments: impl Into<Arguments>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            extensions: Extensions::default(),
            rest: None,
        }
    }

    /// Reads a call from JSON.
    ///
    /// A missing function or name reads as the empty name, which no tool has; a name that is
    /// not a string reads as its JSON text.
    ///
    /// # Errors
    ///
    /// Fails where the JSON is not an object at all.
    pub fn from_json(json: Value) -> Result<Self, MalformedCall> {
        let Value::Object(mut outer) = json else { return Err(MalformedCall(())) };
        let id = outer.get("id").cloned().map(CallId::from_json).unwrap_or_default();
        // Only what is read has its place taken: anything else stays among the rest as it came.
        let mut inner = match outer.get_mut("function") {
            Some(Value::Object(function)) => std::mem::take(function),
            _ => JsonObject::new(),
        };
        let name = match inner.get_mut("name") {
            Some(Value::String(name)) => std::mem::take(name),
            other => other.map_or_else(String::new, |other| odd_name(other)),
        };
        let arguments = inner.get_mut("arguments").map(Value::take);
        let arguments = arguments.map(Arguments::from_json).unwrap_or_default();
        let rest = Some(Arc::new((outer, inner)));
        Ok(Self { id, name, arguments, extensions: Extensions::default(), rest })
    }

    /// The call as JSON, with the members it came with.
    ///
    /// A call that nobody changed is written exactly as it was read.
    pub fn to_json(&self) -> Value {
        let usual = (JsonObject::new(), JsonObject::new());
        let (outer, inner) = self.rest.as_deref().unwrap_or(&usual);
        let came = self.rest.is_some();
        let name = match inner.get("name") {
            None if came && self.name.is_empty() => None,
            Some(odd) if !odd.is_string() && odd_name(odd) == self.name => Some(odd.clone()),
            _ => Some(json!(self.name)),
        };
        let arguments = self.arguments.to_json();
        let function = match outer.get("function") {
            Some(Value::Object(_)) => None,
            odd if came && self.name.is_empty() && arguments.is_none() => Some(odd.cloned()),
            _ => None,
        };
        let function = function.unwrap_or_else(|| {
            Some(Value::Object(fill(inner, [("name", name), ("arguments", arguments)])))
        });
        let id = outer.get("id").cloned();
        let is_same_id = id.clone().map(CallId::from_json).unwrap_or_default() == self.id;
        let id = if came && is_same_id { id } else { Some(self.id.to_json()) };
        let kind = if came { outer.get("type").cloned() } else { Some(json!("function")) };
        Value::Object(fill(outer, [("id", id), ("type", kind), ("function", function)]))
    }
}

impl PartialEq for ToolCall {
    fn eq(&self, other: &Self) -> bool {
        self.to_json() == other.to_json()
    }
}

/// A name that is not a string, as a name.
fn odd_name(json: &Value) -> String {
    if json.is_null() { String::new() } else { json.to_string() }
}

/// The id of a call: a string almost always, and whatever else came, unchanged.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct CallId(Value);

impl CallId {
    /// An id from JSON; null reads as the empty string.
    pub fn from_json(json: Value) -> Self {
        if json.is_null() { Self::default() } else { Self(json) }
    }

    /// The id as JSON, of the type it came in.
    pub fn to_json(&self) -> Value {
        self.0.clone()
    }

    /// The id, if it is a string.
    pub fn as_str(&self) -> Option<&str> {
        self.0.as_str()
    }

    /// Whether there is no id.
    pub fn is_empty(&self) -> bool {
        self.as_str() == Some("")
    }
}

/// No id: the empty string.
impl Default for CallId {
    fn default() -> Self {
        Self(Value::String(String::new()))
    }
}

impl<T: Into<String>> From<T> for CallId {
    fn from(id: T) -> Self {
        Self(Value::String(id.into()))
    }
}

impl fmt::Display for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Value::String(id) => f.write_str(id),
            other => write!(f, "{other}"),
        }
    }
}

impl fmt::Debug for CallId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Quotes tell the string "7" from the number.
        write!(f, "{}", self.0)
    }
}

/// A call that is not an object.  The message is written for the model.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("Malformed tool call: expected an object with an id and a function")]
pub struct MalformedCall(());
