//! What is the same in both eras.

use mcp_provider::{CallId, Provider, ToolCall, ToolResult};
use mcp_testkit::{Server, Toolkit, fixtures, tool_result};
use serde_json::{Value, json};

use crate::wire::{Wire, text};

async fn in_both_eras(server: fn() -> Server) -> [Wire; 2] {
    [Wire::modern(server(), json!({})), Wire::legacy(server(), json!({})).await]
}

#[tokio::test]
async fn tools_are_listed_by_name() {
    for mut wire in in_both_eras(fixtures::test_server).await {
        let tools = wire.request("tools/list", json!({})).await["result"]["tools"].take();
        let names: Vec<_> = tools.as_array().unwrap().iter().map(|it| it["name"].clone()).collect();
        assert_eq!(names, ["bare", "dying", "echo", "noisy", "slow"]);
        assert_eq!(tools[0], json!({ "name": "bare" }));
        assert_eq!(
            tools[2],
            json!({
                "name": "echo",
                "description": "Says what it is told",
                "inputSchema": {
                    "type": "object",
                    "properties": { "text": { "type": "string" } },
                    "required": ["text"],
                },
            })
        );
    }
}

#[tokio::test]
async fn prompts_resources_and_completions_are_served() {
    let cases = [
        (
            "prompts/get",
            json!({ "name": "greeting", "arguments": { "name": "Ada" } }),
            json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": "Hello, Ada!" } }] }),
        ),
        (
            "resources/read",
            json!({ "uri": "test://volatile" }),
            json!({ "contents": [
                { "uri": "test://volatile", "mimeType": "text/plain", "text": "volatile body" },
            ] }),
        ),
        (
            "resources/read",
            json!({ "uri": "test://notes/milk" }),
            json!({ "contents": [
                { "uri": "test://notes/milk", "mimeType": "text/plain", "text": "the note milk" },
            ] }),
        ),
        (
            "completion/complete",
            json!({
                "ref": { "type": "ref/prompt", "name": "greeting" },
                "argument": { "name": "name", "value": "A" },
            }),
            json!({ "completion": { "total": 2, "values": ["Ada", "Alan"], "hasMore": false } }),
        ),
        (
            "resources/templates/list",
            json!({}),
            json!({ "resourceTemplates": [
                { "uriTemplate": "test://notes/{name}", "name": "note", "mimeType": "text/plain" },
            ] }),
        ),
    ];
    for mut wire in in_both_eras(fixtures::server).await {
        for (method, params, expected) in &cases {
            let answer = wire.request(method, params.clone()).await;
            let mut result =
                answer["result"].as_object().unwrap_or_else(|| panic!("{answer}")).clone();
            result.remove("_meta");
            result.remove("resultType");
            assert_eq!(&Value::Object(result), expected, "{method} {params}");
        }
    }
}

#[tokio::test(start_paused = true)]
async fn a_slow_call_does_not_hold_up_a_quick_one() {
    for mut wire in in_both_eras(fixtures::test_server).await {
        let slow = wire.start("tools/call", json!({ "name": "slow" })).await;
        assert_eq!(text(&wire.call("echo", json!({ "text": "quick" })).await), "quick");
        assert_eq!(text(&wire.answer(slow).await), "slept 200 ms");
    }
}

#[tokio::test]
async fn every_tool_answers_as_it_does_in_process() {
    let kits = || {
        Toolkit::new()
            .tools(fixtures::test_kit(0))
            .tools(fixtures::read_kit())
            .tools(fixtures::local_kit())
            .tools(fixtures::shape_kit())
            .tools(fixtures::progress_kit())
    };
    let local = kits();
    for mut wire in [
        Wire::modern(Server::new("kits", "1").toolkit(kits()), json!({})),
        Wire::legacy(Server::new("kits", "1").toolkit(kits()), json!({})).await,
    ] {
        for declaration in local.tools_for_llm().await.unwrap() {
            let name = declaration.name().unwrap();
            let arguments = json!({ "text": "hi", "path": "a", "a": 2, "b": 3 });
            let answer = wire.call(name, arguments.clone()).await;
            let behind = match answer["result"].as_object() {
                Some(result) => tool_result(CallId::from("1"), result.clone()),
                None => ToolResult::error("1", answer["error"]["message"].as_str().unwrap()),
            };
            let here = local.execute_tool_calls(vec![ToolCall::new("1", name, arguments)]).await;
            assert_eq!(here, [behind], "{name}");
        }
    }
}

#[tokio::test]
async fn what_is_no_message_is_refused_and_the_rest_goes_on() {
    let cases =
        [("not json", -32700), ("[]", -32600), ("42", -32600), (r#"{"jsonrpc":"2.0"}"#, -32600)];
    for mut wire in in_both_eras(fixtures::test_server).await {
        for (line, code) in cases {
            wire.send_line(line).await;
            let answer = wire.next().await;
            assert_eq!(answer["error"]["code"], code, "{line}");
            assert_eq!(answer["id"], Value::Null, "{line}");
        }
        wire.send_line("").await;
        wire.send_line(r#"{"jsonrpc":"2.0","id":99,"result":{}}"#).await;
        assert_eq!(text(&wire.call("bare", json!({})).await), "bare");
    }
}

#[tokio::test]
async fn what_was_received_is_known() {
    let server = std::sync::Arc::new(fixtures::test_server());
    let mut wire = Wire::modern(std::sync::Arc::clone(&server), json!({}));
    wire.call("echo", json!({ "text": "one" })).await;
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/vendor" })).await;
    server.until_received("notifications/vendor", 1).await;
    let methods: Vec<_> = server.received().iter().map(|it| it["method"].clone()).collect();
    assert_eq!(methods, ["tools/call", "notifications/vendor"]);
    let calls = server.received_method("tools/call");
    assert_eq!(calls[0]["params"]["arguments"], json!({ "text": "one" }));
    assert_eq!(server.counters().finished("echo"), 1);
}
