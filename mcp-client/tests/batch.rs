//! The calls of one batch: one after another, or at the same time where that does no harm.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::Client;
use mcp_provider::{Provider, ToolCall, ToolResult};
use mcp_testkit::{ServeEra, Server, fixtures};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{no_warning, served};

/// A client of the fixtures that runs so many calls at a time.
fn wide(concurrency: usize) -> (Client, Arc<Server>) {
    let server = Arc::new(fixtures::server());
    let builder = Client::builder(served(&server, ServeEra::Modern)).tool_concurrency(concurrency);
    (builder.on_warning(no_warning).build().unwrap(), server)
}

fn visit(id: &str, tool: &str, path: &str, ms: u64) -> ToolCall {
    ToolCall::new(id, tool, json!({ "path": path, "ms": ms }))
}

fn contents(results: &[ToolResult]) -> Vec<&str> {
    results.iter().map(|it| &*it.content).collect()
}

fn ids(results: &[ToolResult]) -> Vec<Value> {
    results.iter().map(|it| it.tool_call_id.to_json()).collect()
}

/// B-BATCH-2 to B-BATCH-4, B-BATCH-7, B-BATCH-10: safe calls run at the same time, so many at
/// once, and are answered in order.
#[tokio::test(start_paused = true)]
async fn safe_calls_run_at_the_same_time() {
    for (concurrency, calls, peak, rounds) in
        [(4, 4, 4, 1), (2, 6, 2, 3), (4, 6, 4, 2), (1, 3, 1, 3), (9, 2, 2, 1)]
    {
        let (client, server) = wide(concurrency);
        client.list_tools().await.unwrap();
        let start = Instant::now();
        let batch =
            (0..calls).map(|it| visit(&it.to_string(), "read", &it.to_string(), 250)).collect();
        let results = client.execute_tool_calls(batch).await;
        let expected: Vec<_> = (0..calls).map(|it| format!("contents of {it}")).collect();
        assert_eq!(contents(&results), expected);
        assert_eq!(start.elapsed(), Duration::from_millis(250) * rounds);
        assert_eq!(server.counters().peak(), peak);
        assert_eq!(server.counters().finished("read"), calls);
    }
}

/// B-BATCH-7: the order of the results is that of the calls, whatever finishes first.
#[tokio::test(start_paused = true)]
async fn results_come_in_the_order_of_the_calls() {
    let (client, _) = wide(3);
    let calls = [("a", 300), ("b", 10), ("c", 200), ("d", 20), ("e", 1)];
    let batch = calls.map(|(id, ms)| visit(id, "read", id, ms));
    let results = client.execute_tool_calls(batch.to_vec()).await;
    assert_eq!(ids(&results), ["a", "b", "c", "d", "e"]);
    let expected = calls.map(|(id, _)| format!("contents of {id}"));
    assert_eq!(contents(&results), expected);
}

/// B-BATCH-1 to B-BATCH-3: one call that is not known to be safe makes the batch a sequence.
#[tokio::test(start_paused = true)]
async fn one_unsafe_call_makes_a_sequence() {
    for other in ["touch", "look", "worded", "nope", "bare"] {
        let (client, server) = wide(4);
        client.list_tools().await.unwrap();
        let start = Instant::now();
        let batch = vec![
            visit("1", "read", "a", 200),
            visit("2", other, "b", 200),
            visit("3", "read", "c", 200),
        ];
        let results = client.execute_tool_calls(batch).await;
        assert_eq!(ids(&results), ["1", "2", "3"]);
        assert_eq!(server.counters().peak(), 1, "{other}");
        assert!(start.elapsed() >= Duration::from_millis(400), "{other}");
        assert_eq!(results[1].is_error, other == "nope", "{other}");
    }
}

/// B-BATCH-2: without a list nothing is known to be safe.
#[tokio::test]
async fn without_a_list_nothing_is_safe() {
    let (server, builder) = support::modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/list").always().error(-32603, "not today", None);
    let latch = mcp_testkit::Latch::new();
    server.on("tools/call").after(&latch).result(support::says("one"));
    server.on("tools/call").result(support::says("two"));
    let batch = tokio::spawn(async move {
        client
            .execute_tool_calls(vec![visit("1", "read", "a", 0), visit("2", "read", "a", 0)])
            .await
    });
    server.until_received("tools/call", 1).await;
    support::settle().await;
    assert_eq!(server.received("tools/call").len(), 1);
    latch.open();
    assert_eq!(contents(&batch.await.unwrap()), ["one", "two"]);
}

