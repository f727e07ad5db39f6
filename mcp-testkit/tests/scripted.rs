//! The scripted provider.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::Arc;

use mcp_provider::{CallId, Provider, ToolCall, ToolDeclaration, ToolResult, execute_contained};
use mcp_testkit::{Latch, Reply, Scripted};

fn call(id: &str, name: &str) -> ToolCall {
    ToolCall::new(id, name, "{}")
}

#[tokio::test]
async fn replies_come_in_order_and_then_the_fallback() {
    let scripted = Scripted::tools(["read"])
        .reply("read", "one")
        .reply("read", Reply::error("two"))
        .reply("write", ToolResult::not_sent("", "three"))
        .otherwise(|call| ToolResult::ok(call.id.clone(), "else"));
    let batch = ["read", "read", "write", "read"].map(|name| call("x", name)).to_vec();
    assert_eq!(
        scripted.execute_tool_calls(batch).await,
        [
            ToolResult::ok("x", "one"),
            ToolResult::error("x", "two"),
            ToolResult::not_sent("x", "three"),
            ToolResult::ok("x", "else"),
        ]
    );
    assert_eq!(scripted.called(), ["read", "read", "write", "read"]);
    assert_eq!(scripted.batches().len(), 1);
    let plain = Scripted::tools([]).execute_tool_calls(vec![call("y", "jump")]).await;
    assert_eq!(plain, [ToolResult::ok("y", "jump ran")]);
}

#[tokio::test]
async fn a_result_may_carry_an_id_of_its_own_or_be_missing() {
    let scripted = Scripted::tools([])
        .reply("odd", ToolResult::ok("another", "words"))
        .reply("gone", Reply::omit())
        .reply("never", "called");
    let results = scripted.execute_tool_calls(vec![call("1", "odd"), call("2", "gone")]).await;
    assert_eq!(results, [ToolResult::ok("another", "words")]);
    assert_eq!(scripted.unused(), ["never"]);
}

#[tokio::test]
async fn listings_fail_as_often_as_they_are_told_to() {
    let scripted = Scripted::tools(["a"]).failing_listing("no list");
    let error = scripted.tools_for_llm().await.unwrap_err();
    assert_eq!(error.to_string(), "no list");
    assert_eq!(scripted.tools_for_llm().await.unwrap(), [ToolDeclaration::new("a")]);
    scripted.declare([ToolDeclaration::new("b")]);
    assert_eq!(scripted.tools_for_llm().await.unwrap(), [ToolDeclaration::new("b")]);
    assert_eq!(scripted.listings(), 3);
}

#[tokio::test]
async fn a_panic_reaches_whoever_contains_it() {
    let scripted = Scripted::tools([]).reply("burn", Reply::panic("fire"));
    let results = execute_contained(&scripted, "scripted", vec![call("1", "burn")]).await;
    assert_eq!(results, [ToolResult::unknown(CallId::from("1"), "scripted panicked: fire")]);
    assert_eq!(scripted.dropped(), 1);
}

#[tokio::test]
async fn a_held_reply_waits_and_a_dropped_batch_is_noticed() {
    let latch = Latch::new();
    let scripted = Arc::new(Scripted::tools([]).reply("held", Reply::ok("go").after(&latch)));
    let running = tokio::spawn({
        let scripted = Arc::clone(&scripted);
        async move { scripted.execute_tool_calls(vec![call("1", "held")]).await }
    });
    scripted.until_started(1).await;
    assert!(!running.is_finished());
    latch.open();
    assert_eq!(running.await.unwrap(), [ToolResult::ok("1", "go")]);
    assert_eq!(scripted.dropped(), 0);

    let hanging = Arc::new(Scripted::tools([]).reply("hang", Reply::hang()));
    let running = tokio::spawn({
        let hanging = Arc::clone(&hanging);
        async move { hanging.execute_tool_calls(vec![call("1", "hang")]).await }
    });
    hanging.until_started(1).await;
    running.abort();
    assert!(running.await.unwrap_err().is_cancelled());
    assert_eq!(hanging.dropped(), 1);
}
