//! Answers that come when nobody waits any longer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{Lines, call, ms};
use mcp_operations::{OperationId, Operations, Outcome, Spawner, Task, TokioTimer, What};
use mcp_provider::{Delivery, Provider, ToolResult};
use mcp_testkit::{Latch, Reply, Scripted};
use tokio::time::{Instant, sleep_until};

/// Lets time go by, as a tool does that works.
async fn work(time: Duration) {
    sleep_until(Instant::now() + time).await;
}

#[tokio::test(start_paused = true)]
async fn a_late_answer_is_recorded_beside_the_operation_and_changes_no_outcome() {
    // O-LATE-1
    let latch = Latch::new();
    let provider = Scripted::tools([]).reply("slow", Reply::ok("done after all").after(&latch));
    let journal = Lines::default();
    let timer = TokioTimer::new();
    let layer = Operations::new(provider.clone(), timer)
        .with_journal(journal.clone())
        .with_deadline(ms(100))
        .unwrap()
        .with_late_answers(timer, Duration::from_secs(60));
    let mut events = layer.events(20);
    let results = layer.execute_tool_calls(vec![call("1", "slow", "{}")]).await;
    assert_eq!(results[0].delivery, Delivery::Unknown);
    assert_eq!(provider.dropped(), 0, "it goes on in the background");
    let id: OperationId = layer.operations()[0].id().clone();
    assert_eq!(layer.late_answer(&id), None);
    work(ms(500)).await;
    latch.open();
    let late = loop {
        if let What::LateAnswer(result) = events.next().await.unwrap().what {
            break result;
        }
    };
    assert_eq!(late, ToolResult::ok("1", "done after all"));
    assert_eq!(layer.late_answer(&id), Some(late));
    let operation = layer.operation(&id).unwrap();
    assert_eq!(operation.outcome(), Some(Outcome::OutcomeUnknown));
    let expected = ["dispatched slow", "settled outcome-unknown deadline", "late completed"];
    assert_eq!(journal.short(), expected);
    let record = operation.record(layer.timer());
    assert_eq!(record.late.unwrap().outcome, Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_never_answers_is_dropped_when_its_window_is_over() {
    // O-LATE-2
    let provider = Scripted::tools([]).reply("hung", Reply::hang());
    let timer = TokioTimer::new();
    let layer = Operations::new(provider.clone(), timer)
        .with_deadline(ms(100))
        .unwrap()
        .with_late_answers(timer, ms(900));
    layer.execute_tool_calls(vec![call("1", "hung", "{}")]).await;
    work(ms(899)).await;
    assert_eq!(provider.dropped(), 0);
    work(ms(2)).await;
    tokio::task::yield_now().await;
    assert_eq!(provider.dropped(), 1, "now the server is told");
    assert_eq!(layer.operations()[0].late_answer(), None);
}

#[tokio::test(start_paused = true)]
async fn a_late_end_without_an_answer_is_no_late_answer() {
    // O-LATE-3
    // A refusal is one: it says that the call did not run after all.
    let refused = ToolResult::not_sent("", "no");
    for (result, is_answer) in [(ToolResult::unknown("", "gone"), false), (refused, true)] {
        let latch = Latch::new();
        let provider = Scripted::tools([]).reply("slow", Reply::result(result).after(&latch));
        let (timer, journal) = (TokioTimer::new(), Lines::default());
        let layer = Operations::new(provider.clone(), timer)
            .with_journal(journal.clone())
            .with_deadline(ms(100))
            .unwrap()
            .with_late_answers(timer, ms(900));
        layer.execute_tool_calls(vec![call("1", "slow", "{}")]).await;
        latch.open();
        work(ms(10)).await;
        assert_eq!(provider.dropped(), 0, "it came to its end");
        assert_eq!(layer.operations()[0].late_answer().is_some(), is_answer);
        let lines = journal.short();
        let late = is_answer.then(|| "late failed".to_owned());
        assert_eq!(lines.get(2), late.as_ref(), "{lines:?}");
    }
}

/// A spawner that drops what it gets, and one that panics.
struct Careless(bool);

impl Spawner for Careless {
    fn spawn(&self, _task: Task) {
        assert!(!self.0, "no room");
    }
}

#[tokio::test(start_paused = true)]
async fn a_spawner_that_fails_gives_the_call_up_and_the_outcome_stays_unknown() {
    // O-LATE-4
    for panics in [false, true] {
        let provider = Scripted::tools([]).reply("slow", Reply::hang());
        let layer = Operations::new(provider.clone(), TokioTimer::new())
            .with_deadline(ms(100))
            .unwrap()
            .with_late_answers(Careless(panics), ms(900));
        let results = layer.execute_tool_calls(vec![call("1", "slow", "{}")]).await;
        assert_eq!(results[0].delivery, Delivery::Unknown);
        assert_eq!(provider.dropped(), 1);
    }
}

/// A spawner that keeps what it gets.
#[derive(Clone, Default)]
struct Hoard(Arc<Mutex<Vec<Task>>>);

impl Spawner for Hoard {
    fn spawn(&self, task: Task) {
        self.0.lock().unwrap().push(task);
    }
}

#[tokio::test(start_paused = true)]
async fn only_so_many_calls_go_on_after_their_deadlines() {
    // O-LATE-5
    let mut provider = Scripted::tools([]);
    for _ in 0..70 {
        provider = provider.reply("slow", Reply::hang());
    }
    let hoard = Hoard::default();
    let layer = Operations::new(provider.clone(), TokioTimer::new())
        .with_deadline(ms(10))
        .unwrap()
        .with_late_answers(hoard.clone(), Duration::from_secs(3_600));
    for number in 0..70 {
        layer.execute_tool_calls(vec![call(&number.to_string(), "slow", "{}")]).await;
    }
    assert_eq!((hoard.0.lock().unwrap().len(), provider.dropped()), (64, 6));
    // Whoever ends makes room.
    let ended = hoard.0.lock().unwrap().pop();
    drop(ended);
    provider = provider.reply("slow", Reply::hang());
    layer.execute_tool_calls(vec![call("x", "slow", "{}")]).await;
    assert_eq!((hoard.0.lock().unwrap().len(), provider.dropped()), (64, 7));
}
