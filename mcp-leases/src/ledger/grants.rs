//! Claims, and the leases that come of them.

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_provider::location::Place;

use crate::ledger::{Generation, Ledger, same};
use crate::{Claim, Claimed, Conflict, Holder, Lease, Moment, Refusal, WaiterId};

/// A lease.
#[derive(Debug)]
pub(super) struct Held {
    pub(super) place: Place,
    pub(super) holder: Holder,
    pub(super) acquired_at: Moment,
    pub(super) ttl: Duration,
    /// How many calls are under way on it.
    pub(super) pins: usize,
    /// Given back while a call was under way: it ends with the call.
    pub(super) is_pending: bool,
    /// The waiter it was made for, as long as that one has not heard of it.
    pub(super) made_for: Option<WaiterId>,
}

impl Held {
    pub(super) fn expires_at(&self) -> Moment {
        self.acquired_at.after(self.ttl)
    }

    /// Whether its holder still has it: what is kept for a call alone, nobody has.
    pub(super) fn is_live(&self, now: Moment) -> bool {
        !self.is_pending && self.expires_at() > now
    }

    pub(super) fn to_lease(&self, now: Moment) -> Lease {
        Lease {
            place: self.place.clone(),
            holder: self.holder.clone(),
            acquired_at: self.acquired_at,
            ttl: self.ttl,
            expires_at: self.expires_at(),
            held_for: now.since(self.acquired_at),
            expires_in: self.expires_at().since(now),
        }
    }
}

impl Ledger {
    /// Claims paths, all of them or none, at once or not at all.
    ///
    /// Who holds a path already, and claims it again, holds it from now on for the new time.  Its
    /// own leases are in nobody's way.
    pub fn acquire(&mut self, now: Moment, claim: &Claim) -> Claimed {
        self.advance(now);
        let ttl = match self.admissible(claim) {
            Ok(ttl) => ttl,
            Err(refusal) => return Claimed::Refused(refusal),
        };
        let conflicts = self.conflicts(claim);
        if !conflicts.is_empty() {
            return Claimed::Refused(Refusal::Conflict { conflicts });
        }
        let generations = self.grant(claim, ttl, None);
        self.end_deadlocks(&claim.holder);
        Claimed::Granted(self.leases_of(&generations))
    }

    /// How long the claim is for, if there is nothing wrong with the claim itself.
    pub(super) fn admissible(&self, claim: &Claim) -> Result<Duration, Refusal> {
        let ttl = self.limits.ttl(claim.ttl).ok_or(Refusal::InvalidTtl)?;
        if claim.places.is_empty() {
            return Err(Refusal::NoPaths);
        }
        let limit = self.limits.leases_per_holder;
        let count = self.by_holder.get(&claim.holder).map_or(0, BTreeSet::len);
        if count.saturating_add(claim.places.len()) <= limit {
            return Ok(ttl);
        }
        // Too many, unless some of them are claimed again.
        if claim.places.len() > limit || count.saturating_add(self.new_in(claim)) > limit {
            return Err(Refusal::TooMany { limit });
        }
        Ok(ttl)
    }

    /// How many leases a claim would add.
    fn new_in(&self, claim: &Claim) -> usize {
        let new = claim.places.iter().enumerate().filter(|(position, place)| {
            let earlier = claim.places.get(..*position).unwrap_or_default();
            self.own(&claim.holder, place).is_none() && !earlier.iter().any(|it| same(it, place))
        });
        new.count()
    }

    /// The leases of others that are in the way of `claim`.
    pub(super) fn conflicts(&self, claim: &Claim) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for place in &claim.places {
            let others = self.touching(place).filter(|(_, held)| held.holder != claim.holder);
            conflicts.extend(others.map(|(_, held)| Conflict {
                place: place.clone(),
                leased: held.place.clone(),
                holder: held.holder.clone(),
                held_for: self.now.since(held.acquired_at),
            }));
        }
        conflicts
    }

    /// Makes the leases that `claim` asks for, and makes its own ones new.
    pub(super) fn grant(
        &mut self,
        claim: &Claim,
        ttl: Duration,
        made_for: Option<WaiterId>,
    ) -> Vec<Generation> {
        let mut generations = Vec::with_capacity(claim.places.len());
        for place in &claim.places {
            let generation = match self.own(&claim.holder, place) {
                Some(generation) => self.renew(generation, ttl, made_for),
                None => self.insert(claim, place, ttl, made_for),
            };
            generations.push(generation);
            self.stir_before(place, self.now.after(ttl));
        }
        generations
    }

    pub(super) fn leases_of(&self, generations: &[Generation]) -> Vec<Lease> {
        let held = generations.iter().filter_map(|it| self.leases.get(it));
        held.map(|held| held.to_lease(self.now)).collect()
    }

    /// The lease that `holder` has on exactly this place.
    pub(super) fn own(&self, holder: &Holder, place: &Place) -> Option<Generation> {
        let mut own = self.touching(place);
        own.find(|(_, held)| held.holder == *holder && same(&held.place, place)).map(|(it, _)| it)
    }

    fn insert(
        &mut self,
        claim: &Claim,
        place: &Place,
        ttl: Duration,
        made_for: Option<WaiterId>,
    ) -> Generation {
        self.counts.leases += 1;
        let generation = self.counts.leases;
        let held = Held {
            place: place.clone(),
            holder: claim.holder.clone(),
            acquired_at: self.now,
            ttl,
            pins: 0,
            is_pending: false,
            made_for,
        };
        self.ends.insert((held.expires_at(), generation));
        self.by_place.insert(place, generation);
        self.by_holder.entry(claim.holder.clone()).or_default().insert(generation);
        self.leases.insert(generation, held);
        generation
    }

    fn renew(
        &mut self,
        generation: Generation,
        ttl: Duration,
        made_for: Option<WaiterId>,
    ) -> Generation {
        if let Some(held) = self.leases.get_mut(&generation) {
            self.ends.remove(&(held.expires_at(), generation));
            held.acquired_at = self.now;
            held.ttl = ttl;
            held.is_pending = false;
            // Who claimed it apart from the waiter keeps it when the waiter leaves.
            held.made_for = held.made_for.filter(|waiter| Some(*waiter) == made_for);
            if held.pins == 0 {
                self.ends.insert((held.expires_at(), generation));
            }
        }
        generation
    }
}
