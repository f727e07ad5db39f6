//! Results that are kept: for how long, for whom, and until what.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::ready;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::ElicitResult;
use mcp_client::{CacheLimits, Client, Listing, Memory, ResultCache};
use mcp_testkit::{Latch, ScriptedServer, ServeEra, Server, fixtures};
use serde_json::{Value, json};
use tokio::time::advance;

use crate::support::{client, legacy, modern, no_warning, served, settle, streams};

fn kept(ttl: impl Into<Value>) -> Value {
    json!({ "tools": [], "resources": [], "resourceTemplates": [], "prompts": [], "contents": [],
            "ttlMs": ttl.into(), "cacheScope": "private" })
}

async fn ask(client: &Client, method: &str) {
    match method {
        "tools/list" => drop(client.list_tools().await.unwrap()),
        "resources/list" => drop(client.list_resources().await.unwrap()),
        "resources/templates/list" => drop(client.list_resource_templates().await.unwrap()),
        "prompts/list" => drop(client.list_prompts().await.unwrap()),
        _ => drop(client.read_resource("test://a").await.unwrap()),
    }
}

const METHODS: [&str; 5] =
    ["tools/list", "resources/list", "resources/templates/list", "prompts/list", "resources/read"];

/// B-API-10, spec 35, 41: as long as the server says, from the moment it came.
#[tokio::test(start_paused = true)]
async fn a_result_is_kept_as_long_as_the_server_says() {
    for method in METHODS {
        let (server, builder) = modern();
        let client = builder.on_warning(no_warning).build().unwrap();
        server.on(method).always().result(kept(60_000));
        for (pause, expected) in [(0, 1), (0, 1), (59_999, 1), (1, 2), (59_999, 2), (60_000, 3)] {
            advance(Duration::from_millis(pause)).await;
            ask(&client, method).await;
            assert_eq!(server.received(method).len(), expected, "{method} {pause}");
        }
    }
}

/// B-API-10, spec 41: what is not to be kept is asked for again, and a legacy server's always.
#[tokio::test]
async fn a_result_that_is_not_to_be_kept_is_asked_for_again() {
    let ttls = [json!(0), json!(-5), Value::Null, json!(true), json!("60000")];
    for method in METHODS {
        for ttl in &ttls {
            let (server, builder) = modern();
            let client = builder.on_warning(no_warning).build().unwrap();
            server.on(method).always().result(kept(ttl.clone()));
            ask(&client, method).await;
            ask(&client, method).await;
            assert_eq!(server.received(method).len(), 2, "{method} {ttl}");
        }
        let (server, builder) = legacy();
        let client = builder.on_warning(no_warning).build().unwrap();
        server.on(method).always().result(kept(60_000));
        ask(&client, method).await;
        ask(&client, method).await;
        assert_eq!(server.received(method).len(), 2, "{method}");
    }
}

/// B-API-10: a refresh asks the server, and keeps the new result.
#[tokio::test]
async fn a_refresh_asks_the_server() {
    let (client, server) =
        client(fixtures::server().cache("tools/list", 60_000, "public"), ServeEra::Modern);
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(server.received_method("tools/list").len(), 1);
    client.list_tools().refresh().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(server.received_method("tools/list").len(), 2);
    for (refresh, expected) in [(false, 1), (false, 1), (true, 2), (false, 2)] {
        let read = client.read_resource("test://cached");
        let read = if refresh { read.refresh() } else { read };
        assert_eq!(read.await.unwrap().contents[0].text.as_deref(), Some("cached body"));
        assert_eq!(server.counters().started("test://cached"), expected);
    }
    client.read_resource("test://volatile").await.unwrap();
    client.read_resource("test://volatile").await.unwrap();
    assert_eq!(server.counters().started("test://volatile"), 2);
}

/// Spec 36, B-API-12, B-CLOSE-2: a cache that is shared keeps servers and requests apart.
#[tokio::test]
async fn a_shared_cache_keeps_apart_what_differs() {
    let cache = ResultCache::default();
    let of = |name: &str| {
        let server = Arc::new(fixtures::server().cache("tools/list", 60_000, "public"));
        server
            .tools()
            .insert(mcp_testkit::Tool::new(format!("tool of {name}"), |_, _| async { "" }));
        let client = Client::builder(served(&server, ServeEra::Modern)).cache(cache.clone());
        (client.build().unwrap(), server)
    };
    let ((one, first), (two, second)) = (of("one"), of("two"));
    let is_there = |tools: Listing<mcp_client::protocol::Tool>, name: &str| {
        tools.iter().any(|it| it.name == name)
    };
    for _ in 0..2 {
        assert!(is_there(one.list_tools().await.unwrap(), "tool of one"));
        assert!(is_there(two.list_tools().await.unwrap(), "tool of two"));
        one.read_resource("test://cached").await.unwrap();
        one.read_resource("test://notes/a").await.unwrap();
    }
    assert_eq!(first.received_method("tools/list").len(), 1);
    assert_eq!(second.received_method("tools/list").len(), 1);
    assert_eq!(cache.len(), 3);
    assert!(format!("{cache:?}").contains('3'));
    one.close().await;
    assert_eq!(cache.len(), 1);
}

