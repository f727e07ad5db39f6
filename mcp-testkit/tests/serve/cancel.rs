//! Cancelled calls, and the end of a connection.

use std::sync::Arc;
use std::time::Duration;

use mcp_testkit::{Latch, Server, Tool, ToolContext, Toolkit, fixtures};
use serde_json::json;
use tokio::time::Instant;

use crate::wire::{Wire, text};

#[tokio::test]
async fn a_cancelled_call_is_dropped_and_gets_no_answer() {
    let server = Arc::new(Server::new("held", "1").toolkit(Toolkit::new().tool(Tool::new(
        "held",
        |_, _| async {
            std::future::pending::<()>().await;
            "never"
        },
    ))));
    for mut wire in [
        Wire::modern(Arc::clone(&server), json!({})),
        Wire::legacy(Arc::clone(&server), json!({})).await,
    ] {
        server.counters().reset();
        let id = wire.start("tools/call", json!({ "name": "held" })).await;
        server.counters().until_started("held", 1).await;
        let params = json!({ "requestId": id, "reason": "enough" });
        wire.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
        )
        .await;
        server.counters().until_cancelled("held", 1).await;
        assert_eq!(server.counters().finished("held"), 0);
        assert!(wire.end().await.is_empty());
    }
}

#[tokio::test]
async fn cancelling_what_is_not_running_does_nothing() {
    let mut wire = Wire::modern(fixtures::test_server(), json!({}));
    for id in [json!(1), json!("1"), json!(null), json!(99)] {
        let params = json!({ "requestId": id });
        wire.send(
            &json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }),
        )
        .await;
    }
    assert_eq!(text(&wire.call("bare", json!({})).await), "bare");
}

#[tokio::test]
async fn a_task_that_a_handler_left_behind_can_see_the_cancellation() {
    let (seen, held) = (Latch::new(), Latch::new());
    let (see, hold) = (seen.clone(), held.clone());
    let tool = Tool::new("leaves", move |_, context: ToolContext| {
        let (see, hold) = (see.clone(), hold.clone());
        async move {
            tokio::spawn(async move {
                hold.opened().await;
                assert!(context.is_cancelled());
                see.open();
            });
            std::future::pending::<&str>().await
        }
    });
    let server = Arc::new(Server::new("leaves", "1").toolkit(Toolkit::new().tool(tool)));
    let mut wire = Wire::modern(Arc::clone(&server), json!({}));
    let id = wire.start("tools/call", json!({ "name": "leaves" })).await;
    server.counters().until_started("leaves", 1).await;
    let params = json!({ "requestId": id });
    wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params }))
        .await;
    server.counters().until_cancelled("leaves", 1).await;
    held.open();
    seen.opened().await;
}

#[tokio::test(start_paused = true)]
async fn what_runs_when_the_client_hangs_up_has_two_seconds_more() {
    let cases = [(1500, 1, Duration::from_millis(1500)), (60_000, 0, Duration::from_secs(2))];
    for (ms, answers, expected) in cases {
        let server = Arc::new(fixtures::test_server());
        let mut wire = Wire::modern(Arc::clone(&server), json!({}));
        wire.start("tools/call", json!({ "name": "slow", "arguments": { "ms": ms } })).await;
        server.counters().until_started("slow", 1).await;
        let start = Instant::now();
        assert_eq!(wire.end().await.len(), answers, "{ms}");
        let taken = start.elapsed();
        assert!(
            taken >= expected && taken < expected + Duration::from_millis(50),
            "{ms} {taken:?}"
        );
    }
}

#[tokio::test]
async fn a_client_that_vanishes_takes_its_calls_with_it() {
    let server = Arc::new(fixtures::server());
    let mut wire = Wire::modern(Arc::clone(&server), json!({ "elicitation": {} }));
    wire.call("ask_name", json!({})).await;
    assert_eq!(server.parked(), 1);
    drop(wire);
    server.counters().until_cancelled("ask_name", 1).await;
    assert_eq!(server.parked(), 0);
}
