//! Holders that wait for each other in a circle.

use std::collections::{BTreeSet, HashSet};

use crate::ledger::Ledger;
use crate::ledger::queue::State;
use crate::{Claim, Holder, Refusal, WaiterId};

impl Ledger {
    /// A circle of waiting that leads from `start` back to it, of any length.
    ///
    /// Leases that only a call keeps are not counted: they end with it, whoever waits.
    pub(super) fn cycle_from(&self, start: &Holder) -> Option<Vec<Holder>> {
        let mut seen = HashSet::new();
        // The way from `start` to where we are, and at each step what else can be reached.
        let mut way = vec![(start.clone(), self.waits_for(start))];
        while let Some((_, next)) = way.last_mut() {
            let Some(holder) = next.pop_first() else {
                way.pop();
                continue;
            };
            if holder == *start {
                let mut cycle: Vec<Holder> = way.into_iter().map(|(holder, _)| holder).collect();
                cycle.push(holder);
                return Some(cycle);
            }
            if seen.insert(holder.clone()) {
                let next = self.waits_for(&holder);
                way.push((holder, next));
            }
        }
        None
    }

    /// Refuses the waits of `holder` that close a circle, now that it has what others wait for.
    pub(super) fn end_deadlocks(&mut self, holder: &Holder) {
        while let Some(cycle) = self.cycle_from(holder) {
            let Some(next) = cycle.get(1) else { return };
            let closing =
                self.waiting(holder).filter(|(_, claim)| self.waits(claim).contains(next));
            let Some((id, claim)) = closing.last() else { return };
            let conflicts = self.conflicts(claim);
            self.end_wait(id, State::Refused(Refusal::Deadlock { conflicts, cycle }));
        }
    }

    /// Whom `holder` waits for, all its waits taken together.
    fn waits_for(&self, holder: &Holder) -> BTreeSet<Holder> {
        self.waiting(holder).flat_map(|(_, claim)| self.waits(claim)).collect()
    }

    fn waiting(&self, holder: &Holder) -> impl Iterator<Item = (WaiterId, &Claim)> {
        let ids = self.waiters_by_holder.get(holder).into_iter().flatten();
        let waiters = ids.filter_map(|id| Some((*id, self.waiters.get(id)?)));
        waiters.filter(|(_, it)| matches!(it.state, State::Waiting)).map(|(id, it)| (id, &it.claim))
    }

    fn waits(&self, claim: &Claim) -> BTreeSet<Holder> {
        let held = claim.places.iter().flat_map(|place| self.touching(place));
        let others = held.filter(|(_, held)| held.holder != claim.holder && held.is_live(self.now));
        others.map(|(_, held)| held.holder.clone()).collect()
    }
}
