//! The two tools: what models write, what they are told, and how long they wait.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use common::{
    assert_granted, assert_ok, assert_refused, call, claim, holder, layer, place, run, seconds,
};
use mcp_leases::{
    Claimed, Enqueued, HoldAndWait, LOCK_ACQUIRE, LOCK_RELEASE, Leases, Limits, Table, TokioTimer,
};
use mcp_provider::location::{Locations, PathParams, PathStyle, Roots};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::Scripted;
use serde_json::{Value, json};
use tokio::time::Instant;

fn leases(table: &Table, name: &str) -> Leases<Scripted> {
    layer(Scripted::tools(["fs_write"]), table, name)
}

/// A layer whose host counts the beginnings and ends of waits.
fn counting(table: &Table, name: &str) -> (Leases<Scripted>, Arc<[AtomicUsize; 2]>) {
    let counts = Arc::new([AtomicUsize::new(0), AtomicUsize::new(0)]);
    let (begin, end) = (Arc::clone(&counts), Arc::clone(&counts));
    let leases = leases(table, name)
        .on_wait_begin(move || add(begin[0].fetch_add(1, Ordering::Relaxed)))
        .on_wait_end(move || add(end[1].fetch_add(1, Ordering::Relaxed)));
    (leases, counts)
}

const fn add(_: usize) {}

#[track_caller]
fn assert_waits(counts: &[AtomicUsize; 2], begun: usize, ended: usize) {
    let [begin, end] = counts.each_ref().map(|it| it.load(Ordering::Relaxed));
    assert_eq!((begin, end), (begun, ended));
}

#[tokio::test]
async fn models_write_claims_in_many_ways() {
    // L-ACQ-1 to L-ACQ-5, L-ACQ-7, L-ACQ-9, L-REL-1, L-REL-3, L-REL-4
    let table = Table::tokio();
    let w1 = leases(&table, "w1");
    let acquired = run(&w1, LOCK_ACQUIRE, json!(r#"{"paths":["src"],"ttl":600}"#)).await;
    assert_ok(&acquired, &["600s", "/srv/repo/src", "lock_release"]);
    let keys: Vec<String> = acquired.to_json().as_object().unwrap().keys().cloned().collect();
    assert_eq!(keys, ["role", "tool_call_id", "content", "is_error"]);
    assert_eq!(table.leases()[0].holder, holder("w1"));
    assert_eq!(table.leases()[0].place, place("/srv/repo/src"));
    assert_ok(&run(&w1, LOCK_ACQUIRE, json!({ "paths": ["docs", "a b"] })).await, &["300s"]);
    assert_ok(&run(&w1, LOCK_ACQUIRE, json!({ "paths": "   " })).await, &["/srv/repo/   "]);

    let contended = json!({ "paths": ["src/x"], "wait": 0 });
    let refused = run(&leases(&table, "r1"), LOCK_ACQUIRE, contended).await;
    assert_refused(
        &refused,
        &["nothing was locked", "locked by w1", "held for 0s", "Work on something else"],
    );
    assert_eq!(table.leases().len(), 4);

    let released = run(&w1, LOCK_RELEASE, json!({ "paths": ["docs", "gone", ".."] })).await;
    assert_ok(
        &released,
        &["Released: /srv/repo/docs.", "Not held by you: /srv/repo/gone", "climbs"],
    );
    assert_ok(&run(&w1, LOCK_RELEASE, json!("   ")).await, &["/srv/repo/src, /srv/repo/a b"]);
    assert_eq!(table.leases(), []);
    assert_ok(&run(&w1, LOCK_RELEASE, json!({ "paths": null })).await, &["hold no locks"]);
    assert_ok(
        &run(&w1, LOCK_RELEASE, json!({ "paths": ["gone"] })).await,
        &["Nothing was released"],
    );

    for tool in [LOCK_ACQUIRE, LOCK_RELEASE] {
        assert_refused(&run(&w1, tool, json!({ "paths": 42 })).await, &["list of strings"]);
        assert_refused(&run(&w1, tool, json!("{\"paths\":")).await, &["such as {\"paths\""]);
    }
    assert_refused(&run(&w1, LOCK_ACQUIRE, json!({})).await, &["name the paths"]);
    assert_refused(
        &run(&w1, LOCK_ACQUIRE, json!({ "paths": [], "ttl": -1 })).await,
        &["name the paths"],
    );
    assert_refused(
        &run(&w1, LOCK_ACQUIRE, json!({ "paths": "a", "ttl": -1 })).await,
        &["ttl must be"],
    );
    assert_eq!(table.leases(), []);
}

#[tokio::test]
async fn releasing_an_empty_list_releases_nothing() {
    // L-REL-2
    let table = Table::tokio();
    let w1 = leases(&table, "w1");
    run(&w1, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await;
    assert_ok(
        &run(&w1, LOCK_RELEASE, json!({ "paths": [] })).await,
        &["names nothing", "Leave it out"],
    );
    assert_eq!(table.leases().len(), 1);
}

#[tokio::test]
async fn an_empty_path_does_not_lock_the_workspace() {
    let table = Table::tokio();
    let refused = run(&leases(&table, "w1"), LOCK_ACQUIRE, json!({ "paths": [""] })).await;
    assert_refused(&refused, &["cannot be locked", "it is empty"]);
    assert_eq!(table.leases(), []);
    // Nor does a pattern lock what it matches: it would lock nothing, and look as if it did.
    let pattern = run(&leases(&table, "w1"), LOCK_ACQUIRE, json!({ "paths": ["src/*.rs"] })).await;
    assert_refused(&pattern, &["patterns do not work here", "claim the directory"]);
    // Whoever means the root can say so.
    assert_ok(
        &run(&leases(&table, "w1"), LOCK_ACQUIRE, json!({ "paths": "." })).await,
        &["/srv/repo"],
    );
}

#[tokio::test]
async fn a_relative_lease_is_refused_where_a_root_is_known() {
    // L-ACQ-2
    let rooted = |entries: &[(&str, &str)]| {
        let roots = Roots::new(entries.iter().copied(), PathStyle::Posix).unwrap();
        Locations::new(roots, PathParams::default())
    };
    let cases: &[(&[(&str, &str)], bool)] = &[
        (&[("fs", "/srv/repo")], false),
        (&[("fs", "/srv/repo"), ("lock", "/srv/repo")], true),
        (&[("", "/srv/repo")], true),
        (&[("other", "/srv/repo")], true),
        (&[], true),
    ];
    for (roots, is_granted) in cases {
        let table = Table::tokio();
        let w1 = leases(&table, "w1").locations(rooted(roots));
        let result = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["src"] })).await;
        assert_eq!(!result.is_error, *is_granted, "{roots:?} {result:?}");
        if !is_granted {
            assert_refused(&result, &["it is relative", "write the whole path"]);
        }
        let absolute = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["/srv/repo/src"] })).await;
        assert!(!absolute.is_error, "{absolute:?}");
    }
}

