//! Answers find their requests, once.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::disallowed_methods, reason = "deadlines need an instant to start from")]

use std::sync::Mutex;
use std::time::{Duration, Instant};

use mcp_correlator::{Correlator, RegisterError};

type Table = Correlator<u64, &'static str, &'static str>;

const SECOND: Duration = Duration::from_secs(1);

// B-COR-1: ids are the caller's. B-COR-6: an answer is delivered once, and a miss is no error.
#[test]
fn an_answer_finds_its_request_once() {
    let mut table = Table::new();
    assert!(table.is_empty());
    table.register(1, "one", None).unwrap();
    table.register(2, "two", None).unwrap();
    assert_eq!(table.len(), 2);
    assert_eq!(table.resolve(&1), Some("one"));
    assert_eq!(table.resolve(&1), None);
    assert_eq!(table.resolve(&99), None);
    assert_eq!(table.len(), 1);
    assert_eq!(table.resolve(&2), Some("two"));
    assert!(table.is_empty());
}

// B-COR-4
#[test]
fn an_id_in_flight_cannot_be_registered_again() {
    let mut table = Table::new();
    table.register(1, "first", None).unwrap();
    let error = table.register(1, "second", Some(Instant::now())).unwrap_err();
    assert_eq!(error, RegisterError::InFlight { waiter: "second" });
    assert_eq!(error.to_string(), "a request with this id is already in flight");
    assert_eq!(error.into_waiter(), "second");
    assert_eq!(table.poll_timeout(), None, "the refused deadline is not armed");
    assert_eq!(table.resolve(&1), Some("first"));
    table.register(1, "third", None).unwrap();
    assert_eq!(table.resolve(&1), Some("third"));
}

// B-COR-5: here the id type decides, and JSON-RPC's tells a number from a string.
#[test]
fn the_string_1_does_not_answer_the_number_1() {
    #[derive(Clone, Debug, Eq, Hash, PartialEq)]
    enum Id {
        Number(i64),
        Text(String),
    }
    let mut table = Correlator::<Id, &str>::new();
    table.register(Id::Number(1), "number", None).unwrap();
    assert_eq!(table.resolve(&Id::Text("1".to_owned())), None);
    table.register(Id::Text("1".to_owned()), "text", None).unwrap();
    assert_eq!(table.ids(), [&Id::Number(1), &Id::Text("1".to_owned())]);
    assert_eq!(table.resolve(&Id::Number(1)), Some("number"));
    assert_eq!(table.resolve(&Id::Text("1".to_owned())), Some("text"));
}

// B-COR-7, B-COR-13: the waiter holds what an error or a question will want to know, such as the
// method and the time of registration; the table needs neither.
#[test]
fn a_waiter_knows_its_method_and_its_age() {
    let start = Instant::now();
    let mut table = Correlator::<u64, (&str, Instant)>::new();
    table.register(1, ("tools/list", start), None).unwrap();
    table.register(2, ("ping", start + SECOND), None).unwrap();
    assert_eq!(table.ids(), [&1, &2]);
    assert!(table.contains(&1) && !table.contains(&3));
    assert_eq!(table.get(&2).map(|it| it.0), Some("ping"));
    assert_eq!(table.get(&3), None);
    let now = start + 4 * SECOND;
    assert_eq!(table.get(&1).map(|it| now - it.1), Some(4 * SECOND));
    let cancelled = table.resolve(&1).unwrap();
    assert_eq!(cancelled.0, "tools/list");
}

// B-COR-2, B-COR-3: time is an argument, and without a deadline nothing is ever due.
#[test]
fn a_request_without_a_deadline_waits_for_ever() {
    let start = Instant::now();
    let mut table = Table::new();
    table.register(1, "patient", None).unwrap();
    assert_eq!(table.poll_timeout(), None);
    assert_eq!(table.handle_timeout(start + 1_000_000 * SECOND), []);
    assert_eq!(table.len(), 1);
}

// B-COR-8
#[test]
fn a_deadline_has_come_at_its_instant_and_not_before() {
    let start = Instant::now();
    let mut table = Table::new();
    table.register(1, "tools/call", Some(start + 30 * SECOND)).unwrap();
    assert_eq!(table.poll_timeout(), Some(start + 30 * SECOND));
    assert_eq!(table.handle_timeout(start + 30 * SECOND - Duration::from_nanos(1)), []);
    assert_eq!(table.handle_timeout(start + 30 * SECOND), [(1, "tools/call")]);
    assert_eq!(table.poll_timeout(), None);
    assert!(table.is_empty());
    assert_eq!(table.resolve(&1), None, "a late answer is dropped");
}

