//! The members of an object, found in its text without a parser, where the text is plain.

mod scan;

use std::ops::Range;

use self::scan::Scan;

/// Where the members of an object stand in its text.
///
/// Text is plain if every reader of JSON agrees about it, and there is not much to it: no member is
/// there twice, no name is written with an escape, no letter by its number, no number is large.  For
/// any other text there is a parser.
#[derive(Debug)]
pub(crate) struct Plain {
    members: Vec<Member>,
    /// Whether no space stands between its parts.
    is_dense: bool,
}

/// A member of an object, by where it stands in the text.
#[derive(Debug)]
struct Member {
    /// The name, between its quotes.
    name: Range<usize>,
    /// The value, with its quotes if it is a string.
    value: Range<usize>,
    /// Whether the value is a string that is written as it reads.
    is_literal: bool,
    /// Whether some string in the value was picked.
    is_picked: bool,
}

impl Plain {
    /// Finds the members of the object that `text` is, if it is plain.
    ///
    /// `picks` is asked about each string at any depth: by its nearest name, by how it is written,
    /// and by whether it certainly holds a control character.
    pub(crate) fn read(
        text: &str,
        picks: &mut dyn FnMut(&str, &str, bool) -> bool,
    ) -> Option<Self> {
        let mut scan = Scan::new(text, picks);
        scan.space();
        let mut members: Vec<Member> = Vec::with_capacity(8);
        scan.eat(b'{')?;
        scan.space();
        if scan.eat(b'}').is_none() {
            loop {
                let (name, key) = scan.name()?;
                let is_known = |it: &Member| {
                    it.name.len() == key.len() && text.get(it.name.clone()) == Some(key)
                };
                if members.len() == MOST || members.iter().any(is_known) {
                    return None;
                }
                let begin = scan.at;
                scan.is_picked = false;
                let is_literal = scan.value(key, 0)?;
                let value = begin..scan.at;
                members.push(Member { name, value, is_literal, is_picked: scan.is_picked });
                if scan.ends(b'}')? {
                    break;
                }
            }
        }
        scan.space();
        (scan.at == text.len()).then_some(Self { members, is_dense: scan.is_dense })
    }

    /// The members, each by its name and its value as they are written in `text`, which was read.
    pub(crate) fn members<'text>(
        &self,
        text: &'text str,
    ) -> impl Iterator<Item = (&'text str, &'text str)> {
        self.members
            .iter()
            .filter_map(|it| Some((text.get(it.name.clone())?, text.get(it.value.clone())?)))
    }

    /// The text of the object without its end, if there is something in it and no space between its
    /// parts: another member can be written behind it.
    pub(crate) fn open<'text>(&self, text: &'text str) -> Option<&'text str> {
        let is_dense = self.is_dense && !self.members.is_empty();
        text.strip_suffix('}').filter(|_| is_dense)
    }

    /// What the member `name` says, if it is there and reads as it is written.
    pub(crate) fn find<'text>(&self, text: &'text str, name: &str) -> Found<'text> {
        let is_it =
            |it: &&Member| it.name.len() == name.len() && text.get(it.name.clone()) == Some(name);
        let Some(it) = self.members.iter().find(is_it) else { return Found::Nothing };
        let inner = it.value.start.saturating_add(1)..it.value.end.saturating_sub(1);
        match text.get(inner).filter(|_| it.is_literal) {
            Some(text) => Found::Text(text),
            None => Found::Other,
        }
    }

    /// The names of the members in which a string was picked.
    pub(crate) fn picked<'text>(&self, text: &'text str) -> impl Iterator<Item = &'text str> {
        let picked = self.members.iter().filter(|it| it.is_picked);
        picked.filter_map(move |it| text.get(it.name.clone()))
    }
}

/// What a member of an object is.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Found<'text> {
    /// There is none of this name.
    Nothing,
    /// A string that is written as it reads.
    Text(&'text str),
    /// Any other value.
    Other,
}

/// How many members an object may have.
const MOST: usize = 64;

#[cfg(test)]
mod tests {
    use mcp_provider::Arguments;
    use proptest::prelude::*;
    use serde_json::Value;

    use super::*;

    fn read(text: &str) -> Option<Plain> {
        Plain::read(text, &mut |_, _, _| false)
    }

