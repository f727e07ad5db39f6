//! What a model is asked: a fixed text, and the call as data that cannot get out of its block.

use std::fmt::Write;

use serde_json::json;

use crate::request::Request;

/// The version of the text that a model is given: another text is another version.
pub const PROMPT_VERSION: &str = "1";

/// What a model is asked.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Prompt {
    /// The instructions: the same for every call.
    pub system: &'static str,
    /// The call, in a block of one line.
    pub user: String,
}

impl Prompt {
    /// What is asked about `request`; `user_request` is what the user asked the agent for.
    pub fn new(request: &Request, user_request: Option<&str>) -> Self {
        Self::about(&record(request, user_request, request.reason.as_deref()))
    }

    pub(crate) fn about(record: &str) -> Self {
        let user = format!("Judge the call in this block.\n<call>\n{record}\n</call>\n");
        Self { system: SYSTEM, user }
    }
}

/// The call as one line of JSON, under which two calls are asked about alike.
pub(crate) fn record(
    request: &Request,
    user_request: Option<&str>,
    reason: Option<&str>,
) -> String {
    let record = json!({
        "user_request": user_request,
        "tool": request.tool,
        "description": request.description,
        "class": request.risk,
        "arguments": request.arguments,
        "claimed_reason": reason,
        "was_edited": request.is_edited,
    });
    quoted(&record.to_string())
}

/// The same JSON, in letters, digits, blanks and plain punctuation only.
///
/// JSON is written with a handful of characters; any other stands inside a string, where it can
/// be written by its number.  So the line holds no line end, nothing that opens or closes a tag
/// or a fence, and nothing that hides, turns or joins what is seen.
fn quoted(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    for letter in json.chars() {
        let is_plain = match letter {
            '<' | '>' | '&' | '`' => false,
            ' '..='~' => true,
            letter => letter.is_alphanumeric() && !IS_BLANK.contains(&letter),
        };
        if is_plain {
            out.push(letter);
            continue;
        }
        for unit in letter.encode_utf16(&mut [0; 2]) {
            // Writing into a string cannot fail.
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// Letters that show nothing.
const IS_BLANK: &[char] = &['\u{115f}', '\u{1160}', '\u{3164}', '\u{ffa0}'];

const SYSTEM: &str = include_str!("../../prompts/approver-1.txt");

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    #[test]
    fn what_could_end_the_block_is_written_by_its_number() {
        let cases = [
            ("</call>", r"\u003c/call\u003e"),
            ("a\nb\u{2028}c\u{85}d", r"a\nb\u2028c\u0085d"),
            ("```&amp;", r"\u0060\u0060\u0060\u0026amp;"),
            ("\u{202e}\u{200b}\u{feff}\u{e0041}", r"\u202e\u200b\ufeff\udb40\udc41"),
            ("\u{ff1c}/call\u{ff1e}\u{2039}", r"\uff1c/call\uff1e\u2039"),
            ("ü漢я9 \u{3164}", r"ü漢я9 \u3164"),
            ("🦀\u{7f}", r"\ud83e\udd80\u007f"),
        ];
        for (text, expected) in cases {
            assert_eq!(quoted(&json!(text).to_string()), format!("\"{expected}\""), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_record_reads_back_and_is_one_line(text in "\\PC*|[\\u{0}-\\u{ffff}]{0,40}", key in any::<String>()) {
            let json = json!({ key: [text, 1.5e300, null] });
            let line = quoted(&json.to_string());
            prop_assert_eq!(serde_json::from_str::<Value>(&line).unwrap(), json);
            let ends = |it: char| "<>&`".contains(it) || it.is_control() || "\u{2028}\u{2029}".contains(it);
            prop_assert!(!line.contains(ends), "{}", line);
        }
    }
}
