//! What to make of a conversation and a journal that a killed process left behind.

use crate::{Idempotency, Outcome};

/// What the journal holds of a call.
#[allow(clippy::exhaustive_enums, reason = "no line, one, or both")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Trace {
    /// No line.
    Nothing,
    /// A dispatched line, and no settled one.
    Dispatched,
    /// A dispatched line and a settled one.
    Settled(Outcome),
}

/// What the conversation holds for the id of a call.
#[allow(clippy::exhaustive_enums, reason = "the answers that a conversation can hold")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Message {
    /// No message.
    Nothing,
    /// A message with the result of the call.
    Answer,
    /// A message that says the outcome is not known.
    UnknownOutcome,
    /// A message that says the call goes on in the background.
    Background,
}

/// What can be said of a call after its process was killed.
#[allow(clippy::exhaustive_enums, reason = "every pair of a trace and a message is one of these")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Conclusion {
    /// It never went out.
    NeverRan,
    /// It may have run.
    Unknown,
    /// It was answered, as the message says; only the settled line was lost.
    Answered,
    /// It was acknowledged, and its result is still owed.
    Owed,
    /// It was settled.
    Settled(Outcome),
}

impl Conclusion {
    /// Concludes from what is left.
    ///
    /// | the journal holds | the conversation holds | conclusion |
    /// |---|---|---|
    /// | nothing | anything | it never ran |
    /// | dispatched | nothing | unknown |
    /// | dispatched | that the outcome is unknown | unknown |
    /// | dispatched | an answer | answered; the settled line was lost |
    /// | dispatched | that it goes on in the background | its result is owed |
    /// | settled | anything | as it was settled |
    pub fn of(trace: Trace, message: Message) -> Self {
        match (trace, message) {
            (Trace::Nothing, _) => Self::NeverRan,
            (Trace::Settled(outcome), _) => Self::Settled(outcome),
            (Trace::Dispatched, Message::Answer) => Self::Answered,
            (Trace::Dispatched, Message::Background) => Self::Owed,
            (Trace::Dispatched, Message::Nothing | Message::UnknownOutcome) => Self::Unknown,
        }
    }

    /// What to tell a model whose call has no answer in the conversation.
    ///
    /// Nothing where the conversation holds the answer already.
    pub fn sentence(self, idempotency: Idempotency) -> Option<&'static str> {
        match self {
            Self::NeverRan => Some(
                "The session was interrupted before this call was sent. It did not run; make it \
                 again if it is still needed.",
            ),
            Self::Unknown | Self::Settled(Outcome::OutcomeUnknown) => Some(match idempotency {
                Idempotency::ReadOnly => {
                    "The session was interrupted before this call was answered. It changes \
                     nothing, so it is safe to make it again."
                }
                Idempotency::Idempotent => {
                    "The session was interrupted before this call was answered, so its outcome is \
                     not known. Making it again is safe."
                }
                Idempotency::Destructive | Idempotency::Unknown => {
                    "The session was interrupted before this call was answered. It may have taken \
                     effect: check what is there before you repeat it."
                }
            }),
            Self::Settled(Outcome::Completed) => Some(
                "This call completed, but its result was lost when the session was interrupted. \
                 Look at what it did before you repeat it.",
            ),
            Self::Settled(Outcome::Failed) => Some(
                "This call was answered with an error, which was lost when the session was \
                 interrupted.",
            ),
            Self::Owed => Some(
                "This call was still going on in the background when the session was interrupted. \
                 It may have taken effect: check what is there before you repeat it.",
            ),
            Self::Answered => None,
        }
    }
}