    #[test]
    fn plain_text_is_taken_apart_and_any_other_is_left_to_a_parser() {
        let text = r#" { "a":"x/é" ,"b" : [ 1 , -0.5, {"c":"d"} ],"e":"\n", "f":{} ,"g":[],"h":null}
        "#;
        let members: Vec<_> = read(text).unwrap().members(text).collect();
        let expected = [
            ("a", r#""x/é""#),
            ("b", r#"[ 1 , -0.5, {"c":"d"} ]"#),
            ("e", r#""\n""#),
            ("f", "{}"),
            ("g", "[]"),
            ("h", "null"),
        ];
        assert_eq!(members, expected);
        let plain = read(text).unwrap();
        assert_eq!(plain.find(text, "a"), Found::Text("x/é"));
        assert_eq!(plain.find(text, "b"), Found::Other);
        assert_eq!(plain.find(text, "e"), Found::Other);
        assert_eq!(plain.find(text, "z"), Found::Nothing);
        let deep = |depth: usize| format!("{{\"a\":{}{}}}", "[".repeat(depth), "]".repeat(depth));
        let many = |count: usize| {
            let members: Vec<String> = (0..count).map(|it| format!("\"{it}\":1")).collect();
            format!("{{{}}}", members.join(","))
        };
        for (text, is_plain) in [
            ("{}", true),
            (&deep(32), true),
            (&deep(33), false),
            (&many(64), true),
            (&many(65), false),
            (r#"{"a":123456789012345}"#, true),
            (r#"{"a":1234567890123456}"#, false),
            (r#"{"a":1,"a":2}"#, false),
            (r#"{"a":1,"\u0061":2}"#, false),
            (r#"{"a":"\u0061"}"#, false),
            (r#"{"a":"\x"}"#, false),
            ("{\"a\":\"\n\"}", false),
            ("{\"a\":\"1234567\u{1f}\"}", false),
            (r#"{"a":1e4}"#, false),
            (r#"{"a":01}"#, false),
            (r#"{"a":1.}"#, false),
            (r#"{"a":-}"#, false),
            (r#"{"a":1}x"#, false),
            (r#"{"a":1,}"#, false),
            (r#"{"a" 1}"#, false),
            (r#"{"a":tru}"#, false),
            (r#"{"a":"1234567890"#, false),
            (r#"{"$serde_json::private::RawValue":"{}"}"#, false),
            ("[]", false),
            ("", false),
        ] {
            assert_eq!(read(text).is_some(), is_plain, "{text}");
        }
    }

    /// Texts that are JSON, or almost: they are made of what means something in it.
    fn text() -> impl Strategy<Value = String> {
        let pieces = prop::sample::select(vec![
            "{",
            "}",
            "[",
            "]",
            ",",
            ":",
            "\"",
            "\"a\"",
            "\"b\":",
            "\"a\":",
            "\\n",
            "\\\"",
            "\\u0061",
            " ",
            "\n",
            "1",
            "0",
            "-",
            ".5",
            "e9",
            "1234567890",
            "true",
            "null",
            "x",
            "é",
            "\u{1}",
            "\"$serde_json::private::Number\":",
            "\"abcdefgh\"",
            "{\"a\":1}",
            "{\"b\":\"c\"}",
        ]);
        let inside = prop::collection::vec(pieces, 0..12).prop_map(|it| it.concat());
        prop_oneof![inside.clone().prop_map(|it| format!("{{\"k\":{it}}}")), inside]
    }

    /// Any JSON object, written with or without space.
    fn object() -> impl Strategy<Value = String> {
        let leaf = prop_oneof![
            any::<Option<bool>>().prop_map(Value::from),
            any::<i32>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            "[a-z/\n\"\\\\é]{0,20}".prop_map(Value::from),
        ];
        let value = leaf.prop_recursive(4, 24, 4, |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
                prop::collection::hash_map("[a-c$]{0,9}", inner, 0..4)
                    .prop_map(|it| it.into_iter().collect()),
            ]
        });
        let members = prop::collection::vec(("[a-e]{0,9}", value), 0..6);
        (members, any::<bool>()).prop_map(|(members, is_wide)| {
            let object: Value = members.into_iter().collect();
            let text = if is_wide {
                serde_json::to_string_pretty(&object)
            } else {
                serde_json::to_string(&object)
            };
            text.unwrap()
        })
    }

    proptest! {
        #[test]
        fn what_is_plain_reads_as_a_parser_reads_it(text in prop_oneof![text(), object()]) {
            let Some(plain) = read(&text) else { return Ok(()) };
            let arguments = Arguments::from(&*text);
            let object = arguments.as_object().expect("it is an object");
            let found: Vec<(&str, &str)> = plain.members(&text).collect();
            prop_assert_eq!(found.len(), object.len());
            for ((name, written), (key, value)) in found.into_iter().zip(object) {
                prop_assert_eq!(name, key);
                prop_assert_eq!(&serde_json::from_str::<Value>(written).unwrap(), value);
                match (plain.find(&text, name), value) {
                    (Found::Text(it), value) => prop_assert_eq!(&Value::from(it), value),
                    (Found::Other, Value::String(_)) => prop_assert!(written.contains('\\')),
                    (found, _) => prop_assert_eq!(found, Found::Other),
                }
            }
        }
    }
}
