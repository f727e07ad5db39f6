//! Tools with schemas, and a layer whose warnings are kept.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::{Arc, Mutex};

use mcp_provider::{Provider, ToolCall, ToolDeclaration};
use mcp_testkit::Scripted;
use mcp_unknown_keys::{UnknownKeys, Warning};
use serde_json::{Value, json};

/// A tool whose schema is this value.
pub(crate) fn tool(name: &str, parameters: Value) -> ToolDeclaration {
    let mut json = json!({ "type": "function", "function": { "name": name } });
    json["function"]["parameters"] = parameters;
    ToolDeclaration::from_json(json)
}

/// A tool that declares these parameters.
pub(crate) fn takes(name: &str, parameters: &[&str]) -> ToolDeclaration {
    let properties: Value = parameters.iter().map(|name| ((*name).to_owned(), json!({}))).collect();
    tool(name, json!({ "type": "object", "properties": properties }))
}

/// `fs_read(path, offset)`, `fs_write(path)`, and two tools that declare no parameter.
pub(crate) fn catalogue() -> Vec<ToolDeclaration> {
    vec![
        takes("fs_read", &["path", "offset"]),
        takes("fs_write", &["path"]),
        takes("fs_ping", &[]),
        tool("fs_noop", json!({ "type": "object" })),
    ]
}

/// Warnings, as they were told.
#[derive(Clone, Default)]
pub(crate) struct Log(pub(crate) Arc<Mutex<Vec<Warning>>>);

impl Log {
    pub(crate) fn audit<P: Provider>(&self, inner: P) -> UnknownKeys<P> {
        let log = self.clone();
        UnknownKeys::new(inner)
            .on_warning(move |warning| log.0.lock().unwrap().push(warning.clone()))
    }

    /// Takes out what was told: each warning as its tool and the names it reports.
    pub(crate) fn told(&self) -> Vec<(String, Vec<String>)> {
        let names = |warning: &Warning| {
            warning.unknown_keys.iter().map(|key| key.name.clone()).collect::<Vec<_>>()
        };
        let warnings = std::mem::take(&mut *self.0.lock().unwrap());
        warnings.iter().map(|warning| (warning.tool.clone(), names(warning))).collect()
    }
}

/// A layer over the catalogue, which was listed, and what it tells.
pub(crate) async fn listed() -> (UnknownKeys<Scripted>, Log) {
    let log = Log::default();
    let audited = log.audit(Scripted::new(catalogue()));
    audited.tools_for_llm().await.unwrap();
    (audited, log)
}

pub(crate) fn call(name: &str, arguments: &str) -> ToolCall {
    ToolCall::new("call_1", name, arguments)
}

/// What is told of one call.
pub(crate) async fn told(
    audited: &UnknownKeys<Scripted>,
    log: &Log,
    name: &str,
    arguments: &str,
) -> Vec<Vec<String>> {
    audited.execute_tool_calls(vec![call(name, arguments)]).await;
    log.told().into_iter().map(|(_, names)| names).collect()
}
