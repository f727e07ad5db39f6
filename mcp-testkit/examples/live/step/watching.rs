//! Steps that look at what the server says of its own accord.

use mcp_client::protocol::RequestId;

use crate::checks::Checks;
use crate::journal::Entry;
use crate::stage::{SOON, Stage};

/// Waits until the server has asked.
pub(crate) async fn question(stage: &Stage, method: &str, id: Option<i64>) -> Checks {
    let mut checks = Checks::default();
    let asked = |entry: &Entry| match entry {
        Entry::Asked { id, method: asked } => (asked == method).then(|| id.clone()),
        _ => None,
    };
    let ids = stage.journal.wait_for(1, SOON, asked).await;
    checks.holds("questions", !ids.is_empty(), "at least one", &ids);
    if let Some(id) = id {
        checks.equal("id", &ids.first(), &Some(&RequestId::Integer(id.into())));
    }
    checks
}

pub(crate) async fn notified(stage: &Stage, method: &str, at_least: usize) -> Checks {
    let mut checks = Checks::default();
    let told = |entry: &Entry| match entry {
        Entry::Notified { method: told } => (told == method).then_some(()),
        _ => None,
    };
    let count = stage.journal.wait_for(at_least, SOON, told).await.len();
    checks.holds("notifications", count >= at_least, &format!("at least {at_least}"), &count);
    checks
}

pub(crate) async fn stderr(stage: &Stage, part: &str) -> Checks {
    let mut checks = Checks::default();
    let line = |entry: &Entry| match entry {
        Entry::Wrote(line) => line.contains(part).then_some(()),
        _ => None,
    };
    let lines = stage.journal.wait_for(1, SOON, line).await;
    checks.holds("stderr", !lines.is_empty(), &format!("a line with {part:?}"), &lines);
    if stage.process.is_none() {
        checks.contains("stderr", &stage.client.stderr_tail(), part);
    }
    checks
}

/// Counts the lines on stdout that the client could not use.
pub(crate) async fn junk(stage: &Stage, lines: usize, first: &str) -> Checks {
    let mut checks = Checks::default();
    let dropped = |entry: &Entry| match entry {
        Entry::Warned(warning) => is_about_junk(warning).then(|| warning.clone()),
        _ => None,
    };
    let found = stage.journal.wait_for(lines, SOON, dropped).await;
    checks.holds("lines", found.len() == lines, &format!("{lines} of them"), &found);
    checks.contains("the first", found.first().map_or("", |it| it), first);
    checks
}

/// Whether the client warns about a line that was no message.
pub(crate) fn is_about_junk(warning: &str) -> bool {
    warning.starts_with("dropped a line of output")
}