/// Spec 37, 35: the narrowest scope and the shortest time of all pages count.
#[tokio::test(start_paused = true)]
async fn a_list_is_kept_as_its_strictest_page_allows() {
    let page = |ttl: Value, next: Option<&str>| {
        let mut page = kept(ttl);
        if let Some(next) = next {
            page["nextCursor"] = json!(next);
        }
        page
    };
    let (long, short) = (json!(60_000), json!(1_000));
    let cases = [
        ([long.clone(), short.clone()], true),
        ([short, long.clone()], true),
        ([long.clone(), Value::Null], false),
        ([Value::Null, long], false),
    ];
    for (ttls, lives) in cases {
        let (server, builder) = modern();
        let client = builder.on_warning(no_warning).build().unwrap();
        for _ in 0..2 {
            server.on("tools/list").result(page(ttls[0].clone(), Some("2")));
            server.on("tools/list").result(page(ttls[1].clone(), None));
        }
        client.list_tools().await.unwrap();
        advance(Duration::from_millis(999)).await;
        client.list_tools().await.unwrap();
        assert_eq!(server.received("tools/list").len(), if lives { 2 } else { 4 });
        if lives {
            advance(Duration::from_millis(1)).await;
            client.list_tools().await.unwrap();
            assert_eq!(server.received("tools/list").len(), 4);
        }
    }
}

/// Spec 21, 38, B-API-11: a result that took input answers more than its request.
#[tokio::test]
async fn a_result_after_input_is_not_kept() {
    let server = Arc::new(fixtures::server());
    let client = Client::builder(served(&server, ServeEra::Modern))
        .on_elicit(|_| ready(Ok(ElicitResult::decline())))
        .build()
        .unwrap();
    for expected in 1..=2 {
        let read = client.read_resource("test://asked").await.unwrap();
        assert_eq!(read.contents[0].text.as_deref(), Some("Nobody, then."));
        assert_eq!(server.counters().started("test://asked"), expected);
    }
}

/// Spec 39, B-API-13: a change makes stale what it is about, and nothing else; at once, so that a
/// listener may ask.
#[tokio::test]
async fn a_change_makes_stale_what_it_is_about() {
    let cases = [
        ("notifications/tools/list_changed", json!({}), &["tools/list"][..]),
        ("notifications/prompts/list_changed", json!({}), &["prompts/list"]),
        (
            "notifications/resources/list_changed",
            json!({}),
            &["resources/list", "resources/templates/list"],
        ),
        ("notifications/resources/updated", json!({ "uri": "test://a" }), &["resources/read"]),
        ("notifications/resources/updated", json!({ "uri": "test://b" }), &[]),
        ("notifications/resources/updated", json!({}), &[]),
        ("notifications/vendor", json!({}), &[]),
    ];
    for (notification, params, stale) in cases {
        let (server, builder) = modern();
        let client = builder.on_warning(no_warning).connect().await.unwrap();
        for method in METHODS {
            server.on(method).always().result(kept(60_000));
            ask(&client, method).await;
        }
        let mut stream = client.notifications();
        server.notify(notification, params.clone());
        stream.next().await.unwrap();
        for method in METHODS {
            ask(&client, method).await;
            let expected = 1 + usize::from(stale.contains(&method));
            assert_eq!(server.received(method).len(), expected, "{notification} {params} {method}");
        }
    }
}

/// Spec 39: what was asked for before a change and comes after it is stale as well.
#[tokio::test]
async fn a_change_overtakes_what_is_under_way() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).connect().await.unwrap();
    let latch = Latch::new();
    server.on("tools/list").after(&latch).result(kept(60_000));
    server.on("tools/list").always().result(kept(60_000));
    let listing = tokio::spawn({
        let client = client.clone();
        async move { client.list_tools().await }
    });
    server.until_received("tools/list", 1).await;
    server.notify("notifications/tools/list_changed", json!({}));
    settle().await;
    latch.open();
    listing.await.unwrap().unwrap();
    for expected in [2, 2] {
        client.list_tools().await.unwrap();
        assert_eq!(server.received("tools/list").len(), expected);
    }
}

/// The cache holds no more than it may.
#[tokio::test]
async fn a_cache_holds_no_more_than_it_may() {
    let limited = |entries, bytes| {
        let cache = ResultCache::new(CacheLimits { entries, bytes });
        let server: Arc<Server> =
            Arc::new(fixtures::server().cache("tools/list", 60_000, "public"));
        let memory: Memory = served(&server, ServeEra::Modern);
        (Client::builder(memory).cache(cache.clone()).build().unwrap(), cache)
    };
    for (entries, bytes, expected) in
        [(1, 1 << 20, 1), (0, 1 << 20, 0), (9, 1_000, 1), (9, 1 << 20, 2)]
    {
        let (client, cache) = limited(entries, bytes);
        client.list_tools().await.unwrap();
        client.read_resource("test://cached").await.unwrap();
        assert_eq!(cache.len(), expected, "{entries} {bytes}");
        assert_eq!(cache.is_empty(), expected == 0);
    }
}

/// B-ERA-1: the era is found out even for what could be answered without it.
#[tokio::test]
async fn the_cache_is_asked_once_there_is_a_connection() {
    let (server, stream) = ScriptedServer::modern(json!({}));
    server.on("tools/list").result(kept(60_000));
    let client = Client::new(streams([stream]));
    client.list_tools().await.unwrap();
    client.list_tools().await.unwrap();
    assert_eq!(server.methods(), ["server/discover", "tools/list"]);
    server.finish();
}
