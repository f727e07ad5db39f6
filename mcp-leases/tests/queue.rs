//! The table: who waits for whom, and who is served.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{assert_granted, at, claim, holder, place, places, seconds};
use mcp_leases::{Claimed, Enqueued, HoldAndWait, Ledger, Limits, Look, Queued, Refusal, Table};
use tokio::time::Instant;

fn ledger() -> Ledger {
    Ledger::new(Limits::default()).unwrap()
}

fn enqueue(table: &mut Ledger, name: &str, path: &str, hold: HoldAndWait) -> Queued {
    table.enqueue(at(0), claim(name, &[path]), hold)
}

#[test]
fn a_circle_of_any_length_is_refused() {
    // T-WAIT-1, T-WAIT-2, T-WAIT-4, T-STAT-1
    let mut table = ledger();
    for name in ["a", "b", "c"] {
        assert_granted(&table.acquire(at(0), &claim(name, &[&format!("/{name}")])));
    }
    let Queued::Waiting { waiter, conflicts } = enqueue(&mut table, "a", "/b", HoldAndWait::Allow)
    else {
        panic!()
    };
    assert_eq!(conflicts[0].holder, holder("b"));
    assert!(matches!(enqueue(&mut table, "b", "/c", HoldAndWait::Allow), Queued::Waiting { .. }));
    let Queued::Settled(Claimed::Refused(Refusal::Deadlock { conflicts, cycle })) =
        enqueue(&mut table, "c", "/a", HoldAndWait::Allow)
    else {
        panic!()
    };
    assert_eq!(cycle, ["c", "a", "b", "c"].map(holder));
    assert_eq!(conflicts[0].leased, place("/a"));
    let waiters = table.status(at(0)).waiters;
    let blockers: Vec<_> =
        waiters.iter().map(|it| (it.holder.as_str(), &it.blockers[..])).collect();
    assert_eq!(blockers, [("a", &[holder("b")][..]), ("b", &[holder("c")])]);

    assert_eq!(table.release_holder(at(0), &holder("b")), 1);
    let waiters = table.status(at(0)).waiters;
    assert_eq!((waiters[0].id, &waiters[0].blockers[..]), (waiter, &[][..]));
    assert!(table.leave(at(0), waiter) && !table.leave(at(0), waiter));
    // The wait of `b` was ended with its leases; what is left is to hear of it.
    let withdrawn = table.status(at(0)).waiters.remove(0);
    let ended = Look::Settled(Claimed::Refused(Refusal::Withdrawn));
    assert_eq!(table.look(at(0), withdrawn.id), ended);
    assert_eq!(table.status(at(0)).waiters, []);
    assert_eq!(table.leases(at(0)).len(), 2, "what was granted and left is free again");
}

#[test]
fn a_circle_that_a_grant_closes_is_broken() {
    // T-WAIT-2, T-WAIT-3
    let mut table = ledger();
    assert_granted(&table.acquire(at(0), &claim("b", &["/y"])));
    let Queued::Waiting { waiter, .. } = enqueue(&mut table, "a", "/y", HoldAndWait::Refuse) else {
        panic!()
    };
    // While it waits, the same agent claims something else, and `b` waits for that.
    assert_granted(&table.acquire(at(0), &claim("c", &["/x"])));
    assert!(matches!(enqueue(&mut table, "b", "/x", HoldAndWait::Allow), Queued::Waiting { .. }));
    let Queued::Waiting { waiter: second, .. } =
        enqueue(&mut table, "a", "/x/file", HoldAndWait::Refuse)
    else {
        panic!()
    };
    table.release(at(0), &holder("c"), None);
    // `b` waited longer and has /x now, so that `a` has two waits and nothing; no circle yet.
    assert!(matches!(table.look(at(0), waiter), Look::Waiting { .. }));
    assert!(matches!(table.look(at(0), second), Look::Waiting { .. }));
    assert_granted(&table.acquire(at(0), &claim("a", &["/z"])));
    let Queued::Settled(Claimed::Refused(Refusal::Deadlock { cycle, .. })) =
        enqueue(&mut table, "b", "/z", HoldAndWait::Allow)
    else {
        panic!()
    };
    assert_eq!(cycle, ["b", "a", "b"].map(holder));

    // Now the other way round: the wait is there first, and the grant closes the circle.
    let mut table = ledger();
    assert_granted(&table.acquire(at(0), &claim("b", &["/y"])));
    let Queued::Waiting { waiter, .. } = enqueue(&mut table, "a", "/y", HoldAndWait::Refuse) else {
        panic!()
    };
    assert_granted(&table.acquire(at(0), &claim("a", &["/x"])));
    let pin = table.pin(at(0), &holder("a"), &places(&["/x"])).unwrap();
    table.release(at(0), &holder("a"), None);
    // What only a call keeps is no reason for a circle: the call ends.
    assert!(matches!(enqueue(&mut table, "b", "/x", HoldAndWait::Allow), Queued::Waiting { .. }));
    assert!(matches!(table.look(at(0), waiter), Look::Waiting { .. }));
    // Claimed again, it is.
    assert_granted(&table.acquire(at(0), &claim("a", &["/x"])));
    assert!(table.take_stirred().contains(&waiter));
    let Look::Settled(Claimed::Refused(Refusal::Deadlock { cycle, .. })) =
        table.look(at(0), waiter)
    else {
        panic!()
    };
    assert_eq!(cycle, ["a", "b", "a"].map(holder));
    assert!(table.unpin(at(0), pin));
}

