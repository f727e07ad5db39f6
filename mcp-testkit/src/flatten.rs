//! A protocol result as the text that a model reads.

use mcp_provider::{CallId, JsonObject, ToolResult, canonical_json};
use serde_json::Value;

/// What a provider answers for the protocol result of a tool call.
pub fn tool_result(id: CallId, mut result: JsonObject) -> ToolResult {
    let content = flatten(&result);
    let structured = result.remove("structuredContent").unwrap_or_default();
    let answer = match result.get("isError") {
        Some(Value::Bool(true)) => ToolResult::error(id, content),
        _ => ToolResult::ok(id, content),
    };
    answer.with_structured_content(structured)
}

/// The text of a tool's result: one line per content block.
///
/// A result without a list of blocks is shown whole, as JSON with sorted keys, and an empty one
/// is empty.  What the protocol keeps for itself is never shown.
pub fn flatten(result: &JsonObject) -> String {
    if let Some(Value::Array(blocks)) = result.get("content") {
        return blocks.iter().map(block_text).collect::<Vec<_>>().join("\n");
    }
    let shown: JsonObject = result
        .iter()
        .filter(|(name, _)| !PROTOCOL_MEMBERS.contains(&name.as_str()))
        .map(|(name, value)| (name.clone(), value.clone()))
        .collect();
    if shown.is_empty() { String::new() } else { canonical_json(&Value::Object(shown)) }
}

fn block_text(block: &Value) -> String {
    let Value::Object(members) = block else { return plain(block) };
    let kind = members.get("type").and_then(Value::as_str).unwrap_or_default();
    match kind {
        "text" => members.get("text").map_or_else(String::new, plain),
        "image" | "audio" => {
            let media_type = members.get("mimeType").and_then(Value::as_str);
            format!("[{kind}: {}]", media_type.unwrap_or("unknown media type"))
        }
        "resource" => {
            let resource = members.get("resource").unwrap_or(&Value::Null);
            match resource.get("text") {
                Some(Value::String(text)) => text.clone(),
                _ => pointer(resource),
            }
        }
        "resource_link" => pointer(block),
        _ => canonical_json(block),
    }
}

fn pointer(resource: &Value) -> String {
    format!("[resource: {}]", resource.get("uri").and_then(Value::as_str).unwrap_or("unknown"))
}

fn plain(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        other => canonical_json(other),
    }
}

const PROTOCOL_MEMBERS: [&str; 6] =
    ["resultType", "_meta", "ttlMs", "cacheScope", "requestState", "inputRequests"];
