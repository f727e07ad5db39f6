//! What every result has in common, read and removed.

use serde_json::Value;

use crate::{JsonObject, ResultType};

/// The members that belong to the protocol and not to the answer.
pub const ENVELOPE_KEYS: [&str; 6] =
    ["resultType", "_meta", "ttlMs", "cacheScope", "requestState", "inputRequests"];

/// Returns what a raw result is.
///
/// A `resultType` that is missing, empty or no string means complete, because servers from before
/// 2026-07-28 send none; so does a result that is no object (B-RES-1, B-RES-2).
pub fn result_type(result: &Value) -> ResultType {
    match result.get("resultType").and_then(Value::as_str) {
        None | Some("" | "complete") => ResultType::Complete,
        Some("input_required") => ResultType::InputRequired,
        Some(word) => ResultType::Unknown(word.to_owned()),
    }
}

/// Returns a raw result as an object that says what it is (B-RES-1, B-RES-2).
///
/// Doing so again changes nothing (B-RES-3).
pub fn normalize(result: Value) -> JsonObject {
    let kind = result_type(&result);
    let Value::Object(mut result) = result else {
        return JsonObject::from_iter([("resultType".to_owned(), kind.as_str().into())]);
    };
    if kind == ResultType::Complete {
        result.insert("resultType".to_owned(), kind.as_str().into());
    }
    result
}

/// Removes the [`ENVELOPE_KEYS`] from a result, and only at its top (B-RES-4).
pub fn strip_envelope(result: &mut JsonObject) {
    result.retain(|key, _| !ENVELOPE_KEYS.contains(&key.as_str()));
}
