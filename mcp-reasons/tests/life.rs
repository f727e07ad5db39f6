//! Providers that fail, panic, answer too little, are slow, and are dropped.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{call, catalogue};
use mcp_provider::{
    Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_reasons::Reasons;
use mcp_testkit::{Latch, Reply, Scripted};

#[tokio::test]
async fn no_calls_never_reach_the_provider() {
    // R-RUN-1
    let reasons = Reasons::new(Scripted::tools(["t"]));
    assert_eq!(reasons.execute_tool_calls(Vec::new()).await, []);
    assert_eq!(reasons.get_ref().batches().len(), 0);
}

#[tokio::test]
async fn a_provider_that_panics_fails_its_calls_with_an_unknown_outcome() {
    // R-RUN-1
    let reasons = Reasons::new(Scripted::tools(["t"]).reply("t", Reply::panic("died")));
    let calls = vec![ToolCall::new("1", "t", ""), ToolCall::new("2", "t", "")];
    let results = reasons.execute_tool_calls(calls).await;
    for (result, id) in results.iter().zip(["1", "2"]) {
        assert_eq!(
            (result.tool_call_id.to_string().as_str(), &*result.content, result.delivery),
            (id, "The tool provider panicked: died", Delivery::Unknown)
        );
    }
    assert_eq!(results.len(), 2);
}

#[tokio::test]
async fn a_missing_answer_is_made_up_and_the_others_pass_as_they_came() {
    // R-RUN-1
    let mut odd = ToolResult::error("other", "failed");
    odd.extra.insert("leases-warning".to_owned(), "stale".into());
    let provider = Scripted::tools(["t"]).reply("t", odd.clone()).reply("t", Reply::omit());
    let calls = vec![ToolCall::new("1", "t", ""), ToolCall::new("2", "t", "")];
    let results = Reasons::new(provider).execute_tool_calls(calls).await;
    assert_eq!(results[0], odd);
    assert_eq!((results[1].tool_call_id.as_str(), results[1].is_error), (Some("2"), true));
    assert!(results[1].content.contains("no result for this call"), "{:?}", results[1]);
}

#[tokio::test]
async fn a_listing_that_fails_changes_nothing() {
    // R-OUT-4
    let reasons = Reasons::new(Scripted::new(catalogue()));
    reasons.tools_for_llm().await.unwrap();
    let failing = reasons.into_inner().failing_listing("the well ran dry");
    let reasons = Reasons::new(failing);
    assert_eq!(reasons.tools_for_llm().await.unwrap_err().to_string(), "the well ran dry");
    assert_eq!(reasons.augmented_tools(), [""; 0]);

    reasons.tools_for_llm().await.unwrap();
    let failing = reasons.get_ref().clone().failing_listing("again");
    failing.declare([]);
    assert!(reasons.tools_for_llm().await.is_err());
    assert_eq!(reasons.augmented_tools(), ["fs_ping", "fs_read"], "the last good one counts");
}

/// Its first listing is slow and has `old`, its later ones have `new`.
struct Slow {
    listings: AtomicUsize,
    latch: Latch,
}

#[async_trait]
impl Provider for Slow {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        if self.listings.fetch_add(1, Ordering::Relaxed) > 0 {
            return Ok(vec![ToolDeclaration::new("new")]);
        }
        self.latch.opened().await;
        Ok(vec![ToolDeclaration::new("old")])
    }

    async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
        Vec::new()
    }
}

#[tokio::test]
async fn a_listing_that_was_overtaken_does_not_come_back() {
    // R-OUT-4
    let latch = Latch::new();
    let slow = Slow { listings: AtomicUsize::new(0), latch: latch.clone() };
    let reasons = Arc::new(Reasons::new(slow));
    let overtaken = tokio::spawn({
        let reasons = Arc::clone(&reasons);
        async move { reasons.tools_for_llm().await.unwrap() }
    });
    tokio::task::yield_now().await;
    reasons.tools_for_llm().await.unwrap();
    latch.open();
    assert_eq!(overtaken.await.unwrap()[0].name(), Some("old"));
    assert_eq!(reasons.augmented_tools(), ["new"]);
}

#[tokio::test]
async fn a_provider_that_panics_while_listing_fails_the_listing() {
    // R-RUN-1
    struct Mad;

    #[async_trait]
    impl Provider for Mad {
        async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
            panic!("died")
        }

        async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
            Vec::new()
        }
    }
    let error = Reasons::new(Mad).tools_for_llm().await.unwrap_err();
    assert_eq!(error.to_string(), "the tool provider panicked: died");
}

#[tokio::test]
async fn a_batch_keeps_the_listing_it_began_with_and_is_dropped_whole() {
    // R-IN-4
    let provider = Scripted::new(catalogue()).reply("fs_read", Reply::hang());
    let reasons = Arc::new(Reasons::new(provider));
    reasons.tools_for_llm().await.unwrap();
    let calls = vec![call("fs_read", r#"{"reason":"w"}"#), call("fs_ping", r#"{"reason":"w"}"#)];
    let batch = tokio::spawn({
        let reasons = Arc::clone(&reasons);
        async move { reasons.execute_tool_calls(calls).await }
    });
    reasons.get_ref().until_started(1).await;
    reasons.get_ref().declare([]);
    reasons.tools_for_llm().await.unwrap();
    let received = reasons.get_ref().calls();
    assert!(received.iter().all(|call| call.arguments.as_text() == Some("{}")), "{received:?}");

    batch.abort();
    assert!(batch.await.is_err());
    assert_eq!(reasons.get_ref().dropped(), 1);
}

#[test]
fn a_layer_can_be_shared_and_printed() {
    fn assert_send_sync<T: Send + Sync + 'static>(_: &T) {}
    let reasons = Reasons::new(Scripted::tools(["t"]));
    assert_send_sync(&reasons);
    assert!(format!("{reasons:?}").contains("augmented: []"), "{reasons:?}");
}
