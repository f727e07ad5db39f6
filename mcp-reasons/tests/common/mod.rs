//! Declarations, calls, and JSON text that nobody would print.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use mcp_provider::{Parameters, ToolCall, ToolDeclaration};
use mcp_reasons::DESCRIPTION;
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// A tool whose schema is this value.
pub(crate) fn tool(name: &str, parameters: Value) -> ToolDeclaration {
    let mut json = json!({ "type": "function", "function": { "name": name } });
    json["function"]["parameters"] = parameters;
    ToolDeclaration::from_json(json)
}

/// A tool whose schema is this text.
pub(crate) fn tool_of_text(name: &str, parameters: &str) -> ToolDeclaration {
    let raw = RawValue::from_string(parameters.to_owned()).unwrap();
    ToolDeclaration::new(name).with_parameters(Parameters::from_raw(raw).unwrap())
}

/// `fs_read(path)`, `fs_ping()` and `note_add(reason)`.
pub(crate) fn catalogue() -> Vec<ToolDeclaration> {
    vec![
        tool(
            "fs_read",
            json!({ "type": "object", "properties": { "path": {} }, "required": ["path"] }),
        ),
        tool("fs_ping", json!({ "type": "object", "properties": {} })),
        tool("note_add", json!({ "type": "object", "properties": { "reason": {} } })),
    ]
}

/// The parameter as a model sees it.
pub(crate) fn parameter() -> Value {
    json!({ "type": "string", "description": DESCRIPTION })
}

pub(crate) fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("call_1", name, arguments)
}

/// White space between the tokens of JSON.
pub(crate) fn space() -> impl Strategy<Value = String> {
    prop_oneof![3 => Just(String::new()), 1 => "[ \t\n\r]{1,3}"]
}

/// The text of a JSON value: numbers that no type holds, escapes, repeated names, any white space.
pub(crate) fn json_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        prop::sample::select(SPELLED).prop_map(str::to_owned),
        "[ !#-\\[\\]-~é\u{1f600}]{0,5}".prop_map(|text| format!("\"{text}\"")),
    ];
    leaf.prop_recursive(3, 20, 4, |inner| {
        let items = prop::collection::vec((space(), inner.clone(), space()), 1..4);
        let list = items.prop_map(|items| {
            let items = items.into_iter().map(|(before, item, after)| before + &item + &after);
            format!("[{}]", items.collect::<Vec<_>>().join(","))
        });
        let members = prop::collection::vec((space(), member(inner), space()), 1..4);
        let object = members.prop_map(|members| {
            let members = members.into_iter().map(|(before, it, after)| before + &it + &after);
            format!("{{{}}}", members.collect::<Vec<_>>().join(","))
        });
        prop_oneof![list, object]
    })
}

/// The text of a member under a name that is not `reason`, but may look like it.
pub(crate) fn member(value: impl Strategy<Value = String>) -> impl Strategy<Value = String> {
    let name = prop::sample::select(NAMES);
    (name, space(), space(), value)
        .prop_map(|(name, before, after, value)| format!("{name}{before}:{after}{value}"))
}

const SPELLED: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "-0",
    "1.0",
    "1.50",
    "1E+2",
    "1e400",
    "-1e-400",
    "123456789012345678901234567890",
    "\"\"",
    "\"reason\"",
    "\"\\u0041\\/\\n\"",
    "\"\\ud800\"",
    "\"}],{\"",
    "\"\\\\\"",
    "\"\\\"\"",
    "{\"reason\":1}",
    "[\"reason\"]",
];

const NAMES: &[&str] = &[
    "\"a\"",
    "\"path\"",
    "\"\"",
    "\"reasons\"",
    "\"Reason\"",
    "\"r\\u0065asons\"",
    "\"é\"",
    "\"\\ud800\"",
    "\"}\"",
    "\"\\\"reason\"",
    "\",\"",
    "\"re\\nason\"",
];
