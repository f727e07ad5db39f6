//! The one spelling under which two sets of arguments are the same.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde_json::value::RawValue;
use serde_json::{Number, Value};

/// Writes a value with its keys sorted by code point at every level, and no white space.
pub fn canonical_json(value: &Value) -> String {
    let mut out = String::new();
    write_value(&mut out, value);
    out
}

/// Reads JSON text and writes it as [`canonical_json`] would; nothing where it is not JSON.
///
/// An integer that no JSON value here can hold, of thirty digits say, keeps its own spelling, so
/// that two different ones never become the same; so does `1e400`.  Of a key that is
/// written twice the last value counts.  Text nested deeper than 128 levels is not read.
pub fn canonical_text(text: &str) -> Option<String> {
    // Each level is read by itself, so a text that is nothing but levels is refused beforehand.
    if nesting(text) > MAX_DEPTH {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    write_raw(&mut out, serde_json::from_str(text).ok()?, MAX_DEPTH)?;
    Some(out)
}

/// How many levels of brackets are open at most, in text that may be JSON.
fn nesting(text: &str) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in text.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            _ if in_string => (),
            b'[' | b'{' => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            b']' | b'}' => depth = depth.saturating_sub(1),
            _ => (),
        }
    }
    deepest
}

const MAX_DEPTH: usize = 128;

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::Array(items) => {
            write_list(out, ('[', ']'), items, write_value);
        }
        Value::Object(object) => {
            let sorted: BTreeMap<_, _> = object.iter().collect();
            write_list(out, ('{', '}'), sorted, |out, (key, value)| {
                write_string(out, key);
                out.push(':');
                write_value(out, value);
            });
        }
        scalar => out.push_str(&scalar.to_string()),
    }
}

fn write_raw(out: &mut String, raw: &RawValue, depth: usize) -> Option<()> {
    let text = raw.get();
    let depth = depth.checked_sub(1)?;
    let mut fine = Some(());
    match text.as_bytes().first()? {
        b'[' => {
            let items: Vec<&RawValue> = serde_json::from_str(text).ok()?;
            write_list(out, ('[', ']'), items, |out, item| {
                fine = fine.and_then(|()| write_raw(out, item, depth));
            });
        }
        b'{' => {
            // A name that is written with an escape cannot be borrowed.
            return match serde_json::from_str::<BTreeMap<&str, &RawValue>>(text) {
                Ok(members) => write_members(out, members, depth),
                Err(_) => {
                    let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
                    write_members(out, members, depth)
                }
            };
        }
        b'"' if is_plain(text) => out.push_str(text),
        b'"' => write_string(out, &serde_json::from_str::<String>(text).ok()?),
        b'-' | b'0'..=b'9' => out.push_str(&number(text)),
        _ => out.push_str(text),
    }
    fine
}

fn write_members<K: AsRef<str>>(
    out: &mut String,
    members: BTreeMap<K, &RawValue>,
    depth: usize,
) -> Option<()> {
    let mut fine = Some(());
    write_list(out, ('{', '}'), members, |out, (key, value)| {
        write_string(out, key.as_ref());
        out.push(':');
        fine = fine.and_then(|()| write_raw(out, value, depth));
    });
    fine
}

/// Whether a JSON string has only escapes that a value would be written with.
fn is_plain(text: &str) -> bool {
    let mut rest = text;
    while let Some(place) = rest.find('\\') {
        let escape = rest.as_bytes().get(place + 1);
        if !escape.is_some_and(|it| br#""\bfnrt"#.contains(it)) {
            return false;
        }
        rest = rest.get(place + 2..).unwrap_or_default();
    }
    true
}

/// A number as a JSON value would print it, if such a value can hold it.
fn number(text: &str) -> Cow<'_, str> {
    // Few digits alone are written as they are read.
    if text.len() <= 15 && text.bytes().all(|it| it.is_ascii_digit()) {
        return Cow::Borrowed(text);
    }
    match serde_json::from_str::<Number>(text) {
        // An integer that no integer here can hold, `-0` among them.
        Ok(number) if number.is_f64() && !text.contains(['.', 'e', 'E']) => Cow::Borrowed(text),
        Ok(number) if digits(&number.to_string()) == digits(text) => Cow::Owned(number.to_string()),
        // It has more digits than a value keeps, or is larger than any.
        _ => Cow::Borrowed(text),
    }
}

/// The digits that make out a number, apart from its size.
fn digits(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

fn write_string(out: &mut String, text: &str) {
    if text.bytes().all(|it| it >= b' ' && it != b'"' && it != b'\\') {
        out.push('"');
        out.push_str(text);
        out.push('"');
    } else {
        out.push_str(&Value::from(text).to_string());
    }
}

fn write_list<T>(
    out: &mut String,
    (open, close): (char, char),
    items: impl IntoIterator<Item = T>,
    mut write: impl FnMut(&mut String, T),
) {
    out.push(open);
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        write(out, item);
    }
    out.push(close);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_copied_as_it_stands_has_no_other_spelling() {
        let cases = [
            (r#""plain é""#, Some(r#""plain é""#)),
            (r#""\n\r\t\b\f\"\\""#, Some(r#""\n\r\t\b\f\"\\""#)),
            (r#""a\/b""#, Some(r#""a/b""#)),
            (r#""\\/ \\u0041""#, Some(r#""\\/ \\u0041""#)),
            (r#""\u0041\u000a\u001F""#, Some(r#""A\n\u001f""#)),
            (r#""\ud800""#, None),
            (r#"{"b": 1, "a": 2, "b": 3}"#, Some(r#"{"a":2,"b":3}"#)),
            (r#"{"\u0062": 1, "a\n": 2, "b": 3}"#, Some(r#"{"a\n":2,"b":3}"#)),
            (
                "[0, 12, 999999999999999, 9999999999999999]",
                Some("[0,12,999999999999999,9999999999999999]"),
            ),
            ("[-0, 1.50, 1e2]", Some("[-0,1.5,100.0]")),
        ];
        for (text, expected) in cases {
            assert_eq!(canonical_text(text).as_deref(), expected, "{text}");
            let value = serde_json::from_str::<Value>(text).ok();
            let is_exact = !text.contains("-0");
            if let (Some(expected), Some(value), true) = (expected, value, is_exact) {
                assert_eq!(canonical_json(&value), expected, "{text}");
            }
        }
    }
}
