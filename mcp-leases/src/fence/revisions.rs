//! Revisions that the provider publishes and compares.

use mcp_provider::location::Place;
use mcp_provider::{JsonObject, ToolCall, ToolResult};
use serde_json::Value;

use crate::agent::Agent;
use crate::asked::{Asked, Target};
use crate::hidden;
use crate::observations::Observations;

/// The revision of each path that the agent has seen last.
#[derive(Debug, Default)]
pub(crate) struct Revisions(Observations<String>);

impl Revisions {
    /// The call that tells the provider which revisions the agent has seen of what it changes.
    pub(super) fn prepare(&self, asked: &Asked) -> ToolCall {
        let mut call = asked.call.clone();
        if !FENCED.contains(&&*call.name) {
            return call;
        }
        let mut expected = JsonObject::new();
        // The items of a list have one name together: nobody could tell them apart.
        for Target { param, place, .. } in asked.targets.iter().filter(|it| it.is_whole) {
            let seen = place.as_ref().ok().and_then(|place| self.0.get(place));
            let token = seen.unwrap_or_else(|| ABSENT.to_owned());
            expected.insert(param.clone(), token.into());
        }
        if !expected.is_empty() {
            let expected = Value::Object(expected);
            if let Some(arguments) = hidden::with(&call.arguments, Some(&expected)) {
                call.arguments = arguments;
            }
        }
        call
    }

    /// Learns which revisions the agent has seen, and which it can no longer know.
    pub(super) fn learn(&self, asked: &Asked, result: &ToolResult, agent: &Agent) {
        let Asked { call, targets } = asked;
        if FENCED.contains(&&*call.name) {
            // What became of it is told below, or is not known.
            asked.places().for_each(|place| self.0.forget(place));
        }
        let Some(revisions) = revisions(result) else { return };
        let token = |param: &str| {
            let revision = revisions.get(param)?;
            revision.get("token")?.as_str().map(str::to_owned)
        };
        for it in targets.iter().filter(|it| it.is_whole) {
            if let (Ok(place), Some(token)) = (&it.place, token(&it.param)) {
                self.0.remember(place.clone(), token);
            }
        }
        if let (true, Some(root), Some(token)) =
            (targets.is_empty() && call.name == LIST, root(agent), token("path"))
        {
            self.0.remember(root, token);
        }
    }
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
