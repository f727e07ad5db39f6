//! Digests, by which two texts are compared without being kept.

use std::io;

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
    hexadecimal(&Sha256::digest(canonical_json(value)))
}

/// As [`digest`], of a text.  It is not copied, however long it is.
pub(crate) fn digest_text(text: &str) -> String {
    let mut hash = Hash(Sha256::new());
    match serde_json::to_writer(&mut hash, text) {
        Ok(()) => hexadecimal(&hash.0.finalize()),
        // Which a hash never gives cause for.
        Err(_) => digest(&Value::from(text)),
    }
}

/// What is written is hashed.
struct Hash(Sha256);

impl io::Write for Hash {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |it: u8| char::from_digit(it.into(), 16).unwrap_or_default();
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        text.push(digit(byte >> 4));
        text.push(digit(byte & 0xf));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_digest_of_a_text_is_that_of_its_json() {
        for text in
            ["", "plain", "two\nlines", "\"\\/\u{8}\u{1f}\u{7f}é\u{2028}", &"x\n".repeat(999)]
        {
            assert_eq!(digest_text(text), digest(&Value::from(text)), "{text:?}");
        }
    }
}
