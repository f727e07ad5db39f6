//! Legacy sessions over HTTP: how they begin, go on, break and end.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod web;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_transport::{Outgoing, TransportError};
use serde_json::json;

use crate::web::{
    JSON, Reply, Seen, Then, Web, connect_to, event, greet, initialized, legacy, message, notice,
    text,
};

const SESSION: &str = "content-type: application/json\r\nmcp-session-id: s-1\r\n";

/// The handshake of a server with sessions, and no stream; the rest is up to the test.
fn with_session(seen: &Seen) -> Option<Reply> {
    Some(match seen.what() {
        "initialize" => Reply::Whole(200, SESSION, message(&seen.body["id"], &initialized())),
        "GET" => Reply::status(405),
        "DELETE" => Reply::status(200),
        "notifications/initialized" => Reply::accepted(),
        _ => return None,
    })
}

/// B-HTTP-9: the session and the version that was agreed on go with everything.
#[tokio::test]
async fn a_session_goes_with_every_message_and_is_ended_with_the_connection() {
    let web = Web::start(|seen| {
        with_session(seen).unwrap_or_else(|| match seen.what() {
            "POST" => Reply::accepted(),
            _ => Reply::result(seen, &json!({})),
        })
    })
    .await;
    let (transport, told) = connect_to(&web).await;
    greet(&transport).await;
    transport.request(legacy(2, "tools/list")).await.unwrap();
    let answer = json!({ "jsonrpc": "2.0", "id": 1, "result": {} }).to_string();
    transport.notify(Outgoing::response(answer.into_bytes())).await;
    transport.close().await;
    let seen = web.seen();
    let asked: Vec<&str> = seen.iter().map(Seen::what).collect();
    let expected =
        ["initialize", "notifications/initialized", "GET", "tools/list", "POST", "DELETE"];
    assert_eq!(asked, expected);
    for it in &seen {
        let is_first = it.what() == "initialize";
        assert_eq!(it.header("mcp-session-id"), (!is_first).then_some("s-1"), "{}", it.what());
        let version = (!is_first).then_some("2025-06-18");
        assert_eq!(it.header("mcp-protocol-version"), version, "{}", it.what());
        assert_eq!(it.header("mcp-method"), None);
    }
    assert_eq!(seen[2].header("accept"), Some("text/event-stream"));
    assert_eq!(told.all(), [""; 0]);
}

#[tokio::test]
async fn a_server_without_sessions_is_not_asked_to_end_one() {
    let web = Web::start(|seen| match seen.what() {
        "GET" => Reply::status(404),
        "initialize" => Reply::result(seen, &initialized()),
        _ => Reply::accepted(),
    })
    .await;
    let (transport, _) = connect_to(&web).await;
    greet(&transport).await;
    transport.close().await;
    assert_eq!(web.asked(), ["initialize", "notifications/initialized", "GET"]);
}

/// What a server says on its own stream is heard, from the first request on.
#[tokio::test]
async fn the_stream_is_open_before_the_next_request() {
    let hello = event(&json!({"jsonrpc": "2.0", "id": 0, "method": "ping"}).to_string());
    let web = Web::start(move |seen| match seen.what() {
        "GET" => Reply::Stream(hello.clone(), Then::Stay),
        _ => with_session(seen).unwrap_or_else(|| Reply::result(seen, &json!({}))),
    })
    .await;
    let (transport, told) = connect_to(&web).await;
    greet(&transport).await;
    transport.request(legacy(2, "tools/list")).await.unwrap();
    let asked = web.asked();
    assert!(
        asked.iter().position(|it| it == "GET") < asked.iter().position(|it| it == "tools/list")
    );
    while told.all().is_empty() {
        tokio::task::yield_now().await;
    }
    assert_eq!(told.all(), ["request ping"]);
    transport.close().await;
    web.until(|state| state.closed == 1).await;
}

