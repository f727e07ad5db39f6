//! `cargo xtask`: the workspace's routine jobs, in plain Rust.
//!
//! A command is a file, and a line in [`COMMANDS`].  See <https://github.com/matklad/cargo-xtask>.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command talks to the person who ran it"
)]

mod adopt;
mod architecture;
mod bench;
mod changelog;
mod ci;
mod conformance;
mod fuzz;
mod graph;
mod live;
mod npm;
mod oracle;
mod outcome;
mod release;
mod tidy;
mod tool;
mod workspace;

use std::process::ExitCode;

use crate::outcome::{Error, Outcome};

/// Every command: its name, its arguments, what it is for, and what runs it.
const COMMANDS: &[(&str, &str, &str, Run)] = &[
    ("ci", "[--fast]", "every check a change must pass, cheapest first", ci::run),
    ("tidy", "", "the rules that no other tool knows", tidy::run),
    ("adopt", "[CRATE]", "build a program that depends on one packed crate alone", adopt::run),
    ("release", "CRATE", "check and pack one crate; a person publishes it", release::run),
    ("fuzz", "SECONDS", "run each fuzz target that long", fuzz::run),
    (
        "oracle",
        "SECONDS [--seed N] | --scripts",
        "real shells against what mcp-policy reads",
        oracle::run,
    ),
    ("conformance", "[--only SCENARIO]", "the official conformance suite", conformance::run),
    (
        "bench",
        "[FILTER] [--passes N] [--quick|--test] [--curves] [--write-docs] [--json FILE] [--pin CPU] [--no-build]",
        "how fast it is, beside its peers",
        bench::run,
    ),
    ("live", "[NAME...]", "talk to real servers, installed from lock files", live::run),
];

type Run = fn(&[&str]) -> Result<Outcome, Error>;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    match dispatch(&args) {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::Skipped(why)) => {
            outcome::print_skipped(&why);
            ExitCode::SUCCESS
        }
        Err(Error::Usage(message)) => {
            eprintln!("{message}");
            ExitCode::from(2)
        }
        Err(Error::Failed(message)) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

fn dispatch(args: &[&str]) -> Result<Outcome, Error> {
    let Some((&name, args)) = args.split_first() else {
        return Err(Error::Usage(usage()));
    };
    let Some((_, takes, _, run)) = COMMANDS.iter().find(|(known, ..)| *known == name) else {
        return Err(Error::Usage(format!("there is no command {name:?}\n\n{}", usage())));
    };
    run(args).map_err(|error| match error {
        Error::Usage(what) => {
            let line = format!("cargo xtask {name} {takes}");
            Error::Usage(format!("{what}\n\nUsage: {}", line.trim_end()))
        }
        failed @ Error::Failed(_) => failed,
    })
}

fn usage() -> String {
    let mut usage = "Usage: cargo xtask COMMAND\n".to_owned();
    for (name, takes, about, _) in COMMANDS {
        let call = format!("{name} {takes}");
        usage.push_str(&format!("\n  {call:<16}  {about}"));
    }
    usage
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_arguments_are_answered_with_usage() {
        let cases: &[(&[&str], &str)] = &[
            (&[], "Usage: cargo xtask COMMAND"),
            (&["bake"], "there is no command \"bake\""),
            (&["tidy", "up"], "Usage: cargo xtask tidy"),
            (&["ci", "--slow"], "Usage: cargo xtask ci [--fast]"),
            (&["adopt", "mcp-sse", "mcp-cache"], "Usage: cargo xtask adopt [CRATE]"),
            (&["release"], "Usage: cargo xtask release CRATE"),
            (&["fuzz"], "Usage: cargo xtask fuzz SECONDS"),
            (&["fuzz", "long"], "\"long\""),
            (&["fuzz", "0"], "\"0\""),
            (&["live", "--all"], "\"--all\""),
            (&["conformance", "sse-retry"], "Usage: cargo xtask conformance [--only SCENARIO]"),
        ];
        for (args, expected) in cases {
            match dispatch(args) {
                Err(Error::Usage(message)) => assert!(message.contains(expected), "{message}"),
                other => panic!("{args:?}: {other:?}"),
            }
        }
    }

    #[test]
    fn usage_names_every_command() {
        for (name, ..) in COMMANDS {
            assert!(usage().contains(&format!("\n  {name} ")), "{name}");
        }
    }
}
