//! Whether a server is there: ping, closing, death, and clients that are let go.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use mcp_client::{Client, Connect, Error, Memory, ResultCache, TransportError};
use mcp_testkit::{Latch, ScriptedServer, ServeEra, fixtures, serve};
use mcp_transport::{Answer, Failure, Handler, Outgoing, Transport};
use serde_json::json;
use tokio::io::split;
use tokio::time::{Instant, timeout};

use crate::support::{Warnings, client, legacy, modern, no_warning, served, settle, streams};

const SECOND: Duration = Duration::from_secs(1);

/// B-PING-1: an answer is a yes, "no such method" is a no, and anything else is an error.
#[tokio::test]
async fn a_ping_says_whether_the_server_knows_it() {
    for (server, builder) in [modern(), legacy()] {
        let client = builder.on_warning(no_warning).build().unwrap();
        server.on("ping").result(json!({}));
        server.on("ping").result(json!("odd but alive"));
        server.on("ping").error(-32601, "Method not found", None);
        server.on("ping").error(-32603, "not well", None);
        server.on("ping").hang_up();
        assert_eq!(client.ping().await, Ok(true));
        assert_eq!(client.ping().await, Ok(true));
        assert_eq!(client.ping().await, Ok(false));
        assert_eq!(client.ping().await.unwrap_err().to_string(), "not well (code -32603)");
        let error = client.ping().await.unwrap_err();
        assert!(matches!(error, Error::ServerGone { is_sent: true, .. }), "{error}");
    }
    for (era, expected) in [(ServeEra::Modern, false), (ServeEra::Legacy, true)] {
        let (client, _) = client(fixtures::server(), era);
        assert_eq!(client.ping().await, Ok(expected));
    }
}

/// B-CLOSE-1: alive is open, and not known to be dead.
#[tokio::test]
async fn a_client_is_alive_until_it_is_closed_or_its_server_is_gone() {
    let (server, stream) = ScriptedServer::modern(json!({}));
    let client = Client::builder(streams([stream])).on_warning(no_warning).build().unwrap();
    assert!(client.is_alive());
    client.era().await.unwrap();
    assert!(client.is_alive());
    server.hang_up();
    while client.is_alive() {
        tokio::task::yield_now().await;
    }
    // A server that died stays dead.
    for _ in 0..2 {
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(matches!(error, Error::ServerGone { is_sent: false, .. }), "{error}");
    }
    client.close().await;
    assert!(!client.is_alive());
}

/// B-CLOSE-2, B-CLOSE-3, B-API-4: a closed client knows only what it declared.
#[tokio::test]
async fn a_closed_client_makes_no_requests() {
    let (client, server) = client(fixtures::server(), ServeEra::Both);
    client.list_tools().await.unwrap();
    let handle = client.clone();
    client.close().await;
    client.close().await;
    handle.close().await;
    assert!(!handle.is_alive());
    let before = server.received().len();
    let closed = Error::TransportClosed { is_sent: false };
    assert_eq!(handle.era().await.unwrap_err(), closed);
    assert_eq!(handle.server().await.unwrap_err(), closed);
    assert_eq!(handle.list_tools().await.unwrap_err(), closed);
    assert_eq!(handle.call_tool("echo", ()).await.unwrap_err(), closed);
    assert_eq!(handle.read_resource("test://cached").await.unwrap_err(), closed);
    assert_eq!(handle.ping().await.unwrap_err(), closed);
    assert_eq!(handle.tool_annotations("peek").await, Default::default());
    assert_eq!(handle.stderr_tail(), "");
    assert_eq!(handle.declared_capabilities(), &Default::default());
    assert_eq!(server.received().len(), before);
}

