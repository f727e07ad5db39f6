//! Being told of changes: `subscriptions/listen`, and what legacy servers have instead.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use mcp_client::protocol::SubscriptionFilter;
use mcp_client::{
    Client, ClientBuilder, Error, Limits, Subscription, SubscriptionEnd, SubscriptionEvent,
};
use mcp_provider::Delivery;
use mcp_testkit::ScriptedServer;
use serde_json::{Value, json};

use crate::support::{legacy, modern, no_warning, settle, streams};

const LISTEN: &str = "subscriptions/listen";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const TOOLS_CHANGED: &str = "notifications/tools/list_changed";
const UPDATED: &str = "notifications/resources/updated";

/// Parameters of what is told under the request `id`.
fn under(id: u64, mut params: Value) -> Value {
    params["_meta"] = json!({ "io.modelcontextprotocol/subscriptionId": id });
    params
}

fn acknowledged(id: u64, filter: &Value) -> Value {
    under(id, json!({ "notifications": filter }))
}

fn filter(json: Value) -> SubscriptionFilter {
    serde_json::from_value(json).unwrap()
}

fn tools() -> Value {
    json!({ "toolsListChanged": true })
}

/// A modern server that acknowledges the first subscription, whose request is the second of all.
fn listening(honored: &Value) -> (ScriptedServer, ClientBuilder) {
    let (server, builder) = modern();
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(2, honored)).silence();
    (server, builder.on_warning(no_warning))
}

async fn connect(builder: ClientBuilder) -> Client {
    builder.connect().await.unwrap()
}

/// The next event: the method and the parameters of a change, or that it was reopened.
async fn next(subscription: &mut Subscription) -> Option<(String, Value)> {
    Some(match subscription.next().await? {
        SubscriptionEvent::Changed(it) => (it.method.clone(), it.decode().unwrap()),
        SubscriptionEvent::Reopened => ("reopened".to_owned(), Value::Null),
        _ => ("something else".to_owned(), Value::Null),
    })
}

#[tokio::test(start_paused = true)]
async fn a_modern_server_is_asked_and_says_what_it_honors() {
    let (server, builder) = listening(&tools());
    let client = connect(builder).await;
    let asked = json!({ "toolsListChanged": true, "resourceSubscriptions": ["a:1", "a:2"] });
    let mut subscription = client.subscribe(filter(asked.clone())).await.unwrap();
    assert_eq!(server.received(LISTEN)[0]["params"]["notifications"], asked);
    assert_eq!(subscription.acknowledged(), filter(tools()));
    let missing = json!({ "resourceSubscriptions": ["a:1", "a:2"] });
    assert_eq!(subscription.missing(), filter(missing));
    assert_eq!(subscription.end(), None);

    let mut all = client.notifications();
    let change = under(2, json!({}));
    server.notify(TOOLS_CHANGED, change.clone());
    assert_eq!(next(&mut subscription).await.unwrap(), (TOOLS_CHANGED.to_owned(), change));
    assert_eq!(all.next().await.unwrap().method, TOOLS_CHANGED);
    assert_eq!(subscription.lost(), 0);
}

