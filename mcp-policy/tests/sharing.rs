//! What a listing costs that nobody changed, through all layers: counted, allocation by allocation.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use allocation_counter::{AllocationInfo, measure};
use mcp_leases::{Holder, Leases, Table};
use mcp_operations::{Operations, TokioTimer};
use mcp_policy::{Floor, Policy, rules_from_json};
use mcp_provider::{
    Provider, ProviderError, ProviderExt, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_unknown_keys::UnknownKeys;
use serde_json::json;

struct Fixed(Vec<ToolDeclaration>);

#[async_trait]
impl Provider for Fixed {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(self.0.clone())
    }

    async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
        Vec::new()
    }
}

/// Tools with a kilobyte of schema each.
fn tools(count: usize) -> Vec<ToolDeclaration> {
    let tool = |number: usize| {
        let words = format!("What this is, at length: {number} ").repeat(30);
        ToolDeclaration::from_json(json!({ "type": "function", "function": {
            "name": format!("tool_{number}"),
            "description": "Does what it says",
            "parameters": { "type": "object", "properties": { "path": { "description": words } } },
        }}))
    };
    (0..count).map(tool).collect()
}

/// All layers, of which the outermost hides one tool.
fn stack(tools: Vec<ToolDeclaration>) -> impl Provider {
    let registry = Registry::new();
    registry.add("p", Fixed(tools)).unwrap();
    let leases = Leases::new(registry, Table::tokio(), Holder::new("ada").unwrap());
    let operations = leases.layer(|inner| Operations::new(inner, TokioTimer::new()));
    let inner = operations.layer(Reasons::new).layer(UnknownKeys::new);
    let rules = json!([
        { "tool": "p_tool_3", "decision": "deny" },
        { "tool": "p_*", "decision": "deny", "under": "/etc" },
    ]);
    let rules = rules_from_json(&rules).unwrap();
    Policy::builder(inner).rules(rules).floor(Floor::new("/home/dev")).build().unwrap()
}

/// What it costs to list again.
fn cost(provider: &impl Provider, count: usize) -> AllocationInfo {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let list = || runtime.block_on(provider.tools_for_llm()).unwrap();
    // The first listing prepares, and the second makes room for what does not shrink again.
    list();
    let before = list();
    assert_eq!(before.len(), count - 1 + 2, "one is hidden, and two are the leases' own");
    let mut after = Vec::new();
    let cost = measure(|| after = list());
    assert!(before.iter().zip(&after).all(|(before, after)| before.is_same(after)));
    cost
}

#[test]
fn a_stack_of_all_layers_lists_unchanged_tools_without_a_copy() {
    let (few, many) = (cost(&stack(tools(10)), 10), cost(&stack(tools(10_000)), 10_000));
    assert_eq!(few.count_total, many.count_total, "whatever the number of tools");
    assert!(many.count_total < 24, "{many:?}");
    // A few lists of pointers; ten megabytes of schemas stay.
    assert!(many.bytes_total < 10_000 * 64, "{many:?}");
}
