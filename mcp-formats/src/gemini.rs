//! Google Gemini: `functionDeclarations`, and `functionCall` and `functionResponse` parts.
//!
//! What a part holds beside the usual, such as `thoughtSignature`, travels with the call or
//! the result in a member named `gemini`, so that the part is written as it was read.
//!
//! A call may come without an id.  It is then given one, `gemini_0` for the first call of the
//! list, `gemini_1` for the second, and so on; neither the call nor its result is written with
//! it.  Such an id is the only one of its kind in its list, and returns in the next.

mod schema;

use mcp_provider::{CallId, JsonObject, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

use crate::FormatError;
use crate::item::Item;
use crate::parts::{
    Function, TOOL, Tool, arguments_object, call, extra_of_call, extra_of_result, known_items,
    object, pairs, result, string_id,
};

pub(crate) const NAME: &str = "gemini";

/// Writes declarations as the `tools` of a request: all functions in one tool, at the end.
///
/// A schema is written as `parametersJsonSchema`, word for word.  The API knows no `strict`,
/// and the members around a function belong to others: they stay behind.
///
/// # Errors
///
/// Fails at the first function without a name.
pub fn to_tools(tools: &[ToolDeclaration]) -> Result<Vec<Value>, FormatError> {
    let (mut written, mut functions) = (Vec::new(), Vec::new());
    for (place, tool) in tools.iter().enumerate() {
        match Tool::read(place, tool)? {
            Tool::BuiltIn(json) => written.push(json),
            Tool::Function(function) => {
                let known = [
                    ("name", Some(json!(function.name))),
                    ("description", function.description),
                    ("parametersJsonSchema", function.parameters),
                ];
                functions.push(object(known, function.inner));
            }
        }
    }
    if !functions.is_empty() {
        written.push(json!({ "functionDeclarations": functions }));
    }
    Ok(written)
}

/// Reads the `tools` of a request; a tool that is not made of functions is kept as it stands.
///
/// A schema in the form of `parameters` becomes JSON Schema: its types in small letters,
/// `nullable` a type, numbers that came as text numbers.  Beside a `parametersJsonSchema` it
/// does not count, and the API takes one of the two only.
///
/// # Errors
///
/// Fails at the first tool that is not an object, and at a function without a name.
pub fn from_tools(tools: &[Value]) -> Result<Vec<ToolDeclaration>, FormatError> {
    let mut read = Vec::new();
    for (place, json) in tools.iter().enumerate() {
        let mut tool = Item::new(TOOL, place, json)?;
        let functions = match tool.take("functionDeclarations") {
            None => {
                read.push(ToolDeclaration::from_json(json.clone()));
                continue;
            }
            Some(Value::Array(functions)) => functions,
            Some(_) => return Err(tool.wrong("functionDeclarations", "a list")),
        };
        for function in &functions {
            let mut item = Item::new(TOOL, place, function)?;
            let other = item.take("parameters").map(schema::to_json_schema);
            let function = Function {
                name: item.text("name")?,
                description: item.take("description"),
                parameters: item.take("parametersJsonSchema").or(other),
                strict: None,
                inner: item.rest,
                outer: JsonObject::new(),
            };
            read.push(function.write());
        }
        if !tool.rest.is_empty() {
            read.push(ToolDeclaration::from_json(Value::Object(tool.rest)));
        }
    }
    Ok(read)
}

/// Writes calls as the `functionCall` parts of a model's turn.
///
/// # Errors
///
/// Fails at the first call whose id is not a string, or whose arguments are not an object.
pub fn to_calls(calls: &[ToolCall]) -> Result<Vec<Value>, FormatError> {
    let write = |call: &ToolCall| {
        let mut extra = extra_of_call(call, NAME);
        let known = [
            ("id", take_id(&mut extra, call)?),
            ("name", Some(json!(call.name))),
            ("args", Some(arguments_object(call)?)),
        ];
        Ok(part("functionCall", known, extra))
    };
    calls.iter().map(write).collect()
}

/// Reads the `functionCall` parts of a turn, and leaves others out.
///
/// # Errors
///
/// Fails at the first part that is no object, and at a call without a name.
pub fn from_calls(parts: &[Value]) -> Result<Vec<ToolCall>, FormatError> {
    let mut count = 0;
    known_items(parts, |mut item| {
        if !item.rest.contains_key("functionCall") {
            return Ok(None);
        }
        let mut function = item.inner("functionCall")?;
        let mut extra = item.rest;
        let id = function.take("id").filter(|id| !CallId::from_json(id.clone()).is_empty());
        let id = id.unwrap_or_else(|| {
            extra.insert("id".to_owned(), Value::Null);
            json!(format!("gemini_{count}"))
        });
        count += 1;
        let name = function.text("name")?;
        let args = function.take("args");
        keep("functionCall", function.rest, &mut extra);
        Ok(Some(call(id, name, args, NAME, extra)))
    })
}

/// Writes results as `functionResponse` parts, which all belong into the one turn that follows
/// the calls.
///
/// The text of a result is its `output`, or its `error` where the call failed.  Structured
/// content is for the host and not for a model, and stays behind.
///
/// # Errors
///
/// Fails where there is not one result per call, or an id is not a string.
pub fn to_results(calls: &[ToolCall], results: &[ToolResult]) -> Result<Vec<Value>, FormatError> {
    let write = |(call, result): (&ToolCall, &ToolResult)| {
        let key = if result.is_error { "error" } else { "output" };
        let known = [
            ("id", take_id(&mut extra_of_call(call, NAME), call)?),
            ("name", Some(json!(call.name))),
            ("response", Some(json!({ key: result.content }))),
        ];
        Ok(part("functionResponse", known, extra_of_result(result, NAME)))
    };
    pairs(calls, results)?.map(write).collect()
}

/// Reads the `functionResponse` parts of a turn, and leaves others out.
///
/// A response with neither `output` nor `error` is all output.  What is more than text is the
/// structured content too, and its JSON the text.
///
/// # Errors
///
/// Fails at the first part that is no object, and at a response that is none.
pub fn from_results(parts: &[Value]) -> Result<Vec<ToolResult>, FormatError> {
    known_items(parts, |mut item| {
        if !item.rest.contains_key("functionResponse") {
            return Ok(None);
        }
        let mut function = item.inner("functionResponse")?;
        let id = CallId::from_json(function.take("id").unwrap_or_default());
        let response = function.inner("response")?.rest;
        let is_error = response.contains_key("error");
        let said = response.get(if is_error { "error" } else { "output" });
        let (text, structured) = match said {
            Some(Value::String(text)) if response.len() == 1 => (text.clone(), None),
            Some(Value::String(text)) => (text.clone(), Some(Value::Object(response))),
            Some(other) if response.len() == 1 => (other.to_string(), Some(other.clone())),
            Some(other) => (other.to_string(), Some(Value::Object(response))),
            None => (Value::Object(response.clone()).to_string(), Some(Value::Object(response))),
        };
        let mut extra = item.rest;
        keep("functionResponse", function.rest, &mut extra);
        let result = result(id, text, is_error, NAME, extra);
        Ok(Some(result.with_structured_content(structured.unwrap_or_default())))
    })
}

/// The id to write for a call, if it came with one.
fn take_id(extra: &mut JsonObject, call: &ToolCall) -> Result<Option<Value>, FormatError> {
    match extra.shift_remove("id") {
        Some(Value::Null) => Ok(None),
        _ => string_id(call).map(Some),
    }
}

/// Keeps what is left of the object in a part, beside what is left of the part.
fn keep(member: &str, rest: JsonObject, extra: &mut JsonObject) {
    if !rest.is_empty() {
        extra.insert(member.to_owned(), Value::Object(rest));
    }
}

/// A part that holds the object `member`, with what was kept of both.
fn part<const N: usize>(
    member: &str,
    known: [(&str, Option<Value>); N],
    mut extra: JsonObject,
) -> Value {
    let rest = match extra.shift_remove(member) {
        Some(Value::Object(rest)) => rest,
        _ => JsonObject::new(),
    };
    object([(member, Some(object(known, rest)))], extra)
}
