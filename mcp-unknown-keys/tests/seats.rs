//! Where the layer goes in a stack, and what goes wrong elsewhere.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Log, takes};
use mcp_provider::{
    Provider, ProviderError, ProviderExt, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_testkit::Scripted;

/// Stands for the policy: refuses to write.
struct ReadOnly<P>(P);

#[async_trait]
impl<P: Provider> Provider for ReadOnly<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        self.0.tools_for_llm().await
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        if calls.iter().any(|call| call.name.ends_with("_write")) {
            let refused = |call: ToolCall| ToolResult::not_sent(call.id, "The user said no");
            return calls.into_iter().map(refused).collect();
        }
        self.0.execute_tool_calls(calls).await
    }
}

fn files() -> Scripted {
    Scripted::new([takes("read", &["path"]), takes("write", &["path", "content"])])
}

fn registry(files: Scripted) -> Registry {
    let registry = Registry::new();
    registry.add("fs", files).unwrap();
    registry
}

fn call(name: &str, arguments: &str) -> Vec<ToolCall> {
    vec![ToolCall::new("1", name, arguments)]
}

#[tokio::test]
async fn over_reasons_a_reason_is_a_declared_parameter() {
    // U-AUD-2
    let (log, files) = (Log::default(), files());
    let stack =
        registry(files.clone()).layer(Reasons::new).layer(|inner| log.audit(inner)).layer(ReadOnly);
    stack.tools_for_llm().await.unwrap();
    stack.execute_tool_calls(call("fs_read", r#"{"path":"a","reason":"w"}"#)).await;
    assert_eq!(log.told(), []);
    assert_eq!(files.calls()[0].arguments.as_text(), Some(r#"{"path":"a"}"#));

    stack.execute_tool_calls(call("fs_read", r#"{"path":"a","reasn":"w"}"#)).await;
    let warning = log.0.lock().unwrap().pop().unwrap();
    assert_eq!(warning.declared_keys, ["path", "reason"]);
    assert_eq!(warning.unknown_keys[0].did_you_mean.as_deref(), Some("reason"));
}

#[tokio::test]
async fn under_reasons_a_misspelled_reason_is_not_recognised() {
    // U-AUD-2
    let log = Log::default();
    let wrong = registry(files()).layer(|inner| log.audit(inner)).layer(Reasons::new);
    wrong.tools_for_llm().await.unwrap();
    wrong.execute_tool_calls(call("fs_read", r#"{"path":"a","reason":"w"}"#)).await;
    assert_eq!(log.told(), [], "it is tolerated there, too");
    wrong.execute_tool_calls(call("fs_read", r#"{"path":"a","reasn":"w"}"#)).await;
    let warning = log.0.lock().unwrap().pop().unwrap();
    assert_eq!(warning.declared_keys, ["path"], "not what the model was shown");
    assert_eq!(warning.unknown_keys[0].did_you_mean, None);
}

#[tokio::test]
async fn over_the_policy_calls_are_reported_that_never_run() {
    // U-FWD-1
    let mangled = r#"{"path":"a","contnet":"b"}"#;
    let (right, wrong) = (Log::default(), Log::default());
    let under = registry(files()).layer(|inner| right.audit(inner)).layer(ReadOnly);
    let over = registry(files()).layer(ReadOnly).layer(|inner| wrong.audit(inner));
    for stack in [&under as &dyn Provider, &over] {
        stack.tools_for_llm().await.unwrap();
        let results = stack.execute_tool_calls(call("fs_write", mangled)).await;
        assert_eq!(results[0].content, "The user said no");
    }
    assert_eq!(right.told(), []);
    assert_eq!(wrong.told(), [("fs_write".to_owned(), vec!["contnet".to_owned()])]);
}

#[tokio::test]
async fn under_the_registry_part_of_the_catalogue_is_not_audited() {
    // U-CAT-4
    let (right, wrong) = (Log::default(), Log::default());
    let notes = || Scripted::new([takes("add", &["text"])]);
    let over = {
        let registry = registry(files());
        registry.add("notes", notes()).unwrap();
        registry.layer(|inner| right.audit(inner))
    };
    let under = Registry::new();
    under.add("fs", wrong.audit(files())).unwrap().add("notes", notes()).unwrap();
    for stack in [&over as &dyn Provider, &under] {
        stack.tools_for_llm().await.unwrap();
        stack.execute_tool_calls(call("notes_add", r#"{"txt":"a"}"#)).await;
        stack.execute_tool_calls(call("fs_read", r#"{"pth":"a"}"#)).await;
    }
    assert_eq!(over.audited_tools(), ["fs_read", "fs_write", "notes_add"]);
    assert_eq!(right.told().len(), 2);
    assert_eq!(wrong.told(), [("read".to_owned(), vec!["pth".to_owned()])], "and by another name");
}
