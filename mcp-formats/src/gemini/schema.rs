//! Gemini's own form of a schema, as JSON Schema.

use mcp_provider::JsonObject;
use serde_json::{Number, Value, json};

/// Rewrites a schema in the form of `parameters`.
///
/// That form writes types in capitals, says `nullable` instead of naming `null`, and may write
/// whole numbers as text.  Everything else is JSON Schema already.
pub(super) fn to_json_schema(schema: Value) -> Value {
    let Value::Object(schema) = schema else { return schema };
    let nullable = schema.get("nullable") == Some(&json!(true));
    let is_typed = schema.contains_key("type");
    let mut written = JsonObject::new();
    for (key, value) in schema {
        let value = match (&*key, value) {
            ("nullable", Value::Bool(_)) => continue,
            ("type", Value::String(name)) if name == "TYPE_UNSPECIFIED" => continue,
            ("type", Value::String(name)) => named(&name.to_ascii_lowercase(), nullable),
            ("enum", Value::Array(mut values)) => {
                if nullable && !values.contains(&Value::Null) {
                    values.push(Value::Null);
                }
                Value::Array(values)
            }
            ("properties", Value::Object(properties)) => {
                let rewritten = properties.into_iter().map(|(key, it)| (key, to_json_schema(it)));
                Value::Object(rewritten.collect())
            }
            ("items" | "additionalProperties", inner) => to_json_schema(inner),
            ("anyOf", Value::Array(all)) => {
                let null = (nullable && !is_typed).then(|| json!({ "type": "null" }));
                all.into_iter().map(to_json_schema).chain(null).collect()
            }
            ("prefixItems", Value::Array(all)) => all.into_iter().map(to_json_schema).collect(),
            (
                "minItems" | "maxItems" | "minLength" | "maxLength" | "minProperties"
                | "maxProperties",
                Value::String(text),
            ) => text.parse::<Number>().map_or(Value::String(text), Value::Number),
            (_, other) => other,
        };
        written.insert(key, value);
    }
    Value::Object(written)
}

fn named(name: &str, nullable: bool) -> Value {
    if nullable { json!([name, "null"]) } else { json!(name) }
}
