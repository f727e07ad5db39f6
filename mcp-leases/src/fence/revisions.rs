//! Revisions that the provider publishes and compares.

use std::borrow::Cow;

use mcp_provider::location::Place;
use mcp_provider::{JsonObject, ToolCall, ToolResult};
use serde_json::Value;

use crate::agent::Agent;
use crate::asked::Asked;
use crate::hidden;
use crate::observations::Observations;

/// The revision of each path that the agent has seen last.
#[derive(Debug, Default)]
pub(crate) struct Revisions(Observations<String>);

impl Revisions {
    /// Has the call tell the provider which revisions the agent has seen of what it changes.
    pub(super) fn prepare(&self, asked: &Asked<'_>, call: &mut ToolCall) {
        let Asked { tool, arguments, targets, plain } = asked;
        if !FENCED.contains(&&**tool) {
            return;
        }
        let mut expected: Vec<(&str, Cow<'static, str>)> = Vec::new();
        // The items of a list have one name together: nobody could tell them apart.
        for target in targets.named.iter().filter(|it| it.is_whole) {
            if expected.iter().any(|(param, _)| *param == target.param) {
                continue;
            }
            let seen = targets.place(target).and_then(|place| self.0.get(place));
            expected.push((target.param, seen.map_or(Cow::Borrowed(ABSENT), Cow::Owned)));
        }
        if !expected.is_empty()
            && let Some(arguments) = hidden::with(arguments, plain.as_ref(), Some(&expected))
        {
            call.arguments = arguments;
        }
    }

    /// Learns which revisions the agent has seen, and which it can no longer know.
    pub(super) fn learn(&self, asked: &Asked<'_>, result: &ToolResult, agent: &Agent) {
        let Asked { tool, targets, .. } = asked;
        if FENCED.contains(&&**tool) {
            // What became of it is told below, or is not known.
            targets.places.iter().for_each(|place| self.0.forget(place));
        }
        let Some(revisions) = revisions(result) else { return };
        let token = |param: &str| {
            let revision = revisions.get(param)?;
            revision.get("token")?.as_str().map(str::to_owned)
        };
        for it in targets.named.iter().filter(|it| it.is_whole) {
            if let (Some(place), Some(token)) = (targets.place(it), token(it.param)) {
                self.0.remember(place.clone(), token);
            }
        }
        if let (true, Some(root), Some(token)) =
            (targets.named.is_empty() && tool == LIST, root(agent), token("path"))
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
