//! Finding out the era takes time, is done once for all who wait, and may be reconsidered.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::protocol::{Era, ErrorCode, LoggingLevel};
use mcp_client::{Client, Error, Memory};
use mcp_testkit::{Latch, ScriptedServer, ServeEra, fixtures};
use serde_json::{Value, json};
use tokio::time::{Instant, timeout};

use crate::support::{LOG_LEVEL, STAMP, Warnings, client, no_warning, settle, streams};

const OURS: &str = "2026-07-28";
const NEXT: &str = "2027-01-01";
const SECOND: Duration = Duration::from_secs(1);

fn described(versions: &[&str]) -> Value {
    json!({ "supportedVersions": versions })
}

fn initialized() -> Value {
    json!({ "protocolVersion": "2025-11-25", "capabilities": {} })
}

/// B-ERA-2: one probe, and one verdict, for everybody who waits.
#[tokio::test]
async fn calls_at_the_same_time_share_one_probe() {
    let (client, server) = client(fixtures::server(), ServeEra::Both);
    let calls: Vec<_> = (0..8)
        .map(|number| {
            let client = client.clone();
            tokio::spawn(async move {
                match number % 4 {
                    0 => client.era().await.map(drop),
                    1 => client.list_tools().await.map(drop),
                    2 => client.ping().await.map(drop),
                    _ => client.call_tool("bare", ()).await.map(drop),
                }
            })
        })
        .collect();
    for call in calls {
        call.await.unwrap().unwrap();
    }
    assert_eq!(server.received_method("server/discover").len(), 1);
}

/// B-ERA-2, B-ERA-4: the failure is shared as well, and the next call tries again.
#[tokio::test]
async fn calls_at_the_same_time_share_one_failure() {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let client = Client::new(Memory::new(move |_| {
        counted.fetch_add(1, Ordering::Relaxed);
    }));
    let (one, two, three) =
        tokio::join!(client.list_tools(), client.era(), client.call_tool("any", ()));
    let errors = [one.unwrap_err(), two.unwrap_err(), three.unwrap_err()];
    assert!(matches!(errors[0], Error::ServerGone { is_sent: false, .. }), "{}", errors[0]);
    assert!(errors.iter().all(|error| *error == errors[0]), "{errors:?}");
    // The server that died at the probe was started once more, for the handshake.
    assert_eq!(connections.load(Ordering::Relaxed), 2);
    client.era().await.unwrap_err();
    assert_eq!(connections.load(Ordering::Relaxed), 4);
}

/// B-ERA-3: whoever provoked the probe may give up; the others get its verdict.
#[tokio::test]
async fn giving_up_the_first_call_does_not_undo_the_probe() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    server.on("server/discover").after(&latch).result(described(&[OURS]));
    let client = Client::builder(streams([stream])).on_warning(no_warning).build().unwrap();
    let first = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    server.until_received("server/discover", 1).await;
    let other = tokio::spawn({
        let client = client.clone();
        async move { client.era().await }
    });
    settle().await;
    first.abort();
    settle().await;
    latch.open();
    assert_eq!(other.await.unwrap().unwrap(), Era::Modern);
    // Also where nobody is left to wait: the next call finds the verdict.
    assert_eq!(server.methods(), ["server/discover"]);
    assert_eq!(client.server().await.unwrap().era, Era::Modern);
    server.finish();
}

/// B-ERA-3: the call's own budget does not cover the probe.
#[tokio::test(start_paused = true)]
async fn the_probe_is_not_charged_to_the_call() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    server.on("server/discover").after(&latch).result(described(&[OURS]));
    server.on("tools/list").result(json!({ "tools": [] }));
    let client = Client::new(streams([stream]));
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().timeout(SECOND).await }
    });
    tokio::time::advance(5 * SECOND).await;
    latch.open();
    assert_eq!(call.await.unwrap().unwrap().len(), 0);
}

/// B-ERA-12, spec 63: silence means legacy, after the budget of the probe, which is 10 seconds unless set.
#[tokio::test(start_paused = true)]
async fn a_silent_server_is_greeted_when_the_probe_runs_out() {
    for (budget, expected) in [(None, 10 * SECOND), (Some(SECOND), SECOND)] {
        let (server, stream) = ScriptedServer::start();
        server.on("server/discover").silence();
        server.on("initialize").result(initialized());
        let builder = Client::builder(streams([stream])).on_warning(no_warning);
        let builder = match budget {
            Some(budget) => builder.probe_timeout(budget),
            None => builder,
        };
        let client = builder.build().unwrap();
        let start = Instant::now();
        assert_eq!(client.era().await.unwrap(), Era::Legacy);
        assert_eq!(start.elapsed(), expected);
        // Nobody waits for the answer to the probe any more, and the server is told so.
        server.until_received("notifications/cancelled", 1).await;
        let methods = server.methods();
        assert_eq!(methods[..3], ["server/discover", "initialize", "notifications/initialized"]);
    }
}

