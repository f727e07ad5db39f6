//! Making a client: what can be set, what is refused, and what is sent by default.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::protocol::{Implementation, LoggingLevel};
use mcp_client::{
    Client, ClientBuilder, Connect, Error, Memory, Notifications, ResultCache, Stdio,
};
use mcp_testkit::{ScriptedServer, ServeEra, fixtures};
use serde_json::{Value, json};

use crate::support::{
    CAPABILITIES, CLIENT_INFO, LOG_LEVEL, Nowhere, STAMP, Warnings, modern, served, streams, text,
};

/// B-OPT-2: each refusal names the option.
#[test]
fn an_option_that_cannot_work_is_refused_and_named() {
    type Set = fn(ClientBuilder) -> ClientBuilder;
    let none: [&str; 0] = [];
    assert!(Client::builder(Nowhere::default()).protocol_versions(none).build().is_err());
    let cases: &[(&str, Set, &str)] = &[
        ("protocol_versions", |it| it.protocol_versions(Vec::<String>::new()), "at least one"),
        ("protocol_versions", |it| it.protocol_versions([""]), "empty"),
        ("protocol_versions", |it| it.protocol_versions(["2026-07-28", ""]), "empty"),
        ("protocol_versions", |it| it.protocol_versions(["2025-11-25"]), "2025-11-25"),
        ("protocol_versions", |it| it.protocol_versions(["2026-07-28", "2024-11-05"]), "handshake"),
        ("max_input_rounds", |it| it.max_input_rounds(0), "at least 1"),
        ("tool_concurrency", |it| it.tool_concurrency(0), "at least 1"),
    ];
    for (option, set, reason) in cases {
        let refused = set(Client::builder(Nowhere::default())).build().unwrap_err();
        assert_eq!(refused.option, *option);
        assert!(refused.reason.contains(reason), "{refused}");
        assert!(refused.to_string().starts_with(option), "{refused}");
    }
    let works: &[Set] = &[
        |it| it.max_input_rounds(1),
        |it| it.tool_concurrency(1),
        |it| it.protocol_versions(["2027-01-01", "2026-07-28"]),
        |it| it.request_timeout(Duration::ZERO).probe_timeout(Duration::ZERO),
        |it| it.request_timeout(Duration::MAX),
    ];
    for set in works {
        assert!(set(Client::builder(Nowhere::default())).build().is_ok());
    }
}

/// B-OPT-2: connecting refuses the same options, as an error of the client.
#[tokio::test]
async fn an_option_that_cannot_work_fails_before_anything_is_started() {
    let nowhere = Nowhere::default();
    let refused = Client::builder(nowhere.clone()).tool_concurrency(0).connect().await;
    assert!(matches!(refused, Err(Error::InvalidOption(_))), "{refused:?}");
    assert_eq!(nowhere.attempts(), 0);
}

/// B-OPT-3.
#[tokio::test]
async fn nothing_is_started_or_sent_until_it_is_needed() {
    let connections = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&connections);
    let memory = Memory::new(move |_stream| {
        counted.fetch_add(1, Ordering::Relaxed);
    });
    let client = Client::new(memory);
    let _listening = client.notifications();
    let call = client.list_tools();
    assert!(client.is_alive());
    assert_eq!(client.stderr_tail(), "");
    assert!(client.declared_capabilities() == &Default::default());
    drop(call);
    client.close().await;
    assert_eq!(connections.load(Ordering::Relaxed), 0);
}

/// B-OPT-4, B-OPT-5: whatever connects, connects; the options of a client are the same for all.
#[tokio::test]
async fn anything_that_connects_will_do() {
    let server = Arc::new(fixtures::server());
    let connects: [Arc<dyn Connect>; 2] = [
        Arc::new(served(&server, ServeEra::Modern)),
        Arc::new(Arc::new(served(&server, ServeEra::Legacy)) as Arc<dyn Connect>),
    ];
    for connect in connects {
        let client = Client::builder(connect)
            .client_info(Implementation::new("my-agent", "7"))
            .max_input_rounds(2)
            .connect()
            .await
            .unwrap();
        let answer = client.call_tool("echo", json!({ "text": "hello" })).await.unwrap();
        assert_eq!(text(&answer), "hello");
        client.close().await;
    }
    let infos: Vec<Value> = server
        .received()
        .iter()
        .filter_map(|it| {
            let params = &it["params"];
            params["_meta"].get(CLIENT_INFO).or_else(|| params.get("clientInfo")).cloned()
        })
        .collect();
    assert!(infos.len() >= 3, "{infos:?}");
    assert!(infos.iter().all(|info| *info == json!({ "name": "my-agent", "version": "7" })));
}

