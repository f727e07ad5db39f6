//! How the two tools are declared.

use mcp_provider::{JsonObject, ToolDeclaration};
use serde_json::{Value, json};

use crate::words::{self, LOCK_ACQUIRE, LOCK_RELEASE};

/// `lock_acquire` and `lock_release`, as a model sees them.
pub(crate) fn declarations() -> [ToolDeclaration; 2] {
    let paths = |description: &str| json!({ "type": "array", "items": { "type": "string" }, "description": description });
    let number = |description: &str| json!({ "type": "number", "description": description });
    let acquire = object(
        [
            ("paths", paths(words::PATHS_TO_ACQUIRE)),
            ("ttl", number(words::TTL)),
            ("wait", number(words::WAIT)),
        ],
        &["paths"],
    );
    let release = object([("paths", paths(words::PATHS_TO_RELEASE))], &[]);
    [(LOCK_ACQUIRE, words::ACQUIRE, acquire), (LOCK_RELEASE, words::RELEASE, release)].map(
        |(name, description, parameters)| {
            ToolDeclaration::new(name).with_description(description).with_parameters(parameters)
        },
    )
}

fn object<const N: usize>(properties: [(&str, Value); N], required: &[&str]) -> JsonObject {
    let properties = properties.map(|(name, schema)| (name.to_owned(), schema));
    let mut object = JsonObject::new();
    object.insert("type".to_owned(), json!("object"));
    object.insert("properties".to_owned(), Value::Object(properties.into_iter().collect()));
    object.insert("required".to_owned(), json!(required));
    object
}
