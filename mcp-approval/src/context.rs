//! What turns a policy's question into a request.

use std::fmt;
use std::sync::Arc;

use mcp_policy::Question;
use mcp_provider::{JsonObject, ToolCall, shield};
use serde_json::Value;

use crate::binding::{Binding, canonical};
use crate::catalogue::Catalogue;
use crate::request::{AskedBy, Request};
use crate::risk::Risks;

/// What is known about tools and their calls, whoever decides.  A clone shares it.
#[derive(Clone, Default)]
pub struct Context(Arc<Known>);

#[derive(Clone, Default)]
struct Known {
    risks: Risks,
    catalogue: Catalogue,
    taken: Option<Taken>,
}

type Taken = Arc<dyn Fn(&str) -> bool + Send + Sync>;

impl Context {
    /// Calls are in the classes that `risks` puts them in.
    pub fn new(risks: Risks) -> Self {
        Self(Arc::new(Known { risks, ..Known::default() }))
    }

    /// Descriptions, and what an edit must not leave out, come from `catalogue`.
    #[must_use]
    pub fn catalogue(self, catalogue: Catalogue) -> Self {
        Self(Arc::new(Known { catalogue, ..Known::clone(&self.0) }))
    }

    /// The model is asked for reasons.
    ///
    /// `is_taken` says of which tools the layer under the policy takes the reason off again: only
    /// theirs is one.  What a tool will get is shown as its argument, whatever its name.
    #[must_use]
    pub fn reasons(self, is_taken: impl Fn(&str) -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(Known { taken: Some(Arc::new(is_taken)), ..Known::clone(&self.0) }))
    }

    /// Whether the model is asked for reasons.
    pub fn asks_for_reasons(&self) -> bool {
        self.0.taken.is_some()
    }

    /// The classes of tools.
    pub fn risks(&self) -> &Risks {
        &self.0.risks
    }

    /// What the schema of `tool` requires and `arguments` lack.
    pub(crate) fn missing(&self, tool: &str, arguments: &JsonObject) -> Vec<String> {
        self.0.catalogue.missing(tool, arguments)
    }

    /// The request that `question` makes; `original` is the call before somebody changed it.
    pub(crate) fn request(&self, question: Question, original: Option<&ToolCall>) -> Request {
        let tool = question.tool.clone();
        let read = question.call.arguments.as_object().ok();
        // Numbers may be too long to be held: what is shown would not be what runs.
        let is_exact = read.is_some_and(|it| canonical(it) == question.call.arguments.canonical());
        let is_readable = is_exact && question.reason != UNREADABLE;
        let takes_reason = self.takes_reason(&tool);
        let mut arguments = read.cloned().unwrap_or_default();
        let mut reason = if takes_reason { take_reason(&mut arguments) } else { None };
        if let (true, Some(Ok(before))) =
            (takes_reason, original.map(|it| it.arguments.as_object()))
        {
            reason = take_reason(&mut before.clone());
        }
        let description = self.0.catalogue.get(&tool);
        Request {
            description: description.and_then(|it| it.description().map(str::to_owned)),
            risk: self.0.risks.of(&tool, is_readable.then_some(&arguments)),
            reason,
            is_reason_asked: self.asks_for_reasons(),
            is_edited: original.is_some(),
            asked_by: AskedBy::of(&question),
            advice: None,
            binding: Binding::new(&question.call, is_readable.then_some(&arguments)),
            arguments,
            is_readable,
            tool,
            question,
        }
    }

    /// `arguments` as `tool` will get them.
    pub(crate) fn without_reason(&self, tool: &str, mut arguments: JsonObject) -> JsonObject {
        if self.takes_reason(tool) {
            take_reason(&mut arguments);
        }
        arguments
    }

    fn takes_reason(&self, tool: &str) -> bool {
        // In doubt it is an argument: it is then shown as what the tool will get.
        self.0.taken.as_ref().is_some_and(|taken| shield(|| taken(tool)).unwrap_or(false))
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("risks", &self.0.risks)
            .field("asks_for_reasons", &self.asks_for_reasons())
            .finish_non_exhaustive()
    }
}

/// Takes the reason out of `arguments`; one that is blank or no text is none.
fn take_reason(arguments: &mut JsonObject) -> Option<String> {
    match arguments.shift_remove(REASON) {
        Some(Value::String(reason)) if !reason.trim().is_empty() => Some(reason),
        _ => None,
    }
}

const UNREADABLE: mcp_policy::Reason = mcp_policy::Reason::UnreadableArguments;

/// The parameter in which a model says why it makes a call.
const REASON: &str = "reason";
