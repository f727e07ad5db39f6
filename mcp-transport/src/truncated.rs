//! A message that was too long to be read, and of which both ends are known.

use std::borrow::Cow;

use mcp_protocol::{InvalidMessage, RequestId};
use memchr::{memchr_iter, memmem};
use serde::de::IgnoredAny;

/// Such a message, with the request that it answers where either end names it.
pub(crate) fn truncated(reason: String, beginning: &[u8], ending: &[u8]) -> InvalidMessage {
    let mut invalid = InvalidMessage::truncated(reason, beginning);
    if invalid.answers.is_empty() {
        invalid.answers.extend(last_id(beginning, ending));
    }
    invalid
}

/// The id of an answer that names it behind the result, as the TypeScript SDK does.
///
/// With `null` for the result and all that follows it but the last members, the message has to
/// be whole.  That rules out what only looks like an id: a quote inside a string is escaped, and
/// behind a nested value a bracket is left over.
fn last_id(beginning: &[u8], ending: &[u8]) -> Option<RequestId> {
    let outcomes = [&b"\"result\""[..], b"\"error\""];
    let at = outcomes.into_iter().filter_map(|name| memmem::find(beginning, name)).min()?;
    memchr_iter(b',', ending).rev().take(LAST_MEMBERS).find_map(|comma| {
        let message = [&beginning[..at], b"\"result\":null", &ending[comma..]].concat();
        serde_json::from_slice::<IgnoredAny>(&message).ok()?;
        InvalidMessage::truncated(Cow::Borrowed(""), &message).answers.pop()
    })
}

/// How many commas may stand behind the result.
const LAST_MEMBERS: usize = 8;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_known_by_either_of_its_ends() {
        let cases: &[(&str, &str, &[u64])] = &[
            (r#"{"jsonrpc":"2.0","id":3,"result":{"a":"#, "1}}", &[3]),
            (r#"{"result":{"text":"aaa"#, r#"aaa"},"jsonrpc":"2.0","id":3}"#, &[3]),
            (
                r#"{"result":{"text":"aaa"#,
                r#"a,a,a,a,a,a,a,a,a,a,a,a"},"id":3,"jsonrpc":"2.0"}"#,
                &[3],
            ),
            (r#"{ "jsonrpc": "2.0", "result": {"#, "}, \"id\": 3 } \r", &[3]),
            (r#"{"error":{"code":1,"message":"aaa"#, r#"aaa"},"id":"3"}"#, &[3]),
            (r#"{"result":"aaa"#, r#"a,b","id":"4,5"}"#, &[]),
            // What only looks like an id.
            (r#"{"result":{"a":{"b":1"#, r#"},"id":3}}"#, &[]),
            (r#"{"result":"aaa"#, r#"\",\"id\":3}"}"#, &[]),
            (r#"{"result":[{"a":1},{"b":2"#, r#","id":3}"#, &[3]),
            // No answers.
            (r#"{"method":"ping","params":{"a":"aaa"#, r#"aaa"},"jsonrpc":"2.0","id":3}"#, &[]),
            (
                r#"{"method":"ping","params":{"result":"aaa"#,
                r#"aaa"},"jsonrpc":"2.0","id":3}"#,
                &[],
            ),
            ("2026-08-01 INFO result of ", r#" is {"a":1,"id":3}"#, &[]),
            ("aaa", "aaa", &[]),
            ("", "", &[]),
        ];
        for (beginning, ending, expected) in cases {
            let invalid = truncated("long".to_owned(), beginning.as_bytes(), ending.as_bytes());
            let answers: Vec<_> = invalid.answers.iter().filter_map(RequestId::as_own).collect();
            assert_eq!(answers, *expected, "{beginning} ... {ending}");
            assert_eq!(invalid.to_string(), "long");
        }
    }
}
