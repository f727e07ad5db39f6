//! Tools as rig has them, which remember what they were called with.

use std::convert::Infallible;
use std::sync::{Mutex, PoisonError};

use rig_core::completion::ToolDefinition;
use rig_core::tool::Tool;
use serde_json::{Value, json};

/// Writes a file.
pub(crate) struct Write;

/// Adds a note, for a reason that is part of the note.
pub(crate) struct AddNote;

impl Tool for Write {
    const NAME: &'static str = "write";
    type Error = Infallible;
    type Args = Value;
    type Output = String;

    async fn definition(&self, _prompt: String) -> ToolDefinition {
        definition(Self::NAME, "path")
    }

    async fn call(&self, arguments: Value) -> Result<String, Infallible> {
        Ok(remember(Self::NAME, &arguments))
    }
}

impl Tool for AddNote {
    const NAME: &'static str = "note_add";
    type Error = Infallible;
    type Args = Value;
    type Output = String;

    async fn definition(&self, _prompt: String) -> ToolDefinition {
        definition(Self::NAME, "reason")
    }

    async fn call(&self, arguments: Value) -> Result<String, Infallible> {
        Ok(remember(Self::NAME, &arguments))
    }
}

/// What the tools were called with, in order.
pub(crate) fn received() -> Vec<String> {
    RECEIVED.lock().unwrap_or_else(PoisonError::into_inner).clone()
}

fn definition(name: &str, parameter: &str) -> ToolDefinition {
    ToolDefinition {
        name: name.to_owned(),
        description: "A tool that was written for rig".to_owned(),
        parameters: json!({
            "type": "object",
            "properties": { parameter: { "type": "string" } },
            "required": [parameter],
        }),
    }
}

fn remember(name: &str, arguments: &Value) -> String {
    let mut received = RECEIVED.lock().unwrap_or_else(PoisonError::into_inner);
    received.push(format!("{name} {arguments}"));
    "done".to_owned()
}

static RECEIVED: Mutex<Vec<String>> = Mutex::new(Vec::new());
