//! Whatever happens, the table does what a naive one does.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod naive;

use std::collections::BTreeSet;
use std::time::Duration;

use mcp_leases::{
    Admission, Claim, Claimed, Conflict, Cover, HoldAndWait, Holder, Ledger, Limits, Look, Moment,
    PinId, Queued, Refusal, WaiterId,
};
use mcp_provider::location::{PathStyle, Place};
use proptest::prelude::*;

use crate::naive::{Fate, Naive, collide};

#[derive(Clone, Debug)]
enum Operation {
    Acquire { who: usize, paths: Vec<usize>, ttl: u64 },
    Enqueue { who: usize, paths: Vec<usize>, ttl: u64, may_hold: bool },
    Look(usize),
    Leave(usize),
    Release { who: usize, paths: Option<Vec<usize>> },
    ReleaseHolder(usize),
    ReleaseAll,
    Pin { who: usize, paths: Vec<usize> },
    Admit { who: usize, paths: Vec<usize>, guesses: Vec<usize> },
    Unpin(usize),
    Pass(u64),
}

fn operation() -> impl Strategy<Value = Operation> {
    use Operation::*;
    let who = || 0..HOLDERS.len();
    let paths = |least| prop::collection::vec(0..PATHS.len(), least..3);
    let ttl = || 1_u64..40;
    prop_oneof![
        4 => (who(), paths(0), ttl()).prop_map(|(who, paths, ttl)| Acquire { who, paths, ttl }),
        6 => (who(), paths(0), ttl(), any::<bool>())
            .prop_map(|(who, paths, ttl, may_hold)| Enqueue { who, paths, ttl, may_hold }),
        3 => any::<usize>().prop_map(Look),
        2 => any::<usize>().prop_map(Leave),
        2 => (who(), prop::option::of(paths(0)))
            .prop_map(|(who, paths)| Release { who, paths }),
        1 => who().prop_map(ReleaseHolder),
        1 => prop_oneof![9 => (1_u64..20).prop_map(Pass), 1 => Just(ReleaseAll)],
        3 => (who(), paths(0)).prop_map(|(who, paths)| Pin { who, paths }),
        3 => (who(), paths(0), paths(0))
            .prop_map(|(who, paths, guesses)| Admit { who, paths, guesses }),
        2 => any::<usize>().prop_map(Unpin),
        4 => (1_u64..20).prop_map(Pass),
    ]
}

/// The table, the naive one, and what both were told so far.
struct Both {
    table: Ledger,
    naive: Naive,
    now: Moment,
    waiters: Vec<WaiterId>,
    pins: Vec<PinId>,
    /// How many waiters and pins there have been.
    counts: (u64, u64),
    /// The waiters that were served and have yet to hear of it.
    settled: BTreeSet<WaiterId>,
}

impl Both {
    fn new() -> Self {
        let limits = Limits::default().with_leases_per_holder(LIMIT);
        Self {
            table: Ledger::new(limits).unwrap(),
            naive: Naive { limit: LIMIT, ..Naive::default() },
            now: Moment::default(),
            waiters: Vec::new(),
            pins: Vec::new(),
            counts: (0, 0),
            settled: BTreeSet::new(),
        }
    }

