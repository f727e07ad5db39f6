//! Requests that are given up: the server is told, and nothing is left behind.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::pending;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::ElicitResult;
use mcp_client::{BoxError, Client, Delivery, Error};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::{Latch, ScriptedServer, ServeEra, fixtures};
use serde_json::{Value, json};
use tokio::sync::oneshot;

use crate::support::{
    Heard, Warnings, client, legacy, modern, no_warning, says, served, settle, streams, text,
};

const CANCELLED: &str = "notifications/cancelled";

fn cancelled_ids(server: &ScriptedServer) -> Vec<u64> {
    let cancelled = server.received(CANCELLED);
    cancelled.iter().map(|it| it["params"]["requestId"].as_u64().unwrap()).collect()
}

/// Spec 23, 27: dropping a call's future tells the server, with a reason, in both eras.
#[tokio::test]
async fn a_call_that_is_dropped_is_cancelled() {
    for (server, builder) in [modern(), legacy()] {
        let client = builder.on_warning(no_warning).connect().await.unwrap();
        server.on("tools/call").silence();
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("t", ()).await }
        });
        server.until_received("tools/call", 1).await;
        let id = server.received("tools/call")[0]["id"].clone();
        call.abort();
        server.until_received(CANCELLED, 1).await;
        let params = &server.received(CANCELLED)[0]["params"];
        assert_eq!(params["requestId"], id);
        assert!(params["reason"].as_str().is_some_and(|reason| !reason.is_empty()));
    }
}

/// Spec 25: an answer that was on its way is dropped, with a word; the connection goes on, and
/// what was answered is never cancelled.
#[tokio::test]
async fn an_answer_to_a_call_that_was_given_up_is_dropped() {
    let (server, builder) = modern();
    let (builder, warnings) = Warnings::of(builder);
    let client = builder.connect().await.unwrap();
    let latch = Latch::new();
    server.on("tools/call").after(&latch).result(says("late"));
    server.on("tools/call").always().result(says("in time"));
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("t", ()).await }
    });
    server.until_received("tools/call", 1).await;
    call.abort();
    server.until_received(CANCELLED, 1).await;
    latch.open();
    for _ in 0..2 {
        assert_eq!(text(&client.call_tool("t", ()).await.unwrap()), "in time");
    }
    assert!(warnings.one().contains("late answer"));
    assert_eq!(cancelled_ids(&server), [2]);
}

/// Spec 24, 89: a call that takes too long is cancelled as well.
#[tokio::test(start_paused = true)]
async fn a_call_that_takes_too_long_is_cancelled() {
    let (server, builder) = modern();
    let client = builder.request_timeout(Duration::from_secs(3)).connect().await.unwrap();
    server.on("tools/call").silence();
    let error = client.call_tool("t", ()).await.unwrap_err();
    let method = "tools/call".to_owned();
    assert_eq!(error, Error::Timeout { seconds: 3.0, method, id: Some(2), is_sent: true });
    server.until_received(CANCELLED, 1).await;
    assert_eq!(cancelled_ids(&server), [2]);
}

/// The handlers of a real server stop.
#[tokio::test]
async fn a_handler_stops_when_its_call_is_given_up() {
    for era in [ServeEra::Modern, ServeEra::Legacy] {
        let (client, server) = client(fixtures::server(), era);
        let call = tokio::spawn({
            let client = client.clone();
            async move { client.call_tool("slow", json!({ "ms": 3_600_000 })).await }
        });
        server.counters().until_started("slow", 1).await;
        call.abort();
        server.counters().until_cancelled("slow", 1).await;
        let echo = client.call_tool("echo", json!({ "text": "hi" })).await.unwrap();
        assert_eq!(text(&echo), "hi");
    }
}

/// `cancelled_by` gives a call up as soon as it is ready, in whatever the call is doing.
#[tokio::test]
async fn a_call_can_be_cancelled_from_elsewhere() {
    // While the server works.
    let (server, builder) = modern();
    let builder = builder.on_elicit(|_| pending::<Result<ElicitResult, BoxError>>());
    let client = builder.on_warning(no_warning).build().unwrap();
    let form = json!({ "method": "elicitation/create", "params": { "message": "?" } });
    let required = json!({ "resultType": "input_required", "inputRequests": { "a": form } });
    for answered in [None, Some(required)] {
        let (cancel, cancelled) = oneshot::channel::<()>();
        match answered.clone() {
            None => server.on("tools/call").silence(),
            // While somebody answers the server: B-MRTR-16.
            Some(required) => server.on("tools/call").result(required),
        }
        let call = client.call_tool("t", ()).cancelled_by(async move { drop(cancelled.await) });
        let call = tokio::spawn(async move { call.await });
        let calls = 1 + usize::from(answered.is_some());
        server.until_received("tools/call", calls).await;
        settle().await;
        cancel.send(()).unwrap();
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error, Error::Cancelled { method: "tools/call".to_owned() });
        assert_eq!(error.delivery(), Delivery::Unknown);
        // What was answered needs no cancelling.
        settle().await;
        assert_eq!(cancelled_ids(&server).len(), 1);
    }

    // Before anything is sent: then nothing is.
    let before = server.messages().len();
    let call = client.call_tool("t", ()).cancelled_by(async {});
    assert!(matches!(call.await, Err(Error::Cancelled { .. })));
    assert_eq!(server.messages().len(), before);

    // Never: then the call is as any other.
    server.on("tools/call").result(says("done"));
    let call = client.call_tool("t", ()).cancelled_by(pending());
    assert_eq!(text(&call.await.unwrap()), "done");
}

