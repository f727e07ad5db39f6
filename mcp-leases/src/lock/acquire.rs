//! A model claims paths, and waits for them.

use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::task::Poll;
use std::time::Duration;

use mcp_provider::{ToolCall, ToolResult};

use crate::agent::Agent;
use crate::lock::arguments::Acquire;
use crate::{
    Claim, Claimed, Conflict, HoldAndWait, LeaseStore, Moment, Queued, Refusal, StoreError, Timer,
    WaiterId, words,
};

impl Agent {
    /// Runs a call to `lock_acquire`.
    pub(crate) async fn acquire(&self, call: &ToolCall) -> ToolResult {
        let id = call.id.clone();
        let (claim, wait) = match self.claim(call) {
            Ok(read) => read,
            Err(why) => return ToolResult::not_sent(id, why),
        };
        let ended = if wait.is_zero() {
            self.store.acquire(claim).await.map(Ended::by_itself)
        } else {
            self.queue(claim, wait).await
        };
        match ended {
            Ok(Ended { claimed: Claimed::Granted(leases), .. }) => {
                ToolResult::ok(id, words::granted(&leases))
            }
            Ok(Ended { claimed: Claimed::Refused(refusal), is_cut_short }) => {
                let note = if is_cut_short { words::CUT_SHORT } else { "" };
                ToolResult::not_sent(id, words::refused(&refusal) + note)
            }
            Err(error) => ToolResult::unknown(id, words::lock_unknown(&error)),
        }
    }

    /// What a call claims, and how long it waits for it.
    fn claim(&self, call: &ToolCall) -> Result<(Claim, Duration), String> {
        let Acquire { paths, ttl, wait } = Acquire::read(call)?;
        let (places, unreadable) = self.lock_places(&call.name, &paths);
        if !unreadable.is_empty() {
            return Err(words::unreadable_locks(&unreadable));
        }
        let longest = self.store.limits().default_ttl;
        let claim = Claim { holder: self.holder.clone(), places, ttl: ttl.or(self.default_ttl) };
        Ok((claim, wait.unwrap_or(USUAL_WAIT).min(longest)))
    }

    async fn queue(&self, claim: Claim, wait: Duration) -> Result<Ended, StoreError> {
        match self.store.enqueue(claim.clone(), HoldAndWait::Refuse).await? {
            Queued::Settled(claimed) => Ok(Ended::by_itself(claimed)),
            Queued::Waiting { waiter, conflicts } => {
                let mut place = InQueue { store: &*self.store, waiter, is_settled: false };
                let begun = self.hooks.begin_wait();
                let end = self.wait(waiter, wait).await;
                place.is_settled = matches!(end, WaitEnd::Settled(Ok(_)));
                drop(place);
                drop(begun);
                let is_cut_short = match end {
                    WaitEnd::Settled(settled) => return settled.map(Ended::by_itself),
                    WaitEnd::Cancelled => true,
                    WaitEnd::TimeIsUp => false,
                };
                let conflicts = self.latest(&claim, conflicts).await;
                let claimed = Claimed::Refused(Refusal::Conflict { conflicts });
                Ok(Ended { claimed, is_cut_short })
            }
        }
    }

    /// Waits for the turn of `waiter`, but no longer than `wait`.
    async fn wait(&self, waiter: WaiterId, wait: Duration) -> WaitEnd {
        let timer = self.store.timer();
        let mut settled = self.store.settled(waiter);
        let deadline = timer.now().after(wait);
        loop {
            if self.hooks.is_cancelled() {
                return WaitEnd::Cancelled;
            }
            let now = timer.now();
            if now >= deadline {
                // Its turn may have come at the last moment.
                return match once(&mut settled).await {
                    Some(settled) => WaitEnd::Settled(settled),
                    None => WaitEnd::TimeIsUp,
                };
            }
            let beat = self.hooks.cancelled.as_ref().map(|_| now.after(BEAT));
            let until = beat.map_or(deadline, |beat| beat.min(deadline));
            if let Some(settled) = first(&mut settled, &*timer, until).await {
                return WaitEnd::Settled(settled);
            }
        }
    }

    /// What is in the way now; what was, where that cannot be said.
    async fn latest(&self, claim: &Claim, earlier: Vec<Conflict>) -> Vec<Conflict> {
        let covers = self.store.covering(&claim.holder, &claim.places).await.unwrap_or_default();
        let named = claim.places.iter().cloned().zip(covers);
        let conflicts = named.filter_map(|(place, cover)| cover.conflict(&place));
        let latest: Vec<Conflict> = conflicts.collect();
        if latest.is_empty() { earlier } else { latest }
    }
}

/// What came of a claim in the end.
struct Ended {
    claimed: Claimed,
    is_cut_short: bool,
}

impl Ended {
    fn by_itself(claimed: Claimed) -> Self {
        Self { claimed, is_cut_short: false }
    }
}

/// How a wait ended.
enum WaitEnd {
    Settled(Result<Claimed, StoreError>),
    TimeIsUp,
    Cancelled,
}

/// A place in the queue; dropped before it is settled, it is given up.
struct InQueue<'a> {
    store: &'a dyn LeaseStore,
    waiter: WaiterId,
    is_settled: bool,
}

impl Drop for InQueue<'_> {
    fn drop(&mut self) {
        if !self.is_settled {
            self.store.leave(self.waiter);
        }
    }
}

/// What `future` completes with before `until`, or nothing.
async fn first<F: Future + Unpin>(
    future: &mut F,
    timer: &dyn Timer,
    until: Moment,
) -> Option<F::Output> {
    let mut sleep = timer.sleep_until(until);
    poll_fn(|context| {
        if let Poll::Ready(output) = Pin::new(&mut *future).poll(context) {
            return Poll::Ready(Some(output));
        }
        sleep.as_mut().poll(context).map(|()| None)
    })
    .await
}

/// What `future` completes with at once, or nothing.
async fn once<F: Future + Unpin>(future: &mut F) -> Option<F::Output> {
    poll_fn(|context| {
        Poll::Ready(match Pin::new(&mut *future).poll(context) {
            Poll::Ready(output) => Some(output),
            Poll::Pending => None,
        })
    })
    .await
}

/// How long a claim waits that does not say how long.
const USUAL_WAIT: Duration = Duration::from_secs(90);

/// How often a host is asked whether the run is cancelled.
const BEAT: Duration = Duration::from_secs(1);
