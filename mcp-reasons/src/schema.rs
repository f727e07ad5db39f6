//! The parameter `reason`, put into a JSON Schema.

use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::members::{Member, is_string, members};
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
    let schema = parameters.as_object_mut().ok_or(LeftAlone::Unreadable)?;
    let own = match schema.get("properties") {
        None => false,
        Some(Value::Object(properties)) => properties.contains_key(REASON_PARAM),
        Some(_) => return Err(LeftAlone::Unreadable),
    };
    let required = schema.get("required").and_then(Value::as_array);
    if own || required.is_some_and(|names| names.iter().any(|name| name == REASON_PARAM)) {
        return Err(LeftAlone::Collision);
    }
    if !matches!(schema.get("type"), Some(Value::String(_) | Value::Array(_))) {
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
    let members = members(schema).ok_or(LeftAlone::Unreadable)?;
    let properties = value_of(schema, &members, "properties");
    let inside = match properties {
        Some((_, text)) => Some(self::members(text).ok_or(LeftAlone::Unreadable)?),
        None => None,
    };
    let own = properties.zip(inside.as_ref());
    let own = own.is_some_and(|((_, text), inside)| value_of(text, inside, REASON_PARAM).is_some());
    let required = value_of(schema, &members, "required");
    if own || required.is_some_and(|(_, names)| holds(names, REASON_PARAM)) {
        return Err(LeftAlone::Collision);
    }

    let reason = property(guidance);
    let mut edits = Vec::new();
    let (end, mut comma) = end_of(&members);
    match value_of(schema, &members, "type") {
        Some((_, text)) if text.starts_with(['"', '[']) => (),
        Some((at, text)) => edits.push((at, at + text.len(), "\"object\"".to_owned())),
        None => {
            edits.push((end, end, format!("{comma}\"type\":\"object\"")));
            comma = ",";
        }
    }
    edits.push(match (properties, &inside) {
        (Some((at, _)), Some(inside)) => {
            let (end, comma) = end_of(inside);
            (at + end, at + end, format!("{comma}\"{REASON_PARAM}\":{reason}"))
        }
        _ => (end, end, format!("{comma}\"properties\":{{\"{REASON_PARAM}\":{reason}}}")),
    });
    // Stable, so that of two edits in one place the type comes first.
    edits.sort_by_key(|(start, ..)| *start);
    splice(schema, &edits).ok_or(LeftAlone::Unreadable)
}

/// Why a schema was left alone.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum LeftAlone {
    /// It declares or requires a `reason` of its own, which its server expects to receive.
    #[error("the schema has a parameter `reason` of its own")]
    Collision,
    /// There is no object of properties to add one to.
    #[error("the schema is no object, or its properties are none")]
    Unreadable,
}

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

fn splice(text: &str, edits: &[(usize, usize, String)]) -> Option<Box<RawValue>> {
    let mut spliced = String::with_capacity(text.len() + 200);
    let mut from = 0;
    for (start, end, new) in edits {
        spliced.push_str(text.get(from..*start)?);
        spliced.push_str(new);
        from = *end;
    }
    spliced.push_str(text.get(from..)?);
    RawValue::from_string(spliced).ok()
}
