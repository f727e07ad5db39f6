//! What subscriptions hold to when a server or a connection does the less usual thing.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::protocol::SubscriptionFilter;
use mcp_client::{
    Client, ClientBuilder, Connect, Memory, Subscription, SubscriptionEnd, SubscriptionEvent,
    TransportError,
};
use mcp_testkit::{Latch, ScriptedServer};
use mcp_transport::{Answer, Failure, Handler, Outgoing, Transport};
use serde_json::{Value, json};
use tokio::sync::watch;
use tokio::time::{Instant, timeout};

use crate::support::{modern, no_warning, settle, streams};

const LISTEN: &str = "subscriptions/listen";
const ACKNOWLEDGED: &str = "notifications/subscriptions/acknowledged";
const SUBSCRIBE: &str = "resources/subscribe";
const UNSUBSCRIBE: &str = "resources/unsubscribe";

fn acknowledged(id: u64) -> Value {
    json!({
        "notifications": { "toolsListChanged": true },
        "_meta": { "io.modelcontextprotocol/subscriptionId": id },
    })
}

fn tools() -> SubscriptionFilter {
    serde_json::from_value(json!({ "toolsListChanged": true })).unwrap()
}

fn resources(uris: &[&str]) -> SubscriptionFilter {
    serde_json::from_value(json!({ "resourceSubscriptions": uris })).unwrap()
}

fn legacy_stream() -> (ScriptedServer, tokio::io::DuplexStream) {
    ScriptedServer::legacy(json!({ "resources": { "subscribe": true } }))
}

fn legacy() -> (ScriptedServer, ClientBuilder) {
    let (server, stream) = legacy_stream();
    (server, Client::builder(streams([stream])).on_warning(no_warning))
}

async fn next(subscription: &mut Subscription) -> Option<SubscriptionEvent> {
    timeout(Duration::from_secs(600), subscription.next()).await.unwrap()
}

/// `basic/patterns/subscriptions`: a server ends one by taking the request back.
#[tokio::test(start_paused = true)]
async fn a_server_ends_a_subscription_by_cancelling_its_request() {
    for id in [json!(2), json!("2")] {
        let (server, builder) = modern();
        server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(2)).silence();
        let client = builder.on_warning(no_warning).connect().await.unwrap();
        let mut subscription = client.subscribe(tools()).reopen().await.unwrap();
        server.notify("notifications/cancelled", json!({ "requestId": 77 }));
        server.notify("notifications/cancelled", json!({ "requestId": id }));
        assert!(next(&mut subscription).await.is_none());
        assert_eq!(subscription.end(), Some(SubscriptionEnd::Graceful));
    }
}

#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_cancelled_before_it_is_open_is_an_error() {
    let (server, builder) = modern();
    let cancelled = json!({ "requestId": 2 });
    server.on(LISTEN).notify("notifications/cancelled", cancelled).silence();
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    let error = client.subscribe(tools()).await.unwrap_err().to_string();
    assert!(error.contains("before it acknowledged"), "{error}");
}

/// Each break has its own delays: one that held for an hour owes nothing to the one before.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_held_is_reopened_after_a_second_again() {
    let (server, builder) = modern();
    for id in 2..8 {
        server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(id)).silence();
    }
    let client = builder.on_warning(|_| ()).connect().await.unwrap();
    let mut subscription = client.subscribe(tools()).reopen().await.unwrap();
    for id in 2..7 {
        tokio::time::advance(Duration::from_secs(3600)).await;
        let broken = Instant::now();
        server.send(format!(
            r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":""}}}}"#
        ));
        assert!(matches!(next(&mut subscription).await, Some(SubscriptionEvent::Reopened)));
        assert_eq!(broken.elapsed().as_secs(), 1, "after the end of {id}");
    }
}

/// And a server that opens and ends at once is not asked every second for ever.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_never_holds_is_reopened_ever_later() {
    let (server, builder) = modern();
    for id in 2..8 {
        let end =
            format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{{"code":-32603,"message":""}}}}"#);
        server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(id)).raw(format!("{end}\n"));
    }
    let client = builder.on_warning(|_| ()).connect().await.unwrap();
    let start = Instant::now();
    let mut subscription = client.subscribe(tools()).reopen().await.unwrap();
    for passed in [1, 3, 7, 15, 31] {
        assert!(matches!(next(&mut subscription).await, Some(SubscriptionEvent::Reopened)));
        assert_eq!(start.elapsed().as_secs(), passed);
    }
}

/// What is no longer offered is not asked for once a minute for ever.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_is_not_offered_any_more_ends() {
    let (server, builder) = modern();
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(2)).silence();
    server.on(LISTEN).always().error(-32601, "no", None);
    let client = builder.on_warning(|_| ()).connect().await.unwrap();
    let mut subscription = client.subscribe(tools()).reopen().await.unwrap();
    server.send(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"tired"}}"#);
    assert!(next(&mut subscription).await.is_none());
    assert!(matches!(subscription.end(), Some(SubscriptionEnd::Broken(_))));
}

