//! A point in time, as a timer tells it.

use std::time::Duration;

/// A point in time of one [`Timer`](super::Timer): how long after its beginning.
///
/// Moments of different timers say nothing about each other.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Moment(Duration);

impl Moment {
    /// The moment `elapsed` after the timer began.
    pub const fn new(elapsed: Duration) -> Self {
        Self(elapsed)
    }

    /// How long after the beginning of its timer it is.
    pub const fn elapsed(self) -> Duration {
        self.0
    }

    /// The moment `later` after this one; the last there is, where that is too far off.
    #[must_use]
    pub const fn after(self, later: Duration) -> Self {
        Self(self.0.saturating_add(later))
    }

    /// How long ago `earlier` was; nothing, if it is still to come.
    #[must_use]
    pub const fn since(self, earlier: Self) -> Duration {
        self.0.saturating_sub(earlier.0)
    }
}
