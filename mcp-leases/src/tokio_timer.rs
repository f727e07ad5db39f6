//! The timer of tokio, which tests can pause.

use crate::{Moment, Sleep, Timer};

/// A timer on tokio's clock; it began when it was made.
///
/// It sleeps inside a tokio runtime only: there, what waits for a lease has to be polled.
#[derive(Clone, Copy, Debug)]
pub struct TokioTimer {
    began: tokio::time::Instant,
}

impl TokioTimer {
    /// A timer that begins now.
    pub fn new() -> Self {
        Self { began: tokio::time::Instant::now() }
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
}
