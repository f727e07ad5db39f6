//! A server as a provider of tools: what a model is shown, and what its calls come to.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use mcp_client::{Client, Delivery};
use mcp_provider::{Provider, ToolCall, ToolResult, execute_json};
use mcp_testkit::{ServeEra, fixtures};
use serde_json::{Value, json};

use crate::support::{Nowhere, bare_params, client, modern, no_warning, says};

/// A client of a server that lists one tool, `t`, and answers every call with `result`.
async fn answering(result: Value) -> ToolResult {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/list").result(json!({ "tools": [{ "name": "t" }] }));
    server.on("tools/call").result(result);
    let mut results = client.execute_tool_calls(vec![ToolCall::new("1", "t", json!({}))]).await;
    assert_eq!(results.len(), 1);
    results.remove(0)
}

/// B-LLM-1 to B-LLM-5: exactly what a model is shown of each tool, in the server's order.
#[tokio::test]
async fn a_model_is_shown_what_it_needs_and_no_more() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    let schema = json!({
        "type": "object", "properties": { "b": {}, "a": {} }, "required": ["b"], "x-y": 1,
    });
    let full = json!({
        "name": "full", "title": "T", "description": "D", "inputSchema": schema,
        "outputSchema": { "type": "object" }, "annotations": { "readOnlyHint": true },
        "icons": [], "_meta": { "x": 1 },
    });
    let listed = json!([
        full,
        { "name": "bare" },
        { "name": "empty", "description": "", "inputSchema": {} },
        { "name": "odd", "description": null, "inputSchema": [1] },
        { "name": "", "inputSchema": null },
    ]);
    server.on("tools/list").result(json!({ "tools": listed }));
    let shown = |name: &str, description: Option<&str>, parameters: &Value| {
        let mut function = json!({ "name": name });
        if let Some(description) = description {
            function["description"] = json!(description);
        }
        function["parameters"] = parameters.clone();
        json!({ "type": "function", "function": function })
    };
    let any = json!({ "type": "object", "properties": {} });
    let expected = [
        shown("full", Some("D"), &schema),
        shown("bare", None, &any),
        shown("empty", Some(""), &json!({})),
        shown("odd", None, &any),
        shown("", None, &any),
    ];
    let declared = client.tools_for_llm().await.unwrap();
    let declared: Vec<_> = declared.iter().map(|it| it.to_json()).collect();
    assert_eq!(declared, expected);
    // The order of members is the server's.
    assert_eq!(declared[0]["function"]["parameters"].to_string(), schema.to_string());
}

/// B-LLM-6: a list that cannot be had is an error, never a shorter list.
#[tokio::test]
async fn a_list_that_cannot_be_had_is_an_error() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/list").error(-32603, "not today", None);
    let error = client.tools_for_llm().await.unwrap_err();
    assert!(error.to_string().contains("not today"), "{error}");
    assert!(Client::new(Nowhere::default()).tools_for_llm().await.is_err());
}

/// B-LLM-7 to B-LLM-10, B-LLM-12: one result for each call, in order, whatever the call is.
#[tokio::test]
async fn every_call_gets_a_result() {
    let (client, server) = client(fixtures::server(), ServeEra::Both);
    let call = |id: Value, name: Value, arguments: Value| {
        json!({ "id": id, "type": "function", "index": 0,
                "function": { "name": name, "arguments": arguments } })
    };
    let echo = json!("echo");
    let must = "Tool arguments must be a JSON object";
    let cases = [
        (call(json!("a"), echo.clone(), json!({ "text": "hi" })), json!("a"), "hi", false),
        (
            call(json!("b"), echo.clone(), json!(" {\"text\":\n\"from json\"} ")),
            json!("b"),
            "from json",
            false,
        ),
        (call(json!("c"), json!("nope"), json!({})), json!("c"), "Unknown tool: 'nope'", true),
        (
            call(json!("d"), echo.clone(), json!("{not json")),
            json!("d"),
            "Invalid tool arguments JSON: ",
            true,
        ),
        (call(json!("e"), echo.clone(), json!("[1,2]")), json!("e"), must, true),
        (call(json!("f"), echo.clone(), json!("42")), json!("f"), must, true),
        (call(json!("g"), echo.clone(), json!("")), json!("g"), "", false),
        (call(json!("h"), json!("dying"), json!({})), json!("h"), "the well ran dry", true),
        (json!({ "function": { "name": "echo", "arguments": "{}" } }), json!(""), "", false),
        (call(json!("j"), json!("bare"), json!(" \n\u{2003} ")), json!("j"), "bare", false),
        (call(json!(7), json!("bare"), Value::Null), json!(7), "bare", false),
        (call(Value::Null, json!("bare"), json!({})), json!(""), "bare", false),
        (call(json!("m"), echo.clone(), json!([])), json!("m"), must, true),
        (call(json!("n"), echo.clone(), json!(true)), json!("n"), must, true),
        (call(json!("o"), echo.clone(), json!("null")), json!("o"), must, true),
        (
            call(json!("p"), echo.clone(), json!("{} {}")),
            json!("p"),
            "Invalid tool arguments JSON: ",
            true,
        ),
        (call(json!("q"), json!("nope"), json!("[]")), json!("q"), must, true),
        (call(json!("r"), json!(12), json!({})), json!("r"), "Unknown tool: '12'", true),
        (json!({ "id": "s" }), json!("s"), "Unknown tool: ''", true),
        (json!({ "id": "t", "function": "echo" }), json!("t"), "Unknown tool: ''", true),
        (json!("echo"), json!(""), "", true),
    ];
    let calls: Vec<_> = cases.iter().map(|it| it.0.clone()).collect();
    let results = execute_json(&client, &calls).await;
    assert_eq!(results.len(), cases.len());
    for (result, (call, id, content, is_error)) in results.iter().zip(&cases) {
        assert_eq!(result["role"], "tool");
        assert_eq!(
            (&result["tool_call_id"], &result["is_error"]),
            (id, &json!(is_error)),
            "{call}"
        );
        let found = result["content"].as_str().unwrap();
        assert!(found.starts_with(content), "{call}: {found}");
        assert!(result.get("structured_content").is_none());
    }
    // What is wrong with a call is found out before it is sent.
    let sent = server.received_method("tools/call");
    assert_eq!(sent.len(), 8);
    // Arguments go out byte for byte, but for what would end the line.
    assert_eq!(bare_params(&sent[1])["arguments"], json!({ "text": "from json" }));
}

