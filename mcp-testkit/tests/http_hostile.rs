//! HTTP servers that mean harm: each gets a clear error, and keeps nothing.

#![cfg(target_os = "linux")]
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod raw;

use std::fs;
use std::time::Duration;

use mcp_client::{Client, Delivery, Error, Http};
use serde_json::json;
use tokio::io::AsyncWriteExt;
use tokio::net::{TcpListener, TcpStream};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};
use tokio::time::{Instant, interval, timeout};

use crate::raw::{RawServer, json_response};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_that_trickles_in_is_waited_for_as_long_as_the_call_may_take() {
    let (_turn, _) = alone().await;
    let server = RawServer::start(|mut stream: TcpStream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 x\r\nx: ").await;
        flood(stream, b"y", Pace::Slow).await
    });
    let (error, taken) = refused(server.await).await;
    assert!(matches!(error, Error::Timeout { is_sent: true, .. }), "{error:?}");
    assert!(taken < 10_000, "{taken} bytes");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_body_that_trickles_in_is_waited_for_as_long_as_the_call_may_take() {
    let (_turn, _) = alone().await;
    let server = RawServer::start(|mut stream: TcpStream, _| async move {
        let head =
            b"HTTP/1.1 200 x\r\ncontent-type: application/json\r\ncontent-length: 9999\r\n\r\n";
        let _ = stream.write_all(head).await;
        flood(stream, b" ", Pace::Slow).await
    });
    let (error, _) = refused(server.await).await;
    assert!(matches!(error, Error::Timeout { is_sent: true, .. }), "{error:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_head_of_a_hundred_megabytes_is_cut_off() {
    let (_turn, before) = alone().await;
    let server = RawServer::start(|mut stream: TcpStream, _| async move {
        let _ = stream.write_all(b"HTTP/1.1 200 x\r\nx: ").await;
        flood(stream, &[b'y'; 100_000], Pace::Fast(100_000_000)).await
    });
    let (error, taken) = refused(server.await).await;
    assert!(!matches!(error, Error::Timeout { .. }), "{error:?}");
    assert_eq!(error.delivery(), Delivery::Unknown, "{error:?}");
    let text = error.to_string();
    assert!(text.contains("head"), "{text}");
    assert!(taken < 20_000_000, "{taken} bytes were taken");
    assert!(grown(before) < 30, "{} MB", grown(before));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn comments_without_end_cost_no_memory() {
    let (_turn, before) = alone().await;
    let server = RawServer::start(|mut stream: TcpStream, _| async move {
        let head = b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n\r\n";
        let _ = stream.write_all(head).await;
        flood(stream, ": ping\n\n".repeat(1_000).as_bytes(), Pace::Fast(usize::MAX)).await
    });
    let (error, taken) = refused(server.await).await;
    assert!(matches!(error, Error::Timeout { is_sent: true, .. }), "{error:?}");
    assert!(taken > 1_000_000, "{taken} bytes were taken");
    assert!(grown(before) < 30, "{} MB of {taken} bytes", grown(before));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_comment_without_end_costs_no_memory() {
    let (_turn, before) = alone().await;
    let server = RawServer::start(|mut stream: TcpStream, _| async move {
        let head = b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n\r\n:";
        let _ = stream.write_all(head).await;
        flood(stream, &[b'y'; 100_000], Pace::Fast(usize::MAX)).await
    });
    let (error, _) = refused(server.await).await;
    assert!(matches!(error, Error::Timeout { is_sent: true, .. }), "{error:?}");
    assert!(grown(before) < 30, "{} MB", grown(before));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_event_without_end_is_cut_off_and_the_call_given_up() {
    let (_turn, before) = alone().await;
    let server = RawServer::start(|mut stream: TcpStream, _| async move {
        let head = b"HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n\r\ndata: ";
        let _ = stream.write_all(head).await;
        flood(stream, &[b'y'; 100_000], Pace::Fast(usize::MAX)).await
    });
    let (error, _) = refused(server.await).await;
    assert_eq!(error.delivery(), Delivery::Unknown, "{error:?}");
    assert!(grown(before) < 150, "{} MB", grown(before));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_redirect_to_another_host_is_refused_and_carries_no_credentials_there() {
    let (_turn, _) = alone().await;
    let elsewhere = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let other = format!("http://{}/mcp", elsewhere.local_addr().unwrap());
    let location = other.clone();
    let server = RawServer::start(move |mut stream: TcpStream, _| {
        let location = location.clone();
        async move {
            let head =
                format!("HTTP/1.1 307 x\r\nlocation: {location}\r\ncontent-length: 0\r\n\r\n");
            stream.write_all(head.as_bytes()).await.map_or(0, |()| head.len())
        }
    })
    .await;
    let http = Http::new(server.url()).unwrap();
    let http = http.header("authorization", "Bearer s3cret").unwrap();
    let client = Client::builder(http).on_warning(|_| ()).build().unwrap();
    let error = call(&client).await.unwrap_err();
    let text = error.to_string();
    assert!(text.contains(&other), "{text}");
    assert!(!format!("{text} {error:?} {client:?}").contains("s3cret"), "{error:?}");
    assert!(server.asked().iter().all(|(_, head)| head.contains("Bearer s3cret")));
    client.close().await;
    // Whoever would have connected has done so by now: the call has failed.
    let visit = timeout(Duration::ZERO, elsewhere.accept()).await;
    assert!(visit.is_err(), "somebody came: {visit:?}");
    nothing_left_of(server).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_goes_on_behind_an_answer_is_left_behind() {
    let (_turn, before) = alone().await;
    let result = json!({ "content": [{ "type": "text", "text": "hi" }], "resultType": "complete" });
    for is_stream in [false, true] {
        let result = result.clone();
        let server = RawServer::start(move |mut stream: TcpStream, id| {
            let answer = json!({ "jsonrpc": "2.0", "id": id, "result": result });
            let answer = if is_stream {
                let head = "HTTP/1.1 200 x\r\ncontent-type: text/event-stream\r\n\r\n";
                format!("{head}data: {answer}\n\n").into()
            } else {
                json_response(&answer)
            };
            async move {
                let _ = stream.write_all(&answer).await;
                flood(stream, ": ping\n\n".repeat(1_000).as_bytes(), Pace::Fast(usize::MAX)).await
            }
        });
        let mut server = server.await;
        let client = client(&server);
        assert_eq!(call(&client).await.unwrap(), "hi");
        timeout(PATIENCE, server.over()).await.unwrap();
        client.close().await;
        nothing_left_of(server).await;
        assert!(grown(before) < 30, "{} MB", grown(before));
    }
}

/// Calls a tool of a server that answers badly.  Returns the error, and how many bytes of the
/// answer were taken; both sides are over then, and the server can be called again.
async fn refused(mut server: RawServer) -> (Error, usize) {
    let client = client(&server);
    let error = call(&client).await.unwrap_err();
    // Later than that, the client holds a connection that nobody needs.
    let taken = timeout(PATIENCE, server.over()).await.unwrap();
    assert!(client.is_alive(), "{error:?}");
    assert_eq!(client.list_tools().refresh().await.unwrap().len(), 1);
    client.close().await;
    nothing_left_of(server).await;
    (error, taken)
}

fn client(server: &RawServer) -> Client {
    let http = Http::new(server.url()).unwrap();
    let builder = Client::builder(http).request_timeout(Duration::from_secs(1));
    builder.on_warning(|_| ()).build().unwrap()
}

async fn call(client: &Client) -> Result<String, Error> {
    let result = client.call_tool("echo", json!({ "text": "hi" })).await?;
    Ok(result.content.iter().filter_map(|block| block.as_text()).collect())
}

#[derive(Clone, Copy)]
enum Pace {
    /// As fast as it is taken, up to so many bytes.
    Fast(usize),
    /// Fifty times a second.
    Slow,
}

/// Writes `bytes` again and again until the client hangs up.  Returns how many were taken.
async fn flood(mut stream: TcpStream, bytes: &[u8], pace: Pace) -> usize {
    let (mut clock, mut taken) = (interval(Duration::from_millis(20)), 0);
    loop {
        match pace {
            Pace::Fast(most) if taken >= most => return taken,
            Pace::Fast(_) => tokio::task::yield_now().await,
            Pace::Slow => _ = clock.tick().await,
        }
        match stream.write_all(bytes).await {
            Ok(()) => taken += bytes.len(),
            Err(_) => return taken,
        }
    }
}

/// Sees that no task is left that works for a client.
async fn nothing_left_of(server: RawServer) {
    drop(server);
    let (deadline, mut look) = (Instant::now() + PATIENCE, interval(Duration::from_millis(20)));
    loop {
        look.tick().await;
        match Handle::current().metrics().num_alive_tasks() {
            0 => return,
            left => assert!(Instant::now() < deadline, "{left} tasks are left"),
        }
    }
}

/// Memory is that of a process, so the tests take turns.  Returns how much is held, in megabytes.
async fn alone() -> (MutexGuard<'static, ()>, usize) {
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    // Where the system does not let us, the peak is that of the tests before.
    let _ = fs::write("/proc/self/clear_refs", "5");
    (turn, megabytes("VmRSS:"))
}

/// By how many megabytes the most that was held since exceeds what was held before.
fn grown(before: usize) -> usize {
    megabytes("VmHWM:").saturating_sub(before)
}

fn megabytes(name: &str) -> usize {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
    line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1000
}

const PATIENCE: Duration = Duration::from_secs(10);
