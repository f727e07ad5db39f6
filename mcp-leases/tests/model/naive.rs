//! A table of leases as one would write it down first: lists, and no index, no order of ends.

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_leases::{Claim, HoldAndWait, Holder, Moment, PinId, WaiterId};
use mcp_provider::location::Place;

#[derive(Clone, Debug)]
pub(crate) struct Lease {
    pub(crate) number: u64,
    pub(crate) place: Place,
    pub(crate) holder: Holder,
    pub(crate) acquired_at: Moment,
    pub(crate) ttl: Duration,
    pub(crate) is_pending: bool,
    made_for: Option<WaiterId>,
}

#[derive(Clone, Debug)]
pub(crate) struct Waiter {
    pub(crate) id: WaiterId,
    pub(crate) claim: Claim,
    pub(crate) fate: Option<Fate>,
}

/// What a claim came to.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) enum Fate {
    /// The numbers of the leases.
    Granted(Vec<u64>),
    Conflict,
    Deadlock,
    HoldAndWait,
    NoPaths,
    TooMany,
    Withdrawn,
    Waiting,
}

#[derive(Debug, Default)]
pub(crate) struct Naive {
    pub(crate) limit: usize,
    pub(crate) now: Moment,
    pub(crate) leases: Vec<Lease>,
    pub(crate) waiters: Vec<Waiter>,
    pub(crate) pins: Vec<(PinId, Holder, BTreeSet<u64>)>,
    pub(crate) count: u64,
}

pub(crate) fn collide(one: &Place, other: &Place) -> bool {
    one.under(other).forbids() || other.under(one).forbids()
}

fn same(one: &Place, other: &Place) -> bool {
    one.under(other).allows() && other.under(one).allows()
}

impl Naive {
    /// Makes it `now`.  Every operation begins so.
    pub(crate) fn advance(&mut self, now: Moment) {
        self.now = self.now.max(now);
        let (pins, now) = (self.pins.clone(), self.now);
        self.leases.retain(|it| is_pinned(&pins, it.number) || ends(it) > now && !it.is_pending);
        self.serve();
    }

    fn is_live(&self, lease: &Lease) -> bool {
        !lease.is_pending && ends(lease) > self.now
    }

    fn serve(&mut self) {
        for position in 0..self.waiters.len() {
            let Waiter { id, claim, fate: None } = self.waiters[position].clone() else { continue };
            if self.in_the_way(&claim).is_empty() {
                let fate = match self.wrong_with(&claim) {
                    Some(fate) => fate,
                    None => self.grant(&claim, Some(id)),
                };
                self.waiters[position].fate = Some(fate);
                self.break_circles(&claim.holder);
            }
        }
    }

    fn wrong_with(&self, claim: &Claim) -> Option<Fate> {
        if claim.places.is_empty() {
            return Some(Fate::NoPaths);
        }
        let mut all: Vec<&Place> = Vec::new();
        all.extend(self.leases.iter().filter(|it| it.holder == claim.holder).map(|it| &it.place));
        for place in &claim.places {
            if !all.iter().any(|it| same(it, place)) {
                all.push(place);
            }
        }
        (all.len() > self.limit || claim.places.len() > self.limit).then_some(Fate::TooMany)
    }

    /// The other holders in the way, once for each lease and each path.
    pub(crate) fn in_the_way(&self, claim: &Claim) -> Vec<(Place, u64, Holder)> {
        let mut found = Vec::new();
        for place in &claim.places {
            for lease in &self.leases {
                if lease.holder != claim.holder && collide(&lease.place, place) {
                    found.push((place.clone(), lease.number, lease.holder.clone()));
                }
            }
        }
        found
    }

    fn grant(&mut self, claim: &Claim, made_for: Option<WaiterId>) -> Fate {
        let ttl = claim.ttl.unwrap();
        let mut numbers = Vec::new();
        for place in &claim.places {
            let now = self.now;
            let own = self
                .leases
                .iter_mut()
                .find(|it| it.holder == claim.holder && same(&it.place, place));
            if let Some(own) = own {
                (own.acquired_at, own.ttl, own.is_pending) = (now, ttl, false);
                if own.made_for != made_for {
                    own.made_for = None;
                }
                numbers.push(own.number);
                continue;
            }
            self.count += 1;
            numbers.push(self.count);
            self.leases.push(Lease {
                number: self.count,
                place: place.clone(),
                holder: claim.holder.clone(),
                acquired_at: now,
                ttl,
                is_pending: false,
                made_for,
            });
        }
        Fate::Granted(numbers)
    }

    pub(crate) fn acquire(&mut self, claim: &Claim) -> Fate {
        if let Some(fate) = self.wrong_with(claim) {
            return fate;
        }
        if !self.in_the_way(claim).is_empty() {
            return Fate::Conflict;
        }
        let fate = self.grant(claim, None);
        self.break_circles(&claim.holder);
        fate
    }

    pub(crate) fn enqueue(&mut self, claim: &Claim, hold: HoldAndWait, id: WaiterId) -> Fate {
        let fate = self.acquire(claim);
        if fate != Fate::Conflict {
            return fate;
        }
        let holds = self.leases.iter().any(|it| it.holder == claim.holder && self.is_live(it));
        if hold == HoldAndWait::Refuse && holds {
            return Fate::HoldAndWait;
        }
        self.waiters.push(Waiter { id, claim: claim.clone(), fate: None });
        if self.reaches(&claim.holder, &claim.holder) {
            self.waiters.pop();
            return Fate::Deadlock;
        }
        Fate::Waiting
    }