/// B-LLM-11: a list that cannot be had rules out no name; it is fetched once for each batch.
#[tokio::test]
async fn without_a_list_calls_go_out() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/list").always().error(-32603, "not today", None);
    server.on("tools/call").result(says("done"));
    server.on("tools/call").error(-32602, "Unknown tool", None);
    let calls = ["t", "u"].map(|name| ToolCall::new(name, name, json!({})));
    let results = client.execute_tool_calls(calls.to_vec()).await;
    assert_eq!((&*results[0].content, results[0].is_error), ("done", false));
    assert_eq!((&*results[1].content, results[1].is_error), ("Unknown tool (code -32602)", true));
    assert_eq!(server.received("tools/list").len(), 1);
}

/// B-LLM-10, B-LLM-11: an empty batch is an empty list, and asks nobody.
#[tokio::test]
async fn an_empty_batch_asks_nobody() {
    let nowhere = Nowhere::default();
    assert!(Client::new(nowhere.clone()).execute_tool_calls(Vec::new()).await.is_empty());
    assert_eq!(nowhere.attempts(), 0);
}

/// A server that cannot be reached is tried once, however many calls there are.
#[tokio::test]
async fn a_server_that_cannot_be_reached_is_tried_once() {
    let nowhere = Nowhere::default();
    let client = Client::new(nowhere.clone());
    let calls = vec![
        ToolCall::new("1", "t", json!({})),
        ToolCall::new("2", "t", json!([1])),
        ToolCall::new("3", "t", json!({})),
    ];
    let results = client.execute_tool_calls(calls).await;
    let contents: Vec<_> = results.iter().map(|it| &*it.content).collect();
    let gone = "could not start no-such-server --stdio: not found";
    assert_eq!(contents, [gone, "Tool arguments must be a JSON object", gone]);
    assert!(results.iter().all(|it| it.is_error && it.delivery == Delivery::NotSent));
    assert_eq!(nowhere.attempts(), 1);
}

