//! What the layer writes down, and what it does where it cannot.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, OnceLock, Weak};

use common::{Lines, batch, because, layer, states};
use mcp_operations::{
    DispatchedLine, Journal, JournalError, Line, Operations, Outcome, Reason, State, TokioTimer,
};
use mcp_provider::{Delivery, Provider, ToolResult};
use mcp_testkit::{Latch, Reply, Scripted};

#[tokio::test]
async fn a_call_that_cannot_be_written_down_is_not_sent() {
    // O-JRN-2
    // The appends: dispatched a, settled a, dispatched b, dispatched c, settled c.
    let provider = Scripted::tools([]);
    let journal = Lines::failing([2]);
    let layer = layer(&provider, &journal);
    let results = layer.execute_tool_calls(batch(&["a", "b", "c"])).await;
    assert_eq!(provider.called(), ["a", "c"]);
    assert_eq!(results[1].delivery, Delivery::NotSent);
    for words in ["not sent", "no space left on device", "It did not run"] {
        assert!(results[1].content.contains(words), "{}", results[1].content);
    }
    assert_eq!(states(&layer)[1], because(State::Abandoned, "journal"));
    assert_eq!((&*results[0].content, &*results[2].content), ("a ran", "c ran"));
}

#[tokio::test]
async fn a_journal_that_panics_refuses_calls_and_nothing_else() {
    // O-JRN-2
    let provider = Scripted::tools([]);
    let layer = layer(&provider, &Lines::panicking());
    let results = layer.execute_tool_calls(batch(&["a"])).await;
    assert!(provider.called().is_empty());
    assert_eq!(results[0].delivery, Delivery::NotSent);
    assert!(results[0].content.contains("on fire"), "{}", results[0].content);
}

#[tokio::test]
async fn a_settled_line_that_cannot_be_written_leaves_the_operation_pending() {
    // O-JRN-3
    let provider = Scripted::tools([]);
    let journal = Lines::failing([1]);
    let layer = layer(&provider, &journal);
    let mut events = layer.events(10);
    let results = layer.execute_tool_calls(batch(&["a"])).await;
    assert_eq!(results[0].content, "a ran", "the model gets what came");
    assert_eq!(states(&layer), [(State::Completed, None)]);
    assert_eq!(journal.pending().unwrap().len(), 1, "less than is known, and not wrong");
    let mut is_told = false;
    while let Some(event) = events.try_next() {
        is_told |= matches!(event.what, mcp_operations::What::JournalFailed { .. });
    }
    assert!(is_told);
}

#[tokio::test]
async fn an_unknown_outcome_in_a_line_has_its_reason_and_its_duration() {
    let provider = Scripted::tools([]).reply("a", ToolResult::unknown("", "gone"));
    let journal = Lines::default();
    let layer = layer(&provider, &journal);
    layer.execute_tool_calls(batch(&["a"])).await;
    let lines = journal.lines();
    let Line::Settled(line) = &lines[1] else { unreachable!("{lines:?}") };
    assert_eq!((line.outcome, &line.reason), (Outcome::OutcomeUnknown, &Some(Reason::NO_ANSWER)));
    assert!(line.duration_us.is_some() && line.at.is_some());
    assert_eq!(line.error.as_deref().map(|it| it.starts_with("gone")), Some(true));
}

#[tokio::test]
async fn a_host_can_take_back_a_call_that_waits() {
    // O-ST-4
    let latch = Latch::new();
    let provider = Scripted::tools([]).reply("a", Reply::ok("x").after(&latch));
    let journal = Lines::default();
    let layer = Arc::new(layer(&provider, &journal));
    let running = {
        let layer = Arc::clone(&layer);
        tokio::spawn(async move { layer.execute_tool_calls(batch(&["a", "b", "c"])).await })
    };
    provider.until_started(1).await;
    assert!(layer.operations()[1].abandon(Reason::BUDGET_EXHAUSTED, layer.timer().now()));
    latch.open();
    let results = running.await.unwrap();
    assert_eq!(provider.called(), ["a", "c"]);
    assert_eq!(results[1].delivery, Delivery::NotSent);
    assert_eq!(states(&layer)[1], because(State::Abandoned, "budget-exhausted"));
    assert!(!journal.short().contains(&"dispatched b".to_owned()));
}

/// A journal whose host abandons each operation while its line is written.
struct TakesBack {
    lines: Lines,
    layer: Arc<OnceLock<Weak<Operations<Scripted>>>>,
}

impl Journal for TakesBack {
    fn append(&self, line: &Line) -> Result<(), JournalError> {
        let layer = self.layer.get().and_then(Weak::upgrade).unwrap();
        if let Some(operation) = layer.operation(line.op()) {
            operation.abandon(Reason::CANCELLED, layer.timer().now());
        }
        self.lines.append(line)
    }

    fn pending(&self) -> Result<Vec<DispatchedLine>, JournalError> {
        self.lines.pending()
    }
}

#[tokio::test]
async fn a_call_that_is_taken_back_while_its_line_is_written_is_closed_and_not_sent() {
    // O-JRN-4
    let (provider, lines, own) = (Scripted::tools([]), Lines::default(), Arc::default());
    let journal = TakesBack { lines: lines.clone(), layer: Arc::clone(&own) };
    let layer = Operations::new(provider.clone(), TokioTimer::new()).with_journal(journal);
    let layer = Arc::new(layer);
    own.set(Arc::downgrade(&layer)).unwrap();
    let results = layer.execute_tool_calls(batch(&["a"])).await;
    assert_eq!(results[0].delivery, Delivery::NotSent);
    assert!(provider.called().is_empty());
    assert_eq!(lines.short(), ["dispatched a", "settled failed refused"]);
    assert!(lines.pending().unwrap().is_empty());
}
