//! What came, beside what was expected.

use mcp_client::Error;
use mcp_client::protocol::{
    CallToolResult, ContentBlock, ElicitParams, ErrorCode, LoggingMessage, ReadResourceResult,
};
use serde_json::Value;

use crate::checks::Checks;
use crate::data::{CacheFacts, Expect, Log, Progress};
use crate::journal::{Entry, Journal, Outcome};

/// Compares an outcome with the error that is expected.  Returns the result if none is.
pub(crate) fn result<'a, T: std::fmt::Debug>(
    checks: &mut Checks,
    expect: &Expect,
    outcome: &'a Result<T, Error>,
) -> Option<&'a T> {
    match (outcome, expect.error) {
        (Ok(result), None) => return Some(result),
        (Ok(result), Some(code)) => {
            checks.holds("the answer", false, &format!("an error with code {code}"), result);
        }
        (Err(error), Some(code)) => {
            checks.equal("the error's code", &error.code(), &Some(ErrorCode(code)));
        }
        (Err(error), None) => {
            checks.holds("the answer", false, "a result", &error.to_string());
        }
    }
    None
}

pub(crate) fn tool_result(checks: &mut Checks, expect: &Expect, result: &CallToolResult) {
    text(checks, expect, &text_of(&result.content));
    checks.equal("is_error", &result.is_error(), &expect.is_error);
    if let Some(count) = &expect.content_blocks {
        checks.equal("content blocks", &result.content.len(), count);
    }
    if let Some(structured) = &expect.structured {
        let found = result.structured_content.as_ref().unwrap_or(&Value::Null);
        checks.equal("structured", found, structured);
    }
    for (pointer, value) in &expect.structured_has {
        let found = result.structured_content.as_ref().and_then(|it| it.pointer(pointer));
        checks.equal(&format!("structured {pointer}"), &found, &Some(value));
    }
}

pub(crate) fn text(checks: &mut Checks, expect: &Expect, found: &str) {
    if let Some(text) = &expect.text {
        checks.equal("text", found, text);
    }
    if let Some(part) = &expect.text_contains {
        checks.contains("text", found, part);
    }
}

/// What the latest answer to `method` looks like before the client has read it.
pub(crate) fn wire(
    checks: &mut Checks,
    expect: &Expect,
    (journal, mark): (&Journal, usize),
    method: &str,
) {
    let outcome = journal.last_outcome(mark, method);
    for (member, value) in &expect.wire {
        let is_there =
            matches!(&outcome, Some(Outcome::Result(it)) if it.get(member) == Some(value));
        checks.holds("on the wire", is_there, &format!("{member}: {value}"), &outcome);
    }
    for member in &expect.missing {
        let is_missing = matches!(&outcome, Some(Outcome::Result(it)) if it.get(member).is_none());
        checks.holds("on the wire", is_missing, &format!("no {member}"), &outcome);
    }
}

pub(crate) fn questions(checks: &mut Checks, expect: &Expect, journal: &Journal, mark: usize) {
    let elicited = journal.since(mark, |entry| match entry {
        Entry::Elicited(params) => Some(params.clone()),
        _ => None,
    });
    if let Some(asked) = &expect.asked {
        let found: Vec<_> = elicited.iter().map(ElicitParams::message).collect();
        checks.equal(
            "asked",
            &found[..],
            &asked.iter().map(String::as_str).collect::<Vec<_>>()[..],
        );
    }
    if let Some(url) = &expect.asked_url {
        let found = match elicited.first() {
            Some(ElicitParams::Url(params)) => Some(&params.url),
            _ => None,
        };
        checks.equal("asked for a visit to", &found, &Some(url));
    }
}

pub(crate) fn progress(checks: &mut Checks, expect: &Progress, found: &[mcp_client::Progress]) {
    let values: Vec<_> = found.iter().map(|it| it.progress).collect();
    checks.equal("progress", &values, &expect.values);
    let has_total = found.iter().all(|it| it.total == Some(expect.total));
    checks.holds("progress", has_total, &format!("a total of {} each time", expect.total), found);
    if let Some(message) = &expect.last_message {
        let last = found.last().and_then(|it| it.message.as_ref());
        checks.equal("last message", &last, &Some(message));
    }
}

pub(crate) fn logs(checks: &mut Checks, expect: &Expect, journal: &Journal, mark: usize) {
    if let Some(logs) = &expect.logs {
        let found = journal.since(mark, |entry| match entry {
            Entry::Logged(message) => Some(log(message)),
            _ => None,
        });
        checks.equal("log messages", &found, logs);
    }
}

pub(crate) fn read(checks: &mut Checks, expect: &Expect, result: &ReadResourceResult) {
    let found = result.contents.first().and_then(|it| it.text.as_deref());
    text(checks, expect, found.unwrap_or_default());
}

/// The caching hints of the latest answer to `method`, as they came.
pub(crate) fn cache(
    checks: &mut Checks,
    expect: &CacheFacts,
    (journal, mark): (&Journal, usize),
    method: &str,
) {
    let hints = match journal.last_outcome(mark, method) {
        Some(Outcome::Result(result)) => Some((
            result.get("ttlMs").and_then(Value::as_f64),
            result.get("cacheScope").and_then(Value::as_str).map(str::to_owned),
        )),
        _ => None,
    };
    let expected = (Some(expect.ttl_ms), Some(expect.scope.clone()));
    checks.equal("caching hints", &hints, &Some(expected));
}

pub(crate) fn text_of(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}

fn log(message: &LoggingMessage) -> Log {
    Log { level: message.level, logger: message.logger.clone(), data: message.data.clone() }
}
