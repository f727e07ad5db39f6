//! Parameters of tools that are repeated in HTTP headers: `x-mcp-header` (2026-07-28).
//!
//! Gateways route by headers and never look into bodies, so a server may want a parameter in both.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

use crate::{JsonObject, Schema};

/// The parameters of one tool that its schema wants repeated in headers; most tools have none.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct MirroredParams(Vec<Param>);

#[derive(Clone, Debug, Eq, PartialEq)]
struct Param {
    /// The name as it is annotated; on the wire it follows `Mcp-Param-`.
    header: String,
    /// The names of the properties that lead to it, outermost first.
    path: Vec<String>,
    kind: Kind,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Kind {
    String,
    Integer,
    Boolean,
}

/// Why a tool with this schema must not be offered over HTTP ("Tools" of the specification).
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("its `x-mcp-header` annotation {0}")]
pub struct InvalidMirroredParam(String);

/// Why a call cannot be sent with these arguments: in words for whoever wrote them.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the argument {path:?} must be {wanted}, because it is repeated in the header Mcp-Param-{header}"
)]
pub struct UnfitArgument {
    path: String,
    header: String,
    wanted: Kind,
}

impl MirroredParams {
    /// Finds the annotations of a tool's input schema.
    ///
    /// A schema that is no object has none.
    ///
    /// # Errors
    ///
    /// Fails at the first annotation that breaks a rule of the specification, beyond 64
    /// annotations, and where there is one in a schema that is too deep to be read: such a tool
    /// is not to be used.
    pub fn of(schema: &Schema) -> Result<Self, InvalidMirroredParam> {
        let text = schema.as_str();
        let mut found = Self::default();
        // A name may be spelled with escapes; nearly no schema has either.
        let is_spelled_out = text.contains(ANNOTATION);
        if !is_spelled_out && !text.contains("\\u") {
            return Ok(found);
        }
        match serde_json::from_str(text) {
            Ok(Value::Object(schema)) => found.walk(&schema, Some(&mut Vec::new()))?,
            Ok(_) => (),
            Err(error) if is_spelled_out => {
                return Err(InvalidMirroredParam(format!(
                    "is in a schema that is unreadable: {error}"
                )));
            }
            Err(_) => (),
        }
        Ok(found)
    }

    /// Whether no parameter is repeated.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The headers of one call: the name of each without its prefix, and its value as text.
    ///
    /// A parameter that is missing or null has no header; arguments that are no object have none.
    ///
    /// # Errors
    ///
    /// Fails where an argument is not of the type that its schema says, or is an integer that not
    /// every peer can hold: the server would refuse the call as one that contradicts its headers.
    pub fn values(&self, arguments: &RawValue) -> Result<Vec<(String, String)>, UnfitArgument> {
        if self.is_empty() {
            return Ok(Vec::new());
        }
        let Some(arguments) = members(arguments.get()) else { return Ok(Vec::new()) };
        let present = self.0.iter().filter_map(|param| Some((param, param.find(&arguments)?)));
        present
            .map(|(param, value)| match param.kind.text(value) {
                Some(text) => Ok((param.header.clone(), text)),
                None => Err(UnfitArgument {
                    path: param.path.join("."),
                    header: param.header.clone(),
                    wanted: param.kind,
                }),
            })
            .collect()
    }

    /// Walks one object of a schema, which lies at the end of `path`, if a chain of `properties`
    /// leads to it.  No object is deeper than the JSON parser allows.
    fn walk(
        &mut self,
        node: &JsonObject,
        mut path: Option<&mut Vec<String>>,
    ) -> Result<(), InvalidMirroredParam> {
        if let Some(annotation) = node.get(ANNOTATION) {
            self.add(node, annotation, path.as_deref())?;
        }
        if let Some(Value::Object(properties)) = node.get(PROPERTIES) {
            let mut sorted: Vec<_> = properties.iter().collect();
            sorted.sort_unstable_by_key(|(name, _)| *name);
            for (name, property) in sorted {
                let Value::Object(property) = property else { continue };
                match &mut path {
                    Some(path) => {
                        path.push(name.clone());
                        self.walk(property, Some(path))?;
                        path.pop();
                    }
                    None => self.walk(property, None)?,
                }
            }
        } else if let Some(odd) = node.get(PROPERTIES) {
            self.walk_unreachable(odd)?;
        }
        let others = node.iter().filter(|(name, _)| {
            ![ANNOTATION, PROPERTIES].contains(&name.as_str()) && !DATA.contains(&name.as_str())
        });
        for (name, value) in others {
            match value {
                Value::Object(named) if NAMED.contains(&name.as_str()) => {
                    named.values().try_for_each(|value| self.walk_unreachable(value))?;
                }
                _ => self.walk_unreachable(value)?,
            }
        }
        Ok(())
    }

