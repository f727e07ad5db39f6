//! The timer and the background of tokio, whose time tests can pause.

use std::time::SystemTime;

use super::{Moment, Sleep, Spawner, Task, Timer};

/// A timer on tokio's clock, and a spawner on its runtime; it began when it was made.
///
/// It sleeps and spawns inside a tokio runtime only.  A task that is handed over outside of one is
/// dropped.  The time on the wall is read once, and counted on from there.
#[derive(Clone, Copy, Debug)]
pub struct TokioTimer {
    began: tokio::time::Instant,
    began_on_the_wall: SystemTime,
}

impl TokioTimer {
    /// A timer that begins now.
    pub fn new() -> Self {
        #[expect(clippy::disallowed_methods, reason = "here the clock is injected")]
        let began_on_the_wall = SystemTime::now();
        Self { began: tokio::time::Instant::now(), began_on_the_wall }
    }
}

impl Default for TokioTimer {
    fn default() -> Self {
        Self::new()
    }
}

impl Timer for TokioTimer {
    fn now(&self) -> Moment {
        Moment::new(self.began.elapsed())
    }

    fn sleep_until(&self, moment: Moment) -> Sleep {
        match self.began.checked_add(moment.elapsed()) {
            Some(instant) => Box::pin(tokio::time::sleep_until(instant)),
            // Later than the clock can count.
            None => Box::pin(std::future::pending()),
        }
    }

    fn wall(&self, moment: Moment) -> Option<SystemTime> {
        self.began_on_the_wall.checked_add(moment.elapsed())
    }
}

impl Spawner for TokioTimer {
    fn spawn(&self, task: Task) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            runtime.spawn(task);
        }
    }
}
