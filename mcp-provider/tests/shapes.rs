//! Declarations, calls and results, from JSON and back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{json, nearly};
use mcp_provider::{
    Arguments, CallId, Delivery, JsonObject, Parameters, ToolCall, ToolDeclaration, ToolResult,
};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};

/// Equality of JSON to the letter: the order of members counts.
fn assert_same(found: &Value, expected: &Value) {
    assert_eq!(found.to_string(), expected.to_string());
}

fn call(json: Value) -> ToolCall {
    ToolCall::from_json(json).unwrap()
}

#[test]
fn a_new_declaration_has_the_usual_members_in_the_usual_order() {
    let tool = ToolDeclaration::new("now").with_description("Tells the time");
    assert_same(
        &tool.to_json(),
        &json!({ "type": "function", "function": {
            "name": "now", "description": "Tells the time",
            "parameters": { "type": "object", "properties": {} },
        } }),
    );
    assert_same(
        &ToolDeclaration::new("x").to_json()["function"],
        &json!({ "name": "x", "parameters": { "type": "object", "properties": {} } }),
    );
}

#[test]
fn a_changed_declaration_changes_in_place() {
    let came = json!({ "x": 1, "function": {
        "parameters": { "b": 1, "a": 2 }, "strict": true, "name": "old", "description": null,
    }, "type": "odd" });
    let tool = ToolDeclaration::from_json(came.clone());
    let schema = json!({ "z": 1, "a": [] });
    let changed = tool
        .with_name("new")
        .with_description("Says so")
        .with_parameters(schema.as_object().unwrap().clone());
    assert_same(
        &changed.to_json(),
        &json!({ "x": 1, "function": {
            "parameters": { "z": 1, "a": [] }, "strict": true, "name": "new",
            "description": "Says so",
        }, "type": "odd" }),
    );
    assert_same(&tool.to_json(), &came);
    assert_ne!(tool, changed);
    assert_eq!(changed.description(), Some("Says so"));
    assert_eq!(tool.description(), None);
}

#[test]
fn members_of_other_types_stay_as_they_came() {
    for odd in [json!(null), json!("x"), json!([1]), json!(true)] {
        let came = json!({ "function": { "parameters": odd, "name": "a", "description": odd } });
        let tool = ToolDeclaration::from_json(came.clone());
        assert_same(&tool.to_json(), &came);
        assert_eq!((tool.name(), tool.parameters()), (Some("a"), None));
        let renamed = tool.with_name("b").to_json();
        assert_same(&renamed["function"]["parameters"], &odd);
    }
}

#[test]
fn what_has_no_name_has_nothing_to_read_or_change() {
    for odd in [
        json!(null),
        json!([]),
        json!("x"),
        json!({}),
        json!({ "function": "x" }),
        json!({ "function": { "name": 7, "description": "d", "parameters": {} } }),
        json!({ "function": { "description": "d" } }),
        json!({ "function": [{ "name": "x" }] }),
    ] {
        let tool = ToolDeclaration::from_json(odd.clone());
        assert_eq!((tool.name(), tool.description(), tool.parameters()), (None, None, None));
        let same = tool.with_name("n").with_description("d").with_parameters(JsonObject::new());
        assert_same(&same.to_json(), &odd);
    }
}

