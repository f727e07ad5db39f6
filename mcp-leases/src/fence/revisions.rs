//! Revisions that the provider publishes and compares.

use mcp_provider::location::{Located, Place};
use mcp_provider::{JsonObject, ToolCall, ToolResult};
use serde_json::{Value, json};

use crate::agent::Agent;
use crate::fence::places;
use crate::hidden;
use crate::observations::Observations;

/// The revision of each path that the agent has seen last.
#[derive(Debug, Default)]
pub(crate) struct Revisions(Observations<String>);

impl Revisions {
    /// Tells the provider which revisions the agent has seen of what the call changes.
    pub(super) fn prepare(&self, call: &mut ToolCall, agent: &Agent) {
        if !FENCED.contains(&&*call.name) {
            return;
        }
        let mut expected = JsonObject::new();
        for located in agent.located(call) {
            let seen = located.place.as_ref().ok().and_then(|place| self.0.get(place));
            // The items of a list have one name together: nobody could tell them apart.
            if located.value.is_string() && is_whole_argument(call, &located) {
                let token = seen.unwrap_or_else(|| ABSENT.to_owned());
                expected.insert(located.param.to_owned(), json!(token));
            }
        }
        if !expected.is_empty() {
            let expected = Value::Object(expected);
            if let Some(arguments) = hidden::with(&call.arguments, Some(&expected)) {
                call.arguments = arguments;
            }
        }
    }

    /// Learns which revisions the agent has seen, and which it can no longer know.
    pub(super) fn learn(&self, call: &ToolCall, result: &ToolResult, agent: &Agent) {
        let located = agent.located(call);
        if FENCED.contains(&&*call.name) {
            // What became of it is told below, or is not known.
            places(&located).for_each(|(_, place)| self.0.forget(place));
        }
        let Some(revisions) = revisions(result) else { return };
        let token = |param: &str| {
            let revision = revisions.get(param)?;
            revision.get("token")?.as_str().map(str::to_owned)
        };
        for it in located.iter().filter(|it| is_whole_argument(call, it)) {
            if let (Ok(place), Some(token)) = (&it.place, token(it.param)) {
                self.0.remember(place.clone(), token);
            }
        }
        if let (true, Some(root), Some(token)) =
            (located.is_empty() && call.name == LIST, root(agent), token("path"))
        {
            self.0.remember(root, token);
        }
    }
}

/// Whether the argument is this one value, and not a list of several.
fn is_whole_argument(call: &ToolCall, located: &Located<'_>) -> bool {
    let argument = call.arguments.as_object().ok().and_then(|it| it.get(located.param));
    argument.is_some_and(Value::is_string)
}

/// The revisions that a result publishes.
fn revisions(result: &ToolResult) -> Option<&JsonObject> {
    let content = result.structured_content.as_ref().filter(|_| !result.is_error)?;
    let is_known = content.get("revisionScheme").and_then(Value::as_str) == Some(SCHEME);
    content.get("revisions").filter(|_| is_known)?.as_object()
}

/// What a listing lists that names no path.
fn root(agent: &Agent) -> Option<Place> {
    agent.locations.roots().get(LIST).cloned()
}

const FENCED: &[&str] = &["fs_write", "fs_edit", "fs_mkdir", "fs_move", "fs_delete"];

const LIST: &str = "fs_list";

const SCHEME: &str = "sha256-v1";

const ABSENT: &str = "sha256-v1:absent";
