//! Whatever is pushed arrives whole and in order, whoever reads at the other end and how.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Wake;
use std::time::Duration;

use proptest::prelude::*;
use tokio::io::{AsyncReadExt, DuplexStream, duplex};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::*;
use crate::testing::settle;

const PATIENCE: Duration = Duration::from_secs(5);

/// A writer that does what it is told at each write, and then takes everything.
#[derive(Default)]
struct Told {
    steps: VecDeque<Poll<io::Result<usize>>>,
    /// Each piece it took; the empty piece is the shutdown.
    taken: Arc<Mutex<Vec<String>>>,
}

impl AsyncWrite for Told {
    fn poll_write(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = match self.steps.pop_front() {
            Some(Poll::Ready(Ok(written))) => written.min(bytes.len()),
            Some(other) => return other,
            None => bytes.len(),
        };
        lock(&self.taken).push(String::from_utf8_lossy(&bytes[..written]).into_owned());
        Poll::Ready(Ok(written))
    }

    fn poll_flush(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn poll_shutdown(self: Pin<&mut Self>, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        lock(&self.taken).push(String::new());
        Poll::Ready(Ok(()))
    }
}

/// An outbox over a writer that is told what to do, and what it took.
fn told(
    steps: impl IntoIterator<Item = Poll<io::Result<usize>>>,
) -> (Outbox, impl Fn() -> Vec<String>) {
    let writer = Told { steps: steps.into_iter().collect(), ..Told::default() };
    let taken = Arc::clone(&writer.taken);
    (Outbox::new(writer, 10), move || lock(&taken).clone())
}

/// Polls the task that writes once.
fn poll(outbox: &Outbox) -> Poll<io::Result<()>> {
    let mut context = Context::from_waker(Waker::noop());
    lock(&outbox.state).poll(&mut context)
}

fn running(size: usize, limit: usize) -> (Arc<Outbox>, DuplexStream, JoinHandle<io::Result<()>>) {
    let (ours, theirs) = duplex(size);
    let outbox = Arc::new(Outbox::new(ours, limit));
    let task = tokio::spawn({
        let outbox = Arc::clone(&outbox);
        async move { outbox.run().await }
    });
    (outbox, theirs, task)
}

#[test]
fn a_caller_writes_its_own_message() {
    let (outbox, taken) = told([]);
    assert!(outbox.push(b"one\n"));
    assert!(outbox.push(b"two\n"));
    assert_eq!(taken(), ["one\n", "two\n"]);
}

#[test]
fn the_messages_of_callers_that_were_answered_together_are_written_in_one_piece() {
    let (outbox, taken) = told([]);
    let gathering = outbox.gather();
    for message in ["one\n", "two\n", "three\n"] {
        assert!(outbox.push(message.as_bytes()));
    }
    assert_eq!(taken(), [""; 0]);
    drop(gathering);
    assert_eq!(taken(), ["one\ntwo\nthree\n"]);
    assert!(outbox.push(b"four\n"));
    assert_eq!(taken(), ["one\ntwo\nthree\n", "four\n"]);
    drop(outbox.gather());
    assert_eq!(taken().len(), 2, "there was nothing to write");
}

#[test]
fn what_was_gathered_and_does_not_fit_is_left_to_the_task() {
    let (outbox, taken) = told([Poll::Ready(Ok(2)), Poll::Ready(Ok(1))]);
    let gathering = outbox.gather();
    assert!(outbox.push(b"one\n"));
    assert!(outbox.push(b"two\n"));
    drop(gathering);
    assert!(outbox.push(b"three\n"), "behind what is left");
    assert_eq!(taken(), ["on"]);
    assert!(poll(&outbox).is_pending());
    assert_eq!(taken(), ["on", "e", "\ntwo\nthree\n"]);
}

#[test]
fn a_message_that_does_not_fit_is_finished_before_the_next() {
    let (outbox, taken) = told([Poll::Ready(Ok(2)), Poll::Ready(Ok(1)), Poll::Pending]);
    assert!(outbox.push(b"one\n"));
    assert!(outbox.push(b"two\n"));
    assert_eq!(taken(), ["on"]);
    assert!(poll(&outbox).is_pending());
    assert_eq!(taken(), ["on", "e"]);
    assert!(poll(&outbox).is_pending());
    assert_eq!(taken(), ["on", "e", "\ntwo\n"]);
}

#[test]
fn a_writer_that_is_not_ready_is_left_to_the_task() {
    let (outbox, taken) = told([Poll::Pending]);
    assert!(outbox.push(b"one\n"));
    assert_eq!(taken(), [""; 0]);
    assert!(poll(&outbox).is_pending());
    assert_eq!(taken(), ["one\n"]);
}

#[test]
fn an_error_is_reported_by_the_task_and_ends_the_outbox() {
    let broken = || Poll::Ready(Err(io::ErrorKind::BrokenPipe.into()));
    for (steps, expected) in [
        ([broken(), broken()], io::ErrorKind::BrokenPipe),
        ([Poll::Ready(Ok(0)), Poll::Ready(Ok(0))], io::ErrorKind::WriteZero),
    ] {
        let (outbox, taken) = told(steps);
        assert!(outbox.push(b"one\n"), "the caller does not hear of it");
        let Poll::Ready(Err(error)) = poll(&outbox) else { panic!("{expected}: no error") };
        assert_eq!(error.kind(), expected);
        assert!(!outbox.push(b"two\n"));
        assert!(!outbox.push(b"two\n"));
        assert!(matches!(poll(&outbox), Poll::Ready(Ok(()))), "it is over");
        assert!(!taken().contains(&"two\n".to_owned()));
    }
}

#[test]
fn closing_writes_what_was_pushed_and_shuts_the_writer_down() {
    let (outbox, taken) = told([Poll::Pending]);
    outbox.push(b"one\n");
    outbox.close();
    assert!(!outbox.push(b"two\n"));
    assert!(matches!(poll(&outbox), Poll::Ready(Ok(()))));
    assert_eq!(taken(), ["one\n", ""]);
    outbox.close();
    assert!(matches!(poll(&outbox), Poll::Ready(Ok(()))));
    assert_eq!(taken(), ["one\n", ""]);
}

#[test]
fn an_abandoned_outbox_writes_nothing_more() {
    let (outbox, taken) = told([Poll::Pending]);
    outbox.push(b"one\n");
    outbox.abandon();
    assert!(!outbox.push(b"two\n"));
    assert!(matches!(poll(&outbox), Poll::Ready(Ok(()))));
    assert_eq!(taken(), [""; 0]);
    assert!(lock(&outbox.state).writer.is_none());
}

#[test]
fn the_task_is_woken_for_what_it_has_to_do() {
    struct Count(AtomicUsize);
    impl Wake for Count {
        fn wake(self: Arc<Self>) {
            self.0.fetch_add(1, Ordering::Relaxed);
        }
    }
    type Step = fn(&Outbox);
    let gathered: Step = |it| {
        let _gathering = it.gather();
        assert!(it.push(b"one\n"));
    };
    let pushed: Step = |it| assert!(it.push(b"one\n"));
    let steps: &[(&str, Step, usize, usize)] = &[
        ("pushed", pushed, 100, 0),
        ("pushed, and did not fit", pushed, 2, 1),
        ("gathered", gathered, 100, 0),
        ("gathered, and did not fit", gathered, 2, 1),
        ("closed", Outbox::close, 100, 1),
        ("abandoned", Outbox::abandon, 100, 1),
    ];
    for (what, step, room, expected) in steps {
        let (outbox, _) = told([Poll::Ready(Ok(*room))]);
        let woken = Arc::new(Count(AtomicUsize::new(0)));
        let waker = Waker::from(Arc::clone(&woken));
        assert!(lock(&outbox.state).poll(&mut Context::from_waker(&waker)).is_pending());
        step(&outbox);
        assert_eq!(woken.0.load(Ordering::Relaxed), *expected, "{what}");
    }
}

#[tokio::test]
async fn a_slow_reader_gets_everything() {
    let (outbox, mut server, task) = running(7, 1 << 20);
    let mut expected = String::new();
    for number in 0..500 {
        let line = format!("message {number}\n");
        expected += &line;
        assert!(outbox.push(line.as_bytes()));
    }
    outbox.close();
    let mut read = String::new();
    timeout(PATIENCE, server.read_to_string(&mut read)).await.unwrap().unwrap();
    assert_eq!(read, expected);
    task.await.unwrap().unwrap();
}

#[tokio::test]
async fn a_reader_that_goes_away_fails_the_task() {
    let (outbox, server, task) = running(4, 1 << 20);
    outbox.push(b"more than fits\n");
    settle().await;
    drop(server);
    assert_eq!(task.await.unwrap().unwrap_err().kind(), io::ErrorKind::BrokenPipe);
    assert!(!outbox.push(b"more\n"));
    outbox.room().await;
}

#[tokio::test(start_paused = true)]
async fn callers_wait_while_too_much_is_queued() {
    // B-STDIO-14
    let (outbox, mut server, _task) = running(4, 10);
    outbox.push(b"0123456789");
    settle().await;
    outbox.room().await;
    outbox.push(b"0123456789");
    settle().await;
    let waiters: Vec<_> = (0..3)
        .map(|_| {
            let outbox = Arc::clone(&outbox);
            tokio::spawn(async move { outbox.room().await })
        })
        .collect();
    settle().await;
    assert!(waiters.iter().all(|waiter| !waiter.is_finished()));
    // One that gives up takes nothing away from the others.
    waiters[0].abort();
    settle().await;
    let mut read = [0; 8];
    server.read_exact(&mut read).await.unwrap();
    settle().await;
    assert!(waiters.iter().all(JoinHandle::is_finished));
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_for_the_room_of_an_outbox_that_is_over() {
    type End = fn(&Outbox, DuplexStream) -> Option<DuplexStream>;
    let ends: &[(&str, End)] = &[
        ("closed", |outbox, server| {
            outbox.close();
            Some(server)
        }),
        ("abandoned", |outbox, server| {
            outbox.abandon();
            Some(server)
        }),
        ("broken", |_, _| None),
    ];
    for (what, end) in ends {
        let (outbox, server, task) = running(4, 10);
        outbox.push(&[b'x'; 100]);
        settle().await;
        let mut waiter = std::pin::pin!(outbox.room());
        let wait = Duration::from_secs(1);
        assert!(timeout(wait, waiter.as_mut()).await.is_err(), "{what}: it waits");
        if *what == "abandoned" {
            // As when a runtime has ended: there is no task that could pass it on.
            task.abort();
        }
        let _server = end(&outbox, server);
        timeout(wait, waiter).await.unwrap_or_else(|_| panic!("{what}: it still waits"));
        assert!(!outbox.push(b"y"), "{what}");
    }
}

#[tokio::test]
async fn a_limit_of_nothing_still_lets_one_message_through() {
    let (outbox, mut server, _task) = running(4, 0);
    let sending = async {
        for _ in 0..10 {
            outbox.room().await;
            outbox.push(b"message\n");
        }
    };
    let mut read = [0; 80];
    let both = async { tokio::join!(sending, server.read_exact(&mut read)).1 };
    timeout(PATIENCE, both).await.unwrap().unwrap();
    assert_eq!(read, *b"message\n".repeat(10));
}

#[tokio::test]
async fn a_burst_leaves_no_memory_behind() {
    let (outbox, mut server, _task) = running(1 << 16, 1 << 20);
    outbox.push(&[b'x'; 10 << 20]);
    let mut read = vec![0; 10 << 20];
    timeout(PATIENCE, server.read_exact(&mut read)).await.unwrap().unwrap();
    settle().await;
    let mut state = lock(&outbox.state);
    // Takes back whatever memory is there.
    state.queue.reserve(1);
    assert!(state.queue.capacity() < 1 << 16, "{}", state.queue.capacity());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn messages_are_never_mixed(
        lengths in proptest::collection::vec(proptest::collection::vec(1_usize..60, 1..12), 1..12),
        size in 1_usize..40,
        limit in 0_usize..100,
        threads in 1_usize..4,
    ) {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(threads).build();
        let (wrong, read) = runtime.unwrap().block_on(push_from_many(&lengths, size, limit));
        prop_assert_eq!(wrong, None);
        prop_assert_eq!(read, lengths.iter().flatten().count());
    }
}

/// Pushes messages of these lengths from a task each, and says which line is wrong, if one is.
async fn push_from_many(
    lengths: &[Vec<usize>],
    size: usize,
    limit: usize,
) -> (Option<String>, usize) {
    let (outbox, mut server, task) = running(size, limit);
    let senders = lengths.iter().cloned().enumerate().map(|(sender, lengths)| {
        let outbox = Arc::clone(&outbox);
        tokio::spawn(async move {
            for (number, length) in lengths.into_iter().enumerate() {
                outbox.room().await;
                let line = format!("{sender} {number} {}\n", "x".repeat(length));
                let _gathering = ((number + length) % 2 == 0).then(|| outbox.gather());
                assert!(outbox.push(line.as_bytes()));
            }
        })
    });
    let senders: Vec<_> = senders.collect();
    let reader = tokio::spawn(async move {
        let mut read = String::new();
        server.read_to_string(&mut read).await.map(|_| read)
    });
    for sender in senders {
        sender.await.unwrap();
    }
    outbox.close();
    let read = reader.await.unwrap().unwrap();
    task.await.unwrap().unwrap();
    let mut expected = vec![0; lengths.len()];
    let is_right = |line: &str| {
        let mut words = line.split(' ');
        let mut number = || words.next()?.parse::<usize>().ok();
        let (sender, number) = (number()?, number()?);
        let is_next = std::mem::replace(&mut expected[sender], number + 1) == number;
        let length = lengths.get(sender)?.get(number)?;
        (is_next && words.eq([&*"x".repeat(*length)])).then_some(())
    };
    let mut check = is_right;
    (read.lines().find(|line| check(line).is_none()).map(str::to_owned), read.lines().count())
}
