//! A server that ends by itself: whoever waits is told how, and soon.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod processes;
mod servers;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_transport::{
    Handler, Limits, Notification, Outgoing, Request, StdioTransport, Transport, TransportError,
};
use rustix::process::{Pid, Signal, kill_process};
use serde_json::json;
use tokio::time::{Instant, timeout};

use crate::servers::{End, Server, failed, script, sh, state, until};

/// How soon a death has to be known (B-STDIO-33).
const SOON: Duration = Duration::from_secs(2);

/// Answers the first line with `action` in a shell.
fn after_a_line(action: &str) -> String {
    format!("read line; {action}")
}

#[tokio::test]
async fn the_way_it_ended_is_told() {
    // B-STDIO-33, B-STDIO-37
    let cases: &[(&str, End, &str)] = &[
        ("exit 0", (Some(0), None), "the server \"/bin/sh\" exited with code 0"),
        (
            "echo cannot open >&2; printf 'the file' >&2; exit 3",
            (Some(3), None),
            "the server \"/bin/sh\" exited with code 3; its last words were: cannot open\nthe file",
        ),
        ("kill -TERM $$", (None, Some(15)), "the server \"/bin/sh\" was killed by signal 15"),
        ("kill -KILL $$", (None, Some(9)), "the server \"/bin/sh\" was killed by signal 9"),
        ("exec no-such-command", (Some(127), None), "the server \"/bin/sh\" exited with code 127"),
    ];
    for (action, end, message) in cases {
        let server = Server::start(sh(&after_a_line(action)));
        assert_eq!(server.end(), (None, None), "it runs");
        assert!(server.transport.is_alive());
        let (one, two) = tokio::join!(server.ask(1, "ask"), server.ask(2, "ask"));
        let error = two.as_ref().unwrap_err().error.clone();
        let (text, is_sent) = failed(one);
        assert!(text.starts_with(message), "{action}: {text}");
        assert!(is_sent, "{action}");
        assert_eq!(failed(two).0, text, "everybody is told the same");
        assert_eq!(server.end(), *end, "{action}");
        assert!(!server.transport.is_alive());
        let later = server.ask(3, "ask").await.unwrap_err();
        assert_eq!(later.error, error);
        assert!(!later.is_sent, "nothing left after the end");
        let TransportError::ServerGone(gone) = error else { panic!("{error:?}") };
        assert_eq!((gone.exit_code, gone.signal), *end);
        assert_eq!(gone.command, "/bin/sh");
        // B-STDIO-42, and B-STDIO-13
        server.transport.close().await;
        server.transport.notify(Outgoing::notification("m", b"{}".to_vec())).await;
        server.is_gone_within(Duration::from_secs(1)).await;
    }
}

#[tokio::test]
async fn an_answer_written_just_before_the_exit_arrives() {
    // B-STDIO-34, B-STDIO-15
    let length = 200_000;
    let server = Server::start(script(&json!({
        "ask": [
            { "line": "{\"jsonrpc\":\"2.0\",\"method\":\"last\"}" },
            { "fill": {
                "head": "{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":\"", "text": "x", "count": length,
                "tail": "\"}",
            } },
            { "exit": 0 },
        ],
    })));
    assert_eq!(server.ask(1, "ask").await.unwrap().len(), length + 2);
    assert_eq!(server.told.lines(), ["notification last"]);
    until("it is dead", || !server.transport.is_alive()).await;
    assert_eq!(server.end(), (Some(0), None));
}

/// Keeps whoever calls it until the process is gone, and a while longer.
fn hold(pid: &OnceLock<u32>) {
    let wait = |time, is_over: &dyn Fn() -> bool| {
        let deadline = Instant::now() + time;
        while !is_over() && Instant::now() < deadline {
            std::thread::yield_now();
        }
    };
    wait(SOON, &|| pid.get().is_some_and(|pid| state(*pid).is_none()));
    wait(Duration::from_millis(100), &|| false);
}

/// A handler that keeps the reader until the process is gone.
#[derive(Default)]
struct Late(OnceLock<u32>);

impl Handler for Late {
    fn notification(&self, _: Notification<'_>) {
        hold(&self.0);
    }

