//! What makes two calls the same call, and what may be said about doing one again.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{call, proposal};
use mcp_operations::{Idempotency, IdempotencyRules, Operation, Proposal, digest};
use mcp_provider::{Arguments, ToolCall};
use proptest::prelude::*;
use serde_json::{Value, json};

#[test]
fn the_key_of_arguments_is_their_canonical_json() {
    // O-KEY-1
    let cases: Vec<(Arguments, &str)> = vec![
        (r#"{ "b": 2, "a":1 }"#.into(), r#"{"a":1,"b":2}"#),
        (r#"{"a":1,"b":2}"#.into(), r#"{"a":1,"b":2}"#),
        (json!({"b": 2, "a": 1}).into(), r#"{"a":1,"b":2}"#),
        (r#"{"b":{"d":[2,1],"c":null}}"#.into(), r#"{"b":{"c":null,"d":[2,1]}}"#),
        // No arguments are no arguments, however they are spelled.
        (Arguments::default(), "{}"),
        (Value::Null.into(), "{}"),
        ("".into(), "{}"),
        ("  ".into(), "{}"),
        ("{}".into(), "{}"),
        // What is no object and no list is its own key.
        ("not json".into(), "not json"),
        ("null".into(), "null"),
        ("42".into(), "42"),
        (r#"{"a":1} trailing"#.into(), r#"{"a":1} trailing"#),
        ("[2,1]".into(), "[2,1]"),
        ("[1]".into(), "[1]"),
        ("[1.0]".into(), "[1.0]"),
    ];
    for (arguments, key) in cases {
        let call = ToolCall::new("1", "tool", arguments.clone());
        let proposal = Proposal::of(&call);
        assert_eq!(proposal.arguments, key, "{arguments:?}");
        assert_eq!(proposal.signature(), format!("tool\0{key}"), "{arguments:?}");
    }
}

#[test]
fn the_digests_are_the_published_ones() {
    // O-KEY-2
    let text = "f471f35e0f4c0e168b01b5d7acd30c4485f0d88b2be5aabba227969707f88c08";
    let object = "43258cff783fe7036d8a43033f830adfc60ec037382473548ac742b888292777";
    assert_eq!(digest(&json!(r#"{"a":1,"b":2}"#)), text);
    assert_eq!(digest(&json!({"b": 2, "a": 1})), object);
    let call = call("1", "t", r#"{ "b": 2, "a": 1 }"#);
    let operation = Operation::new(Proposal::of(&call), common::at(0));
    assert_eq!(operation.arguments_digest(), text);
}

#[test]
fn the_first_rule_that_matches_decides() {
    // O-KEY-3
    let rules = IdempotencyRules::from_json(&json!([
        {"tool": "fs_read", "idempotency": "read-only"},
        {"tool": "fs_mkdir", "idempotency": "idempotent"},
        {"tool": "fs_*", "idempotency": "destructive"},
        {"tool": "fs_stat", "idempotency": "read-only"},
    ]));
    let rules = rules.unwrap();
    let cases = [
        ("fs_read", Idempotency::ReadOnly),
        ("fs_readlink", Idempotency::Destructive),
        ("fs_mkdir", Idempotency::Idempotent),
        ("fs_", Idempotency::Destructive),
        ("fs_stat", Idempotency::Destructive),
        ("web", Idempotency::Unknown),
        ("", Idempotency::Unknown),
    ];
    for (tool, class) in cases {
        assert_eq!(rules.class(tool), class, "{tool}");
    }
    let every = [("*", Idempotency::Idempotent)];
    assert_eq!(IdempotencyRules::new(every).unwrap().class("x"), Idempotency::Idempotent);
    assert_eq!(IdempotencyRules::default().class("x"), Idempotency::Unknown);
    assert_eq!(proposal().idempotency, Idempotency::Unknown);
}

#[test]
fn a_rule_that_cannot_be_used_is_named_by_its_place() {
    // O-KEY-4
    let fine = json!({"tool": "a", "idempotency": "read-only"});
    let cases = [
        (json!("a"), 0, "list"),
        (json!([fine, "a"]), 1, "object"),
        (json!([{"idempotency": "read-only"}]), 0, "\"tool\""),
        (json!([fine, {"tool": 7, "idempotency": "read-only"}]), 1, "\"tool\""),
        (json!([{"tool": "", "idempotency": "read-only"}]), 0, "pattern"),
        (json!([{"tool": "a*b", "idempotency": "read-only"}]), 0, "pattern"),
        (json!([fine, fine, {"tool": "a", "idempotency": "safe"}]), 2, "\"idempotent\""),
        (json!([fine, {"tool": "a"}]), 1, "null"),
    ];
    for (json, index, word) in cases {
        let error = IdempotencyRules::from_json(&json).unwrap_err();
        assert_eq!(error.index(), index, "{json}");
        assert!(error.to_string().contains(word), "{json}: {error}");
    }
    let error = IdempotencyRules::new([("a", Idempotency::ReadOnly), ("", Idempotency::ReadOnly)]);
    assert_eq!(error.unwrap_err().index(), 1);
}

fn values() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        ".*".prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 24, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::vec((".*", inner), 0..4)
                .prop_map(|members| members.into_iter().collect::<Value>()),
        ]
    })
}

/// The same value with the members of its objects the other way round.
fn turned(value: &Value) -> Value {
    match value {
        Value::Array(items) => items.iter().map(turned).collect(),
        Value::Object(object) => {
            object.iter().rev().map(|(key, value)| (key.clone(), turned(value))).collect()
        }
        other => other.clone(),
    }
}

proptest! {
    #[test]
    fn a_key_knows_no_order_of_members_and_no_white_space(value in values()) {
        // O-KEY-1
        let value = json!({"it": value});
        let spaced = serde_json::to_string_pretty(&turned(&value)).unwrap();
        let keys = [
            Arguments::from(value.clone()), turned(&value).into(), value.to_string().into(), spaced.into(),
        ].map(|it| Proposal::of(&ToolCall::new("1", "t", it)).signature());
        prop_assert!(keys.iter().all(|it| *it == keys[0]), "{keys:?}");
        prop_assert_eq!(digest(&value), digest(&turned(&value)));
    }

    #[test]
    fn any_text_has_a_key_and_a_digest(text in ".*") {
        let operation = Operation::new(Proposal::of(&call("1", "t", &text)), common::at(0));
        let digest = operation.arguments_digest();
        prop_assert_eq!(digest.len(), 64);
        prop_assert!(digest.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')));
    }
}