/// A call that is given up while the era is found out leaves the connection to others; and the
/// handshake is never cancelled.
#[tokio::test]
async fn giving_up_a_call_does_not_cancel_the_handshake() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    server.on("server/discover").error(-32601, "Method not found", None);
    server.on("initialize").after(&latch).result(json!({ "protocolVersion": "2025-11-25" }));
    let client = Client::builder(streams([stream])).on_warning(no_warning).build().unwrap();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    server.until_received("initialize", 1).await;
    call.abort();
    settle().await;
    latch.open();
    assert_eq!(client.server().await.unwrap().protocol_version.as_str(), "2025-11-25");
    assert_eq!(server.received(CANCELLED).len(), 0);

    // Nor when the client is dropped in the middle of it.
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").error(-32601, "Method not found", None);
    server.on("initialize").silence();
    let client = Client::new(streams([stream]));
    let call = tokio::spawn(async move { client.list_tools().await });
    server.until_received("initialize", 1).await;
    call.abort();
    server.until_closed().await;
    assert_eq!(server.received(CANCELLED).len(), 0);
}

/// Nothing of a call that was given up is left: neither its token nor its listener.
#[tokio::test]
async fn a_call_that_was_given_up_leaves_nothing_behind() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    server.on("tools/call").always().silence();
    let heard = Heard::new();
    let witness = Arc::new(());
    for number in 1..=100 {
        let (told, held) = (heard.clone(), Arc::clone(&witness));
        let call = client.call_tool("t", ()).progress(move |progress| {
            let _held = &held;
            told.push(progress);
        });
        let call = tokio::spawn(async move { call.await });
        server.until_received("tools/call", number).await;
        call.abort();
        assert!(call.await.unwrap_err().is_cancelled());
    }
    assert_eq!(Arc::strong_count(&witness), 1);
    let token = &server.received("tools/call")[99]["params"]["_meta"]["progressToken"];
    assert!(token.is_string());
    server.notify("notifications/progress", json!({ "progressToken": token, "progress": 1 }));
    server.on("ping").result(json!({}));
    client.ping().await.unwrap();
    assert_eq!(heard.len(), 0);
    server.until_received(CANCELLED, 100).await;
}

/// A batch that is dropped is cancelled: what runs, and what would have.
#[tokio::test]
async fn a_batch_that_is_dropped_is_cancelled() {
    let server = Arc::new(fixtures::server());
    let client = Client::builder(served(&server, ServeEra::Modern)).on_warning(no_warning);
    let client = client.build().unwrap();
    for (tool, started) in [("touch", 1), ("read", 4)] {
        let calls = (0..6).map(|number| {
            let arguments = json!({ "path": number.to_string(), "ms": 3_600_000 });
            ToolCall::new(number.to_string(), tool, arguments)
        });
        let calls: Vec<_> = calls.collect();
        let batch = tokio::spawn({
            let client = client.clone();
            async move { client.execute_tool_calls(calls).await }
        });
        server.counters().until_started(tool, started).await;
        batch.abort();
        server.counters().until_cancelled(tool, started).await;
        settle().await;
        assert_eq!(server.counters().started(tool), started, "{tool}");
    }
}

/// Spec 28: a modern server cancels nothing of ours; the stream tells of it.
#[tokio::test]
async fn a_modern_server_cancels_nothing() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    let mut stream = client.notifications();
    server.on("tools/call").notify(CANCELLED, json!({ "requestId": 2 })).result(says("done"));
    assert_eq!(text(&client.call_tool("t", ()).await.unwrap()), "done");
    let told = stream.next().await.unwrap();
    let params: Value = told.decode().unwrap();
    assert_eq!((&*told.method, params), (CANCELLED, json!({ "requestId": 2 })));
}