    fn walk_unreachable(&mut self, value: &Value) -> Result<(), InvalidMirroredParam> {
        match value {
            Value::Object(node) => self.walk(node, None),
            Value::Array(values) => values.iter().try_for_each(|it| self.walk_unreachable(it)),
            _ => Ok(()),
        }
    }

    fn add(
        &mut self,
        node: &JsonObject,
        annotation: &Value,
        path: Option<&Vec<String>>,
    ) -> Result<(), InvalidMirroredParam> {
        let invalid = |reason: String| Err(InvalidMirroredParam(reason));
        let Value::String(header) = annotation else {
            let annotation = cut(&annotation.to_string());
            return invalid(format!("is {annotation}, and not the name of a header"));
        };
        if header.is_empty() {
            return invalid("is empty".to_owned());
        }
        if !header.bytes().all(is_token) {
            return invalid(format!("{:?} is no field-name token of HTTP", cut(header)));
        }
        if header.len() > LONGEST {
            return invalid(format!("{:?} is longer than {LONGEST} bytes", cut(header)));
        }
        let Some(path) = path.filter(|path| !path.is_empty()) else {
            return invalid(format!(
                "{header:?} is not statically reachable through `properties` alone"
            ));
        };
        let kind = match node.get("type").and_then(Value::as_str) {
            Some("string") => Kind::String,
            Some("integer") => Kind::Integer,
            Some("boolean") => Kind::Boolean,
            _ => {
                return invalid(format!(
                    "{header:?} stands on something other than a string, integer or boolean"
                ));
            }
        };
        if self.0.iter().any(|param| param.header.eq_ignore_ascii_case(header)) {
            return invalid(format!("{header:?} is used more than once"));
        }
        if self.0.len() == MOST {
            return invalid(format!("{header:?} is one too many: {MOST} are taken"));
        }
        self.0.push(Param { header: header.clone(), path: path.clone(), kind });
        Ok(())
    }
}

impl Param {
    /// The JSON text of its value; nothing where it is missing or null.
    fn find<'a>(&self, arguments: &Members<'a>) -> Option<&'a str> {
        let (first, inner) = self.path.split_first()?;
        let value = arguments.get(first.as_str())?.get();
        let value = inner
            .iter()
            .try_fold(value, |value, name| Some(members(value)?.get(name.as_str())?.get()))?;
        (value != "null").then_some(value)
    }
}

impl Kind {
    /// The text of a header from that of a JSON value; nothing where it is not of this kind.
    fn text(self, json: &str) -> Option<String> {
        match self {
            Self::String => serde_json::from_str(json).ok(),
            Self::Boolean => serde_json::from_str::<bool>(json).ok().map(|it| it.to_string()),
            Self::Integer => integer(&serde_json::from_str(json).ok()?),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::String => "a string",
            Self::Integer => "an integer of at most 53 bits",
            Self::Boolean => "true or false",
        })
    }
}

/// An integer in decimal, however it was spelled, if every peer can hold it.
fn integer(number: &Number) -> Option<String> {
    if let Some(integer) = number.as_i64() {
        return (integer.unsigned_abs() <= LARGEST).then(|| integer.to_string());
    }
    let float = number.as_f64().filter(|float| float.fract() == 0.0)?;
    #[allow(clippy::cast_precision_loss, reason = "2^53 - 1 is exact")]
    let is_exact = float.abs() <= LARGEST as f64;
    // Without a sign that only a float has.
    is_exact.then(|| format!("{:.0}", float + 0.0))
}

/// The members of a JSON object, of which nothing is read any further: it may be as deep, and its
/// numbers as large, as JSON allows.
type Members<'a> = BTreeMap<Cow<'a, str>, &'a RawValue>;

fn members(json: &str) -> Option<Members<'_>> {
    serde_json::from_str(json).ok()
}

/// The beginning of what a server wrote, for an error that names it.
fn cut(text: &str) -> String {
    match text.char_indices().nth(64) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text.to_owned(),
    }
}

/// Whether HTTP allows a byte in the name of a header (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

const ANNOTATION: &str = "x-mcp-header";
const PROPERTIES: &str = "properties";

/// Keywords whose values are data, whatever they look like.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// Keywords whose members are schemas under names of the server's own.
const NAMED: [&str; 5] =
    ["$defs", "definitions", "dependencies", "dependentSchemas", "patternProperties"];

/// How many parameters a tool may have repeated, and how long their names may be: servers take
/// some hundred headers of some kilobytes.
const MOST: usize = 64;
const LONGEST: usize = 256;

/// The largest integer that a double tells from its neighbours (`basic/transports`).
const LARGEST: u64 = (1 << 53) - 1;

#[cfg(test)]
mod tests;
