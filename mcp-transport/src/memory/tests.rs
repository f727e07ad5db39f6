//! A server in this process: connected to, spoken to, and left.

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::time::Instant;

use super::*;
use crate::testing::{Recorder, request, settle};

/// Answers every request with its own text, until its input ends.
async fn echo(stream: DuplexStream) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    while let Some(line) = lines.next_line().await.unwrap() {
        let message: serde_json::Value = serde_json::from_str(&line).unwrap();
        let answer = serde_json::json!({ "jsonrpc": "2.0", "id": message["id"], "result": line });
        if message.get("id").is_some() {
            writer.write_all(format!("{answer}\n").as_bytes()).await.unwrap();
        }
    }
}

fn echoing() -> Memory {
    Memory::new(|stream| drop(tokio::spawn(echo(stream))))
}

async fn connect(memory: &Memory) -> Arc<dyn Transport> {
    memory.connect(Arc::new(Recorder::default())).await.unwrap()
}

async fn ask(transport: &Arc<dyn Transport>, id: u64) -> Result<String, Failure> {
    let asking = transport.request(request(id, "ask"));
    let answer = timeout(5 * GRACE, asking).await.unwrap()?;
    Ok(answer.decode::<String>().unwrap())
}

#[tokio::test]
async fn a_server_is_connected_to_as_often_as_wanted() {
    let memory = echoing();
    assert!(memory.is_local());
    for _ in 0..3 {
        let transport = connect(&memory).await;
        assert!(transport.is_alive());
        assert!(ask(&transport, 1).await.unwrap().contains("\"ask\""));
        assert_eq!(transport.stderr_tail(), "");
        transport.close().await;
    }
}

#[tokio::test(start_paused = true)]
async fn closing_ends_the_servers_input_and_waits_for_it() {
    // B-STDIO-39, B-STDIO-42
    let transport = connect(&echoing()).await;
    let started = Instant::now();
    transport.close().await;
    timeout(GRACE, transport.close()).await.unwrap();
    assert_eq!(started.elapsed(), Duration::ZERO, "the server ended with its input");
    assert!(!transport.is_alive());
    let failure = ask(&transport, 1).await.unwrap_err();
    assert_eq!(failure, Failure::before_sending(TransportError::Closed));
}

#[tokio::test(start_paused = true)]
async fn a_server_that_does_not_hang_up_is_left_to_itself() {
    // B-TR-9
    let (memory, server) = Memory::pair();
    let transport = connect(&memory).await;
    let asking = tokio::spawn({
        let transport = Arc::clone(&transport);
        async move { ask(&transport, 1).await }
    });
    settle().await;
    let started = Instant::now();
    // Whoever asked for it may go away before the end.
    assert!(timeout(Duration::from_millis(1), transport.close()).await.is_err());
    let failure = asking.await.unwrap().unwrap_err();
    assert_eq!(failure, Failure::after_sending(TransportError::Closed));
    assert!(started.elapsed() >= GRACE && started.elapsed() < 2 * GRACE);
    transport.close().await;
    drop(server);
}

#[tokio::test]
async fn a_server_that_hangs_up_is_gone() {
    // B-STDIO-33, B-STDIO-34
    let transport = connect(&Memory::new(|mut stream| {
        drop(tokio::spawn(async move {
            let mut byte = [0];
            stream.read_exact(&mut byte).await.unwrap();
            stream.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":\"last\"}").await.unwrap();
        }));
    }))
    .await;
    let (one, two) = tokio::join!(ask(&transport, 1), ask(&transport, 2));
    assert_eq!(one.unwrap(), "last");
    let gone = two.unwrap_err();
    assert_eq!(gone.error.to_string(), "the server \"in-memory server\" is gone");
    assert!(gone.is_sent);
    assert!(!transport.is_alive());
    let later = ask(&transport, 3).await.unwrap_err();
    assert_eq!(later, Failure::before_sending(gone.error));
    transport.close().await;
}

#[tokio::test(start_paused = true)]
async fn a_dropped_connection_ends_the_servers_input() {
    let (memory, mut server) = Memory::pair();
    let transport = connect(&memory).await;
    transport.notify(Outgoing::notification("m", b"{}".to_vec())).await;
    drop(transport);
    let mut read = String::new();
    let at_once = timeout(GRACE / 2, server.read_to_string(&mut read));
    at_once.await.unwrap().unwrap();
    assert_eq!(read, "{}\n", "what was sent before arrives");
}

#[tokio::test]
async fn a_pair_is_one_connection() {
    let (memory, server) = Memory::pair();
    drop(tokio::spawn(echo(server)));
    let first = connect(&memory).await;
    let second = connect(&memory).await;
    let gone = ask(&second, 1).await.unwrap_err();
    assert!(matches!(gone.error, TransportError::ServerGone(_)), "{gone:?}");
    assert!(ask(&first, 1).await.is_ok());
    first.close().await;
}

#[tokio::test]
async fn the_limits_are_those_that_were_given() {
    let memory = echoing().limits(Limits { message: 50, ..Limits::default() });
    let transport = connect(&memory).await;
    let failure = ask(&transport, 1).await.unwrap_err();
    assert!(failure.to_string().contains("longer than the limit of 50 bytes"), "{failure}");
}
