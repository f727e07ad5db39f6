//! What is asked of a table of leases, and what it answers.

use std::fmt;
use std::time::Duration;

use mcp_provider::location::Place;

use crate::{Holder, Moment};

/// Paths that a holder wants, all of them or none.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Claim {
    /// Who wants them.
    pub holder: Holder,
    /// The paths.  A directory stands for all that is in it.
    pub places: Vec<Place>,
    /// How long to hold them; as long as the table usually grants, where nothing is said.
    pub ttl: Option<Duration>,
}

impl Claim {
    /// A claim of `holder` to `places`.
    pub fn new(holder: Holder, places: impl IntoIterator<Item = Place>) -> Self {
        Self { holder, places: places.into_iter().collect(), ttl: None }
    }

    /// Sets how long to hold them.
    #[must_use]
    pub fn for_time(self, ttl: Duration) -> Self {
        Self { ttl: Some(ttl), ..self }
    }
}

/// A lease as it is at one moment.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Lease {
    /// The path, as it was first claimed.
    pub place: Place,
    /// Who holds it.
    pub holder: Holder,
    /// When it was claimed, or claimed again.
    pub acquired_at: Moment,
    /// How long it lasts from then.
    pub ttl: Duration,
    /// When it ends.
    pub expires_at: Moment,
    /// How long it has been held.
    pub held_for: Duration,
    /// How long it still lasts.
    pub expires_in: Duration,
}

/// What came of a claim.
#[allow(clippy::exhaustive_enums, reason = "all or nothing")]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Claimed {
    /// Everything is held now: one lease for each path, in the order of the claim.
    Granted(Vec<Lease>),
    /// Nothing was changed.
    Refused(Refusal),
}

/// What came of a claim that may wait.
#[allow(clippy::exhaustive_enums, reason = "it is settled, or not yet")]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Queued {
    /// It is settled already.
    Settled(Claimed),
    /// Somebody else is in the way.
    Waiting {
        /// The number to wait with.
        waiter: WaiterId,
        /// What is in the way now.
        conflicts: Vec<Conflict>,
    },
}

/// Whether a holder may wait for leases while it has some.
#[allow(clippy::exhaustive_enums, reason = "it may, or not")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum HoldAndWait {
    /// It may, unless the holders would then wait for each other in a circle.
    Allow,
    /// It is refused: nobody waits for one that holds and waits itself.
    Refuse,
}

/// Why a claim is refused.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// Others hold what was claimed, or a part of it, or what it is in.
    Conflict {
        /// What is in the way, in the order of the claim.
        conflicts: Vec<Conflict>,
    },
    /// Waiting would close a circle of holders that wait for each other.
    Deadlock {
        /// What is in the way.
        conflicts: Vec<Conflict>,
        /// The circle: each waits for the next, and the last is the first again.
        cycle: Vec<Holder>,
    },
    /// The holder has leases already, and may not wait for more.
    HoldAndWait {
        /// What is in the way.
        conflicts: Vec<Conflict>,
    },
    /// It asked for no time at all.
    InvalidTtl,
    /// It names no path.
    NoPaths,
    /// The holder would have more leases than it may.
    TooMany {
        /// How many it may have.
        limit: usize,
    },
    /// The holder was released while it waited, or the table was emptied.
    Withdrawn,
}

/// A lease that is in the way of a claim.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Conflict {
    /// The path that was claimed.
    pub place: Place,
    /// The path that is held.
    pub leased: Place,
    /// Who holds it.
    pub holder: Holder,
    /// How long it has been held.
    pub held_for: Duration,
}

/// What came of a release.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Released {
    /// The leases that were given back, in the order in which they were claimed.
    pub released: Vec<Place>,
    /// The paths that were not held, in the order in which they were named.
    pub not_held: Vec<Place>,
}

/// The number of a claim that waits.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct WaiterId(u64);

/// The number of a pin.
#[derive(Clone, Copy, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct PinId(u64);

macro_rules! numbers {
    ($($name:ident $word:literal),*) => {$(
        impl $name {
            /// The one with this number.
            pub const fn new(number: u64) -> Self {
                Self(number)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!($word, "-{}"), self.0)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(self, f)
            }
        }
    )*};
}

numbers!(WaiterId "wait", PinId "pin");
