//! Processes that are killed with calls under way, and a disk that is full.
//!
//! `MCP_OPERATIONS_CRASHES` says how many are killed; by default 60.  There is an example, too:
//! `cargo run -p mcp-operations --example crash -- --runs 1000`.
#![cfg(unix)]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "crash/check.rs"]
mod check;
#[path = "crash/killer.rs"]
mod killer;
#[path = "crash/random.rs"]
mod random;

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use check::{Figures, check};
use killer::Folder;
use mcp_operations::FileJournal;
use random::Random;

type Failure = Box<dyn std::error::Error + Send + Sync>;

#[test]
fn no_call_that_a_server_saw_is_missing_or_recorded_as_failed_whenever_the_process_is_killed() {
    // O-JRN-13
    let runs = std::env::var("MCP_OPERATIONS_CRASHES").ok().and_then(|it| it.parse().ok());
    let runs = runs.unwrap_or(60);
    let figures = killer::kill(&program(), runs, u64::from(std::process::id())).unwrap();
    assert!(figures.wrong.is_empty(), "{figures}");
    // It tried what it is for.
    assert!(figures.killed_in_flight > runs / 4 && figures.completed > 0, "{figures}");
    assert!(figures.failed > 0 && figures.unknown > 0 && figures.repaired > 0, "{figures}");
}

#[test]
fn a_full_disk_refuses_the_call_before_it_is_sent_and_leaves_a_whole_journal() {
    // O-JRN-2
    let folder = Folder::new(u64::MAX).unwrap();
    // The limit is real, and its signal is ignored, so a write stops in the middle.
    let script = "trap '' XFSZ; ulimit -f 40; exec \"$0\" \"$@\"";
    let child = Command::new("sh")
        .args(["-c", script])
        .arg(program())
        .args(["fill".as_ref(), folder.0.as_os_str(), "7".as_ref()])
        .stdout(Stdio::null())
        .output()
        .unwrap();
    assert!(child.status.success(), "{}", String::from_utf8_lossy(&child.stderr));
    let journal = FileJournal::peek(folder.0.join("journal")).unwrap();
    assert_eq!(journal.torn, None, "what was begun was taken back");
    let mut figures = Figures::default();
    check(&folder.0, true, &mut figures).unwrap();
    assert!(figures.wrong.is_empty(), "{figures}");
    assert!(figures.told_not_sent > 0 && figures.seen > 0, "{figures}");
}

/// The program that is killed: the example of this crate, built first if need be.
fn program() -> PathBuf {
    let test = std::env::current_exe().unwrap();
    let profile = test.parent().and_then(Path::parent).unwrap();
    let mut build = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    build.args(["build", "--quiet", "--offline", "--example", "crash", "--manifest-path"]);
    build.arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    build.arg("--target-dir").arg(profile.parent().unwrap());
    if profile.ends_with("release") {
        build.arg("--release");
    }
    assert!(build.status().unwrap().success(), "the program is built");
    profile.join("examples").join("crash")
}
