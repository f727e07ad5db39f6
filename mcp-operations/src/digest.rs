//! Digests, by which two texts are compared without being kept.

use mcp_provider::canonical_json;
use serde_json::Value;
use sha2::{Digest as _, Sha256};

/// The SHA-256 of a value's canonical JSON, as 64 lower-case hexadecimal digits.
///
/// A text is a JSON string, quotes and all, so its digest is never that of the object it spells:
///
/// ```
/// use mcp_operations::digest;
/// use serde_json::json;
///
/// assert_eq!(
///     digest(&json!(r#"{"a":1,"b":2}"#)),
///     "f471f35e0f4c0e168b01b5d7acd30c4485f0d88b2be5aabba227969707f88c08",
/// );
/// assert_eq!(
///     digest(&json!({"b": 2, "a": 1})),
///     "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777",
/// );
/// ```
pub fn digest(value: &Value) -> String {
    Sha256::digest(canonical_json(value)).iter().map(|byte| format!("{byte:02x}")).collect()
}

/// As [`digest`], of a text.
pub(crate) fn digest_text(text: &str) -> String {
    digest(&Value::from(text))
}
