//! What is known of an operation, and why.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// What came of a call that went out.
#[allow(clippy::exhaustive_enums, reason = "answered well, answered badly, or not answered")]
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// It was answered, and the answer is no error.
    Completed,
    /// It was answered with an error, or refused.
    Failed,
    /// Nobody waits any longer, and it may have taken effect.  This is no failure.
    OutcomeUnknown,
}

impl Outcome {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Completed, Self::Failed, Self::OutcomeUnknown];
}

/// Where an operation stands.
#[allow(clippy::exhaustive_enums, reason = "proposed, under way, settled, or never sent")]
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum State {
    /// The model asked; nothing was sent.
    Proposed,
    /// It was handed over, or is about to be.
    Dispatched,
    /// It was answered, and the answer is no error.
    Completed,
    /// It was answered with an error, or refused.
    Failed,
    /// Nobody waits any longer, and it may have taken effect.  This is no failure.
    OutcomeUnknown,
    /// It was never handed over, so it did not run.
    Abandoned,
}

impl State {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::Proposed,
        Self::Dispatched,
        Self::Completed,
        Self::Failed,
        Self::OutcomeUnknown,
        Self::Abandoned,
    ];

    /// Whether it stays as it is for good.
    pub fn is_terminal(self) -> bool {
        !matches!(self, Self::Proposed | Self::Dispatched)
    }

    /// The outcome that it stands for, if it was settled.
    pub fn outcome(self) -> Option<Outcome> {
        match self {
            Self::Completed => Some(Outcome::Completed),
            Self::Failed => Some(Outcome::Failed),
            Self::OutcomeUnknown => Some(Outcome::OutcomeUnknown),
            Self::Proposed | Self::Dispatched | Self::Abandoned => None,
        }
    }
}

impl From<Outcome> for State {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Completed => Self::Completed,
            Outcome::Failed => Self::Failed,
            Outcome::OutcomeUnknown => Self::OutcomeUnknown,
        }
    }
}

/// Why an operation ended as it did: one of these words, or one of the host's own.
#[derive(Clone, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(transparent)]
pub struct Reason(Cow<'static, str>);

impl Reason {
    /// Whoever waited for it went away.
    pub const CANCELLED: Self = Self::of("cancelled");
    /// It took longer than the deadline, or stood behind a call that did.
    pub const DEADLINE: Self = Self::of("deadline");
    /// The budget of the run was used up first.
    pub const BUDGET_EXHAUSTED: Self = Self::of("budget-exhausted");
    /// It went out and no answer came: a timeout below, a server that died, a panic.
    pub const NO_ANSWER: Self = Self::of("no-answer");
    /// It was refused, or failed before anything left.
    pub const REFUSED: Self = Self::of("refused");
    /// The same call was made too often.
    pub const REPEATED: Self = Self::of("repeated");
    /// The journal could not be written.
    pub const JOURNAL: Self = Self::of("journal");
    /// It was pending when its process ended, and was settled by hand afterwards.
    pub const CRASH_REPAIR: Self = Self::of("crash-repair");

    /// The word.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    const fn of(word: &'static str) -> Self {
        Self(Cow::Borrowed(word))
    }
}

impl<T: Into<Cow<'static, str>>> From<T> for Reason {
    fn from(word: T) -> Self {
        Self(word.into())
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}
