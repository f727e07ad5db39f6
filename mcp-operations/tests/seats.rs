//! Where the layer goes in a stack, and what goes wrong elsewhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{call, ms};
use mcp_leases::{Holder, LOCK_ACQUIRE, Leases, Table};
use mcp_operations::{Operations, RepeatGuard, TokioTimer};
use mcp_provider::{Delivery, Provider, ProviderExt, ToolCall};
use mcp_reasons::Reasons;
use mcp_testkit::{Reply, Scripted};
use serde_json::json;

fn read(id: &str, reason: &str) -> ToolCall {
    ToolCall::new(id, "fs_read", json!({ "path": "a", "reason": reason }))
}

/// How many of two calls that differ in their reasons alone are sent, where one is the most.
async fn sent(tools: impl Provider) -> usize {
    tools.tools_for_llm().await.unwrap();
    let mut sent = 0;
    for (id, reason) in [("1", "You asked"), ("2", "To be sure")] {
        let results = tools.execute_tool_calls(vec![read(id, reason)]).await;
        sent += usize::from(results[0].delivery == Delivery::Answered);
    }
    sent
}

#[tokio::test]
async fn over_the_reasons_the_same_call_for_another_reason_dodges_the_guard() {
    // O-RUN-9
    let files = Scripted::tools(["fs_read"]);
    let guarded = |inner| {
        let guard = RepeatGuard::default().at_most(1);
        Operations::new(inner, TokioTimer::new()).with_repeat_guard(guard)
    };
    assert_eq!(sent(guarded(files.clone()).layer(Reasons::new)).await, 1);
    let reasons = Reasons::new(files);
    let over = Operations::new(reasons, TokioTimer::new())
        .with_repeat_guard(RepeatGuard::default().at_most(1));
    assert_eq!(sent(over).await, 2, "two reasons are two calls");
}

#[tokio::test(start_paused = true)]
async fn under_the_leases_a_write_that_goes_on_is_no_longer_covered() {
    // O-RUN-9
    let bob_may_write = |over: bool| async move {
        let files = Scripted::tools(["fs_write"]).reply("fs_write", Reply::hang());
        let (table, timer) = (Table::tokio(), TokioTimer::new());
        let ada = Holder::new("ada").unwrap();
        let watched = |inner: Box<dyn Provider>| {
            Operations::new(inner, timer)
                .with_deadline(ms(10))
                .unwrap()
                .with_late_answers(timer, Duration::from_secs(600))
        };
        let leased = |inner| Leases::new(inner, table.clone(), ada.clone());
        let files: Box<dyn Provider> = Box::new(files);
        let tools: Box<dyn Provider> = match over {
            true => Box::new(watched(Box::new(leased(files)))),
            false => Box::new(leased(Box::new(watched(files)))),
        };
        let claim = ToolCall::new("1", LOCK_ACQUIRE, json!({ "paths": ["/srv/a"], "ttl": 5 }));
        assert!(!tools.execute_tool_calls(vec![claim]).await[0].is_error);
        let write = call("2", "fs_write", r#"{"path":"/srv/a"}"#);
        let result = tools.execute_tool_calls(vec![write]).await.remove(0);
        assert_eq!(result.delivery, Delivery::Unknown);
        // The lease itself runs out, while the write is still under way.
        tokio::time::advance(Duration::from_secs(6)).await;
        let bob = Leases::new(Scripted::tools([]), table.clone(), Holder::new("bob").unwrap());
        let claim = json!({ "paths": ["/srv/a"], "wait": 0 });
        let claim = ToolCall::new("3", LOCK_ACQUIRE, claim);
        bob.execute_tool_calls(vec![claim]).await[0].content.starts_with("Locked")
    };
    assert!(!bob_may_write(true).await, "ada's write may still come");
    assert!(bob_may_write(false).await, "and here nobody remembers it");
}
