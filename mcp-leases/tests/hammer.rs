//! Sixty-four tasks on one table.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "common/hammer.rs"]
mod hammer;

use std::sync::atomic::Ordering;

use hammer::{Until, hammer};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn sixty_four_tasks_never_share_a_path_and_are_always_woken() {
    let (figures, table) = hammer(64, Until::Operations(200)).await;
    let count = |counter: &std::sync::atomic::AtomicUsize| counter.load(Ordering::Relaxed);
    assert_eq!(count(&figures.operations), 64 * 200);
    assert_eq!(count(&figures.two_holders), 0, "{figures:?}");
    assert_eq!(count(&figures.lost_wake_ups), 0, "{figures:?}");
    for happened in [
        &figures.granted_at_once,
        &figures.granted_after_waiting,
        &figures.granted_after_an_end,
        &figures.refused,
        &figures.left,
        &figures.given_back_under_a_call,
    ] {
        assert!(count(happened) > 0, "{figures:?}");
    }
    assert!(table.status().is_empty(), "{table:?}");
}
