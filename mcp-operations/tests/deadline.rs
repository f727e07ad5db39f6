//! Deadlines, drops, and the groups that they take.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::task::{Context, Waker};
use std::time::Duration;

use common::{Lines, Still, at, batch, because, layer, ms, states};
use mcp_operations::{InvalidDeadline, Operations, State, TokioTimer};
use mcp_provider::{
    Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_testkit::{Latch, Reply, Scripted};

#[tokio::test(start_paused = true)]
async fn a_deadline_leaves_the_outcome_unknown_and_the_rest_of_the_batch_unsent() {
    // O-DL-1
    let provider = Scripted::tools([]).reply("slow", Reply::hang());
    let journal = Lines::default();
    let layer = layer(&provider, &journal).with_deadline(Duration::from_secs(30)).unwrap();
    let began = tokio::time::Instant::now();
    let results = layer.execute_tool_calls(batch(&["quick", "slow", "x", "y"])).await;
    assert_eq!(began.elapsed(), Duration::from_secs(30));
    assert_eq!(provider.called(), ["quick", "slow"]);
    assert_eq!(provider.dropped(), 1, "the server is told, by the drop");
    assert_eq!(
        states(&layer),
        [
            (State::Completed, None),
            because(State::OutcomeUnknown, "deadline"),
            because(State::Abandoned, "deadline"),
            because(State::Abandoned, "deadline"),
        ]
    );
    let lines = journal.short();
    let expected = [
        "dispatched quick",
        "settled completed",
        "dispatched slow",
        "settled outcome-unknown deadline",
    ];
    assert_eq!(lines, expected);
    let [_, slow, x, y] = &*results else { unreachable!("{results:?}") };
    assert_eq!((&slow.delivery, slow.is_error), (&Delivery::Unknown, false));
    assert!(slow.content.contains("'slow' within 30 s"), "{}", slow.content);
    assert!(slow.content.contains("is not known"), "{}", slow.content);
    assert!(!slow.content.to_lowercase().contains("fail"), "{}", slow.content);
    for behind in [x, y] {
        assert_eq!(behind.delivery, Delivery::NotSent);
        assert!(behind.content.contains("It did not run"), "{}", behind.content);
    }
    let ids: Vec<String> = results.iter().map(|it| it.tool_call_id.to_string()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    // The next batch is a new one.
    let results = layer.execute_tool_calls(batch(&["quick"])).await;
    assert_eq!(results[0].content, "quick ran");
}

#[test]
fn an_answer_at_the_very_moment_of_the_deadline_wins() {
    // O-DL-2
    let cases = [
        (99, true, Some(State::Completed)),
        (100, true, Some(State::Completed)),
        (5_000, true, Some(State::Completed)),
        (99, false, None),
        (100, false, Some(State::OutcomeUnknown)),
    ];
    for (moment, is_answered, expected) in cases {
        let (latch, clock) = (Latch::new(), Still::default());
        let provider = Scripted::tools([]).reply("slow", Reply::ok("done").after(&latch));
        let layer = Operations::new(provider, clock.clone()).with_deadline(ms(100)).unwrap();
        let mut batch = layer.execute_tool_calls(batch(&["slow"]));
        let mut context = Context::from_waker(Waker::noop());
        assert!(batch.as_mut().poll(&mut context).is_pending());
        clock.set(at(moment));
        if is_answered {
            latch.open();
        }
        let polled = batch.as_mut().poll(&mut context);
        assert_eq!(polled.is_ready(), expected.is_some(), "{moment}");
        let state = layer.operations()[0].state();
        assert_eq!(state, expected.unwrap_or(State::Dispatched), "{moment}");
    }
}

#[test]
fn a_deadline_of_no_time_is_refused() {
    // O-DL-3
    let layer = Operations::new(Scripted::tools([]), TokioTimer::new());
    let refused: InvalidDeadline = layer.with_deadline(Duration::ZERO).unwrap_err();
    assert!(refused.to_string().contains("zero"));
}

/// Polls a batch until nothing is left to do but wait, and drops it.
async fn run_and_drop(layer: &Operations<Scripted>, calls: Vec<ToolCall>) {
    tokio::select! {
        biased;
        results = layer.execute_tool_calls(calls) => unreachable!("{results:?}"),
        () = tokio::task::yield_now() => {}
    }
}

#[tokio::test(start_paused = true)]
async fn a_dropped_batch_leaves_its_call_unknown_and_the_rest_abandoned() {
    // O-DL-4
    let provider = Scripted::tools([]).reply("slow", Reply::hang());
    let journal = Lines::default();
    let layer = layer(&provider, &journal).with_deadline(Duration::from_secs(9)).unwrap();
    run_and_drop(&layer, batch(&["slow", "b", "c"])).await;
    assert_eq!(provider.dropped(), 1, "the call is cancelled");
    assert_eq!(
        states(&layer),
        [
            because(State::OutcomeUnknown, "cancelled"),
            because(State::Abandoned, "cancelled"),
            because(State::Abandoned, "cancelled"),
        ]
    );
    assert_eq!(journal.short(), ["dispatched slow", "settled outcome-unknown cancelled"]);
    assert!(layer.in_flight().operations().is_empty());
    // One that was never polled did nothing at all, and one that was dropped can come again.
    drop(layer.execute_tool_calls(batch(&["d"])));
    assert_eq!(journal.lines().len(), 2);
    assert_eq!(layer.execute_tool_calls(batch(&["b"])).await[0].content, "b ran");
}

#[tokio::test]
async fn a_batch_dropped_between_its_calls_keeps_what_was_answered() {
    // O-DL-4
    let latch = Latch::new();
    let provider = Scripted::tools([]).reply("b", Reply::ok("late").after(&latch));
    let journal = Lines::default();
    let layer = layer(&provider, &journal);
    tokio::select! {
        biased;
        results = layer.execute_tool_calls(batch(&["a", "b", "c"])) => unreachable!("{results:?}"),
        () = provider.until_started(2) => {}
    }
    let expected = [
        (State::Completed, None),
        because(State::OutcomeUnknown, "cancelled"),
        because(State::Abandoned, "cancelled"),
    ];
    assert_eq!(states(&layer), expected);
}

#[tokio::test]
async fn calls_of_concurrent_tools_that_follow_each_other_go_down_together() {
    // O-RUN-10
    let provider = Scripted::tools([]);
    let journal = Lines::default();
    let layer = layer(&provider, &journal).concurrent(["task", "sub_*"]).unwrap();
    let tools = ["task", "sub_a", "read", "task", "read", "read"];
    let results = layer.execute_tool_calls(batch(&tools)).await;
    let batches = provider.batches();
    let groups: Vec<Vec<&str>> =
        batches.iter().map(|it| it.iter().map(|call| &*call.name).collect()).collect();
    assert_eq!(
        groups,
        [vec!["task", "sub_a"], vec!["read"], vec!["task"], vec!["read"], vec!["read"]]
    );
    let order: Vec<&str> = results.iter().map(|it| it.tool_call_id.as_str().unwrap()).collect();
    assert_eq!(order, ["1", "2", "3", "4", "5", "6"]);
    let expected =
        ["dispatched task", "dispatched sub_a", "settled completed", "settled completed"];
    assert_eq!(journal.short()[..4], expected);
    let layer = Operations::new(provider, TokioTimer::new());
    assert!(layer.concurrent(["a", ""]).is_err());
}

#[tokio::test(start_paused = true)]
async fn a_deadline_or_a_drop_takes_a_whole_group_and_what_is_behind_it() {
    // O-DL-5
    let provider = Scripted::tools([]).reply("task", Reply::hang()).reply("task", Reply::hang());
    let journal = Lines::failing([1]);
    let layer = layer(&provider, &journal).concurrent(["task*"]).unwrap();
    let layer = layer.with_deadline(ms(100)).unwrap();
    // The middle one cannot be written down; its neighbours fly without it.
    let results = layer.execute_tool_calls(batch(&["task", "task_b", "task_c", "x"])).await;
    let deliveries: Vec<Delivery> = results.iter().map(|it| it.delivery).collect();
    assert_eq!(
        deliveries,
        [Delivery::Unknown, Delivery::NotSent, Delivery::Unknown, Delivery::NotSent]
    );
    assert_eq!(
        states(&layer),
        [
            because(State::OutcomeUnknown, "deadline"),
            because(State::Abandoned, "journal"),
            because(State::OutcomeUnknown, "deadline"),
            because(State::Abandoned, "deadline"),
        ]
    );
    assert_eq!(provider.batches().len(), 1);
    let before = layer.operations().len();
    run_and_drop(&layer, batch(&["task", "task_c", "x"])).await;
    let expected = [
        because(State::OutcomeUnknown, "cancelled"),
        because(State::OutcomeUnknown, "cancelled"),
        because(State::Abandoned, "cancelled"),
    ];
    assert_eq!(states(&layer)[before..], expected);
}

/// A provider that hangs, and panics where it is given up.
struct Touchy;

/// Panics where it is dropped.
struct Bomb;

impl Drop for Bomb {
    fn drop(&mut self) {
        unreachable!("given up");
    }
}

#[async_trait]
impl Provider for Touchy {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(Vec::new())
    }

    async fn execute_tool_calls(&self, _calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let _bomb = Bomb;
        std::future::pending().await
    }
}

#[tokio::test(start_paused = true)]
async fn a_call_that_panics_where_it_is_given_up_changes_nothing() {
    // O-DL-6
    let layer = Operations::new(Touchy, TokioTimer::new()).with_deadline(ms(10)).unwrap();
    let results = layer.execute_tool_calls(batch(&["a", "b"])).await;
    let deliveries: Vec<Delivery> = results.iter().map(|it| it.delivery).collect();
    assert_eq!(deliveries, [Delivery::Unknown, Delivery::NotSent]);
}
