//! How long a server may say nothing, and when a stream that ended is opened again.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod web;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_transport::Http;
use serde_json::json;
use tokio::time::Instant;

use crate::web::{
    Reply, Then, Web, connect, connect_to, event, greet, initialized, legacy, message, modern,
    still,
};

const SESSION: &str = "content-type: application/json\r\nmcp-session-id: s-1\r\n";

/// B-HTTP-23: the one budget for silence is off unless it is set.
#[tokio::test(start_paused = true)]
async fn a_silent_answer_is_given_up_where_a_budget_says_so() {
    for begun in ["", "HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n\r\n: begun\n\n"] {
        let web = Web::start(move |_| Reply::RawThenStay(begun.to_owned())).await;
        let http = Http::new(web.url()).unwrap().read_timeout(Duration::from_secs(7));
        let (transport, _) = connect(http).await;
        let asking = Instant::now();
        let failure = transport.request(modern(1, "tools/call")).await.unwrap_err();
        assert!(failure.is_sent, "{failure:?}");
        assert!(asking.elapsed() >= Duration::from_secs(7), "{:?}", asking.elapsed());
        assert!(failure.to_string().contains("nothing came for 7 s"), "{failure}");
        web.until(|state| state.closed == 1).await;
    }
}

/// A stream on which nothing is due may be silent for as long as it likes.
#[tokio::test(start_paused = true)]
async fn the_servers_own_stream_may_be_silent() {
    let web = Web::start(|seen| match seen.what() {
        "initialize" => Reply::result(seen, &initialized()),
        "GET" => Reply::Stream(": hello\n\n".to_owned(), Then::Stay),
        _ => Reply::accepted(),
    })
    .await;
    let http = Http::new(web.url()).unwrap().read_timeout(Duration::from_secs(7));
    let (transport, _) = connect(http).await;
    let _still = still();
    greet(&transport).await;
    tokio::time::advance(Duration::from_secs(600)).await;
    transport.request(legacy(2, "tools/list")).await.unwrap_err();
    assert_eq!(web.asked().iter().filter(|it| *it == "GET").count(), 1, "{:?}", web.asked());
    assert_eq!(web.until(|_| true).await.closed, 0);
}

/// Nor is anything due on a subscription.
#[tokio::test(start_paused = true)]
async fn a_subscription_may_be_silent() {
    let note = event(&json!({ "jsonrpc": "2.0", "method": "note" }).to_string());
    let web = Web::start(move |_| Reply::Stream(note.clone(), Then::Stay)).await;
    let http = Http::new(web.url()).unwrap().read_timeout(Duration::from_secs(7));
    let (transport, told) = connect(http).await;
    let _still = still();
    let listening =
        tokio::spawn(async move { transport.request(modern(1, "subscriptions/listen")).await });
    told.until(1).await;
    tokio::time::advance(Duration::from_secs(600)).await;
    for _ in 0..100 {
        tokio::task::yield_now().await;
    }
    assert!(!listening.is_finished());
    listening.abort();
}

/// What the server asks for is kept to; else delays double until something comes.
#[tokio::test(start_paused = true)]
async fn streams_are_opened_again_when_the_server_says_so() {
    let note = event(&json!({ "jsonrpc": "2.0", "method": "note" }).to_string());
    let began = Instant::now();
    let times = Arc::new(Mutex::new(Vec::<(u64, Option<String>)>::new()));
    let seen_at = Arc::clone(&times);
    let web = Web::start(move |seen| match seen.what() {
        "initialize" => Reply::Whole(200, SESSION, message(&seen.body["id"], &initialized())),
        "GET" => {
            let mut times = seen_at.lock().unwrap();
            let id = seen.header("last-event-id").map(str::to_owned);
            times.push((began.elapsed().as_millis() as u64, id));
            match times.len() {
                // Ends at once, fails, ends at once, brings something, ends with a wish.
                1 | 3 => Reply::Stream(String::new(), Then::End),
                2 => Reply::status(503),
                4 => Reply::Stream(format!("id: n-1\n{note}"), Then::Cut),
                5 => Reply::Stream(format!("retry: 2500\n{note}"), Then::End),
                6 => Reply::Stream(String::new(), Then::End),
                _ => Reply::Stream(String::new(), Then::Stay),
            }
        }
        _ => Reply::accepted(),
    })
    .await;
    let (transport, told) = connect_to(&web).await;
    let _held = still();
    greet(&transport).await;
    while times.lock().unwrap().len() < 7 {
        // Whatever a socket has to do is done long before the clock is moved on.
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        tokio::time::advance(Duration::from_millis(50)).await;
    }
    let times = times.lock().unwrap().clone();
    let waits: Vec<u64> = times.windows(2).map(|pair| pair[1].0 - pair[0].0).collect();
    let expected = [1_000, 2_000, 4_000, 1_000, 2_500, 2_500];
    for (wait, expected) in waits.iter().zip(expected) {
        assert!((expected..expected + 500).contains(wait), "{waits:?}");
    }
    let ids: Vec<Option<&str>> = times.iter().map(|(_, id)| id.as_deref()).collect();
    assert_eq!(ids, [None, None, None, None, Some("n-1"), Some("n-1"), Some("n-1")]);
    assert_eq!(told.all(), ["notification note", "notification note"]);
}
