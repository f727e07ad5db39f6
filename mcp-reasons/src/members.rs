//! Where the members of a JSON object stand in its text.

use std::ops::Range;

use serde_json::value::RawValue;

/// The places of one member in the text of its object.
#[derive(Debug)]
pub(crate) struct Member {
    /// The comma before it, unless it is the first.
    pub(crate) comma: Option<usize>,
    /// The name, quotes included.
    pub(crate) key: Range<usize>,
    /// The value, without the white space around it.
    pub(crate) value: Range<usize>,
}

/// Finds the members of the object that `text` is, in their order, repeated names included.
///
/// Nothing where the text is not JSON, or not that of an object, or has white space around it.
/// No number is read and no nesting is too deep.
pub(crate) fn members(text: &str) -> Option<Vec<Member>> {
    if !text.starts_with('{') || !text.ends_with('}') {
        return None;
    }
    serde_json::from_str::<&RawValue>(text).ok()?;
    // It is JSON, so that looking for quotes, commas and brackets is enough from here on.
    let bytes = text.as_bytes();
    let mut members = Vec::new();
    let mut comma = None;
    let mut at = skip_space(bytes, 1);
    while bytes.get(at)? != &b'}' {
        let key = at..value_end(bytes, at)?;
        let colon = skip_space(bytes, key.end);
        let start = skip_space(bytes, colon + 1);
        let value = start..value_end(bytes, start)?;
        at = skip_space(bytes, value.end);
        members.push(Member { comma, key, value });
        comma = (bytes.get(at)? == &b',').then_some(at);
        if comma.is_some() {
            at = skip_space(bytes, at + 1);
        }
    }
    Some(members)
}

/// Whether `text`, which is a JSON value, is the string `word`, however it is spelled.
pub(crate) fn is_string(text: &str, word: &str) -> bool {
    let inside = text.strip_prefix('"').and_then(|it| it.strip_suffix('"'));
    inside == Some(word)
        || text.contains('\\') && serde_json::from_str::<String>(text).is_ok_and(|it| it == word)
}

/// Whether the JSON `text` has the string `word` anywhere, as a name or a value.
pub(crate) fn has_string(text: &str, word: &str) -> bool {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(next) = bytes.iter().skip(at).position(|byte| *byte == b'"') {
        let start = at + next;
        let Some(end) = string_end(bytes, start) else { return false };
        if text.get(start..end).is_some_and(|it| is_string(it, word)) {
            return true;
        }
        at = end;
    }
    false
}

fn skip_space(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    from + rest.iter().take_while(|byte| b" \t\n\r".contains(byte)).count()
}

/// The end of the value that begins at `from`.
fn value_end(bytes: &[u8], from: usize) -> Option<usize> {
    match bytes.get(from)? {
        b'"' => string_end(bytes, from),
        b'{' | b'[' => nested_end(bytes, from),
        _ => {
            let rest = bytes.get(from..)?;
            Some(from + rest.iter().take_while(|byte| !b" \t\n\r,]}".contains(byte)).count())
        }
    }
}

fn string_end(bytes: &[u8], from: usize) -> Option<usize> {
    let mut at = from + 1;
    loop {
        match bytes.get(at)? {
            b'"' => return Some(at + 1),
            b'\\' => at += 2,
            _ => at += 1,
        }
    }
}

fn nested_end(bytes: &[u8], from: usize) -> Option<usize> {
    let (mut at, mut depth) = (from, 0_usize);
    loop {
        match bytes.get(at)? {
            b'"' => {
                at = string_end(bytes, at)?;
                continue;
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth -= 1,
            _ => (),
        }
        at += 1;
        if depth == 0 {
            return Some(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_are_found_where_they_stand() {
        let deep = format!(r#"{{"a":{}1{}}}"#, "[".repeat(5_000), "]".repeat(5_000));
        type Case<'a> = (&'a str, Option<&'a [(&'a str, &'a str)]>);
        let cases: &[Case<'_>] = &[
            ("{}", Some(&[])),
            ("{ \n\t\r}", Some(&[])),
            (r#"{"a":1}"#, Some(&[("\"a\"", "1")])),
            (r#"{ "a" : 1e400 , "b":-0.50 }"#, Some(&[("\"a\"", "1e400"), ("\"b\"", "-0.50")])),
            (r#"{"a":"}","a":"\"\\"}"#, Some(&[("\"a\"", "\"}\""), ("\"a\"", r#""\"\\""#)])),
            (
                r#"{"{":[{"}":"]"},null],"é":true}"#,
                Some(&[("\"{\"", r#"[{"}":"]"},null]"#), ("\"é\"", "true")]),
            ),
            (r#"{"\ud800":"\ud800"}"#, Some(&[(r#""\ud800""#, r#""\ud800""#)])),
            (&deep, Some(&[("\"a\"", &deep[5..10_006])])),
            ("", None),
            (" {}", None),
            ("{} ", None),
            ("[]", None),
            ("\"{}\"", None),
            (r#"{"a":1"#, None),
            (r#"{"a":1,}"#, None),
            (r#"{"a":01}"#, None),
            ("{}{}", None),
            ("\u{feff}{}", None),
        ];
        for (text, expected) in cases {
            let found = members(text);
            let found = found.as_ref().map(|found| {
                found.iter().map(|it| (&text[it.key.clone()], &text[it.value.clone()])).collect()
            });
            assert_eq!(found, expected.map(<[_]>::to_vec), "{text}");
        }
    }

    #[test]
    fn a_comma_belongs_to_the_member_after_it() {
        let found = members(r#"{"a":1 , "b":2,"c":3}"#).unwrap();
        assert_eq!(found.iter().map(|it| it.comma).collect::<Vec<_>>(), [None, Some(7), Some(14)]);
    }

    #[test]
    fn a_string_is_found_anywhere() {
        for (text, expected) in [
            (r#"{"a":[1,{"reason":1}]}"#, true),
            (r#"{"a":["\\","re\u0061son"]}"#, true),
            (r#""reason""#, true),
            (r#"{"a":"reasons","b":"\"reason\"","c":"{\"reason\":1}"}"#, false),
            (r#"{"reason\"":1,"a":[]}"#, false),
            ("{}", false),
        ] {
            assert_eq!(has_string(text, "reason"), expected, "{text}");
        }
    }

    #[test]
    fn a_name_is_read_however_it_is_spelled() {
        for (text, expected) in [
            (r#""reason""#, true),
            (r#""r\u0065ason""#, true),
            (r#""\u0072\u0065\u0061\u0073\u006f\u006e""#, true),
            (r#""Reason""#, false),
            (r#""reasons""#, false),
            (r#""\ud800""#, false),
            ("reason", false),
            ("1", false),
        ] {
            assert_eq!(is_string(text, "reason"), expected, "{text}");
        }
    }
}
