//! The same tools in this process and behind a client: nobody can tell the difference.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use mcp_client::Client;
use mcp_provider::{Provider, ToolCall, execute_json};
use mcp_testkit::{ServeEra, Server, Toolkit, fixtures};
use serde_json::{Value, json};

use crate::support::client;

const ERAS: [ServeEra; 2] = [ServeEra::Modern, ServeEra::Legacy];

fn tools() -> Toolkit {
    Toolkit::new()
        .tools(fixtures::test_kit(200))
        .tools(fixtures::read_kit())
        .tools(fixtures::shape_kit())
        .tools(fixtures::progress_kit())
        .tools(fixtures::local_kit())
}

fn behind(era: ServeEra) -> Client {
    client(Server::new("kit", "1").toolkit(tools()), era).0
}

/// B-LLM-20: the declarations, in the same order, to the last member.
#[tokio::test]
async fn the_declarations_are_the_same() {
    for era in ERAS {
        let declared = behind(era).tools_for_llm().await.unwrap();
        let here = tools().tools_for_llm().await.unwrap();
        assert_eq!(declared, here);
        for (there, here) in declared.iter().zip(&here) {
            assert_eq!(there.to_json().to_string(), here.to_json().to_string());
        }
    }
    let kit = Toolkit::new().tools(fixtures::test_kit(200));
    let (client, _) = client(Server::new("kit", "1").toolkit(kit), ServeEra::Both);
    let declared = client.tools_for_llm().await.unwrap();
    let names: Vec<_> = declared.iter().map(|it| it.name().unwrap()).collect();
    assert_eq!(names, ["bare", "dying", "echo", "noisy", "slow"]);
    let echo = declared[2].to_json();
    let keys = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&echo), ["type", "function"]);
    assert_eq!(keys(&echo["function"]), ["name", "description", "parameters"]);
}

/// B-LLM-20: the result of every tool, whatever its shape.
#[tokio::test]
async fn the_results_of_every_shape_are_the_same() {
    for era in ERAS {
        let client = behind(era);
        for declaration in client.tools_for_llm().await.unwrap() {
            let name = declaration.name().unwrap().to_owned();
            // A JSON-RPC error is told with its code, which exists only on the wire.
            if name == "refused" || name == "slow" {
                continue;
            }
            let call =
                || vec![ToolCall::new("call_1", &*name, json!({ "path": "a", "a": 1, "b": 2 }))];
            let there = client.execute_tool_calls(call()).await;
            let here = tools().execute_tool_calls(call()).await;
            assert_eq!(there, here, "{name}");
        }
    }
}

/// B-LLM-20: calls as models make them, good and bad.
#[tokio::test(start_paused = true)]
async fn the_results_of_every_call_are_the_same() {
    let call = |id: &str, name: &str, arguments: Value| {
        json!({ "id": id, "type": "function",
        "function": { "name": name, "arguments": arguments } })
    };
    let calls = [
        call("a", "echo", json!({ "text": "text" })),
        call("b", "echo", json!("{\"text\":\"from json\"}")),
        call("c", "nope", json!({})),
        call("d", "echo", json!("{not json")),
        call("e", "echo", json!("[1,2]")),
        call("f", "echo", json!(42)),
        call("g", "echo", json!("")),
        call("h", "dying", json!({})),
        json!({ "function": { "name": "echo", "arguments": {} } }),
        call("j", "bare", json!("  \n ")),
        json!("no object"),
        json!({ "id": "l" }),
        json!({ "id": "m", "function": [] }),
        call("n", "slow", json!({ "ms": 5 })),
        call("o", "only_structured", json!({})),
    ];
    for era in ERAS {
        let client = behind(era);
        let there = execute_json(&client, &calls).await;
        let here = execute_json(&tools(), &calls).await;
        for ((there, here), call) in there.iter().zip(&here).zip(&calls) {
            assert_eq!(there, here, "{call}");
        }
        assert_eq!(there.len(), calls.len());
        assert_eq!(there[14]["content"], r#"{"structuredContent":{"ok":true}}"#);
        assert_eq!(there[14]["structured_content"], json!({ "ok": true }));
    }
}

/// B-LLM-14, B-LLM-20: the six kinds of block, a line each.
#[tokio::test]
async fn blocks_read_the_same() {
    let expected = [
        "line one",
        "line two",
        "[image: image/png]",
        "embedded text",
        "[resource: file:///srv/notes.md]",
        r#"{"payload":"who knows","type":"invented"}"#,
    ];
    let call = || vec![ToolCall::new("1", "blocks", json!({}))];
    let providers: [Box<dyn Provider>; 2] = [Box::new(behind(ServeEra::Both)), Box::new(tools())];
    for provider in providers {
        assert_eq!(provider.execute_tool_calls(call()).await[0].content, expected.join("\n"));
    }
}
