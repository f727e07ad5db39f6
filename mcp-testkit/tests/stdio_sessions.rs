//! Whole sessions with a server in a process of its own.

#![cfg(unix)]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json!() reads better without a reference")]

mod processes;
mod servers;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::{Era, LoggingLevel};
use mcp_client::{Client, ClientBuilder, Error, Stdio};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use crate::processes::Tag;
use crate::servers::{Recorder, failed, sh, until};

/// A client of a fixture server, what it was told, and the mark of the server's processes.
struct Session {
    client: Client,
    told: Arc<Recorder>,
    tag: Tag,
}

impl Session {
    fn start(args: &[&str], configure: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        Self::with(Stdio::new(env!("CARGO_BIN_EXE_fixture-server")).args(args), configure)
    }

    fn with(server: Stdio, configure: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        let tag = Tag::new("session");
        let told = Arc::new(Recorder::default());
        let (warnings, logs) = (Arc::clone(&told), Arc::clone(&told));
        let builder = Client::builder(tag.mark(server))
            .on_warning(move |warning| warnings.push(format!("warning {warning}")))
            .on_log(move |log| logs.push(format!("log {}", log.data)));
        Self { client: configure(builder).build().unwrap(), told, tag }
    }

    fn calling(&self, tool: &'static str, arguments: Value) -> JoinHandle<Result<String, Error>> {
        let client = self.client.clone();
        tokio::spawn(async move { call(&client, tool, arguments).await })
    }

    async fn call(&self, tool: &str, arguments: Value) -> Result<String, Error> {
        call(&self.client, tool, arguments).await
    }

    async fn end(self) {
        self.client.close().await;
        assert!(!self.client.is_alive());
        assert_eq!(self.tag.left_after(Duration::from_secs(1)).await, 0);
    }
}

async fn call(client: &Client, tool: &str, arguments: Value) -> Result<String, Error> {
    let result = client.call_tool(tool, arguments).await?;
    Ok(result.content.iter().filter_map(|block| block.as_text()).collect())
}

#[tokio::test]
async fn a_server_of_both_eras_is_used_in_the_modern_one() {
    let session = Session::start(&[], |it| it);
    let server = session.client.server().await.unwrap();
    assert_eq!(server.era, Era::Modern);
    assert_eq!(server.protocol_version.as_str(), "2026-07-28");
    assert_eq!((&*server.info.name, &*server.info.version), ("fixture-server", "0.1.0"));
    assert!(session.client.is_alive());
    assert!(session.client.list_tools().await.unwrap().iter().any(|tool| tool.name == "echo"));
    assert_eq!(session.call("echo", json!({ "text": "héllo" })).await.unwrap(), "héllo");
    let resource = session.client.read_resource("test://cached").await.unwrap();
    assert!(serde_json::to_string(&*resource).unwrap().contains("cached body"));
    let prompt = session.client.get_prompt("greeting", json!({ "name": "Ada" })).await.unwrap();
    assert!(serde_json::to_string(&prompt).unwrap().contains("Hello, Ada!"));
    assert_eq!(session.told.lines(), [""; 0]);
    session.end().await;
}

#[tokio::test]
async fn a_legacy_server_is_used_after_a_handshake() {
    let session = Session::start(&["--era", "legacy"], |it| it);
    let server = session.client.server().await.unwrap();
    assert_eq!(server.era, Era::Legacy);
    assert_eq!(server.protocol_version.as_str(), "2025-11-25");
    assert_eq!(server.info.name, "fixture-server");
    assert!(server.capabilities.logging.is_some());
    assert!(!session.client.list_tools().await.unwrap().is_empty());
    assert!(session.client.ping().await.unwrap());
    session.end().await;
}

#[tokio::test]
async fn two_calls_that_need_each_other_are_both_under_way() {
    let session = Session::start(&[], |it| it);
    let waiting = session.calling("gate_wait", json!({}));
    assert_eq!(session.call("gate_open", json!({})).await.unwrap(), "opened");
    assert_eq!(waiting.await.unwrap().unwrap(), "waited");
    session.end().await;
}

#[tokio::test]
async fn a_log_comes_once_whoever_waits() {
    // B-STDIO-25
    let session = Session::start(&[], |it| it.log_level(LoggingLevel::Info));
    let mut heard = session.client.notifications();
    let arguments = || json!({ "level": "info", "text": "something" });
    assert_eq!(session.call("noisy", arguments()).await.unwrap(), "logged at info");
    assert_eq!(session.told.lines(), ["log \"something\""], "before the answer");
    assert_eq!(heard.next().await.unwrap().method, "notifications/message");
    let waiting = session.calling("gate_wait", json!({}));
    assert_eq!(session.call("noisy", arguments()).await.unwrap(), "logged at info");
    assert_eq!(session.told.count("log"), 2);
    assert_eq!(session.call("gate_open", json!({})).await.unwrap(), "opened");
    waiting.await.unwrap().unwrap();
    session.end().await;
}

#[tokio::test]
async fn a_crash_fails_every_call_with_the_servers_last_words() {
    let session = Session::start(&[], |it| it);
    let waiting = session.calling("gate_wait", json!({}));
    session.call("echo", json!({ "text": "up" })).await.unwrap();
    let arguments = json!({ "code": 3, "message": "out of cheese" });
    let crashed = session.call("crash", arguments).await.unwrap_err();
    for error in [crashed, waiting.await.unwrap().unwrap_err()] {
        assert!(error.to_string().contains("exited with code 3"), "{error}");
        assert!(error.to_string().contains("out of cheese"), "{error}");
        let Error::ServerGone { gone, is_sent: true, .. } = error else { panic!("{error:?}") };
        assert_eq!((gone.exit_code, gone.signal), (Some(3), None));
        assert_eq!(gone.stderr_tail, "out of cheese");
    }
    assert!(!session.client.is_alive());
    assert_eq!(session.client.stderr_tail(), "out of cheese");
    let later = session.call("echo", json!({ "text": "up?" })).await.unwrap_err();
    assert!(matches!(later, Error::ServerGone { is_sent: false, .. }), "{later:?}");
    session.end().await;
}