#[tokio::test]
async fn what_a_model_writes_cannot_fill_the_table_or_the_transcript() {
    // L-ACQ-3
    let table = Table::tokio();
    let w1 = leases(&table, "w1");
    let long = json!({ "paths": ["a".repeat(5_000)] });
    let refused = run(&w1, LOCK_ACQUIRE, long).await;
    assert_refused(&refused, &["longer than 4096 bytes"]);
    assert!(refused.content.len() < 600, "{}", refused.content.len());
    let many: Vec<String> = (0..1_025).map(|number| format!("f{number}")).collect();
    assert_refused(
        &run(&w1, LOCK_ACQUIRE, json!({ "paths": many })).await,
        &["1024 paths at most"],
    );
    let granted = run(&w1, LOCK_ACQUIRE, json!({ "paths": &many[..1_024], "ttl": 1e12 })).await;
    assert_ok(&granted, &["3600s", "and 1016 more"]);
    let refused =
        run(&leases(&table, "r1"), LOCK_ACQUIRE, json!({ "paths": ["."], "wait": 0 })).await;
    assert_refused(&refused, &["and 1016 more"]);
    assert!(refused.content.len() < 1_500, "{}", refused.content.len());
}

#[tokio::test(start_paused = true)]
async fn no_wait_is_an_answer_at_once() {
    // L-ACQ-8
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    let (w1, waits) = counting(&table, "w1");
    let begun = Instant::now();
    let plain = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": 0 })).await;
    let text = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": "0" })).await;
    assert_eq!(plain.content, text.content);
    assert_refused(&plain, &["nothing was locked: '/srv/repo/src' is locked by r1, held for 0s"]);
    // Not even for one who holds something.
    run(&w1, LOCK_ACQUIRE, json!({ "paths": ["mine"] })).await;
    let again = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": 0 })).await;
    assert_eq!(again.content, plain.content);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_waits(&waits, 0, 0);
}

/// Runs the call beside what else happens.
fn start(
    leases: Leases<Scripted>,
    arguments: Value,
) -> tokio::task::JoinHandle<mcp_provider::ToolResult> {
    tokio::spawn(async move { run(&leases, LOCK_ACQUIRE, arguments).await })
}