    fn request(&self, _: Request<'_>) {}

    fn warning(&self, _: &str) {}
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_written_before_the_exit_is_read_after_it() {
    // B-STDIO-34
    let print =
        r#"echo '{"jsonrpc":"2.0","method":"n"}'; echo '{"jsonrpc":"2.0","id":1,"result":7}'"#;
    let late = Arc::new(Late::default());
    let settings = sh(&after_a_line(&format!("{print}; exit 0")));
    let transport = StdioTransport::spawn(&settings, Arc::clone(&late) as _).unwrap();
    late.0.set(transport.pid().unwrap()).unwrap();
    let answer = transport.request(Outgoing::request(1, "ask", b"{}".to_vec())).await;
    assert_eq!(answer.unwrap().as_bytes(), b"7");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn last_words_are_read_after_the_exit_as_well() {
    let pid = Arc::new(OnceLock::new());
    let held = Arc::clone(&pid);
    let settings = sh(&after_a_line("echo one >&2; echo two >&2; exit 3"));
    let server = Server::start(settings.on_stderr(move |_| hold(&held)));
    pid.set(server.pid()).unwrap();
    let (text, _) = failed(server.ask(1, "ask").await);
    assert!(text.ends_with("its last words were: one\ntwo"), "{text}");
}

#[tokio::test]
async fn a_grandchild_in_the_group_ends_with_its_leader() {
    // B-STDIO-36: it holds all three pipes.
    let server = Server::start(sh(&after_a_line("sleep 60 <&0 & exit 4")));
    let outcome = timeout(SOON, server.ask(1, "ask")).await.unwrap();
    assert!(failed(outcome).0.contains("exited with code 4"));
    server.is_gone_within(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn a_grandchild_that_left_the_group_delays_nothing() {
    // B-STDIO-36: nothing but the exit itself tells of the death, since no pipe ever closes.
    let escape = "exec 3<&0; setsid sh -c 'echo $$ >&2; exec sleep 60' <&3 & wait";
    let server = Server::start(sh(escape));
    until("it escaped", || !server.transport.stderr_tail().is_empty()).await;
    let escaped = server.transport.stderr_tail().parse().unwrap();
    // More than a pipe holds, and nobody will ever read it: the queue stays full.
    let transport = Arc::clone(&server.transport);
    let stuck = Outgoing::request(1, "stuck", vec![b' '; 2 * Limits::default().outbox]);
    let one = tokio::spawn(async move { transport.request(stuck).await });
    until("the queue is full", || format!("{:?}", server.transport).contains("queued: 2")).await;
    let two = server.asking(2, "ask");
    kill(server.pid());
    let (one, two) = timeout(SOON, async { tokio::join!(one, two) }).await.unwrap();
    assert!(one.unwrap().unwrap_err().to_string().contains("killed by signal 9"));
    // It waited for room, and was never sent.
    let (text, is_sent) = failed(two.unwrap());
    assert!(text.contains("killed by signal 9") && !is_sent, "{text}");
    timeout(SOON, server.transport.close()).await.unwrap();
    assert_eq!(state(server.pid()), None);
    assert_eq!(server.tag.count(), 1, "it left on purpose, and is left alone");
    kill(escaped);
    assert_eq!(server.tag.left_after(SOON).await, 0);
}

fn kill(pid: u32) {
    let pid = Pid::from_raw(pid.try_into().unwrap()).unwrap();
    kill_process(pid, Signal::KILL).unwrap();
}

#[tokio::test]
async fn a_process_that_closed_its_output_settles_everything_and_is_ended() {
    // B-STDIO-35: nothing can come any more, so nobody waits.
    let server = Server::start(
        script(&json!({ "ask#2": [{ "close_stdout": true }, { "hang": true }], "ask": [] }))
            .kill_grace(Duration::from_millis(100)),
    );
    let (one, two) =
        timeout(SOON, async { tokio::join!(server.ask(1, "ask"), server.ask(2, "ask")) })
            .await
            .unwrap();
    for outcome in [one, two] {
        let (text, is_sent) = failed(outcome);
        assert!(text.ends_with("is gone") && is_sent, "{text}");
    }
    assert!(!server.transport.is_alive());
    until("it was ended", || server.end() != (None, None)).await;
    assert_eq!(server.end(), (None, Some(15)));
    server.is_gone_within(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn a_process_that_closes_its_output_and_then_exits_is_told_by_its_code() {
    let server = Server::start(sh(&after_a_line("exec >&-; sleep 0.2; exit 5")));
    assert!(failed(server.ask(1, "ask").await).0.contains("exited with code 5"));
    assert_eq!(server.end(), (Some(5), None));
}

#[tokio::test]
async fn a_process_that_closed_its_input_is_ended_as_well() {
    // B-STDIO-12
    let settings = sh("exec <&-; echo closed >&2; sleep 60");
    let server = Server::start(settings.kill_grace(Duration::from_millis(50)));
    until("it closed it", || !server.transport.stderr_tail().is_empty()).await;
    let (text, _) = failed(timeout(SOON, server.ask(1, "ask")).await.unwrap());
    assert!(text.contains("is gone; its last words were: closed"), "{text}");
    until("it was ended", || server.end() != (None, None)).await;
    server.is_gone_within(Duration::from_secs(1)).await;
}

#[tokio::test]
async fn a_server_that_dies_at_once_is_found_out_without_a_request() {
    let server = Server::start(sh("echo no config >&2; exit 78"));
    let started = Instant::now();
    until("it is dead", || !server.transport.is_alive()).await;
    assert!(started.elapsed() < SOON);
    let (text, is_sent) = failed(server.ask(1, "ask").await);
    assert!(text.contains("exited with code 78; its last words were: no config"), "{text}");
    assert!(!is_sent);
}