#[tokio::test]
async fn a_banner_costs_one_warning() {
    let session = Session::start(&[], |it| it);
    let arguments = json!({ "text": "*** starting ***" });
    assert_eq!(session.call("banner", arguments).await.unwrap(), "banner printed");
    let warnings = session.told.lines();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].starts_with("warning dropped a line of output"));
    assert!(warnings[0].contains("*** starting ***"));
    assert_eq!(session.call("echo", json!({ "text": "next" })).await.unwrap(), "next");
    session.end().await;
}

#[tokio::test]
async fn what_cannot_be_started_fails_the_first_use() {
    for (settings, word) in [
        (Stdio::new("no-such-command-here"), "no-such-command-here"),
        (sh("true").current_dir("/no/such/directory"), "/no/such/directory"),
    ] {
        let session = Session::with(settings, |it| it);
        let error = session.client.list_tools().await.unwrap_err();
        assert!(matches!(error, Error::SpawnFailed { .. }), "{error:?}");
        assert!(error.to_string().contains(word), "{error}");
        session.end().await;
    }
}

#[tokio::test]
async fn closing_fails_a_call_that_is_under_way() {
    let settings = Stdio::new(env!("CARGO_BIN_EXE_fixture-server"));
    let session = Session::with(settings.kill_grace(Duration::from_millis(200)), |it| it);
    session.call("echo", json!({ "text": "up" })).await.unwrap();
    let waiting = session.calling("gate_wait", json!({}));
    session.call("echo", json!({ "text": "behind it" })).await.unwrap();
    session.client.close().await;
    let error = waiting.await.unwrap().unwrap_err();
    assert!(matches!(error, Error::TransportClosed { is_sent: true, .. }), "{error:?}");
    session.end().await;
}

#[tokio::test]
async fn a_timeout_leaves_the_connection_usable_and_the_late_answer_is_dropped() {
    // B-STDIO-9.  A legacy server that was told of it would not answer, so this one is deaf.
    let settings = servers::script(&json!({
        "tools/call": [],
        "notifications/cancelled": [
            { "line": "{\"jsonrpc\":\"2.0\",\"id\":PENDING,\"result\":{\"content\":[]}}" },
        ],
        "tools/call#2": [{ "default": true }],
    }));
    let session = Session::with(settings, |it| it.request_timeout(Duration::from_millis(300)));
    session.client.server().await.unwrap();
    let error = session.call("echo", json!({ "text": "slow" })).await.unwrap_err();
    assert!(matches!(error, Error::Timeout { seconds: 0.3, .. }), "{error:?}");
    assert!(session.client.is_alive());
    session.told.wait_for("warning dropped a late answer to request").await;
    assert_eq!(session.call("echo", json!({ "text": "next" })).await.unwrap(), "next");
    session.end().await;
}

#[tokio::test]
async fn a_short_grace_closes_promptly() {
    let server = servers::Server::start(sh("exec sleep 60").kill_grace(Duration::from_millis(500)));
    let waiting = server.asking(1, "ask");
    until("it is sent", || format!("{:?}", server.transport).contains("pending: 1")).await;
    let closing = mcp_transport::Transport::close(&*server.transport);
    timeout(Duration::from_secs(2), closing).await.unwrap();
    assert_eq!(failed(waiting.await.unwrap()), ("the connection is closed".to_owned(), true));
}

#[tokio::test]
async fn what_a_server_asks_is_answered_where_servers_may_ask() {
    // B-STDIO-29, B-STDIO-30, B-STDIO-31
    let question = |id: &str, method: &str| json!({ "line": format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"{method}\"}}") });
    let answer = "{\"jsonrpc\":\"2.0\",\"id\":PENDING,\"result\":{\"resultType\":\"complete\",\"content\":[]}}";
    let ask = [question("\"p\"", "ping"), question("77", "no/such"), json!({ "line": answer })];
    for is_modern in [false, true] {
        let log = std::env::temp_dir().join(Tag::new("asked").name());
        let case = json!({ "modern": is_modern, "script": { "tools/call": ask, "": [] } });
        let settings = Stdio::new(env!("CARGO_BIN_EXE_script-server")).arg(case.to_string());
        let session = Session::with(settings.env("SCRIPT_LOG", &log), |it| it);
        assert_eq!(session.call("echo", json!({})).await.unwrap(), "");
        let seen = || std::fs::read_to_string(&log).unwrap();
        if !is_modern {
            until("both are answered", || seen().contains("\"p\"") && seen().contains("77")).await;
        }
        session.client.close().await;
        let seen = seen();
        let refusal = "{\"jsonrpc\":\"2.0\",\"id\":77,\"error\":{\"code\":-32601,\
                       \"message\":\"Method not found: no/such\"}}";
        assert_eq!(seen.contains(refusal), !is_modern, "{seen}");
        assert_eq!(seen.contains("\"id\":\"p\",\"result\":{}"), !is_modern, "{seen}");
        let warnings = session.told.lines();
        assert!(warnings.iter().any(|line| line.contains("no/such")), "{warnings:?}");
        std::fs::remove_file(&log).unwrap();
        session.end().await;
    }
}
