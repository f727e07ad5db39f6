//! One message, one POST: what goes out, and every way it can end.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod web;

use std::sync::Arc;
use std::time::Duration;

use mcp_transport::{Failure, Http, TransportError};
use serde_json::json;
use tokio::net::TcpListener;

use crate::web::{
    JSON, Reply, Then, Web, connect, connect_to, event, greet, initialized, legacy, message,
    modern, notice, text,
};

/// B-HTTP-4, B-HTTP-6, B-HTTP-7, B-HTTP-29: a modern message says everything about itself.
#[tokio::test]
async fn a_modern_message_is_one_post() {
    let web = Web::start(|seen| Reply::result(seen, &json!({ "a": 1 }))).await;
    let http = Http::new(web.url()).unwrap().header("X-Team", "blue").unwrap();
    let (transport, told) = connect(http).await;
    let mut call = modern(7, "tools/call");
    call.name = Some("wéather".to_owned());
    call.mirrored = vec![("Region".to_owned(), "us-west1".to_owned())];
    assert_eq!(text(&transport.request(call).await.unwrap()), r#"{"a":1}"#);
    let seen = web.seen().remove(0);
    assert_eq!((&*seen.verb, &*seen.path, &seen.body["id"]), ("POST", "/mcp", &json!(7)));
    for (name, value) in [
        ("mcp-protocol-version", Some("2026-07-28")),
        ("mcp-method", Some("tools/call")),
        ("mcp-name", Some("=?base64?d8OpYXRoZXI=?=")),
        ("mcp-param-region", Some("us-west1")),
        ("accept", Some("application/json, text/event-stream")),
        ("content-type", Some("application/json")),
        ("x-team", Some("blue")),
        ("mcp-session-id", None),
    ] {
        assert_eq!(seen.header(name), value, "{name}");
    }
    // Connections are used again.
    transport.request(modern(8, "ping")).await.unwrap();
    assert_eq!(web.seen()[1].connection, 0);
    assert_eq!(told.all(), [""; 0]);
}

/// B-HTTP-37 to B-HTTP-39, B-HTTP-42: what comes before the answer is handed over before it.
#[tokio::test]
async fn the_first_response_on_a_stream_is_the_answer() {
    let notification =
        |method: &str| event(&json!({"jsonrpc": "2.0", "method": method}).to_string());
    let answer = message(&json!(7), &json!({ "a": 1 }));
    let asked = event(&json!({"jsonrpc": "2.0", "id": 1, "method": "ping"}).to_string());
    let cases: [(String, &[&str]); 6] = [
        (event(&answer), &[]),
        (
            format!("{}{asked}{}", notification("a"), event(&answer)),
            &["notification a", "request ping"],
        ),
        // Nothing behind the answer is read.
        (format!("{}{}junk", event(&answer), notification("late")), &[]),
        // Events without a message, and messages under another name.
        (format!("id: 1\nretry: 5\ndata:\n\n: hi\n\nevent: x\n{}", event(&answer)), &[]),
        (format!("data: junk\n\n{}", event(&answer)), &["warning dropped an event"]),
        // The end of the stream stands for the missing blank line.
        (format!("data: {answer}\n"), &[]),
    ];
    for (stream, expected) in cases {
        for then in [Then::End, Then::Stay] {
            if then == Then::Stay && !stream.contains("\n\n") {
                continue;
            }
            let reply = stream.clone();
            let web = Web::start(move |_| Reply::Stream(reply.clone(), then)).await;
            let (transport, told) = connect_to(&web).await;
            let result = transport.request(modern(7, "tools/call")).await.unwrap();
            assert_eq!(text(&result), r#"{"a":1}"#, "{stream}");
            let told = told.all();
            assert_eq!(told.len(), expected.len(), "{stream}: {told:?}");
            assert!(told.iter().zip(expected).all(|(it, start)| it.starts_with(start)), "{told:?}");
            if then == Then::Stay {
                // A server that goes on talking is left alone in the end.
                web.until(|state| state.closed == 1).await;
            }
        }
    }
}

/// B-HTTP-28, B-HTTP-30, B-HTTP-31, B-HTTP-35, B-HTTP-40: an answer that is none.
#[tokio::test]
async fn whatever_else_comes_fails_the_request_and_says_so() {
    let error = r#"{"jsonrpc":"2.0","id":7,"error":{"code":-32603,"message":"boom"}}"#;
    let whole = |status, body: &str| Reply::Whole(status, JSON, body.to_owned());
    let cases = [
        (Reply::accepted(), "without an answer"),
        (Reply::status(204), "without an answer"),
        (whole(200, ""), "an empty body"),
        (whole(200, "[]"), "a batch"),
        (whole(200, error), "boom"),
        (whole(500, error), "boom"),
        (whole(500, "oops"), "the HTTP status 500: oops"),
        (whole(404, ""), "the HTTP status 404"),
        (Reply::Stream(String::new(), Then::End), "ended without an answer"),
        (Reply::Stream(event(error), Then::Stay), "boom"),
        (Reply::Stream("data: {".to_owned(), Then::Cut), "is gone"),
        (Reply::HangUp, "is gone"),
    ];
    for (reply, expected) in cases {
        let answer = reply.clone();
        let web = Web::start(move |_| answer.clone()).await;
        let (transport, _) = connect_to(&web).await;
        let failure = transport.request(modern(7, "tools/call")).await.unwrap_err();
        assert!(failure.to_string().contains(expected), "{reply:?}: {failure}");
        assert!(failure.is_sent, "{reply:?}");
        assert!(transport.is_alive());
    }
}

/// B-HTTP-41: nobody there, and nothing was sent.
#[tokio::test]
async fn a_server_that_cannot_be_reached_was_not_sent_anything() {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    for url in [format!("http://127.0.0.1:{port}/mcp?key=secret"), format!("http://[::1]:{port}/")]
    {
        let (transport, _) = connect(Http::new(&url).unwrap()).await;
        let failure = transport.request(modern(7, "ping")).await.unwrap_err();
        assert!(!failure.is_sent);
        let TransportError::ServerGone(gone) = &failure.error else { panic!("{failure}") };
        assert!(url.starts_with(&gone.command), "{gone}");
        assert!(!failure.to_string().contains("secret"), "{failure}");
        assert!(!gone.stderr_tail.is_empty());
    }
}

/// A connection that was kept, and whose server has gone, is no reason to fail.
#[tokio::test]
async fn a_server_that_was_restarted_between_two_requests_is_simply_asked() {
    let reply = |seen: &web::Seen| Reply::result(seen, &json!({}));
    let web = Web::start(reply).await;
    let port = web.port;
    let (transport, told) = connect_to(&web).await;
    transport.request(modern(1, "ping")).await.unwrap();
    drop(web);
    let listener = loop {
        // The port is free once the old server's task has ended.
        match TcpListener::bind(("127.0.0.1", port)).await {
            Ok(listener) => break listener,
            Err(_) => tokio::task::yield_now().await,
        }
    };
    let web = Web::on(listener, reply);
    transport.request(modern(2, "ping")).await.unwrap();
    assert_eq!(web.asked(), ["ping"]);
    assert_eq!(told.all(), [""; 0]);
}

/// B-HTTP-22, B-HTTP-25 to B-HTTP-27: giving up closes the stream, and nothing else.
#[tokio::test]
async fn a_dropped_request_closes_its_stream_and_leaves_the_others_alone() {
    let web = Web::start(|seen| match seen.body["id"].as_u64() {
        Some(1) => Reply::Stream(": begun\n\n".to_owned(), Then::Stay),
        _ => Reply::result(seen, &json!({})),
    })
    .await;
    let (transport, told) = connect_to(&web).await;
    let slow = tokio::spawn({
        let transport = Arc::clone(&transport);
        async move { transport.request(modern(1, "tools/call")).await }
    });
    web.until(|state| state.seen.len() == 1).await;
    transport.request(modern(2, "ping")).await.unwrap();
    slow.abort();
    web.until(|state| state.closed == 1).await;
    transport.request(modern(3, "ping")).await.unwrap();
    // A modern server hears of it by the stream alone.
    assert_eq!(web.asked(), ["tools/call", "ping", "ping"]);
    assert_eq!(told.all(), [""; 0]);
}

/// B-HTTP-23: a legacy server is told; nobody is told of a handshake that was given up.
#[tokio::test]
async fn a_dropped_legacy_request_is_cancelled() {
    let web = Web::start(|seen| match seen.what() {
        "initialize" if seen.body["id"] == 1 => Reply::result(seen, &initialized()),
        "tools/call" | "initialize" => Reply::Stream(": begun\n\n".to_owned(), Then::Stay),
        "GET" => Reply::status(405),
        _ => Reply::accepted(),
    })
    .await;
    let (transport, _) = connect_to(&web).await;
    greet(&transport).await;
    for (id, method) in [(8, "initialize"), (9, "tools/call")] {
        let before = web.seen().len();
        let slow = tokio::spawn({
            let transport = Arc::clone(&transport);
            async move { transport.request(legacy(id, method)).await }
        });
        web.until(|state| state.seen.len() > before).await;
        slow.abort();
        assert!(slow.await.unwrap_err().is_cancelled());
    }
    let cancelled = |seen: &web::Seen| match seen.what() {
        "notifications/cancelled" => seen.body["params"]["requestId"].as_u64(),
        _ => None,
    };
    let state = web.until(|state| state.seen.iter().any(|it| cancelled(it) == Some(9))).await;
    assert_eq!(state.seen.iter().filter_map(cancelled).collect::<Vec<_>>(), [9]);
}

/// B-HTTP-43: what has no answer is only warned about.
#[tokio::test]
async fn a_notification_that_is_refused_is_a_warning() {
    for (status, is_warned) in [(202, false), (200, false), (204, false), (400, true), (500, true)]
    {
        let web = Web::start(move |_| Reply::status(status)).await;
        let (transport, told) = connect_to(&web).await;
        transport.notify(notice("notifications/x")).await;
        assert_eq!(web.asked(), ["notifications/x"]);
        let told = told.all();
        assert_eq!(told.len(), usize::from(is_warned), "{status}: {told:?}");
        assert!(told.iter().all(|it| it.contains("could not send notifications/x")), "{told:?}");
    }
}

/// B-HTTP-44, B-HTTP-45.
#[tokio::test]
async fn closing_fails_what_is_under_way_and_what_comes_later() {
    let web = Web::start(|_| Reply::Stream(": begun\n\n".to_owned(), Then::Stay)).await;
    let (transport, _) = connect_to(&web).await;
    let slow = tokio::spawn({
        let transport = Arc::clone(&transport);
        async move { transport.request(modern(1, "tools/call")).await }
    });
    web.until(|state| state.seen.len() == 1).await;
    assert!(transport.is_alive());
    transport.close().await;
    transport.close().await;
    assert!(!transport.is_alive());
    let closed = TransportError::Closed;
    let under_way = slow.await.unwrap().unwrap_err();
    assert_eq!(under_way, Failure::after_sending(closed.clone()));
    let later = transport.request(modern(2, "ping")).await.unwrap_err();
    assert_eq!(later, Failure::before_sending(closed));
    transport.notify(notice("notifications/x")).await;
    web.until(|state| state.closed == 1).await;
    assert_eq!(web.asked(), ["tools/call"]);
}

/// B-HTTP-24: the budget for connecting is told as such.
#[tokio::test]
async fn a_connection_that_cannot_be_made_in_time_says_which_time() {
    // Nobody accepts, and the queue of one is full.
    let socket = tokio::net::TcpSocket::new_v4().unwrap();
    socket.bind("127.0.0.1:0".parse().unwrap()).unwrap();
    let listener = socket.listen(1).unwrap();
    let address = listener.local_addr().unwrap();
    let mut waiting = Vec::new();
    // Where the system does not limit the queue this way there is nothing to see.
    for _ in 0..4 {
        let connecting = tokio::net::TcpStream::connect(address);
        match tokio::time::timeout(Duration::from_millis(200), connecting).await {
            Ok(stream) => waiting.push(stream),
            Err(_) => break,
        }
    }
    let http = Http::new(format!("http://{address}/")).unwrap();
    let http = http.connect_timeout(Duration::from_millis(300)).unwrap();
    let (transport, _) = connect(http).await;
    let failure = transport.request(modern(1, "ping")).await.unwrap_err();
    assert!(!failure.is_sent);
    assert!(failure.to_string().contains("within 300 ms"), "{failure}");
}
