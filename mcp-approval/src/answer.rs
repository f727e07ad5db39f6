//! The seam to the policy: what was decided, as the answer to its question.

use mcp_policy::{Answer, Question};
use mcp_provider::{JsonObject, ToolCall};

use crate::decision::Decision;

/// What all approvers together say about a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Ruling {
    Allow,
    /// Somebody other than a person says no; the text is for the model.
    Deny(String),
    Edit(JsonObject),
    /// A person said it.
    Answered(Answer),
}

/// The call before an earlier answer changed its arguments.
pub(crate) fn original(question: &Question) -> Option<ToolCall> {
    question.original.clone()
}

/// The answer that `ruling` is.
pub(crate) fn answer(ruling: Ruling) -> Answer {
    match ruling {
        Ruling::Allow => Answer::AllowOnce,
        Ruling::Answered(answer) => answer,
        Ruling::Deny(message) => Answer::Refuse { message },
        Ruling::Edit(arguments) => Answer::Edit { arguments },
    }
}

/// The decision that a person's answer is.
pub(crate) fn decision(answer: Answer) -> Decision {
    match answer {
        Answer::AllowOnce => Decision::Allow,
        Answer::Refuse { message } => Decision::deny(message),
        Answer::Edit { arguments } => Decision::Edit { arguments },
        answer => Decision::Answered(answer),
    }
}
