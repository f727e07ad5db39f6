//! A result that has just arrived, and why it may not be kept.

use std::error::Error;
use std::fmt;

use crate::CacheHint;

/// A result that has just arrived, with what decides whether it is kept.
#[derive(Clone, Copy, Debug)]
pub struct Fetched<V> {
    /// The result; cheap to clone, if hits are to be cloned.
    pub value: V,
    /// How many bytes it takes, as the caller counts them.
    pub bytes: usize,
    /// How long it may be kept, and for whom.
    pub hint: CacheHint,
    /// What it answers.
    pub provenance: Provenance,
}

/// What a result answers.
#[allow(clippy::exhaustive_enums, reason = "a request carries input or it does not")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Provenance {
    /// A request that was sent when the cache gave this mark.
    Request(Mark),
    /// A request that carried input responses or request state.  Its result depends on more
    /// than its key, so it is never kept.
    AfterInput,
}

/// A moment in the life of a cache; see [`Cache::mark`](crate::Cache::mark).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Mark(pub(crate) u64);

/// Why a result was not kept.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// It answers a request that carried input.
    AfterInput,
    /// What it says was invalidated, or cleared, while its request was under way.
    Outdated,
    /// It alone is larger than all that the cache may hold.
    TooLarge {
        /// What it takes, with its key.
        bytes: usize,
        /// What the cache may hold.
        limit: usize,
    },
    /// The cache may hold no entries.
    Disabled,
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AfterInput => f.write_str("the request carried input, so its result is not kept"),
            Self::Outdated => f.write_str("the result was invalidated while it was under way"),
            Self::TooLarge { bytes, limit } => {
                write!(f, "a result of {bytes} bytes does not fit into a cache of {limit} bytes")
            }
            Self::Disabled => f.write_str("the cache may hold no entries"),
        }
    }
}

impl Error for Refusal {}
