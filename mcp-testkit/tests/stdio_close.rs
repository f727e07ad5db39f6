//! The end that this side wants: gentle first, certain always.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod processes;
mod servers;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::Stdio;
use mcp_transport::{Outgoing, StdioTransport, Transport};
use serde_json::json;
use tokio::runtime::Builder;
use tokio::time::{Instant, timeout};

use crate::processes::Tag;
use crate::servers::{End, Recorder, Server, failed, script, sh, state, until};

const GRACE: Duration = Duration::from_millis(300);
const SOON: Duration = Duration::from_secs(2);

#[tokio::test]
async fn a_server_that_left_its_group_is_ended_all_the_same() {
    let case = json!({ "start": [{ "join_parent": true }, { "stderr": "ready\n" }],
        "eof": [{ "hang": true }] });
    let server = Server::start(script(&case).kill_grace(GRACE));
    until("it is ready", || !server.transport.stderr_tail().is_empty()).await;
    timeout(SOON, server.transport.close()).await.unwrap();
    assert_eq!(server.end(), (None, Some(9)));
    server.is_gone_within(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn each_server_is_ended_by_the_gentlest_means_that_works() {
    // B-STDIO-39, B-STDIO-41
    let says_when_ready = |script: &str| format!("echo ready >&2; {script}");
    let cases: &[(&str, &str, End, u32)] = &[
        ("exits when its input ends", "cat >/dev/null; exit 0", (Some(0), None), 0),
        ("says so by its code", "cat >/dev/null; exit 6", (Some(6), None), 0),
        ("ignores its input", "exec sleep 60", (None, Some(15)), 1),
        ("exits when it is told to", "trap 'exit 7' TERM; sleep 60 & wait", (Some(7), None), 1),
        ("ignores that as well", "trap '' TERM; exec sleep 60", (None, Some(9)), 2),
        ("waits for a child that does", "(trap '' TERM; sleep 60); exit 8", (None, Some(15)), 1),
    ];
    for (what, script, end, graces) in cases {
        let server = Server::start(sh(&says_when_ready(script)).kill_grace(GRACE));
        until("it is ready", || !server.transport.stderr_tail().is_empty()).await;
        let started = Instant::now();
        timeout(SOON, server.transport.close()).await.unwrap();
        assert!(started.elapsed() >= GRACE * *graces, "{what}: {:?}", started.elapsed());
        assert_eq!(server.end(), *end, "{what}");
        assert!(!server.transport.is_alive(), "{what}");
        server.is_gone_within(Duration::from_secs(1)).await;
    }
}

#[tokio::test]
async fn closing_twice_or_after_the_end_is_nothing() {
    // B-STDIO-42, B-STDIO-13
    let server = Server::start(sh("cat >/dev/null"));
    let (first, second) = (Arc::clone(&server.transport), Arc::clone(&server.transport));
    tokio::join!(first.close(), second.close());
    server.transport.close().await;
    assert_eq!(server.end(), (Some(0), None));
    server.transport.notify(Outgoing::notification("m", b"{}".to_vec())).await;
    assert_eq!(failed(server.ask(1, "ask").await), ("the connection is closed".to_owned(), false));
    assert_eq!(server.told.lines(), [""; 0]);
}

#[tokio::test]
async fn answers_that_come_within_the_grace_still_arrive() {
    // B-STDIO-40: and it takes its time, longer than a server that hung up would be given.
    let answer =
        |id: u64| json!({ "line": format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":{id}}}") });
    let closed = async move |round| {
        let server = Server::start(script(&json!({
            "ask": [],
            "eof": [answer(1), { "sleep": 700 }, answer(2), { "exit": 0 }],
        })));
        let asking = [1, 2, 3].map(|id| server.asking(id, "ask"));
        until("all are sent", || format!("{:?}", server.transport).contains("pending: 3")).await;
        server.transport.close().await;
        let [one, two, three] = asking;
        assert_eq!(one.await.unwrap().unwrap(), "1", "round {round}");
        assert_eq!(two.await.unwrap().unwrap(), "2", "round {round}");
        // B-TR-9
        assert_eq!(failed(three.await.unwrap()), ("the connection is closed".to_owned(), true));
    };
    tokio::join!(closed(1), closed(2), closed(3), closed(4));
}

#[tokio::test]
async fn what_was_sent_before_closing_arrives() {
    let server = Server::start(sh("cat >&2").stderr_lines(1000));
    let expected: Vec<_> = (0..500).map(|number| format!("{{\"n\":{number}}}")).collect();
    for line in &expected {
        server.transport.notify(Outgoing::notification("m", line.clone().into_bytes())).await;
    }
    server.transport.close().await;
    assert_eq!(server.transport.stderr_tail(), expected.join("\n"));
}

#[tokio::test]
async fn a_server_that_reads_nothing_is_closed_all_the_same() {
    let server = Server::start(sh("exec sleep 60").kill_grace(GRACE));
    let stuck = Outgoing::request(1, "stuck", vec![b' '; 10 << 20]);
    let asking = tokio::spawn({
        let transport = Arc::clone(&server.transport);
        async move { transport.request(stuck).await }
    });
    until("it is stuck", || format!("{:?}", server.transport).contains("pending: 1")).await;
    let waiting = server.asking(2, "ask");
    timeout(SOON, server.transport.close()).await.unwrap();
    assert!(asking.await.unwrap().unwrap_err().is_sent);
    assert_eq!(failed(waiting.await.unwrap()), ("the connection is closed".to_owned(), false));
    server.is_gone_within(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn a_close_that_is_given_up_goes_on_by_itself() {
    let server = Server::start(sh("exec sleep 60").kill_grace(GRACE));
    assert!(timeout(Duration::from_millis(10), server.transport.close()).await.is_err());
    server.is_gone_within(SOON).await;
}

#[tokio::test]
async fn a_transport_that_is_dropped_leaves_nothing() {
    for script in [
        "cat >/dev/null",
        "exec sleep 60",
        "trap '' TERM; exec sleep 60",
        "sleep 60 & sleep 60 & cat",
    ] {
        // With a grace far longer than anybody would look at it.
        let settings = sh(&format!("echo ready >&2; {script}"));
        let server = Server::start(settings.kill_grace(Duration::from_secs(60)));
        until("it is ready", || !server.transport.stderr_tail().is_empty()).await;
        let pid = server.pid();
        let Server { transport, tag, .. } = server;
        drop(transport);
        assert_eq!(tag.left_after(Duration::from_secs(3)).await, 0, "{script}");
        until("it is waited for", || state(pid).is_none()).await;
    }
}

#[tokio::test]
async fn a_transport_that_is_dropped_ends_the_input_first() {
    let heard = Arc::new(Recorder::default());
    let hook = Arc::clone(&heard);
    let settings = sh("cat >/dev/null; echo saved >&2");
    let server = Server::start(settings.on_stderr(move |line| hook.push(line.to_owned())));
    let Server { transport, .. } = server;
    drop(transport);
    heard.wait_for("saved").await;
}

#[test]
fn a_runtime_that_is_dropped_leaves_nothing() {
    let tag = Tag::new("runtime");
    let runtime = Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let told = Arc::new(Recorder::default());
    let scripts = ["sleep 60 & trap '' TERM; read line; echo read >&2; sleep 60", "cat >&2"];
    let transports: Vec<_> = runtime.block_on(async {
        let start = |script| {
            let told = Arc::clone(&told);
            let settings = tag.mark(Stdio::new("/bin/sh")).args(["-c", script]);
            Arc::new(StdioTransport::spawn(&settings, told).unwrap())
        };
        scripts.into_iter().map(start).collect()
    });
    // B-TR-7: somebody in another runtime waits.
    let other = Builder::new_current_thread().enable_all().build().unwrap();
    other.block_on(async {
        let asking: Vec<_> = transports
            .iter()
            .map(|transport| {
                let transport = Arc::clone(transport);
                let message = Outgoing::request(1, "ask", b"{}".to_vec());
                tokio::spawn(async move { transport.request(message).await })
            })
            .collect();
        until("both have read", || {
            transports.iter().all(|transport| !transport.stderr_tail().is_empty())
        })
        .await;
        runtime.shutdown_background();
        for asking in asking {
            let outcome = timeout(SOON, asking).await.unwrap().unwrap();
            assert_eq!(outcome.unwrap_err().to_string(), "the connection is closed");
        }
        for transport in &transports {
            timeout(SOON, transport.close()).await.unwrap();
            assert!(!transport.is_alive());
        }
        assert_eq!(tag.left_after(SOON).await, 0);
        until("all are waited for", || {
            transports.iter().all(|transport| state(transport.pid().unwrap()).is_none())
        })
        .await;
    });
}
