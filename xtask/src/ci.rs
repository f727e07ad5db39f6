//! `cargo xtask ci`: every check a change must pass.

use std::time::{Duration, Instant};

use crate::outcome::{Error, Outcome, every_check_must_run, print_skipped};
use crate::workspace::{Member, Workspace};
use crate::{adopt, bench, conformance, fuzz, live, oracle, tidy, tool};

/// Every check, cheapest first: the name it fails under, whether it is quick, and what it does.
const STEPS: &[(&str, bool, Step)] = &[
    ("tidy", true, || tidy::run(&[])),
    ("format", true, format),
    ("clippy", true, clippy),
    ("test", true, || cargo("test --workspace --all-features --locked")),
    // Another crate of a program may turn this on, and numbers are read in another way then.
    ("numbers", false, || {
        cargo(
            "test --package mcp-protocol --features serde_json/arbitrary_precision --test lenient \
             --locked",
        )
    }),
    ("doc", true, || {
        cargo("doc --workspace --all-features --no-deps --document-private-items --locked")
    }),
    ("package", false, package),
    ("example", false, example),
    ("adopt", false, || adopt::run(&[])),
    ("fuzz", false, || fuzz::run(&["5"])),
    ("bench", false, bench::check),
    // The same scripts every time: whoever changed nothing is not stopped by a new find.
    ("oracle", false, || oracle::run(&["60", "--seed", "1"])),
    ("conformance", false, || conformance::run(&[])),
    ("live", false, || live::run(&[])),
];

type Step = fn() -> Result<Outcome, Error>;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let fast = match args {
        [] => false,
        ["--fast"] => true,
        _ => return Err(Error::Usage("ci takes nothing, or --fast".to_owned())),
    };
    if fast && every_check_must_run() {
        return Err(Error::Failed(
            "--fast leaves checks out, and CI=true wants them all".to_owned(),
        ));
    }
    let mut report = Vec::new();
    let started = Instant::now();
    let outcome = STEPS.iter().try_for_each(|&(name, quick, step)| {
        let started = Instant::now();
        let outcome = if fast && !quick {
            Ok(Outcome::Skipped("--fast leaves it out".to_owned()))
        } else {
            eprintln!("\n== {name}");
            step()
        };
        let (ended, passed) = judge(name, outcome);
        if let Some(why) = ended.strip_prefix("SKIPPED: ") {
            print_skipped(&format!("{name}: {why}"));
        }
        let line = (name, started.elapsed(), ended);
        eprintln!("== {}", row(&line));
        report.push(line);
        passed
    });
    eprintln!("\n{}", table(&report, started.elapsed()));
    outcome.map(|()| Outcome::Done)
}

/// How a step ended, for the table, and whether the next may start.
fn judge(name: &str, outcome: Result<Outcome, Error>) -> (String, Result<(), Error>) {
    match outcome {
        Ok(Outcome::Done) => ("ok".to_owned(), Ok(())),
        Ok(Outcome::Skipped(why)) => (format!("SKIPPED: {why}"), Ok(())),
        Err(Error::Failed(why) | Error::Usage(why)) => {
            ("FAILED".to_owned(), Err(Error::Failed(format!("{name} failed: {why}"))))
        }
    }
}

type Line<'a> = (&'a str, Duration, String);

fn table(report: &[Line<'_>], total: Duration) -> String {
    let mut lines: Vec<String> = report.iter().map(row).collect();
    lines.push(row(&("total", total, String::new())));
    lines.join("\n")
}

fn row((name, time, ended): &Line<'_>) -> String {
    format!("{name:<11} {:>7.1} s  {ended}", time.as_secs_f64()).trim_end().to_owned()
}

fn cargo(args: &str) -> Result<Outcome, Error> {
    tool::run(tool::cargo(args).env("RUSTDOCFLAGS", "-D warnings"))?;
    Ok(Outcome::Done)
}

fn format() -> Result<Outcome, Error> {
    cargo("fmt --all --check")?;
    cargo("fmt --manifest-path adopt/rig/Cargo.toml --all --check")?;
    cargo("fmt --manifest-path bench/Cargo.toml --all --check")?;
    cargo("fmt --manifest-path fuzz/Cargo.toml --all --check")?;
    cargo("fmt --manifest-path live/rust/Cargo.toml --all --check")
}

fn clippy() -> Result<Outcome, Error> {
    cargo("clippy --workspace --all-targets --all-features --locked -- -D warnings")?;
    cargo("clippy --manifest-path fuzz/Cargo.toml --all-targets --locked -- -D warnings")
}

/// Packs every published crate; `adopt` builds each as packed.
fn package() -> Result<Outcome, Error> {
    let workspace = Workspace::load()?;
    let published: Vec<&Member> = workspace.published().collect();
    tool::run(&mut tool::cargo(&adopt::package_args(&published)))?;
    Ok(Outcome::Done)
}

/// Runs the example twice: it says something, and the same each time.
fn example() -> Result<Outcome, Error> {
    let run = || tool::read(&mut tool::cargo("run --quiet --example toolloop --locked"));
    let (first, second) = (run()?, run()?);
    eprint!("{first}");
    same(&first, &second)?;
    Ok(Outcome::Done)
}

fn same(first: &str, second: &str) -> Result<(), String> {
    if first.trim().is_empty() {
        return Err("the example printed nothing".to_owned());
    }
    let mut pairs = first.lines().zip(second.lines());
    match pairs.find(|(first, second)| first != second) {
        Some((first, second)) => Err(format!("two runs differ:\n  {first}\n  {second}")),
        None if first.len() != second.len() => {
            Err("one run printed more than the other".to_owned())
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_runs_must_say_the_same() {
        let cases: &[(&str, &str, Result<(), &str>)] = &[
            ("a\nb\n", "a\nb\n", Ok(())),
            ("a\nb\n", "a\nc\n", Err("two runs differ:\n  b\n  c")),
            ("a\n", "a\nb\n", Err("one run printed more than the other")),
            ("\n", "\n", Err("the example printed nothing")),
        ];
        for (first, second, expected) in cases {
            let expected = expected.map_err(str::to_owned);
            assert_eq!(same(first, second), expected, "{first:?} {second:?}");
        }
    }

    #[test]
    fn the_step_that_failed_is_named() {
        let (ended, passed) = judge("doc", Err(Error::Failed("a link is broken".to_owned())));
        assert_eq!(ended, "FAILED");
        assert_eq!(passed, Err(Error::Failed("doc failed: a link is broken".to_owned())));
        let (ended, passed) = judge("live", Ok(Outcome::Skipped("no npm".to_owned())));
        assert_eq!((ended.as_str(), passed), ("SKIPPED: no npm", Ok(())));
    }

    #[test]
    fn the_table_has_a_row_for_each_step_and_one_for_all() {
        let report = [
            ("tidy", Duration::from_millis(1_260), "ok".to_owned()),
            ("live", Duration::ZERO, "SKIPPED: no npm".to_owned()),
        ];
        assert_eq!(
            table(&report, Duration::from_millis(1_300)),
            "tidy            1.3 s  ok\nlive            0.0 s  SKIPPED: no npm\ntotal           1.3 s"
        );
    }
}