    fn run(&mut self, operation: &Operation) {
        let now = self.now;
        if !matches!(operation, Operation::Unpin(_)) {
            self.naive.advance(now);
        }
        match operation {
            Operation::Acquire { who, paths, ttl } => {
                let claim = claim(*who, paths, *ttl);
                let conflicts = self.naive.in_the_way(&claim);
                let expected = self.naive.acquire(&claim);
                let claimed = self.table.acquire(now, &claim);
                self.compare(&claimed, &expected, &conflicts);
            }
            Operation::Enqueue { who, paths, ttl, may_hold } => self.enqueue(
                &claim(*who, paths, *ttl),
                if *may_hold { HoldAndWait::Allow } else { HoldAndWait::Refuse },
            ),
            Operation::Look(which) => {
                let Some(id) = pick(&self.waiters, *which) else { return };
                let expected = self.naive.look(id);
                match self.table.look(now, id) {
                    Look::Waiting { .. } => assert_eq!(expected, Fate::Waiting),
                    Look::Settled(claimed) => self.compare(&claimed, &expected, &[]),
                }
            }
            Operation::Leave(which) => {
                let Some(id) = pick(&self.waiters, *which) else { return };
                assert_eq!(self.table.leave(now, id), self.naive.leave(id));
            }
            Operation::Release { who, paths } => {
                let places = paths.as_ref().map(|paths| places(paths));
                let released = self.table.release(now, &holder(*who), places.as_deref());
                let expected = self.naive.release(&holder(*who), places.as_deref());
                assert_eq!(released.released.len(), expected.len());
                let named = places.map_or(expected.len(), |places| places.len());
                assert_eq!(released.released.len() + released.not_held.len(), named);
            }
            Operation::ReleaseHolder(who) => {
                let count = self.table.release_holder(now, &holder(*who));
                assert_eq!(count, self.naive.withdraw(Some(&holder(*who))));
            }
            Operation::ReleaseAll => {
                assert_eq!(self.table.release_all(now), self.naive.withdraw(None));
            }
            Operation::Pin { who, paths } => {
                let id = PinId::new(self.counts.1 + 1);
                let expected = self.naive.pin(&holder(*who), &places(paths), id);
                let pinned = self.table.pin(now, &holder(*who), &places(paths));
                assert_eq!(pinned.ok(), expected.then_some(id));
                self.counts.1 += u64::from(expected);
                self.pins.extend(expected.then_some(id));
            }
            Operation::Admit { who, paths, guesses } => {
                let (holder, places, guesses) = (holder(*who), places(paths), places(guesses));
                let id = PinId::new(self.counts.1 + 1);
                let all = places.iter().chain(&guesses);
                let covers: Vec<Cover> =
                    all.map(|place| self.table.covering(now, &holder, place)).collect();
                let expected = self.naive.admit(&holder, &places, id);
                let admission = self.table.admit(now, &holder, &places, &guesses);
                assert_eq!(admission, Admission::new(covers, expected.then_some(id)));
                self.counts.1 += u64::from(expected);
                self.pins.extend(expected.then_some(id));
            }
            Operation::Unpin(which) => {
                let Some(id) = pick(&self.pins, *which) else { return };
                assert_eq!(self.table.unpin(now, id), self.naive.unpin(id, now));
            }
            Operation::Pass(time) => self.now = now.after(Duration::from_millis(*time)),
        }
    }

    fn enqueue(&mut self, claim: &Claim, hold: HoldAndWait) {
        let id = WaiterId::new(self.counts.0 + 1);
        let conflicts = self.naive.in_the_way(claim);
        let expected = self.naive.enqueue(claim, hold, id);
        let queued = self.table.enqueue(self.now, claim.clone(), hold);
        // A number is used for a claim that a circle turned away, too.
        self.counts.0 += u64::from(matches!(expected, Fate::Waiting | Fate::Deadlock));
        match queued {
            Queued::Settled(claimed) => self.compare(&claimed, &expected, &conflicts),
            Queued::Waiting { waiter, conflicts: found } => {
                assert_eq!((waiter, &expected), (id, &Fate::Waiting));
                self.compare_conflicts(&found, &conflicts);
                self.waiters.push(waiter);
            }
        }
    }

    fn compare(&self, claimed: &Claimed, expected: &Fate, conflicts: &[(Place, u64, Holder)]) {
        let (found, listed) = match claimed {
            Claimed::Granted(leases) => {
                let Fate::Granted(numbers) = expected else { panic!("{claimed:?} {expected:?}") };
                for (lease, number) in leases.iter().zip(numbers) {
                    let naive = self.naive.leases.iter().find(|it| it.number == *number).unwrap();
                    assert_eq!((&lease.place, &lease.holder), (&naive.place, &naive.holder));
                    assert_eq!((lease.acquired_at, lease.ttl), (naive.acquired_at, naive.ttl));
                }
                assert_eq!(leases.len(), numbers.len());
                return;
            }
            Claimed::Refused(refusal) => match refusal {
                Refusal::Conflict { conflicts } => (Fate::Conflict, Some(conflicts)),
                Refusal::Deadlock { conflicts, cycle } => {
                    assert!(cycle.len() > 1 && cycle.first() == cycle.last(), "{cycle:?}");
                    (Fate::Deadlock, Some(conflicts))
                }
                Refusal::HoldAndWait { conflicts } => (Fate::HoldAndWait, Some(conflicts)),
                Refusal::NoPaths => (Fate::NoPaths, None),
                Refusal::TooMany { .. } => (Fate::TooMany, None),
                Refusal::Withdrawn => (Fate::Withdrawn, None),
                other => panic!("{other:?}"),
            },
        };
        assert_eq!(found, *expected);
        if let (Some(listed), false) = (listed, conflicts.is_empty()) {
            self.compare_conflicts(listed, conflicts);
        }
    }

    fn compare_conflicts(&self, found: &[Conflict], expected: &[(Place, u64, Holder)]) {
        let leased = |number: u64| {
            self.naive.leases.iter().find(|it| it.number == number).map(|it| it.place.clone())
        };
        let found = found.iter().map(|it| (it.place.clone(), it.leased.clone(), it.holder.clone()));
        let expected = expected.iter().map(|(place, number, holder)| {
            (place.clone(), leased(*number).unwrap(), holder.clone())
        });
        assert_eq!(found.collect::<Vec<_>>(), expected.collect::<Vec<_>>());
    }