    pub(crate) fn look(&mut self, id: WaiterId) -> Fate {
        let Some(position) = self.waiters.iter().position(|it| it.id == id) else {
            return Fate::Withdrawn;
        };
        if let Some(Fate::Granted(numbers)) = &self.waiters[position].fate {
            let live = |number: &u64| {
                self.leases.iter().any(|it| it.number == *number && self.is_live(it))
            };
            if !numbers.iter().all(live) {
                self.waiters[position].fate = None;
                self.serve();
            }
        }
        let Some(fate) = self.waiters[position].fate.clone() else { return Fate::Waiting };
        self.waiters.remove(position);
        if let Fate::Granted(numbers) = &fate {
            for lease in &mut self.leases {
                if numbers.contains(&lease.number) {
                    lease.made_for = None;
                }
            }
        }
        fate
    }

    pub(crate) fn leave(&mut self, id: WaiterId) -> bool {
        let Some(position) = self.waiters.iter().position(|it| it.id == id) else { return false };
        self.waiters.remove(position);
        self.give_back(|it| it.made_for == Some(id));
        true
    }

    /// Gives back all that are chosen; the numbers of those that were not given back before.
    pub(crate) fn give_back(&mut self, chosen: impl Fn(&Lease) -> bool) -> Vec<u64> {
        let mut given = Vec::new();
        for lease in self.leases.iter_mut().filter(|it| !it.is_pending && chosen(it)) {
            lease.is_pending = true;
            given.push(lease.number);
        }
        self.advance(self.now);
        given
    }

    pub(crate) fn release(&mut self, holder: &Holder, places: Option<&[Place]>) -> Vec<u64> {
        self.give_back(|it| {
            it.holder == *holder && places.is_none_or(|all| all.iter().any(|p| same(p, &it.place)))
        })
    }

    /// Gives back all of `holder`, or of everybody, and ends their waits.
    pub(crate) fn withdraw(&mut self, holder: Option<&Holder>) -> usize {
        for waiter in &mut self.waiters {
            if holder.is_none_or(|it| *it == waiter.claim.holder) {
                waiter.fate = Some(Fate::Withdrawn);
            }
        }
        self.give_back(|it| holder.is_none_or(|holder| *holder == it.holder)).len()
    }

    pub(crate) fn pin(&mut self, holder: &Holder, places: &[Place], id: PinId) -> bool {
        let numbers: Option<BTreeSet<u64>> =
            places.iter().map(|place| self.own(holder, place)).collect();
        self.keep(holder, numbers.unwrap_or_default(), id)
    }

    /// Pins what is the holder's own, whatever the rest is.
    pub(crate) fn admit(&mut self, holder: &Holder, places: &[Place], id: PinId) -> bool {
        let numbers = places.iter().filter_map(|place| self.own(holder, place)).collect();
        self.keep(holder, numbers, id)
    }

    fn own(&self, holder: &Holder, place: &Place) -> Option<u64> {
        let own = |it: &&Lease| {
            it.holder == *holder && self.is_live(it) && place.under(&it.place).allows()
        };
        self.leases.iter().find(own).map(|it| it.number)
    }

    fn keep(&mut self, holder: &Holder, numbers: BTreeSet<u64>, id: PinId) -> bool {
        let is_pinned = !numbers.is_empty();
        self.pins.extend(is_pinned.then(|| (id, holder.clone(), numbers)));
        is_pinned
    }

    pub(crate) fn unpin(&mut self, id: PinId, now: Moment) -> bool {
        let before = self.pins.len();
        self.pins.retain(|(it, ..)| *it != id);
        self.advance(now);
        self.pins.len() < before
    }

    /// Refuses the youngest waits of `holder` that close a circle.
    fn break_circles(&mut self, holder: &Holder) {
        while self.reaches(holder, holder) {
            let next = self.next_on_circle(holder);
            let closing = self.waiters.iter().rposition(|it| {
                let is_own = it.claim.holder == *holder && it.fate.is_none();
                is_own && self.first_steps(&it.claim).contains(&next)
            });
            self.waiters[closing.unwrap()].fate = Some(Fate::Deadlock);
        }
    }

    fn first_steps(&self, claim: &Claim) -> BTreeSet<Holder> {
        let live =
            |number: u64| self.leases.iter().any(|it| it.number == number && self.is_live(it));
        let all = self.in_the_way(claim).into_iter().filter(|(_, number, _)| live(*number));
        all.map(|(_, _, holder)| holder).collect()
    }

    pub(crate) fn waits_for(&self, holder: &Holder) -> BTreeSet<Holder> {
        let own = self.waiters.iter().filter(|it| it.claim.holder == *holder && it.fate.is_none());
        own.flat_map(|it| self.first_steps(&it.claim)).collect()
    }

    /// The first holder, by name, over which a circle leads from `holder` back to it.
    fn next_on_circle(&self, holder: &Holder) -> Holder {
        let mut next = self.waits_for(holder).into_iter();
        next.find(|it| it == holder || self.reaches(it, holder)).unwrap()
    }

    /// Whether waiting leads from `from` to `to`, over one step at least.
    fn reaches(&self, from: &Holder, to: &Holder) -> bool {
        let mut reached = self.waits_for(from);
        loop {
            let more: BTreeSet<Holder> = reached.iter().flat_map(|it| self.waits_for(it)).collect();
            let before = reached.len();
            reached.extend(more);
            if reached.len() == before {
                return reached.contains(to);
            }
        }
    }
}

fn ends(lease: &Lease) -> Moment {
    lease.acquired_at.after(lease.ttl)
}

fn is_pinned(pins: &[(PinId, Holder, BTreeSet<u64>)], number: u64) -> bool {
    pins.iter().any(|(_, _, numbers)| numbers.contains(&number))
}
