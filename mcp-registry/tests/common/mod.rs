//! A provider that records its batches and answers from a script.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use mcp_provider::{CallId, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use serde_json::json;

/// Records every batch it gets, each call as `name` or `name:id`, and answers as `Mode` says.
#[derive(Clone)]
pub(crate) struct Fake {
    tools: Vec<ToolDeclaration>,
    mode: Mode,
    pub(crate) batches: Arc<Mutex<Vec<Vec<ToolCall>>>>,
    /// Who was called, of all the fakes that share it.
    log: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy)]
pub(crate) enum Mode {
    /// Answers each call with its name.
    Echo,
    /// Panics, in both methods.
    Panic,
    /// Answers a batch with one bare string, read as JSON.
    Short,
    /// Answers a batch with twice as many results as asked for.
    Long,
    /// Fails to list.
    Unlistable,
}

/// The error of a fake that cannot list.
#[derive(Debug)]
pub(crate) struct Dead;

impl std::fmt::Display for Dead {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the well ran dry")
    }
}

impl std::error::Error for Dead {}

impl Fake {
    pub(crate) fn new(mode: Mode, tools: &[&str]) -> Self {
        let tools = tools.iter().map(|name| ToolDeclaration::new(*name)).collect();
        Self { tools, mode, batches: Arc::default(), log: Arc::default() }
    }

    pub(crate) fn echo(tools: &[&str]) -> Self {
        Self::new(Mode::Echo, tools)
    }

    pub(crate) fn with_declarations(mut self, tools: Vec<ToolDeclaration>) -> Self {
        self.tools = tools;
        self
    }

    pub(crate) fn logging_to(mut self, log: &Arc<Mutex<Vec<String>>>) -> Self {
        self.log = Arc::clone(log);
        self
    }

    /// The names in each batch so far.
    pub(crate) fn seen(&self) -> Vec<Vec<String>> {
        let batches = self.batches.lock().unwrap();
        batches.iter().map(|batch| batch.iter().map(|it| it.name.clone()).collect()).collect()
    }
}

#[async_trait]
impl Provider for Fake {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        match self.mode {
            Mode::Unlistable => Err(ProviderError::new(Dead)),
            Mode::Panic => panic!("the well ran dry"),
            Mode::Echo | Mode::Short | Mode::Long => Ok(self.tools.clone()),
        }
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.batches.lock().unwrap().push(calls.clone());
        let first = calls.first().map(|call| call.name.clone()).unwrap_or_default();
        self.log.lock().unwrap().push(format!("begin {first}"));
        // A provider that runs beside another would write its line in between.
        tokio::task::yield_now().await;
        self.log.lock().unwrap().push(format!("end {first}"));
        let echo = calls.iter().map(|call| ToolResult::ok(call.id.clone(), &*call.name));
        match self.mode {
            Mode::Echo | Mode::Unlistable => echo.collect(),
            Mode::Panic => panic!("the well ran dry"),
            Mode::Short => vec![ToolResult::from_json(json!("bare"), &CallId::default())],
            Mode::Long => echo.clone().chain(echo).collect(),
        }
    }
}

/// The published names of a provider.
pub(crate) async fn names(provider: &impl Provider) -> Vec<String> {
    let tools = provider.tools_for_llm().await.unwrap();
    tools.iter().map(|tool| tool.name().unwrap().to_owned()).collect()
}

/// Runs calls named `names`, with the ids 1, 2, 3…
pub(crate) async fn run(provider: &impl Provider, names: &[&str]) -> Vec<ToolResult> {
    let calls = names.iter().zip(1..);
    let calls = calls.map(|(name, id)| ToolCall::new(id.to_string(), *name, "{}")).collect();
    provider.execute_tool_calls(calls).await
}

/// The id, the text and the failure of each result.
pub(crate) fn told(results: &[ToolResult]) -> Vec<(String, &str, bool)> {
    results.iter().map(|it| (it.tool_call_id.to_string(), &*it.content, it.is_error)).collect()
}
