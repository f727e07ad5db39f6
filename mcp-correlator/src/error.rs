//! Why a request cannot wait.

/// Why a waiter was not taken in; it comes back with the reason.
#[allow(clippy::exhaustive_enums, reason = "a table is open or retired, an id free or taken")]
#[derive(Clone, Copy, Debug, Eq, PartialEq, thiserror::Error)]
pub enum RegisterError<T, R> {
    /// A request with the same id is still waiting; it is not disturbed.
    #[error("a request with this id is already in flight")]
    InFlight {
        /// The waiter that was to be registered.
        waiter: T,
    },
    /// The table was retired, and takes nothing in any more.
    #[error("the table of pending requests is retired")]
    Retired {
        /// The waiter that was to be registered.
        waiter: T,
        /// The reason the table was retired for.
        reason: R,
    },
}

impl<T, R> RegisterError<T, R> {
    /// Gives the waiter back.
    pub fn into_waiter(self) -> T {
        match self {
            Self::InFlight { waiter } | Self::Retired { waiter, .. } => waiter,
        }
    }
}
