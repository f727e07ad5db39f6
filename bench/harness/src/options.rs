//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use crate::client::{Era, Failure};

#[derive(Clone, Debug)]
pub(crate) struct Options {
    pub(crate) server: PathBuf,
    pub(crate) work: Work,
    pub(crate) is_http: bool,
    pub(crate) as_events: bool,
    pub(crate) era: Era,
    pub(crate) one_thread: bool,
    pub(crate) pin: Option<usize>,
    pub(crate) repeats: usize,
    pub(crate) time: Duration,
}

/// What is measured.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Work {
    /// Small calls, so many at once.
    Echo { in_flight: usize },
    /// Results of that many bytes, one after another.
    Big { bytes: usize },
    /// Listings of so many tools; 0 to a page are all in one.
    List { tools: usize, page: usize },
    /// From nothing to the first result.
    Connect,
    /// What so many connections keep while nothing happens.
    Idle { connections: usize },
}

const HELP: &str = "options:
  --server PATH     the echo server (required)
  --work WORK       echo:IN_FLIGHT big:BYTES list:TOOLS[:PAGE] connect idle:CONNECTIONS (required)
  --http            over HTTP, not over stdio;  --sse  with answers as event streams
  --legacy          speak 2025-11-25, not 2026-07-28
  --one-thread      a runtime of one thread, not of two
  --pin CPU         everything on one CPU
  --repeats N (5)   --seconds S for each (1)";

pub(crate) fn parse(args: impl Iterator<Item = String>) -> Result<Options, Failure> {
    let mut args = args;
    let mut work = None;
    let mut options = Options {
        server: PathBuf::new(),
        work: Work::Connect,
        is_http: false,
        as_events: false,
        era: Era::Modern,
        one_thread: false,
        pin: None,
        repeats: 5,
        time: Duration::from_secs(1),
    };
    while let Some(option) = args.next() {
        let mut value = || args.next().ok_or_else(|| format!("{option} needs a value\n{HELP}"));
        match option.as_str() {
            "--server" => options.server = value()?.into(),
            "--work" => work = Some(value()?),
            "--http" => options.is_http = true,
            "--sse" => options.as_events = true,
            "--legacy" => options.era = Era::Legacy,
            "--one-thread" => options.one_thread = true,
            "--pin" => options.pin = Some(value()?.parse()?),
            "--repeats" => options.repeats = value()?.parse()?,
            "--seconds" => options.time = Duration::try_from_secs_f64(value()?.parse()?)?,
            _ => return Err(format!("there is no option {option}\n{HELP}").into()),
        }
    }
    let work = work.ok_or_else(|| format!("--work is missing\n{HELP}"))?;
    options.work = parse_work(&work).ok_or_else(|| format!("there is no work {work}\n{HELP}"))?;
    if options.server.as_os_str().is_empty() {
        return Err(format!("--server is missing\n{HELP}").into());
    }
    Ok(options)
}

fn parse_work(text: &str) -> Option<Work> {
    let mut parts = text.split(':');
    let name = parts.next()?;
    let mut number = || parts.next().map(|part| part.parse::<usize>().ok());
    let work = match name {
        "echo" => Work::Echo { in_flight: number()?? },
        "big" => Work::Big { bytes: number()?? },
        "list" => Work::List { tools: number()??, page: number().unwrap_or(Some(0))? },
        "connect" => Work::Connect,
        "idle" => Work::Idle { connections: number()?? },
        _ => return None,
    };
    parts.next().is_none().then_some(work)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_has_a_name_and_numbers() {
        let cases = [
            ("echo:16", Some(Work::Echo { in_flight: 16 })),
            ("big:1000", Some(Work::Big { bytes: 1000 })),
            ("list:10", Some(Work::List { tools: 10, page: 0 })),
            ("list:10:2", Some(Work::List { tools: 10, page: 2 })),
            ("connect", Some(Work::Connect)),
            ("idle:3", Some(Work::Idle { connections: 3 })),
            ("echo", None),
            ("echo:x", None),
            ("list:10:x", None),
            ("connect:1", None),
            ("sleep:1", None),
        ];
        for (text, expected) in cases {
            assert_eq!(parse_work(text), expected, "{text}");
        }
    }
}
