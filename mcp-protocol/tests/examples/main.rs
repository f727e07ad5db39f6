//! Every type of the vocabulary: what well-formed messages of both eras read and write back.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod client_features;
mod content;
mod handshake;
mod server_features;
mod utilities;

use mcp_protocol::*;
use proptest::prelude::*;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[test]
fn every_example_is_written_back_as_it_was_read() {
    each_example(|case, example| {
        assert_eq!((case.from_text)(&example.to_string()).unwrap(), *example, "{}", case.name);
    });
}

#[test]
fn text_and_a_tree_of_values_read_alike() {
    each_example(|case, example| {
        let from_text = (case.from_text)(&example.to_string()).unwrap();
        assert_eq!((case.from_value)(example.clone()).unwrap(), from_text, "{}", case.name);
    });
}

#[test]
fn layout_and_order_of_the_text_do_not_matter() {
    each_example(|case, example| {
        let pretty = serde_json::to_string_pretty(&reversed(example)).unwrap();
        assert_eq!((case.from_text)(&pretty).unwrap(), *example, "{}", case.name);
    });
}

#[test]
fn a_foreign_member_survives() {
    each_example(|case, example| {
        let mut foreign = example.clone();
        foreign["x-foreign"] = json!({"kept": [1, null, {"a": 1.5}]});
        foreign["nothing"] = Value::Null;
        assert_eq!((case.from_text)(&foreign.to_string()).unwrap(), foreign, "{}", case.name);
    });
}

#[test]
fn only_what_must_be_there_is_missed() {
    each_member(|case, key, example| {
        let mut without = example.clone();
        without.shift_remove(key);
        let read = (case.from_value)(without.into());
        assert_eq!(read.is_err(), case.required.contains(&key), "{}.{key}: {read:?}", case.name);
    });
}

#[test]
fn null_is_absent() {
    each_member(|case, key, example| {
        if case.required.contains(&key) && holds_anything(case, key) {
            return;
        }
        let (mut null, mut without) = (example.clone(), example.clone());
        null.insert(key.to_owned(), Value::Null);
        without.shift_remove(key);
        let null = (case.from_value)(null.into()).ok();
        assert_eq!(null, (case.from_value)(without.into()).ok(), "{}.{key}", case.name);
    });
}

// Also the proof that each member of each example has a field: in `extra` it would survive.
#[test]
fn a_member_of_another_type_is_absent_and_costs_no_other() {
    each_member(|case, key, example| {
        let odd = json!([[]]);
        let mut with_odd = example.clone();
        with_odd.insert(key.to_owned(), odd.clone());
        match (case.from_value)(with_odd.into()) {
            Ok(written) => {
                let kept = written.get(key) == Some(&odd);
                assert_eq!(kept, holds_anything(case, key), "{}.{key}", case.name);
                for (other, value) in example.iter().filter(|(other, _)| *other != key) {
                    assert_eq!(written.get(other), Some(value), "{}.{key}", case.name);
                }
            }
            Err(_) => {
                let text = key == "text";
                assert!(text || case.required.contains(&key), "{}.{key}", case.name);
            }
        }
    });
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn no_value_panics_a_reader_and_what_was_read_reads_again(value in any_json()) {
        for case in vocabulary() {
            let from_text = (case.from_text)(&value.to_string()).ok();
            prop_assert_eq!(&from_text, &(case.from_value)(value.clone()).ok());
            if let Some(written) = from_text {
                let again = (case.from_value)(written.clone()).ok();
                prop_assert_eq!(Some(written), again, "{}", case.name);
            }
        }
    }

    #[test]
    fn a_block_is_read_or_kept(value in any_json()) {
        let block: ContentBlock = serde_json::from_value(value.clone()).unwrap();
        let kept = matches!(block, ContentBlock::Unknown(_));
        let (written, came) = (serde_json::to_string(&block).unwrap(), value.to_string());
        prop_assert!(!kept || written == came, "{} is not {}", written, came);
        let from_text: ContentBlock = serde_json::from_str(&value.to_string()).unwrap();
        prop_assert_eq!(from_text, block);
        let _: SamplingContentBlock = serde_json::from_value(value.clone()).unwrap();
        InputRequest::from_value(&value);
        decline(&value);
        normalize(value);
    }
}

/// Whether a member may hold any value at all; a content block may, so that it is never lost.
fn holds_anything(case: &Case, key: &str) -> bool {
    ANY_VALUE.contains(&key) || BLOCKS.contains(&(case.name, key))
}

const ANY_VALUE: &[&str] = &["data", "inputSchema", "outputSchema", "structuredContent"];

const BLOCKS: &[(&str, &str)] = &[
    ("CallToolResult", "content"),
    ("CompleteParams", "ref"),
    ("CreateMessageResult", "content"),
    ("PromptMessage", "content"),
    ("SamplingMessage", "content"),
    ("ToolResultContent", "content"),
];

fn each_example(check: impl Fn(&Case, &Value)) {
    for case in vocabulary() {
        for example in &case.examples {
            check(&case, example);
        }
    }
}

fn each_member(check: impl Fn(&Case, &str, &JsonObject)) {
    each_example(|case, example| {
        let example = example.as_object().unwrap();
        for key in example.keys() {
            check(case, key, example);
        }
    });
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(object) => {
            object.iter().rev().map(|(key, value)| (key.clone(), reversed(value))).collect()
        }
        Value::Array(array) => array.iter().map(reversed).collect(),
        other => other.clone(),
    }
}

/// Any JSON, with a leaning to the words of the protocol.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "type",
        "text",
        "image",
        "resource",
        "tool_use",
        "name",
        "uri",
        "data",
        "mimeType",
        "content",
        "tools",
        "inputSchema",
        "_meta",
        "mode",
        "url",
        "form",
        "role",
        "user",
        "messages",
        "action",
        "annotations",
        "audience",
        "ref",
        "ref/prompt",
        "argument",
        "progressToken",
        "level",
        "x",
        "",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<i32>().prop_map(|number| (f64::from(number) / 4.0).into()),
        word.clone().prop_map(Value::from),
        ".{0,4}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 48, 6, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((word.clone(), inner), 0..6)
                .prop_map(|members| members.into_iter().map(|(k, v)| (k.to_owned(), v)).collect()),
        ]
    })
}

/// Lists every type that is an object.
fn vocabulary() -> Vec<Case> {
    let files = [
        handshake::cases(),
        content::cases(),
        server_features::cases(),
        client_features::cases(),
        utilities::cases(),
    ];
    files.into_iter().flatten().collect()
}

/// A type of the vocabulary.
struct Case {
    name: &'static str,
    /// The members without which it cannot be read.
    required: &'static [&'static str],
    examples: Vec<Value>,
    /// Reads text and writes what was read.
    from_text: fn(&str) -> serde_json::Result<Value>,
    /// Reads a tree of values and writes what was read.
    from_value: fn(Value) -> serde_json::Result<Value>,
}

fn case<T: DeserializeOwned + Serialize>(
    required: &'static [&'static str],
    examples: Value,
) -> Case {
    let Value::Array(examples) = examples else { unreachable!("examples are lists") };
    let name = std::any::type_name::<T>();
    Case {
        name: name.rsplit("::").next().unwrap_or(name),
        required,
        examples,
        from_text: |text| serde_json::to_value(serde_json::from_str::<T>(text)?),
        from_value: |value| serde_json::to_value(serde_json::from_value::<T>(value)?),
    }
}
