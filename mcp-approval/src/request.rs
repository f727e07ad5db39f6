//! What an approver is asked.

use mcp_policy::Question;
use mcp_provider::JsonObject;
use serde::Serialize;
use serde_json::{Value, json};

use crate::binding::Binding;
use crate::risk::Risk;

/// Whether one call may run, and what an approver can know about it.
///
/// It is lent, never given: whatever an approver does to a copy changes nothing.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Request {
    /// The name of the tool.
    pub tool: String,
    /// What the tool says it does, in the words of whoever offers it; nothing where no listing
    /// with the tool was seen.
    pub description: Option<String>,
    /// The arguments that the tool will get, without the model's reason.
    pub arguments: JsonObject,
    /// Whether the arguments could be read, and are exactly what the tool will get.
    ///
    /// Where not, look at `question.display`: there may be none, or a number too long to be held.
    pub is_readable: bool,
    /// The class of the call, after everything that raised it.
    pub risk: Risk,
    /// Why the model says it makes the call: a claim of the model about itself, and no evidence.
    ///
    /// Where an approver has replaced the arguments it is still the reason for the model's own.
    pub reason: Option<String>,
    /// Whether the model was asked for a reason: tells one that gave none from one that could not.
    pub is_reason_asked: bool,
    /// Whether an earlier decision has replaced the model's arguments by these.
    pub is_edited: bool,
    /// Who made it a question.
    pub asked_by: AskedBy,
    /// What an approver that passed the request on has to say about it.
    pub advice: Option<String>,
    /// The call that a decision will be about.
    pub binding: Binding,
    /// The question of the policy, with the paths, hosts and commands of the call.
    pub question: Question,
}

impl Request {
    /// The request as JSON, for an approver in another language.
    ///
    /// It answers with a decision and the `binding` of the request: see
    /// [`Decision::from_json`](crate::Decision::from_json).
    pub fn to_json(&self) -> Value {
        json!({
            "kind": "approval",
            "tool": self.tool,
            "description": self.description,
            "arguments": self.arguments,
            "is_readable": self.is_readable,
            "risk": self.risk,
            "reason": self.reason,
            "is_reason_asked": self.is_reason_asked,
            "is_edited": self.is_edited,
            "asked_by": self.asked_by,
            "advice": self.advice,
            "binding": self.binding.to_json(),
            "question": self.question.to_json(),
        })
    }
}

/// Who made a call a question.
#[allow(clippy::exhaustive_enums, reason = "no rule, a rule, one about danger, or doubt")]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum AskedBy {
    /// No rule speaks about the call.
    Nobody,
    /// No rule allows the call, because something about it cannot be read.
    Doubt,
    /// A rule asks.
    Rule,
    /// A rule about danger asks, such as those of the floor.
    Danger,
}

impl AskedBy {
    pub(crate) fn of(question: &Question) -> Self {
        match &question.rule {
            Some(rule) if rule.is_danger() => Self::Danger,
            Some(_) => Self::Rule,
            None if question.reason == mcp_policy::Reason::NoMatch => Self::Nobody,
            None => Self::Doubt,
        }
    }
}
