//! A scripted provider, and arbitrary JSON.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use proptest::prelude::*;
use serde_json::{Map, Value};

/// Lists one tool, and answers a batch with what its function makes of it.
pub(crate) struct Scripted {
    name: &'static str,
    answer: fn(Vec<ToolCall>) -> Vec<ToolResult>,
    pub(crate) batches: Mutex<Vec<Vec<ToolCall>>>,
}

impl Scripted {
    pub(crate) fn new(answer: fn(Vec<ToolCall>) -> Vec<ToolResult>) -> Self {
        Self { name: "echo", answer, batches: Mutex::default() }
    }

    /// Answers each call as a bridge to real tools would: by its name and its arguments.
    pub(crate) fn echo() -> Self {
        Self::new(|calls| calls.into_iter().map(echo).collect())
    }
}

fn echo(call: ToolCall) -> ToolResult {
    match call.arguments.as_object() {
        Err(error) => ToolResult::not_sent(call.id, error.to_string()),
        Ok(_) if call.name != "echo" => {
            ToolResult::not_sent(call.id, format!("Unknown tool: '{}'", call.name))
        }
        Ok(object) => ToolResult::ok(call.id, Value::Object(object.clone()).to_string()),
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(vec![ToolDeclaration::new(self.name)])
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.batches.lock().unwrap().push(calls.clone());
        (self.answer)(calls)
    }
}

/// A layer that writes its mark before each name, and remembers nothing.
pub(crate) struct Marked<P> {
    pub(crate) inner: P,
    pub(crate) mark: &'static str,
}

#[async_trait]
impl<P: Provider> Provider for Marked<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let tools = self.inner.tools_for_llm().await?;
        let marked = |tool: ToolDeclaration| {
            tool.with_name(format!("{}{}", self.mark, tool.name().unwrap_or_default()))
        };
        Ok(tools.into_iter().map(marked).collect())
    }

    async fn execute_tool_calls(&self, mut calls: Vec<ToolCall>) -> Vec<ToolResult> {
        for call in &mut calls {
            call.name.push_str(self.mark);
        }
        self.inner.execute_tool_calls(calls).await
    }
}

/// Any list of providers' results, with the ids that they came with.
pub(crate) fn ids(results: &[ToolResult]) -> Vec<String> {
    results.iter().map(|it| it.tool_call_id.to_string()).collect()
}

pub(crate) fn shared(provider: Scripted) -> Arc<dyn Provider> {
    Arc::new(provider)
}

/// Any JSON value, whose keys are often those that mean something here.
pub(crate) fn json() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        "[ -~é\u{1f600}]{0,6}".prop_map(Value::from),
        Just(Value::from("function")),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        let key = prop_oneof![
            prop::sample::select(vec![
                "id",
                "type",
                "function",
                "name",
                "description",
                "parameters",
                "arguments",
                "x"
            ])
            .prop_map(str::to_owned),
            "[a-cB\u{e9}\u{ff}\u{1f600}\"]{0,3}",
        ];
        let members = proptest::collection::vec((key, inner.clone()), 0..6);
        prop_oneof![
            proptest::collection::vec(inner, 0..5).prop_map(Value::from),
            members.prop_map(|members| Value::Object(Map::from_iter(members))),
        ]
    })
}

/// JSON of nearly the shape of a declaration or a call.
pub(crate) fn nearly(known: &'static [&'static str]) -> impl Strategy<Value = Value> {
    let key = || prop::sample::select(known);
    let inner = proptest::collection::vec((key(), json()), 0..6);
    let outer = proptest::collection::vec((key(), json()), 0..5);
    (inner, outer, 0..5_usize).prop_map(|(inner, mut outer, place)| {
        let inner = inner.into_iter().map(|(key, value)| (key.to_owned(), value));
        outer.insert(place.min(outer.len()), ("function", Value::Object(Map::from_iter(inner))));
        let outer = outer.into_iter().map(|(key, value)| (key.to_owned(), value));
        Value::Object(Map::from_iter(outer))
    })
}
