//! `cargo xtask oracle SECONDS [--seed N]`, or `--scripts <FILE`: what real shells run, against
//! what `mcp-policy` reads.

use std::path::Path;

use crate::outcome::{Error, Outcome, every_check_must_run, without};
use crate::tool;

pub(crate) fn run(args: &[&str]) -> Result<Outcome, Error> {
    let args = arguments(args)?;
    let missing = missing();
    if !missing.is_empty() {
        return without(&missing, every_check_must_run());
    }
    // An example, so that no other command waits for `mcp-policy`, or fails when it does not build.
    tool::run(&mut tool::cargo(&format!(
        "run --locked --package xtask --example oracle -- {args}"
    )))?;
    Ok(Outcome::Done)
}

fn arguments(args: &[&str]) -> Result<String, Error> {
    let (seconds, seed) = match args {
        ["--scripts"] => return Ok("--scripts".to_owned()),
        [seconds] => (seconds, None),
        [seconds, "--seed", seed] => (seconds, Some(seed)),
        _ => return Err(Error::Usage("oracle takes a number of seconds, or --scripts".to_owned())),
    };
    if !seconds.parse().is_ok_and(|seconds: u32| seconds > 0) {
        return Err(Error::Usage(format!("{seconds:?} is no number of seconds")));
    }
    match seed {
        Some(seed) if seed.parse::<u64>().is_err() => {
            Err(Error::Usage(format!("{seed:?} is no seed")))
        }
        _ => Ok(args.join(" ")),
    }
}

/// What the oracle needs and this machine does not have.
fn missing() -> Vec<String> {
    if !cfg!(target_os = "linux") {
        return vec!["the oracle needs Linux".to_owned()];
    }
    let gone = PROGRAMS.iter().filter(|path| !Path::new(path).exists());
    gone.map(|path| format!("the oracle needs {path}, and it is not there")).collect()
}

const PROGRAMS: &[&str] = &["/bin/bash", "/bin/dash", "/usr/bin/setpriv"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_seconds_and_perhaps_a_seed() {
        assert_eq!(arguments(&["60"]), Ok("60".to_owned()));
        assert_eq!(arguments(&["--scripts"]), Ok("--scripts".to_owned()));
        assert_eq!(arguments(&["60", "--seed", "7"]), Ok("60 --seed 7".to_owned()));
        for wrong in [
            &[][..],
            &["0"],
            &["x"],
            &["1", "2"],
            &["1", "--seed"],
            &["1", "--seed", "-1"],
            &["--scripts", "1"],
        ] {
            assert!(matches!(arguments(wrong), Err(Error::Usage(_))), "{wrong:?}");
        }
    }
}