    /// The two are alike, and what must never be is not.
    fn check(&mut self) {
        let status = self.table.status(self.now);
        self.naive.advance(self.now);

        let found: Vec<_> = status
            .leases
            .iter()
            .map(|it| {
                (
                    it.generation,
                    &it.lease.place,
                    &it.lease.holder,
                    it.lease.acquired_at,
                    it.lease.ttl,
                    it.release_pending,
                    it.pins,
                )
            })
            .collect();
        let expected: Vec<_> = self
            .naive
            .leases
            .iter()
            .map(|it| {
                let pins = self.naive.pins.iter().filter(|(_, _, all)| all.contains(&it.number));
                (
                    it.number,
                    &it.place,
                    &it.holder,
                    it.acquired_at,
                    it.ttl,
                    it.is_pending,
                    pins.count(),
                )
            })
            .collect();
        assert_eq!(found, expected);
        let pins = status.pins.iter().map(|it| {
            (it.id, it.holder.clone(), it.generations.iter().copied().collect::<BTreeSet<u64>>())
        });
        assert_eq!(pins.collect::<Vec<_>>(), self.naive.pins);
        let found: Vec<_> = status
            .waiters
            .iter()
            .map(|it| (it.id, it.blockers.iter().cloned().collect()))
            .collect();
        let expected: Vec<(WaiterId, BTreeSet<Holder>)> = self
            .naive
            .waiters
            .iter()
            .map(|it| {
                let blockers = self.naive.in_the_way(&it.claim).into_iter().map(|(_, _, who)| who);
                (it.id, if it.fate.is_some() { BTreeSet::new() } else { blockers.collect() })
            })
            .collect();
        assert_eq!(found, expected);

        // Never two holders on one path.
        for (position, one) in status.leases.iter().enumerate() {
            for other in &status.leases[position + 1..] {
                let apart = one.lease.holder == other.lease.holder
                    || !collide(&one.lease.place, &other.lease.place);
                assert!(apart, "{one:?} {other:?}");
            }
        }
        // Nobody waits for nothing, and no circle waits.
        for waiter in self.naive.waiters.iter().filter(|it| it.fate.is_none()) {
            assert!(!self.naive.in_the_way(&waiter.claim).is_empty(), "{waiter:?}");
        }
        // Who was served was told so when it was.
        let told = self.table.take_stirred();
        let settled = self.naive.waiters.iter().filter(|it| it.fate.is_some()).map(|it| it.id);
        let settled: BTreeSet<WaiterId> = settled.collect();
        for waiter in settled.difference(&self.settled) {
            assert!(told.contains(waiter), "{waiter:?} is not among {told:?}");
        }
        self.settled = settled;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn the_table_does_what_a_naive_one_does(operations in prop::collection::vec(operation(), 1..120)) {
        let mut both = Both::new();
        for operation in &operations {
            both.run(operation);
            both.check();
        }
        both.naive.withdraw(None);
        both.table.release_all(both.now);
        for id in std::mem::take(&mut both.waiters) {
            both.table.leave(both.now, id);
        }
        for pin in std::mem::take(&mut both.pins) {
            both.table.unpin(both.now, pin);
        }
        prop_assert!(both.table.status(both.now).is_empty());
    }
}

fn pick<T: Copy>(all: &[T], which: usize) -> Option<T> {
    all.get(which.checked_rem(all.len())?).copied()
}

fn holder(who: usize) -> Holder {
    Holder::new(HOLDERS[who]).unwrap()
}

fn places(paths: &[usize]) -> Vec<Place> {
    let parse = |&(path, style)| Place::parse(path, style).unwrap();
    paths.iter().map(|path| parse(&PATHS[*path])).collect()
}

fn claim(who: usize, paths: &[usize], ttl: u64) -> Claim {
    Claim::new(holder(who), places(paths)).for_time(Duration::from_millis(ttl))
}

const LIMIT: usize = 4;

const HOLDERS: &[&str] = &["a", "b", "c", "d", "e"];

/// Files, the directories they are in, and some that cannot be compared with them.
const PATHS: &[(&str, PathStyle)] = &[
    ("/w/a", PathStyle::Posix),
    ("/w/a/", PathStyle::Posix),
    ("/w/a/1", PathStyle::Posix),
    ("/w/a/2", PathStyle::Posix),
    ("/w/A", PathStyle::Posix),
    ("/w/b", PathStyle::Posix),
    ("/w/b/1/x", PathStyle::Posix),
    ("/w/b/1", PathStyle::Posix),
    ("/w/\u{e9}", PathStyle::Posix),
    ("/w/\u{e8}/1", PathStyle::Posix),
    ("/w/c", PathStyle::Posix),
    ("/w/d", PathStyle::Posix),
    ("/w", PathStyle::Posix),
    ("a/1", PathStyle::Posix),
    ("/w/C", PathStyle::CaseInsensitive),
    ("/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/a", PathStyle::Posix),
    ("/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/1/b", PathStyle::Posix),
];
