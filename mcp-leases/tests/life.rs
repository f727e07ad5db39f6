//! Providers and stores that fail, panic, answer too little, are slow, and are dropped.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;
use std::time::Duration;

use common::{assert_granted, assert_ok, assert_refused, call, claim, holder, layer, run};
use mcp_leases::{LOCK_ACQUIRE, LOCK_RELEASE, Leases, Table, Waiting};
use mcp_provider::{
    Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_testkit::{Latch, Reply, Scripted};
use serde_json::json;

#[tokio::test]
async fn no_calls_never_reach_the_provider() {
    let leases = layer(Scripted::tools(["t"]), &Table::tokio(), "w1");
    assert_eq!(leases.execute_tool_calls(Vec::new()).await, []);
    assert_eq!(leases.get_ref().batches().len(), 0);
}

#[tokio::test]
async fn a_provider_that_panics_fails_its_own_calls_and_returns_its_pins() {
    // L-EXEC-5, L-PIN-2
    let table = Table::tokio();
    let inner = Scripted::tools(["fs_read", "fs_write"])
        .reply("fs_read", Reply::panic("died"))
        .otherwise(|call| ToolResult::ok(call.id.clone(), "fine"));
    let leases = layer(inner, &table, "w1");
    let calls = vec![
        ToolCall::new("1", "fs_read", json!({ "path": "a" })),
        ToolCall::new("2", LOCK_ACQUIRE, json!({ "paths": ["a"] })),
        ToolCall::new("3", "fs_write", json!({ "path": "a" })),
    ];
    let results = leases.execute_tool_calls(calls).await;
    let found: Vec<_> =
        results.iter().map(|it| (it.tool_call_id.to_string(), it.delivery, it.is_error)).collect();
    assert_eq!(
        found,
        [
            ("1".to_owned(), Delivery::Unknown, true),
            ("2".to_owned(), Delivery::Answered, false),
            ("3".to_owned(), Delivery::Unknown, true)
        ]
    );
    assert_eq!(results[0].content, "The tool provider panicked: died");
    assert_eq!((table.status().pins.len(), table.leases().len()), (0, 1));
    // Its change may have happened: whoever finds the file changed is told so.
    let path = common::place("/srv/repo/a");
    assert_eq!(table.last_writer(&holder("r1"), &path).unwrap().holder, holder("w1"));
}

#[tokio::test]
async fn a_missing_answer_is_an_unknown_outcome() {
    // L-EXEC-5
    let inner = Scripted::tools(["t"]).reply("t", "one").reply("t", Reply::omit());
    let leases = layer(inner, &Table::tokio(), "w1");
    let calls =
        vec![ToolCall::new("1", "t", ""), ToolCall::new("2", "t", "[1"), call("", json!(7))];
    let results = leases.execute_tool_calls(calls).await;
    assert_eq!(results.len(), 3);
    assert_eq!(results[2].delivery, Delivery::Unknown);
    assert!(results[2].content.contains("no result"), "{results:?}");
}

#[tokio::test]
async fn a_provider_that_panics_while_listing_fails_the_listing() {
    struct Mad;

    #[async_trait]
    impl Provider for Mad {
        async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
            panic!("died")
        }

        async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
            Vec::new()
        }
    }
    let error = layer(Mad, &Table::tokio(), "w1").tools_for_llm().await.unwrap_err();
    assert_eq!(error.to_string(), "the tool provider panicked: died");
}

#[tokio::test(start_paused = true)]
async fn a_lease_that_ends_during_a_call_ends_with_the_call() {
    // L-PIN-1, T-PIN-2
    let table = Table::tokio();
    let latch = Latch::new();
    let inner = Scripted::tools(["fs_write"]).reply("fs_write", Reply::ok("done").after(&latch));
    let leases = Arc::new(layer(inner.clone(), &table, "w1"));
    run(&*leases, LOCK_ACQUIRE, json!({ "paths": ["a"], "ttl": 1 })).await;
    let writing = tokio::spawn({
        let leases = Arc::clone(&leases);
        async move { run(&*leases, "fs_write", json!({ "path": "a" })).await }
    });
    inner.until_started(1).await;
    assert_eq!(table.status().pins.len(), 1);
    tokio::time::advance(Duration::from_secs(2)).await;
    assert_eq!(table.leases().len(), 1);
    assert_eq!(table.release_holder(&holder("w1")), 1);
    assert!(table.status().leases[0].release_pending);
    // Nobody else gets in before it has ended.
    let refused = run(
        &layer(Scripted::tools([]), &table, "r1"),
        LOCK_ACQUIRE,
        json!({ "paths": ["a"], "wait": 0 }),
    )
    .await;
    assert_refused(&refused, &["locked by w1"]);
    latch.open();
    assert_ok(&writing.await.unwrap(), &["done"]);
    assert!(table.status().is_empty());
}

#[tokio::test]
async fn a_batch_that_is_dropped_returns_its_pins() {
    // L-PIN-2
    let table = Table::tokio();
    let inner = Scripted::tools(["fs_write"]).reply("fs_write", Reply::hang());
    let leases = Arc::new(layer(inner.clone(), &table, "w1"));
    run(&*leases, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await;
    let writing = tokio::spawn({
        let leases = Arc::clone(&leases);
        async move { run(&*leases, "fs_write", json!({ "path": "a" })).await }
    });
    inner.until_started(1).await;
    assert_eq!(table.status().pins.len(), 1);
    writing.abort();
    assert!(writing.await.is_err());
    assert_eq!(inner.dropped(), 1);
    assert_eq!((table.status().pins.len(), table.leases().len()), (0, 1));
    assert_ok(&run(&*leases, LOCK_RELEASE, json!({})).await, &["/srv/repo/a"]);
}

#[tokio::test]
async fn a_call_to_a_free_path_needs_no_pin() {
    // L-PIN-1, L-PIN-3
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("w1", &["/srv/repo/a"])));
    for (path, pins) in [("free", 0), ("a", 1)] {
        let latch = Latch::new();
        let reply = Reply::ok("done").after(&latch);
        let inner = Scripted::tools(["fs_write"]).reply("fs_write", reply);
        let leases = layer(inner.clone(), &table, "w1");
        let writing =
            tokio::spawn(async move { run(&leases, "fs_write", json!({ "path": path })).await });
        inner.until_started(1).await;
        assert_eq!(table.status().pins.len(), pins, "{path}");
        latch.open();
        assert_ok(&writing.await.unwrap(), &["done"]);
    }
}

#[test]
fn everything_can_be_shared_and_printed() {
    fn assert_send_sync<T: Send + Sync + 'static>() {}
    fn assert_send<T: Send + 'static>() {}
    assert_send_sync::<Table>();
    assert_send::<Waiting>();
    assert_send_sync::<Leases<Scripted>>();
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("w1", &["/a"])));
    let text = format!("{table:?} {:?}", layer(Scripted::tools([]), &table, "w2"));
    assert!(text.contains("\"w1\"") && text.contains("\"w2\""), "{text}");
}
