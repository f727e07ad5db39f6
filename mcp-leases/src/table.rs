//! The table that agents share.

use std::collections::HashMap;
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Waker;

use mcp_provider::location::Place;
use mcp_provider::shield;

use crate::ledger::{Admission, Cover, Ledger, PinRefusal, Status, Writer};
use crate::limits::{InvalidLimits, Limits};
use crate::waiting::Waiting;
use crate::{
    Claim, Claimed, Conflict, HoldAndWait, Holder, Lease, Look, Moment, PinId, Queued, Released,
    Timer, WaiterId,
};

/// The leases of one workspace, shared by all who work in it.
///
/// Clones are the same table.  Nothing here blocks for longer than it takes to look something up,
/// and who waits is woken when its turn comes: by whoever gave back what it waits for, or by the
/// timer when that ends.
///
/// The host has two duties.  When an agent has come to its end, and all its calls with it, it calls
/// [`release_holder`](Self::release_holder); and at the end of all, [`release_all`](Self::release_all).
#[derive(Clone)]
pub struct Table(Arc<Shared>);

struct Shared {
    state: Mutex<State>,
    timer: Arc<dyn Timer>,
}

#[derive(Default)]
struct State {
    ledger: Ledger,
    wakers: HashMap<WaiterId, Waker>,
}

/// What came of a claim that may wait.
#[derive(Debug)]
#[allow(clippy::exhaustive_enums, reason = "it is settled, or not yet")]
pub enum Enqueued {
    /// It is settled already.
    Settled(Claimed),
    /// Somebody else is in the way.
    Waiting {
        /// Completes when it is settled; dropped, it leaves the queue.
        waiting: Waiting,
        /// What is in the way now.
        conflicts: Vec<Conflict>,
    },
}

impl Table {
    /// A table on `timer`, with the usual limits.
    pub fn new(timer: impl Timer) -> Self {
        Self(Arc::new(Shared { state: Mutex::default(), timer: Arc::new(timer) }))
    }

    /// A table on `timer` with limits of its own.
    ///
    /// # Errors
    ///
    /// Fails where a time of `limits` is zero.
    pub fn with_limits(timer: impl Timer, limits: Limits) -> Result<Self, InvalidLimits> {
        let state = State { ledger: Ledger::new(limits)?, wakers: HashMap::new() };
        Ok(Self(Arc::new(Shared { state: Mutex::new(state), timer: Arc::new(timer) })))
    }

    /// A table on tokio's clock, with the usual limits.
    #[cfg(feature = "tokio")]
    pub fn tokio() -> Self {
        Self::new(crate::TokioTimer::new())
    }

    /// What it tells the time by.
    pub fn timer(&self) -> Arc<dyn Timer> {
        Arc::clone(&self.0.timer)
    }

    /// How long leases last, and how many there may be.
    pub fn limits(&self) -> Limits {
        self.state().ledger.limits()
    }

    /// Claims paths, all of them or none, at once or not at all.
    pub fn acquire(&self, claim: &Claim) -> Claimed {
        self.with(|ledger, now| ledger.acquire(now, claim))
    }

    /// Claims paths, all of them or none, and waits for those that others hold.
    pub fn enqueue(&self, claim: Claim, hold: HoldAndWait) -> Enqueued {
        match self.enqueue_bare(claim, hold) {
            Queued::Settled(claimed) => Enqueued::Settled(claimed),
            Queued::Waiting { waiter, conflicts } => {
                Enqueued::Waiting { waiting: Waiting::new(self.clone(), waiter), conflicts }
            }
        }
    }

    /// Gives back what `holder` has on exactly these places, or all it has where none are named.
    ///
    /// What a call is under way on counts as given back, and ends with the call.
    pub fn release(&self, holder: &Holder, places: Option<&[Place]>) -> Released {
        self.with(|ledger, now| ledger.release(now, holder, places))
    }

    /// Gives back all that `holder` has, and ends its waits; how many leases that were.
    ///
    /// It is for an agent that has come to its end.  Wait for its last call: an answer may be
    /// there while a write is still under way.
    pub fn release_holder(&self, holder: &Holder) -> usize {
        self.with(|ledger, now| ledger.release_holder(now, holder))
    }