/// B-CLOSE-2: closing clears what the client kept, and nothing else.
#[tokio::test]
async fn closing_clears_the_clients_own_results() {
    let cache = ResultCache::default();
    let server = Arc::new(fixtures::server());
    let of =
        || Client::builder(served(&server, ServeEra::Modern)).cache(cache.clone()).build().unwrap();
    let (closed, dropped, kept) = (of(), of(), of());
    for client in [&closed, &dropped, &kept] {
        client.read_resource("test://cached").await.unwrap();
    }
    assert_eq!(cache.len(), 3);
    closed.close().await;
    assert_eq!(cache.len(), 2);
    drop(dropped);
    assert_eq!(cache.len(), 1);
    kept.read_resource("test://cached").await.unwrap();
    assert_eq!(server.counters().started("test://cached"), 3);
}

/// Whoever waits when the client is closed is told, and that the request may have arrived.
#[tokio::test]
async fn closing_ends_the_calls_in_flight() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    server.on("tools/call").always().silence();
    let calls: Vec<_> = (0..3)
        .map(|_| {
            let client = client.clone();
            tokio::spawn(async move { client.call_tool("t", ()).no_timeout().await })
        })
        .collect();
    server.until_received("tools/call", 3).await;
    client.close().await;
    for call in calls {
        let error = call.await.unwrap().unwrap_err();
        assert_eq!(error, Error::TransportClosed { is_sent: true });
    }
}

/// What a server still answers after its input has ended is an answer.
#[tokio::test(start_paused = true)]
async fn an_answer_within_the_grace_is_an_answer() {
    let (client, server) = client(fixtures::server(), ServeEra::Both);
    client.era().await.unwrap();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("slow", json!({ "ms": 500 })).await }
    });
    server.counters().until_started("slow", 1).await;
    client.close().await;
    assert_eq!(support::text(&call.await.unwrap().unwrap()), "slept 500 ms");
}

/// Closing waits for nobody who connects: neither for a silent server nor for one that cannot be
/// reached.
#[tokio::test(start_paused = true)]
async fn closing_does_not_wait_for_a_connection() {
    for scripted in ["nothing", "probe", "handshake"] {
        let (server, stream) = ScriptedServer::start();
        if scripted == "handshake" {
            server.on("server/discover").error(-32601, "Method not found", None);
        }
        server.on("server/discover").always().silence();
        server.on("initialize").always().silence();
        let client = match scripted {
            "nothing" => Client::new(Unreachable::default()),
            _ => Client::new(streams([stream])),
        };
        let waiting = tokio::spawn({
            let client = client.clone();
            async move { client.list_tools().await }
        });
        settle().await;
        let start = Instant::now();
        timeout(3_600 * SECOND, client.close()).await.unwrap();
        assert_eq!(start.elapsed(), Duration::ZERO, "{scripted}");
        let error = waiting.await.unwrap().unwrap_err();
        assert_eq!(error, Error::TransportClosed { is_sent: false }, "{scripted}");
        if scripted != "nothing" {
            server.until_closed().await;
        }
        assert_eq!(server.received("notifications/initialized").len(), 0);
    }
}

/// Closing also waits for the servers that were of no use.
#[tokio::test]
async fn closing_waits_for_every_server_there_was() {
    let end = Latch::new();
    let connect = Slow { end: end.clone(), ..Slow::default() };
    let client = Client::new(connect.clone());
    client.list_tools().await.unwrap_err();
    let closing = client.close();
    tokio::pin!(closing);
    assert!(timeout(Duration::ZERO, &mut closing).await.is_err());
    end.open();
    closing.await;
    assert_eq!(connect.closed.load(Ordering::Relaxed), connect.opened.load(Ordering::Relaxed));
}

/// B-CLOSE-4: a client that is dropped lets go of its server, connected or not yet.
#[tokio::test]
async fn a_dropped_client_hangs_up() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    drop(client.clone());
    server.on("ping").result(json!({}));
    client.ping().await.unwrap();
    drop(client);
    server.until_closed().await;

    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").silence();
    let client = Client::builder(streams([stream])).probe_timeout(Duration::ZERO).build().unwrap();
    let waiting = tokio::spawn(async move { client.era().await });
    server.until_received("server/discover", 1).await;
    waiting.abort();
    server.until_closed().await;
}

