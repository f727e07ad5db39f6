//! The command line.

use std::path::PathBuf;

use crate::outcome::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// What is wanted has this in its name; with a `!` before it, has it not.
    pub(crate) filter: String,
    pub(crate) passes: usize,
    pub(crate) mode: Mode,
    pub(crate) json: Option<PathBuf>,
    /// The CPU that everything runs on.
    pub(crate) pin: Option<usize>,
    pub(crate) curves: bool,
    pub(crate) write_docs: bool,
    /// Whether programs that were built before are good enough.
    pub(crate) no_build: bool,
}

/// How thoroughly.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    Full,
    /// Within a minute, to see where one stands.
    Quick,
    /// Each thing once, and small: whether it works at all.
    Test,
}

impl Options {
    pub(crate) fn parse(args: &[&str]) -> Result<Self, Error> {
        let cpus = std::thread::available_parallelism().map_or(1, usize::from);
        let mut options = Self {
            filter: String::new(),
            passes: 1,
            mode: Mode::Full,
            json: None,
            pin: Some(cpus.saturating_sub(1)),
            curves: false,
            write_docs: false,
            no_build: false,
        };
        let mut args = args.iter().copied();
        while let Some(arg) = args.next() {
            let mut value =
                || args.next().ok_or_else(|| Error::Usage(format!("{arg} needs a value")));
            match arg {
                "--passes" => options.passes = number(value()?)?.max(1),
                "--json" => options.json = Some(value()?.into()),
                "--pin" => {
                    options.pin = match value()? {
                        "none" => None,
                        cpu => Some(number(cpu)?),
                    }
                }
                "--quick" => options.mode = Mode::Quick,
                "--test" => options.mode = Mode::Test,
                "--curves" => options.curves = true,
                "--no-build" => options.no_build = true,
                "--write-docs" => options.write_docs = true,
                _ if arg.starts_with('-') => {
                    return Err(Error::Usage(format!("there is no option {arg:?}")));
                }
                _ if options.filter.is_empty() => options.filter = arg.to_owned(),
                _ => return Err(Error::Usage(format!("one filter is enough, without {arg:?}"))),
            }
        }
        if options.write_docs && options.mode == Mode::Test {
            let why = "--write-docs does not go with --test, whose figures say nothing";
            return Err(Error::Usage(why.to_owned()));
        }
        Ok(options)
    }

    /// The command that does the same again.
    pub(crate) fn command(&self) -> String {
        let mut command = "cargo xtask bench".to_owned();
        if !self.filter.is_empty() {
            command.push_str(&format!(" '{}'", self.filter));
        }
        if self.curves {
            command.push_str(" --curves");
        } else {
            command.push_str(&format!(" --passes {}", self.passes));
        }
        if self.mode == Mode::Quick {
            command.push_str(" --quick");
        }
        command + " --write-docs"
    }

    pub(crate) fn wants(&self, name: &str) -> bool {
        match self.filter.strip_prefix('!') {
            Some(unwanted) => !name.contains(unwanted),
            None => name.contains(&self.filter),
        }
    }

    /// Seconds of a repetition, and repetitions.
    pub(crate) fn effort(&self) -> (&'static str, &'static str) {
        match self.mode {
            Mode::Full => ("0.3", "3"),
            Mode::Quick => ("0.1", "1"),
            Mode::Test => ("0", "1"),
        }
    }
}

fn number(text: &str) -> Result<usize, Error> {
    text.parse().map_err(|_| Error::Usage(format!("{text:?} is no number")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_may_stand_anywhere() {
        let options = Options::parse(&["--passes", "3", "stdio", "--pin", "none"]);
        let options = options.expect("they are right");
        assert_eq!((options.passes, options.pin), (3, None));
        assert!(options.wants("stdio, 1 MB") && !options.wants("http, 1 MB"));
        let options = Options::parse(&["!stdio"]).expect("it is right");
        assert!(!options.wants("stdio, 1 MB") && options.wants("http, 1 MB"));
    }

    #[test]
    fn what_cannot_be_meant_is_refused() {
        let cases: &[(&[&str], &str)] = &[
            (&["--passes"], "needs a value"),
            (&["--passes", "few"], "\"few\" is no number"),
            (&["--fast"], "no option \"--fast\""),
            (&["stdio", "http"], "without \"http\""),
            (&["--test", "--write-docs"], "say nothing"),
        ];
        for (args, expected) in cases {
            match Options::parse(args) {
                Err(Error::Usage(message)) => assert!(message.contains(expected), "{message}"),
                other => panic!("{args:?}: {other:?}"),
            }
        }
    }
}