/// Resumption: the rest of an answer is fetched behind the last event that came.
#[tokio::test]
async fn a_stream_that_breaks_off_is_taken_up_where_it_ended() {
    let begun = "id: e-1\nretry: 1\ndata:\n\n".to_owned();
    for then in [Then::End, Then::Cut] {
        let begun = begun.clone();
        let web = Web::start(move |seen| match (seen.what(), seen.header("last-event-id")) {
            ("tools/call", _) => Reply::Stream(begun.clone(), then),
            // Answers to others, and a second break, before the answer.
            ("GET", Some("e-1")) => {
                let foreign = message(&json!(99), &json!({ "foreign": true }));
                Reply::Stream(format!("id: e-2\n{}", event(&foreign)), Then::Cut)
            }
            ("GET", Some("e-2")) => {
                Reply::Stream(event(&message(&json!(2), &json!({ "a": 1 }))), Then::Stay)
            }
            _ => with_session(seen).unwrap(),
        })
        .await;
        let (transport, told) = connect_to(&web).await;
        greet(&transport).await;
        let answer = transport.request(legacy(2, "tools/call")).await.unwrap();
        assert_eq!(text(&answer), r#"{"a":1}"#);
        let told = told.all();
        assert_eq!(told.len(), 1, "{told:?}");
        assert!(told[0].contains("answer to another request"), "{told:?}");
        let resumed = web.seen().into_iter().filter(|it| it.header("last-event-id").is_some());
        assert!(resumed.clone().all(|it| it.header("mcp-session-id") == Some("s-1")));
        assert_eq!(resumed.count(), 2);
    }
}

/// B-HTTP-40: what cannot be resumed is unknown, and nothing is sent again.
#[tokio::test]
async fn an_answer_whose_rest_is_refused_or_never_comes_is_unknown() {
    let stream = || Reply::Stream("id: e-1\nretry: 1\ndata:\n\n".to_owned(), Then::End);
    let cases: [(Reply, Reply, usize, &str); 5] = [
        (
            Reply::Stream(": no id\n\n".to_owned(), Then::End),
            stream(),
            0,
            "ended without an answer",
        ),
        (stream(), Reply::status(405), 1, "does not send the rest"),
        (stream(), Reply::status(404), 1, "does not send the rest"),
        (stream(), Reply::Whole(200, JSON, "{}".to_owned()), 1, "with something else"),
        (stream(), Reply::Stream(String::new(), Then::End), 5, "ended without an answer"),
    ];
    for (first, again, attempts, expected) in cases {
        let (begun, rest) = (first.clone(), again.clone());
        let web = Web::start(move |seen| match (seen.what(), seen.header("last-event-id")) {
            ("tools/call", _) => begun.clone(),
            ("GET", Some(_)) => rest.clone(),
            _ => with_session(seen).unwrap(),
        })
        .await;
        let (transport, _) = connect_to(&web).await;
        greet(&transport).await;
        let failure = transport.request(legacy(2, "tools/call")).await.unwrap_err();
        assert!(failure.is_sent);
        assert!(failure.to_string().contains(expected), "{failure}");
        assert!(matches!(failure.error, TransportError::Protocol(_)), "{failure:?}");
        // A server that does not know the session is not asked anything more in it.
        let is_gone = matches!(again, Reply::Whole(404, ..));
        assert_eq!(transport.is_alive(), !is_gone, "{again:?}");
        let asked = web.asked();
        assert_eq!(asked.iter().filter(|it| *it == "tools/call").count(), 1);
        // The first is the stream that the server has not got.
        assert_eq!(asked.iter().filter(|it| *it == "GET").count(), 1 + attempts, "{again:?}");
    }
}

/// A session that is gone: what was refused was not done, what is under way goes on.
#[tokio::test]
async fn a_session_that_is_gone_takes_no_more_requests() {
    let unknown =
        r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32001,"message":"Session not found"}}"#;
    let sample = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32000,"message":"Bad Request: No valid session ID provided"}}"#;
    let named = r#"{"jsonrpc":"2.0","id":3,"error":{"code":-32601,"message":"Method not found"}}"#;
    let cases = [
        (Reply::status(404), true),
        (Reply::Whole(404, JSON, unknown.to_owned()), true),
        (Reply::Whole(400, JSON, sample.to_owned()), true),
        // Somebody looked at this one.
        (Reply::Whole(404, JSON, named.to_owned()), false),
        (Reply::Whole(400, JSON, named.to_owned()), false),
        (Reply::status(500), false),
    ];
    for (reply, is_expired) in cases {
        let refused = reply.clone();
        let web = Web::start(move |seen| match seen.body["id"].as_u64() {
            Some(2) => Reply::Stream(": begun\n\n".to_owned(), Then::Stay),
            Some(3) => refused.clone(),
            _ => with_session(seen).unwrap_or_else(|| Reply::result(seen, &json!({}))),
        })
        .await;
        let (transport, _) = connect_to(&web).await;
        greet(&transport).await;
        let slow = tokio::spawn({
            let transport = Arc::clone(&transport);
            async move { transport.request(legacy(2, "tools/call")).await }
        });
        web.until(|state| state.seen.iter().any(|it| it.body["id"] == 2)).await;
        let failure = transport.request(legacy(3, "tools/call")).await.unwrap_err();
        assert_eq!(failure.error == TransportError::SessionExpired, is_expired, "{reply:?}");
        assert_eq!(failure.is_sent, !is_expired, "{reply:?}");
        let before = web.seen().len();
        match (is_expired, transport.request(legacy(4, "ping")).await) {
            (true, Err(later)) => {
                assert_eq!((later.error, later.is_sent), (TransportError::SessionExpired, false));
                assert_eq!(transport.ended().await, TransportError::SessionExpired);
                // What is under way may still be answered, and is given up with the connection.
                assert!(!slow.is_finished());
                transport.close().await;
                let cut = slow.await.unwrap().unwrap_err();
                assert_eq!((cut.error, cut.is_sent), (TransportError::Closed, true));
                // There is no session to end, and nothing was asked in it.
                assert!(web.asked()[before..].iter().all(|it| it == "notifications/cancelled"));
            }
            (false, Ok(_)) => slow.abort(),
            (_, outcome) => panic!("{reply:?}: {outcome:?}"),
        }
    }
}

