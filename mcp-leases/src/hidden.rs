//! Arguments that are taken out of a call, or put into it, without a parser between.

use std::borrow::Cow;
use std::collections::BTreeMap;

use mcp_provider::{Arguments, JsonObject};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::plain::Plain;

/// The argument in which a provider that knows revisions is told which ones are expected.
///
/// ```json
/// {"path": "a.md", "content": "…", "_expected-revisions": {"path": "sha256-v1:…"}}
/// ```
pub const EXPECTED_REVISIONS: &str = "_expected-revisions";

/// Which revision is expected of what each of these arguments names.
pub(crate) type Expected<'call> = [(&'call str, Cow<'static, str>)];

/// The arguments without [`EXPECTED_REVISIONS`], or nothing where it is not among them.
///
/// What is not an object has no arguments, and so not this one.
pub(crate) fn without(arguments: &Arguments) -> Option<Arguments> {
    with(arguments, None, None)
}

/// The arguments with these expectations, in the place of any others, or nothing where there is
/// nothing to change.
///
/// All other values stay as they were written, to the byte.  `plain` is how the arguments are
/// written, where that is known, and there are no other expectations among them.
pub(crate) fn with(
    arguments: &Arguments,
    plain: Option<&Plain>,
    expected: Option<&Expected<'_>>,
) -> Option<Arguments> {
    let Some(text) = arguments.as_text() else { return in_object(arguments, expected) };
    if let Some(plain) = plain {
        return expected.map(|expected| {
            let mut more = String::with_capacity(text.len() + length(expected));
            match plain.open(text) {
                Some(open) => more.push_str(open),
                None => push_members(&mut more, plain.members(text)),
            }
            close(more, Some(expected)).into()
        });
    }
    // It may be spelled with escapes.
    if expected.is_none() && !text.contains(EXPECTED_REVISIONS) && !text.contains("\\u") {
        return None;
    }
    let text = arguments.to_object_text().ok()?;
    // A name that is written with an escape cannot be borrowed.
    match serde_json::from_str::<BTreeMap<&str, &RawValue>>(&text) {
        Ok(members) => in_members(&members, expected, text.len()),
        Err(_) => {
            let members = serde_json::from_str::<BTreeMap<String, &RawValue>>(&text).ok()?;
            in_members(&members, expected, text.len())
        }
    }
}

fn in_object(arguments: &Arguments, expected: Option<&Expected<'_>>) -> Option<Arguments> {
    let has_any = arguments.as_object().is_ok_and(|it| it.contains_key(EXPECTED_REVISIONS));
    if expected.is_none() && !has_any {
        return None;
    }
    let object = arguments.to_json().unwrap_or_else(|| Value::Object(JsonObject::new()));
    let Value::Object(mut object) = object else { return None };
    object.shift_remove(EXPECTED_REVISIONS);
    if let Some(expected) = expected {
        let expected = expected.iter().map(|(name, it)| ((*name).to_owned(), Value::from(&**it)));
        object.insert(EXPECTED_REVISIONS.to_owned(), Value::Object(expected.collect()));
    }
    Some(object.into())
}

fn in_members<K: AsRef<str> + Ord>(
    members: &BTreeMap<K, &RawValue>,
    expected: Option<&Expected<'_>>,
    room: usize,
) -> Option<Arguments> {
    let members = members.iter().map(|(name, value)| (name.as_ref(), value.get()));
    let mut members: Vec<(&str, &str)> = members.collect();
    let count = members.len();
    members.retain(|(name, _)| *name != EXPECTED_REVISIONS);
    if expected.is_none() && members.len() == count {
        return None;
    }
    // Each value is a piece of the text: the pieces stand in the order of their addresses.
    members.sort_by_key(|(_, value)| value.as_ptr());
    let mut text = String::with_capacity(room + expected.map_or(0, length));
    push_members(&mut text, members.into_iter());
    Some(close(text, expected).into())
}

/// How much longer these expectations make a text, about.
fn length(expected: &Expected<'_>) -> usize {
    let each = expected.iter().map(|(name, token)| name.len() + token.len() + 6);
    EXPECTED_REVISIONS.len() + 8 + each.sum::<usize>()
}

