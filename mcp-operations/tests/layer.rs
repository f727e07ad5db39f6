//! One operation for each call, settled by the delivery of its result.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use common::{Lines, batch, because, call, layer, records, states};
use mcp_operations::{Idempotency, IdempotencyRules, Operation, Operations, State, TokioTimer};
use mcp_provider::{
    Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_testkit::{Reply, Scripted};
use serde_json::json;

#[tokio::test]
async fn an_operation_is_settled_by_the_delivery_of_its_result() {
    // O-RUN-1
    let cases: Vec<(Reply, State, Option<&str>, &str, bool)> = vec![
        (Reply::ok("fine"), State::Completed, None, "settled completed", false),
        (Reply::error("bad"), State::Failed, None, "settled failed", true),
        (
            Reply::result(ToolResult::not_sent("", "no")),
            State::Failed,
            Some("refused"),
            "settled failed refused",
            true,
        ),
        (
            Reply::result(ToolResult::unknown("", "timed out")),
            State::OutcomeUnknown,
            Some("no-answer"),
            "settled outcome-unknown no-answer",
            false,
        ),
        (
            Reply::panic("boom"),
            State::OutcomeUnknown,
            Some("no-answer"),
            "settled outcome-unknown no-answer",
            false,
        ),
        (
            Reply::omit(),
            State::OutcomeUnknown,
            Some("no-answer"),
            "settled outcome-unknown no-answer",
            false,
        ),
    ];
    for (reply, state, reason, line, is_error) in cases {
        let provider = Scripted::tools(["fs_write"]).reply("fs_write", reply.clone());
        let journal = Lines::default();
        let layer = layer(&provider, &journal);
        let results = layer.execute_tool_calls(batch(&["fs_write"])).await;
        let [result] = &*results else { unreachable!("{results:?}") };
        assert_eq!(states(&layer), [(state, reason.map(str::to_owned))], "{reply:?}");
        assert_eq!(journal.short(), ["dispatched fs_write", line], "{reply:?}");
        assert_eq!(result.is_error, is_error, "{reply:?}");
        let is_unknown = state == State::OutcomeUnknown;
        assert_eq!(result.delivery == Delivery::Unknown, is_unknown, "{reply:?}");
        assert_eq!(result.content.contains("is not known"), is_unknown, "{}", result.content);
        let digest = mcp_operations::digest(&json!(result.content));
        assert_eq!(records(&layer)[0].result_digest, Some(digest), "what the model was shown");
    }
}

#[tokio::test]
async fn an_unknown_outcome_is_worded_once_and_by_class() {
    // O-RUN-2
    let rules = IdempotencyRules::new([
        ("read", Idempotency::ReadOnly),
        ("put", Idempotency::Idempotent),
        ("write", Idempotency::Destructive),
    ]);
    let unknown = |text: &str| Reply::result(ToolResult::unknown("", text));
    let said = "it stopped. Whether the call took effect is not known: look first";
    let provider = Scripted::tools([])
        .reply("read", unknown("gone."))
        .reply("put", unknown("gone"))
        .reply("write", unknown(""))
        .reply("other", unknown(said));
    let layer = layer(&provider, &Lines::default()).with_idempotency(rules.unwrap());
    let results = layer.execute_tool_calls(batch(&["read", "put", "write", "other"])).await;
    let contents: Vec<&str> = results.iter().map(|it| &*it.content).collect();
    assert_eq!(
        contents,
        [
            "gone. What came of the call is not known. It changes nothing, so it is safe to make \
             it again.",
            "gone. Whether it took effect is not known. Making the same call again is safe.",
            "Whether it took effect is not known: it may have. Check what is there before you \
             repeat it.",
            said,
        ]
    );
    let classes: Vec<Idempotency> = records(&layer).iter().map(|it| it.idempotency).collect();
    assert_eq!(classes[3], Idempotency::Unknown);
    assert_eq!(
        classes[..3],
        [Idempotency::ReadOnly, Idempotency::Idempotent, Idempotency::Destructive]
    );
}

#[tokio::test]
async fn calls_go_down_one_at_a_time_and_each_line_before_its_call() {
    // O-RUN-3, O-RUN-4, O-JRN-1
    let journal = Lines::default();
    let seen = journal.clone();
    let provider = Scripted::tools([])
        .otherwise(move |call| ToolResult::ok(call.id.clone(), seen.short().join(", ")));
    let layer = layer(&provider, &journal);
    let results = layer.execute_tool_calls(batch(&["a", "b"])).await;
    assert_eq!(provider.batches().iter().map(Vec::len).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(results[0].content, "dispatched a");
    assert_eq!(results[1].content, "dispatched a, settled completed, dispatched b");
    // The name of an operation is that of its lines, and travels with its call.
    let lines = journal.lines();
    for (number, operation) in layer.operations().iter().enumerate() {
        assert_eq!(lines[2 * number].op(), operation.id());
        assert_eq!(lines[2 * number + 1].op(), operation.id());
        assert_eq!(provider.calls()[number].extensions.get(), Some(operation.id()));
    }
    assert!(layer.in_flight().operations().is_empty());
    assert!(layer.execute_tool_calls(Vec::new()).await.is_empty());
}

#[tokio::test]
async fn without_a_journal_or_a_deadline_results_pass_as_they_are() {
    // O-RUN-5
    let odd = ToolResult::ok("1", "text").with_structured_content(json!({"n": 1}));
    let mut error = ToolResult::error("2", "bad");
    error.extra.insert("mine".to_owned(), json!(true));
    let provider = Scripted::tools(["a"]).reply("a", odd.clone()).reply("a", error.clone());
    let layer = Operations::new(provider.clone(), TokioTimer::new());
    assert_eq!(layer.execute_tool_calls(batch(&["a", "a"])).await, [odd, error]);
    assert_eq!(layer.tools_for_llm().await.unwrap(), provider.tools_for_llm().await.unwrap());
    assert_eq!(provider.calls(), batch(&["a", "a"]));
    let failing = Scripted::tools(["a"]).failing_listing("down");
    let layer = Operations::new(failing, TokioTimer::new());
    assert!(layer.tools_for_llm().await.unwrap_err().to_string().contains("down"));
}

#[tokio::test]
async fn a_result_is_filed_under_its_own_call() {
    // O-RUN-6
    let provider = Scripted::tools([]).reply("a", ToolResult::ok("other", "x"));
    let layer = layer(&provider, &Lines::default());
    let mut events = layer.events(10);
    let results = layer.execute_tool_calls(batch(&["a"])).await;
    assert_eq!(results, [ToolResult::ok("1", "x")]);
    let mut found = Vec::new();
    while let Some(event) = events.try_next() {
        found.push(event.what);
    }
    let misfiled = mcp_operations::What::Misfiled { answered: "other".into() };
    assert_eq!(found.iter().filter(|it| **it == misfiled).count(), 1, "{found:?}");
}

#[tokio::test]
async fn only_so_many_operations_are_remembered() {
    // O-RUN-7
    let provider = Scripted::tools([]);
    let layer = layer(&provider, &Lines::default()).remembering(2);
    layer.execute_tool_calls(batch(&["a", "b", "c"])).await;
    let tools: Vec<String> =
        layer.operations().iter().map(|it| it.proposal().tool.clone()).collect();
    assert_eq!(tools, ["b", "c"]);
    let last: Operation = layer.operations().pop().unwrap();
    assert_eq!(layer.operation(last.id()).unwrap().state(), State::Completed);
    assert!(layer.operation(&"none".into()).is_none());
}

#[tokio::test]
async fn a_batch_of_many_calls_is_answered_in_order() {
    // O-RUN-3
    let provider = Scripted::tools([]);
    let layer = layer(&provider, &Lines::default()).remembering(5_000);
    let calls: Vec<ToolCall> = (0..2_000).map(|it| call(&it.to_string(), "a", "{}")).collect();
    let results = layer.execute_tool_calls(calls).await;
    for (number, result) in results.iter().enumerate() {
        assert_eq!(result.tool_call_id.to_string(), number.to_string());
    }
    assert_eq!((results.len(), layer.operations().len()), (2_000, 2_000));
}

/// A provider whose listing panics, and whose call panics before there is a future.
struct Rude;

#[async_trait]
impl Provider for Rude {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        unreachable!("no listing")
    }

    async fn execute_tool_calls(&self, _calls: Vec<ToolCall>) -> Vec<ToolResult> {
        unreachable!("no call")
    }
}

#[tokio::test]
async fn a_panic_underneath_is_contained() {
    // O-RUN-8
    let layer = Operations::new(Rude, TokioTimer::new());
    assert!(layer.tools_for_llm().await.unwrap_err().to_string().contains("no listing"));
    let results = layer.execute_tool_calls(batch(&["a", "b"])).await;
    assert!(results.iter().all(|it| it.delivery == Delivery::Unknown), "{results:?}");
    assert_eq!(states(&layer)[1], because(State::OutcomeUnknown, "no-answer"));
}

#[test]
fn the_layer_is_shared_between_threads_and_debugs() {
    fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Operations<Arc<dyn Provider>>>();
    let layer = Operations::new(Scripted::tools([]), TokioTimer::new());
    assert!(format!("{layer:?}").starts_with("Operations {"));
}
