//! All there is, at one moment.

use std::time::Duration;

use mcp_provider::location::Place;

use crate::ledger::Ledger;
use crate::{Holder, Lease, Moment, PinId, WaiterId};

/// All there is in a table, at one moment.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Status {
    /// The leases, in the order in which they were claimed.
    pub leases: Vec<LeaseStatus>,
    /// The claims that wait, in the order in which they began to.
    pub waiters: Vec<WaiterStatus>,
    /// The calls that are under way, in the order in which they began.
    pub pins: Vec<PinStatus>,
}

impl Status {
    /// Whether there is nothing in the table: nobody holds, waits or works.
    pub fn is_empty(&self) -> bool {
        self.leases.is_empty() && self.waiters.is_empty() && self.pins.is_empty()
    }
}

/// A lease, and what keeps it.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LeaseStatus {
    /// The lease.
    pub lease: Lease,
    /// Its number; later leases have larger ones.
    pub generation: u64,
    /// How many calls are under way on it.
    pub pins: usize,
    /// Whether it was given back, and ends with the last of those calls.
    pub release_pending: bool,
}

/// A claim that waits.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct WaiterStatus {
    /// Its number.
    pub id: WaiterId,
    /// Who waits.
    pub holder: Holder,
    /// For which paths.
    pub places: Vec<Place>,
    /// The holders in its way, sorted; none, where it is settled and has yet to hear of it.
    pub blockers: Vec<Holder>,
    /// How long it has waited.
    pub waiting_for: Duration,
}

/// A call that is under way.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PinStatus {
    /// Its number.
    pub id: PinId,
    /// Who makes the call.
    pub holder: Holder,
    /// The numbers of the leases it keeps.
    pub generations: Vec<u64>,
    /// How long it has been under way.
    pub pinned_for: Duration,
}

impl Ledger {
    /// All there is, at one moment.
    pub fn status(&mut self, now: Moment) -> Status {
        self.advance(now);
        let leases = self.leases.iter().map(|(generation, held)| LeaseStatus {
            lease: held.to_lease(self.now),
            generation: *generation,
            pins: held.pins,
            release_pending: held.is_pending,
        });
        let waiters = self.waiters.iter().map(|(id, waiter)| WaiterStatus {
            id: *id,
            holder: waiter.claim.holder.clone(),
            places: waiter.claim.places.clone(),
            blockers: self.blockers(waiter).into_iter().cloned().collect(),
            waiting_for: self.waiting_for(waiter),
        });
        let pins = self.pins.iter().map(|(id, pin)| PinStatus {
            id: *id,
            holder: pin.holder.clone(),
            generations: pin.generations.clone(),
            pinned_for: self.now.since(pin.since),
        });
        Status { leases: leases.collect(), waiters: waiters.collect(), pins: pins.collect() }
    }

    /// The leases, in the order in which they were claimed.
    pub fn leases(&mut self, now: Moment) -> Vec<Lease> {
        self.advance(now);
        self.leases.values().map(|held| held.to_lease(self.now)).collect()
    }
}