fn push_members<'text>(text: &mut String, members: impl Iterator<Item = (&'text str, &'text str)>) {
    for (name, value) in members {
        push_name(text, name);
        text.push_str(value);
    }
}

/// Ends an object, with `expected` behind its other members.
fn close(mut text: String, expected: Option<&Expected<'_>>) -> String {
    if let Some(expected) = expected {
        push_name(&mut text, EXPECTED_REVISIONS);
        let mut begin = '{';
        for (name, token) in expected {
            text.push(std::mem::replace(&mut begin, ','));
            push_string(&mut text, name);
            text.push(':');
            push_string(&mut text, token);
        }
        text.push_str(if begin == '{' { "{}" } else { "}" });
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    text
}

fn push_name(text: &mut String, name: &str) {
    text.push(if text.is_empty() { '{' } else { ',' });
    push_string(text, name);
    text.push(':');
}

fn push_string(text: &mut String, string: &str) {
    if string.bytes().all(|it| it >= b' ' && it != b'"' && it != b'\\') {
        text.push('"');
        text.push_str(string);
        text.push('"');
    } else {
        text.push_str(&Value::from(string).to_string());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_hidden_argument_changes() {
        // L-REV-2, L-REV-3
        let expected: &Expected<'_> = &[("path", Cow::Borrowed("sha256-v1:absent"))];
        let cases: &[(&str, Option<&str>, Option<&str>)] = &[
            // The arguments; without the hidden one; with one.
            ("", None, Some(r#"{"_expected-revisions":{"path":"sha256-v1:absent"}}"#)),
            (
                r#"{ "z": 1e400, "a": 1.0 }"#,
                None,
                Some(r#"{"z":1e400,"a":1.0,"_expected-revisions":{"path":"sha256-v1:absent"}}"#),
            ),
            (
                r#"{"_expected-revisions":7,"path":"\u0041"}"#,
                Some(r#"{"path":"\u0041"}"#),
                Some(r#"{"path":"\u0041","_expected-revisions":{"path":"sha256-v1:absent"}}"#),
            ),
            (
                r#"{"\u005fexpected-revisions":{"path":"x"},"b":[{"_expected-revisions":1}]}"#,
                Some(r#"{"b":[{"_expected-revisions":1}]}"#),
                Some(
                    r#"{"b":[{"_expected-revisions":1}],"_expected-revisions":{"path":"sha256-v1:absent"}}"#,
                ),
            ),
            (
                r#"{"_expected-revisions":1,"_expected-revisions":2}"#,
                Some("{}"),
                Some(r#"{"_expected-revisions":{"path":"sha256-v1:absent"}}"#),
            ),
            (
                r#" { "aé" : "\n\"" , "b":[ 1 ] }"#,
                None,
                Some(
                    r#"{"aé":"\n\"","b":[ 1 ],"_expected-revisions":{"path":"sha256-v1:absent"}}"#,
                ),
            ),
            (r#"["_expected-revisions"]"#, None, None),
            (r#"{"_expected-revisions":1"#, None, None),
        ];
        for (text, stripped, added) in cases {
            let arguments = Arguments::from(*text);
            let found = without(&arguments);
            assert_eq!(found.as_ref().and_then(Arguments::as_text), *stripped, "{text}");
            let found = with(&arguments, None, Some(expected));
            assert_eq!(found.as_ref().and_then(Arguments::as_text), *added, "{text}");
            if let Some(plain) = Plain::read(text, &mut |_, _, _| false)
                && stripped.is_none()
            {
                let found = with(&arguments, Some(&plain), Some(expected));
                assert_eq!(found.as_ref().and_then(Arguments::as_text), *added, "{text}");
                assert_eq!(with(&arguments, Some(&plain), None), None, "{text}");
            }
        }
        let object = Arguments::from(json!({ "a": 1, "_expected-revisions": 2, "b": 3 }));
        assert_eq!(without(&object).unwrap().to_json(), Some(json!({ "a": 1, "b": 3 })));
        assert_eq!(without(&Arguments::default()), None);
    }
}
