//! However a call is written, and whether it comes alone or with others, the same becomes of it.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use common::{assert_granted, claim, holder, layer};
use mcp_leases::{EXPECTED_REVISIONS, Table};
use mcp_provider::{Arguments, Delivery, Provider, ToolCall, ToolResult};
use mcp_testkit::{Reply, Scripted};
use serde_json::{Value, json};

/// `w1` holds `mine` and `r1` holds `theirs`, both under `/srv/repo`.
fn table() -> Table {
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("w1", &["/srv/repo/mine"])));
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/theirs"])));
    table
}

fn write(arguments: impl Into<Arguments>) -> ToolCall {
    ToolCall::new("call_1", "fs_write", arguments)
}

/// What becomes of a call, and what the provider got of it.
async fn outcome(arguments: Arguments, is_strict: bool, is_alone: bool) -> (ToolResult, Value) {
    let table = table();
    let inner = Scripted::tools(["fs_write", "other"]);
    let leases =
        layer(inner.clone(), &table, "w1").concurrent(move || Some(1 + usize::from(is_strict)));
    let mut calls = vec![write(arguments)];
    if !is_alone {
        calls.push(ToolCall::new("call_2", "other", "{}"));
    }
    let result = leases.execute_tool_calls(calls).await.remove(0);
    assert_eq!(table.status().pins, [], "{result:?}");
    let sent = inner.calls().into_iter().find(|call| call.name == "fs_write");
    let sent = sent.map(|call| Value::Object(call.arguments.as_object().unwrap().clone()));
    (result, sent.unwrap_or_default())
}

#[tokio::test]
async fn a_call_is_judged_by_what_it_says_and_not_by_how_it_is_written() {
    // L-CHK-2 to L-CHK-7, L-REV-2, L-REV-3, L-PIN-1, L-PIN-2
    let cases = [
        // The call; why it is refused, first with nobody else live, then with others.
        (json!({ "path": "mine", "content": "a\n../b", "n": [1, { "k": null }] }), "", ""),
        (json!({ "path": "mine/x", "from": "mine/y" }), "", ""),
        (json!({ "path": "mine", "to": "free" }), "", "you hold no lock on /srv/repo/free"),
        (json!({ "path": "theirs/x", "to": "mine" }), "locked by r1", "locked by r1"),
        (json!({ "path": "mine", "target_dir": "theirs" }), "locked by r1", "locked by r1"),
        (
            json!({ "path": "mine", "a": [{ "b": "/srv/repo/theirs/x" }] }),
            "locked by r1",
            "locked by r1",
        ),
        (json!({ "path": "mine", "a": "/srv/repo/theirs/x\n" }), "", ""),
        (json!({ "path": "mine", "a": "/srv/repo/free" }), "", ""),
        (json!({ "path": ["mine", "theirs"] }), "locked by r1", "locked by r1"),
        (json!({ "path": ["mine/a", "mine/b"], "content": "x" }), "", ""),
        (json!({ "path": "../x", "content": "" }), "", "cannot tell where \"../x\""),
        (json!({ "path": 7 }), "", "cannot tell where 7"),
        (json!({ "content": "x" }), "", "cannot tell where it points"),
        (json!({ "path": "mine", "_expected-revisions": { "path": "mine" } }), "", ""),
    ];
    for (object, lenient, strict) in cases {
        let dense = object.to_string();
        let wide = format!(" {}\n", serde_json::to_string_pretty(&object).unwrap());
        let escaped = dense.replace("\"mine", "\"\\u006dine").replace("\"path\"", "\"\\u0070ath\"");
        let twice = dense.replacen('{', "{\"path\":\"elsewhere\",", 1);
        let repeats = object.get("path").is_some();
        for (is_strict, refused) in [(false, lenient), (true, strict)] {
            let (expected, sent) = outcome(object.clone().into(), is_strict, false).await;
            assert_eq!(expected.is_error, !refused.is_empty(), "{object} {is_strict} {expected:?}");
            assert!(expected.content.contains(refused), "{expected:?}");
            assert_eq!(sent.is_null(), expected.is_error, "{object} {sent}");
            let token = &sent["_expected-revisions"]["path"];
            let is_fenced = !expected.is_error && object["path"].is_string();
            assert_eq!(*token == "sha256-v1:absent", is_fenced, "{object} {sent}");
            for text in [&dense, &wide, &escaped, if repeats { &twice } else { &dense }] {
                for is_alone in [true, false] {
                    let found = outcome(text.as_str().into(), is_strict, is_alone).await;
                    assert_eq!(found, (expected.clone(), sent.clone()), "{text} {is_alone}");
                }
            }
            let alone = outcome(object.clone().into(), is_strict, true).await;
            assert_eq!(alone, (expected, sent), "{object}");
        }
    }
}