/// Spec 47: a server that this process did not start is believed only if it is to be.
#[tokio::test]
async fn annotations_are_believed_of_local_servers_only() {
    for (is_local, set, is_wide) in [
        (true, None, true),
        (false, None, false),
        (false, Some(true), true),
        (true, Some(false), false),
    ] {
        let server = Arc::new(fixtures::server());
        let memory = served(&server, ServeEra::Modern);
        let connect: Arc<dyn mcp_client::Connect> =
            if is_local { Arc::new(memory) } else { Arc::new(Remote(memory)) };
        let builder = Client::builder(connect);
        let builder = match set {
            Some(is_trusted) => builder.trust_annotations(is_trusted),
            None => builder,
        };
        let client = builder.build().unwrap();
        let batch = vec![visit("1", "read", "a", 0), visit("2", "read", "a", 0)];
        let results = client.execute_tool_calls(batch).await;
        assert_eq!(contents(&results), ["contents of a"; 2]);
        // The same call twice is one call only where the server is believed.
        assert_eq!(server.counters().started("read"), if is_wide { 1 } else { 2 });
    }
}

/// B-BATCH-5, B-BATCH-6: calls that are the same run once, and each gets its own result.
#[tokio::test]
async fn the_same_call_runs_once() {
    let (client, server) = wide(4);
    let text = |id: &str, arguments: &str| ToolCall::new(id, "read", arguments);
    let batch = vec![
        text("a", r#"{"path":"x","ms":0}"#),
        text("b", r#"{ "ms" : 0 , "path" : "x" }"#),
        visit("c", "read", "x", 0),
        visit("d", "peek", "x", 0),
        visit("e", "read", "y", 0),
        ToolCall::new(
            mcp_provider::CallId::from_json(json!(7)),
            "read",
            json!({ "path": "x", "ms": 0 }),
        ),
    ];
    let results = client.execute_tool_calls(batch).await;
    // The id of a copy is its own call's, of whatever type.
    assert_eq!(
        ids(&results),
        [json!("a"), json!("b"), json!("c"), json!("d"), json!("e"), json!(7)]
    );
    let expected = ["contents of x"; 4].into_iter().chain(["contents of y", "contents of x"]);
    assert_eq!(contents(&results), expected.collect::<Vec<_>>());
    assert_eq!(server.counters().started("read"), 2);
    assert_eq!(server.counters().started("peek"), 1);
    assert_eq!(server.received_method("tools/call").len(), 3);
}

/// B-BATCH-5, B-BATCH-11: what is not safe, or not wide, always runs.
#[tokio::test]
async fn what_is_not_wide_always_runs() {
    let (client, server) = wide(4);
    let batch = vec![visit("a", "touch", "x", 0), visit("b", "touch", "x", 0)];
    client.execute_tool_calls(batch).await;
    assert_eq!(server.counters().started("touch"), 2);

    let paths: Vec<_> = (0..50).map(|number| format!("{}", number % 7)).collect();
    let batch: Vec<_> = paths
        .iter()
        .enumerate()
        .map(|(id, path)| visit(&id.to_string(), "read", path, 0))
        .collect();
    let mut all = Vec::new();
    for (concurrency, runs) in [(1, 50), (8, 7)] {
        let (client, server) = wide(concurrency);
        all.push(client.execute_tool_calls(batch.clone()).await);
        assert_eq!(server.counters().started("read"), runs);
    }
    assert_eq!(all[0], all[1]);
}

/// B-BATCH-8, B-BATCH-9: a call that fails fails alone, but for its copies.
#[tokio::test]
async fn a_call_that_fails_fails_alone() {
    let (client, server) = wide(4);
    let batch = vec![
        visit("a", "read", "x", 0),
        visit("b", "read", "missing", 0),
        visit("c", "read", "y", 0),
        visit("d", "read", "missing", 0),
    ];
    let results = client.execute_tool_calls(batch).await;
    assert_eq!(
        results.iter().map(|it| it.is_error).collect::<Vec<_>>(),
        [false, true, false, true]
    );
    assert_eq!(results[3].content, "no such file: missing");
    assert_eq!(ids(&results), ["a", "b", "c", "d"]);
    assert_eq!(server.counters().started("read"), 3);
}

/// B-BATCH-2, B-BATCH-6: arguments that cannot be read keep no batch from being wide, and are
/// like no others.
#[tokio::test(start_paused = true)]
async fn unreadable_arguments_are_answered_and_not_run() {
    let (client, server) = wide(4);
    let batch = vec![
        visit("a", "read", "x", 100),
        ToolCall::new("b", "read", "{not json"),
        visit("c", "read", "y", 100),
        ToolCall::new("d", "read", "[]"),
    ];
    let results = client.execute_tool_calls(batch).await;
    assert!(results[1].content.starts_with("Invalid tool arguments JSON: "), "{results:?}");
    assert!(results[3].content.contains("must be a JSON object"), "{results:?}");
    assert_eq!(server.counters().started("read"), 2);
    assert_eq!(server.counters().peak(), 2);
}

/// A server that was reached and not started.
#[derive(Debug)]
struct Remote(mcp_client::Memory);

#[async_trait::async_trait]
impl mcp_client::Connect for Remote {
    async fn connect(
        &self,
        handler: Arc<dyn mcp_transport::Handler>,
    ) -> Result<Arc<dyn mcp_transport::Transport>, mcp_client::TransportError> {
        self.0.connect(handler).await
    }
}
