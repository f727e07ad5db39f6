//! A provider that costs nothing.

use std::sync::atomic::{AtomicUsize, Ordering};

use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait};
use serde_json::json;

/// Answers at once, and lists its catalogues in turn.
#[derive(Debug)]
pub struct Bottom {
    catalogues: Vec<Vec<ToolDeclaration>>,
    listings: AtomicUsize,
}

impl Bottom {
    /// Lists the first of `catalogues`, then the next, and so on in circles.
    pub fn new(catalogues: Vec<Vec<ToolDeclaration>>) -> Self {
        Self { catalogues, listings: AtomicUsize::new(0) }
    }
}

#[async_trait]
impl Provider for Bottom {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let turn = self.listings.fetch_add(1, Ordering::Relaxed) % self.catalogues.len().max(1);
        Ok(self.catalogues.get(turn).cloned().unwrap_or_default())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        calls.into_iter().map(|call| ToolResult::ok(call.id, "written")).collect()
    }
}

/// `count` tools, of which the first is called `name`.
pub fn catalogue(name: &str, count: usize) -> Vec<ToolDeclaration> {
    let tool = |number: usize| {
        let name = if number == 0 { name.to_owned() } else { format!("tool_{number}") };
        ToolDeclaration::from_json(json!({
            "type": "function",
            "function": {
                "name": name,
                "description": format!("Writes the record that belongs to the path. Number {number}."),
                "parameters": {
                    "type": "object",
                    "properties": {
                        "path": { "type": "string", "description": "Where to write" },
                        "content": { "type": "string" },
                        "mode": { "type": "string", "enum": ["replace", "append", "create"] },
                    },
                    "required": ["path"],
                },
            },
        }))
    };
    (0..count).map(tool).collect()
}
