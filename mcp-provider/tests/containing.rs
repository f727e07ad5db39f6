//! Panics and short answers of somebody else's code.
#![allow(clippy::panic, reason = "a provider that panics is what is tested")]

mod common;

use std::future::{Future, pending};
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

use common::{Scripted, ids};
use mcp_provider::{
    CallId, Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, contain,
    execute_contained, one_per_call, shield,
};

#[test]
fn there_is_one_result_per_call_in_the_order_of_the_calls() {
    let result = |id: &str, text: &str| ToolResult::ok(id, text);
    // the calls, what came, and the ids, the texts and the failures of what is made of it
    type Told<'a> = (&'a str, &'a str, bool);
    const NONE: &str = "The provider returned no result for this call";
    let cases: Vec<(&[&str], Vec<ToolResult>, Vec<Told<'_>>)> = vec![
        (&[], vec![], vec![]),
        (&[], vec![result("x", "a")], vec![]),
        (&["1"], vec![result("1", "a")], vec![("1", "a", false)]),
        (&["1", "2"], vec![result("1", "a")], vec![("1", "a", false), ("2", NONE, true)]),
        (&["1"], vec![result("1", "a"), result("2", "b")], vec![("1", "a", false)]),
        (
            &["1", "2"],
            vec![result("", "a"), result("9", "b")],
            vec![("1", "a", false), ("9", "b", false)],
        ),
        (&["", ""], vec![result("", "a")], vec![("", "a", false), ("", NONE, true)]),
    ];
    for (calls, came, expected) in cases {
        let made = one_per_call(calls.iter().copied().map(CallId::from), came);
        let ids = ids(&made);
        let told: Vec<_> =
            ids.iter().zip(&made).map(|(id, it)| (&**id, &*it.content, it.is_error)).collect();
        assert_eq!(told, expected);
        assert!(made.iter().all(|it| (it.content == NONE) == (it.delivery == Delivery::Unknown)));
    }
}

#[tokio::test]
async fn a_panic_while_polling_becomes_an_error() {
    assert_eq!(contain(async { 7 }).await, Ok(7));
    let panicked = contain(async {
        tokio::task::yield_now().await;
        panic!("after {}", "a while")
    })
    .await;
    let panicked: mcp_provider::Panicked = panicked.map(|(): ()| ()).unwrap_err();
    assert_eq!(panicked.message(), "after a while");
    assert_eq!(panicked.to_string(), "panicked: after a while");
    assert_eq!(shield(|| 1), Ok(1));
    assert_eq!(shield(|| panic!("at once")).map(|(): ()| ()).unwrap_err().message(), "at once");
}

#[test]
fn dropping_a_contained_future_drops_what_it_holds() {
    let held = Arc::new(());
    let holds = Arc::clone(&held);
    let mut future = Box::pin(contain(async move {
        let _holds = holds;
        pending::<()>().await;
    }));
    let mut context = Context::from_waker(Waker::noop());
    assert_eq!(future.as_mut().poll(&mut context), Poll::Pending);
    assert_eq!(Arc::strong_count(&held), 2);
    drop(future);
    assert_eq!(Arc::strong_count(&held), 1);
}

/// Panics before it has made a future, which `async fn` cannot do.
struct Eager;

type Pinned<'a, T> = std::pin::Pin<Box<dyn Future<Output = T> + Send + 'a>>;

impl Provider for Eager {
    fn tools_for_llm<'a, 'b>(&'a self) -> Pinned<'b, Result<Vec<ToolDeclaration>, ProviderError>>
    where
        'a: 'b,
        Self: 'b,
    {
        Box::pin(async { Ok(Vec::new()) })
    }

    fn execute_tool_calls<'a, 'b>(&'a self, _: Vec<ToolCall>) -> Pinned<'b, Vec<ToolResult>>
    where
        'a: 'b,
        Self: 'b,
    {
        panic!("at once")
    }
}

#[tokio::test]
async fn a_provider_may_panic_before_it_is_polled() {
    let results = execute_contained(&Eager, "It", vec![ToolCall::new("1", "x", "")]).await;
    assert_eq!(results, [ToolResult::unknown("1", "It panicked: at once")]);
}

#[tokio::test]
async fn a_provider_that_panics_or_falls_short_still_answers_every_call() {
    let calls = || vec![ToolCall::new("1", "echo", "{}"), ToolCall::new("2", "echo", "")];

    let panics = Scripted::new(|_| panic!("the well ran dry"));
    let results = execute_contained(&panics, "The well", calls()).await;
    assert_eq!(ids(&results), ["1", "2"]);
    for result in results {
        assert_eq!(result.content, "The well panicked: the well ran dry");
        assert_eq!((result.is_error, result.delivery), (true, Delivery::Unknown));
    }

    let short = Scripted::new(|_| vec![ToolResult::ok("", "only one")]);
    let results = execute_contained(&short, "The well", calls()).await;
    assert_eq!(ids(&results), ["1", "2"]);
    assert_eq!(results[1].delivery, Delivery::Unknown);

    let results = execute_contained(&Scripted::echo(), "The well", calls()).await;
    assert_eq!(results, [ToolResult::ok("1", "{}"), ToolResult::ok("2", "{}")]);
}
