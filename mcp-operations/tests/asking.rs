//! Deadlines that wait while a person is asked.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{call, ms};
use mcp_operations::{InFlight, OperationId, Operations, State, TokioTimer};
use mcp_provider::{
    Extensions, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_testkit::{Reply, Scripted};
use tokio::time::{Instant, sleep_until};

/// A provider that asks a person for `asks` after `before`, and works for `after` that.
struct Asking {
    in_flight: InFlight,
    before: Duration,
    asks: Duration,
    after: Duration,
    how: How,
}

#[derive(Clone, Copy)]
enum How {
    /// Not at all.
    Silent,
    /// A span on all that is under way.
    All,
    /// A span on the call's own operation.
    Own,
    /// A span on the operation of a call that carries none, which is one on everything.
    Unnamed,
    /// A span on an operation that is not under way.
    Foreign,
    /// As a wrapped callback.
    Wrapped,
    /// Two spans, one in the other.
    Nested,
    /// The one who is asked panics.
    Panicking,
}

/// Lets time go by, as a tool does that works.
async fn work(time: Duration) {
    sleep_until(Instant::now() + time).await;
}

#[async_trait]
impl Provider for Asking {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(Vec::new())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let (all, asks) = (self.in_flight.clone(), self.asks);
        work(self.before).await;
        match self.how {
            How::Silent => work(asks).await,
            How::All => all.during("sure?", work(asks)).await,
            How::Own => all.of(&calls[0].extensions).during("sure?", work(asks)).await,
            How::Unnamed => all.of(&Extensions::default()).during("sure?", work(asks)).await,
            How::Foreign => {
                let mut foreign = Extensions::default();
                foreign.insert(OperationId::from("foreign"));
                all.of(&foreign).during("sure?", work(asks)).await;
            }
            How::Wrapped => all.wrap("sure?", work)(asks).await,
            How::Nested => {
                let outer = all.ask("outer");
                all.during("inner", work(asks / 2)).await;
                work(asks / 2).await;
                drop(outer);
            }
            How::Panicking => {
                let ask = all.wrap("sure?", |_: ()| async { unreachable!("nobody is there") });
                let asked = tokio::spawn(async move {
                    let () = ask(()).await;
                });
                assert!(asked.await.is_err());
                assert!(all.operations().iter().all(|it| !it.is_asking()));
                work(asks).await;
            }
        }
        work(self.after).await;
        calls.into_iter().map(|call| ToolResult::ok(call.id, "done")).collect()
    }
}

#[tokio::test(start_paused = true)]
async fn a_deadline_waits_while_a_person_is_asked_and_only_then() {
    // O-DL-7
    // before, asks, after; how; the state that the call ends in, and when
    let cases = [
        (50, 400, 40, How::All, State::Completed, 490),
        (50, 400, 40, How::Own, State::Completed, 490),
        (50, 400, 40, How::Unnamed, State::Completed, 490),
        (50, 400, 40, How::Wrapped, State::Completed, 490),
        (50, 400, 40, How::Nested, State::Completed, 490),
        (50, 400, 60, How::All, State::OutcomeUnknown, 500),
        (50, 400, 60, How::Nested, State::OutcomeUnknown, 500),
        (50, 400, 40, How::Silent, State::OutcomeUnknown, 100),
        (50, 400, 40, How::Foreign, State::OutcomeUnknown, 100),
        (50, 400, 40, How::Panicking, State::OutcomeUnknown, 100),
        (0, 5_000, 0, How::All, State::Completed, 5_000),
    ];
    for (number, (before, asks, after, how, state, end)) in cases.into_iter().enumerate() {
        let in_flight = InFlight::new();
        let (before, asks, after) = (ms(before), ms(asks), ms(after));
        let asking = Asking { in_flight: in_flight.clone(), before, asks, after, how };
        let layer = Operations::new(asking, TokioTimer::new()).with_in_flight(in_flight);
        let layer = layer.with_deadline(ms(100)).unwrap();
        let began = Instant::now();
        layer.execute_tool_calls(vec![call("1", "a", "{}")]).await;
        assert_eq!(layer.operations()[0].state(), state, "case {number}");
        assert_eq!(began.elapsed(), ms(end), "case {number}");
        let record = layer.operations()[0].record(layer.timer());
        let is_asked = !matches!(how, How::Silent | How::Foreign | How::Panicking);
        assert_eq!(record.asked_us, is_asked.then_some(asks.as_micros() as u64), "case {number}");
        assert!(record.working_us.unwrap() <= 100_000, "case {number}: {record:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn a_question_holds_only_the_deadlines_it_is_about() {
    // O-DL-8
    let in_flight = InFlight::new();
    let provider = Scripted::tools([]).otherwise(|_| unreachable!());
    let provider = provider.reply("a", Reply::hang()).reply("b", Reply::hang());
    let layer = Operations::new(provider.clone(), TokioTimer::new())
        .with_in_flight(in_flight.clone())
        .with_deadline(ms(100))
        .unwrap();
    let began = Instant::now();
    let ended = |tool: &'static str| {
        let layer = &layer;
        async move {
            layer.execute_tool_calls(vec![call(tool, tool, "{}")]).await;
            began.elapsed()
        }
    };
    let ask = async {
        provider.until_started(2).await;
        let first = provider.calls().into_iter().find(|it| it.name == "a").unwrap();
        in_flight.of(&first.extensions).during("only a", work(ms(300))).await;
    };
    let (a, b, ()) = tokio::join!(ended("a"), ended("b"), ask);
    assert_eq!((a, b), (ms(400), ms(100)));
}

#[tokio::test(start_paused = true)]
async fn a_question_that_ends_elsewhere_sets_the_deadline_going_again() {
    // O-DL-7
    let provider = Scripted::tools([]).reply("a", Reply::hang());
    let layer = Operations::new(provider.clone(), TokioTimer::new()).with_deadline(ms(100));
    let layer = layer.unwrap();
    let in_flight = layer.in_flight().clone();
    let began = Instant::now();
    // In a task of its own, which nothing but the end of the question wakes.
    let batch = tokio::spawn(async move {
        layer.execute_tool_calls(vec![call("1", "a", "{}")]).await;
        began.elapsed()
    });
    provider.until_started(1).await;
    work(ms(50)).await;
    in_flight.during("sure?", work(ms(300))).await;
    let ended = tokio::time::timeout(ms(10_000), batch).await;
    assert_eq!(ended.unwrap().unwrap(), ms(400));
}

#[tokio::test]
async fn asking_with_nothing_under_way_just_asks() {
    let in_flight = InFlight::new();
    assert_eq!(in_flight.during("x", async { 5 }).await, 5);
    assert_eq!(in_flight.wrap("x", |it: i32| async move { it + 1 })(1).await, 2);
}
