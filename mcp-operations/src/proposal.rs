//! What a model asked for, and what came of it, as values.

use mcp_provider::{CallId, Delivery, ToolCall, ToolResult};

use crate::digest::digest_text;
use crate::{Idempotency, OperationId, Outcome, Reason};

/// What a model asked for.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// The model's id of the call, which alone says which call it is.
    pub call_id: CallId,
    /// The tool; empty where the model named none.
    pub tool: String,
    /// The canonical arguments: what is compared, not what is sent.
    pub arguments: String,
    /// What doing it twice would mean.
    pub idempotency: Idempotency,
    /// The name of the operation; a random one, where there is none or it is empty.
    pub id: Option<OperationId>,
    /// The run and the round that it belongs to.
    pub round: Round,
}

/// The run of an agent and the round within it that a call belongs to.
///
/// Put it into the [extensions](mcp_provider::Extensions) of a call, and records and journal lines
/// carry it.
#[allow(clippy::exhaustive_structs, reason = "a run and a round")]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Round {
    /// The name of the run.
    pub run_id: Option<String>,
    /// The number of the round.
    pub number: Option<u64>,
}

impl Proposal {
    /// What `call` asks for, of a class that nobody knows.
    pub fn of(call: &ToolCall) -> Self {
        Self {
            call_id: call.id.clone(),
            tool: call.name.clone(),
            arguments: call.arguments.canonical(),
            idempotency: Idempotency::default(),
            id: None,
            round: call.extensions.get::<Round>().cloned().unwrap_or_default(),
        }
    }

    /// The same of another class.
    #[must_use]
    pub fn with_idempotency(mut self, idempotency: Idempotency) -> Self {
        self.idempotency = idempotency;
        self
    }

    /// The same under a name of the caller's.
    #[must_use]
    pub fn with_id(mut self, id: impl Into<OperationId>) -> Self {
        self.id = Some(id.into());
        self
    }

    /// The key under which two calls are the same call: the tool, a NUL, the canonical arguments.
    pub fn signature(&self) -> String {
        format!("{}\0{}", self.tool, self.arguments)
    }
}

/// What came of a call that went out.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Settlement {
    /// Which of the three.
    pub outcome: Outcome,
    /// Why, where the outcome alone does not say it.
    pub reason: Option<Reason>,
    /// The digest of the text that the model was shown.
    pub result_digest: Option<String>,
    /// The first line of an error that says something, at most 200 characters.
    pub error: Option<String>,
}

impl Settlement {
    /// What a result says of its call.
    ///
    /// | delivery | error | outcome | reason |
    /// |---|---|---|---|
    /// | answered | no | completed | |
    /// | answered | yes | failed | |
    /// | not sent | | failed | `refused` |
    /// | unknown | | outcome-unknown | `no-answer` |
    pub fn of(result: &ToolResult) -> Self {
        let (outcome, reason) = match (result.delivery, result.is_error) {
            (Delivery::Answered, false) => (Outcome::Completed, None),
            (Delivery::Answered, true) => (Outcome::Failed, None),
            (Delivery::NotSent, _) => (Outcome::Failed, Some(Reason::REFUSED)),
            (Delivery::Unknown, _) => (Outcome::OutcomeUnknown, Some(Reason::NO_ANSWER)),
        };
        let error = (outcome != Outcome::Completed).then(|| first_line(&result.content)).flatten();
        let result_digest = Some(digest_text(&result.content));
        Self { outcome, reason, result_digest, error }
    }

    /// The same for a reason.
    #[must_use]
    pub fn because(mut self, reason: impl Into<Reason>) -> Self {
        self.reason = Some(reason.into());
        self
    }

    /// Nobody waits any longer.
    pub(crate) fn unknown(reason: Reason) -> Self {
        Self::from(Outcome::OutcomeUnknown).because(reason)
    }
}

impl From<Outcome> for Settlement {
    fn from(outcome: Outcome) -> Self {
        Self { outcome, reason: None, result_digest: None, error: None }
    }
}

/// The safe side: nothing is known.
impl Default for Settlement {
    fn default() -> Self {
        Self::from(Outcome::OutcomeUnknown)
    }
}

/// The first line that says something, at most 200 characters of it.
fn first_line(text: &str) -> Option<String> {
    let line = text.lines().map(str::trim).find(|line| !line.is_empty())?;
    Some(line.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_says_something_is_kept() {
        let long = "é".repeat(300);
        let cases: &[(&str, Option<&str>)] = &[
            ("", None),
            (" \n\t\n", None),
            ("\n  boom \nand more", Some("boom")),
            (&long, Some(&long[..400])),
        ];
        for (text, expected) in cases {
            assert_eq!(first_line(text).as_deref(), *expected, "{text:?}");
        }
    }
}
