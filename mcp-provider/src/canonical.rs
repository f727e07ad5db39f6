//! The one spelling under which two sets of arguments are the same.

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
    let mut out = String::new();
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
            let members: BTreeMap<String, &RawValue> = serde_json::from_str(text).ok()?;
            write_list(out, ('{', '}'), members, |out, (key, value)| {
                write_string(out, &key);
                out.push(':');
                fine = fine.and_then(|()| write_raw(out, value, depth));
            });
        }
        b'"' => write_string(out, &serde_json::from_str::<String>(text).ok()?),
        b'-' | b'0'..=b'9' => out.push_str(&number(text)),
        _ => out.push_str(text),
    }
    fine
}

/// A number as a JSON value would print it, if such a value can hold it.
fn number(text: &str) -> String {
    match serde_json::from_str::<Number>(text) {
        // An integer that no integer here can hold, `-0` among them.
        Ok(number) if number.is_f64() && !text.contains(['.', 'e', 'E']) => text.to_owned(),
        Ok(number) if digits(&number.to_string()) == digits(text) => number.to_string(),
        // It has more digits than a value keeps, or is larger than any.
        _ => text.to_owned(),
    }
}

/// The digits that make out a number, apart from its size.
fn digits(number: &str) -> String {
    let mantissa = number.split(['e', 'E']).next().unwrap_or_default();
    let digits: String = mantissa.chars().filter(char::is_ascii_digit).collect();
    digits.trim_matches('0').to_owned()
}

fn write_string(out: &mut String, text: &str) {
    out.push_str(&Value::from(text).to_string());
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
