//! A provider made of async closures.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard};

use async_trait::async_trait;
use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use serde_json::Value;

use crate::flatten::tool_result;
use crate::{Counters, RpcError, Tool, ToolContext};

/// Tools that run in this process.
///
/// As a [`Provider`] it lists and answers exactly as the same tools do behind a server and a
/// client.  Clones share the tools and the counters.
#[derive(Clone, Debug, Default)]
pub struct Toolkit {
    tools: Arc<RwLock<BTreeMap<String, Arc<Tool>>>>,
    counters: Counters,
}

impl Toolkit {
    /// A toolkit without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a tool, in place of one of the same name.
    #[must_use]
    pub fn tool(self, tool: Tool) -> Self {
        self.insert(tool);
        self
    }

    /// Adds all `tools`.
    #[must_use]
    pub fn tools(self, tools: impl IntoIterator<Item = Tool>) -> Self {
        tools.into_iter().for_each(|tool| self.insert(tool));
        self
    }

    /// Adds a tool to a toolkit that is in use, in place of one of the same name.
    pub fn insert(&self, tool: Tool) {
        let mut tools = self.tools.write().unwrap_or_else(PoisonError::into_inner);
        tools.insert(tool.name().to_owned(), Arc::new(tool));
    }

    /// Removes a tool from a toolkit that is in use, and says whether it was there.
    pub fn remove(&self, name: &str) -> bool {
        self.tools.write().unwrap_or_else(PoisonError::into_inner).remove(name).is_some()
    }

    /// How often each tool ran.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// The tools as a server lists them, sorted by name.
    pub fn listing(&self) -> Vec<Value> {
        self.listing_of(0..self.len())
    }

    /// How many tools there are.
    pub(crate) fn len(&self) -> usize {
        self.read().len()
    }

    /// The listing of some of the tools, so that a page of many costs only itself.
    pub(crate) fn listing_of(&self, range: Range<usize>) -> Vec<Value> {
        let (start, count) = (range.start, range.len());
        self.read().values().skip(start).take(count).map(|tool| tool.listing()).collect()
    }

    pub(crate) fn get(&self, name: &str) -> Option<Arc<Tool>> {
        self.read().get(name).map(Arc::clone)
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<String, Arc<Tool>>> {
        self.tools.read().unwrap_or_else(PoisonError::into_inner)
    }

    async fn execute(&self, call: ToolCall) -> ToolResult {
        let arguments = match call.arguments.as_object() {
            Ok(arguments) => arguments.clone(),
            Err(invalid) => return ToolResult::not_sent(call.id, invalid.to_string()),
        };
        let Some(tool) = self.get(&call.name) else {
            return ToolResult::not_sent(call.id, format!("Unknown tool: '{}'", call.name));
        };
        let context = ToolContext::in_process();
        let output = tool.handler.run(tool.name(), &self.counters, arguments, context).await;
        match output.into_tool_result() {
            Ok(result) => tool_result(call.id, result),
            Err(RpcError { message, .. }) => ToolResult::error(call.id, message),
        }
    }
}

#[async_trait]
impl Provider for Toolkit {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(self.read().values().map(|tool| tool.declaration()).collect())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            results.push(self.execute(call).await);
        }
        results
    }
}
