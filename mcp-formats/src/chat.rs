//! OpenAI Chat Completions: the shape that the provider contract uses itself, made fit to send.
//!
//! What only we know stays behind: `is_error`, `structured_content`, and what another module
//! here has noted on a call.  Arguments become text.

use mcp_provider::{JsonObject, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

use crate::item::Item;
use crate::parts::{TOOL, Tool, arguments_text, known_items, object, pairs, string_id};
use crate::{FormatError, anthropic, gemini, responses};

/// Writes declarations as the `tools` of a request.
///
/// Members around the function, such as `cache_control`, belong to others and stay behind.
///
/// # Errors
///
/// Fails at the first function without a name.
pub fn to_tools(tools: &[ToolDeclaration]) -> Result<Vec<Value>, FormatError> {
    let write = |(place, tool): (usize, &ToolDeclaration)| match Tool::read(place, tool)? {
        Tool::BuiltIn(json) => Ok(json),
        Tool::Function(mut function) => {
            function.outer.clear();
            Ok(function.write().to_json())
        }
    };
    tools.iter().enumerate().map(write).collect()
}

/// Reads the `tools` of a request.
///
/// # Errors
///
/// Fails at the first one that is not an object.
pub fn from_tools(tools: &[Value]) -> Result<Vec<ToolDeclaration>, FormatError> {
    let read = |(place, json): (usize, &Value)| {
        Item::new(TOOL, place, json)?;
        Ok(ToolDeclaration::from_json(json.clone()))
    };
    tools.iter().enumerate().map(read).collect()
}

/// Writes calls as the `tool_calls` of an assistant's message.
///
/// # Errors
///
/// Fails at the first call whose id is not a string.
pub fn to_calls(calls: &[ToolCall]) -> Result<Vec<Value>, FormatError> {
    let write = |call: &ToolCall| {
        string_id(call)?;
        let mut call = call.clone();
        if let Value::String(text) = arguments_text(&call) {
            call.arguments = text.into();
        }
        let mut json = call.to_json();
        for vendor in [anthropic::NAME, gemini::NAME, responses::NAME] {
            json.as_object_mut().and_then(|call| call.shift_remove(vendor));
        }
        Ok(json)
    };
    calls.iter().map(write).collect()
}

/// Reads the `tool_calls` of an assistant's message.
///
/// # Errors
///
/// Fails at the first one that is not an object.
pub fn from_calls(calls: &[Value]) -> Result<Vec<ToolCall>, FormatError> {
    known_items(calls, |item| Ok(ToolCall::from_json(Value::Object(item.rest)).ok()))
}

/// Writes results as messages of the role `tool`.
///
/// That a call failed is in its text only.
///
/// # Errors
///
/// Fails where there is not one result per call, or an id is not a string.
pub fn to_results(calls: &[ToolCall], results: &[ToolResult]) -> Result<Vec<Value>, FormatError> {
    let write = |(call, result): (&ToolCall, &ToolResult)| {
        let known = [
            ("role", Some(json!("tool"))),
            ("tool_call_id", Some(string_id(call)?)),
            ("content", Some(json!(result.content))),
        ];
        Ok(object(known, JsonObject::new()))
    };
    pairs(calls, results)?.map(write).collect()
}

/// Reads the messages of the role `tool`, and leaves others out.
///
/// # Errors
///
/// Fails at the first item that is no object, and at content that is not text.
pub fn from_results(messages: &[Value]) -> Result<Vec<ToolResult>, FormatError> {
    known_items(messages, |mut item| {
        if item.rest.get("role") != Some(&json!("tool")) {
            return Ok(None);
        }
        let id = item.text("tool_call_id")?.into();
        let content = item.content("content")?;
        item.rest.insert("content".to_owned(), Value::String(content));
        Ok(Some(ToolResult::from_json(Value::Object(item.rest), &id)))
    })
}
