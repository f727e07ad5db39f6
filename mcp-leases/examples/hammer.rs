//! Sixty-four tasks on one table, for as long as you like:
//!
//! ```text
//! cargo run --release -p mcp-leases --example hammer -- 60
//! ```
#![allow(clippy::unwrap_used, clippy::panic, reason = "it fails by panicking")]
#![allow(clippy::print_stdout, reason = "it is what it is for")]

#[path = "../tests/common/hammer.rs"]
mod hammer;

use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;

use hammer::{Until, hammer};
use tokio::time::Instant;

#[tokio::main]
async fn main() -> ExitCode {
    let seconds = std::env::args().nth(1).and_then(|it| it.parse().ok()).unwrap_or(5);
    let end = Instant::now() + Duration::from_secs(seconds);
    let (figures, table) = hammer(64, Until::Time(end)).await;
    println!("{figures:#?}");
    println!("left over: {:?}", table.status());
    let wrong = [&figures.two_holders, &figures.lost_wake_ups];
    let is_well = wrong.iter().all(|it| it.load(Ordering::Relaxed) == 0);
    if is_well && table.status().is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
