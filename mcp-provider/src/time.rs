//! Time and the background, injected: what a layer that waits is given instead of a runtime.
//!
//! With the feature `tokio` there is `TokioTimer`, which is all of it on tokio.

mod moment;
#[cfg(feature = "tokio")]
mod tokio_timer;

use std::future::Future;
use std::pin::Pin;
use std::time::SystemTime;

pub use self::moment::Moment;
#[cfg(feature = "tokio")]
pub use self::tokio_timer::TokioTimer;

/// What tells the time, and wakes who waits for a moment.
///
/// A layer reads no other clock, so a test that moves this one moves everything.
pub trait Timer: Send + Sync + 'static {
    /// The moment it is now.  It never goes back.
    fn now(&self) -> Moment;

    /// Completes when it is `moment`, or at once if that is past.
    fn sleep_until(&self, moment: Moment) -> Sleep;

    /// What a calendar and a clock on the wall say at `moment`; nothing, where there are none.
    ///
    /// Records and journals carry it; nothing is decided by it.
    fn wall(&self, moment: Moment) -> Option<SystemTime> {
        let _ = moment;
        None
    }
}

/// What runs a task in the background.
///
/// One that drops a task gives up the call it holds: its server is told, its outcome stays unknown.
pub trait Spawner: Send + Sync + 'static {
    /// Runs `task` to its end, while others go on.
    fn spawn(&self, task: Task);
}

/// Waits for a moment.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Something that runs by itself.
pub type Task = Pin<Box<dyn Future<Output = ()> + Send>>;
