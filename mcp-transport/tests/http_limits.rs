//! What is taken from a server, how long it is waited for, and what is left of it.
#![cfg(feature = "http")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod web;

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::Full;
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use mcp_transport::{Failure, Http, Limits, Transport, TransportError};
use serde_json::{Value, json};
use tokio::io::{AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::runtime::Handle;
use tokio::sync::{mpsc, watch};
use tokio::time::Instant;

use crate::web::{
    JSON, Reply, Seen, Then, Told, Web, connect, connect_to, event, greet, initialized, legacy,
    message, modern, still, text,
};

const SESSION: &str = "content-type: application/json\r\nmcp-session-id: s-1\r\n";

/// A connection that takes messages of a thousand bytes.
async fn narrow(web: &Web) -> (Arc<dyn Transport>, Told) {
    let mut limits = Limits::default();
    limits.message = 1_000;
    connect(Http::new(web.url()).unwrap().limits(limits)).await
}

/// An answer of so many blanks, in as many pieces, that never ends.
fn chunked(lengths: &[usize]) -> Reply {
    let head = format!("HTTP/1.1 200 x\r\n{JSON}transfer-encoding: chunked\r\n\r\n");
    let chunk = |length: &usize| format!("{length:x}\r\n{}\r\n", " ".repeat(*length));
    Reply::RawThenStay(head + &lengths.iter().map(chunk).collect::<String>())
}

fn detail(failure: &Failure) -> String {
    let TransportError::Protocol(detail) = &failure.error else { panic!("{failure:?}") };
    detail.clone()
}

#[tokio::test]
async fn an_answer_over_the_limit_names_the_limit_and_may_have_run() {
    let long = |seen: &Seen| message(&seen.body["id"], &json!({ "text": "x".repeat(1_000) }));
    let web = Web::start(move |seen| match seen.what() {
        "announced" => Reply::Whole(200, JSON, long(seen)),
        "event" => Reply::Stream(event(&long(seen)), Then::Stay),
        "promised" => {
            Reply::RawThenStay(format!("HTTP/1.1 200 x\r\n{JSON}content-length: 1001\r\n\r\n"))
        }
        // Without a length that could be told beforehand, whole and in pieces.
        "unannounced" => chunked(&[1_001]),
        "in pieces" => chunked(&[600, 600]),
        _ => Reply::result(seen, &json!({})),
    })
    .await;
    let (transport, _) = narrow(&web).await;
    for method in ["announced", "event", "promised", "unannounced", "in pieces"] {
        let failure = transport.request(modern(1, method)).await.unwrap_err();
        assert!(failure.is_sent, "{method}");
        let detail = detail(&failure);
        assert!(detail.contains("1000 bytes") && detail.contains("Limits::message"), "{detail}");
        transport.request(modern(2, "ping")).await.unwrap();
    }
}

#[tokio::test]
async fn an_event_over_the_limit_on_the_servers_own_stream_is_left_out() {
    let long = event(&json!({ "jsonrpc": "2.0", "method": "x".repeat(1_000) }).to_string());
    let short = event(&json!({ "jsonrpc": "2.0", "method": "short" }).to_string());
    let web = Web::start(move |seen| match seen.what() {
        "initialize" => Reply::result(seen, &initialized()),
        "GET" => Reply::Stream(format!("{long}{short}"), Then::Stay),
        _ => Reply::accepted(),
    })
    .await;
    let (transport, told) = narrow(&web).await;
    greet(&transport).await;
    told.until(2).await;
    let all = told.all();
    assert!(all[0].starts_with("warning ") && all[0].contains("Limits::message"), "{all:?}");
    assert_eq!(all[1], "notification short");
}

/// The words of a refusal are worth a moment, and 64 KiB.
#[tokio::test(start_paused = true)]
async fn the_body_of_a_refusal_is_not_waited_for() {
    for (words, is_long) in [("out of order".to_owned(), false), ("x".repeat(1_000_000), true)] {
        // What is long enough needs no clock.
        let _held = is_long.then(still);
        let head = "HTTP/1.1 500 x\r\ncontent-length: 9999999\r\n\r\n";
        let raw = format!("{head}{words}");
        let web = Web::start(move |_| Reply::RawThenStay(raw.clone())).await;
        let (transport, _) = connect_to(&web).await;
        let begun = Instant::now();
        let failure = transport.request(modern(1, "ping")).await.unwrap_err();
        // The paused clock may run on while a socket is busy, up to the next thing that is due.
        assert!(begun.elapsed() < Duration::from_secs(200), "{:?}", begun.elapsed());
        let TransportError::Http(failure) = failure.error else { panic!("{failure:?}") };
        assert_eq!(failure.status, 500);
        assert!(failure.detail.len() < 300, "{failure}");
        web.until(|state| state.closed == 1).await;
    }
}

/// A rest that cannot be asked for is not waited for on some other stream.
#[tokio::test]
async fn an_event_id_that_no_header_can_hold_resumes_nothing() {
    for id in ["x".repeat(10_000), "a\u{1}b".to_owned()] {
        let stream = format!("id: {id}\nretry: 1\ndata:\n\n");
        let web = Web::start(move |_| Reply::Stream(stream.clone(), Then::End)).await;
        let (transport, _) = connect_to(&web).await;
        let failure = transport.request(legacy(1, "tools/call")).await.unwrap_err();
        assert!(failure.is_sent && detail(&failure).contains("without an answer"), "{failure}");
        assert_eq!(web.asked(), ["tools/call"]);
    }
}

#[tokio::test]
async fn more_headers_than_can_be_sent_are_refused() {
    let web = Web::start(|seen| Reply::result(seen, &json!({}))).await;
    let (transport, _) = connect_to(&web).await;
    let mut request = modern(1, "tools/call");
    request.mirrored = (0..20_000).map(|number| (format!("P{number}"), String::new())).collect();
    let failure = transport.request(request).await.unwrap_err();
    assert!(!failure.is_sent && detail(&failure).contains("headers are too many"), "{failure}");
    assert!(web.seen().is_empty());
}

#[tokio::test]
async fn a_session_id_that_cannot_be_one_is_left_out() {
    const BAD: &str = "content-type: application/json\r\nmcp-session-id: a b\r\n";
    let web = Web::start(|seen| match seen.what() {
        "initialize" => Reply::Whole(200, BAD, message(&seen.body["id"], &initialized())),
        "GET" => Reply::status(405),
        "tools/list" => Reply::result(seen, &json!({})),
        _ => Reply::accepted(),
    })
    .await;
    let (transport, told) = connect_to(&web).await;
    greet(&transport).await;
    transport.request(legacy(2, "tools/list")).await.unwrap();
    transport.close().await;
    assert!(web.seen().iter().all(|it| it.header("mcp-session-id").is_none()));
    assert_eq!(web.asked().last().unwrap(), "tools/list");
    let told = told.all();
    assert_eq!(told.len(), 1, "{told:?}");
    assert!(told[0].contains("session id") && !told[0].contains("a b"), "{told:?}");
}

/// A connection is used again after an answer of either kind.
#[tokio::test]
async fn answers_leave_their_connection_to_the_next_request() {
    for is_stream in [false, true] {
        let web = Web::start(move |seen| match is_stream {
            true => Reply::Stream(event(&message(&seen.body["id"], &json!({}))), Then::End),
            false => Reply::result(seen, &json!({})),
        })
        .await;
        let (transport, _) = connect_to(&web).await;
        for id in 0..50 {
            transport.request(modern(id, "ping")).await.unwrap();
        }
        let connections = web.seen().iter().map(|it| it.connection).max().unwrap() + 1;
        // One may still be on its way back when the next request leaves.
        let most = if is_stream { 3 } else { 1 };
        assert!(connections <= most, "{connections} connections");
    }
}

/// The end of a stream may come a moment after the answer on it.
#[tokio::test(start_paused = true)]
async fn a_stream_that_ends_a_moment_later_costs_no_connection() {
    let (end, mut ending) = watch::channel(false);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/", listener.local_addr().unwrap());
    let serving = tokio::spawn(async move {
        // One connection, and no other.
        let (stream, _) = listener.accept().await.unwrap();
        stream.set_nodelay(true).unwrap();
        drop(listener);
        let mut stream = BufReader::new(stream);
        for id in [1, 2] {
            web::read(&mut stream, 0).await.unwrap().unwrap();
            let event = event(&message(&id.into(), &json!({})));
            let head = "HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n";
            let length = event.len() + 1;
            let answer = format!("{head}content-length: {length}\r\n\r\n{event}");
            stream.write_all(answer.as_bytes()).await.unwrap();
            ending.wait_for(|end| *end).await.unwrap();
            stream.write_all(b"\n").await.unwrap();
        }
    });
    let _held = still();
    let (transport, _) = connect(Http::new(url).unwrap()).await;
    transport.request(modern(1, "ping")).await.unwrap();
    end.send_replace(true);
    // Long enough for the end to arrive.
    for _ in 0..1_000 {
        tokio::task::yield_now().await;
    }
    transport.request(modern(2, "ping")).await.unwrap();
    serving.await.unwrap();
}

/// Neither tasks nor connections are left of a transport, closed or dropped.
#[tokio::test]
async fn nothing_is_left_of_a_transport() {
    for is_closed in [true, false] {
        let web = Web::start(|seen| match seen.what() {
            "initialize" => Reply::Whole(200, SESSION, message(&seen.body["id"], &initialized())),
            "GET" => Reply::Stream(": hello\n\n".to_owned(), Then::Stay),
            "tools/call" => Reply::Stream("id: 1\nretry: 1\ndata:\n\n".to_owned(), Then::End),
            "DELETE" => Reply::status(405),
            "tools/list" => Reply::result(seen, &json!({})),
            _ => Reply::accepted(),
        })
        .await;
        let (transport, _) = connect_to(&web).await;
        greet(&transport).await;
        let calling = tokio::spawn({
            let transport = Arc::clone(&transport);
            async move { transport.request(legacy(2, "tools/call")).await }
        });
        // The stream of its own, and the one that the call was taken up on.
        web.until(|state| state.seen.iter().filter(|it| it.what() == "GET").count() == 2).await;
        transport.request(legacy(3, "tools/list")).await.unwrap();
        if is_closed {
            transport.close().await;
            assert_eq!(calling.await.unwrap().unwrap_err().error, TransportError::Closed);
        } else {
            calling.abort();
            assert!(calling.await.unwrap_err().is_cancelled());
        }
        drop(transport);
        web.until(|state| state.closed == 2).await;
        assert_eq!(web.asked().contains(&"DELETE".to_owned()), is_closed);
        drop(web);
        // Whatever was told to stop stops as soon as it is its turn.
        let metrics = Handle::current().metrics();
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
        assert_eq!(metrics.num_alive_tasks(), 0);
    }
}

/// B-HTTP-25, over HTTP/2: the stream is reset, and its connection stays.
#[tokio::test]
async fn a_dropped_request_resets_its_stream_alone() {
    struct Reset(mpsc::UnboundedSender<()>);
    impl Drop for Reset {
        fn drop(&mut self) {
            // Whoever listens may be gone at the end of the test.
            let _ = self.0.send(());
        }
    }
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let (asked, mut asking) = mpsc::unbounded_channel();
    let (reset, mut resetting) = mpsc::unbounded_channel();
    let serving = tokio::spawn(async move {
        // One connection, and no other.
        let (stream, _) = listener.accept().await.unwrap();
        drop(listener);
        let service = service_fn(move |request: hyper::Request<hyper::body::Incoming>| {
            let is_slow = request.headers()["mcp-method"] == "tools/call";
            let (asked, reset) = (asked.clone(), reset.clone());
            async move {
                if is_slow {
                    let _reset = Reset(reset);
                    asked.send(()).unwrap();
                    std::future::pending::<()>().await;
                }
                let answer = message(&Value::from(2), &json!({}));
                Ok::<_, Infallible>(hyper::Response::new(Full::new(Bytes::from(answer))))
            }
        });
        hyper::server::conn::http2::Builder::new(TokioExecutor::new())
            .serve_connection(TokioIo::new(stream), service)
            .await
    });
    let http = Http::new(format!("http://127.0.0.1:{port}/")).unwrap().http2_prior_knowledge();
    let (transport, _) = connect(http).await;
    let slow = tokio::spawn({
        let transport = Arc::clone(&transport);
        async move { transport.request(modern(1, "tools/call")).await }
    });
    asking.recv().await.unwrap();
    slow.abort();
    resetting.recv().await.unwrap();
    assert_eq!(text(&transport.request(modern(2, "ping")).await.unwrap()), "{}");
    transport.close().await;
    drop(transport);
    serving.await.unwrap().unwrap();
}
