//! Reading a journal back.

use std::io::{self, BufRead, Read};
use std::path::Path;

use serde_json::Value;

use crate::journal::ledger::Ledger;
use crate::journal::line::VERSION;
use crate::journal::{DispatchedLine, JournalError, Line};

/// What a journal says.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Contents {
    /// What was dispatched and not settled, in the order of the dispatches.
    pub pending: Vec<DispatchedLine>,
    /// The last line, if it was cut short.
    pub torn: Option<TornLine>,
}

/// A last line without an end: its write was cut short.
///
/// If it was a dispatched line, its call did not go out; if it was a settled line, its operation is
/// still pending.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TornLine {
    /// Its number; the first is 1.
    pub line: usize,
    /// How many bytes there were of it.
    pub bytes: usize,
    /// The first 200 characters of what there was, for people.
    pub text: String,
}

/// What was read: the sum of it, and how many bytes of whole lines there were.
pub(crate) struct Reading {
    pub(crate) ledger: Ledger,
    pub(crate) length: u64,
    pub(crate) torn: Option<TornLine>,
}

/// Reads all lines; only a last one without an end may be unreadable.
pub(crate) fn read(path: &Path, file: impl BufRead) -> Result<Reading, JournalError> {
    let mut file = file;
    let mut reading = Reading { ledger: Ledger::default(), length: 0, torn: None };
    for line in 1.. {
        let mut bytes = Vec::new();
        let malformed = |why: String| JournalError::Malformed { path: path.to_owned(), line, why };
        let most = MAX_LINE as u64 + 1;
        let read = file.by_ref().take(most).read_until(b'\n', &mut bytes);
        read.map_err(|source| io_error("read", path, source))?;
        match bytes.strip_suffix(b"\n") {
            None if bytes.is_empty() => break,
            None if bytes.len() > MAX_LINE => {
                return Err(malformed(format!("has more than {MAX_LINE} bytes")));
            }
            None => {
                reading.torn = Some(TornLine::new(line, &bytes));
                break;
            }
            Some(text) => {
                if let Some(line) = parse(text).map_err(malformed)? {
                    reading
                        .ledger
                        .check(&line)
                        .map_err(|why| malformed(format!("is out of place: {why}")))?;
                    reading.ledger.apply(line);
                }
                reading.length += bytes.len() as u64;
            }
        }
    }
    Ok(reading)
}

/// Reads a line; nothing where it is of a type that came later.
fn parse(text: &[u8]) -> Result<Option<Line>, String> {
    let json: Value = serde_json::from_slice(text).map_err(|it| format!("is no JSON ({it})"))?;
    let Value::Object(json) = json else { return Err("is no JSON object".to_owned()) };
    match json.get("v") {
        Some(version) if version.as_u64() == Some(VERSION) => {}
        Some(version) => {
            return Err(format!("has the version {version}, and only {VERSION} is known here"));
        }
        None => return Err("has no version \"v\"".to_owned()),
    }
    match json.get("type").and_then(Value::as_str) {
        Some("dispatched" | "settled" | "late") => {}
        Some(_) => return Ok(None),
        None => return Err("has no \"type\"".to_owned()),
    }
    serde_json::from_value(Value::Object(json))
        .map(Some)
        .map_err(|it| format!("is incomplete ({it})"))
}

pub(crate) fn io_error(doing: &'static str, path: &Path, source: io::Error) -> JournalError {
    JournalError::Io { doing, path: path.to_owned(), source }
}

impl TornLine {
    fn new(line: usize, bytes: &[u8]) -> Self {
        let text = String::from_utf8_lossy(bytes).chars().take(200).collect();
        Self { line, bytes: bytes.len(), text }
    }
}

/// The longest line there may be, its end apart: 64 MiB.
pub(crate) const MAX_LINE: usize = 64 * 1024 * 1024;
