//! Yes, no, or nobody can tell.

use mcp_provider::location::Under;
use serde::Serialize;

/// Whether a predicate of a rule holds for a call, as far as the call tells.
#[allow(clippy::exhaustive_enums, reason = "yes, no, or not known")]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Truth {
    /// It does not hold.
    No,
    /// The call does not tell.
    Unknown,
    /// It holds.
    Yes,
}

impl Truth {
    /// Whether both hold: the weaker of the two.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        self.min(other)
    }

    /// Whether one of them holds: the stronger of the two.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        self.max(other)
    }

    /// Whether a deny or an ask that depends on it takes effect: yes, and unknown.
    #[must_use]
    pub fn fires(self) -> bool {
        self != Self::No
    }
}

impl From<Under> for Truth {
    fn from(under: Under) -> Self {
        match under {
            Under::Yes => Self::Yes,
            Under::No => Self::No,
            Under::Unknown => Self::Unknown,
        }
    }
}

impl From<bool> for Truth {
    fn from(known: bool) -> Self {
        if known { Self::Yes } else { Self::No }
    }
}