#[tokio::test]
async fn what_only_this_layer_may_say_is_cut_out_however_it_is_written() {
    // L-REV-2, L-REV-3
    let hidden = r#""_expected-revisions":{"path":"mine"}"#;
    let escaped = hidden.replace("_e", "\\u005fe");
    for (text, read, written) in [
        (format!(r#"{{"path":"mine",{hidden},"n":1.0}}"#), r#"{"path":"mine","n":1.0}"#, 1),
        (format!(r#"{{ {hidden}, "path":"mine" }}"#), r#"{"path":"mine"}"#, 1),
        (format!(r#"{{{escaped},"path":"mine"}}"#), r#"{"path":"mine"}"#, 1),
        (r#"{ "path":"mine" }"#.to_owned(), r#"{ "path":"mine" }"#, 1),
        (r#"{"path":"mine","n":1.0}"#.to_owned(), r#"{"path":"mine","n":1.0}"#, 1),
        (format!("{{{hidden}}}"), "{}", 0),
    ] {
        let inner = Scripted::tools(["fs_read", "fs_write"]);
        let leases = layer(inner.clone(), &table(), "w1");
        for tool in ["fs_read", "fs_write"] {
            let call = ToolCall::new("1", tool, text.as_str());
            assert!(!leases.execute_tool_calls(vec![call]).await[0].is_error);
        }
        let sent: Vec<ToolCall> = inner.calls();
        let sent: Vec<&str> = sent.iter().map(|call| call.arguments.as_text().unwrap()).collect();
        assert_eq!(sent[0], read);
        assert_eq!(sent[1].matches(EXPECTED_REVISIONS).count(), written, "{}", sent[1]);
        assert!(!sent[1].contains(r#":{"path":"mine"}"#), "{}", sent[1]);
    }
}

#[tokio::test]
async fn alone_or_not_a_call_that_panics_or_is_dropped_returns_its_pin() {
    // L-EXEC-5, L-PIN-2
    for is_alone in [true, false] {
        let calls = || {
            let calls = [write(r#"{"path":"mine"}"#), write(r#"{"path":"mine/x"}"#)];
            calls.into_iter().take(if is_alone { 1 } else { 2 }).collect::<Vec<_>>()
        };
        let table = table();
        let inner = Scripted::tools(["fs_write"]).reply("fs_write", Reply::panic("died"));
        let results = layer(inner, &table, "w1").execute_tool_calls(calls()).await;
        assert_eq!(results[0].delivery, Delivery::Unknown, "{results:?}");
        assert_eq!(results[0].content, "The tool provider panicked: died");
        assert_eq!(table.status().pins, []);
        let path = common::place("/srv/repo/mine");
        assert!(table.last_writer(&holder("r1"), &path).is_some());

        let inner = Scripted::tools(["fs_write"]).reply("fs_write", Reply::omit());
        let results = layer(inner, &table, "w1").execute_tool_calls(calls()).await;
        assert_eq!(results.len(), calls().len());
        assert_eq!(results[0].delivery, Delivery::Unknown, "{results:?}");

        let inner = Scripted::tools(["fs_write"]).reply("fs_write", Reply::hang());
        let leases = Arc::new(layer(inner.clone(), &table, "w1"));
        let (shared, batch) = (Arc::clone(&leases), calls());
        let writing = tokio::spawn(async move { shared.execute_tool_calls(batch).await });
        inner.until_started(1).await;
        assert_eq!(table.status().pins.len(), 1);
        writing.abort();
        assert!(writing.await.is_err());
        assert_eq!(table.status().pins, [], "{is_alone}");
    }
}
