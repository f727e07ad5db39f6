//! The parameter `reason`, put into a JSON Schema.

use std::ops::Range;

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::members::{Member, has_string, is_string, members};
use crate::{DESCRIPTION, Guidance, REASON_PARAM};

/// Adds the optional parameter [`REASON_PARAM`] to the JSON Schema of a tool's arguments.
///
/// `required` stays as it is, and so does all else, but that a schema without a `type` gets the
/// type `object`, which arguments have anyway.
///
/// ```
/// use mcp_reasons::{Guidance, LeftAlone, augment};
/// use serde_json::json;
///
/// let mut parameters = json!({ "type": "object", "properties": { "path": {} } });
/// assert_eq!(augment(&mut parameters, Guidance::InParameter), Ok(()));
/// assert_eq!(parameters["properties"]["reason"]["type"], "string");
/// assert_eq!(augment(&mut parameters, Guidance::InParameter), Err(LeftAlone::Collision));
/// ```
///
/// # Errors
///
/// Fails where the schema has to be left alone, and then leaves it alone.
pub fn augment(parameters: &mut Value, guidance: Guidance) -> Result<(), LeftAlone> {
    // As text, so that one verdict holds for both.
    let seat = Seat::find(&parameters.to_string())?;
    let schema = parameters.as_object_mut().ok_or(LeftAlone::Unreadable)?;
    if seat.untyped.is_some() {
        schema.insert("type".to_owned(), json!("object"));
    }
    let properties = schema.entry("properties").or_insert_with(|| json!({}));
    if let Value::Object(properties) = properties {
        properties.insert(REASON_PARAM.to_owned(), property(guidance));
    }
    Ok(())
}

/// The same for a schema that is text: what is added is spliced in, and no byte changes.
pub(crate) fn augment_text(
    schema: &RawValue,
    guidance: Guidance,
) -> Result<Box<RawValue>, LeftAlone> {
    let schema = schema.get();
    let Seat { end: (end, mut comma), untyped, properties } = Seat::find(schema)?;
    let mut edits = Vec::new();
    match untyped {
        Some(at) if at.is_empty() => {
            edits.push((at, format!("{comma}\"type\":\"object\"")));
            comma = ",";
        }
        Some(at) => edits.push((at, "\"object\"".to_owned())),
        None => (),
    }
    let reason = format!("\"{REASON_PARAM}\":{}", property(guidance));
    edits.push(match properties {
        Some((end, comma)) => (end..end, format!("{comma}{reason}")),
        None => (end..end, format!("{comma}\"properties\":{{{reason}}}")),
    });
    // Stable, so that of two edits in one place the type comes first.
    edits.sort_by_key(|(at, _)| at.start);
    splice(schema, &edits).ok_or(LeftAlone::Unreadable)
}

/// Why a schema was left alone.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LeftAlone {
    /// It declares or requires a `reason` of its own, which its server expects to receive, or
    /// may do so: other schemas apply to the same arguments, and the name stands in the text.
    #[error("the schema has, or may have, a parameter `reason` of its own")]
    Collision,
    /// There is no object of properties to add one to.
    #[error("the schema is no object, or its properties are none")]
    Unreadable,
}

/// Where the parameter goes, in the text of a schema that can have it.
struct Seat {
    /// Where a new member of the schema goes, and what comes before it.
    end: (usize, &'static str),
    /// The place of the type `object`, unless there is a type; empty if nothing stands there.
    untyped: Option<Range<usize>>,
    /// Where a new property goes, and what comes before it, if there are properties.
    properties: Option<(usize, &'static str)>,
}

impl Seat {
    fn find(schema: &str) -> Result<Self, LeftAlone> {
        let members = members(schema).ok_or(LeftAlone::Unreadable)?;
        let mut own = applies_others(schema, &members) && has_string(schema, REASON_PARAM);
        let mut properties = None;
        if let Some((at, text)) = value_of(schema, &members, "properties") {
            let inside = self::members(text).ok_or(LeftAlone::Unreadable)?;
            own |= value_of(text, &inside, REASON_PARAM).is_some();
            let (end, comma) = end_of(&inside);
            properties = Some((at + end, comma));
        }
        let required = value_of(schema, &members, "required");
        if own || required.is_some_and(|(_, names)| holds(names, REASON_PARAM)) {
            return Err(LeftAlone::Collision);
        }
        let end = end_of(&members);
        let untyped = match value_of(schema, &members, "type") {
            Some((_, text)) if text.starts_with(['"', '[']) => None,
            Some((at, text)) => Some(at..at + text.len()),
            None => Some(end.0..end.0),
        };
        Ok(Self { end, untyped, properties })
    }
}

/// Whether other schemas, or rules about names, apply to the same arguments.
fn applies_others(schema: &str, members: &[Member]) -> bool {
    APPLYING.iter().any(|word| value_of(schema, members, word).is_some())
}

/// The words of a schema under which others may declare or require a name.
///
/// They are not followed: it is enough that the name stands anywhere.
const APPLYING: &[&str] = &[
    "$dynamicRef",
    "$recursiveRef",
    "$ref",
    "allOf",
    "anyOf",
    "dependencies",
    "dependentRequired",
    "dependentSchemas",
    "else",
    "if",
    "not",
    "oneOf",
    "propertyNames",
    "then",
];

fn property(guidance: Guidance) -> Value {
    match guidance {
        Guidance::InParameter => json!({ "type": "string", "description": DESCRIPTION }),
        Guidance::InInstructions => json!({ "type": "string" }),
    }
}

/// The value that counts under `name`, and where it begins: the last, as everywhere in JSON.
fn value_of<'a>(text: &'a str, members: &[Member], name: &str) -> Option<(usize, &'a str)> {
    let is_it = |it: &&Member| text.get(it.key.clone()).is_some_and(|key| is_string(key, name));
    let member = members.iter().rev().find(is_it)?;
    Some((member.value.start, text.get(member.value.clone())?))
}

/// Where a new member goes, and what comes before it.
fn end_of(members: &[Member]) -> (usize, &'static str) {
    members.last().map_or((1, ""), |last| (last.value.end, ","))
}

fn holds(list: &str, word: &str) -> bool {
    let names: Vec<&RawValue> = serde_json::from_str(list).unwrap_or_default();
    names.iter().any(|name| is_string(name.get(), word))
}

fn splice(text: &str, edits: &[(Range<usize>, String)]) -> Option<Box<RawValue>> {
    let mut spliced = String::with_capacity(text.len() + 200);
    let mut from = 0;
    for (at, new) in edits {
        spliced.push_str(text.get(from..at.start)?);
        spliced.push_str(new);
        from = at.end;
    }
    spliced.push_str(text.get(from..)?);
    RawValue::from_string(spliced).ok()
}
