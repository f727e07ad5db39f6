//! Leases that are given back.

use mcp_provider::location::Place;

use crate::ledger::queue::State;
use crate::ledger::{Generation, Ledger};
use crate::{Holder, Moment, Refusal, Released, WaiterId};

impl Ledger {
    /// Gives back what `holder` has on exactly these places, or all it has where none are named.
    ///
    /// What a call is under way on counts as given back, and ends with the call.
    pub fn release(&mut self, now: Moment, holder: &Holder, places: Option<&[Place]>) -> Released {
        self.advance(now);
        let mut answer = Released::default();
        let mut generations = Vec::new();
        match places {
            None => generations = self.held_by(holder),
            Some(places) => {
                for place in places {
                    let own = self.own(holder, place).filter(|it| {
                        self.leases.get(it).is_some_and(|held| !held.is_pending)
                            && !generations.contains(it)
                    });
                    match own {
                        Some(generation) => generations.push(generation),
                        None => answer.not_held.push(place.clone()),
                    }
                }
            }
        }
        let released = generations.iter().filter_map(|it| self.leases.get(it));
        answer.released = released.map(|held| held.place.clone()).collect();
        let freed = self.give_back(&generations);
        self.settle(&freed);
        answer
    }

    /// Gives back all that `holder` has, and ends its waits; how many leases that were.
    ///
    /// It is for a holder that has come to its end, with all its calls.
    pub fn release_holder(&mut self, now: Moment, holder: &Holder) -> usize {
        self.advance(now);
        let waiters = self.waiters_by_holder.get(holder).into_iter().flatten().copied();
        self.withdraw(&waiters.collect::<Vec<_>>());
        let generations = self.held_by(holder);
        let freed = self.give_back(&generations);
        self.settle(&freed);
        generations.len()
    }

    /// Gives back everything, and ends all waits; how many leases that were.
    ///
    /// What is there afterwards, calls are under way on.
    pub fn release_all(&mut self, now: Moment) -> usize {
        self.advance(now);
        self.withdraw(&self.waiters.keys().copied().collect::<Vec<_>>());
        let held = self.leases.iter().filter(|(_, held)| !held.is_pending);
        let generations: Vec<Generation> = held.map(|(it, _)| *it).collect();
        let freed = self.give_back(&generations);
        self.settle(&freed);
        generations.len()
    }

    /// Ends these leases, at once or with the call that is under way; the places that are free.
    pub(super) fn give_back(&mut self, generations: &[Generation]) -> Vec<Place> {
        let mut freed = Vec::new();
        for generation in generations {
            match self.leases.get_mut(generation) {
                Some(held) if held.pins > 0 => held.is_pending = true,
                _ => freed.extend(self.remove(*generation)),
            }
        }
        freed
    }

    /// What `holder` has and did not give back yet.
    fn held_by(&self, holder: &Holder) -> Vec<Generation> {
        self.of_holder(holder).filter(|(_, held)| !held.is_pending).map(|(it, _)| it).collect()
    }

    fn withdraw(&mut self, waiters: &[WaiterId]) {
        for id in waiters {
            self.end_wait(*id, State::Refused(Refusal::Withdrawn));
        }
    }
}
