//! How a command ends.

/// How a command that did not fail ended.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    Done,
    /// Nothing, or not all, was done: why, for the person who reads it.
    Skipped(String),
}

/// Why a command did not succeed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Error {
    /// It was called the wrong way.
    Usage(String),
    /// It ran, and found something wrong.
    Failed(String),
}

impl From<String> for Error {
    fn from(message: String) -> Self {
        Self::Failed(message)
    }
}

/// What follows from missing tools: a loud line on a desk, a failure where every check must run.
pub(crate) fn without(missing: &[String], every_check_must_run: bool) -> Result<Outcome, Error> {
    if missing.is_empty() {
        return Ok(Outcome::Done);
    }
    let what = missing.join("; ");
    if every_check_must_run { Err(Error::Failed(what)) } else { Ok(Outcome::Skipped(what)) }
}

/// Whether this run is the one that decides: then nothing is skipped.
pub(crate) fn every_check_must_run() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

pub(crate) fn print_skipped(why: &str) {
    eprintln!("!! SKIPPED: {why}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_tool_is_skipped_only_on_a_desk() {
        let missing = ["no npm".to_owned(), "no python3".to_owned()];
        let both = "no npm; no python3".to_owned();
        assert_eq!(without(&[], true), Ok(Outcome::Done));
        assert_eq!(without(&[], false), Ok(Outcome::Done));
        assert_eq!(without(&missing, false), Ok(Outcome::Skipped(both.clone())));
        assert_eq!(without(&missing, true), Err(Error::Failed(both)));
    }
}
