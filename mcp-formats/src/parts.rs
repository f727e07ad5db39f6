//! What the shapes have in common: declarations, calls and results, taken apart and put together.

use mcp_provider::{CallId, JsonObject, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

use crate::FormatError;
use crate::item::Item;

/// A declaration.
pub(crate) enum Tool {
    Function(Box<Function>),
    /// A tool that the vendor brings along, in the vendor's own shape.
    BuiltIn(Value),
}

/// A declaration in the shape of Chat Completions, apart.
pub(crate) struct Function {
    pub(crate) name: String,
    pub(crate) description: Option<Value>,
    pub(crate) parameters: Option<Value>,
    pub(crate) strict: Option<Value>,
    /// Other members of the function.
    pub(crate) inner: JsonObject,
    /// Other members around it.
    pub(crate) outer: JsonObject,
}

impl Tool {
    /// Takes the declaration at `place` of a list apart.
    pub(crate) fn read(place: usize, tool: &ToolDeclaration) -> Result<Self, FormatError> {
        let json = tool.to_json();
        let mut item = Item::new(TOOL, place, &json)?;
        if !item.rest.contains_key("function") {
            return Ok(Self::BuiltIn(json));
        }
        let mut function = item.inner("function")?;
        item.take("type");
        Ok(Self::Function(Box::new(Function {
            name: function.text("name")?,
            description: function.take("description"),
            parameters: function.take("parameters"),
            strict: function.take("strict"),
            inner: function.rest,
            outer: item.rest,
        })))
    }
}

impl Function {
    /// The schema of the arguments, where a shape needs one: that of any object if there is none.
    pub(crate) fn take_schema(&mut self) -> Option<Value> {
        let any = || json!({ "type": "object", "properties": {} });
        Some(self.parameters.take().unwrap_or_else(any))
    }

    /// The declaration, put together again.
    pub(crate) fn write(self) -> ToolDeclaration {
        let known = [
            ("name", Some(Value::String(self.name))),
            ("description", self.description),
            ("parameters", self.parameters),
            ("strict", self.strict),
        ];
        let outer =
            [("type", Some(json!("function"))), ("function", Some(object(known, self.inner)))];
        ToolDeclaration::from_json(object(outer, self.outer))
    }
}

/// An object of `known` members, without those that are nothing, and then of `others`.
pub(crate) fn object<const N: usize>(
    known: [(&str, Option<Value>); N],
    others: JsonObject,
) -> Value {
    let known = known.into_iter().filter_map(|(key, value)| Some((key.to_owned(), value?)));
    let mut object: JsonObject = known.collect();
    for (key, value) in others {
        object.entry(key).or_insert(value);
    }
    Value::Object(object)
}

/// A call in the shape of Chat Completions; what only `vendor` knows goes under that name.
pub(crate) fn call(
    id: Value,
    name: String,
    arguments: Option<Value>,
    vendor: &'static str,
    extra: JsonObject,
) -> ToolCall {
    let function = [("name", Some(Value::String(name))), ("arguments", arguments)];
    let extra = Some(extra).filter(|it| !it.is_empty()).map(Value::Object);
    let known = [
        ("id", Some(id)),
        ("type", Some(json!("function"))),
        ("function", Some(object(function, JsonObject::new()))),
        (vendor, extra),
    ];
    // An object always reads; the default is for a type that cannot say so.
    let call = ToolCall::from_json(object(known, JsonObject::new()));
    call.unwrap_or_else(|_| ToolCall::new("", "", ""))
}

/// What only `vendor` knows of a call.
pub(crate) fn extra_of_call(call: &ToolCall, vendor: &str) -> JsonObject {
    match call.to_json().get(vendor) {
        Some(Value::Object(extra)) => extra.clone(),
        _ => JsonObject::new(),
    }
}

/// What only `vendor` knows of a result.
pub(crate) fn extra_of_result(result: &ToolResult, vendor: &str) -> JsonObject {
    match result.extra.get(vendor) {
        Some(Value::Object(extra)) => extra.clone(),
        _ => JsonObject::new(),
    }
}

/// A result with what only `vendor` knows of it.
pub(crate) fn result(
    id: CallId,
    content: String,
    is_error: bool,
    vendor: &'static str,
    extra: JsonObject,
) -> ToolResult {
    let mut result =
        if is_error { ToolResult::error(id, content) } else { ToolResult::ok(id, content) };
    if !extra.is_empty() {
        result.extra.insert(vendor.to_owned(), Value::Object(extra));
    }
    result
}

/// The id of a call, where a shape needs one that is a string.
pub(crate) fn string_id(call: &ToolCall) -> Result<Value, FormatError> {
    match call.id.as_str() {
        Some(id) if !id.is_empty() => Ok(json!(id)),
        _ => Err(FormatError::Id { id: call.id.to_json().to_string() }),
    }
}

/// The arguments of a call as text, whatever they hold; none are those of an empty object.
pub(crate) fn arguments_text(call: &ToolCall) -> Value {
    match call.arguments.to_json() {
        None | Some(Value::Null) => json!("{}"),
        Some(Value::String(text)) => Value::String(text),
        Some(other) => Value::String(other.to_string()),
    }
}

/// The arguments of a call as an object.
pub(crate) fn arguments_object(call: &ToolCall) -> Result<Value, FormatError> {
    match call.arguments.as_object() {
        Ok(object) => Ok(Value::Object(object.clone())),
        Err(reason) => {
            Err(FormatError::Arguments { id: call.id.to_string(), reason: reason.clone() })
        }
    }
}

/// Each call with its result, which stands at the same place.
pub(crate) fn pairs<'list>(
    calls: &'list [ToolCall],
    results: &'list [ToolResult],
) -> Result<impl Iterator<Item = (&'list ToolCall, &'list ToolResult)>, FormatError> {
    if calls.len() != results.len() {
        return Err(FormatError::Unpaired { calls: calls.len(), results: results.len() });
    }
    Ok(calls.iter().zip(results))
}

/// Reads the items of `list` that `read` knows, and leaves the others out.
pub(crate) fn known_items<T>(
    list: &[Value],
    mut read: impl FnMut(Item) -> Result<Option<T>, FormatError>,
) -> Result<Vec<T>, FormatError> {
    let items = list.iter().enumerate().map(|(place, json)| Item::new(ITEM, place, json));
    items.filter_map(|item| item.and_then(&mut read).transpose()).collect()
}

pub(crate) const TOOL: &str = "tool";
pub(crate) const ITEM: &str = "item";
