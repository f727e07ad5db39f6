//! Values for a schema, where nobody is there to think of better ones.

use mcp_client::protocol::JsonObject;
use serde_json::{Value, json};

/// A value for every property: its default, where it has one.
pub(crate) fn filled_in(schema: &Value) -> JsonObject {
    let properties = schema["properties"].as_object();
    properties.into_iter().flatten().map(|(name, it)| (name.clone(), value(it))).collect()
}

/// A value for every property that has to be there.
pub(crate) fn arguments(schema: &Value) -> JsonObject {
    let required = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
    required.map(|name| (name.to_owned(), value(&schema["properties"][name]))).collect()
}

fn value(schema: &Value) -> Value {
    let choices = schema["enum"].as_array().and_then(|choices| choices.first());
    if let Some(value) = schema.get("default").or_else(|| schema.get("const")).or(choices) {
        return value.clone();
    }
    match schema["type"].as_str() {
        Some("array") => json!([]),
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(2),
        Some("null") => Value::Null,
        Some("object") => arguments(schema).into(),
        _ => json!("x"),
    }
}