/// `2024-11-05`: messages go to where the stream says, and answers come on it.
#[tokio::test]
async fn a_server_of_http_with_sse_is_spoken_to_so() {
    for refusal in [400, 404, 405] {
        let greeting = message(&json!(1), &initialized());
        let stream = format!("event: endpoint\ndata: /messages?id=1\n\n{}", event(&greeting));
        let web = Web::start(move |seen| match (&*seen.verb, &*seen.path) {
            ("GET", _) => Reply::Stream(stream.clone(), Then::Stay),
            ("POST", "/messages?id=1") => Reply::accepted(),
            _ => Reply::status(refusal),
        })
        .await;
        let (transport, told) = connect_to(&web).await;
        greet(&transport).await;
        let seen = web.seen();
        // The answer to the handshake stands on the stream before it is asked for, so only the
        // notification is certain to have been sent.
        let paths: Vec<&str> = seen.iter().map(|it| &*it.path).collect();
        assert_eq!((&paths[..2], paths.last()), (&["/mcp", "/mcp"][..], Some(&"/messages?id=1")));
        assert_eq!(seen.last().unwrap().what(), "notifications/initialized");
        assert_eq!(told.all(), [""; 0]);
        transport.close().await;
        web.until(|state| state.closed == 1).await;
    }
}

#[tokio::test]
async fn a_stream_that_is_none_or_leads_elsewhere_is_not_followed() {
    let cases = [
        (Reply::status(404), "the HTTP status 405"),
        (Reply::Stream("data: hello\n\n".to_owned(), Then::End), "the HTTP status 405"),
        (Reply::Whole(200, JSON, "{}".to_owned()), "the HTTP status 405"),
        (
            Reply::Stream(
                "event: endpoint\ndata: http://evil.invalid/m\n\n".to_owned(),
                Then::Stay,
            ),
            "another server",
        ),
        (
            Reply::Stream("event: endpoint\ndata: //evil.invalid/m\n\n".to_owned(), Then::Stay),
            "another server",
        ),
    ];
    for (reply, expected) in cases {
        let stream = reply.clone();
        let web = Web::start(move |seen| match &*seen.verb {
            "GET" => stream.clone(),
            _ => Reply::status(405),
        })
        .await;
        let (transport, _) = connect_to(&web).await;
        let failure = transport.request(legacy(1, "initialize")).await.unwrap_err();
        assert!(failure.to_string().contains(expected), "{reply:?}: {failure}");
    }
}

/// Who waits on the one stream is told when it ends, and later requests can begin anew.
#[tokio::test]
async fn the_end_of_the_one_stream_is_the_end_of_the_session() {
    let greeting = message(&json!(1), &initialized());
    let opening = format!("event: endpoint\ndata: m\n\n{}", event(&greeting));
    let posts = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&posts);
    let web = Web::start(move |seen| match (&*seen.verb, &*seen.path) {
        ("GET", _) => Reply::Stream(opening.clone(), Then::End),
        ("POST", "/m") => {
            counted.fetch_add(1, Ordering::Relaxed);
            Reply::accepted()
        }
        _ => Reply::status(405),
    })
    .await;
    let (transport, _) = connect_to(&web).await;
    // Its answer stands on the stream before the end.
    let _ = transport.request(legacy(1, "initialize")).await;
    assert_eq!(transport.ended().await, TransportError::SessionExpired);
    let later = transport.request(legacy(2, "ping")).await.unwrap_err();
    assert_eq!((later.error, later.is_sent), (TransportError::SessionExpired, false));
    transport.notify(notice("notifications/x")).await;
    assert!(posts.load(Ordering::Relaxed) <= 1);
}