/// B-OPT-7: what the wire has to say reaches the same hook.
#[tokio::test]
async fn warnings_of_the_wire_reach_the_hook() {
    let (server, builder) = modern();
    let (builder, warnings) = Warnings::of(builder);
    let client = builder.connect().await.unwrap();
    server.on("tools/list").line("Listening on port 80").result(json!({ "tools": [] }));
    client.list_tools().await.unwrap();
    assert!(warnings.one().contains("Listening on port 80"));
}

/// B-LOG-6: a hook for warnings that fails has nobody left to tell, and hurts nothing.
#[tokio::test]
async fn a_hook_for_warnings_that_panics_is_ignored() {
    let (server, builder) = modern();
    let client = builder.on_warning(|warning| panic!("{warning}")).build().unwrap();
    // One from the task that reads, and one from the caller's.
    server.on("tools/list").line("noise").result(json!({ "tools": [7] }));
    assert_eq!(client.list_tools().await.unwrap().len(), 0);
}

/// B-API-2, B-API-3, B-LOG-5, spec 7: what every modern request says about its sender.
#[tokio::test]
async fn every_modern_request_is_stamped() {
    let named = json!({ "name": "mcp-client", "version": env!("CARGO_PKG_VERSION") });
    type Set = fn(ClientBuilder) -> ClientBuilder;
    let cases: [(Set, Value, Value); 3] = [
        (|it| it, named.clone(), Value::Null),
        (|it| it.log_level(LoggingLevel::Info), named, json!("info")),
        (|it| it.client_info(Implementation::new("", "")), Value::Null, Value::Null),
    ];
    for (set, info, level) in cases {
        let (server, builder) = modern();
        for method in ["tools/list", "tools/call", "ping"] {
            server.on(method).result(json!({ "tools": [], "content": [] }));
        }
        let client = set(builder).build().unwrap();
        client.list_tools().await.unwrap();
        client.call_tool("any", ()).await.unwrap();
        client.ping().await.unwrap();
        assert_eq!(server.methods(), ["server/discover", "tools/list", "tools/call", "ping"]);
        for message in server.messages() {
            let meta = &message["params"]["_meta"];
            assert_eq!(meta[STAMP], "2026-07-28", "{message}");
            assert_eq!(meta[CAPABILITIES], json!({}), "{message}");
            assert_eq!(meta[CLIENT_INFO], info, "{message}");
            assert_eq!(meta[LOG_LEVEL], level, "{message}");
        }
    }
}

/// B-ERA-3, B-OPT-2: of several versions the first is tried first.
#[tokio::test]
async fn the_preferred_version_is_asked_for_first() {
    let (server, stream) = ScriptedServer::start();
    server
        .on("server/discover")
        .result(json!({ "supportedVersions": ["2026-07-28", "2027-01-01"] }));
    let versions = ["2027-01-01", "2026-07-28"];
    let client = Client::builder(streams([stream])).protocol_versions(versions).build().unwrap();
    assert_eq!(client.protocol_version().await.unwrap().as_str(), "2027-01-01");
    assert_eq!(server.messages()[0]["params"]["_meta"][STAMP], "2027-01-01");
}

#[test]
fn what_is_shared_can_be_shared() {
    fn assert_send_sync<T: Send + Sync>() {}
    fn assert_send<T: Send>() {}
    assert_send_sync::<Client>();
    assert_send_sync::<ClientBuilder>();
    assert_send_sync::<Error>();
    assert_send_sync::<Notifications>();
    assert_send_sync::<ResultCache>();
    assert_send::<mcp_client::Call<()>>();
}

/// What a client shows of itself holds no secrets, and does not wait for the server.
#[test]
fn a_client_can_be_printed() {
    let client = Client::new(Stdio::new("mcp-x").env("TOKEN", "hunter2"));
    let shown = format!("{client:?} {:?}", Client::builder(Stdio::new("mcp-y")));
    assert!(shown.contains("mcp-x") && shown.contains("mcp-y"), "{shown}");
    assert!(!shown.contains("hunter2"), "{shown}");
}