#[test]
fn everything_due_is_taken_the_earliest_first() {
    let start = Instant::now();
    let mut table = Table::new();
    for (id, waiter, seconds) in [(1, "c", 3), (2, "a", 1), (3, "d", 9), (4, "b", 1)] {
        table.register(id, waiter, Some(start + seconds * SECOND)).unwrap();
    }
    assert_eq!(table.handle_timeout(start + 3 * SECOND), [(2, "a"), (4, "b"), (1, "c")]);
    assert_eq!(table.poll_timeout(), Some(start + 9 * SECOND));
    assert_eq!(table.ids(), [&3]);
}

// B-COR-8, B-COR-9: an answer takes the deadline with it.
#[test]
fn a_deadline_belongs_to_one_registration() {
    let start = Instant::now();
    let mut table = Table::new();
    table.register(1, "first", Some(start + SECOND)).unwrap();
    table.resolve(&1).unwrap();
    assert_eq!(table.poll_timeout(), None);
    table.register(1, "second", Some(start + 5 * SECOND)).unwrap();
    assert_eq!(table.handle_timeout(start + SECOND), []);
    assert_eq!(table.handle_timeout(start + 5 * SECOND), [(1, "second")]);
    table.register(1, "third", Some(start)).unwrap();
    table.resolve(&1).unwrap();
    table.register(1, "fourth", None).unwrap();
    assert_eq!(table.handle_timeout(start + 9 * SECOND), []);
    assert_eq!(table.len(), 1);
}

// B-COR-10
#[test]
fn a_retired_table_keeps_its_first_reason_for_ever() {
    let start = Instant::now();
    let mut table = Table::new();
    assert_eq!((table.is_retired(), table.reason()), (false, None));
    table.register(2, "two", Some(start)).unwrap();
    table.register(1, "one", None).unwrap();
    assert_eq!(table.retire("the server exited"), [(2, "two"), (1, "one")]);
    assert_eq!(table.retire("closed"), []);
    assert_eq!((table.is_retired(), table.reason()), (true, Some(&"the server exited")));
    assert!(table.is_empty());
    assert_eq!(table.poll_timeout(), None);
    let error = table.register(3, "late", Some(start)).unwrap_err();
    assert_eq!(error, RegisterError::Retired { waiter: "late", reason: "the server exited" });
    assert_eq!(error.to_string(), "the table of pending requests is retired");
    assert_eq!(error.into_waiter(), "late");
    assert_eq!((table.len(), table.poll_timeout()), (0, None), "no deadline is armed");
    assert_eq!(table.drain(), []);
    assert!(table.is_retired());
}

// B-COR-11: an id cannot be missing, and a table that is retired does not look at it.
#[test]
fn a_retired_table_refuses_every_id_alike() {
    let mut table = Table::new();
    table.register(1, "one", None).unwrap();
    assert_eq!(table.retire("closed").len(), 1);
    for id in [1, 1, 2] {
        let error = table.register(id, "late", None).unwrap_err();
        assert_eq!(error, RegisterError::Retired { waiter: "late", reason: "closed" });
    }
}

// B-COR-10
#[test]
fn a_drained_table_stays_open() {
    let start = Instant::now();
    let mut table = Table::new();
    table.register(7, "seven", Some(start)).unwrap();
    assert_eq!(table.drain(), [(7, "seven")]);
    assert_eq!((table.poll_timeout(), table.is_retired()), (None, false));
    table.register(7, "again", Some(start + SECOND)).unwrap();
    assert_eq!(table.handle_timeout(start), []);
    assert_eq!(table.resolve(&7), Some("again"));
}

// B-COR-12
#[test]
fn registrations_that_race_retiring_are_all_settled() {
    let table = Mutex::new(Correlator::<u64, u64, &str>::new());
    let mut refused = Vec::new();
    let mut taken = Vec::new();
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8)
            .map(|thread| {
                let table = &table;
                scope.spawn(move || {
                    let ids = thread * 25..(thread + 1) * 25;
                    let register = |id| table.lock().unwrap().register(id, id, None);
                    ids.filter_map(|id| register(id).err()).collect::<Vec<_>>()
                })
            })
            .collect();
        taken = table.lock().unwrap().retire("closed");
        refused = threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect();
    });
    let same = |error: &RegisterError<u64, &str>| {
        matches!(error, RegisterError::Retired { reason: "closed", .. })
    };
    assert!(refused.iter().all(same));
    let settled = taken.into_iter().map(|(_, waiter)| waiter);
    let mut settled: Vec<_> =
        settled.chain(refused.into_iter().map(RegisterError::into_waiter)).collect();
    settled.sort_unstable();
    assert_eq!(settled, (0..200).collect::<Vec<_>>());
    assert!(table.lock().unwrap().is_empty());
}

#[test]
fn a_table_can_be_shared_between_threads() {
    fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Table>();
}