#[test]
fn who_holds_may_not_wait_where_that_is_refused() {
    // T-WAIT-1
    let mut table = ledger();
    assert_granted(&table.acquire(at(0), &claim("a", &["/mine"])));
    assert_granted(&table.acquire(at(0), &claim("b", &["/theirs"])));
    let Queued::Settled(Claimed::Refused(Refusal::HoldAndWait { conflicts })) =
        enqueue(&mut table, "a", "/theirs", HoldAndWait::Refuse)
    else {
        panic!()
    };
    assert_eq!(conflicts.len(), 1);
    assert_eq!(table.status(at(0)).waiters, []);
    // What is free may be added.
    assert!(matches!(
        enqueue(&mut table, "a", "/more", HoldAndWait::Refuse),
        Queued::Settled(Claimed::Granted(_))
    ));
}

#[test]
fn who_waited_longest_is_served_first() {
    let mut table = ledger();
    assert_granted(&table.acquire(at(0), &claim("a", &["/x"]).for_time(seconds(10))));
    let mut waiters = Vec::new();
    for (name, path) in [("b", "/x/1"), ("c", "/x"), ("d", "/x/2")] {
        let Queued::Waiting { waiter, .. } = enqueue(&mut table, name, path, HoldAndWait::Refuse)
        else {
            panic!()
        };
        assert_eq!(table.look(at(0), waiter), Look::Waiting { until: Some(at(10_000)) });
        waiters.push(waiter);
    }
    assert_eq!(table.take_stirred(), []);
    table.release(at(1_000), &holder("a"), None);
    // `b` and `d` share the directory; `c` wants all of it, and waits for both.
    assert_eq!(table.take_stirred(), [waiters[0], waiters[2]]);
    let blockers = &table.status(at(1_000)).waiters[1].blockers;
    assert_eq!(blockers, &["b", "d"].map(holder));
    for waiter in [waiters[0], waiters[2]] {
        assert!(matches!(table.look(at(1_000), waiter), Look::Settled(Claimed::Granted(_))));
    }
    // One of them lets it end.
    table.release(at(1_000), &holder("b"), None);
    assert_eq!(
        table.look(at(2_000), waiters[1]),
        Look::Waiting { until: Some(at(301_000)) },
        "the lease of `d` began when it was served"
    );
    assert!(matches!(table.look(at(301_000), waiters[1]), Look::Settled(Claimed::Granted(_))));
    assert_eq!(table.status(at(301_000)).waiters, []);
}

#[test]
fn a_lease_that_ends_earlier_than_it_did_wakes_who_sleeps_beyond_its_end() {
    let mut table = ledger();
    assert_granted(&table.acquire(at(0), &claim("a", &["/x"]).for_time(seconds(100))));
    let Queued::Waiting { waiter, .. } = enqueue(&mut table, "b", "/x", HoldAndWait::Refuse) else {
        panic!()
    };
    assert_eq!(table.look(at(0), waiter), Look::Waiting { until: Some(at(100_000)) });
    assert_granted(&table.acquire(at(0), &claim("a", &["/x"]).for_time(seconds(5))));
    assert_eq!(table.take_stirred(), [waiter]);
    assert_eq!(table.look(at(0), waiter), Look::Waiting { until: Some(at(5_000)) });
}

#[test]
fn what_was_granted_and_ended_unheard_is_waited_for_again() {
    let mut table = ledger();
    assert_granted(&table.acquire(at(0), &claim("a", &["/x"])));
    let short = claim("b", &["/x"]).for_time(seconds(1));
    let Queued::Waiting { waiter, .. } = table.enqueue(at(0), short, HoldAndWait::Refuse) else {
        panic!()
    };
    table.release(at(0), &holder("a"), None);
    assert_granted(&table.acquire(at(2_000), &claim("c", &["/x"]).for_time(seconds(2))));
    assert_eq!(table.look(at(2_000), waiter), Look::Waiting { until: Some(at(4_000)) });
    let Look::Settled(Claimed::Granted(leases)) = table.look(at(4_000), waiter) else { panic!() };
    assert_eq!((leases[0].holder.as_str(), leases[0].expires_at), ("b", at(5_000)));
}

#[test]
fn the_last_writer_is_somebody_else() {
    let mut table = ledger();
    table.wrote(at(0), &holder("a"), &places(&["/x/1"]));
    table.wrote(at(1_000), &holder("b"), &places(&["/x/1", "/y"]));
    let mut last = |name: &str, path: &str| {
        table.last_writer(at(3_000), &holder(name), &place(path)).map(|it| (it.holder, it.ago))
    };
    assert_eq!(last("a", "/x/1"), Some((holder("b"), seconds(2))));
    assert_eq!(last("b", "/x/1"), Some((holder("a"), seconds(3))));
    assert_eq!(last("c", "/x"), Some((holder("b"), seconds(2))));
    assert_eq!(last("c", "/y/2"), Some((holder("b"), seconds(2))));
    assert_eq!(last("c", "/z"), None);
    for number in 0..300 {
        table.wrote(at(4_000), &holder("c"), &places(&[&format!("/many/{number}")]));
    }
    assert_eq!(table.last_writer(at(4_000), &holder("a"), &place("/y")), None, "it is no log");
}

#[tokio::test(start_paused = true)]
async fn who_sleeps_is_woken_for_an_end_that_was_moved_forward() {
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("a", &["/x"]).for_time(seconds(100))));
    let Enqueued::Waiting { waiting, .. } = table.enqueue(claim("b", &["/x"]), HoldAndWait::Refuse)
    else {
        panic!()
    };
    let (begun, waiting) = (Instant::now(), tokio::spawn(waiting));
    tokio::task::yield_now().await;
    assert_granted(&table.acquire(&claim("a", &["/x"]).for_time(seconds(5))));
    assert_granted(&waiting.await.unwrap());
    assert_eq!(begun.elapsed().as_secs(), 5);
}