/// A connection whose making panics is a connection that failed.
#[tokio::test]
async fn a_connection_that_panics_is_one_that_failed() {
    let connect = Unreachable { panics: true };
    let (builder, _) = Warnings::of(Client::builder(connect));
    let client = builder.build().unwrap();
    for _ in 0..2 {
        let error = client.list_tools().await.unwrap_err();
        assert!(error.to_string().contains("no such wire"), "{error}");
        assert_eq!(error.delivery(), mcp_client::Delivery::NotSent);
    }
}

/// However the calls of many threads and a closing cross, no server is left and everybody is told.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn closing_may_cross_anything() {
    let open = tokio::sync::watch::Sender::new(0_usize);
    for round in 0..200 {
        let counted = open.clone();
        let client = Client::builder(Memory::new(move |stream| {
            counted.send_modify(|open| *open += 1);
            let (counted, (reader, writer)) = (counted.clone(), split(stream));
            tokio::spawn(async move {
                let _ = serve(fixtures::server(), ServeEra::Both, reader, writer).await;
                counted.send_modify(|open| *open -= 1);
            });
        }));
        let client = client.on_warning(|_| ()).build().unwrap();
        let calls: Vec<_> = (0..4)
            .map(|_| {
                let client = client.clone();
                tokio::spawn(async move { client.list_tools().await })
            })
            .collect();
        if round % 2 == 0 {
            tokio::task::yield_now().await;
        }
        client.close().await;
        assert!(!client.is_alive());
        for call in calls {
            match call.await.unwrap() {
                Ok(tools) => assert!(!tools.is_empty()),
                Err(error) => assert!(matches!(error, Error::TransportClosed { .. }), "{error}"),
            }
        }
    }
    let mut open = open.subscribe();
    timeout(5 * SECOND, open.wait_for(|open| *open == 0)).await.unwrap().unwrap();
}

/// A client outlives the runtime that it connected on.
#[test]
fn a_client_may_move_to_another_runtime() {
    let runtime = || tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let server = Arc::new(fixtures::server());
    let memory = served(&server, ServeEra::Modern);
    let client = Client::new(AtSecond { then: memory, attempts: AtomicUsize::new(0) });
    let first = runtime();
    first.block_on(async {
        assert!(timeout(Duration::ZERO, client.era()).await.is_err());
        settle().await;
    });
    drop(first);
    runtime().block_on(async {
        let asked = timeout(5 * SECOND, client.era()).await.unwrap();
        assert_eq!(asked.unwrap(), mcp_client::protocol::Era::Modern);
    });
}

/// A connection that is never made.
#[derive(Debug, Default)]
struct Unreachable {
    panics: bool,
}

#[async_trait]
impl Connect for Unreachable {
    async fn connect(&self, _: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, TransportError> {
        assert!(!self.panics, "no such wire");
        std::future::pending().await
    }
}

/// A connection that is made at the second attempt; the first one never ends.
#[derive(Debug)]
struct AtSecond {
    then: Memory,
    attempts: AtomicUsize,
}

#[async_trait]
impl Connect for AtSecond {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        if self.attempts.fetch_add(1, Ordering::Relaxed) == 0 {
            std::future::pending::<()>().await;
        }
        self.then.connect(handler).await
    }
}

/// Servers that refuse everything, and take their time to end.
#[derive(Clone, Debug, Default)]
struct Slow {
    end: Latch,
    opened: Arc<AtomicUsize>,
    closed: Arc<AtomicUsize>,
}

#[async_trait]
impl Connect for Slow {
    async fn connect(&self, _: Arc<dyn Handler>) -> Result<Arc<dyn Transport>, TransportError> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        Ok(Arc::new(self.clone()))
    }
}

#[async_trait]
impl Transport for Slow {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        if request.method == "server/discover" {
            return Ok(Answer::new("{}"));
        }
        Err(Failure::after_sending(TransportError::Protocol("no".to_owned())))
    }

    async fn notify(&self, _: Outgoing) {}

    async fn close(&self) {
        self.end.opened().await;
        self.closed.fetch_add(1, Ordering::Relaxed);
    }

    fn is_alive(&self) -> bool {
        false
    }
}
