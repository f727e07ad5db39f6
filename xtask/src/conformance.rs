//! `cargo xtask conformance [--only SCENARIO]`: the official conformance suite.
//!
//! Installs what `conformance/` locks into `target/conformance` and runs every client scenario of
//! both frozen sets against `mcp-client/examples/conformance_client.rs`; `conformance/README.md`
//! says what counts.

mod expected;
mod play;
mod report;
mod sets;
mod suite;

use std::path::{Path, PathBuf};
use std::time::Instant;

use crate::conformance::expected::Expected;
use crate::conformance::sets::{Run, SETS};
use crate::conformance::suite::Suite;
use crate::outcome::{self, Error, Outcome};
use crate::workspace::Workspace;
use crate::{npm, tool};

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let only = match args {
        [] => None,
        ["--only", scenario] => Some(*scenario),
        _ => return Err(Error::Usage("conformance takes nothing, or one scenario".to_owned())),
    };
    let from = tool::root().join("conformance");
    let expectations = from.join("expected-failures.yml");
    let expected = Expected::parse(&tool::read_file(&expectations)?)
        .map_err(|why| format!("{}: {why}", expectations.display()))?;
    let target = Workspace::load()?.target;
    let folder = target.join("conformance");
    let suite = match install(&from, &folder)? {
        Ok(suite) => suite,
        Err(missing) => {
            return outcome::without(&[missing], outcome::every_check_must_run());
        }
    };
    let runs = select(suite.runs()?, only)?;
    if only.is_none() {
        expected.check(&runs)?;
    }
    let client = build(&target)?;
    play(&suite, &client, &runs, &expected, &folder.join("out"), only.is_some())?;
    if only.is_none() {
        for set in SETS {
            suite.judge(set, &client, &expectations)?;
        }
    }
    Ok(Outcome::Done)
}

/// Installs the suite, or says what there is none for.
fn install(from: &Path, to: &Path) -> Result<Result<Suite, String>, String> {
    if let Some(missing) = npm::install(from, to, "the conformance suite")? {
        return Ok(Err(missing));
    }
    Ok(Suite::find(to))
}

fn select(mut runs: Vec<Run>, only: Option<&str>) -> Result<Vec<Run>, Error> {
    if let Some(only) = only {
        runs.retain(|run| run.scenario == only);
        if runs.is_empty() {
            return Err(Error::Usage(format!("no set has a scenario {only:?}")));
        }
    }
    Ok(runs)
}

/// Builds the program that the suite starts.
fn build(target: &Path) -> Result<PathBuf, String> {
    tool::run(&mut tool::cargo(
        "build --locked --package mcp-client --features http --example conformance_client",
    ))?;
    let name = format!("conformance_client{}", std::env::consts::EXE_SUFFIX);
    Ok(target.join("debug").join("examples").join(name))
}

/// Plays each run alone, prints what became of them, and fails where one is not as expected.
fn play(
    suite: &Suite,
    client: &Path,
    runs: &[Run],
    expected: &Expected,
    out: &Path,
    is_verbose: bool,
) -> Result<(), String> {
    let started = Instant::now();
    tool::remove_folder(out)?;
    let results = play::all(suite, client, runs, out)?;
    println!("{}", report::table(&results));
    for result in &results {
        let is_expected = expected.is_failure(&result.run.scenario);
        if is_verbose || result.is_strict() == is_expected {
            println!("\n{}", report::details(result, is_expected));
        }
    }
    println!("\n{}", report::totals(&results, started.elapsed()));
    report::verdict(&results, expected)
}
