//! OpenAI Responses: flat function tools, `function_call` and `function_call_output` items.
//!
//! The call's id is `call_id`.  An item's own `id` and `status` travel with the call, in a
//! member named `responses`, so that the item is written as it was read.

use mcp_provider::{JsonObject, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

use crate::FormatError;
use crate::item::Item;
use crate::parts::{
    Function, TOOL, Tool, arguments_text, call, extra_of_call, extra_of_result, known_items,
    object, pairs, result, string_id,
};

pub(crate) const NAME: &str = "responses";

/// Writes declarations as the `tools` of a request.
///
/// A function that says nothing about `strict` is written as not strict, which it is in Chat
/// Completions: without it this API rewrites the schema and makes every argument required.
/// Where `strict` is null it is left out.  Members around the function, such as
/// `cache_control`, belong to others and stay behind.
///
/// # Errors
///
/// Fails at the first function without a name.
pub fn to_tools(tools: &[ToolDeclaration]) -> Result<Vec<Value>, FormatError> {
    let write = |(place, tool): (usize, &ToolDeclaration)| match Tool::read(place, tool)? {
        Tool::BuiltIn(json) => Ok(json),
        Tool::Function(mut function) => {
            let schema = function.take_schema();
            let strict = function.strict.unwrap_or(Value::Bool(false));
            let known = [
                ("type", Some(json!("function"))),
                ("name", Some(json!(function.name))),
                ("description", function.description),
                ("parameters", schema),
                ("strict", Some(strict).filter(|it| !it.is_null())),
            ];
            Ok(object(known, function.inner))
        }
    };
    tools.iter().enumerate().map(write).collect()
}

/// Reads the `tools` of a request; a tool that is no function is kept as it stands.
///
/// Where `strict` is missing it becomes null, which is what this API makes of it: neither
/// strict nor not.
///
/// # Errors
///
/// Fails at the first one that is not an object, or is a function without a name.
pub fn from_tools(tools: &[Value]) -> Result<Vec<ToolDeclaration>, FormatError> {
    let read = |(place, json): (usize, &Value)| {
        let mut item = Item::new(TOOL, place, json)?;
        if item.kind() != Some("function") {
            return Ok(ToolDeclaration::from_json(json.clone()));
        }
        item.take("type");
        let function = Function {
            name: item.text("name")?,
            description: item.take("description"),
            parameters: item.take("parameters"),
            strict: Some(item.take("strict").unwrap_or_default()),
            inner: item.rest,
            outer: JsonObject::new(),
        };
        Ok(function.write())
    };
    tools.iter().enumerate().map(read).collect()
}

/// Writes calls as `function_call` items.
///
/// # Errors
///
/// Fails at the first call whose id is not a string.
pub fn to_calls(calls: &[ToolCall]) -> Result<Vec<Value>, FormatError> {
    let write = |call: &ToolCall| {
        let known = [
            ("type", Some(json!("function_call"))),
            ("call_id", Some(string_id(call)?)),
            ("name", Some(json!(call.name))),
            ("arguments", Some(arguments_text(call))),
        ];
        Ok(object(known, extra_of_call(call, NAME)))
    };
    calls.iter().map(write).collect()
}

/// Reads the `function_call` items of a response's `output`, and leaves others out.
///
/// # Errors
///
/// Fails at the first item that is no object, and at a call without an id or a name.
pub fn from_calls(output: &[Value]) -> Result<Vec<ToolCall>, FormatError> {
    known_items(output, |mut item| {
        if item.kind() != Some("function_call") {
            return Ok(None);
        }
        item.take("type");
        let id = Value::String(item.text("call_id")?);
        let name = item.text("name")?;
        let arguments = item.take("arguments");
        Ok(Some(call(id, name, arguments, NAME, item.rest)))
    })
}

/// Writes results as `function_call_output` items.
///
/// The shape has no place for a failure, so that a call failed is in its text only, and none
/// for structured content, which is for the host and not for a model.
///
/// # Errors
///
/// Fails where there is not one result per call, or an id is not a string.
pub fn to_results(calls: &[ToolCall], results: &[ToolResult]) -> Result<Vec<Value>, FormatError> {
    let write = |(call, result): (&ToolCall, &ToolResult)| {
        let known = [
            ("type", Some(json!("function_call_output"))),
            ("call_id", Some(string_id(call)?)),
            ("output", Some(json!(result.content))),
        ];
        Ok(object(known, extra_of_result(result, NAME)))
    };
    pairs(calls, results)?.map(write).collect()
}

/// Reads the `function_call_output` items of a request's `input`, and leaves others out.
///
/// # Errors
///
/// Fails at the first item that is no object, at an output without an id, and at one that is
/// not text.
pub fn from_results(input: &[Value]) -> Result<Vec<ToolResult>, FormatError> {
    known_items(input, |mut item| {
        if item.kind() != Some("function_call_output") {
            return Ok(None);
        }
        item.take("type");
        let id = item.text("call_id")?.into();
        let output = item.content("output")?;
        Ok(Some(result(id, output, false, NAME, item.rest)))
    })
}
