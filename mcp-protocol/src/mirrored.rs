//! Parameters of tools that are repeated in HTTP headers: `x-mcp-header` (2026-07-28).
//!
//! Gateways route by headers and never look into bodies, so a server may want a parameter in both.

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
    /// A schema that is no object, or is too deep to be read, has none.
    ///
    /// # Errors
    ///
    /// Fails at the first annotation that breaks a rule of the specification: a tool that has one
    /// is not to be used.
    pub fn of(schema: &Schema) -> Result<Self, InvalidMirroredParam> {
        let text = schema.as_str();
        // A name may be spelled with escapes; nearly no schema has either.
        if !text.contains(ANNOTATION) && !text.contains("\\u") {
            return Ok(Self::default());
        }
        let mut found = Self::default();
        if let Some(schema) = schema.to_object() {
            found.walk(&schema, Some(&mut Vec::new()))?;
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
        let arguments = serde_json::from_str(arguments.get()).unwrap_or(Value::Null);
        let present = self.0.iter().filter_map(|param| {
            let value = param.path.iter().try_fold(&arguments, |at, name| at.get(name))?;
            (!value.is_null()).then_some((param, value))
        });
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
        for (_, value) in others {
            self.walk_unreachable(value)?;
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
            return invalid(format!("is {annotation}, and not the name of a header"));
        };
        if header.is_empty() {
            return invalid("is empty".to_owned());
        }
        if !header.bytes().all(is_token) {
            return invalid(format!("{header:?} is no field-name token of HTTP"));
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
        self.0.push(Param { header: header.clone(), path: path.clone(), kind });
        Ok(())
    }
}

impl Kind {
    /// A value as the text of a header; nothing where it is not of this kind.
    fn text(self, value: &Value) -> Option<String> {
        match (self, value) {
            (Self::String, Value::String(text)) => Some(text.clone()),
            (Self::Boolean, Value::Bool(is_true)) => Some(is_true.to_string()),
            (Self::Integer, Value::Number(number)) => integer(number),
            _ => None,
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

/// Whether HTTP allows a byte in the name of a header (RFC 9110, section 5.6.2).
fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

const ANNOTATION: &str = "x-mcp-header";
const PROPERTIES: &str = "properties";

/// Keywords whose values are data, whatever they look like.
const DATA: [&str; 4] = ["const", "default", "enum", "examples"];

/// The largest integer that a double tells from its neighbours (`basic/transports`).
const LARGEST: u64 = (1 << 53) - 1;

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn found(schema: &Value) -> Result<Vec<(String, String)>, String> {
        let params =
            MirroredParams::of(&Schema::from(schema)).map_err(|error| error.to_string())?;
        Ok(params.0.into_iter().map(|it| (it.header, it.path.join("."))).collect())
    }

    /// B-HTTP-15: where annotations are found.
    #[test]
    fn annotations_are_found_along_properties() {
        let text = |header: &str| json!({"type": "string", "x-mcp-header": header});
        let cases = [
            (json!({"properties": {"region": text("Region")}}), vec![("Region", "region")]),
            (
                json!({"properties": {"outer": {"properties": {"tenant": text("Tenant")}}}}),
                vec![("Tenant", "outer.tenant")],
            ),
            (
                json!({"properties": {"b": text("B"), "a": {"type": "integer", "x-mcp-header": "A"}}}),
                vec![("A", "a"), ("B", "b")],
            ),
            // A property may have that name.
            (json!({"properties": {"x-mcp-header": {"type": "string"}}}), vec![]),
            (json!({"properties": {"x-mcp-header": text("X")}}), vec![("X", "x-mcp-header")]),
            // B-HTTP-18: data is no schema, but a property called like a keyword is one.
            (json!({"properties": {"a": {"default": text("A"), "const": text("B")}}}), vec![]),
            (json!({"enum": [text("A")], "examples": [text("B")]}), vec![]),
            (json!({"properties": {"default": text("D")}}), vec![("D", "default")]),
            (json!({"type": "object"}), vec![]),
            (json!(true), vec![]),
            (json!("x-mcp-header"), vec![]),
        ];
        for (schema, expected) in cases {
            let expected =
                expected.into_iter().map(|(h, p)| (h.to_owned(), p.to_owned())).collect::<Vec<_>>();
            assert_eq!(found(&schema), Ok(expected), "{schema}");
        }
    }

    /// An escape in the name hides nothing.
    #[test]
    fn a_name_spelled_with_escapes_is_the_same_name() {
        let text = r#"{"properties":{"a":{"type":"string","x\u002dmcp-header":"A"}}}"#;
        let schema: Schema = serde_json::from_str(text).unwrap();
        assert!(!MirroredParams::of(&schema).unwrap().is_empty());
    }

    /// B-HTTP-16, B-HTTP-17, B-HTTP-18: the first rule that is broken, in this order.
    #[test]
    fn a_bad_annotation_is_told_by_its_first_fault() {
        let site = |header: Value, kind: Value| json!({"x-mcp-header": header, "type": kind});
        let property =
            |header: Value, kind: Value| json!({"properties": {"a": site(header, kind)}});
        let good = || site(json!("A"), json!("string"));
        let cases = [
            (property(json!(7), json!("number")), "is 7"),
            (property(json!(""), json!("number")), "is empty"),
            (property(json!("a b"), json!("number")), "field-name token"),
            (property(json!("a:b"), json!("string")), "field-name token"),
            (property(json!("a\r\nb"), json!("string")), "field-name token"),
            (property(json!("ä"), json!("string")), "field-name token"),
            (good(), "statically reachable"),
            (json!({"items": good()}), "statically reachable"),
            (json!({"anyOf": [{"type": "null"}, good()]}), "statically reachable"),
            (json!({"anyOf": [[good()]]}), "statically reachable"),
            (json!({"properties": [good()]}), "statically reachable"),
            (json!({"$defs": {"a": {"properties": {"b": good()}}}}), "statically reachable"),
            (json!({"additionalProperties": good()}), "statically reachable"),
            (property(json!("A"), json!("number")), "string, integer or boolean"),
            (property(json!("A"), json!("object")), "string, integer or boolean"),
            (property(json!("A"), json!(["string"])), "string, integer or boolean"),
            (json!({"properties": {"a": {"x-mcp-header": "A"}}}), "string, integer or boolean"),
            (
                json!({"properties": {"a": good(), "b": site(json!("a"), json!("boolean"))}}),
                "more than once",
            ),
        ];
        for (schema, fault) in cases {
            let error = found(&schema).unwrap_err();
            assert!(error.contains(fault), "{schema}: {error}");
        }
        for byte in 0..=u8::MAX {
            let is_listed = matches!(byte,
                b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'!' | b'#' | b'$' | b'%' | b'&' | b'\''
                | b'*' | b'+' | b'-' | b'.' | b'^' | b'_' | b'`' | b'|' | b'~');
            assert_eq!(is_token(byte), is_listed, "{byte}");
        }
    }

    fn values(kind: &str, arguments: &Value) -> Result<Option<String>, String> {
        let schema = json!({"properties": {"o": {"properties": {
            "v": {"type": kind, "x-mcp-header": "V"}}}}});
        let params = MirroredParams::of(&Schema::from(&schema)).unwrap();
        let arguments = serde_json::value::to_raw_value(arguments).unwrap();
        let values = params.values(&arguments).map_err(|error| error.to_string())?;
        Ok(values.into_iter().next().map(|(header, value)| {
            assert_eq!(header, "V");
            value
        }))
    }

    /// B-HTTP-19, B-HTTP-20: what is sent.
    #[test]
    fn a_parameter_that_is_there_is_sent_as_text() {
        let cases = [
            ("string", json!("us west 1 ☕"), Some("us west 1 ☕")),
            ("string", json!(""), Some("")),
            ("boolean", json!(false), Some("false")),
            ("integer", json!(42), Some("42")),
            ("integer", json!(42.0), Some("42")),
            ("integer", json!(4e2), Some("400")),
            ("integer", json!(-0.0), Some("0")),
            ("integer", json!(-9_007_199_254_740_991_i64), Some("-9007199254740991")),
            ("string", Value::Null, None),
        ];
        for (kind, value, expected) in cases {
            let sent = values(kind, &json!({"o": {"v": value}}));
            assert_eq!(sent, Ok(expected.map(str::to_owned)), "{kind} {value}");
        }
        for arguments in [json!({}), json!({"o": 7}), json!({"o": {}}), json!([1]), json!({"v": 1})]
        {
            assert_eq!(values("string", &arguments), Ok(None), "{arguments}");
        }
    }

    /// Row 68 of what the specification asks for.
    #[test]
    fn an_argument_that_cannot_be_sent_is_named() {
        let cases = [
            ("integer", json!(9_007_199_254_740_992_i64), "an integer of at most 53 bits"),
            ("integer", json!(1e300), "an integer of at most 53 bits"),
            ("integer", json!(1.5), "an integer of at most 53 bits"),
            ("integer", json!("1"), "an integer of at most 53 bits"),
            ("string", json!(1), "a string"),
            ("string", json!(["a"]), "a string"),
            ("boolean", json!("true"), "true or false"),
        ];
        for (kind, value, wanted) in cases {
            let error = values(kind, &json!({"o": {"v": value}})).unwrap_err();
            assert!(error.contains("\"o.v\"") && error.contains("Mcp-Param-V"), "{error}");
            assert!(error.contains(wanted), "{kind} {value}: {error}");
        }
    }

    /// Neither depth nor width of a hostile schema hurts.
    #[test]
    fn a_schema_too_deep_to_be_read_has_no_annotations() {
        let text =
            format!("{}{}{}", r#"{"x-mcp-header":1,"items":"#.repeat(500), 1, "}".repeat(500));
        let schema: Schema = serde_json::from_str(&text).unwrap();
        assert_eq!(MirroredParams::of(&schema), Ok(MirroredParams::default()));
    }
}
