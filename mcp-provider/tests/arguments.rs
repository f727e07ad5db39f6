//! The arguments of a call: what counts as an object, and how often it is read.

mod common;

use common::json;
use mcp_provider::{Arguments, ToolCall, canonical_json, canonical_text};
use proptest::prelude::*;
use serde_json::{Value, json};

const NOT_AN_OBJECT: &str = "Tool arguments must be a JSON object";
const MALFORMED: &str = "Invalid tool arguments JSON: ";

#[test]
fn arguments_read_as_an_object_or_say_why_not() {
    // The object, or how the sentence begins.
    let cases: &[(Value, Result<Value, &str>)] = &[
        (json!({ "b": 1, "a": 2 }), Ok(json!({ "b": 1, "a": 2 }))),
        (json!(null), Ok(json!({}))),
        (json!(""), Ok(json!({}))),
        (json!("  \n "), Ok(json!({}))),
        (json!("\u{a0}\u{2003}"), Ok(json!({}))),
        (json!(r#"{"b":1,"a":2}"#), Ok(json!({ "b": 1, "a": 2 }))),
        (json!(" \n{\"a\": 1}\t"), Ok(json!({ "a": 1 }))),
        (json!(r#"{"a":1,"a":2}"#), Ok(json!({ "a": 2 }))),
        (json!("[1,2]"), Err(NOT_AN_OBJECT)),
        (json!("42"), Err(NOT_AN_OBJECT)),
        (json!("\"x\""), Err(NOT_AN_OBJECT)),
        (json!("null"), Err(NOT_AN_OBJECT)),
        (json!("true"), Err(NOT_AN_OBJECT)),
        (json!(42), Err(NOT_AN_OBJECT)),
        (json!(true), Err(NOT_AN_OBJECT)),
        (json!(false), Err(NOT_AN_OBJECT)),
        (json!([]), Err(NOT_AN_OBJECT)),
        (json!([1]), Err(NOT_AN_OBJECT)),
        (json!("{not json"), Err(MALFORMED)),
        (json!("{\"a\":1,}"), Err(MALFORMED)),
        (json!("{} {}"), Err(MALFORMED)),
        (json!("{} x"), Err(MALFORMED)),
        (json!("\u{feff}{}"), Err(MALFORMED)),
        (json!("{'a':1}"), Err(MALFORMED)),
    ];
    for (came, expected) in cases {
        let arguments = Arguments::from_json(came.clone());
        // The object and its text agree, whichever is asked for first.
        for text_first in [false, true] {
            let arguments = if text_first {
                let arguments = Arguments::from_json(came.clone());
                let _ = arguments.to_object_text();
                arguments
            } else {
                arguments.clone()
            };
            match (arguments.as_object(), expected) {
                (Ok(object), Ok(expected)) => {
                    assert_eq!(Value::Object(object.clone()).to_string(), expected.to_string());
                    let text = arguments.to_object_text().unwrap();
                    assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), *expected);
                }
                (Err(error), Err(begin)) => {
                    let error = error.to_string();
                    assert!(error.starts_with(begin), "{came}: {error}");
                    assert_eq!(error.len() > begin.len(), *begin == MALFORMED, "{error}");
                    assert_eq!(arguments.to_object_text().unwrap_err().to_string(), error);
                }
                (found, _) => panic!("{came}: {found:?}"),
            }
        }
    }
    assert_eq!(Arguments::default().as_object().unwrap().len(), 0);
    assert_eq!(Arguments::default().to_object_text().unwrap(), "{}");
}

#[test]
fn text_stays_byte_for_byte() {
    let text = " { \"n\" : 1.50, \"big\": 123456789012345678901234567890 } ";
    let call = ToolCall::new("1", "a", text);
    assert_eq!(call.arguments.as_text(), Some(text));
    assert_eq!(call.arguments.to_object_text().unwrap(), text.trim());
    call.arguments.as_object().unwrap();
    assert_eq!(call.to_json()["function"]["arguments"], text);
    assert_eq!(call.arguments.to_object_text().unwrap(), text.trim());
    assert_eq!(Arguments::from(json!({})).as_text(), None);
}

#[test]
fn arguments_are_read_once_however_many_look() {
    let call = ToolCall::new("1", "a", r#"{"a":1}"#);
    let copy = call.clone();
    let first: *const _ = call.arguments.as_object().unwrap();
    assert!(std::ptr::eq(first, copy.arguments.as_object().unwrap()));
    // A failure is remembered too.
    let broken = Arguments::from("{");
    let copy = broken.clone();
    let first: *const _ = broken.as_object().unwrap_err();
    assert!(std::ptr::eq(first, copy.as_object().unwrap_err()));
}

#[test]
fn arguments_are_compared_as_they_came() {
    assert_eq!(Arguments::from(r#"{"a":1}"#), Arguments::from(r#"{"a":1}"#.to_owned()));
    assert_ne!(Arguments::from(r#"{"a":1}"#), Arguments::from(json!({ "a": 1 })));
    assert_eq!(Arguments::from(json!({ "a": 1, "b": 2 })), json!({ "b": 2, "a": 1 }).into());
    assert_eq!(format!("{:?}", Arguments::from(json!({ "a": 1 }))), r#"{"a":1}"#);
    assert_eq!(format!("{:?}", Arguments::from("{}")), "\"{}\"");
    assert_eq!(format!("{:?}", Arguments::default()), "none");
}

#[test]
fn one_spelling_stands_for_all_spellings_of_the_same_arguments() {
    // B-BATCH-6
    let same: &[&[Value]] = &[
        &[
            json!({ "b": [1, 2], "a": { "d": 1, "c": null } }),
            json!({ "a": { "c": null, "d": 1 }, "b": [1, 2] }),
            json!(" { \"b\" : [1,2] , \"a\":{\"d\":1,\"c\":null}}\n"),
            json!("{\"a\":9,\"b\":[1,2],\"\\u0061\":{\"d\":1,\"c\":null}}"),
        ],
        &[json!(null), json!({}), json!(""), json!(" "), json!("{}"), json!(" { } ")],
        &[json!({ "n": 100000.0 }), json!("{\"n\":1e5}"), json!("{\"n\":100000.0}")],
        &[json!({ "s": "é\n" }), json!("{\"s\":\"\\u00e9\\u000a\"}")],
    ];
    let mut seen = Vec::new();
    for group in same {
        let spellings: Vec<_> =
            group.iter().map(|it| Arguments::from_json(it.clone()).canonical()).collect();
        assert!(spellings.iter().all(|it| *it == spellings[0]), "{spellings:?}");
        seen.push(spellings[0].clone());
    }
    let all_distinct = [
        json!({ "a": [1, 2] }),
        json!({ "a": [2, 1] }),
        json!({ "a": 1 }),
        json!({ "a": 1.0 }),
        json!({ "a": "1" }),
        json!("{\"n\":123456789012345678901234567890}"),
        json!("{\"n\":123456789012345678901234567891}"),
        json!("{\"n\":1e400}"),
        json!("{\"n\":1e401}"),
        json!("{not json"),
        json!("{not  json"),
        json!("[1]"),
        json!("x"),
    ];
    seen.extend(all_distinct.into_iter().map(|it| Arguments::from_json(it).canonical()));
    let count = seen.len();
    seen.sort();
    seen.dedup();
    assert_eq!(seen.len(), count, "{seen:?}");
}

#[test]
fn canonical_text_sorts_by_code_point_and_reads_json_only() {
    let cases: &[(&str, Option<&str>)] = &[
        (r#"{"b":1,"a":2,"B":3}"#, Some(r#"{"B":3,"a":2,"b":1}"#)),
        ("{\"\u{ff5e}\":1,\"\u{1f600}\":2}", Some("{\"\u{ff5e}\":1,\"\u{1f600}\":2}")),
        (r#" [ 1 , {"b":[],"a":{}} ] "#, Some(r#"[1,{"a":{},"b":[]}]"#)),
        (r#""\u0041""#, Some(r#""A""#)),
        ("1.50", Some("1.5")),
        ("-0", Some("-0")),
        // Two numbers that one double would stand for stay two.
        ("9007199254740993.0", Some("9007199254740993.0")),
        ("9007199254740992.0", Some("9007199254740992.0")),
        ("1e400", Some("1e400")),
        (r#""[[{\"""#, Some(r#""[[{\"""#)),
        ("true", Some("true")),
        ("", None),
        ("{", None),
        ("{} x", None),
        ("[1,]", None),
        ("nul", None),
    ];
    for (text, expected) in cases {
        assert_eq!(canonical_text(text).as_deref(), *expected, "{text}");
    }
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert_eq!(canonical_text(&nested(128)), Some(nested(128)));
    assert_eq!(canonical_text(&nested(129)), None);
    let quoted = format!("\"{}\"", "[".repeat(200));
    assert_eq!(canonical_text(&quoted), Some(quoted));
    assert_eq!(canonical_text(&nested(100_000)), None);
}

fn shuffled(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(shuffled).collect(),
        Value::Object(members) => {
            let members = members.iter().rev().map(|(key, it)| (key.clone(), shuffled(it)));
            Value::Object(members.collect())
        }
        scalar => scalar.clone(),
    }
}

proptest! {
    #[test]
    fn canonical_text_and_canonical_json_agree(value in json()) {
        let canonical = canonical_json(&value);
        prop_assert_eq!(canonical_text(&value.to_string()), Some(canonical.clone()));
        let spaced = serde_json::to_string_pretty(&shuffled(&value)).unwrap();
        prop_assert_eq!(canonical_text(&spaced), Some(canonical.clone()));
        prop_assert_eq!(&canonical_json(&shuffled(&value)), &canonical);
        // It is JSON that says the same.
        prop_assert_eq!(serde_json::from_str::<Value>(&canonical).unwrap(), value);
    }

    #[test]
    fn any_text_is_read_or_refused(text in any::<String>(), json_like in r#"[{}\[\]",:0-9eE.\\u -]{0,20}"#) {
        for text in [text, json_like] {
            let arguments = Arguments::from(&*text);
            let _ = arguments.to_object_text();
            let object = arguments.as_object();
            let parsed = serde_json::from_str::<Value>(text.trim());
            prop_assert_eq!(
                object.is_ok(),
                text.trim().is_empty() || parsed.is_ok_and(|it| it.is_object())
            );
            arguments.canonical();
        }
    }
}
