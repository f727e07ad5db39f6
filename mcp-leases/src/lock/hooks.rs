//! What a host is told while an agent waits.

use std::fmt;
use std::sync::Arc;

use mcp_provider::shield;

/// What a host wants to know of waits, and may say about them.
#[derive(Clone, Default)]
pub(crate) struct Hooks {
    pub(crate) begin: Option<Arc<Callback>>,
    pub(crate) end: Option<Arc<Callback>>,
    pub(crate) cancelled: Option<Arc<dyn Fn() -> bool + Send + Sync>>,
}

type Callback = dyn Fn() + Send + Sync;

/// A wait that has begun; it ends when this is dropped, whichever way.
pub(super) struct Wait<'a>(&'a Hooks);

impl Hooks {
    pub(super) fn begin_wait(&self) -> Wait<'_> {
        // Made first: what has begun has an end, also where the beginning panics.
        let wait = Wait(self);
        call(self.begin.as_deref());
        wait
    }

    /// Whether the run is over that waits here; not, when in doubt.
    pub(super) fn is_cancelled(&self) -> bool {
        self.cancelled.as_deref().is_some_and(|cancelled| shield(cancelled).unwrap_or(false))
    }
}

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        call(self.0.end.as_deref());
    }
}

fn call(callback: Option<&Callback>) {
    if let Some(callback) = callback {
        // A host that counts wrongly must not cost anybody a lock.
        let _ = shield(callback);
    }
}

impl fmt::Debug for Hooks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Hooks").finish_non_exhaustive()
    }
}
