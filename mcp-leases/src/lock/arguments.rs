//! What a model wrote in a call to one of the two tools.

use std::time::Duration;

use mcp_provider::{JsonObject, ToolCall};
use serde_json::Value;

use crate::words;

/// A claim as a model wrote it.
#[derive(Debug, Eq, PartialEq)]
pub(super) struct Acquire {
    pub(super) paths: Vec<String>,
    pub(super) ttl: Option<Duration>,
    pub(super) wait: Option<Duration>,
}

impl Acquire {
    /// # Errors
    ///
    /// Fails with a sentence for the model that wrote it.
    pub(super) fn read(call: &ToolCall) -> Result<Self, String> {
        let arguments = object(call)?;
        let paths = paths(arguments)?.unwrap_or_default();
        if paths.is_empty() {
            return Err(words::no_paths());
        }
        let ttl = seconds(arguments, "ttl", |it| it > 0.0, "a number of seconds above 0")?;
        let wait = seconds(arguments, "wait", |it| it >= 0.0, "a number of seconds, 0 or more")?;
        Ok(Self { paths, ttl, wait })
    }
}

/// The paths to release, or nothing where none are named at all.
///
/// # Errors
///
/// Fails with a sentence for the model that wrote it.
pub(super) fn release(call: &ToolCall) -> Result<Option<Vec<String>>, String> {
    paths(object(call)?)
}

fn object(call: &ToolCall) -> Result<&JsonObject, String> {
    call.arguments.as_object().map_err(|invalid| words::usage(invalid))
}

fn paths(arguments: &JsonObject) -> Result<Option<Vec<String>>, String> {
    let wrong = || words::usage(&"`paths` must be a list of strings");
    match arguments.get("paths") {
        None | Some(Value::Null) => Ok(None),
        Some(Value::String(path)) => Ok(Some(vec![path.clone()])),
        Some(Value::Array(items)) => {
            let paths = items.iter().map(|it| it.as_str().map(str::to_owned).ok_or_else(wrong));
            paths.collect::<Result<_, _>>().map(Some)
        }
        Some(_) => Err(wrong()),
    }
}

/// A number of seconds, as a number or as the text of one.
fn seconds(
    arguments: &JsonObject,
    name: &str,
    is_good: impl Fn(f64) -> bool,
    what: &str,
) -> Result<Option<Duration>, String> {
    let seconds = match arguments.get(name) {
        None | Some(Value::Null) => return Ok(None),
        Some(Value::Number(number)) => number.as_f64(),
        Some(Value::String(text)) => decimal(text.trim()),
        Some(_) => None,
    };
    let seconds = seconds.filter(|it| it.is_finite() && is_good(*it));
    let seconds = seconds.ok_or_else(|| words::usage(&format!("{name} must be {what}")))?;
    // Longer than can be counted is as long as there is; who grants it has a ceiling.
    Ok(Some(Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)))
}

/// Digits, and perhaps a point and more digits.
fn decimal(text: &str) -> Option<f64> {
    let is_digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let (whole, fraction) = text.split_once('.').unwrap_or((text, "0"));
    (is_digits(whole) && is_digits(fraction)).then(|| text.parse().ok())?
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_claim_is_read_as_models_write_it() {
        // L-ACQ-1 to L-ACQ-4
        let read = |arguments: Value| Acquire::read(&ToolCall::new("1", "lock_acquire", arguments));
        let seconds = Duration::from_secs_f64;
        let times = [
            (json!(null), None),
            (json!(5), Some(5.0)),
            (json!(0.5), Some(0.5)),
            (json!("7"), Some(7.0)),
            (json!(" 1.5 "), Some(1.5)),
        ];
        for (value, expected) in times {
            let claim = read(json!({ "paths": "a", "ttl": value, "wait": value })).unwrap();
            let expected = expected.map(seconds);
            assert_eq!((claim.ttl, claim.wait), (expected, expected), "{value}");
        }
        let endless = read(json!({ "paths": ["a"], "ttl": 1e300 })).unwrap();
        assert_eq!(endless.ttl, Some(Duration::MAX));
        assert_eq!(read(json!({ "paths": "a", "wait": 0 })).unwrap().wait, Some(Duration::ZERO));
        assert_eq!(read(json!({ "paths": ["a", "b"] })).unwrap().paths, ["a", "b"]);

        let errors = [
            (json!({ "paths": ["a"], "ttl": 0 }), "ttl must be"),
            (json!({ "paths": ["a"], "ttl": -1 }), "ttl must be"),
            (json!({ "paths": ["a"], "ttl": true }), "ttl must be"),
            (json!({ "paths": ["a"], "ttl": "6e2" }), "ttl must be"),
            (json!({ "paths": ["a"], "ttl": "1." }), "ttl must be"),
            (json!({ "paths": ["a"], "wait": "soon" }), "wait must be"),
            (json!({ "paths": ["a"], "wait": true }), "wait must be"),
            (json!({ "paths": ["a"], "wait": -0.5 }), "wait must be"),
            (json!({ "paths": 42 }), "list of strings"),
            (json!({ "paths": ["a", 1] }), "list of strings"),
            (json!({ "paths": { "a": 1 } }), "list of strings"),
            (json!({}), "name the paths"),
            (json!({ "paths": [] }), "name the paths"),
            (json!("{\"paths\":[\"a\"]"), "Invalid tool arguments JSON"),
            (json!([]), "must be a JSON object"),
        ];
        for (arguments, part) in errors {
            let error = read(arguments.clone()).unwrap_err();
            assert!(error.contains(part), "{arguments}: {error}");
        }
    }
}
