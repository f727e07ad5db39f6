//! Where the layer goes in a stack, and what goes wrong elsewhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, Mutex};

use common::{catalogue, tool};
use mcp_provider::{
    Provider, ProviderError, ProviderExt, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_reasons::{Reasons, reason_of};
use mcp_registry::Registry;
use mcp_testkit::Scripted;
use serde_json::json;

/// A layer that looks at each call and changes nothing: it asks a person, or locates paths.
struct Looking<P> {
    inner: P,
    seen: Arc<Mutex<Vec<ToolCall>>>,
}

impl<P> Looking<P> {
    fn new(inner: P) -> Self {
        Self { inner, seen: Arc::default() }
    }

    fn seen(&self) -> ToolCall {
        self.seen.lock().unwrap().last().unwrap().clone()
    }
}

#[async_trait]
impl<P: Provider> Provider for Looking<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        self.inner.tools_for_llm().await
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.seen.lock().unwrap().extend(calls.iter().cloned());
        self.inner.execute_tool_calls(calls).await
    }
}

fn read(id: &str, reason: &str) -> ToolCall {
    let arguments = json!({ "path": "src/app.rs", "reason": reason });
    ToolCall::new(id, "fs_read", arguments.to_string())
}

fn registry() -> (Scripted, Registry) {
    let names = ["read", "ping"].into_iter();
    let tools = catalogue().into_iter().zip(names).map(|(tool, name)| tool.with_name(name));
    let files = Scripted::new(tools);
    let registry = Registry::new();
    registry.add("fs", files.clone()).unwrap();
    (files, registry)
}

#[tokio::test]
async fn under_the_policy_the_person_sees_the_reason_and_the_server_does_not() {
    // R-POL-1
    let (files, registry) = registry();
    let policy = registry.layer(Reasons::new).layer(Looking::new);
    let tools = policy.tools_for_llm().await.unwrap();
    assert_eq!(
        tools.iter().filter_map(ToolDeclaration::name).collect::<Vec<_>>(),
        ["fs_read", "fs_ping"]
    );
    let results = policy.execute_tool_calls(vec![read("1", "You asked")]).await;
    assert_eq!(reason_of(&policy.seen()).as_deref(), Some("You asked"));
    let received = files.calls().remove(0);
    assert_eq!(
        (&*received.name, received.arguments.as_text()),
        ("read", Some(r#"{"path":"src/app.rs"}"#))
    );
    assert!(!results[0].is_error);
}

#[tokio::test]
async fn over_the_policy_the_person_is_asked_without_a_reason() {
    // R-POL-1
    let wrong = registry().1.layer(Looking::new).layer(Reasons::new);
    wrong.tools_for_llm().await.unwrap();
    wrong.execute_tool_calls(vec![read("1", "You asked")]).await;
    assert_eq!(reason_of(&wrong.get_ref().seen()), None);
}

#[tokio::test]
async fn under_a_layer_that_compares_calls_equal_ones_are_not_equal() {
    // R-POL-1
    let calls = || vec![read("1", "You asked"), read("2", "To be sure")];
    let right = Looking::new(Scripted::new(catalogue()));
    let seen = Arc::clone(&right.seen);
    let right = right.layer(Reasons::new);
    right.tools_for_llm().await.unwrap();
    right.execute_tool_calls(calls()).await;
    assert_eq!(canonical(&seen, 0), canonical(&seen, 1));

    let wrong = Scripted::new(catalogue()).layer(Reasons::new).layer(Looking::new);
    wrong.tools_for_llm().await.unwrap();
    wrong.execute_tool_calls(calls()).await;
    let seen = &wrong.seen;
    assert_ne!(canonical(seen, 0), canonical(seen, 1), "a repeat is not seen to be one");
}

fn canonical(seen: &Mutex<Vec<ToolCall>>, place: usize) -> String {
    seen.lock().unwrap()[place].arguments.canonical()
}

#[tokio::test]
async fn under_a_layer_with_tools_of_its_own_those_give_no_reason() {
    // R-POL-1
    struct Delegating<P>(P);

    #[async_trait]
    impl<P: Provider> Provider for Delegating<P> {
        async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
            let mut tools = self.0.tools_for_llm().await?;
            tools.push(tool("task", json!({ "properties": { "prompt": {} } })));
            Ok(tools)
        }

        async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
            self.0.execute_tool_calls(calls).await
        }
    }
    let right = registry().1.layer(Delegating).layer(Reasons::new);
    right.tools_for_llm().await.unwrap();
    assert_eq!(right.augmented_tools(), ["fs_ping", "fs_read", "task"]);

    let wrong = registry().1.layer(Reasons::new).layer(Delegating);
    let tools = wrong.tools_for_llm().await.unwrap();
    assert!(tools[2].parameters().unwrap().to_json()["properties"].get("reason").is_none());
}

#[tokio::test]
async fn twice_in_a_stack_is_once() {
    // R-OUT-1, R-IN-1
    let (files, registry) = registry();
    let twice = registry.layer(Reasons::new).layer(Reasons::new);
    twice.tools_for_llm().await.unwrap();
    assert_eq!(twice.augmented_tools(), [""; 0], "the outer one finds a reason there");
    twice.execute_tool_calls(vec![read("1", "You asked")]).await;
    assert_eq!(files.calls()[0].arguments.as_text(), Some(r#"{"path":"src/app.rs"}"#));
}
