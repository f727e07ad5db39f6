//! Budgets of time that stand still while somebody is asked.

use std::future::Future;
use std::pin::pin;
use std::time::Duration;

use tokio::sync::watch;
use tokio::time::{Instant, sleep_until};

/// The clock of one connection, which stops while a hook asks a person or a model for the server.
///
/// A server that asks a person something cannot be blamed for the time the person takes.
#[derive(Debug)]
pub(crate) struct Patience(watch::Sender<Asking>);

#[derive(Clone, Copy, Debug, Default)]
struct Asking {
    /// How many hooks run.
    running: usize,
    /// Since when at least one runs.
    since: Option<Instant>,
    /// How long hooks have run, before that.
    total: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self(watch::Sender::new(Asking::default()))
    }
}

/// A hook that runs.
pub(crate) struct Pause<'a>(&'a Patience);

impl Patience {
    /// Stops the clock until the pause is dropped.
    pub(crate) fn pause(&self) -> Pause<'_> {
        self.0.send_modify(|asking| {
            asking.running += 1;
            asking.since.get_or_insert_with(Instant::now);
        });
        Pause(self)
    }

    /// Waits for `future` for `budget` of running time; nothing where that ran out.
    pub(crate) async fn within<T>(
        &self,
        budget: Option<Duration>,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        let Some(budget) = budget else { return Some(future.await) };
        let mut future = pin!(future);
        let mut asking = self.0.subscribe();
        let start = Instant::now();
        let before = asking.borrow_and_update().paused(start);
        loop {
            let now = *asking.borrow_and_update();
            // A budget beyond what the clock can hold is none.
            let paused = now.paused(Instant::now()).saturating_sub(before);
            let deadline = start.checked_add(budget).and_then(|end| end.checked_add(paused));
            tokio::select! {
                biased;
                output = &mut future => return Some(output),
                // The sender lives as long as this is borrowed.
                _ = asking.changed() => (),
                () = expire(deadline), if now.running == 0 => return None,
            }
        }
    }
}

async fn expire(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}

impl Asking {
    /// How long hooks have run until `now`.
    fn paused(&self, now: Instant) -> Duration {
        self.total + self.since.map_or(Duration::ZERO, |since| now.duration_since(since))
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        self.0.0.send_modify(|asking| {
            asking.running -= 1;
            if asking.running == 0 {
                asking.total = asking.paused(Instant::now());
                asking.since = None;
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;

    use tokio::task::yield_now;
    use tokio::time::advance;

    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[tokio::test(start_paused = true)]
    async fn a_budget_runs_out() {
        let patience = Patience::default();
        let start = Instant::now();
        assert_eq!(patience.within(Some(5 * SECOND), pending::<()>()).await, None);
        assert_eq!(start.elapsed(), 5 * SECOND);
        assert_eq!(patience.within(Some(SECOND), async { 7 }).await, Some(7));
        assert_eq!(patience.within(Some(Duration::MAX), async { 7 }).await, Some(7));
        assert_eq!(patience.within(None, async { 7 }).await, Some(7));
    }

    #[tokio::test(start_paused = true)]
    async fn a_budget_stands_still_while_somebody_is_asked() {
        let patience = Arc::new(Patience::default());
        let start = Instant::now();
        let waiting = tokio::spawn({
            let patience = Arc::clone(&patience);
            async move { patience.within(Some(2 * SECOND), pending::<()>()).await }
        });
        yield_now().await;
        advance(SECOND).await;
        let first = patience.pause();
        yield_now().await;
        advance(10 * SECOND).await;
        let second = patience.pause();
        drop(first);
        yield_now().await;
        advance(10 * SECOND).await;
        drop(second);
        assert_eq!(waiting.await.unwrap(), None);
        assert_eq!(start.elapsed(), 22 * SECOND);
    }
}
