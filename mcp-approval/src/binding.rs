//! Which call a decision is about.

use mcp_provider::{CallId, JsonObject, ToolCall, canonical_json};
use serde_json::{Value, json};

/// The one call that a decision is about: its id, its tool and its arguments.
///
/// Arguments are compared in their canonical spelling, whole: two calls whose keys stand in
/// another order are the same call, and any other difference makes it another.  The model's
/// reason is no part of it.
///
/// In JSON: `{"call_id": …, "tool": "…", "arguments": "{…}"}`, the arguments as canonical text.
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub struct Binding {
    call_id: CallId,
    tool: String,
    arguments: String,
}

impl Binding {
    /// `arguments` are nothing where they cannot be read: it is then their text that counts.
    pub(crate) fn new(call: &ToolCall, arguments: Option<&JsonObject>) -> Self {
        let arguments = arguments.map_or_else(|| call.arguments.canonical(), canonical);
        Self { call_id: call.id.clone(), tool: call.name.clone(), arguments }
    }

    /// The same call with other arguments.
    pub(crate) fn with_arguments(&self, arguments: &JsonObject) -> Self {
        Self { arguments: canonical(arguments), ..self.clone() }
    }

    /// The binding as JSON, for an approver that is not part of this program to send back.
    pub fn to_json(&self) -> Value {
        json!({
            "call_id": self.call_id.to_json(),
            "tool": self.tool,
            "arguments": self.arguments,
        })
    }
}

pub(crate) fn canonical(arguments: &JsonObject) -> String {
    canonical_json(&Value::Object(arguments.clone()))
}
