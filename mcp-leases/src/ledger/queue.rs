//! Claims that wait, and what becomes of them.

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_provider::location::Place;

use crate::ledger::{Generation, Ledger, collide};
use crate::{Claim, Claimed, HoldAndWait, Holder, Moment, Queued, Refusal, WaiterId};

/// A claim that waits, or that nobody has asked about since it was settled.
#[derive(Debug)]
pub(super) struct Waiter {
    pub(super) claim: Claim,
    pub(super) since: Moment,
    pub(super) state: State,
    /// When it will look again by itself.
    alarm: Option<Moment>,
}

#[derive(Debug)]
pub(super) enum State {
    Waiting,
    Granted(Vec<Generation>),
    Refused(Refusal),
}

/// How it stands with a claim that waits.
#[allow(clippy::exhaustive_enums, reason = "it is settled, or not yet")]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Look {
    /// It is settled, and gone from the table.
    Settled(Claimed),
    /// It waits: look again when it is stirred, and at this moment if there is one.
    Waiting {
        /// When the next of the leases in its way ends.
        until: Option<Moment>,
    },
}

impl Ledger {
    /// Claims paths as [`acquire`](Self::acquire) does, and waits for those that others hold.
    ///
    /// The claim has its place in the queue until it is settled or [leaves](Self::leave).  Who
    /// asks once is served once there is nothing in its way: after those who began to wait for
    /// the same earlier, but not after those who still have to wait for something else.
    pub fn enqueue(&mut self, now: Moment, claim: Claim, hold: HoldAndWait) -> Queued {
        self.advance(now);
        let ttl = match self.admissible(&claim) {
            Ok(ttl) => ttl,
            Err(refusal) => return Queued::Settled(Claimed::Refused(refusal)),
        };
        let conflicts = self.conflicts(&claim);
        if conflicts.is_empty() {
            let generations = self.grant(&claim, ttl, None);
            self.end_deadlocks(&claim.holder);
            return Queued::Settled(Claimed::Granted(self.leases_of(&generations)));
        }
        let holds = self.of_holder(&claim.holder).any(|(_, held)| held.is_live(self.now));
        if hold == HoldAndWait::Refuse && holds {
            return Queued::Settled(Claimed::Refused(Refusal::HoldAndWait { conflicts }));
        }
        let holder = claim.holder.clone();
        let waiter = self.add_waiter(claim);
        if let Some(cycle) = self.cycle_from(&holder) {
            self.remove_waiter(waiter);
            return Queued::Settled(Claimed::Refused(Refusal::Deadlock { conflicts, cycle }));
        }
        Queued::Waiting { waiter, conflicts }
    }

    /// Says how it stands with a claim that waits; once it is settled, this says so once.
    pub fn look(&mut self, now: Moment, waiter: WaiterId) -> Look {
        self.advance(now);
        if let Some(claimed) = self.settled(waiter) {
            self.remove_waiter(waiter);
            return Look::Settled(claimed);
        }
        let until = self.next_end(waiter);
        if let Some(waiting) = self.waiters.get_mut(&waiter) {
            waiting.alarm = until;
        }
        Look::Waiting { until }
    }

    /// Takes a claim out of the queue, with the leases it got and never heard of.
    ///
    /// Says whether it was there.
    pub fn leave(&mut self, now: Moment, waiter: WaiterId) -> bool {
        self.advance(now);
        let Some(gone) = self.remove_waiter(waiter) else { return false };
        if let State::Granted(generations) = gone.state {
            let unheard = generations
                .into_iter()
                .filter(|it| self.leases.get(it).is_some_and(|held| held.made_for == Some(waiter)));
            let unheard: Vec<Generation> = unheard.collect();
            let freed = self.give_back(&unheard);
            self.settle(&freed);
        }
        true
    }

    /// Serves those who wait for something that became free.
    pub(super) fn settle(&mut self, freed: &[Place]) {
        if freed.is_empty() || self.waiters.is_empty() {
            return;
        }
        let mut candidates = BTreeSet::new();
        for place in freed {
            self.wanted.touching(place, |waiter| {
                candidates.insert(waiter);
            });
        }
        // What has just been taken tells most of those who come after that it is not their turn.
        let mut taken: Vec<(Holder, Place)> = Vec::new();
        for id in candidates {
            let Some(waiter) = self.waiters.get(&id) else { continue };
            let claim = &waiter.claim;
            let is_late = claim.places.iter().any(|place| {
                taken.iter().any(|(by, it)| *by != claim.holder && collide(it, place))
            });
            if is_late || !self.serve(id) {
                continue;
            }
            let Some(Waiter { claim, .. }) = self.waiters.get(&id) else { continue };
            taken.extend(claim.places.iter().map(|place| (claim.holder.clone(), place.clone())));
        }
    }

