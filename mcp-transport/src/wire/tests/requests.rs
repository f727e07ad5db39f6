//! The life of a request: sent, given up, refused, or overtaken by the end of the connection.

use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Waker};

use super::*;
use crate::task::lock;

/// A writer that takes everything, and notes each write.
#[derive(Clone, Default)]
struct Writes(Arc<Mutex<Vec<String>>>);

impl Writes {
    /// The writes since the last look.
    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *lock(&self.0))
    }
}

impl AsyncWrite for Writes {
    fn poll_write(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        lock(&self.0).push(String::from_utf8_lossy(bytes).into_owned());
        Poll::Ready(Ok(bytes.len()))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

const CANCELLED_1: &str = "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":\
    {\"requestId\":1,\"reason\":\"the client no longer waits for the answer\"}}\n";

#[tokio::test]
async fn a_message_is_sent_as_it_was_given() {
    let mut peer = Peer::new();
    let _waiting = peer.ask(Outgoing::request(3, "m", b"{\"id\": 3}".to_vec()));
    assert_eq!(peer.heard().await, "{\"id\": 3}\n");
    peer.wire.notify(Outgoing::notification("m", b"{ }".to_vec())).await;
    assert_eq!(peer.heard().await, "{ }\n");
    peer.wire.notify(Outgoing::response(b"[]".to_vec())).await;
    assert_eq!(peer.heard().await, "[]\n");
}

#[tokio::test]
async fn a_request_that_is_given_up_is_cancelled_at_the_server() {
    // B-TR-6, B-STDIO-9, B-STDIO-10; B-STDIO-11: to give up is to drop, which cannot fail.
    let mut peer = Peer::new();
    let waiting = peer.asked(1).await;
    waiting.abort();
    assert_eq!(peer.heard().await, CANCELLED_1);
    assert!(peer.wire.pending.is_empty());
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n").await;
    assert_eq!(
        peer.told.take(),
        ["warning dropped a late answer to request 1: nobody waits for it"]
    );
    let next = peer.asked(2).await;
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":2,\"result\":8}\n").await;
    assert_eq!(outcome(next).await, "8");
    assert_eq!(peer.heard_until_the_end().await, "");
}

#[tokio::test]
async fn a_handshake_is_never_cancelled() {
    let mut peer = Peer::new();
    let waiting = peer.ask(request(1, "initialize"));
    peer.heard().await;
    waiting.abort();
    settle().await;
    assert!(peer.wire.pending.is_empty());
    assert_eq!(peer.heard_until_the_end().await, "");
}

#[tokio::test]
async fn an_answered_request_is_not_cancelled() {
    let mut peer = Peer::new();
    let mut waiting = Box::pin(peer.wire.request(request(1, "ask")));
    assert!(poll_once(&mut waiting).is_pending());
    let mut line = String::new();
    peer.server.read_line(&mut line).await.unwrap();
    // The answer is there, but whoever waits for it has not seen it when it goes away.
    peer.server.write_all(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n").await.unwrap();
    settle().await;
    drop(waiting);
    assert_eq!(peer.told.take(), [""; 0]);
    assert_eq!(peer.heard_until_the_end().await, "");
}

/// Polls once.
fn poll_once<F: Future + Unpin>(future: &mut F) -> Poll<F::Output> {
    Pin::new(future).poll(&mut Context::from_waker(Waker::noop()))
}

#[tokio::test]
async fn a_request_that_waits_for_room_was_never_sent() {
    let mut peer = Peer::with(64, Limits { outbox: 50, ..Limits::default() });
    let bodies = [1, 2].map(|id| Outgoing::request(id, "m", vec![b'x'; 150]));
    let [first, second] = bodies;
    let (first, second) = (peer.ask(first), {
        settle().await;
        peer.ask(second)
    });
    settle().await;
    assert_eq!(peer.wire.pending.len(), 1, "the second is not sent yet");
    second.abort();
    settle().await;
    assert_eq!(peer.heard().await, "x".repeat(150) + "\n");
    first.abort();
    assert_eq!(peer.heard().await, CANCELLED_1);
    assert_eq!(peer.heard_until_the_end().await, "");
}

#[tokio::test]
async fn a_request_that_cannot_wait_is_refused_and_disturbs_nobody() {
    // B-STDIO-7
    let mut peer = Peer::new();
    let first = peer.asked(1).await;
    let twice = outcome(peer.ask(request(1, "again"))).await;
    assert_eq!(twice, "not sent: request 1: a request with this id is already in flight");
    let nameless = outcome(peer.ask(Outgoing::notification("m", Vec::new()))).await;
    assert_eq!(nameless, "not sent: a request needs an id");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n").await;
    assert_eq!(outcome(first).await, "7");
    assert_eq!(peer.heard_until_the_end().await, "");
}

#[tokio::test]
async fn while_it_closes_a_connection_still_reads_answers() {
    // B-TR-4, B-TR-10, B-STDIO-39, B-STDIO-40
    let mut peer = Peer::new();
    let (one, two) = (peer.asked(1).await, peer.asked(2).await);
    assert!(peer.wire.is_open());
    peer.wire.close_outbox();
    assert!(!peer.wire.is_open());
    assert_eq!(peer.heard().await, "", "the input of the server ends");
    peer.say("{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":7}\n").await;
    assert_eq!(outcome(one).await, "7");
    assert_eq!(outcome(peer.ask(request(3, "ask"))).await, "not sent: the connection is closed");
    peer.wire.notify(Outgoing::notification("m", b"{}".to_vec())).await;
    // The end of a connection that is being closed is no error.
    peer.wire.retire(&gone());
    assert_eq!(outcome(two).await, "the connection is closed");
}

#[tokio::test]
async fn the_end_of_a_connection_fails_what_waits_and_what_comes() {
    // B-TR-7, B-TR-9, B-STDIO-33
    let mut peer = Peer::new();
    let (one, two) = (peer.asked(1).await, peer.asked(2).await);
    peer.wire.retire(&gone());
    peer.wire.retire(&TransportError::Protocol("the first reason is kept".to_owned()));
    let expected = "the server \"s\" is gone";
    assert_eq!((outcome(one).await, outcome(two).await), (expected.into(), expected.into()));
    let later = outcome(peer.ask(request(3, "ask"))).await;
    assert_eq!(later, format!("not sent: {expected}"));
    assert!(!peer.wire.is_open());
    peer.wire.notify(Outgoing::notification("m", b"{}".to_vec())).await;
    drop(peer.tasks);
    let mut rest = String::new();
    peer.server.read_line(&mut rest).await.unwrap();
    assert_eq!(rest, "", "nothing more was written");
}

#[tokio::test]
async fn nobody_waits_for_a_connection_whose_tasks_are_gone() {
    // B-TR-7: a runtime that ends takes its tasks with it.
    let mut peer = Peer::with(64, Limits { outbox: 50, ..Limits::default() });
    let waiting = peer.ask(Outgoing::request(1, "m", vec![b'x'; 150]));
    settle().await;
    let without_room = peer.ask(request(2, "ask"));
    settle().await;
    drop(peer.tasks);
    assert_eq!(outcome(waiting).await, "the connection is closed");
    assert_eq!(outcome(without_room).await, "not sent: the connection is closed");
    peer.server.read_line(&mut String::new()).await.unwrap();
}

#[tokio::test]
async fn a_server_that_reads_nothing_keeps_no_request_from_its_end() {
    let peer = Peer::with(64, Limits { outbox: 50, ..Limits::default() });
    let waiting: Vec<_> =
        (0..20).map(|id| peer.ask(Outgoing::request(id, "m", vec![b'x'; 40]))).collect();
    settle().await;
    assert!(peer.wire.pending.len() < 20);
    let notifying = peer.wire.notify(Outgoing::notification("m", b"{}".to_vec()));
    tokio::pin!(notifying);
    assert!(poll_once(&mut notifying).is_pending());
    peer.wire.retire(&gone());
    for request in waiting {
        assert!(outcome(request).await.ends_with("the server \"s\" is gone"));
    }
    // B-TR-8
    assert!(poll_once(&mut notifying).is_ready());
}

fn gone() -> TransportError {
    let gone = ServerGone { command: "s".to_owned(), ..ServerGone::default() };
    TransportError::ServerGone(Arc::new(gone))
}

#[tokio::test]
async fn callers_that_were_answered_together_send_in_one_write() {
    let (reader, mut server) = duplex(1 << 16);
    let (writes, told) = (Writes::default(), Arc::new(Recorder::default()));
    let (wire, _tasks) = Wire::start(reader, writes.clone(), told as _, &Limits::default());
    let answer = |id: u64| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":0}}\n");
    for caller in 1..=3 {
        let wire = Arc::clone(&wire);
        tokio::spawn(async move {
            for id in [caller, 10 + caller, 20 + caller] {
                wire.request(request(id, "ask")).await.unwrap();
            }
        });
    }
    settle().await;
    assert_eq!(writes.take().len(), 3, "nobody was answered yet");
    server.write_all([answer(1), answer(2), answer(3)].concat().as_bytes()).await.unwrap();
    settle().await;
    let together = writes.take();
    assert_eq!(together.len(), 1, "{together:?}");
    assert_eq!(together[0].lines().count(), 3);
    // Whoever is answered alone waits for nobody.
    server.write_all(answer(12).as_bytes()).await.unwrap();
    settle().await;
    let alone = writes.take();
    assert_eq!(alone.len(), 1, "{alone:?}");
    assert!(alone[0].contains("\"id\":22,"));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_caller_that_blocks_its_thread_holds_up_nobody_else() {
    let mut peer = Peer::new();
    let (release, blocked) = std::sync::mpsc::channel::<()>();
    let blocked = Arc::new(Mutex::new(Some(blocked)));
    for id in 1..=2 {
        let (wire, blocked) = (Arc::clone(&peer.wire), Arc::clone(&blocked));
        tokio::spawn(async move {
            wire.request(request(id, "ask")).await.unwrap();
            // Whoever is answered first blocks until the other has been heard.
            let first = lock(&blocked).take();
            match first {
                Some(blocked) => _ = blocked.recv(),
                None => _ = wire.request(request(10 + id, "ask")).await,
            }
        });
        peer.heard().await;
    }
    let answers = [1, 2].map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"result\":0}}\n"));
    peer.server.write_all(answers.concat().as_bytes()).await.unwrap();
    assert!(peer.heard().await.contains("\"id\":1"));
    drop(release);
}
