//! That nothing but a warning comes of this layer.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};
use std::task::{Context, Waker};

use common::{Log, call, catalogue, listed, takes};
use mcp_provider::{
    Arguments, Delivery, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult,
    async_trait, contain,
};
use mcp_testkit::{Latch, Reply, Scripted};
use mcp_unknown_keys::UnknownKeys;
use serde_json::json;

#[tokio::test]
async fn calls_results_and_declarations_pass_as_they_are() {
    // U-CAT-1, U-FWD-1, U-FWD-2
    let mut odd = ToolResult::error("other", "failed");
    odd.delivery = Delivery::Unknown;
    odd.extra.insert("x".to_owned(), json!(1));
    let (audited, log) = listed().await;
    let files = audited.into_inner().reply("fs_read", odd.clone()).reply("fs_write", Reply::omit());
    let audited = log.audit(files);
    let shown = audited.tools_for_llm().await.unwrap();
    let own = audited.get_ref().tools_for_llm().await.unwrap();
    assert!(shown.len() == 4 && shown.iter().zip(&own).all(|(a, b)| a.is_same(b)));

    let text = "{ \"path\":\"a\" , \"ffset\":1.0 }";
    let arguments = Arguments::from(text);
    let read = std::ptr::from_ref(arguments.as_object().unwrap());
    let calls = vec![
        ToolCall::new("1", "fs_read", arguments),
        ToolCall::new("2", "fs_write", json!({ "path": "a" })),
        ToolCall::new("3", "", ""),
    ];
    let results = audited.execute_tool_calls(calls.clone()).await;
    assert_eq!(audited.get_ref().batches(), [calls]);
    let received = &audited.get_ref().calls()[0].arguments;
    assert_eq!(received.as_text(), Some(text));
    assert_eq!(std::ptr::from_ref(received.as_object().unwrap()), read, "shared, not copied");
    assert_eq!(results, [odd, ToolResult::ok("3", " ran")], "and a missing one is not made up");
    assert_eq!(log.told().len(), 1);

    assert_eq!(audited.execute_tool_calls(Vec::new()).await, []);
    assert_eq!(audited.get_ref().batches()[1], [], "no calls are passed on as well");
}

#[tokio::test]
async fn a_panic_underneath_passes_after_the_warning() {
    // U-AUD-5, U-FWD-3
    let log = Log::default();
    let files = Scripted::new(catalogue()).reply("fs_read", Reply::panic("died"));
    let audited = log.audit(files);
    audited.tools_for_llm().await.unwrap();
    let batch = audited.execute_tool_calls(vec![call("fs_read", r#"{"x":1}"#)]);
    assert_eq!(contain(batch).await.unwrap_err().message(), "died");
    assert_eq!(log.told().len(), 1);
}

#[tokio::test]
async fn all_warnings_of_a_batch_come_before_its_calls() {
    // U-AUD-5
    let log = Log::default();
    let files = Scripted::new(catalogue()).otherwise({
        let log = log.clone();
        move |call| ToolResult::ok(call.id.clone(), log.0.lock().unwrap().len().to_string())
    });
    let audited = log.audit(files);
    audited.tools_for_llm().await.unwrap();
    let calls = vec![call("fs_read", r#"{"x":1}"#), call("fs_write", r#"{"x":1}"#)];
    let results = audited.execute_tool_calls(calls).await;
    assert!(results.iter().all(|result| result.content == "2"), "{results:?}");
}

#[tokio::test]
async fn a_callback_that_panics_changes_nothing() {
    // U-1, U-AUD-5
    let told = Arc::new(AtomicUsize::new(0));
    let audited = UnknownKeys::new(Scripted::new(catalogue())).on_warning({
        let told = Arc::clone(&told);
        move |_| {
            told.fetch_add(1, Ordering::Relaxed);
            panic!("the log is full");
        }
    });
    audited.tools_for_llm().await.unwrap();
    let calls = vec![call("fs_read", r#"{"x":1}"#), call("fs_write", r#"{"x":1}"#)];
    let results = audited.execute_tool_calls(calls).await;
    assert_eq!(
        results.iter().map(|it| &*it.content).collect::<Vec<_>>(),
        ["fs_read ran", "fs_write ran"]
    );
    assert_eq!(told.load(Ordering::Relaxed), 2);
}

#[tokio::test]
async fn a_callback_may_use_the_layer() {
    // U-AUD-5
    let nested = Arc::new(AtomicUsize::new(0));
    let audited = Arc::new_cyclic(|layer: &Weak<UnknownKeys<Scripted>>| {
        let (layer, nested) = (layer.clone(), Arc::clone(&nested));
        UnknownKeys::new(Scripted::new(catalogue())).on_warning(move |_| {
            // A lock that is held here would never be free.
            let layer = layer.upgrade().unwrap();
            assert_eq!(layer.audited_tools().len(), 2);
            let mut calls = layer.execute_tool_calls(vec![call("fs_read", r#"{"y":1}"#)]);
            let poll = calls.as_mut().poll(&mut Context::from_waker(Waker::noop()));
            assert!(poll.is_ready());
            nested.fetch_add(1, Ordering::Relaxed);
        })
    });
    audited.tools_for_llm().await.unwrap();
    let results = audited.execute_tool_calls(vec![call("fs_read", r#"{"x":1}"#)]).await;
    assert!(!results[0].is_error);
    assert_eq!(nested.load(Ordering::Relaxed), 2, "once for each key");
}

#[tokio::test]
async fn without_a_callback_the_call_runs() {
    // U-1
    let audited = UnknownKeys::new(Scripted::new(catalogue()));
    audited.tools_for_llm().await.unwrap();
    let results = audited.execute_tool_calls(vec![call("fs_read", r#"{"x":1}"#)]).await;
    assert_eq!(results[0].content, "fs_read ran");
    let printed = format!("{audited:?}");
    assert!(printed.contains(r#"audited: ["fs_read", "fs_write"]"#), "{printed}");
}

#[test]
fn without_a_callback_a_line_is_written_to_standard_error() {
    // U-1
    let tests = std::env::current_exe().unwrap();
    let output = std::process::Command::new(tests)
        .args(["--exact", "without_a_callback_the_call_runs", "--nocapture"])
        .output()
        .unwrap();
    let lines = String::from_utf8(output.stderr).unwrap();
    let expected =
        r#""fs_read" was called with undeclared arguments: "x"; it declares "offset", "path""#;
    assert!(lines.lines().any(|line| line == expected), "{lines}");
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
            return Ok(vec![takes("new", &["a"])]);
        }
        self.latch.opened().await;
        Ok(vec![takes("old", &["a"])])
    }

    async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
        Vec::new()
    }
}

#[tokio::test]
async fn a_listing_that_was_overtaken_does_not_come_back() {
    // U-CAT-3
    let latch = Latch::new();
    let slow = Slow { listings: AtomicUsize::new(0), latch: latch.clone() };
    let audited = Arc::new(UnknownKeys::new(slow));
    let overtaken = tokio::spawn({
        let audited = Arc::clone(&audited);
        async move { audited.tools_for_llm().await.unwrap() }
    });
    tokio::task::yield_now().await;
    audited.tools_for_llm().await.unwrap();
    latch.open();
    assert_eq!(overtaken.await.unwrap()[0].name(), Some("old"));
    assert_eq!(audited.audited_tools(), ["new"]);
}
