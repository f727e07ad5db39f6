//! The reason among the arguments of a call: read, and taken out.

use std::ops::Range;

use mcp_provider::{Arguments, ToolCall};

use crate::REASON_PARAM;
use crate::members::{Member, is_string, members};

/// Takes the reason out of the JSON text of arguments; nothing where there is none in it.
///
/// The text is cut, not printed again: order, spelling and white space of all the rest stay, and
/// so does every nested `reason`.  A reason that is written twice is cut twice.
///
/// ```
/// let arguments = r#"{"b": 1e400, "reason": "You asked for it", "a": 1.0}"#;
/// assert_eq!(mcp_reasons::strip(arguments).as_deref(), Some(r#"{"b": 1e400, "a": 1.0}"#));
/// assert_eq!(mcp_reasons::strip(r#"{"b": 1e400}"#), None);
/// ```
pub fn strip(arguments: &str) -> Option<String> {
    let (start, body) = object_in(arguments)?;
    let members = members(body)?;
    let mut stripped = String::with_capacity(arguments.len());
    let mut from = 0;
    let mut comes_first = true;
    for (place, member) in members.iter().enumerate() {
        if !is_reason(body, member) {
            comes_first = false;
            continue;
        }
        let cut = match (member.comma.filter(|_| !comes_first), members.get(place + 1)) {
            (Some(comma), _) => comma..member.value.end,
            (None, Some(next)) => member.key.start..next.key.start,
            (None, None) => member.key.start..member.value.end,
        };
        stripped.push_str(arguments.get(from..start + cut.start)?);
        from = start + cut.end;
    }
    stripped.push_str(arguments.get(from..)?);
    (from > 0).then_some(stripped)
}

/// The reason in the JSON text of arguments, if the model wrote one.
///
/// It is the model's claim, and nobody checked it: show it beside the arguments, never instead
/// of them, and let no rule read it.
///
/// ```
/// let arguments = r#"{"path": "a", "reason": "You asked for it"}"#;
/// assert_eq!(mcp_reasons::reason_in(arguments).as_deref(), Some("You asked for it"));
/// assert_eq!(mcp_reasons::reason_in("{}"), None);
/// ```
pub fn reason_in(arguments: &str) -> Option<String> {
    let (_, body) = object_in(arguments)?;
    let members = members(body)?;
    let last = members.into_iter().rev().find(|member| is_reason(body, member))?;
    said(serde_json::from_str(body.get(last.value)?).ok()?)
}

/// The reason of a call as a model made it, if the model wrote one.
///
/// See [`reason_in`] for what it is worth.
pub fn reason_of(call: &ToolCall) -> Option<String> {
    match call.arguments.as_text() {
        Some(text) => reason_in(text),
        None => said(call.arguments.as_object().ok()?.get(REASON_PARAM)?.as_str()?.to_owned()),
    }
}

/// The arguments without their reason: text stays text, an object an object.
pub(crate) fn without_reason(arguments: &Arguments) -> Option<Arguments> {
    if let Some(text) = arguments.as_text() {
        return strip(text).map(Arguments::from);
    }
    let object = arguments.as_object().ok().filter(|it| it.contains_key(REASON_PARAM))?;
    let mut object = object.clone();
    object.shift_remove(REASON_PARAM);
    Some(Arguments::from(object))
}

/// What may be an object with a reason in it, and where it begins.
fn object_in(arguments: &str) -> Option<(usize, &str)> {
    // An escape may spell any letter of the name.
    if !arguments.contains(REASON_PARAM) && !arguments.contains('\\') {
        return None;
    }
    let start = arguments.len() - arguments.trim_start().len();
    Some((start, arguments.trim()))
}

fn is_reason(body: &str, member: &Member) -> bool {
    let Range { start, end } = member.key;
    body.get(start..end).is_some_and(|key| is_string(key, REASON_PARAM))
}

/// A reason that says something.
fn said(reason: String) -> Option<String> {
    Some(reason).filter(|reason| !reason.trim().is_empty())
}