/// B-LLM-14, B-LLM-15, B-LLM-17, B-LLM-19, spec 50: a result as a model reads it.
#[tokio::test]
async fn a_result_is_told_as_text() {
    let cases = [
        (json!({}), "", false),
        (json!({ "content": [] }), "", false),
        (
            json!({ "isError": true, "content": [{ "type": "text", "text": "it broke" }] }),
            "it broke",
            true,
        ),
        (json!({ "isError": "false", "content": [] }), "", false),
        (json!({ "isError": null, "content": [] }), "", false),
        (
            json!({ "structuredContent": { "z": [{ "b": 1, "a": 2 }] }, "isError": true }),
            r#"{"isError":true,"structuredContent":{"z":[{"a":2,"b":1}]}}"#,
            true,
        ),
        (
            json!({ "structuredContent": { "é": "😀/\u{2028}", "e": 1.50, "n": 1e3 } }),
            "{\"structuredContent\":{\"e\":1.5,\"n\":1000.0,\"é\":\"😀/\u{2028}\"}}",
            false,
        ),
        (json!({ "content": "text", "_meta": { "x": 1 } }), r#"{"content":"text"}"#, false),
        (json!({ "_meta": { "x": 1 }, "ttlMs": 5, "resultType": "complete" }), "", false),
    ];
    for (result, content, is_error) in cases {
        let answered = answering(result.clone()).await;
        assert_eq!((&*answered.content, answered.is_error), (content, is_error), "{result}");
        assert_eq!(answered.delivery, Delivery::Answered);
    }
}

/// B-LLM-14: each block as a model reads it; what is long and binary is only named.
#[tokio::test]
async fn each_block_is_told_as_text() {
    let cases = [
        (json!({ "type": "text", "text": "a\nb" }), "a\nb"),
        (json!({ "type": "text" }), ""),
        (json!({ "type": "text", "text": null }), ""),
        (json!({ "type": "text", "text": 42 }), "42"),
        (json!({ "type": "image", "data": "AAAA", "mimeType": "image/png" }), "[image: image/png]"),
        (json!({ "type": "audio", "data": "AAAA", "mimeType": "audio/wav" }), "[audio: audio/wav]"),
        (json!({ "type": "image", "data": "AAAA" }), "[image: unknown media type]"),
        (json!({ "type": "audio", "mimeType": 7 }), "[audio: unknown media type]"),
        (json!({ "type": "resource", "resource": { "uri": "u", "text": "inside" } }), "inside"),
        (json!({ "type": "resource", "resource": { "uri": "u", "text": "" } }), ""),
        (
            json!({ "type": "resource", "resource": { "uri": "u", "blob": "AAAA" } }),
            "[resource: u]",
        ),
        (json!({ "type": "resource", "resource": {} }), "[resource: unknown]"),
        (json!({ "type": "resource" }), "[resource: unknown]"),
        (json!({ "type": "resource_link", "uri": "u", "name": "n", "text": "t" }), "[resource: u]"),
        (json!({ "type": "resource_link", "name": "n" }), "[resource: unknown]"),
        (json!({ "type": "invented", "b": 1, "a": 2 }), r#"{"a":2,"b":1,"type":"invented"}"#),
        (json!({ "text": "no type" }), r#"{"text":"no type"}"#),
        (json!({ "type": 7 }), r#"{"type":7}"#),
        (json!("bare"), "bare"),
        (Value::Null, ""),
        (json!(3.5), "3.5"),
        (json!(true), "true"),
        (json!(["a", 1]), r#"["a",1]"#),
    ];
    for (block, expected) in &cases {
        let answered = answering(json!({ "content": [block] })).await;
        assert_eq!(answered.content, *expected, "{block}");
    }
    let blocks: Vec<_> = cases.iter().map(|it| &it.0).collect();
    let texts: Vec<_> = cases.iter().map(|it| it.1).collect();
    assert_eq!(answering(json!({ "content": blocks })).await.content, texts.join("\n"));
}

/// B-LLM-16, spec 49: what is meant for machines is kept, whatever it is but null.
#[tokio::test]
async fn structured_content_is_kept() {
    let kept =
        [json!({ "ok": true }), json!([1, { "a": null }]), json!(7), json!("text"), json!(false)];
    for structured in kept {
        for is_error in [true, false] {
            let result =
                json!({ "content": [], "structuredContent": structured, "isError": is_error });
            let answered = answering(result).await;
            assert_eq!(answered.structured_content.as_ref(), Some(&structured));
            assert_eq!(answered.is_error, is_error);
        }
    }
    let answered = answering(json!({ "content": [], "structuredContent": null })).await;
    assert_eq!(answered.structured_content, None);
}

/// B-LLM-13, B-LLM-18: a failed call says why, and the next one is not hurt.
#[tokio::test(start_paused = true)]
async fn a_failed_call_says_why() {
    let server = std::sync::Arc::new(fixtures::server());
    let client = Client::builder(support::served(&server, ServeEra::Both))
        .request_timeout(Duration::from_millis(500))
        .on_warning(no_warning)
        .build()
        .unwrap();
    let calls = vec![
        ToolCall::new("1", "slow", json!({ "ms": 3_000 })),
        ToolCall::new("2", "echo", json!({ "text": "hi" })),
        ToolCall::new("3", "refused", json!({})),
    ];
    let results = client.execute_tool_calls(calls.clone()).await;
    assert!(
        results[0].is_error && results[0].content.contains("timed out after 0.5s"),
        "{results:?}"
    );
    assert_eq!((&*results[1].content, results[1].is_error), ("hi", false));
    assert_eq!(results[2].content, "out of order (code -32000)");
    client.close().await;
    for result in client.execute_tool_calls(calls).await {
        assert!(result.is_error && result.content.contains("closed"), "{result:?}");
    }
}

/// B-LLM-13: a model's call takes part in input rounds like any other.
#[tokio::test]
async fn a_models_call_may_be_asked_for_input() {
    let server = std::sync::Arc::new(fixtures::server());
    let client = Client::builder(support::served(&server, ServeEra::Both))
        .on_elicit(|_| std::future::ready(Ok(mcp_client::protocol::ElicitResult::decline())))
        .build()
        .unwrap();
    let results = client.execute_tool_calls(vec![ToolCall::new("1", "ask_name", json!({}))]).await;
    assert_eq!((&*results[0].content, results[0].is_error), ("Nobody, then.", false));
}
