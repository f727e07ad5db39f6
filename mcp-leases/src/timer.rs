//! The clock and the alarm, injected.

use std::future::Future;
use std::pin::Pin;

use crate::Moment;

/// What tells the time, and wakes who waits for a moment.
///
/// No code of this crate reads another clock, so a test that moves this one moves everything.
pub trait Timer: Send + Sync + 'static {
    /// The moment it is now.  It never goes back.
    fn now(&self) -> Moment;

    /// Completes when it is `moment`, or at once if that is past.
    fn sleep_until(&self, moment: Moment) -> Sleep;
}

/// Waits for a moment.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;
