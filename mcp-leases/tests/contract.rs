//! The table keeps the contract of stores, also where every answer takes its time; and the layer
//! keeps its own where the store does not answer at all.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;
#[path = "common/stores.rs"]
mod stores;

use common::{holder, locations, place, run};
use mcp_leases::{Claim, LOCK_ACQUIRE, LOCK_RELEASE, Leases, Limits, Table, TokioTimer, contract};
use mcp_provider::Delivery;
use mcp_testkit::Scripted;
use serde_json::json;
use stores::{Distant, Unlawful};

fn table(limits: Limits) -> Table {
    Table::with_limits(TokioTimer::new(), limits).unwrap()
}

#[tokio::test(start_paused = true)]
async fn the_table_keeps_the_contract() {
    contract::check(async |limits| table(limits)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_takes_its_time_keeps_the_contract() {
    contract::check(async |limits| Distant::new(table(limits), Unlawful::Not)).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_store_that_breaks_a_rule_is_found() {
    let cases = [
        (Unlawful::GrantsEverything, "everything or nothing"),
        (Unlawful::NeverReleases, "a release"),
        (Unlawful::NeverUnpins, "ends with it"),
        (Unlawful::NeverPins, "keeps what is held"),
        (Unlawful::PinsGuesses, "a guess pins nothing"),
        (Unlawful::PinsAllOrNothing, "whatever else a call names"),
        (Unlawful::AnswersTooLittle, "whose its places are"),
        (Unlawful::NeverLeaves, "leaves the queue"),
        (Unlawful::NeverWakes, "go"),
        (Unlawful::ForgetsWriters, "writer"),
        (Unlawful::Fails, "can be reached"),
    ];
    for (how, part) in cases {
        let broken =
            contract::check(async |limits| Distant::new(table(limits), how)).await.unwrap_err();
        assert!(broken.to_string().contains(part), "{how:?}: {broken}");
    }
}

#[tokio::test(start_paused = true)]
async fn the_layer_works_on_a_store_that_takes_its_time() {
    let table = table(Limits::default());
    let store = Distant::new(table.clone(), Unlawful::Not);
    let inner = Scripted::tools(["fs_write"]);
    let leases = Leases::new(inner.clone(), store, holder("w1")).locations(locations());
    let leases = leases.concurrent(|| Some(2));
    let held = Claim::new(holder("r1"), [place("/srv/repo/a")]);
    table.acquire(&held.for_time(std::time::Duration::from_secs(3)));
    let locked = run(&leases, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await;
    assert!(!locked.is_error, "{locked:?}");
    assert!(!run(&leases, "fs_write", json!({ "path": "a" })).await.is_error);
    assert!(!run(&leases, LOCK_RELEASE, json!({})).await.is_error);
    assert_eq!(table.leases(), []);
}

#[tokio::test(start_paused = true)]
async fn where_the_store_does_not_answer_nothing_is_changed_and_nothing_is_claimed_to_be_known() {
    let inner = Scripted::tools(["fs_read", "fs_write"]);
    let store = Distant::new(table(Limits::default()), Unlawful::Fails);
    let leases = Leases::new(inner.clone(), store, holder("w1")).locations(locations());
    for tool in [LOCK_ACQUIRE, LOCK_RELEASE] {
        let result = run(&leases, tool, json!({ "paths": ["a"] })).await;
        assert_eq!((result.is_error, result.delivery), (true, Delivery::Unknown));
        assert!(result.content.contains("Treat the paths as not locked"), "{result:?}");
    }
    let refused = run(&leases, "fs_write", json!({ "path": "a" })).await;
    common::assert_refused(&refused, &["cannot be reached (the wire is cut)", "Try again later"]);
    assert!(!run(&leases, "fs_read", json!({ "path": "a" })).await.is_error);
    assert_eq!(inner.called(), ["fs_read"]);

    let store = Distant::new(table(Limits::default()), Unlawful::Panics);
    let leases = Leases::new(inner.clone(), store, holder("w1")).locations(locations());
    let refused = run(&leases, "fs_write", json!({ "path": "a" })).await;
    common::assert_refused(&refused, &["panicked: the store is mad"]);
    let result = run(&leases, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await;
    assert_eq!(result.delivery, Delivery::Unknown, "{result:?}");
    assert_eq!(inner.called(), ["fs_read"]);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_is_refused_keeps_nothing() {
    // L-PIN-2
    for how in [Unlawful::Not, Unlawful::AnswersTooLittle, Unlawful::NeverPins] {
        let table = table(Limits::default());
        table.acquire(&Claim::new(holder("w1"), [place("/srv/repo/mine")]));
        let inner = Scripted::tools(["fs_write"]);
        let leases = Leases::new(inner.clone(), Distant::new(table.clone(), how), holder("w1"));
        let leases = leases.locations(locations()).concurrent(|| Some(2));
        let refused = run(&leases, "fs_write", json!({ "path": "mine", "to": "free" })).await;
        let why = match how {
            Unlawful::AnswersTooLittle => "another number of paths",
            Unlawful::NeverPins => "it keeps nothing of what it says is held",
            _ => "you hold no lock on /srv/repo/free",
        };
        common::assert_refused(&refused, &[why]);
        for _ in 0..5 {
            tokio::task::yield_now().await;
        }
        assert_eq!(table.status().pins, [], "{how:?}");
        assert_eq!(table.leases().len(), 1);
        assert_eq!(inner.calls(), []);
    }
}