/// B-ERA-12: the handshake has the budget of a request, and is never cancelled.
#[tokio::test(start_paused = true)]
async fn a_server_that_says_nothing_at_all_is_given_up() {
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").silence();
    server.on("initialize").silence();
    let client = Client::builder(streams([stream]))
        .probe_timeout(SECOND)
        .request_timeout(90 * SECOND)
        .build()
        .unwrap();
    let start = Instant::now();
    let error = client.call_tool("any", ()).await.unwrap_err();
    assert_eq!(start.elapsed(), 91 * SECOND);
    let expected = Error::Timeout {
        seconds: 90.0,
        method: "initialize".to_owned(),
        id: Some(2),
        is_sent: false,
    };
    assert_eq!(error, expected);
    server.until_closed().await;
    let cancelled = server.received("notifications/cancelled");
    assert_eq!(cancelled.len(), 1);
    assert_eq!(cancelled[0]["params"]["requestId"], 1);
}

/// A budget of none waits for the probe for as long as it takes.
#[tokio::test(start_paused = true)]
async fn without_a_budget_the_probe_waits() {
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").silence();
    let builder = Client::builder(streams([stream])).probe_timeout(Duration::ZERO);
    let client = builder.build().unwrap();
    assert!(timeout(Duration::from_secs(86_400), client.era()).await.is_err());
    assert_eq!(server.methods(), ["server/discover"]);
}

/// What a slow server answers to the probe after the client has begun to greet it.
#[tokio::test(start_paused = true)]
async fn a_late_answer_to_the_probe_still_counts() {
    let modern = described(&[OURS]);
    let refusal = json!({ "code": -32601, "message": "Method not found" });
    let other = json!({ "code": -32022, "message": "no", "data": { "supported": [NEXT] } });
    // The probe's late answer, the handshake's, and which of them comes first.
    let cases = [
        (Ok(&modern), Err(&refusal), true, Era::Modern),
        (Ok(&modern), Err(&refusal), false, Era::Modern),
        (Ok(&modern), Ok(initialized()), true, Era::Legacy),
        (Err(&refusal), Ok(initialized()), true, Era::Legacy),
        (Err(&refusal), Ok(initialized()), false, Era::Legacy),
        (Err(&other), Err(&refusal), true, Era::Modern),
        (Err(&other), Err(&refusal), false, Era::Modern),
    ];
    for (late, greeted, is_probe_first, era) in cases {
        let case = format!("{late:?} {greeted:?} {is_probe_first}");
        let (server, stream) = ScriptedServer::start();
        let (probe, handshake) = (Latch::new(), Latch::new());
        let answer = |id: &str, outcome: Result<Value, Value>| match outcome {
            Ok(result) => format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#) + "\n",
            Err(error) => format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{error}}}"#) + "\n",
        };
        let late = answer("${id}", late.cloned().map_err(Clone::clone));
        server.on("server/discover").after(&probe).raw(late);
        server.on("server/discover").always().result(described(&[NEXT]));
        server
            .on("initialize")
            .after(&handshake)
            .raw(answer("${id}", greeted.map_err(Clone::clone)));
        let builder = Client::builder(streams([stream])).protocol_versions([OURS, NEXT]);
        let (builder, _) = Warnings::of(builder);
        let client = builder.build().unwrap();
        let asked = tokio::spawn({
            let client = client.clone();
            async move { client.era().await }
        });
        tokio::time::advance(11 * SECOND).await;
        server.until_received("initialize", 1).await;
        let (first, second) =
            if is_probe_first { (&probe, &handshake) } else { (&handshake, &probe) };
        first.open();
        settle().await;
        second.open();
        assert_eq!(asked.await.unwrap().unwrap(), era, "{case}");
    }
}

/// Where neither question is known, there is no conversation.
#[tokio::test(start_paused = true)]
async fn a_slow_server_that_knows_neither_era_is_refused() {
    for is_probe_answered in [true, false] {
        let (server, stream) = ScriptedServer::start();
        let latch = Latch::new();
        server.on("server/discover").after(&latch).error(-32601, "Method not found", None);
        server.on("initialize").after(&latch).error(-32601, "No initialize", None);
        let client = Client::builder(streams([stream])).on_warning(no_warning).build().unwrap();
        let asked = tokio::spawn({
            let client = client.clone();
            async move { client.era().await }
        });
        server.until_received("initialize", 1).await;
        if is_probe_answered {
            latch.open();
        } else {
            server.send(
                r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32601,"message":"No initialize"}}"#,
            );
        }
        let start = Instant::now();
        let error = asked.await.unwrap().unwrap_err();
        assert_eq!(error.to_string(), "No initialize (code -32601)");
        // What it may still say to the probe is waited for, and not for ever.
        let expected = if is_probe_answered { Duration::ZERO } else { 10 * SECOND };
        assert_eq!(start.elapsed(), expected);
    }
}