/// Lets the clock stand at `milliseconds` from now, and everything happen that is due.
async fn pass(milliseconds: u64) {
    tokio::time::advance(Duration::from_millis(milliseconds)).await;
    for _ in 0..20 {
        tokio::task::yield_now().await;
    }
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_the_moment_the_path_is_free() {
    // L-ACQ-6, L-WAIT-1, L-WAIT-4
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    let (w1, waits) = counting(&table, "w1");
    let begun = Instant::now();
    let waiting = start(w1, json!({ "paths": ["src"], "wait": 20 }));
    pass(1_200).await;
    assert_waits(&waits, 1, 0);
    assert_eq!(table.status().waiters[0].blockers, [holder("r1")]);
    table.release(&holder("r1"), None);
    let granted = waiting.await.unwrap();
    assert_ok(&granted, &["Locked for 300s: /srv/repo/src"]);
    assert_eq!(begun.elapsed(), Duration::from_millis(1_200), "nobody polls");
    assert_waits(&waits, 1, 1);
    assert_eq!(table.status().waiters, []);
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_the_moment_the_lease_does() {
    // L-WAIT-4, T-3
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"]).for_time(seconds(7))));
    let begun = Instant::now();
    let granted = run(&leases(&table, "w1"), LOCK_ACQUIRE, json!({ "paths": ["src"] })).await;
    assert_ok(&granted, &[]);
    assert!(begun.elapsed() - seconds(7) < Duration::from_millis(5), "{:?}", begun.elapsed());
}

#[tokio::test(start_paused = true)]
async fn a_wait_ends_at_its_deadline_with_the_latest_refusal() {
    // L-WAIT-1, L-WAIT-4, L-WAIT-5
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"]).for_time(seconds(1))));
    let (w1, waits) = counting(&table, "w1");
    let Enqueued::Waiting { waiting: r2, .. } =
        table.enqueue(claim("r2", &["/srv/repo/src"]), HoldAndWait::Refuse)
    else {
        panic!()
    };
    let begun = Instant::now();
    let refused = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": 2 })).await;
    assert_refused(&refused, &["nothing was locked", "is locked by r2"]);
    assert!(!refused.content.contains("cut short"), "{refused:?}");
    assert!(begun.elapsed() >= seconds(2) && begun.elapsed() < seconds(3));
    assert_waits(&waits, 1, 1);
    assert!(matches!(r2.await, Claimed::Granted(_)));
    assert_eq!(table.status().waiters, []);

    assert_ok(&run(&w1, LOCK_ACQUIRE, json!({ "paths": ["free"] })).await, &[]);
    assert_waits(&waits, 1, 1);
    let mad = leases(&table, "w2").on_wait_begin(|| panic!("begin")).on_wait_end(|| panic!("end"));
    let refused = run(&mad, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": 1 })).await;
    assert_refused(&refused, &["is locked by r2"]);
}

#[tokio::test(start_paused = true)]
async fn a_cancelled_run_waits_no_longer() {
    // L-WAIT-2, L-WAIT-3, L-WAIT-4
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    let begun = Instant::now();
    let (w1, waits) = counting(&table, "w1");
    let w1 = w1.cancelled(move || begun.elapsed() >= Duration::from_millis(1_200));
    let refused = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": 60 })).await;
    assert_refused(&refused, &["nothing was locked", "locked by r1, held for 2s", "cut short"]);
    assert!(begun.elapsed() < seconds(3), "{:?}", begun.elapsed());
    assert_waits(&waits, 1, 1);
    assert_eq!(table.status().waiters, []);

    let begun = Instant::now();
    let mad = leases(&table, "w2").cancelled(|| panic!("no idea"));
    let refused = run(&mad, LOCK_ACQUIRE, json!({ "paths": ["src"], "wait": 2 })).await;
    assert!(!refused.content.contains("cut short"), "{refused:?}");
    assert!(begun.elapsed() >= seconds(2), "{:?}", begun.elapsed());
    // Cancelled before it began, it does not even wait once.
    let begun = Instant::now();
    let gone = leases(&table, "w3").cancelled(|| true);
    let refused = run(&gone, LOCK_ACQUIRE, json!({ "paths": ["src"] })).await;
    assert_refused(&refused, &["cut short"]);
    assert_eq!(begun.elapsed(), Duration::ZERO);
}

#[tokio::test(start_paused = true)]
async fn nobody_waits_longer_than_a_lease_usually_lasts() {
    // L-ACQ-4
    let limits = Limits::default().with_default_ttl(seconds(2));
    let table = Table::with_limits(TokioTimer::new(), limits).unwrap();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"]).for_time(seconds(600))));
    for (wait, waited) in [(json!(9999), 2), (json!(null), 2), (json!(1), 1)] {
        let begun = Instant::now();
        let arguments = json!({ "paths": ["src"], "wait": wait });
        assert_refused(
            &run(&leases(&table, "w1"), LOCK_ACQUIRE, arguments).await,
            &["locked by r1"],
        );
        assert_eq!(begun.elapsed().as_secs(), waited, "{wait}");
    }
    // By default, 90 seconds at most.
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"]).for_time(seconds(600))));
    let begun = Instant::now();
    run(&leases(&table, "w1"), LOCK_ACQUIRE, json!({ "paths": ["src"] })).await;
    assert_eq!(begun.elapsed().as_secs(), 90);
}

#[tokio::test(start_paused = true)]
async fn who_holds_something_does_not_wait() {
    // L-ACQ-6, L-ACQ-7, L-WAIT-1
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/theirs"])));
    let (w1, waits) = counting(&table, "w1");
    run(&w1, LOCK_ACQUIRE, json!({ "paths": ["mine"] })).await;
    let begun = Instant::now();
    let refused = run(&w1, LOCK_ACQUIRE, json!({ "paths": ["theirs"], "wait": 20 })).await;
    assert_refused(&refused, &["already holds a lease", "complete deduplicated working set"]);
    assert_eq!(begun.elapsed(), Duration::ZERO);
    assert_waits(&waits, 0, 0);
    assert_eq!(table.status().waiters, []);
}

#[tokio::test(start_paused = true)]
async fn a_batch_that_is_dropped_leaves_the_queue() {
    // L-WAIT-1, L-WAIT-5
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    let (w1, waits) = counting(&table, "w1");
    let waiting = start(w1, json!({ "paths": ["src"] }));
    pass(10).await;
    assert_eq!(table.status().waiters.len(), 1);
    waiting.abort();
    assert!(waiting.await.is_err());
    assert_eq!(table.status().waiters, []);
    assert_waits(&waits, 1, 1);
    // Its place in the queue went to nobody, and what comes free goes to the next.
    table.release(&holder("r1"), None);
    assert_eq!(table.leases(), []);
}

#[tokio::test(start_paused = true)]
async fn what_a_dropped_waiter_was_granted_goes_to_the_next() {
    // T-WAIT-4
    // no wake-up is lost
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/x"])));
    let queue = |name: &str| match table.enqueue(claim(name, &["/x"]), HoldAndWait::Refuse) {
        Enqueued::Waiting { waiting, .. } => waiting,
        settled @ Enqueued::Settled(_) => panic!("{settled:?}"),
    };
    let (first, second) = (queue("a"), queue("b"));
    let second = tokio::spawn(second);
    pass(1).await;
    table.release(&holder("r1"), None);
    assert_eq!(table.leases()[0].holder, holder("a"));
    drop(first);
    assert!(matches!(second.await.unwrap(), Claimed::Granted(_)));
    assert_eq!(table.leases()[0].holder, holder("b"));
}

#[tokio::test(start_paused = true)]
async fn a_holder_that_is_released_waits_no_longer() {
    // T-REL-2
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    let waiting = start(leases(&table, "w1"), json!({ "paths": ["src"] }));
    pass(10).await;
    assert_eq!(table.release_holder(&holder("w1")), 0);
    assert_refused(&waiting.await.unwrap(), &["was released while it waited"]);
    assert!(table.status().waiters.is_empty());
}

#[tokio::test(start_paused = true)]
async fn other_agents_are_served_while_one_waits() {
    // L-WAIT-7
    let table = Table::tokio();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    let w1 = Arc::new(leases(&table, "w1"));
    let waiting = tokio::spawn({
        let w1 = Arc::clone(&w1);
        let calls = vec![
            call(LOCK_ACQUIRE, json!({ "paths": ["src"] })),
            ToolCall::new("2", "fs_write", json!({ "path": "src" })),
        ];
        async move { w1.execute_tool_calls(calls).await }
    });
    pass(10).await;
    assert_eq!(w1.get_ref().batches().len(), 0, "its own batch waits with it");
    assert_ok(&run(&leases(&table, "w2"), "fs_write", json!({ "path": "b" })).await, &[]);
    table.release(&holder("r1"), None);
    let results = waiting.await.unwrap();
    assert!(results.iter().all(|it| !it.is_error), "{results:?}");
}
