//! What a listing costs that nobody changed: counted, allocation by allocation.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use allocation_counter::{AllocationInfo, measure};
use mcp_provider::{JsonObject, Provider, ProviderExt, ToolCall, ToolDeclaration};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_testkit::Scripted;
use mcp_unknown_keys::{UnknownKeys, audit};
use serde_json::{Value, json};

/// Tools with a kilobyte of schema each.
fn tools(count: usize) -> Vec<ToolDeclaration> {
    let tool = |number: usize| {
        let words = format!("What this is, at length: {number} ").repeat(30);
        common::tool(
            &format!("tool_{number}"),
            json!({ "type": "object", "properties": { "path": { "description": words } } }),
        )
    };
    (0..count).map(tool).collect()
}

/// What it costs to list again.
fn cost(provider: &impl Provider) -> AllocationInfo {
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let list = || runtime.block_on(provider.tools_for_llm()).unwrap();
    // The first listing prepares, and the second makes room for what does not shrink again.
    list();
    let before = list();
    let mut after = Vec::new();
    let cost = measure(|| after = list());
    assert!(before.iter().zip(&after).all(|(before, after)| before.is_same(after)));
    cost
}

#[test]
fn listing_unchanged_tools_copies_no_json() {
    // R-OUT-3, U-CAT-1
    let layered = |tools| Scripted::new(tools).layer(Reasons::new).layer(UnknownKeys::new);
    let (few, many) = (cost(&layered(tools(10))), cost(&layered(tools(10_000))));
    assert_eq!(few.count_total, many.count_total, "whatever the number of tools");
    assert!(many.count_total < 16, "{many:?}");
    // Three lists of pointers, one of them with two each; ten megabytes of schemas stay.
    assert!(many.bytes_total < 10_000 * 64, "{many:?}");
}

#[test]
fn over_a_registry_the_layers_copy_no_json_either() {
    // R-OUT-3, U-CAT-1
    let registry = |tools| {
        let registry = Registry::new();
        registry.add("p", Scripted::new(tools)).unwrap();
        registry
    };
    let bare = cost(&registry(tools(1_000)));
    let layered = cost(&registry(tools(1_000)).layer(Reasons::new).layer(UnknownKeys::new));
    assert!(layered.count_total - bare.count_total < 16, "{layered:?} over {bare:?}");
}

/// A schema with two hundred patterns, of which the last is that of `arguments`.
fn patterns() -> Value {
    let patterns = (0..199).map(|number| format!("^y[a-z]{{{number}}}$"));
    let patterns: Value = patterns.chain(["^x".to_owned()]).map(|it| (it, json!({}))).collect();
    json!({ "properties": { "a": {} }, "patternProperties": patterns })
}

fn arguments(count: usize) -> JsonObject {
    (0..count).map(|number| (format!("x{number}"), json!(1))).collect()
}

#[test]
fn a_pattern_is_compiled_once_for_all_the_keys_of_a_call() {
    // U-AUD-7
    let schema = patterns();
    let cost = |count| {
        let arguments = arguments(count);
        measure(|| assert_eq!(audit(schema.as_object().unwrap(), &arguments), [])).count_total
    };
    let (few, many) = (cost(1), cost(1_000));
    assert!(many < few + 4_000, "{many} for a thousand keys, {few} for one");
}

#[test]
fn a_pattern_is_compiled_once_for_all_the_calls_of_a_listing() {
    // U-AUD-7
    let layered = Scripted::new([common::tool("t", patterns())]).layer(UnknownKeys::new);
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    runtime.block_on(layered.tools_for_llm()).unwrap();
    let cost = || {
        let calls = vec![ToolCall::new("call_1", "t", arguments(1))];
        measure(|| drop(runtime.block_on(layered.execute_tool_calls(calls)))).count_total
    };
    let (first, second) = (cost(), cost());
    assert!(second < 200 && second < first, "{second} after {first}");
}
