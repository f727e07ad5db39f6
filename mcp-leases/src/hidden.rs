//! Arguments that are taken out of a call, or put into it, without a parser between.

use std::collections::BTreeMap;

use mcp_provider::Arguments;
use serde_json::Value;
use serde_json::value::RawValue;

/// The argument in which a provider that knows revisions is told which ones are expected.
///
/// ```json
/// {"path": "a.md", "content": "…", "_expected-revisions": {"path": "sha256-v1:…"}}
/// ```
pub const EXPECTED_REVISIONS: &str = "_expected-revisions";

/// The arguments without [`EXPECTED_REVISIONS`], or nothing where it is not among them.
///
/// What is not an object has no arguments, and so not this one.
pub(crate) fn without(arguments: &Arguments) -> Option<Arguments> {
    with(arguments, None)
}

/// The arguments with these expectations, in the place of any others, or nothing where there is
/// nothing to change.
///
/// All other values stay as they were written, to the byte.
pub(crate) fn with(arguments: &Arguments, expected: Option<&Value>) -> Option<Arguments> {
    if let Some(Value::Object(mut object)) = arguments
        .as_text()
        .is_none()
        .then(|| arguments.to_json().unwrap_or_else(|| Value::Object(serde_json::Map::new())))
    {
        let had = object.shift_remove(EXPECTED_REVISIONS).is_some();
        if let Some(expected) = expected {
            object.insert(EXPECTED_REVISIONS.to_owned(), expected.clone());
        }
        return (had || expected.is_some()).then(|| object.into());
    }
    let text = arguments.as_text()?;
    // It may be spelled with escapes.
    if expected.is_none() && !text.contains(EXPECTED_REVISIONS) && !text.contains("\\u") {
        return None;
    }
    let text = arguments.to_object_text().ok()?;
    // A name that is written with an escape cannot be borrowed.
    match serde_json::from_str::<BTreeMap<&str, &RawValue>>(&text) {
        Ok(members) => written(&members, expected),
        Err(_) => {
            written(&serde_json::from_str::<BTreeMap<String, &RawValue>>(&text).ok()?, expected)
        }
    }
}

/// The text of these members, with `expected` behind them.
fn written<K: AsRef<str> + Ord>(
    members: &BTreeMap<K, &RawValue>,
    expected: Option<&Value>,
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
    let expected = expected.map(|it| serde_json::to_string(it).unwrap_or_else(|_| it.to_string()));
    members.extend(expected.as_ref().map(|it| (EXPECTED_REVISIONS, &**it)));
    let length: usize = members.iter().map(|(name, value)| name.len() + value.len() + 4).sum();
    let mut text = String::with_capacity(length + 2);
    for (name, value) in members {
        text.push(if text.is_empty() { '{' } else { ',' });
        push_name(&mut text, name);
        text.push(':');
        text.push_str(value);
    }
    text.push_str(if text.is_empty() { "{}" } else { "}" });
    Some(text.into())
}

fn push_name(text: &mut String, name: &str) {
    if name.bytes().all(|it| it >= b' ' && it != b'"' && it != b'\\') {
        text.push('"');
        text.push_str(name);
        text.push('"');
    } else {
        text.push_str(&Value::from(name).to_string());
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn only_the_hidden_argument_changes() {
        // L-REV-2, L-REV-3
        let expected = json!({ "path": "sha256-v1:absent" });
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
            (r#"["_expected-revisions"]"#, None, None),
            (r#"{"_expected-revisions":1"#, None, None),
        ];
        for (text, stripped, added) in cases {
            let arguments = Arguments::from(*text);
            let found = without(&arguments);
            assert_eq!(found.as_ref().and_then(Arguments::as_text), *stripped, "{text}");
            let found = with(&arguments, Some(&expected));
            assert_eq!(found.as_ref().and_then(Arguments::as_text), *added, "{text}");
        }
        let object = Arguments::from(json!({ "a": 1, "_expected-revisions": 2, "b": 3 }));
        assert_eq!(without(&object).unwrap().to_json(), Some(json!({ "a": 1, "b": 3 })));
        assert_eq!(without(&Arguments::default()), None);
    }
}
