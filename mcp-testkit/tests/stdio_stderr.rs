//! Error output: a log that is read always, kept in part, and never an error.

#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod processes;
mod servers;

use std::sync::Arc;

use mcp_client::Stdio;
use mcp_transport::{Limits, Transport};
use serde_json::json;
use tokio::time::{Duration, timeout};

use crate::servers::{Recorder, Server, script, sh};

/// Runs `settings` to the end, and gives back the tail and the lines that the hook was given.
async fn output(settings: Stdio) -> (String, Vec<String>) {
    let heard = Arc::new(Recorder::default());
    let hook = Arc::clone(&heard);
    let server = Server::start(settings.on_stderr(move |line| hook.push(line.to_owned())));
    server.transport.close().await;
    (server.transport.stderr_tail(), heard.lines())
}

#[tokio::test]
async fn the_last_lines_are_kept_and_all_are_heard() {
    // B-STDIO-32, B-STDIO-6
    let lines: Vec<String> = (1..=121).map(|number| format!("line {number}")).collect();
    let print = "for n in $(seq 121); do echo \"line $n\" >&2; done";
    for kept in [0, 1, 50, 121, 500] {
        let (tail, heard) = output(sh(print).stderr_lines(kept)).await;
        assert_eq!(tail, lines[121_usize.saturating_sub(kept)..].join("\n"), "{kept} are kept");
        assert_eq!(heard, lines);
    }
    let (tail, _) = output(sh(print)).await;
    assert_eq!(tail.lines().count(), 50, "unless told otherwise");
}

#[tokio::test]
async fn lines_end_as_they_do_on_stdout() {
    // B-STDIO-32
    for (print, expected) in [
        (r"printf 'a\r\n\nb' >&2", &["a", "", "b"][..]),
        (r"printf 'caf\351\n' >&2", &["caf\u{fffd}"]),
        ("printf '' >&2", &[]),
    ] {
        assert_eq!(output(sh(print)).await.1, expected, "{print}");
    }
}

#[tokio::test]
async fn a_line_that_is_too_long_is_cut() {
    let limits = || {
        let mut limits = Limits::default();
        limits.stderr_line = 10;
        limits
    };
    let print = "printf '0123456789\\n0123456789abc\\nnext\\n' >&2";
    let (tail, _) = output(sh(print).limits(limits())).await;
    assert_eq!(tail, "0123456789\n0123456789... (13 bytes)\nnext");
    // Unlimited in itself: 100 MB without a line end.
    let endless = "head -c 100000000 /dev/zero | tr '\\0' x >&2";
    let (tail, heard) = output(sh(endless).kill_grace(Duration::from_secs(20))).await;
    assert_eq!(tail, format!("{}... (100000000 bytes)", "x".repeat(1024)));
    assert_eq!(heard, [tail]);
}

#[tokio::test]
async fn a_hook_that_panics_loses_nothing() {
    // B-STDIO-32
    let server = Server::start(sh("echo one >&2; echo two >&2").on_stderr(|line| {
        assert_ne!(line, "one", "as the test wants");
    }));
    server.transport.close().await;
    assert_eq!(server.transport.stderr_tail(), "one\ntwo");
}

#[tokio::test]
async fn lines_are_heard_as_they_come_and_hurt_no_request() {
    let heard = Arc::new(Recorder::default());
    let hook = Arc::clone(&heard);
    let settings = script(&json!({
        "ask": [
            // Far more than a pipe holds: it has to be read while the request waits.
            { "stderr": "ERROR: not really\n", "count": 20_000 },
            { "line": "{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":7}" },
        ],
    }));
    let server = Server::start(settings.on_stderr(move |line| hook.push(line.to_owned())));
    assert_eq!(server.ask(1, "ask").await.unwrap(), "7");
    let all = timeout(Duration::from_secs(5), async {
        while heard.count("ERROR") < 20_000 {
            tokio::task::yield_now().await;
        }
    });
    assert!(all.await.is_ok());
    assert!(server.transport.is_alive());
    server.transport.close().await;
}
