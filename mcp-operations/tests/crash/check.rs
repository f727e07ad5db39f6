//! What a killed process left behind, compared with what the server saw.

use std::collections::HashMap;
use std::fmt;
use std::fs;
use std::path::Path;

use mcp_operations::FileJournal;
use serde_json::Value;

use crate::Failure;

/// How much there was to look at, and what was wrong with it.
#[derive(Debug, Default)]
pub(crate) struct Figures {
    pub(crate) runs: usize,
    pub(crate) dispatched: usize,
    pub(crate) seen: usize,
    pub(crate) completed: usize,
    pub(crate) failed: usize,
    pub(crate) unknown: usize,
    pub(crate) repaired: usize,
    pub(crate) late: usize,
    /// Runs in which something was under way when the process was killed.
    pub(crate) killed_in_flight: usize,
    /// Pending operations that the server had seen, and that it had not.
    pub(crate) pending_seen: usize,
    pub(crate) pending_unseen: usize,
    pub(crate) torn: usize,
    /// Calls that the model was told had not been sent.
    pub(crate) told_not_sent: usize,
    pub(crate) wrong: Vec<String>,
}

/// Looks at the folder of a killed process as the next process would, and adds to `figures`.
///
/// The files grow from one process to the next, so only what is said of all of them is summed up by
/// the caller: `is_last` says that no other process follows in this folder.
pub(crate) fn check(folder: &Path, is_last: bool, figures: &mut Figures) -> Result<(), Failure> {
    figures.runs += 1;
    let journal = folder.join("journal");
    if !journal.exists() {
        return Ok(());
    }
    // What a process finds that starts now: the lock is free, and the file is readable.
    let opened = match FileJournal::open(&journal) {
        Ok(opened) => opened,
        Err(error) => {
            figures.wrong.push(format!("{}: {error}", folder.display()));
            return Ok(());
        }
    };
    figures.torn += usize::from(opened.torn().is_some());
    drop(opened);

    let ops = read_journal(&fs::read_to_string(&journal)?)?;
    let server = read_server(folder)?;
    let pending: Vec<&String> =
        ops.iter().filter(|(_, op)| op.outcome.is_none()).map(|(id, _)| id).collect();
    let seen = pending.iter().filter(|id| server.by_op.contains_key(**id)).count();
    figures.pending_seen += seen;
    figures.pending_unseen += pending.len() - seen;
    figures.killed_in_flight += usize::from(!pending.is_empty());

    let mut wrong = Vec::new();
    for (id, said) in &server.by_op {
        let Some(op) = ops.get(id) else {
            wrong.push(format!("{id} was seen, and is missing from the journal"));
            continue;
        };
        let is_true = match op.outcome.as_deref() {
            None | Some("outcome-unknown") => true,
            Some("completed") => said == "ok",
            Some("failed") => said == "error" && op.reason.as_deref() != Some("refused"),
            Some(_) => false,
        };
        if !is_true {
            wrong.push(format!("{id}: the server said {said:?}, and the journal {op:?}"));
        }
    }
    for (id, op) in &ops {
        if !server.by_op.contains_key(id) && op.outcome.as_deref() == Some("completed") {
            wrong.push(format!("{id} was never seen, and is recorded as completed"));
        }
    }
    let told = whole_lines(folder, "told")?;
    for line in &told {
        let (said, call) = line.split_once(' ').ok_or("a line of `told` without a space")?;
        let server_said = server.by_call.get(call).map(String::as_str);
        let is_true = match said {
            "ok" => server_said == Some("ok"),
            "error" => server_said == Some("error"),
            "not-sent" => server_said.is_none(),
            _ => true,
        };
        if !is_true {
            wrong.push(format!(
                "{call}: the model was told {said}, the server said {server_said:?}"
            ));
        }
    }
    figures.wrong.extend(wrong.into_iter().map(|it| format!("{}: {it}", folder.display())));
    if is_last {
        let count =
            |outcome| ops.values().filter(|it| it.outcome.as_deref() == Some(outcome)).count();
        figures.dispatched += ops.len();
        figures.seen += server.by_op.len();
        figures.completed += count("completed");
        figures.failed += count("failed");
        figures.unknown += count("outcome-unknown");
        figures.repaired +=
            ops.values().filter(|it| it.reason.as_deref() == Some("crash-repair")).count();
        figures.late += ops.values().filter(|it| it.is_late).count();
        figures.told_not_sent += told.iter().filter(|it| it.starts_with("not-sent")).count();
    }
    Ok(())
}

#[derive(Debug, Default)]
struct Op {
    outcome: Option<String>,
    reason: Option<String>,
    is_late: bool,
}

/// Reads a journal as anybody would who knows its documentation, and not by the crate's own reader.
fn read_journal(text: &str) -> Result<HashMap<String, Op>, Failure> {
    let mut ops = HashMap::<String, Op>::new();
    for line in text.lines() {
        let json: Value = serde_json::from_str(line)?;
        let text = |key: &str| json[key].as_str().map(str::to_owned);
        let id = text("op").ok_or("a line without an operation")?;
        match json["type"].as_str() {
            Some("dispatched") => {
                ops.insert(id, Op::default());
            }
            Some("settled") => {
                let op = ops.get_mut(&id).ok_or("settled before it was dispatched")?;
                (op.outcome, op.reason) = (text("outcome"), text("reason"));
            }
            _ => ops.get_mut(&id).ok_or("late before it was dispatched")?.is_late = true,
        }
    }
    Ok(ops)
}

/// What the server said last of each operation, and of each call.
struct Seen {
    by_op: HashMap<String, String>,
    by_call: HashMap<String, String>,
}

fn read_server(folder: &Path) -> Result<Seen, Failure> {
    let mut seen = Seen { by_op: HashMap::new(), by_call: HashMap::new() };
    for line in whole_lines(folder, "server")? {
        let words: Vec<&str> = line.split(' ').collect();
        let [said, op, call] = *words else {
            return Err(format!("the server wrote {line:?}").into());
        };
        seen.by_op.insert(op.to_owned(), said.to_owned());
        seen.by_call.insert(call.to_owned(), said.to_owned());
    }
    Ok(seen)
}

/// The lines of a file that have an end; none where there is no file.
fn whole_lines(folder: &Path, name: &str) -> Result<Vec<String>, Failure> {
    let path = folder.join(name);
    if !path.exists() {
        return Ok(Vec::new());
    }
    let text = fs::read_to_string(path)?;
    let whole = text.rfind('\n').map_or("", |end| &text[..end]);
    Ok(whole.lines().map(str::to_owned).collect())
}

impl fmt::Display for Figures {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            f,
            "{} runs killed, {} of them with calls under way",
            self.runs, self.killed_in_flight
        )?;
        writeln!(
            f,
            "{} calls dispatched, {} of them seen by the server",
            self.dispatched, self.seen
        )?;
        writeln!(
            f,
            "settled: {} completed, {} failed, {} unknown ({} of them after a restart); {} late answers",
            self.completed, self.failed, self.unknown, self.repaired, self.late
        )?;
        writeln!(
            f,
            "pending at the kill: {} seen by the server, {} not; {} torn lines; {} told as not sent",
            self.pending_seen, self.pending_unseen, self.torn, self.told_not_sent
        )?;
        write!(f, "wrong: {}", self.wrong.len())?;
        self.wrong.iter().take(20).try_for_each(|it| write!(f, "\n  {it}"))
    }
}
