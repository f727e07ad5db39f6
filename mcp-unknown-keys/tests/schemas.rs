//! Which names a schema declares or welcomes.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_unknown_keys::audit;
use serde_json::{Value, json};

/// The names that are unknown to a schema, of one call.
fn unknown(schema: &Value, arguments: &Value) -> Vec<String> {
    let unknown = audit(schema.as_object().unwrap(), arguments.as_object().unwrap());
    unknown.into_iter().map(|key| key.name).collect()
}

#[test]
fn a_schema_is_silent_where_it_says_that_others_are_welcome() {
    // U-AUD-7
    let welcoming = [
        json!({ "additionalProperties": true }),
        json!({ "additionalProperties": {} }),
        json!({ "additionalProperties": { "type": "string" } }),
        json!({ "unevaluatedProperties": true }),
        json!({ "unevaluatedProperties": { "type": "string" } }),
        json!({ "patternProperties": { "": {} } }),
        json!({ "patternProperties": { "^x": {} } }),
        json!({ "patternProperties": { "^y": {}, "^x\\d*$": {} } }),
        // Nobody here can tell what these mean.
        json!({ "patternProperties": { "^(?!a)": {} } }),
        json!({ "patternProperties": { "(": {} } }),
        json!({ "patternProperties": { "^y(a{50}){50}": {} } }),
        json!({ "$ref": "https://example.com/schema.json" }),
        json!({ "$ref": "#anchor" }),
        json!({ "$ref": "#/$defs/absent" }),
        json!({ "$ref": "#/%24defs/a" }),
        json!({ "$ref": 7 }),
        json!({ "$dynamicRef": "#node" }),
        // The parts that apply to the same object.
        json!({ "allOf": [{}, { "properties": { "x1": {} } }] }),
        json!({ "anyOf": [{ "additionalProperties": true }] }),
        json!({ "oneOf": [{ "allOf": [{ "required": ["x1"] }] }] }),
        json!({ "if": { "properties": { "x1": {} } } }),
        json!({ "then": { "properties": { "x1": {} } } }),
        json!({ "else": { "patternProperties": { "x1": {} } } }),
        json!({ "dependentSchemas": { "path": { "properties": { "x1": {} } } } }),
        json!({ "dependencies": { "path": { "properties": { "x1": {} } }, "a": ["b"] } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "properties": { "x1": {} } } } }),
        json!({ "$ref": "#/$defs/a~1b/0", "$defs": { "a/b": [{ "required": ["x1"] }] } }),
        json!({ "required": ["x1"] }),
    ];
    for mut schema in welcoming {
        schema["properties"] = json!({ "path": {} });
        assert_eq!(unknown(&schema, &json!({ "path": 1, "x1": 1 })), [""; 0], "{schema}");
    }
}

#[test]
fn a_schema_that_says_nothing_of_others_does_not_know_them() {
    // U-AUD-1, U-AUD-7
    let closed = [
        json!({}),
        json!({ "additionalProperties": false }),
        json!({ "additionalProperties": "odd" }),
        json!({ "additionalProperties": null }),
        json!({ "unevaluatedProperties": false }),
        json!({ "patternProperties": {} }),
        json!({ "patternProperties": { "^y": {}, "^x$": {} } }),
        json!({ "patternProperties": true }),
        json!({ "required": "x1" }),
        json!({ "allOf": [true, {}], "anyOf": {}, "if": true }),
        json!({ "$ref": "#" }),
        json!({ "not": { "properties": { "x1": {} } } }),
        json!({ "$defs": { "a": { "properties": { "x1": {} } } } }),
        json!({ "$ref": "#/$defs/a", "$defs": { "a": { "$ref": "#/$defs/a" } } }),
    ];
    for mut schema in closed {
        schema["properties"] = json!({ "path": { "properties": { "x1": {} } } });
        assert_eq!(unknown(&schema, &json!({ "path": 1, "x1": 1 })), ["x1"], "{schema}");
    }
}

#[test]
fn a_schema_without_properties_of_its_own_is_not_compared() {
    // U-AUD-1
    for schema in [
        json!({}),
        json!({ "properties": {} }),
        json!({ "properties": [] }),
        json!({ "properties": null }),
        json!({ "required": ["a"] }),
        json!({ "allOf": [{ "properties": { "a": {} } }] }),
    ] {
        assert_eq!(unknown(&schema, &json!({ "x": 1 })), [""; 0], "{schema}");
    }
}

#[test]
fn a_schema_with_parts_without_end_is_open() {
    // U-AUD-7
    let parts: Vec<Value> = (0..300).map(|part| json!({ "title": part.to_string() })).collect();
    let few = json!({ "properties": { "a": {} }, "allOf": parts[..200] });
    assert_eq!(unknown(&few, &json!({ "x": 1 })), ["x"]);
    let many = json!({ "properties": { "a": {} }, "allOf": parts });
    assert_eq!(unknown(&many, &json!({ "x": 1 })), [""; 0]);

    let patterns: Value = (0..300).map(|part| (format!("^{part}$"), json!({}))).collect();
    let many = json!({ "properties": { "a": {} }, "patternProperties": patterns });
    assert_eq!(unknown(&many, &json!({ "x": 1 })), [""; 0]);
    let long = "x".repeat(2_000);
    let one = json!({ "properties": { "a": {} }, "patternProperties": { "^y": {} } });
    assert_eq!(unknown(&one, &json!({ "x": 1 })), ["x"]);
    assert_eq!(unknown(&one, &json!({ long: 1 })), [""; 0]);
}

#[test]
fn a_near_miss_is_named() {
    // U-AUD-6
    let schema = json!({
        "properties": { "path": {}, "offset": {}, "content": {} },
        "allOf": [{ "properties": { "recursive": {} } }],
    });
    let cases = [
        (json!({ "ffset": 1 }), Some("offset")),
        (json!({ "contnet": 1 }), Some("content")),
        (json!({ "Path": 1 }), Some("path")),
        (json!({ "recursve": 1 }), Some("recursive")),
        (json!({ "the rest": 1 }), None),
        (json!({ "p": 1 }), None),
        // The model wrote that one as well.
        (json!({ "ffset": 1, "offset": 2 }), None),
    ];
    for (arguments, expected) in cases {
        let unknown = audit(schema.as_object().unwrap(), arguments.as_object().unwrap());
        assert_eq!(unknown[0].did_you_mean.as_deref(), expected, "{arguments}");
    }
}
