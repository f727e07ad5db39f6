//! Which arguments of which calls are reported, and how often.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Log, call, catalogue, listed, takes, told, tool};
use mcp_provider::{CallId, Provider, ToolCall, ToolDeclaration};
use mcp_testkit::Scripted;
use serde_json::json;

#[tokio::test]
async fn a_warning_says_tool_names_and_call() {
    // U-AUD-1, U-AUD-2, U-AUD-4, U-AUD-6
    let (audited, log) = listed().await;
    let arguments = r#"{"path":"a","ffset":12,"and the rest":"…"}"#;
    let mangled = ToolCall::new("call_7", "fs_read", arguments);
    let results = audited.execute_tool_calls(vec![mangled]).await;
    assert_eq!(results[0].content, "fs_read ran");

    let warnings = log.0.lock().unwrap().clone();
    assert_eq!(warnings.len(), 1, "one for the call, not one for each key");
    let warning = &warnings[0];
    assert_eq!((&*warning.tool, warning.call_id.as_str()), ("fs_read", Some("call_7")));
    assert_eq!(warning.declared_keys, ["offset", "path"]);
    let keys = warning.unknown_keys.iter();
    assert_eq!(
        keys.map(|key| (&*key.name, key.did_you_mean.as_deref())).collect::<Vec<_>>(),
        [("and the rest", None), ("ffset", Some("offset"))]
    );
    assert_eq!(
        warning.to_string(),
        "\"fs_read\" was called with undeclared arguments: \"and the rest\", \"ffset\" \
         (did you mean \"offset\"?); it declares \"offset\", \"path\""
    );
}

#[tokio::test]
async fn what_a_model_wrote_cannot_forge_a_line_of_a_log() {
    // U-AUD-4
    let (audited, log) = listed().await;
    let arguments = r#"{"x\n2026-01-01 ok":1,"\u001b[2J":1}"#;
    audited.execute_tool_calls(vec![call("fs_read", arguments)]).await;
    let line = log.0.lock().unwrap()[0].to_string();
    assert!(!line.contains(['\n', '\u{1b}']), "{line}");
}

#[tokio::test]
async fn an_id_is_told_as_it_came() {
    // U-AUD-4
    let (audited, log) = listed().await;
    for (id, name) in [(json!(7), "a"), (json!(null), "b"), (json!(""), "c")] {
        let call = json!({ "id": id, "function": {
            "name": "fs_read", "arguments": { name: 1 },
        } });
        audited.execute_tool_calls(vec![ToolCall::from_json(call).unwrap()]).await;
        assert_eq!(log.0.lock().unwrap().pop().unwrap().call_id, CallId::from_json(id));
    }
}