    /// Gives a claim that waits what it wants, if nothing is in its way, and says whether it did.
    fn serve(&mut self, id: WaiterId) -> bool {
        let Some(waiter) = self.waiters.get(&id) else { return false };
        if !matches!(waiter.state, State::Waiting) || self.is_blocked(&waiter.claim) {
            return false;
        }
        let claim = waiter.claim.clone();
        let (state, is_served) = match self.admissible(&claim) {
            Ok(ttl) => (State::Granted(self.grant(&claim, ttl, Some(id))), true),
            Err(refusal) => (State::Refused(refusal), false),
        };
        self.end_wait(id, state);
        self.end_deadlocks(&claim.holder);
        is_served
    }

    /// Settles a claim that waits; who waits with it hears of it at the next look.
    pub(super) fn end_wait(&mut self, id: WaiterId, state: State) {
        if let Some(waiter) = self.waiters.get_mut(&id) {
            waiter.state = state;
            self.stirred.push(id);
        }
    }

    /// Whether a lease of somebody else is in the way of `claim`.
    fn is_blocked(&self, claim: &Claim) -> bool {
        let mut places = claim.places.iter();
        places.any(|place| self.touching(place).any(|(_, held)| held.holder != claim.holder))
    }

    /// What became of a claim, if it is settled.
    fn settled(&mut self, id: WaiterId) -> Option<Claimed> {
        if matches!(self.state(id), Some(State::Granted(it)) if !self.all_live(it)) {
            // They ended before anybody heard of them.
            if let Some(waiter) = self.waiters.get_mut(&id) {
                waiter.state = State::Waiting;
            }
            self.serve(id);
        }
        let generations = match self.state(id) {
            None => return Some(Claimed::Refused(Refusal::Withdrawn)),
            Some(State::Waiting) => return None,
            Some(State::Refused(refusal)) => return Some(Claimed::Refused(refusal.clone())),
            Some(State::Granted(generations)) => generations.clone(),
        };
        for generation in &generations {
            if let Some(held) = self.leases.get_mut(generation) {
                held.made_for = None;
            }
        }
        Some(Claimed::Granted(self.leases_of(&generations)))
    }

    fn state(&self, id: WaiterId) -> Option<&State> {
        self.waiters.get(&id).map(|waiter| &waiter.state)
    }

    fn all_live(&self, generations: &[Generation]) -> bool {
        let mut held = generations.iter().map(|it| self.leases.get(it));
        held.all(|held| held.is_some_and(|held| held.is_live(self.now)))
    }

    /// When the next lease ends that is in the way of `waiter`.
    fn next_end(&self, waiter: WaiterId) -> Option<Moment> {
        let claim = &self.waiters.get(&waiter)?.claim;
        let ends = claim.places.iter().flat_map(|place| self.touching(place));
        let others = ends.filter(|(_, held)| held.holder != claim.holder);
        // Those that are past their end are pinned, and end with a call.
        others.map(|(_, held)| held.expires_at()).filter(|end| *end > self.now).min()
    }

    /// Wakes those who want `place` and would sleep beyond `end`.
    pub(super) fn stir_before(&mut self, place: &Place, end: Moment) {
        let mut stirred = Vec::new();
        self.wanted.touching(place, |waiter| stirred.push(waiter));
        let sleeps_on = |it: &WaiterId| {
            self.waiters.get(it).is_some_and(|it| it.alarm.is_none_or(|alarm| alarm > end))
        };
        stirred.retain(sleeps_on);
        self.stirred.extend(stirred);
    }

    /// The holders in the way of a claim that waits, sorted.
    pub(super) fn blockers(&self, waiter: &Waiter) -> BTreeSet<&Holder> {
        let Waiter { claim, state: State::Waiting, .. } = waiter else { return BTreeSet::new() };
        let held = claim.places.iter().flat_map(|place| self.touching(place));
        held.map(|(_, held)| &held.holder).filter(|it| **it != claim.holder).collect()
    }

    fn add_waiter(&mut self, claim: Claim) -> WaiterId {
        self.counts.waiters += 1;
        let id = WaiterId::new(self.counts.waiters);
        for place in &claim.places {
            self.wanted.insert(place, id);
        }
        self.waiters_by_holder.entry(claim.holder.clone()).or_default().insert(id);
        let waiter = Waiter { claim, since: self.now, state: State::Waiting, alarm: None };
        self.waiters.insert(id, waiter);
        id
    }

    fn remove_waiter(&mut self, id: WaiterId) -> Option<Waiter> {
        let waiter = self.waiters.remove(&id)?;
        for place in &waiter.claim.places {
            self.wanted.remove(place, id);
        }
        if let Some(ids) = self.waiters_by_holder.get_mut(&waiter.claim.holder) {
            ids.remove(&id);
            if ids.is_empty() {
                self.waiters_by_holder.remove(&waiter.claim.holder);
            }
        }
        Some(waiter)
    }

    /// How long `waiter` has waited.
    pub(super) fn waiting_for(&self, waiter: &Waiter) -> Duration {
        self.now.since(waiter.since)
    }
}
