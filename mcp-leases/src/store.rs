//! The seam behind the layer: where leases are kept.

use std::sync::Arc;

use async_trait::async_trait;
use mcp_provider::location::Place;

use crate::table::Table;
use crate::waiting::Turn;
use crate::{
    Admission, Claim, Claimed, Cover, HoldAndWait, Holder, Limits, PinId, Queued, Released, Status,
    Timer, WaiterId, Writer,
};

/// Where leases are kept: a [`Table`] in this process, or something that several processes share.
///
/// What each operation means, the method of the same name of [`Ledger`](crate::Ledger) says; the
/// suite behind the feature `contract` checks it.
///
/// # Contract
///
/// * An operation whose future is dropped has happened or not; it leaves no waiter and no pin behind.
/// * [`leave`](Self::leave) and [`unpin`](Self::unpin) are called where nobody can wait, such as in
///   `Drop`.  They return at once, and what they ask for happens soon.
/// * An operation that fails with a [`StoreError`] may have happened, and leaves no waiter and no pin
///   behind either: who asked never learned its number.  They treat the path as not held, and let
///   leases end by themselves.
#[async_trait]
pub trait LeaseStore: Send + Sync + 'static {
    /// How long leases last, and how many there may be.
    fn limits(&self) -> Limits;

    /// What time is told by where somebody waits.
    fn timer(&self) -> Arc<dyn Timer>;

    /// Claims paths, all of them or none, at once or not at all.
    async fn acquire(&self, claim: Claim) -> Result<Claimed, StoreError>;

    /// Claims paths, all of them or none, and gets a place in the queue if others hold some.
    async fn enqueue(&self, claim: Claim, hold: HoldAndWait) -> Result<Queued, StoreError>;

    /// Completes when the claim of `waiter` is settled.  Dropping it leaves the claim in the queue.
    async fn settled(&self, waiter: WaiterId) -> Result<Claimed, StoreError>;

    /// Takes a claim out of the queue, with the leases it got and never heard of.
    fn leave(&self, waiter: WaiterId);

    /// Gives back what `holder` has on exactly these places, or all it has where none are named.
    async fn release(
        &self,
        holder: &Holder,
        places: Option<&[Place]>,
    ) -> Result<Released, StoreError>;

    /// Gives back all that `holder` has, and ends its waits; how many leases that were.
    async fn release_holder(&self, holder: &Holder) -> Result<usize, StoreError>;

    /// Gives back everything, and ends all waits; how many leases that were.
    async fn release_all(&self) -> Result<usize, StoreError>;

    /// Says whose each of `places` is, seen by `holder`, all at one moment.
    async fn covering(&self, holder: &Holder, places: &[Place]) -> Result<Vec<Cover>, StoreError>;

    /// Says whose each of `places` and of `guesses` is, seen by `holder`, and keeps the leases that
    /// cover its own among `places` until the pin is taken out, all at one moment.
    ///
    /// It is the one question that a call asks before it goes on.  What others hold is the layer's
    /// to judge: a pin is given also where another has a place, and taken out where the call is
    /// refused.
    async fn admit(
        &self,
        holder: &Holder,
        places: &[Place],
        guesses: &[Place],
    ) -> Result<Admission, StoreError>;

    /// Takes a pin out.
    fn unpin(&self, pin: PinId);

    /// Notes that `holder` has written to `places`, or may have.
    fn wrote(&self, holder: &Holder, places: &[Place]);

    /// Who other than `holder` wrote last to `place`, to something in it, or to what it is in.
    async fn last_writer(
        &self,
        holder: &Holder,
        place: &Place,
    ) -> Result<Option<Writer>, StoreError>;

    /// All there is, at one moment.
    async fn status(&self) -> Result<Status, StoreError>;
}

/// A store of leases could not be reached, or answered nothing that makes sense.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct StoreError(mcp_provider::BoxError);

impl StoreError {
    /// Wraps a store's own error.
    pub fn new(error: impl Into<mcp_provider::BoxError>) -> Self {
        Self(error.into())
    }
}

#[async_trait]
impl LeaseStore for Table {
    fn limits(&self) -> Limits {
        self.limits()
    }

    fn timer(&self) -> Arc<dyn Timer> {
        self.timer()
    }

    async fn acquire(&self, claim: Claim) -> Result<Claimed, StoreError> {
        Ok(self.acquire(&claim))
    }

    async fn enqueue(&self, claim: Claim, hold: HoldAndWait) -> Result<Queued, StoreError> {
        Ok(self.enqueue_bare(claim, hold))
    }

    async fn settled(&self, waiter: WaiterId) -> Result<Claimed, StoreError> {
        Ok(Turn::new(self.clone(), waiter).await)
    }

    fn leave(&self, waiter: WaiterId) {
        self.leave(waiter);
    }

    async fn release(
        &self,
        holder: &Holder,
        places: Option<&[Place]>,
    ) -> Result<Released, StoreError> {
        Ok(self.release(holder, places))
    }

    async fn release_holder(&self, holder: &Holder) -> Result<usize, StoreError> {
        Ok(self.release_holder(holder))
    }

    async fn release_all(&self) -> Result<usize, StoreError> {
        Ok(self.release_all())
    }

    async fn covering(&self, holder: &Holder, places: &[Place]) -> Result<Vec<Cover>, StoreError> {
        Ok(self.covering_all(holder, places))
    }

    async fn admit(
        &self,
        holder: &Holder,
        places: &[Place],
        guesses: &[Place],
    ) -> Result<Admission, StoreError> {
        Ok(self.admit(holder, places, guesses))
    }

    fn unpin(&self, pin: PinId) {
        self.unpin(pin);
    }

    fn wrote(&self, holder: &Holder, places: &[Place]) {
        self.wrote(holder, places);
    }

    async fn last_writer(
        &self,
        holder: &Holder,
        place: &Place,
    ) -> Result<Option<Writer>, StoreError> {
        Ok(self.last_writer(holder, place))
    }

    async fn status(&self) -> Result<Status, StoreError> {
        Ok(self.status())
    }
}