/// A modern answer that comes after the handshake has succeeded changes nothing.
#[tokio::test(start_paused = true)]
async fn an_answer_to_the_probe_after_a_handshake_comes_too_late() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    server.on("server/discover").after(&latch).result(described(&[OURS]));
    server.on("initialize").result(initialized());
    server.on("tools/list").result(json!({ "tools": [] }));
    let (builder, warnings) = Warnings::of(Client::builder(streams([stream])));
    let client = builder.connect().await.unwrap();
    latch.open();
    client.list_tools().await.unwrap();
    assert_eq!(client.era().await.unwrap(), Era::Legacy);
    assert!(warnings.one().contains("late answer"), "{warnings:?}");
}

/// A server that finds out late that it is legacy is asked on a connection of its own.
#[tokio::test(start_paused = true)]
async fn a_late_answer_without_versions_leads_to_a_new_connection() {
    let (first, one) = ScriptedServer::start();
    let (second, two) = ScriptedServer::legacy(json!({}));
    let latch = Latch::new();
    first.on("server/discover").after(&latch).result(described(&[]));
    first.on("initialize").silence();
    let client = Client::new(streams([one, two]));
    let asked = tokio::spawn({
        let client = client.clone();
        async move { client.era().await }
    });
    tokio::time::advance(11 * SECOND).await;
    first.until_received("initialize", 1).await;
    latch.open();
    assert_eq!(asked.await.unwrap().unwrap(), Era::Legacy);
    assert_eq!(second.received("initialize").len(), 1);
    // The handshake that was given up must not be cancelled.
    first.until_closed().await;
    assert_eq!(first.received("notifications/cancelled").len(), 0);
}

/// Spec 13, B-ERA-18: a version that is refused later is replaced, once for all, and by a new
/// request.
#[tokio::test]
async fn a_version_that_is_refused_later_is_replaced() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    let refused = json!({ "supported": [NEXT], "requested": OURS });
    server.on("server/discover").result(described(&[OURS]));
    for _ in 0..2 {
        let refused = Some(refused.clone());
        server.on("tools/call").after(&latch).error(-32022, "no longer", refused);
    }
    server.on("tools/call").always().result(json!({ "content": [] }));
    let builder = Client::builder(streams([stream])).protocol_versions([OURS, NEXT]);
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    client.set_log_level(LoggingLevel::Error).await.unwrap();
    // Two calls are refused at the same time: the second must not be sent back to the first.
    let calls = async { tokio::join!(client.call_tool("a", ()), client.call_tool("b", ())) };
    let opening = async {
        server.until_received("tools/call", 2).await;
        latch.open();
    };
    let ((one, two), ()) = tokio::join!(calls, opening);
    one.unwrap();
    two.unwrap();
    let calls = server.received("tools/call");
    let versions: Vec<_> = calls.iter().map(|it| &it["params"]["_meta"][STAMP]).collect();
    assert_eq!(versions, [OURS, OURS, NEXT, NEXT]);
    // What was set since is not forgotten, and the ids are new.
    assert!(calls.iter().all(|it| it["params"]["_meta"][LOG_LEVEL] == "error"));
    assert_eq!(calls.iter().map(|it| it["id"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3, 4, 5]);
    assert_eq!(client.protocol_version().await.unwrap().as_str(), NEXT);
    client.call_tool("c", ()).await.unwrap();
    assert_eq!(server.received("tools/call")[4]["params"]["_meta"][STAMP], NEXT);
}

/// B-ERA-18: without another version in common the refusal is the caller's.
#[tokio::test]
async fn a_refusal_without_another_version_is_an_error() {
    for supported in [json!([OURS]), json!(["2025-11-25"]), Value::Null] {
        let (server, stream) = ScriptedServer::start();
        server.on("server/discover").result(described(&[OURS]));
        let data = json!({ "supported": supported });
        server.on("tools/list").error(-32022, "no longer", Some(data.clone()));
        let client = Client::new(streams([stream]));
        let error = client.list_tools().await.unwrap_err();
        let Error::Protocol { code, data: found, .. } = error else { panic!("{error}") };
        assert_eq!(
            (code, found.map(|it| *it)),
            (Some(ErrorCode::UNSUPPORTED_PROTOCOL_VERSION), Some(data))
        );
        assert_eq!(server.methods(), ["server/discover", "tools/list"]);
    }
}