#[tokio::test]
async fn each_pair_of_tool_and_name_is_said_once() {
    // U-AUD-3, U-AUD-4
    let (audited, log) = listed().await;
    let recursive = r#"{"path":"a","recursive":true}"#;
    let both = r#"{"recursive":true,"depth":1}"#;
    let cases: &[(&str, &str, &[&[&str]])] = &[
        ("fs_read", recursive, &[&["recursive"]]),
        ("fs_read", recursive, &[]),
        ("fs_read", both, &[&["depth"]]),
        ("fs_write", both, &[&["depth", "recursive"]]),
        ("fs_write", recursive, &[]),
        ("fs_read", r#"{"b":1,"a":2}"#, &[&["a", "b"]]),
    ];
    for (name, arguments, expected) in cases {
        assert_eq!(told(&audited, &log, name, arguments).await, *expected, "{name} {arguments}");
    }
    // Within one batch as well.
    let again = r#"{"again":1}"#;
    audited.execute_tool_calls(vec![call("fs_read", again), call("fs_read", again)]).await;
    assert_eq!(log.told().len(), 1);
}

#[tokio::test]
async fn a_pair_is_no_text_in_which_two_could_look_alike() {
    // U-AUD-3
    let log = Log::default();
    let audited = log.audit(Scripted::new([takes("a", &["x"]), takes("a\0b", &["x"])]));
    audited.tools_for_llm().await.unwrap();
    assert_eq!(told(&audited, &log, "a", r#"{"b\u0000c":1}"#).await.len(), 1);
    assert_eq!(told(&audited, &log, "a\0b", r#"{"c":1}"#).await.len(), 1);
}

#[tokio::test]
async fn a_model_that_invents_names_without_end_is_heard_so_often_only() {
    // U-AUD-3
    let (audited, log) = listed().await;
    let calls = (0..5_000).map(|number| call("fs_read", &format!("{{\"key {number}\":1}}")));
    let results = audited.execute_tool_calls(calls.collect()).await;
    assert_eq!((results.len(), log.told().len()), (5_000, 4_096));
}

#[tokio::test]
async fn reason_is_tolerated_and_nothing_that_looks_like_it() {
    // U-AUD-2, U-AUD-6
    assert_eq!(mcp_reasons::REASON_PARAM, "reason", "the name that this crate has as a literal");
    let log = Log::default();
    let audited = log.audit(Scripted::new([
        takes("undeclared", &["path"]),
        takes("declared", &["path", "reason"]),
    ]));
    audited.tools_for_llm().await.unwrap();
    for name in ["undeclared", "declared"] {
        assert_eq!(told(&audited, &log, name, r#"{"reason":"w"}"#).await.len(), 0);
        let object = ToolCall::new("1", name, json!({ "reason": "w" }));
        audited.execute_tool_calls(vec![object]).await;
        assert_eq!(log.told(), []);
        for other in ["reasons", "Reason"] {
            let arguments = json!({ other: 1 }).to_string();
            assert_eq!(told(&audited, &log, name, &arguments).await, [[other]]);
        }
    }
}

#[tokio::test]
async fn a_call_that_cannot_be_compared_is_not_audited() {
    // U-AUD-1, U-CAT-1
    let log = Log::default();
    let audited = log.audit(Scripted::new(catalogue()));
    assert_eq!(told(&audited, &log, "fs_read", r#"{"x":1}"#).await.len(), 0, "before a listing");
    audited.tools_for_llm().await.unwrap();
    let cases = [
        ("unlisted", r#"{"x":1}"#),
        ("fs_ping", r#"{"x":1}"#),
        ("fs_noop", r#"{"x":1}"#),
        ("", r#"{"x":1}"#),
        ("fs_read", r#"{"path":"a"}"#),
        ("fs_read", "{}"),
        ("fs_read", ""),
        ("fs_read", " \n"),
        ("fs_read", r#"{"x": "#),
        ("fs_read", r#"["x"]"#),
        ("fs_read", "\"x\""),
        ("fs_read", "null"),
        ("fs_read", "\u{feff}{\"x\":1}"),
    ];
    for (name, arguments) in cases {
        assert_eq!(told(&audited, &log, name, arguments).await.len(), 0, "{name} {arguments}");
        let received = audited.get_ref().calls().pop().unwrap();
        assert_eq!(received, call(name, arguments), "it runs as it came");
    }
    assert_eq!(told(&audited, &log, "fs_read", r#"{"x":{"path":1}}"#).await, [["x"]]);
}

#[tokio::test]
async fn the_audited_tools_are_those_that_declare_something() {
    // U-CAT-2, U-CAT-4
    let (audited, _) = listed().await;
    assert_eq!(audited.audited_tools(), ["fs_read", "fs_write"]);

    let unreadable = [
        json!({ "weird": true }),
        json!({ "function": { "name": 7, "parameters": { "properties": { "a": {} } } } }),
        json!({ "function": { "name": "a" } }),
        json!({ "function": { "name": "a", "parameters": { "properties": "text" } } }),
        json!("a string"),
    ];
    for odd in unreadable {
        let odd = ToolDeclaration::from_json(odd);
        let audited = Log::default().audit(Scripted::new([odd.clone()]));
        assert_eq!(audited.audited_tools(), [""; 0], "before a listing");
        assert!(audited.tools_for_llm().await.unwrap()[0].is_same(&odd));
        assert_eq!(audited.audited_tools(), [""; 0], "{odd:?}");
    }
}

#[tokio::test]
async fn a_name_that_is_listed_twice_is_not_audited() {
    // U-CAT-2
    let log = Log::default();
    let twice = [takes("t", &["a"]), takes("t", &["b"]), takes("t", &["c"]), takes("u", &["a"])];
    let audited = log.audit(Scripted::new(twice));
    audited.tools_for_llm().await.unwrap();
    assert_eq!(audited.audited_tools(), ["u"]);
    assert_eq!(told(&audited, &log, "t", r#"{"x":1}"#).await.len(), 0);
}

#[tokio::test]
async fn the_latest_listing_decides_and_what_was_said_stays_said() {
    // U-CAT-3, U-AUD-3
    let (audited, log) = listed().await;
    assert_eq!(told(&audited, &log, "fs_read", r#"{"depth":1}"#).await, [["depth"]]);
    assert_eq!(told(&audited, &log, "fs_read", r#"{"limit":1}"#).await, [["limit"]]);
    let files = audited.get_ref().clone();
    files.declare([takes("fs_read", &["path", "limit"]), takes("task", &["prompt"])]);
    audited.tools_for_llm().await.unwrap();
    assert_eq!(audited.audited_tools(), ["fs_read", "task"]);
    for (name, arguments, expected) in [
        ("fs_read", r#"{"limit":1}"#, None),
        ("fs_read", r#"{"depth":1}"#, None),
        ("fs_read", r#"{"offset":1}"#, Some("offset")),
        ("fs_write", r#"{"x":1}"#, None),
        ("task", r#"{"promt":1}"#, Some("promt")),
    ] {
        let told = told(&audited, &log, name, arguments).await;
        assert_eq!(told.iter().flatten().next().map(String::as_str), expected, "{arguments}");
    }

    let failing = files.failing_listing("the well ran dry");
    failing.declare([]);
    assert!(audited.tools_for_llm().await.is_err());
    assert_eq!(audited.audited_tools(), ["fs_read", "task"], "the last good one counts");
}

#[tokio::test]
async fn a_schema_that_no_value_can_hold_is_not_held_against_a_call() {
    // U-CAT-2
    use mcp_provider::Parameters;
    use serde_json::value::RawValue;

    let text = r#"{"properties":{"a":{"maximum":1e400}}}"#.to_owned();
    let parameters = Parameters::from_raw(RawValue::from_string(text).unwrap()).unwrap();
    let tools = [ToolDeclaration::new("t").with_parameters(parameters), tool("u", json!({}))];
    let log = Log::default();
    let audited = log.audit(Scripted::new(tools));
    audited.tools_for_llm().await.unwrap();
    assert_eq!(told(&audited, &log, "t", r#"{"x":1}"#).await.len(), 0);
}
