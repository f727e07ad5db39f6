//! The table of leases, without a clock or a lock.

mod covering;
mod cycle;
mod grants;
mod pins;
mod queue;
mod releases;
mod status;
mod writes;

use std::collections::{BTreeMap, BTreeSet, HashMap};

use mcp_provider::location::{Place, Under};

pub use self::covering::Cover;
pub use self::pins::{Admission, PinRefusal};
pub use self::queue::Look;
pub use self::status::{LeaseStatus, PinStatus, Status, WaiterStatus};
pub use self::writes::Writer;

use self::grants::Held;
use self::pins::Pin;
use self::queue::Waiter;
use self::writes::Writes;
use crate::index::Index;
use crate::limits::{InvalidLimits, Limits};
use crate::{Holder, Moment, PinId, WaiterId};

/// The table of leases as a value: `now` and a question in, an answer out.
///
/// [`Table`](crate::Table) puts a clock, a lock and wakers around it.  It is deterministic, so
/// copies that are asked the same questions in the same order give the same answers: a table that
/// several machines share can be made of copies.
///
/// A moment earlier than one it has seen counts as that one.  Leases end when time has come to
/// their end, but for those that are pinned: a call is under way on them, and they end with it.
/// What ends makes room for those who wait, in the order in which they began to.
#[derive(Debug, Default)]
pub struct Ledger {
    limits: Limits,
    now: Moment,
    /// How many leases, waiters and pins there have been.
    counts: Counts,
    leases: BTreeMap<Generation, Held>,
    by_place: Index<Generation>,
    by_holder: HashMap<Holder, BTreeSet<Generation>>,
    /// When leases end that are not pinned.
    ends: BTreeSet<(Moment, Generation)>,
    waiters: BTreeMap<WaiterId, Waiter>,
    wanted: Index<WaiterId>,
    waiters_by_holder: HashMap<Holder, BTreeSet<WaiterId>>,
    pins: BTreeMap<PinId, Pin>,
    writes: Writes,
    /// The waiters that have to look again.
    stirred: Vec<WaiterId>,
}

/// The number of a lease: a later one is larger.
type Generation = u64;

/// A lease that has something in common with a place, or may have.
struct Touched<'ledger> {
    generation: Generation,
    held: &'ledger Held,
    /// Whether the place is in it.
    inside: Under,
    /// Whether it is in the place.
    around: Under,
}

#[derive(Debug, Default)]
struct Counts {
    leases: u64,
    waiters: u64,
    pins: u64,
}

impl Ledger {
    /// An empty table.
    ///
    /// # Errors
    ///
    /// Fails where a time of `limits` is zero.
    pub fn new(limits: Limits) -> Result<Self, InvalidLimits> {
        Ok(Self { limits: limits.check()?, ..Self::default() })
    }

    /// How long leases last, and how many there may be.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// Takes the numbers of the waiters that have to [`look`](Self::look) again.
    pub fn take_stirred(&mut self) -> Vec<WaiterId> {
        std::mem::take(&mut self.stirred)
    }

    /// Makes it `now`: what has come to its end is gone, and who waited for it is served.
    fn advance(&mut self, now: Moment) {
        self.advance_with(now, Vec::new());
    }

    /// As [`advance`](Self::advance), where these places have become free as well.
    fn advance_with(&mut self, now: Moment, mut freed: Vec<Place>) {
        self.now = self.now.max(now);
        while let Some(&(end, generation)) = self.ends.first() {
            if end > self.now {
                break;
            }
            self.ends.pop_first();
            freed.extend(self.remove(generation));
        }
        self.settle(&freed);
    }

    /// Takes a lease out and returns where it was.
    fn remove(&mut self, generation: Generation) -> Option<Place> {
        let held = self.leases.remove(&generation)?;
        self.ends.remove(&(held.expires_at(), generation));
        self.by_place.remove(&held.place, generation);
        if let Some(generations) = self.by_holder.get_mut(&held.holder) {
            generations.remove(&generation);
            if generations.is_empty() {
                self.by_holder.remove(&held.holder);
            }
        }
        Some(held.place)
    }

    /// The leases that `place` may contain or lie in, in the order in which they were claimed.
    fn touching(&self, place: &Place) -> impl Iterator<Item = (Generation, &Held)> {
        self.touched(place).into_iter().map(|it| (it.generation, it.held))
    }

    /// As [`touching`](Self::touching), with how the two lie.
    fn touched(&self, place: &Place) -> Vec<Touched<'_>> {
        let mut found = Vec::new();
        self.by_place.touching(place, |generation| {
            let Some(held) = self.leases.get(&generation) else { return };
            let (inside, around) = (place.under(&held.place), held.place.under(place));
            if inside.forbids() || around.forbids() {
                found.push(Touched { generation, held, inside, around });
            }
        });
        found.sort_unstable_by_key(|it| it.generation);
        found
    }

    /// The leases of `holder`, in the order in which they were claimed.
    fn of_holder(&self, holder: &Holder) -> impl Iterator<Item = (Generation, &Held)> {
        let generations = self.by_holder.get(holder).into_iter().flatten();
        generations.filter_map(|it| Some((*it, self.leases.get(it)?)))
    }
}

/// Whether two places may have something in common.
fn collide(one: &Place, other: &Place) -> bool {
    one.under(other).forbids() || other.under(one).forbids()
}

/// Whether two places are certainly the same.
fn same(one: &Place, other: &Place) -> bool {
    // Most pairs differ in the last name, and most of what they are in is the same.
    let is_last_alike = match (one.segments(), other.segments()) {
        ([way @ .., last], [other_way @ .., other_last]) => {
            way.len() == other_way.len() && last.eq_ignore_ascii_case(other_last)
        }
        (one, other) => one.len() == other.len(),
    };
    is_last_alike && one.under(other).allows() && other.under(one).allows()
}
