//! Budgets of time that stand still while somebody is asked.

use std::future::Future;
use std::pin::pin;
use std::sync::Mutex;
use std::time::Duration;

use tokio::sync::Notify;
use tokio::time::{Instant, timeout_at};

use crate::lock::lock;

/// The clock of one connection, which stops while a hook asks a person or a model for the server.
///
/// A server that asks a person something cannot be blamed for the time the person takes.
#[derive(Debug, Default)]
pub(crate) struct Patience {
    asking: Mutex<Asking>,
    /// Tells that no hook runs any more.
    resumed: Notify,
}

#[derive(Debug, Default)]
struct Asking {
    /// How many hooks run.
    running: usize,
    /// Since when at least one runs.
    since: Option<Instant>,
    /// How long hooks have run, before that.
    total: Duration,
}

/// A hook that runs.
pub(crate) struct Pause<'a>(&'a Patience);

impl Patience {
    /// Stops the clock until the pause is dropped.
    pub(crate) fn pause(&self) -> Pause<'_> {
        let mut asking = lock(&self.asking);
        asking.running += 1;
        asking.since.get_or_insert_with(Instant::now);
        Pause(self)
    }

    /// Waits for `future` for `budget` of running time; nothing where that ran out.
    ///
    /// Pauses only ever put the end off, so nobody looks for one before the end seems to have come.
    pub(crate) async fn within<T>(
        &self,
        budget: Option<Duration>,
        future: impl Future<Output = T>,
    ) -> Option<T> {
        let mut future = pin!(future);
        let Some(budget) = budget else { return Some(future.await) };
        let start = Instant::now();
        let before = self.paused(start);
        let mut paused = Duration::ZERO;
        loop {
            // A budget beyond what the clock can hold is none.
            let deadline = start.checked_add(budget).and_then(|end| end.checked_add(paused));
            let Some(deadline) = deadline else { return Some(future.await) };
            if let Ok(output) = timeout_at(deadline, future.as_mut()).await {
                return Some(output);
            }
            tokio::select! {
                biased;
                output = &mut future => return Some(output),
                () = Box::pin(self.resumed()) => (),
            }
            let until_now = self.paused(Instant::now()).saturating_sub(before);
            if until_now == paused {
                return None;
            }
            paused = until_now;
        }
    }

    /// Waits until no hook runs.
    async fn resumed(&self) {
        loop {
            let resumed = self.resumed.notified();
            if lock(&self.asking).running == 0 {
                return;
            }
            resumed.await;
        }
    }

    /// How long hooks have run until `now`.
    fn paused(&self, now: Instant) -> Duration {
        let asking = lock(&self.asking);
        asking.total + asking.since.map_or(Duration::ZERO, |since| now.duration_since(since))
    }
}

impl Drop for Pause<'_> {
    fn drop(&mut self) {
        let mut asking = lock(&self.0.asking);
        asking.running -= 1;
        if asking.running > 0 {
            return;
        }
        if let Some(since) = asking.since.take() {
            asking.total += since.elapsed();
        }
        drop(asking);
        self.0.resumed.notify_waiters();
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::Arc;

    use tokio::task::yield_now;
    use tokio::time::{advance, sleep_until};

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

    /// When a hook runs, in seconds from the start of a wait of two seconds, and how long the
    /// wait is then.
    #[tokio::test(start_paused = true)]
    async fn pauses_count_from_the_start_of_a_wait_to_its_end() {
        for (pauses, expected) in
            [(&[(0, 1)][..], 3), (&[(1, 1), (2, 3)], 6), (&[(1, 5), (6, 5)], 12), (&[(4, 9)], 2)]
        {
            let patience = Arc::new(Patience::default());
            // What somebody was asked before is no part of it.
            let earlier = patience.pause();
            advance(SECOND).await;
            drop(earlier);
            let start = Instant::now();
            let waiting = tokio::spawn({
                let patience = Arc::clone(&patience);
                async move {
                    assert_eq!(patience.within(Some(2 * SECOND), pending::<()>()).await, None);
                    start.elapsed()
                }
            });
            yield_now().await;
            for &(begins, lasts) in pauses {
                sleep_until(start + begins * SECOND).await;
                let pause = patience.pause();
                sleep_until(Instant::now() + lasts * SECOND).await;
                drop(pause);
            }
            assert_eq!(waiting.await.unwrap(), expected * SECOND, "{pauses:?}");
        }
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_that_comes_while_somebody_is_asked_counts() {
        let patience = Patience::default();
        let _pause = patience.pause();
        let answer = async {
            sleep_until(Instant::now() + 10 * SECOND).await;
            7
        };
        assert_eq!(patience.within(Some(SECOND), answer).await, Some(7));
    }
}
