//! Anthropic Messages: tools with an `input_schema`, `tool_use` and `tool_result` blocks.
//!
//! What a block holds beside the usual, such as `cache_control`, travels with the call or the
//! result in a member named `anthropic`, so that the block is written as it was read.

use mcp_provider::{JsonObject, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

use crate::FormatError;
use crate::item::Item;
use crate::parts::{
    Function, TOOL, Tool, arguments_object, call, extra_of_call, extra_of_result, known_items,
    object, pairs, result, string_id,
};

pub(crate) const NAME: &str = "anthropic";

/// Writes declarations as the `tools` of a request.
///
/// `strict` and the members around the function, such as `cache_control`, are written too;
/// other members of the function belong to others and stay behind.
///
/// # Errors
///
/// Fails at the first function without a name.
pub fn to_tools(tools: &[ToolDeclaration]) -> Result<Vec<Value>, FormatError> {
    let write = |(place, tool): (usize, &ToolDeclaration)| match Tool::read(place, tool)? {
        Tool::BuiltIn(json) => Ok(json),
        Tool::Function(mut function) => {
            let schema = function.take_schema();
            let known = [
                ("name", Some(json!(function.name))),
                ("description", function.description),
                ("input_schema", schema),
                ("strict", function.strict),
            ];
            Ok(object(known, function.outer))
        }
    };
    tools.iter().enumerate().map(write).collect()
}

/// Reads the `tools` of a request; a tool that Anthropic defines is kept as it stands.
///
/// # Errors
///
/// Fails at the first one that is not an object, or is a tool of the caller's without a name
/// or a schema.
pub fn from_tools(tools: &[Value]) -> Result<Vec<ToolDeclaration>, FormatError> {
    let read = |(place, json): (usize, &Value)| {
        let mut item = Item::new(TOOL, place, json)?;
        if item.kind().is_some_and(|kind| kind != "custom") {
            return Ok(ToolDeclaration::from_json(json.clone()));
        }
        item.take("type");
        let function = Function {
            name: item.text("name")?,
            description: item.take("description"),
            parameters: Some(Value::Object(item.inner("input_schema")?.rest)),
            strict: item.take("strict"),
            inner: JsonObject::new(),
            outer: item.rest,
        };
        Ok(function.write())
    };
    tools.iter().enumerate().map(read).collect()
}

/// Writes calls as the `tool_use` blocks of an assistant's message.
///
/// # Errors
///
/// Fails at the first call whose id is not a string, or whose arguments are not an object.
pub fn to_calls(calls: &[ToolCall]) -> Result<Vec<Value>, FormatError> {
    let write = |call: &ToolCall| {
        let known = [
            ("type", Some(json!("tool_use"))),
            ("id", Some(string_id(call)?)),
            ("name", Some(json!(call.name))),
            ("input", Some(arguments_object(call)?)),
        ];
        Ok(object(known, extra_of_call(call, NAME)))
    };
    calls.iter().map(write).collect()
}

/// Reads the `tool_use` blocks of a message's content, and leaves others out.
///
/// # Errors
///
/// Fails at the first block that is no object, and at a call without an id or a name.
pub fn from_calls(content: &[Value]) -> Result<Vec<ToolCall>, FormatError> {
    known_items(content, |mut item| {
        if item.kind() != Some("tool_use") {
            return Ok(None);
        }
        item.take("type");
        let id = Value::String(item.text("id")?);
        let name = item.text("name")?;
        let input = item.take("input");
        Ok(Some(call(id, name, input, NAME, item.rest)))
    })
}

/// Writes results as `tool_result` blocks, which all belong into the one user's message that
/// follows the calls.
///
/// Structured content is for the host and not for a model, and stays behind.
///
/// # Errors
///
/// Fails where there is not one result per call, or an id is not a string.
pub fn to_results(calls: &[ToolCall], results: &[ToolResult]) -> Result<Vec<Value>, FormatError> {
    let write = |(call, result): (&ToolCall, &ToolResult)| {
        let known = [
            ("type", Some(json!("tool_result"))),
            ("tool_use_id", Some(string_id(call)?)),
            ("content", Some(json!(result.content))),
            ("is_error", result.is_error.then_some(json!(true))),
        ];
        Ok(object(known, extra_of_result(result, NAME)))
    };
    pairs(calls, results)?.map(write).collect()
}

/// Reads the `tool_result` blocks of a message's content, and leaves others out.
///
/// # Errors
///
/// Fails at the first block that is no object, at a result without an id, and at content that
/// is not text.
pub fn from_results(content: &[Value]) -> Result<Vec<ToolResult>, FormatError> {
    known_items(content, |mut item| {
        if item.kind() != Some("tool_result") {
            return Ok(None);
        }
        item.take("type");
        let id = item.text("tool_use_id")?.into();
        let content = item.content("content")?;
        let is_error = item.take("is_error") == Some(json!(true));
        Ok(Some(result(id, content, is_error, NAME, item.rest)))
    })
}
