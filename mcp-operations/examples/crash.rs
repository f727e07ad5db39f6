//! Kills a real process with SIGKILL at random points, and compares what its journal says with what
//! the server saw, as often as you like:
//!
//! ```text
//! cargo run --release -p mcp-operations --example crash -- --runs 1000
//! ```
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is what it is for")]

#[path = "../tests/crash/check.rs"]
mod check;
#[path = "../tests/crash/child.rs"]
mod child;
#[path = "../tests/crash/killer.rs"]
mod killer;
#[path = "../tests/crash/random.rs"]
mod random;

use std::path::Path;
use std::process::ExitCode;

use random::Random;

type Failure = Box<dyn std::error::Error + Send + Sync>;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match run(&arguments) {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("{failure}: {failure:?}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &[&str]) -> Result<ExitCode, Failure> {
    let runtime =
        || tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_time().build();
    match *arguments {
        ["child", folder, seed] => {
            runtime()?.block_on(child::run(Path::new(folder), seed.parse()?))?;
            Ok(ExitCode::SUCCESS)
        }
        ["fill", folder, seed] => {
            runtime()?.block_on(child::fill(Path::new(folder), seed.parse()?))?;
            Ok(ExitCode::SUCCESS)
        }
        ["--runs", runs] => kill(runs.parse()?, 1),
        ["--runs", runs, "--seed", seed] => kill(runs.parse()?, seed.parse()?),
        _ => Err("say --runs N, and perhaps --seed N".into()),
    }
}

fn kill(runs: usize, seed: u64) -> Result<ExitCode, Failure> {
    let figures = killer::kill(&std::env::current_exe()?, runs, seed)?;
    println!("{figures}");
    Ok(if figures.wrong.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
