//! One object of a list, taken apart member by member.

use mcp_provider::JsonObject;
use serde_json::Value;

use crate::FormatError;

/// An object of a list, and where it stood.
pub(crate) struct Item {
    what: &'static str,
    place: usize,
    /// The members that nobody took yet.
    pub(crate) rest: JsonObject,
}

impl Item {
    /// The object at `place` of a list.
    pub(crate) fn new(what: &'static str, place: usize, json: &Value) -> Result<Self, FormatError> {
        match json {
            Value::Object(object) => Ok(Self { what, place, rest: object.clone() }),
            _ => Err(FormatError::NotAnObject { what, place }),
        }
    }

    /// The type that the object says it has.
    pub(crate) fn kind(&self) -> Option<&str> {
        self.rest.get("type").and_then(Value::as_str)
    }

    /// Takes a member.
    pub(crate) fn take(&mut self, member: &str) -> Option<Value> {
        self.rest.shift_remove(member)
    }

    /// Takes a member that must be a string.
    pub(crate) fn text(&mut self, member: &'static str) -> Result<String, FormatError> {
        match self.take(member) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(self.wrong(member, "a string")),
        }
    }

    /// Takes a member that must be an object, as an item of its own.
    pub(crate) fn inner(&mut self, member: &'static str) -> Result<Self, FormatError> {
        match self.take(member) {
            Some(Value::Object(rest)) => Ok(Self { rest, ..*self }),
            _ => Err(self.wrong(member, "an object")),
        }
    }

    /// Takes a member that is text, or a list of parts that are.
    pub(crate) fn content(&mut self, member: &'static str) -> Result<String, FormatError> {
        let parts = match self.take(member) {
            None | Some(Value::Null) => return Ok(String::new()),
            Some(Value::String(text)) => return Ok(text),
            Some(Value::Array(parts)) => parts,
            Some(_) => return Err(self.wrong(member, "a string or a list")),
        };
        let texts: Result<Vec<&str>, FormatError> = parts.iter().map(|it| self.part(it)).collect();
        Ok(texts?.join("\n"))
    }

    /// The error that `member` is not `kind`.
    pub(crate) fn wrong(&self, member: &'static str, kind: &'static str) -> FormatError {
        FormatError::Member { what: self.what, place: self.place, member, kind }
    }

    fn part<'json>(&self, part: &'json Value) -> Result<&'json str, FormatError> {
        let kind = part.get("type").and_then(Value::as_str).unwrap_or_default();
        let text = part.get("text").and_then(Value::as_str);
        text.filter(|_| matches!(kind, "text" | "input_text" | "output_text")).ok_or_else(|| {
            FormatError::Content { what: self.what, place: self.place, kind: kind.to_owned() }
        })
    }
}