/// Row 33 of what the specification asks for.
#[tokio::test(start_paused = true)]
async fn each_subscription_hears_what_is_told_under_its_own_id() {
    let (server, builder) = listening(&tools());
    let client = connect(builder).await;
    let mut first = client.subscribe(filter(tools())).await.unwrap();
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(3, &tools())).silence();
    let mut second = client.subscribe(filter(tools())).await.unwrap();
    let mut all = client.notifications();
    let told = [(3, "c"), (2, "a"), (9, "nobody's"), (2, "b")];
    for (id, mark) in told {
        server.notify(TOOLS_CHANGED, under(id, json!({ "mark": mark })));
    }
    server.notify(TOOLS_CHANGED, json!({ "mark": "without an id" }));
    // As text the id is the same id.
    let meta = json!({ "io.modelcontextprotocol/subscriptionId": "3" });
    server.notify(TOOLS_CHANGED, json!({ "mark": "d", "_meta": meta }));
    // What is no change is no business of subscriptions.
    server.notify("notifications/message", under(2, json!({ "level": "info", "data": 1 })));
    for _ in 0..7 {
        all.next().await.unwrap();
    }
    client.close().await;
    for (subscription, marks) in [(&mut first, ["a", "b"]), (&mut second, ["c", "d"])] {
        for mark in marks {
            assert_eq!(next(subscription).await.unwrap().1["mark"], mark);
        }
        assert_eq!(next(subscription).await, None);
        assert_eq!(subscription.end(), Some(SubscriptionEnd::Closed));
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_ends_as_the_server_ends_it() {
    let answers = [
        (r#""result":{"resultType":"complete"}"#, SubscriptionEnd::Graceful),
        (
            r#""error":{"code":-32603,"message":"tired"}"#,
            SubscriptionEnd::Broken(Error::Protocol {
                detail: "tired".to_owned(),
                code: Some(mcp_client::protocol::ErrorCode::INTERNAL_ERROR),
                data: None,
                delivery: Delivery::Answered,
            }),
        ),
    ];
    for (answer, end) in answers {
        let (server, builder) = listening(&tools());
        let client = connect(builder).await;
        let mut subscription = client.subscribe(filter(tools())).await.unwrap();
        server.notify(TOOLS_CHANGED, under(2, json!({})));
        server.send(format!(r#"{{"jsonrpc":"2.0","id":2,{answer}}}"#));
        // What was told before the end is still there to be fetched.
        assert_eq!(next(&mut subscription).await.unwrap().0, TOOLS_CHANGED);
        assert_eq!(next(&mut subscription).await, None);
        assert_eq!(subscription.end(), Some(end));
        // The connection goes on.
        server.on("ping").result(json!({}));
        client.ping().await.unwrap();
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_not_opened_says_why() {
    type Script = fn(&ScriptedServer);
    let cases: [(Script, &str); 4] = [
        (|server| server.on(LISTEN).error(-32601, "no", None), "offers no subscriptions"),
        (|server| server.on(LISTEN).error(-32603, "not now", None), "not now"),
        (|server| server.on(LISTEN).result(json!({})), "before it acknowledged"),
        (|server| server.on(LISTEN).silence(), "timed out after 5s (subscriptions/listen, id 2)"),
    ];
    for (script, expected) in cases {
        let (server, builder) = modern();
        script(&server);
        let client = connect(builder).await;
        let asking = client.subscribe(filter(tools())).timeout(Duration::from_secs(5));
        let error = asking.await.unwrap_err();
        assert!(error.to_string().contains(expected), "{error}");
        settle().await;
        // Nobody waits any more, and the server was told where it did not know.
        let is_told = expected.starts_with("timed out");
        assert_eq!(server.received("notifications/cancelled").len(), usize::from(is_told));
    }
    let (_server, builder) = modern();
    let error = connect(builder).await.subscribe(SubscriptionFilter::default()).await.unwrap_err();
    assert_eq!(error.delivery(), Delivery::NotSent);
}

#[tokio::test(start_paused = true)]
async fn dropping_a_subscription_or_the_wait_for_it_cancels_it() {
    let (server, builder) = listening(&tools());
    let client = connect(builder).await;
    drop(client.subscribe(filter(tools())).await.unwrap());
    settle().await;
    assert_eq!(server.received("notifications/cancelled")[0]["params"]["requestId"], 2);

    server.on(LISTEN).silence();
    let waiting = tokio::time::timeout(
        Duration::from_secs(1),
        client.subscribe(filter(tools())).into_future(),
    );
    assert!(waiting.await.is_err());
    settle().await;
    assert_eq!(server.received("notifications/cancelled")[1]["params"]["requestId"], 3);
}

/// What came between the break and the reopening is not told, so nothing kept is fresh.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_broke_off_is_opened_again_if_asked() {
    let (server, builder) = listening(&tools());
    let client = connect(builder).await;
    let page = |name: &str| {
        json!({
            "tools": [{ "name": name, "inputSchema": { "type": "object" } }],
            "ttlMs": 3_600_000, "cacheScope": "private",
        })
    };
    server.on("tools/list").result(page("before"));
    let mut subscription = client.subscribe(filter(tools())).reopen().await.unwrap();
    assert_eq!(client.list_tools().await.unwrap()[0].name, "before");
    // Ids: discover 1, listen 2, list 3; then a refused attempt 4, and one that succeeds, 5.
    server.on(LISTEN).error(-32603, "not yet", None);
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(5, &tools())).silence();
    let broken = tokio::time::Instant::now();
    server.send(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"tired"}}"#);
    assert_eq!(next(&mut subscription).await.unwrap().0, "reopened");
    // One second, and then two.
    assert_eq!(broken.elapsed().as_secs(), 3);
    assert_eq!(subscription.end(), None);
    server.on("tools/list").result(page("after"));
    assert_eq!(client.list_tools().await.unwrap()[0].name, "after");
    server.notify(TOOLS_CHANGED, under(5, json!({})));
    assert_eq!(next(&mut subscription).await.unwrap().0, TOOLS_CHANGED);
}

#[tokio::test(start_paused = true)]
async fn a_server_that_is_gone_is_not_asked_again() {
    for reopens in [false, true] {
        let (server, builder) = listening(&tools());
        let client = connect(builder).await;
        let call = client.subscribe(filter(tools()));
        let call = if reopens { call.reopen() } else { call };
        let mut subscription = call.await.unwrap();
        server.hang_up();
        assert_eq!(next(&mut subscription).await, None);
        let end = subscription.end().unwrap();
        assert!(matches!(end, SubscriptionEnd::Broken(Error::ServerGone { .. })), "{end:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_who_reads_slowly_costs_memory_or_delays_the_rest() {
    let (server, builder) = listening(&tools());
    let mut limits = Limits::default();
    limits.notifications = 10;
    let client = connect(builder.limits(limits)).await;
    let mut subscription = client.subscribe(filter(tools())).await.unwrap();
    for mark in 0..1000 {
        server.notify(TOOLS_CHANGED, under(2, json!({ "mark": mark })));
    }
    server.on("ping").result(json!({}));
    client.ping().await.unwrap();
    assert_eq!(subscription.lost(), 990);
    assert_eq!(next(&mut subscription).await.unwrap().1["mark"], 990);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_client_ends_its_subscriptions() {
    let (_server, builder) = listening(&tools());
    let client = connect(builder).await;
    let mut subscription = client.subscribe(filter(tools())).await.unwrap();
    drop(client);
    assert_eq!(next(&mut subscription).await, None);
    assert_eq!(subscription.end(), Some(SubscriptionEnd::Closed));
}

/// A legacy server with these capabilities.
fn watching(capabilities: Value) -> (ScriptedServer, ClientBuilder) {
    let (server, stream) = ScriptedServer::legacy(capabilities);
    (server, Client::builder(streams([stream])).on_warning(no_warning))
}

fn everything() -> Value {
    json!({
        "tools": { "listChanged": true },
        "resources": { "subscribe": true, "listChanged": false },
    })
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_is_asked_for_each_resource_and_its_lists_count_as_declared() {
    let (server, builder) = watching(everything());
    server.on("resources/subscribe").result(json!({}));
    server.on("resources/subscribe").error(-32002, "no such resource", None);
    let client = connect(builder).await;
    let asked = filter(json!({
        "toolsListChanged": true, "resourcesListChanged": true, "promptsListChanged": true,
        "resourceSubscriptions": ["a:1", "a:2", "a:1"],
    }));
    let mut subscription = client.subscribe(asked).await.unwrap();
    let uris: Vec<_> = server.received("resources/subscribe").into_iter().collect();
    assert_eq!(uris.iter().map(|it| &it["params"]["uri"]).collect::<Vec<_>>(), ["a:1", "a:2"]);
    let honored = json!({ "toolsListChanged": true, "resourceSubscriptions": ["a:1"] });
    assert_eq!(subscription.acknowledged(), filter(honored));
    let missing = json!({
        "resourcesListChanged": true, "promptsListChanged": true, "resourceSubscriptions": ["a:2"],
    });
    assert_eq!(subscription.missing(), filter(missing));

    server.notify(UPDATED, json!({ "uri": "a:2" }));
    server.notify("notifications/resources/list_changed", json!({}));
    server.notify(UPDATED, json!({ "uri": "a:1/inside" }));
    server.notify(UPDATED, json!({ "uri": "a:10" }));
    server.notify(TOOLS_CHANGED, json!({}));
    let heard = next(&mut subscription).await.unwrap();
    assert_eq!(heard, (UPDATED.to_owned(), json!({ "uri": "a:1/inside" })));
    assert_eq!(next(&mut subscription).await.unwrap().0, TOOLS_CHANGED);

    server.on("resources/unsubscribe").result(json!({}));
    drop(subscription);
    settle().await;
    assert_eq!(server.received("resources/unsubscribe")[0]["params"]["uri"], "a:1");
    server.finish();
}

#[tokio::test(start_paused = true)]
async fn a_resource_is_watched_until_the_last_subscription_to_it_goes() {
    let (server, builder) = watching(everything());
    server.on("resources/subscribe").always().result(json!({}));
    let client = connect(builder).await;
    let watch = || client.subscribe(filter(json!({ "resourceSubscriptions": ["a:1"] })));
    let (first, second) = (watch().await.unwrap(), watch().await.unwrap());
    drop(first);
    settle().await;
    assert!(server.received("resources/unsubscribe").is_empty());
    server.on("resources/unsubscribe").result(json!({}));
    drop(second);
    settle().await;
    assert_eq!(server.received("resources/unsubscribe").len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_legacy_server_that_offers_nothing_of_it_is_an_error() {
    let (_server, builder) = legacy();
    let error = connect(builder).await.subscribe(filter(tools())).await.unwrap_err();
    assert!(error.to_string().contains("does not offer to tell"), "{error}");
    let (server, builder) = watching(everything());
    server.on("resources/subscribe").error(-32002, "no such resource", None);
    let asked = filter(json!({ "resourceSubscriptions": ["a:1"] }));
    let error = connect(builder).await.subscribe(asked).await.unwrap_err();
    assert!(error.is_resource_not_found(), "{error}");
}
