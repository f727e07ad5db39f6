//! `oracle SECONDS [--seed N]`: what real shells do, against what we read.
//! `oracle --scripts`: the same for scripts of standard input, each a line with a JSON string.
//!
//! Random scripts are run by bash and dash where every program is a stub that writes down what it
//! was given.  Whatever ran must be in the decomposition of the script, or the decomposition must
//! say that something in it is not known.  Start it as `cargo xtask oracle SECONDS`.
#![allow(
    clippy::print_stderr,
    clippy::print_stdout,
    reason = "a command talks to the person who ran it"
)]

#[cfg(unix)]
mod generate;
#[cfg(unix)]
mod judge;
#[cfg(unix)]
mod matching;
#[cfg(unix)]
mod minimise;
#[cfg(unix)]
mod random;
#[cfg(unix)]
mod room;
#[cfg(unix)]
mod run;
#[cfg(unix)]
mod sandbox;
#[cfg(unix)]
mod stub;
#[cfg(unix)]
mod tally;

use std::process::ExitCode;
#[cfg(unix)]
use std::time::{Duration, SystemTime};

/// Its shells and their sandbox are those of Linux.
#[cfg(not(unix))]
fn main() -> ExitCode {
    eprintln!("the oracle needs Linux");
    ExitCode::FAILURE
}

#[cfg(unix)]
fn main() -> ExitCode {
    if let Some(code) = stub::play() {
        return code;
    }
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let result = match Arguments::parse(&args) {
        Ok(arguments) => run::start(&arguments),
        Err(message) => {
            eprintln!("{message}");
            return ExitCode::from(2);
        }
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("error: {message}");
            ExitCode::FAILURE
        }
    }
}

/// Where scripts come from.
#[cfg(unix)]
#[derive(Debug, Eq, PartialEq)]
enum Scripts {
    Random { time: Duration, seed: u64 },
    Input,
}

/// What a run is asked to do.
#[cfg(unix)]
#[derive(Debug, Eq, PartialEq)]
struct Arguments {
    scripts: Scripts,
    /// Inside a sandbox: which of how many, and its folder.
    part: Option<(u64, u64, String)>,
}

#[cfg(unix)]
impl Arguments {
    fn parse(args: &[&str]) -> Result<Self, String> {
        let number =
            |text: &str| text.parse::<u64>().map_err(|_| format!("{text:?} is no number: {USAGE}"));
        let (scripts, part) = match args {
            [start @ .., "--part", part, of, folder] => {
                (start, Some((number(part)?, number(of)?.max(1), (*folder).to_owned())))
            }
            all => (all, None),
        };
        let (seconds, seed) = match scripts {
            ["--scripts"] => return Ok(Self { scripts: Scripts::Input, part }),
            [seconds] => (number(seconds)?, now()),
            [seconds, "--seed", seed] => (number(seconds)?, number(seed)?),
            _ => return Err(USAGE.to_owned()),
        };
        match seconds {
            0 => Err(USAGE.to_owned()),
            _ => {
                let time = Duration::from_secs(seconds);
                Ok(Self { scripts: Scripts::Random { time, seed }, part })
            }
        }
    }
}

#[cfg(unix)]
fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    since.as_secs()
}

#[cfg(unix)]
const USAGE: &str = "Usage: oracle SECONDS [--seed N], or oracle --scripts <FILE";

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_seconds_and_perhaps_a_seed_or_say_that_scripts_come() {
        let scripts = || Scripts::Random { time: Duration::from_secs(60), seed: 7 };
        let expected = Arguments { scripts: scripts(), part: None };
        assert_eq!(Arguments::parse(&["60", "--seed", "7"]), Ok(expected));
        assert!(Arguments::parse(&["60"]).is_ok());
        let inside = Arguments::parse(&["60", "--seed", "7", "--part", "1", "2", "/x"]);
        let part = Some((1, 2, "/x".to_owned()));
        assert_eq!(inside, Ok(Arguments { scripts: scripts(), part }));
        let given = Arguments { scripts: Scripts::Input, part: None };
        assert_eq!(Arguments::parse(&["--scripts"]), Ok(given));
        for wrong in [&[][..], &["0"], &["x"], &["1", "2"], &["1", "--seed"], &["1", "--seed", "x"]]
        {
            assert!(Arguments::parse(wrong).is_err(), "{wrong:?}");
        }
    }
}