/// A version that the server takes no longer is replaced, as for every other request.
#[tokio::test(start_paused = true)]
async fn a_subscription_goes_on_in_another_version() {
    let (server, stream) = ScriptedServer::start();
    let both = json!(["2026-07-28", "2027-01-01"]);
    server.on("server/discover").result(json!({ "supportedVersions": both, "capabilities": {} }));
    let data = json!({ "supported": ["2027-01-01"], "requested": "2026-07-28" });
    server.on(LISTEN).error(-32022, "no", Some(data));
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(3)).silence();
    let builder = Client::builder(streams([stream])).on_warning(no_warning);
    let client = builder.protocol_versions(["2026-07-28", "2027-01-01"]).build().unwrap();
    client.subscribe(tools()).await.unwrap();
}

/// Unsubscribing is ordered with the subscribing that follows it.
#[tokio::test(start_paused = true)]
async fn a_late_unsubscription_takes_nothing_from_a_later_subscription() {
    let (server, builder) = legacy();
    let latch = Latch::new();
    server.on(SUBSCRIBE).always().result(json!({}));
    server.on(UNSUBSCRIBE).after(&latch).result(json!({}));
    server.on(UNSUBSCRIBE).always().result(json!({}));
    let client = builder.connect().await.unwrap();
    drop(client.subscribe(resources(&["a:1", "a:2"])).await.unwrap());
    server.until_received(UNSUBSCRIBE, 1).await;
    let opening = tokio::spawn(client.subscribe(resources(&["a:1", "a:2"])).into_future());
    settle().await;
    latch.open();
    let _subscription = opening.await.unwrap().unwrap();
    settle().await;
    for uri in ["a:1", "a:2"] {
        let about = |it: &&Value| it["params"]["uri"] == uri;
        let messages = server.messages();
        let last = messages.iter().rfind(about).unwrap();
        assert_eq!(last["method"], SUBSCRIBE, "{uri} is watched");
    }
}

/// A server that does not answer an unsubscription keeps nothing open.
#[tokio::test(start_paused = true)]
async fn an_unanswered_unsubscription_does_not_keep_the_client_open() {
    let (server, builder) = legacy();
    server.on(SUBSCRIBE).always().result(json!({}));
    server.on(UNSUBSCRIBE).always().silence();
    let client = builder.connect().await.unwrap();
    let mut stream = client.notifications();
    drop(client.subscribe(resources(&["a:1"])).await.unwrap());
    server.until_received(UNSUBSCRIBE, 1).await;
    let dropped = Instant::now();
    drop(client);
    assert!(stream.next().await.is_none());
    server.until_closed().await;
    assert!(dropped.elapsed() < Duration::from_secs(5), "{:?}", dropped.elapsed());
}

/// The time limit is for the whole acknowledgement.
#[tokio::test(start_paused = true)]
async fn a_legacy_server_that_answers_nothing_is_waited_for_once() {
    let (server, builder) = legacy();
    server.on(SUBSCRIBE).always().silence();
    server.on(UNSUBSCRIBE).always().result(json!({}));
    let client = builder.connect().await.unwrap();
    let start = Instant::now();
    let call = client.subscribe(resources(&["a:1", "a:2", "a:3", "a:4"]));
    let error = call.timeout(Duration::from_secs(5)).await.unwrap_err().to_string();
    assert!(error.contains("timed out"), "{error}");
    assert_eq!(start.elapsed().as_secs(), 5);
}

/// What may have been subscribed, though no answer said so, is taken back.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_was_not_waited_for_is_taken_back() {
    let (server, builder) = legacy();
    server.on(SUBSCRIBE).always().silence();
    server.on(UNSUBSCRIBE).always().result(json!({}));
    let client = builder.connect().await.unwrap();
    let call = client.subscribe(resources(&["a:1"])).timeout(Duration::from_secs(5));
    call.await.unwrap_err();
    settle().await;
    assert_eq!(server.received(UNSUBSCRIBE).len(), 1);
}

/// A connection whose session the server ends when the test says so.
#[derive(Debug)]
struct Expiring {
    memory: Memory,
    /// How many of the connections made so far have expired.
    expired: watch::Receiver<usize>,
    made: AtomicUsize,
    /// How many requests to listen are still to fail before they are sent.
    failing: Arc<AtomicUsize>,
}

impl Expiring {
    fn new(memory: Memory) -> (Self, watch::Sender<usize>) {
        let (expire, expired) = watch::channel(0);
        (Self { memory, expired, made: 0.into(), failing: Arc::default() }, expire)
    }
}