#[test]
fn a_schema_is_kept_as_text_until_somebody_looks() {
    let raw = |text: &str| RawValue::from_string(text.to_owned()).unwrap();
    let text = r#"{ "type": "object",  "x": 1.50 }"#;
    let parameters = Parameters::from_raw(raw(text)).unwrap();
    assert_eq!(parameters.to_raw().get(), text);
    assert_eq!(parameters.as_object().unwrap()["x"], 1.5);
    assert_eq!(parameters.to_raw().get(), text, "looking changes nothing");
    assert_eq!(parameters, Parameters::from(parameters.as_object().unwrap().clone()));
    for other in ["[]", "null", "\"{\"", "7"] {
        assert_eq!(Parameters::from_raw(raw(other)), None, "{other}");
    }
    let huge = Parameters::from_raw(raw(r#"{"maximum":1e400}"#)).unwrap();
    assert_eq!((huge.as_object(), huge.to_json()), (None, Value::Null));
    assert_eq!(huge.to_raw().get(), r#"{"maximum":1e400}"#);
}

#[test]
fn a_listing_is_shared_and_not_copied() {
    let tool = ToolDeclaration::from_json(json!({ "function": { "name": "a", "parameters": {} } }));
    let schema = |tool: &ToolDeclaration| tool.parameters().unwrap().as_object().unwrap().as_ptr();
    let copies = [tool.clone(), tool.with_name("b"), tool.with_description("c")];
    assert!(copies.iter().all(|copy| schema(copy) == schema(&tool)));
}

trait AsPtr {
    fn as_ptr(&self) -> *const Self;
}

impl AsPtr for JsonObject {
    fn as_ptr(&self) -> *const Self {
        self
    }
}

#[test]
fn a_new_call_has_the_usual_members_in_the_usual_order() {
    assert_same(
        &ToolCall::new("1", "now", r#"{ "a": 1 }"#).to_json(),
        &json!({ "id": "1", "type": "function",
                 "function": { "name": "now", "arguments": r#"{ "a": 1 }"# } }),
    );
    assert_same(
        &ToolCall::new("", "", Arguments::default()).to_json(),
        &json!({ "id": "", "type": "function", "function": { "name": "" } }),
    );
}

/// B-LLM-7: what a call is made of, and what it is without.
#[test]
fn odd_calls_read_as_something_and_write_as_they_came() {
    let text = "{\n \"a\":1.0 }";
    // the call, and its id, its name and its arguments as read
    let cases = [
        (json!({}), json!(""), "", None),
        (json!({ "id": null }), json!(""), "", None),
        (json!({ "id": "" }), json!(""), "", None),
        (json!({ "id": 7 }), json!(7), "", None),
        (json!({ "id": [1] }), json!([1]), "", None),
        (json!({ "function": null }), json!(""), "", None),
        (json!({ "function": "do", "id": "1" }), json!("1"), "", None),
        (json!({ "function": [], "id": "1" }), json!("1"), "", None),
        (json!({ "function": {} }), json!(""), "", None),
        (json!({ "function": { "name": null } }), json!(""), "", None),
        (json!({ "function": { "name": 7 } }), json!(""), "7", None),
        (json!({ "function": { "name": ["a"] } }), json!(""), "[\"a\"]", None),
        (
            json!({ "function": { "name": "a", "arguments": null } }),
            json!(""),
            "a",
            Some(json!(null)),
        ),
        (
            json!({ "x": 1, "function": { "y": 2, "arguments": text, "name": "a" }, "index": 0 }),
            json!(""),
            "a",
            Some(json!(text)),
        ),
        (
            json!({ "function": { "arguments": { "b": 1, "a": 2 } } }),
            json!(""),
            "",
            Some(json!({ "b": 1, "a": 2 })),
        ),
        (json!({ "function": { "arguments": [1] } }), json!(""), "", Some(json!([1]))),
    ];
    for (came, id, name, arguments) in cases {
        let read = call(came.clone());
        assert_eq!(read.id, CallId::from_json(id), "{came}");
        assert_eq!(read.name, name, "{came}");
        assert_eq!(read.arguments.to_json(), arguments, "{came}");
        assert_same(&read.to_json(), &came);
    }
    for odd in [json!(null), json!("do it"), json!([]), json!(7), json!(true)] {
        let error = ToolCall::from_json(odd).unwrap_err().to_string();
        assert_eq!(error, "Malformed tool call: expected an object with an id and a function");
    }
}

#[test]
fn a_changed_call_writes_what_was_changed() {
    let edit = |came: Value, change: fn(&mut ToolCall)| {
        let mut call = call(came);
        change(&mut call);
        call.to_json().to_string()
    };
    type Change<'a> = (Value, fn(&mut ToolCall), &'a str);
    let changes: &[Change<'_>] = &[
        (
            json!({ "function": { "name": "a" }, "id": 7 }),
            |it| it.id = "8".into(),
            r#"{"function":{"name":"a"},"id":"8"}"#,
        ),
        (json!({ "x": 1 }), |it| it.id = "8".into(), r#"{"x":1,"id":"8"}"#),
        (json!({ "id": null }), |it| it.id = "8".into(), r#"{"id":"8"}"#),
        (
            json!({ "function": { "name": 7, "y": 1 } }),
            |it| it.name = "b".to_owned(),
            r#"{"function":{"name":"b","y":1}}"#,
        ),
        (
            json!({ "function": { "name": "a", "y": 1 } }),
            |it| it.name.clear(),
            r#"{"function":{"name":"","y":1}}"#,
        ),
        (
            json!({ "function": "f", "id": 1 }),
            |it| it.name = "b".to_owned(),
            r#"{"function":{"name":"b"},"id":1}"#,
        ),
        (
            json!({ "function": "f", "id": 1 }),
            |it| it.arguments = json!({}).into(),
            r#"{"function":{"arguments":{}},"id":1}"#,
        ),
        (
            json!({ "function": { "arguments": "{}", "name": "a" } }),
            |it| it.arguments = json!({ "b": 1 }).into(),
            r#"{"function":{"arguments":{"b":1},"name":"a"}}"#,
        ),
        (
            json!({ "function": { "arguments": "{}", "name": "a" } }),
            |it| it.arguments = Arguments::default(),
            r#"{"function":{"name":"a"}}"#,
        ),
    ];
    for (came, change, expected) in changes {
        assert_eq!(edit(came.clone(), *change), *expected, "{came}");
    }
}

#[test]
fn calls_are_equal_if_their_json_is() {
    let mut one = ToolCall::new("1", "a", "{}");
    let other = one.clone();
    one.extensions.insert("agent");
    assert_eq!(one, other);
    assert_ne!(one, ToolCall::new("1", "a", "{ }"), "text is compared as text");
    assert_ne!(ToolCall::new("7", "a", "{}").id, CallId::from_json(json!(7)));
    assert_eq!(format!("{:?} {}", CallId::from("7"), CallId::from("7")), "\"7\" 7");
    assert_eq!(format!("{:?}", CallId::from_json(json!(7))), "7");
}

#[test]
fn results_have_a_delivery_that_is_never_written() {
    // B-LLM-8
    let cases = [
        (ToolResult::ok("1", "a"), false, Delivery::Answered),
        (ToolResult::error("1", "a"), true, Delivery::Answered),
        (ToolResult::not_sent("1", "a"), true, Delivery::NotSent),
        (ToolResult::unknown("1", "a"), true, Delivery::Unknown),
    ];
    for (result, is_error, delivery) in cases {
        assert_eq!((result.is_error, result.delivery), (is_error, delivery));
        assert_same(
            &result.to_json(),
            &json!({ "role": "tool", "tool_call_id": "1", "content": "a", "is_error": is_error }),
        );
    }
    let structured = ToolResult::ok("1", "").with_structured_content(json!([1]));
    assert_eq!(structured.to_json()["structured_content"], json!([1]));
    let nothing = structured.with_structured_content(json!(null));
    assert_eq!(nothing.to_json().get("structured_content"), None);
}

#[test]
fn foreign_results_are_repaired() {
    let cases = [
        (json!("bare"), json!({ "tool_call_id": "9", "content": "bare", "is_error": false })),
        (json!(null), json!({ "tool_call_id": "9", "content": "", "is_error": false })),
        (
            json!([1, { "a": 2 }]),
            json!({ "tool_call_id": "9", "content": "[1,{\"a\":2}]", "is_error": false }),
        ),
        (json!({}), json!({ "tool_call_id": "9", "content": "", "is_error": false })),
        (
            json!({ "content": { "a": 1 }, "is_error": "yes", "tool_call_id": 7 }),
            json!({ "tool_call_id": 7, "content": "{\"a\":1}", "is_error": false }),
        ),
        (
            json!({ "z": 1, "role": "user", "y": 2, "is_error": true, "content": "no", "x": 3,
                    "structured_content": null }),
            json!({ "tool_call_id": "9", "content": "no", "is_error": true, "z": 1, "y": 2, "x": 3 }),
        ),
    ];
    for (came, expected) in cases {
        let mut found = ToolResult::from_json(came.clone(), &"9".into()).to_json();
        assert_eq!(found.as_object_mut().unwrap().shift_remove("role"), Some(json!("tool")));
        assert_same(&found, &expected);
    }
    let mut result = ToolResult::ok("1", "a");
    result.extra.insert("content".to_owned(), json!("b"));
    assert_eq!(result.to_json()["content"], "a", "what is known has the last word");
}

#[test]
fn everything_that_travels_can_cross_threads() {
    fn assert_send_sync<T: Send + Sync + 'static>() {}
    assert_send_sync::<ToolDeclaration>();
    assert_send_sync::<ToolCall>();
    assert_send_sync::<ToolResult>();
    assert_send_sync::<Box<dyn mcp_provider::Provider>>();
    assert_send_sync::<mcp_provider::ProviderError>();
    assert_send_sync::<mcp_provider::Panicked>();
    assert_send_sync::<mcp_provider::location::Locations>();
}

#[test]
fn a_declaration_is_the_same_where_it_shares_all_it_has() {
    let came = json!({ "x": 1, "function": { "name": "a", "description": "A", "parameters": {} } });
    let tool = ToolDeclaration::from_json(came.clone());
    let same = [tool.clone(), tool.with_name("a"), tool.with_name("b").with_name("a")];
    assert!(same.iter().all(|it| it.is_same(&tool) && tool.is_same(it)));
    let odd = ToolDeclaration::from_json(json!("x"));
    assert!(odd.is_same(&odd.clone()));
    for other in [
        tool.with_name("b"),
        tool.with_description("B"),
        tool.with_parameters(JsonObject::new()),
        ToolDeclaration::from_json(came),
        ToolDeclaration::new("a").with_description("A"),
        ToolDeclaration::from_json(json!({ "function": { "name": "a", "description": "A" } }))
            .with_parameters(tool.parameters().unwrap().clone()),
        odd,
    ] {
        assert!(!other.is_same(&tool) && !tool.is_same(&other), "{other:?}");
    }
}

const DECLARATION: &[&str] = &["name", "description", "parameters", "type", "strict", "function"];
const CALL: &[&str] = &["id", "name", "arguments", "type", "index", "function"];

proptest! {
    #[test]
    fn any_declaration_writes_as_it_came(any in json(), near in nearly(DECLARATION)) {
        for came in [any, near] {
            let read = ToolDeclaration::from_json(came.clone());
            prop_assert_eq!(read.to_json().to_string(), came.to_string());
            prop_assert_eq!(read.name(), came.pointer("/function/name").and_then(Value::as_str));
        }
    }

    #[test]
    fn any_call_writes_as_it_came(any in json(), near in nearly(CALL)) {
        for came in [any, near] {
            match ToolCall::from_json(came.clone()) {
                Ok(read) => prop_assert_eq!(read.to_json().to_string(), came.to_string()),
                Err(_) => prop_assert!(!came.is_object()),
            }
        }
    }

    #[test]
    fn a_result_writes_as_it_came_once_it_was_repaired(came in json()) {
        let written = ToolResult::from_json(came, &"9".into()).to_json();
        let again = ToolResult::from_json(written.clone(), &"8".into()).to_json();
        prop_assert_eq!(again.to_string(), written.to_string());
    }
}
