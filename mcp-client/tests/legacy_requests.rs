//! What servers ask of their own accord: answered in the legacy era, ignored in the modern one.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::{Ready, pending, ready};
use std::time::Duration;

use mcp_client::protocol::{CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult};
use mcp_client::{Asked, BoxError, ClientBuilder, Error, Limits};
use mcp_testkit::{Latch, ScriptedServer};
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::support::{Heard, Warnings, legacy, modern, no_warning, says, settle, streams, text};

const FORM: &str = "elicitation/create";

fn form(message: &str) -> Value {
    json!({ "message": message, "requestedSchema": {} })
}

/// A hook that waits for ever, and tells when it begins and when it is given up.
fn endless(builder: ClientBuilder, heard: &Heard<&'static str>) -> ClientBuilder {
    struct Leaves(Heard<&'static str>);
    impl Drop for Leaves {
        fn drop(&mut self) {
            self.0.push("left");
        }
    }
    let heard = heard.clone();
    builder.on_elicit(move |_| {
        heard.push("asked");
        let leaves = Leaves(heard.clone());
        async move {
            let _leaves = leaves;
            pending::<Result<ElicitResult, BoxError>>().await
        }
    })
}

/// Spec 85: a sign of life is answered, at any time.
#[tokio::test]
async fn a_ping_is_answered() {
    let (server, stream) = ScriptedServer::start();
    let latch = Latch::new();
    server.on("server/discover").error(-32601, "Method not found", None);
    server.on("initialize").after(&latch).result(json!({ "protocolVersion": "2025-11-25" }));
    let builder = mcp_client::Client::builder(streams([stream])).on_warning(no_warning);
    let connecting = tokio::spawn(builder.connect());
    server.until_received("initialize", 1).await;
    assert_eq!(server.request(json!("early"), "ping", json!({})).await, Ok(json!({})));
    latch.open();
    let _client = connecting.await.unwrap().unwrap();
    for id in [json!(1), json!("1"), json!(0), json!(9_007_199_254_740_993_u64), json!(-3)] {
        assert_eq!(server.request(id, "ping", Value::Null).await, Ok(json!({})));
    }
}

/// Spec 86, B-CAP-4: the hooks that serve input rounds serve requests as well.
#[tokio::test]
async fn the_hooks_answer_requests() {
    let (server, builder) = legacy();
    let client = builder
        .on_elicit(|asked: Asked<ElicitParams>| {
            let who = format!("{} of {}", asked.params.message(), asked.server.name);
            ready(Ok(ElicitResult::accept(json!({ "who": who }).as_object().cloned().unwrap())))
        })
        .on_sample(|_| ready(Err("no model today".into())))
        .on_warning(|_| ())
        .connect()
        .await
        .unwrap();
    let answer = server.request(json!(1), FORM, form("name?")).await.unwrap();
    assert_eq!(answer, json!({ "action": "accept", "content": { "who": "name? of scripted" } }));
    // A hook that failed has no answer; a hook that is not there refuses or knows no such method.
    let error = server.request(json!(2), "sampling/createMessage", json!({ "messages": [] })).await;
    assert_eq!(error.unwrap_err().code, -32603);
    assert_eq!(
        server.request(json!(3), "roots/list", json!({})).await.unwrap(),
        json!({ "roots": [] })
    );
    for method in ["vendor/x", "tools/list"] {
        assert_eq!(server.request(json!(4), method, json!({})).await.unwrap_err().code, -32601);
    }
    client.close().await;
}

/// Without hooks: no, nothing, and no such method.
#[tokio::test]
async fn without_hooks_requests_are_refused() {
    let (server, builder) = legacy();
    let (builder, warnings) = Warnings::of(builder);
    let _client = builder.connect().await.unwrap();
    assert_eq!(server.request(json!(1), FORM, form("?")).await, Ok(json!({ "action": "decline" })));
    let sampled =
        server.request(json!(2), "sampling/createMessage", json!({ "messages": [] })).await;
    assert_eq!(sampled.unwrap_err().code, -32601);
    assert!(warnings.one().contains("sampling/createMessage"));
}

/// Panics before it is even a future.
fn no_model(_: Asked<CreateMessageParams>) -> Ready<Result<CreateMessageResult, BoxError>> {
    panic!("before the model")
}

/// Hooks that panic are failures like others, whichever they are.
#[tokio::test]
async fn a_hook_that_panics_is_answered_for() {
    let (server, builder) = legacy();
    let (builder, warnings) = Warnings::of(builder);
    let _client = builder
        .on_elicit(|_: Asked<ElicitParams>| async { panic!("in the dialog") })
        .on_sample(no_model)
        .on_list_roots(|_: Asked<()>| async { panic!("no disk") })
        .connect()
        .await
        .unwrap();
    assert_eq!(server.request(json!(1), FORM, form("?")).await, Ok(json!({ "action": "decline" })));
    let sampled =
        server.request(json!(2), "sampling/createMessage", json!({ "messages": [] })).await;
    assert_eq!(sampled.unwrap_err().code, -32603);
    assert_eq!(server.request(json!(3), "roots/list", json!({})).await, Ok(json!({ "roots": [] })));
    let all = warnings.all();
    let reasons = ["in the dialog", "before the model", "no disk"];
    assert!(all.iter().zip(reasons).all(|(warning, reason)| warning.contains(reason)), "{all:?}");
    assert_eq!(all.len(), 3);
}

/// A question that comes before the handshake is over waits for it: then it is known who asks.
#[tokio::test]
async fn a_request_before_the_handshake_is_over_waits_for_it() {
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").error(-32601, "Method not found", None);
    let greeting = json!({
        "jsonrpc": "2.0",
        "id": 2,
        "result": { "protocolVersion": "2025-11-25", "serverInfo": { "name": "eager" } },
    });
    let request = json!({ "jsonrpc": "2.0", "id": 7, "method": FORM, "params": form("now?") });
    server.on("initialize").raw(format!("{request}\n{greeting}\n"));
    let heard = Heard::new();
    let told = heard.clone();
    let builder = mcp_client::Client::builder(streams([stream])).on_elicit(
        move |asked: Asked<ElicitParams>| {
            told.push(asked.server.name);
            ready(Ok(ElicitResult::decline()))
        },
    );
    let client = builder.connect().await.unwrap();
    server.on("ping").result(json!({}));
    client.ping().await.unwrap();
    settle().await;
    assert_eq!(heard.take(), ["eager"]);
    assert!(server.messages().iter().any(|it| it["id"] == 7 && it.get("method").is_none()));
}

/// Spec 17, 57: a client of the modern era writes no answers.
#[tokio::test]
async fn a_modern_server_gets_no_answers() {
    let (server, builder) = modern();
    let (builder, warnings) = Warnings::of(builder);
    let client = endless(builder, &Heard::new()).connect().await.unwrap();
    for method in ["ping", FORM, "roots/list"] {
        server.on("tools/call").request(&json!(1), method, &form("?")).result(says("done"));
        assert_eq!(text(&client.call_tool("t", ()).await.unwrap()), "done");
    }
    settle().await;
    assert!(server.messages().iter().all(|it| it.get("method").is_some()));
    assert_eq!(warnings.all().len(), 3);
}

/// Answers are read, and other requests answered, while somebody thinks.
#[tokio::test]
async fn a_hook_holds_up_nothing_but_its_own_answer() {
    let (server, builder) = legacy();
    let heard = Heard::new();
    let client = endless(builder, &heard).on_warning(no_warning).connect().await.unwrap();
    server.on("tools/call").request(&json!(1), FORM, &form("?")).result(says("done"));
    assert_eq!(text(&client.call_tool("t", ()).await.unwrap()), "done");
    settle().await;
    assert_eq!(heard.take(), ["asked"]);
    assert_eq!(server.request(json!(2), "ping", json!({})).await, Ok(json!({})));
    // Closing gives up whoever still thinks.
    client.close().await;
    settle().await;
    assert_eq!(heard.take(), ["left"]);
}

/// A server may take a request back: the hook is given up, and nothing is answered.
#[tokio::test]
async fn a_request_that_is_taken_back_is_given_up() {
    let (server, builder) = legacy();
    let heard = Heard::new();
    let _client = endless(builder, &heard).on_warning(no_warning).connect().await.unwrap();
    for id in [json!(5), json!("five")] {
        let request = json!({ "jsonrpc": "2.0", "id": id, "method": FORM, "params": form("?") });
        server.send(request.to_string());
        // Neither another id nor the other spelling of this one is this one.
        for other in [json!(6), json!("5"), Value::Null, json!({})] {
            server.notify("notifications/cancelled", json!({ "requestId": other }));
        }
        assert_eq!(server.request(json!(9), "ping", json!({})).await, Ok(json!({})));
        settle().await;
        assert_eq!(heard.take(), ["asked"]);
        server
            .notify("notifications/cancelled", json!({ "requestId": id, "reason": "never mind" }));
        assert_eq!(server.request(json!(9), "ping", json!({})).await, Ok(json!({})));
        settle().await;
        assert_eq!(heard.take(), ["left"]);
        assert!(server.messages().iter().all(|it| it["id"] != id || it.get("method").is_some()));
    }
}

/// More questions than anybody can think about are dropped, with a word; so is one whose id is
/// in use.
#[tokio::test]
async fn only_so_many_requests_are_worked_on() {
    let mut limits = Limits::default();
    limits.server_requests = 3;
    let (server, builder) = legacy();
    let (builder, warnings) = Warnings::of(builder.limits(limits));
    let heard = Heard::new();
    let client = endless(builder, &heard).connect().await.unwrap();
    server.on("ping").always().result(json!({}));
    let request =
        |id: u64| json!({ "jsonrpc": "2.0", "id": id, "method": FORM, "params": form("?") });
    for id in [1, 1, 2, 3, 4, 5] {
        server.send(request(id).to_string());
    }
    client.ping().await.unwrap();
    settle().await;
    assert_eq!(heard.take(), ["asked"; 3]);
    let all = warnings.all();
    assert_eq!(all.len(), 3, "{all:?}");
    assert!(all[0].contains("another of that id") && all[1].contains("3 others"), "{all:?}");
    // One that is taken back makes room for another.
    server.notify("notifications/cancelled", json!({ "requestId": 2 }));
    server.send(request(6).to_string());
    client.ping().await.unwrap();
    settle().await;
    let mut seen = heard.take();
    seen.sort_unstable();
    assert_eq!(seen, ["asked", "left"]);
}

/// The budget of a call stands still while a hook answers, and only then.
#[tokio::test(start_paused = true)]
async fn a_budget_stands_still_while_a_hook_answers() {
    let second = Duration::from_secs(1);
    let (server, builder) = legacy();
    let latch = Latch::new();
    let gate = latch.clone();
    let client = builder
        .on_elicit(move |_| {
            let gate = gate.clone();
            async move {
                gate.opened().await;
                Ok(ElicitResult::decline())
            }
        })
        .connect()
        .await
        .unwrap();
    server.on("tools/call").request(&json!(1), FORM, &form("?")).silence();
    let start = Instant::now();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("t", ()).timeout(5 * second).await }
    });
    server.until_received("tools/call", 1).await;
    settle().await;
    tokio::time::advance(100 * second).await;
    latch.open();
    let error = call.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Timeout { seconds: 5.0, .. }), "{error}");
    assert_eq!(start.elapsed(), 105 * second);
}
