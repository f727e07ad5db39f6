//! Stores over a table: one that takes its time, and some that are wrong.

use std::sync::Arc;

use mcp_leases::{
    Admission, Claim, Claimed, Cover, HoldAndWait, Holder, LeaseStore, Limits, PinId, Queued,
    Refusal, Released, Status, StoreError, Table, Timer, WaiterId, Writer,
};
use mcp_provider::async_trait;
use mcp_provider::location::Place;

/// How a store is wrong.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Unlawful {
    Not,
    GrantsEverything,
    NeverReleases,
    NeverUnpins,
    NeverPins,
    PinsGuesses,
    PinsAllOrNothing,
    AnswersTooLittle,
    NeverLeaves,
    NeverWakes,
    ForgetsWriters,
    Fails,
    Panics,
}

/// Answers late, does in the background what nobody waits for, and may be wrong.
#[derive(Clone)]
pub(crate) struct Distant {
    table: Table,
    how: Unlawful,
}

impl Distant {
    pub(crate) fn new(table: Table, how: Unlawful) -> Self {
        Self { table, how }
    }

    /// The way to a store that is elsewhere.
    async fn travel(&self) -> Result<(), StoreError> {
        for _ in 0..3 {
            tokio::task::yield_now().await;
        }
        match self.how {
            Unlawful::Fails => Err(StoreError::new("the wire is cut")),
            Unlawful::Panics => panic!("the store is mad"),
            _ => Ok(()),
        }
    }

    fn later(&self, what: impl FnOnce(Table) + Send + 'static) {
        let table = self.table.clone();
        tokio::spawn(async move {
            tokio::task::yield_now().await;
            what(table);
        });
    }
}

#[async_trait]
impl LeaseStore for Distant {
    fn limits(&self) -> Limits {
        self.table.limits()
    }

    fn timer(&self) -> Arc<dyn Timer> {
        self.table.timer()
    }

    async fn acquire(&self, claim: Claim) -> Result<Claimed, StoreError> {
        self.travel().await?;
        match (self.table.acquire(&claim), self.how) {
            (Claimed::Refused(Refusal::Conflict { .. }), Unlawful::GrantsEverything) => {
                Ok(Claimed::Granted(Vec::new()))
            }
            (claimed, _) => Ok(claimed),
        }
    }

    async fn enqueue(&self, claim: Claim, hold: HoldAndWait) -> Result<Queued, StoreError> {
        self.travel().await?;
        LeaseStore::enqueue(&self.table, claim, hold).await
    }

    async fn settled(&self, waiter: WaiterId) -> Result<Claimed, StoreError> {
        self.travel().await?;
        if self.how == Unlawful::NeverWakes {
            std::future::pending::<()>().await;
        }
        LeaseStore::settled(&self.table, waiter).await
    }

    fn leave(&self, waiter: WaiterId) {
        if self.how != Unlawful::NeverLeaves {
            self.later(move |table| LeaseStore::leave(&table, waiter));
        }
    }

    async fn release(
        &self,
        holder: &Holder,
        places: Option<&[Place]>,
    ) -> Result<Released, StoreError> {
        self.travel().await?;
        if self.how == Unlawful::NeverReleases {
            return Ok(Released::default());
        }
        Ok(self.table.release(holder, places))
    }

    async fn release_holder(&self, holder: &Holder) -> Result<usize, StoreError> {
        self.travel().await?;
        Ok(self.table.release_holder(holder))
    }

    async fn release_all(&self) -> Result<usize, StoreError> {
        self.travel().await?;
        Ok(self.table.release_all())
    }

    async fn covering(&self, holder: &Holder, places: &[Place]) -> Result<Vec<Cover>, StoreError> {
        self.travel().await?;
        Ok(self.table.covering_all(holder, places))
    }

    async fn admit(
        &self,
        holder: &Holder,
        places: &[Place],
        guesses: &[Place],
    ) -> Result<Admission, StoreError> {
        self.travel().await?;
        match self.how {
            Unlawful::NeverPins => Ok(Admission::new(
                self.table.covering_all(holder, &[places, guesses].concat()),
                None,
            )),
            Unlawful::PinsGuesses => Ok(self.table.admit(holder, &[places, guesses].concat(), &[])),
            Unlawful::PinsAllOrNothing => Ok(Admission::new(
                self.table.covering_all(holder, &[places, guesses].concat()),
                self.table.pin(holder, places).ok(),
            )),
            Unlawful::AnswersTooLittle => {
                let mut admission = self.table.admit(holder, places, guesses);
                admission.covers.pop();
                Ok(admission)
            }
            _ => Ok(self.table.admit(holder, places, guesses)),
        }
    }

    fn unpin(&self, pin: PinId) {
        if self.how != Unlawful::NeverUnpins {
            self.later(move |table| LeaseStore::unpin(&table, pin));
        }
    }

    fn wrote(&self, holder: &Holder, places: &[Place]) {
        if self.how != Unlawful::ForgetsWriters {
            let (holder, places) = (holder.clone(), places.to_vec());
            self.later(move |table| table.wrote(&holder, &places));
        }
    }

    async fn last_writer(
        &self,
        holder: &Holder,
        place: &Place,
    ) -> Result<Option<Writer>, StoreError> {
        self.travel().await?;
        Ok(self.table.last_writer(holder, place))
    }

    async fn status(&self) -> Result<Status, StoreError> {
        self.travel().await?;
        Ok(self.table.status())
    }
}
