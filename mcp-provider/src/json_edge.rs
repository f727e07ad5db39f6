//! Plain JSON in, plain JSON out: the edge to loops that know no types of ours.

use serde_json::Value;

use crate::{CallId, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, one_per_call};

/// Lists the tools of `provider` as JSON, in the shape of OpenAI function calling.
///
/// # Errors
///
/// Fails when the tools cannot be listed.
pub async fn tools_json<P: Provider + ?Sized>(provider: &P) -> Result<Vec<Value>, ProviderError> {
    Ok(provider.tools_for_llm().await?.iter().map(ToolDeclaration::to_json).collect())
}

/// Runs calls given as JSON, and answers each with JSON, in the order given.
///
/// A call that is not an object is answered with an error here; all others go to the provider
/// as one batch.
pub async fn execute_json<P: Provider + ?Sized>(provider: &P, calls: &[Value]) -> Vec<Value> {
    let read: Vec<_> = calls.iter().cloned().map(ToolCall::from_json).collect();
    let batch: Vec<ToolCall> = read.iter().flatten().cloned().collect();
    let ids: Vec<CallId> = batch.iter().map(|call| call.id.clone()).collect();
    let mut results = one_per_call(ids, provider.execute_tool_calls(batch).await).into_iter();
    read.into_iter()
        .map(|call| match call {
            Ok(call) => results.next().unwrap_or_else(|| ToolResult::unknown(call.id, "")),
            Err(malformed) => ToolResult::not_sent("", malformed.to_string()),
        })
        .map(|result| result.to_json())
        .collect()
}
