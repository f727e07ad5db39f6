//! What arrives at the provider of calls that carry a reason, and of those that do not.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{call, catalogue, tool};
use mcp_provider::{Arguments, Provider, ToolCall, ToolDeclaration};
use mcp_reasons::{Reasons, reason_in, reason_of, strip};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

/// A layer over the catalogue, which was listed.
async fn listed() -> Reasons<Scripted> {
    let reasons = Reasons::new(Scripted::new(catalogue()));
    reasons.tools_for_llm().await.unwrap();
    reasons
}

/// What the provider gets of one call.
async fn received(reasons: &Reasons<Scripted>, call: ToolCall) -> ToolCall {
    let results = reasons.execute_tool_calls(vec![call]).await;
    assert!(!results[0].is_error);
    reasons.get_ref().calls().pop().unwrap()
}

/// Text, the text without its reason (nothing where there is none), and the reason.
const TEXTS: &[(&str, Option<&str>, Option<&str>)] = &[
    (r#"{"path":"a","reason":"why"}"#, Some(r#"{"path":"a"}"#), Some("why")),
    (r#"{"reason":"why","path":"a"}"#, Some(r#"{"path":"a"}"#), Some("why")),
    (r#"{"b":1,"reason":"why","a":2}"#, Some(r#"{"b":1,"a":2}"#), Some("why")),
    (r#"{"reason":"why"}"#, Some("{}"), Some("why")),
    ("{ \"reason\" : \"why\" }", Some("{  }"), Some("why")),
    ("{\n  \"a\": 1,\n  \"reason\": \"w\"\n}\n", Some("{\n  \"a\": 1\n}\n"), Some("w")),
    ("{\n  \"reason\": \"w\",\n  \"a\": 1\n}", Some("{\n  \"a\": 1\n}"), Some("w")),
    (" \t{ \"a\":1 ,\"reason\":\"w\"} ", Some(" \t{ \"a\":1 } "), Some("w")),
    // Numbers, escapes, depth and repeated names are not looked at.
    (
        r#"{"z":1e400,"reason":"w","y":1.50,"é":"\u0041"}"#,
        Some(r#"{"z":1e400,"y":1.50,"é":"\u0041"}"#),
        Some("w"),
    ),
    (r#"{"a":1,"a":2,"reason":"w","a":3}"#, Some(r#"{"a":1,"a":2,"a":3}"#), Some("w")),
    (r#"{"a":"\ud800","reason":"w"}"#, Some(r#"{"a":"\ud800"}"#), Some("w")),
    (
        r#"{"a":{"reason":1,"b":[{"reason":"x"}]},"reason":"w"}"#,
        Some(r#"{"a":{"reason":1,"b":[{"reason":"x"}]}}"#),
        Some("w"),
    ),
    (r#"{"a":"\"reason\":","reason":"},{"}"#, Some(r#"{"a":"\"reason\":"}"#), Some("},{")),
    // Written twice, or in another spelling.
    (r#"{"reason":"w","a":1,"reason":"v"}"#, Some(r#"{"a":1}"#), Some("v")),
    (r#"{"reason":"w","reason":"v"}"#, Some("{}"), Some("v")),
    (r#"{"reason":1 , "reason":2, "a":3}"#, Some(r#"{"a":3}"#), None),
    (r#"{"r\u0065ason":"w","a":1}"#, Some(r#"{"a":1}"#), Some("w")),
    // Of any type, though only a sentence is a reason.
    (r#"{"reason":null}"#, Some("{}"), None),
    (r#"{"reason":["w"],"a":1}"#, Some(r#"{"a":1}"#), None),
    (r#"{"reason":" ","a":1}"#, Some(r#"{"a":1}"#), None),
    // Nothing to strip.
    (r#"{"path":"a"}"#, None, None),
    (r#"{"reasons":1,"Reason":2,"a":{"reason":3},"b":"reason"}"#, None, None),
    (r#"{ "a" : 1.0 }"#, None, None),
    ("{}", None, None),
    ("", None, None),
    (" \n", None, None),
    ("null", None, None),
    ("\"reason\"", None, None),
    (r#"["reason"]"#, None, None),
    (r#"[{"reason":"w"}]"#, None, None),
    (r#"{"path": "#, None, None),
    (r#"{"reason":"w""#, None, None),
    (r#"{"reason":"w",}"#, None, None),
    (r#"{"reason":"w"} x"#, None, None),
    (r#"{"reason":"w"}{"reason":"w"}"#, None, None),
    ("\u{feff}{\"reason\":\"w\"}", None, None),
];

#[tokio::test]
async fn text_loses_its_reason_and_nothing_else() {
    // R-IN-1 to R-IN-3
    let reasons = listed().await;
    for (text, stripped, reason) in TEXTS {
        assert_eq!(strip(text).as_deref(), *stripped, "{text}");
        assert_eq!(reason_in(text).as_deref(), *reason, "{text}");
        let call = call("fs_read", text);
        assert_eq!(reason_of(&call).as_deref(), *reason, "{text}");
        let received = received(&reasons, call).await;
        assert_eq!(received.arguments.as_text(), Some(stripped.unwrap_or(text)), "{text}");
    }
}

#[tokio::test]
async fn an_object_stays_an_object() {
    // R-IN-1, R-IN-2
    let reasons = listed().await;
    let cases = [
        (
            json!({ "b": 1, "reason": "w", "c": 2, "a": 1.0 }),
            json!({ "b": 1, "c": 2, "a": 1.0 }),
            Some("w"),
        ),
        (json!({ "reason": null }), json!({}), None),
        (json!({ "reason": " " }), json!({}), None),
        (json!({ "a": { "reason": 1 } }), json!({ "a": { "reason": 1 } }), None),
        (json!({}), json!({}), None),
        (json!(["reason"]), json!(["reason"]), None),
        (json!(7), json!(7), None),
    ];
    for (object, stripped, reason) in cases {
        let call = ToolCall::new("1", "fs_read", object.clone());
        assert_eq!(reason_of(&call).as_deref(), reason, "{object}");
        let received = received(&reasons, call).await.arguments.to_json().unwrap();
        assert_eq!(received.to_string(), stripped.to_string(), "{object}");
    }
    let nothing = ToolCall::new("1", "fs_read", Value::Null);
    assert_eq!(received(&reasons, nothing.clone()).await, nothing);
    assert_eq!(reason_of(&nothing), None);
}

#[tokio::test]
async fn everything_else_about_a_call_stays() {
    // R-IN-1
    let reasons = listed().await;
    let json = json!({ "x": 1, "id": 7, "function": {
        "y": 2, "arguments": "{\"reason\":\"w\"}", "name": "fs_ping",
    } });
    let mut call = ToolCall::from_json(json.clone()).unwrap();
    call.extensions.insert("an agent");
    let received = received(&reasons, call).await;
    let mut expected = json;
    expected["function"]["arguments"] = json!("{}");
    assert_eq!(received.to_json().to_string(), expected.to_string());
    assert_eq!(received.extensions.get::<&str>(), Some(&"an agent"));
}

#[tokio::test]
async fn calls_of_other_tools_pass_as_they_came() {
    // R-IN-1, R-IN-3
    let reasons = listed().await;
    let text = r#"{ "path" : "a" , "reason":"w" }"#;
    let calls: Vec<ToolCall> =
        ["note_add", "unlisted", "", "FS_READ"].into_iter().map(|name| call(name, text)).collect();
    let results = reasons.execute_tool_calls(calls.clone()).await;
    assert_eq!(reasons.get_ref().calls(), calls);
    let ran = ["note_add ran", "unlisted ran", " ran", "FS_READ ran"];
    assert_eq!(results.iter().map(|it| &*it.content).collect::<Vec<_>>(), ran);
}

#[tokio::test]
async fn the_arguments_of_an_untouched_call_are_shared_and_not_copied() {
    // R-IN-1
    let reasons = listed().await;
    let arguments = Arguments::from(r#"{"path":"a"}"#);
    let read = std::ptr::from_ref(arguments.as_object().unwrap());
    let received = received(&reasons, ToolCall::new("1", "fs_read", arguments)).await;
    assert_eq!(std::ptr::from_ref(received.arguments.as_object().unwrap()), read);
}

#[tokio::test]
async fn before_the_first_listing_nothing_is_stripped() {
    // R-OUT-4
    let reasons = Reasons::new(Scripted::new(catalogue()));
    let call = call("fs_read", r#"{"reason":"w"}"#);
    assert_eq!(received(&reasons, call.clone()).await, call);
}

#[tokio::test]
async fn the_latest_listing_decides() {
    // R-OUT-4
    let reasons = listed().await;
    let task = tool("task", json!({ "type": "object" }));
    reasons.get_ref().declare([catalogue().remove(0), task]);
    reasons.tools_for_llm().await.unwrap();
    assert_eq!(reasons.augmented_tools(), ["fs_read", "task"]);
    for (name, expected) in [("task", "{}"), ("fs_ping", r#"{"reason":"w"}"#)] {
        let received = received(&reasons, call(name, r#"{"reason":"w"}"#)).await;
        assert_eq!(received.arguments.as_text(), Some(expected), "{name}");
    }
}

#[tokio::test]
async fn of_a_name_that_is_listed_twice_both_must_be_augmented() {
    // R-OUT-4
    let plain = || ToolDeclaration::new("t");
    let own = || tool("t", json!({ "properties": { "reason": {} } }));
    for (tools, expected) in [([plain(), plain()], 1), ([plain(), own()], 0), ([own(), plain()], 0)]
    {
        let reasons = Reasons::new(Scripted::new(tools));
        reasons.tools_for_llm().await.unwrap();
        assert_eq!(reasons.augmented_tools().len(), expected);
    }
}