    /// Gives back everything, and ends all waits; how many leases that were.
    ///
    /// What [`status`](Self::status) shows afterwards, calls are under way on.
    pub fn release_all(&self) -> usize {
        self.with(Ledger::release_all)
    }

    /// Says whose `place` is, seen by `holder`.
    pub fn covering(&self, holder: &Holder, place: &Place) -> Cover {
        self.with(|ledger, now| ledger.covering(now, holder, place))
    }

    /// Says whose each of `places` is, seen by `holder`, all at one moment.
    pub fn covering_all(&self, holder: &Holder, places: &[Place]) -> Vec<Cover> {
        self.with(|ledger, now| {
            places.iter().map(|place| ledger.covering(now, holder, place)).collect()
        })
    }

    /// Keeps the leases of `holder` that cover `places` until the pin is taken out, for a host that
    /// changes files itself.
    ///
    /// # Errors
    ///
    /// Fails, and keeps nothing, where one of the places is not covered.
    pub fn pin(&self, holder: &Holder, places: &[Place]) -> Result<PinId, PinRefusal> {
        self.with(|ledger, now| ledger.pin(now, holder, places))
    }

    /// Says whose each of `places` and of `guesses` is, seen by `holder`, and keeps the leases that
    /// cover its own among `places` until the pin is taken out, all at one moment.
    pub fn admit(&self, holder: &Holder, places: &[Place], guesses: &[Place]) -> Admission {
        self.with(|ledger, now| ledger.admit(now, holder, places, guesses))
    }

    /// Takes a pin out, and says whether it was there.
    pub fn unpin(&self, pin: PinId) -> bool {
        self.with(|ledger, now| ledger.unpin(now, pin))
    }

    /// Notes that `holder` has written to `places`, or may have.
    pub fn wrote(&self, holder: &Holder, places: &[Place]) {
        self.with(|ledger, now| ledger.wrote(now, holder, places));
    }

    /// Who other than `holder` wrote last to `place`, to something in it, or to what it is in.
    pub fn last_writer(&self, holder: &Holder, place: &Place) -> Option<Writer> {
        self.with(|ledger, now| ledger.last_writer(now, holder, place))
    }

    /// All there is, at one moment.
    pub fn status(&self) -> Status {
        self.with(Ledger::status)
    }

    /// The leases, in the order in which they were claimed.
    pub fn leases(&self) -> Vec<Lease> {
        self.with(Ledger::leases)
    }

    pub(crate) fn enqueue_bare(&self, claim: Claim, hold: HoldAndWait) -> Queued {
        self.with(|ledger, now| ledger.enqueue(now, claim, hold))
    }

    pub(crate) fn leave(&self, waiter: WaiterId) -> bool {
        let (was_there, waker) = self.with_state(|state, now| {
            (state.ledger.leave(now, waiter), state.wakers.remove(&waiter))
        });
        // Somebody else's code: not under the lock.
        drop(waker);
        was_there
    }

    /// Looks how it stands with a waiter, and has `waker` called when it has to look again.
    pub(crate) fn look(&self, waiter: WaiterId, waker: Waker) -> Look {
        let (look, old) = self.with_state(|state, now| {
            let look = state.ledger.look(now, waiter);
            let old = match look {
                Look::Settled(_) => state.wakers.remove(&waiter),
                Look::Waiting { .. } => state.wakers.insert(waiter, waker),
            };
            (look, old)
        });
        drop(old);
        look
    }

    fn with<T>(&self, ask: impl FnOnce(&mut Ledger, Moment) -> T) -> T {
        self.with_state(|state, now| ask(&mut state.ledger, now))
    }

    /// Asks under the lock, and wakes outside it.
    fn with_state<T>(&self, ask: impl FnOnce(&mut State, Moment) -> T) -> T {
        let now = self.0.timer.now();
        let (answer, wakers) = {
            let mut state = self.state();
            let answer = ask(&mut state, now);
            let stirred = state.ledger.take_stirred();
            let wakers = stirred.into_iter().filter_map(|id| state.wakers.remove(&id));
            let wakers: Vec<Waker> = wakers.collect();
            (answer, wakers)
        };
        for waker in wakers {
            // The others have to be woken, whatever one of them does.
            let _ = shield(|| waker.wake());
        }
        answer
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Table").field("status", &self.status()).finish_non_exhaustive()
    }
}
