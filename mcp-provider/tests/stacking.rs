//! Providers behind pointers, layers over layers, and the plain JSON edge.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use common::{Marked, Scripted, ids, shared};
use mcp_provider::{
    Delivery, Provider, ProviderError, ProviderExt, ToolCall, ToolDeclaration, ToolResult,
    execute_json, tools_json,
};
use serde_json::{Value, json};

/// Takes a provider as a layer does: by value.
async fn check(provider: impl Provider) {
    let tools = provider.tools_for_llm().await.unwrap();
    assert_eq!(tools, [ToolDeclaration::new("echo")]);
    let results = provider.execute_tool_calls(vec![ToolCall::new("1", "echo", "{}")]).await;
    assert_eq!(results, [ToolResult::ok("1", "{}")]);
}

#[tokio::test]
async fn a_pointer_to_a_provider_is_that_provider() {
    check(Scripted::echo()).await;
    check(&Scripted::echo()).await;
    check(&&Scripted::echo()).await;
    check(Box::new(Scripted::echo())).await;
    check(Arc::new(Scripted::echo())).await;
    check(shared(Scripted::echo())).await;
    check(Box::new(Scripted::echo()) as Box<dyn Provider>).await;
    check(&Scripted::echo() as &dyn Provider).await;
    check(Arc::new(shared(Scripted::echo()))).await;
}

#[tokio::test]
async fn the_layer_added_last_sees_a_call_first() {
    let bottom = Arc::new(Scripted::echo());
    let stack = Arc::clone(&bottom)
        .layer(|inner| Marked { inner, mark: "1" })
        .layer(|inner| Marked { inner, mark: "2" });
    stack.execute_tool_calls(vec![ToolCall::new("a", "x", "")]).await;
    assert_eq!(bottom.batches.lock().unwrap()[0][0].name, "x21");
    assert_eq!(stack.tools_for_llm().await.unwrap()[0].name(), Some("21echo"));

    let erased: Box<dyn Provider> = Box::new(stack);
    erased.execute_tool_calls(vec![ToolCall::new("a", "y", "")]).await;
    assert_eq!(bottom.batches.lock().unwrap()[1][0].name, "y21");
}

#[tokio::test]
async fn a_failure_to_list_keeps_its_cause() {
    struct Unlistable;

    #[async_trait::async_trait]
    impl Provider for Unlistable {
        async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
            Err(ProviderError::new(std::io::Error::other("the well ran dry")))
        }

        async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
            Vec::new()
        }
    }

    let error =
        tools_json(&Unlistable.layer(|inner| Marked { inner, mark: "" })).await.unwrap_err();
    assert_eq!(error.to_string(), "the well ran dry");
    assert!(error.downcast_ref::<std::io::Error>().is_some());
    assert!(error.downcast_ref::<std::fmt::Error>().is_none());
    assert_eq!(ProviderError::new("only words").to_string(), "only words");
    assert_eq!(
        tools_json(&Scripted::echo()).await.unwrap(),
        [ToolDeclaration::new("echo").to_json()]
    );
}

#[tokio::test]
async fn calls_in_plain_json_are_answered_in_plain_json() {
    let call = |id: Value, name: Value, arguments: Value| json!({ "id": id, "function": { "name": name, "arguments": arguments } });
    let echo = |id: &str, arguments: Value| call(json!(id), json!("echo"), arguments);
    // The call, and the id, how the text begins, and the failure of its result.
    let cases = [
        (json!("do it"), json!(""), "Malformed tool call", true),
        (json!(null), json!(""), "Malformed tool call", true),
        (json!({ "id": "a" }), json!("a"), "Unknown tool: ''", true),
        (json!({ "id": "b", "function": "echo" }), json!("b"), "Unknown tool: ''", true),
        (call(json!("c"), json!(7), json!({})), json!("c"), "Unknown tool: '7'", true),
        (call(json!("d"), json!("nope"), json!({})), json!("d"), "Unknown tool: 'nope'", true),
        (echo("e", json!({ "text": "hi" })), json!("e"), r#"{"text":"hi"}"#, false),
        (
            echo("f", json!("{\"text\":\"from json\"}")),
            json!("f"),
            r#"{"text":"from json"}"#,
            false,
        ),
        (echo("g", json!(null)), json!("g"), "{}", false),
        (echo("h", json!("  \n ")), json!("h"), "{}", false),
        (echo("i", json!("{not json")), json!("i"), "Invalid tool arguments JSON: ", true),
        (echo("j", json!("[1,2]")), json!("j"), "Tool arguments must be a JSON object", true),
        (echo("k", json!(42)), json!("k"), "Tool arguments must be a JSON object", true),
        (echo("l", json!([])), json!("l"), "Tool arguments must be a JSON object", true),
        // The argument error wins over the unknown tool.
        (call(json!("m"), json!("nope"), json!("[")), json!("m"), "Invalid tool arguments", true),
        // A numeric id stays a number, none is the empty string.
        (call(json!(7), json!("echo"), json!({})), json!(7), "{}", false),
        (call(json!(null), json!("echo"), json!({})), json!(""), "{}", false),
        (json!({ "function": { "name": "echo" } }), json!(""), "{}", false),
        (
            json!({ "type": "function", "index": 0, "id": "z",
                    "function": { "name": "echo", "arguments": "{}" } }),
            json!("z"),
            "{}",
            false,
        ),
    ];
    let provider = Scripted::echo();
    let calls: Vec<_> = cases.iter().map(|(call, ..)| call.clone()).collect();
    let results = execute_json(&provider, &calls).await;
    assert_eq!(results.len(), cases.len());
    for ((call, id, begin, is_error), result) in cases.iter().zip(&results) {
        assert_eq!(result["role"], "tool", "{call}");
        assert_eq!(result["tool_call_id"], *id, "{call}");
        assert_eq!(result["is_error"], *is_error, "{call}");
        let content = result["content"].as_str().unwrap();
        assert!(content.starts_with(begin), "{call}: {content}");
    }
    let batches = provider.batches.lock().unwrap();
    assert_eq!(batches.len(), 1, "all calls that can be read go in one batch");
    assert_eq!(batches[0].len(), cases.len() - 2);
}

#[tokio::test]
async fn plain_json_is_answered_whatever_the_provider_does() {
    let short = Scripted::new(|calls| {
        calls.into_iter().skip(1).map(|call| ToolResult::ok("", call.name)).collect()
    });
    let calls = [json!({ "id": 1 }), json!(0), json!({ "id": 2 })];
    let results = execute_json(&short, &calls).await;
    let ids: Vec<_> = results.iter().map(|it| it["tool_call_id"].clone()).collect();
    assert_eq!(ids, [json!(1), json!(""), json!(2)]);
    assert!(results[2]["content"].as_str().unwrap().contains("no result"));
    assert_eq!(execute_json(&short, &[]).await, Vec::<Value>::new());
    let erased: Box<dyn Provider> = Box::new(Scripted::echo());
    assert_eq!(execute_json(&*erased, &[json!("x")]).await.len(), 1);
}

#[tokio::test]
async fn results_say_how_sure_they_are() {
    let calls = vec![ToolCall::new("1", "nope", "{}"), ToolCall::new("2", "echo", "{}")];
    let results = Scripted::echo().execute_tool_calls(calls).await;
    assert_eq!(ids(&results), ["1", "2"]);
    let sure: Vec<_> = results.iter().map(|it| it.delivery).collect();
    assert_eq!(sure, [Delivery::NotSent, Delivery::Answered]);
}