#[derive(Debug)]
struct Session {
    transport: Arc<dyn Transport>,
    number: usize,
    expired: watch::Receiver<usize>,
    failing: Arc<AtomicUsize>,
}

#[async_trait]
impl Connect for Expiring {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        let number = self.made.fetch_add(1, Ordering::Relaxed);
        let transport = self.memory.connect(handler).await?;
        let (expired, failing) = (self.expired.clone(), Arc::clone(&self.failing));
        Ok(Arc::new(Session { transport, number, expired, failing }))
    }
}

#[async_trait]
impl Transport for Session {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        if !self.is_alive() {
            return Err(Failure::before_sending(TransportError::SessionExpired));
        }
        let fewer = |failing: usize| failing.checked_sub(1);
        if request.method == LISTEN
            && self.failing.fetch_update(Ordering::Relaxed, Ordering::Relaxed, fewer).is_ok()
        {
            let error = TransportError::Protocol("no credentials just now".to_owned());
            return Err(Failure::before_sending(error));
        }
        self.transport.request(request).await
    }

    async fn notify(&self, message: Outgoing) {
        self.transport.notify(message).await;
    }

    async fn close(&self) {
        self.transport.close().await;
    }

    async fn ended(&self) -> TransportError {
        let mut expired = self.expired.clone();
        let _ = expired.wait_for(|expired| *expired > self.number).await;
        TransportError::SessionExpired
    }

    fn is_alive(&self) -> bool {
        *self.expired.borrow() <= self.number
    }
}

/// A session that the server has ended is renewed for a subscription as for every other call.
#[tokio::test(start_paused = true)]
async fn a_subscription_is_opened_in_a_new_session_where_the_old_one_has_ended() {
    let (first, one) = legacy_stream();
    let (second, two) = legacy_stream();
    let (connect, expire) = Expiring::new(streams([one, two]));
    let client = Client::builder(connect).on_warning(no_warning).connect().await.unwrap();
    expire.send(1).unwrap();
    second.on(SUBSCRIBE).result(json!({}));
    let subscription = client.subscribe(resources(&["a:1"])).await.unwrap();
    assert_eq!(subscription.acknowledged(), resources(&["a:1"]));
    assert!(first.received(SUBSCRIBE).is_empty());
}

/// One that was open is opened again in the new session.
#[tokio::test(start_paused = true)]
async fn a_legacy_subscription_follows_the_client_into_a_new_session() {
    let (first, one) = legacy_stream();
    let (second, two) = legacy_stream();
    let (connect, expire) = Expiring::new(streams([one, two]));
    let client = Client::builder(connect).on_warning(|_| ()).connect().await.unwrap();
    first.on(SUBSCRIBE).result(json!({}));
    let mut subscription = client.subscribe(resources(&["a:1"])).reopen().await.unwrap();
    second.on(SUBSCRIBE).result(json!({}));
    expire.send(1).unwrap();
    assert!(matches!(next(&mut subscription).await, Some(SubscriptionEvent::Reopened)));
    second.notify("notifications/resources/updated", json!({ "uri": "a:1" }));
    assert!(matches!(next(&mut subscription).await, Some(SubscriptionEvent::Changed(_))));
}

/// A new session may offer less; where it offers nothing of it, waiting is no use.
#[tokio::test(start_paused = true)]
async fn a_legacy_subscription_ends_with_a_session_that_does_not_offer_it() {
    let (first, one) = legacy_stream();
    let (_second, two) = ScriptedServer::legacy(json!({}));
    let (connect, expire) = Expiring::new(streams([one, two]));
    let client = Client::builder(connect).on_warning(|_| ()).connect().await.unwrap();
    first.on(SUBSCRIBE).result(json!({}));
    let mut subscription = client.subscribe(resources(&["a:1"])).reopen().await.unwrap();
    expire.send(1).unwrap();
    assert!(next(&mut subscription).await.is_none());
    assert!(matches!(subscription.end(), Some(SubscriptionEnd::Broken(_))));
}

/// What could not be sent this time, for want of credentials perhaps, is sent the next.
#[tokio::test(start_paused = true)]
async fn a_subscription_that_could_not_be_asked_for_is_asked_for_again() {
    let (server, stream) = ScriptedServer::modern(json!({}));
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(2)).silence();
    server.on(LISTEN).notify(ACKNOWLEDGED, acknowledged(4)).silence();
    let (connect, _expire) = Expiring::new(streams([stream]));
    let failing = Arc::clone(&connect.failing);
    let client = Client::builder(connect).on_warning(|_| ()).connect().await.unwrap();
    let mut subscription = client.subscribe(tools()).reopen().await.unwrap();
    failing.store(1, Ordering::Relaxed);
    server.send(r#"{"jsonrpc":"2.0","id":2,"error":{"code":-32603,"message":"tired"}}"#);
    assert!(matches!(next(&mut subscription).await, Some(SubscriptionEvent::Reopened)));
}
