//! A client against servers that misbehave: each case ends as it wants.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod play;
#[path = "../processes/mod.rs"]
mod processes;
mod server;

use std::time::Duration;

use mcp_testkit::misbehaving_servers;
use serde_json::Value;
use tokio::runtime::Handle;
use tokio::time::{Instant, interval};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_case_over_stdio_ends_as_it_wants() {
    every_case(|case| case["transport"] != "http", 60).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_case_over_http_ends_as_it_wants_and_leaves_no_task() {
    every_case(|case| case["transport"] == "http", 38).await;
    let deadline = Instant::now() + Duration::from_secs(10);
    let mut look = interval(Duration::from_millis(20));
    loop {
        look.tick().await;
        match Handle::current().metrics().num_alive_tasks() {
            0 => return,
            left => assert!(Instant::now() < deadline, "{left} tasks are left"),
        }
    }
}

/// Plays the cases that `is_wanted` picks, `least` of them or more, all at once.
async fn every_case(is_wanted: fn(&Value) -> bool, least: usize) {
    let cases: Vec<Value> = misbehaving_servers().into_iter().filter(is_wanted).collect();
    assert!(cases.len() >= least, "there are {} cases", cases.len());
    let playing: Vec<_> = cases.into_iter().map(|case| tokio::spawn(play::play(case))).collect();
    let mut wrong = Vec::new();
    for played in playing {
        wrong.extend(played.await.unwrap());
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}
