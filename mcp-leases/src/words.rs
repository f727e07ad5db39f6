//! What a model reads: what happened, and what to do next.

use std::fmt::Display;
use std::time::Duration;

use mcp_provider::location::{Place, Unreadable};
use serde_json::Value;

use crate::{Conflict, Holder, Lease, Refusal, Released};

/// The tool that claims paths.
pub const LOCK_ACQUIRE: &str = "lock_acquire";

/// The tool that gives paths back.
pub const LOCK_RELEASE: &str = "lock_release";

pub(crate) const ACQUIRE: &str = "Claim files or directories before a change that takes more than \
     one step. While you hold them, changes to them by other agents are refused. It is all or \
     nothing: you get every path you name, or none. A directory covers everything in it. THIS CALL \
     WAITS while another agent holds one of the paths, so it may be slow; that is normal. If it is \
     refused at the end of the wait, do not retry it blindly: work on something else, or report. \
     Claim your whole working set in one call: while you hold something already, a path that \
     another agent holds is refused at once. Call lock_release as soon as you are done.";

pub(crate) const RELEASE: &str = "Give back files or directories that you claimed with \
     lock_acquire. Without `paths` it releases everything you hold. Releasing what you do not hold \
     is harmless.";

pub(crate) const PATHS_TO_ACQUIRE: &str = "The files and directories to claim, all in one call.";

pub(crate) const PATHS_TO_RELEASE: &str =
    "The paths to give back, as they were claimed. Leave it out to release everything you hold.";

pub(crate) const TTL: &str = "Seconds to hold them; then they are free again. Claim the same \
     paths again to keep them longer.";

pub(crate) const WAIT: &str = "Seconds to wait while another agent holds one of the paths; 90 by \
     default. 0 answers at once.";

pub(crate) const PATH_ADVICE: &str = "Write a path plainly, such as \"src/main.rs\": no \"..\", \
     \"~\", variables, wildcards, backslashes or control characters";

pub(crate) fn granted(leases: &[Lease]) -> String {
    let paths = list(leases.iter().map(|lease| &lease.place));
    let seconds = leases.first().map_or(0, |lease| whole_seconds(lease.ttl));
    format!(
        "Locked for {seconds}s: {paths}. Other agents are kept out until then. Call {LOCK_RELEASE} \
         as soon as you are done."
    )
}

pub(crate) fn refused(refusal: &Refusal) -> String {
    match refusal {
        Refusal::Conflict { conflicts } => format!(
            "nothing was locked: {}. Do not retry at once. Work on something else and come back \
             later, or report that you are blocked.",
            conflicting(conflicts)
        ),
        Refusal::Deadlock { conflicts, cycle } => format!(
            "nothing was locked: waiting would never end, since agents would wait for each other \
             in a circle: {}. In the way: {}. Release what you hold with {LOCK_RELEASE}, then \
             claim the complete deduplicated working set in one call.",
            cycle.iter().map(Holder::as_str).collect::<Vec<_>>().join(" → "),
            conflicting(conflicts)
        ),
        Refusal::HoldAndWait { conflicts } => format!(
            "nothing was locked: {}, and you cannot wait for it, because this agent already holds \
             a lease. Finish and release what you hold with {LOCK_RELEASE}, then claim the \
             complete deduplicated working set in one call.",
            conflicting(conflicts)
        ),
        Refusal::InvalidTtl => {
            "nothing was locked: ttl must be a number of seconds above 0".to_owned()
        }
        Refusal::NoPaths => no_paths(),
        Refusal::TooMany { limit } => format!(
            "nothing was locked: an agent can hold {limit} paths at most. Claim a directory that \
             holds the files, or release what you no longer need."
        ),
        Refusal::Withdrawn => "nothing was locked: this agent was released while it waited. Claim \
                               the paths again if you still need them."
            .to_owned(),
    }
}

pub(crate) fn no_paths() -> String {
    format!("nothing was locked: name the paths to lock, such as {EXAMPLE}")
}

pub(crate) fn unreadable_locks(unreadable: &[(String, String)]) -> String {
    let paths = unreadable.iter().map(|(path, why)| format!("{path} ({why})"));
    format!("nothing was locked: these cannot be locked: {}. {PATH_ADVICE}.", list(paths))
}

/// Why a lock on a relative path would protect nothing here.
pub(crate) const RELATIVE: &str = "it is relative, and files here are known by absolute paths; \
                                   write the whole path";

/// Why a lock on a pattern would protect nothing.
pub(crate) const PATTERN: &str = "patterns do not work here; claim the directory, or each file";

pub(crate) fn released(released: &Released, unreadable: &[(String, String)]) -> String {
    let not_held: Vec<String> = released
        .not_held
        .iter()
        .map(ToString::to_string)
        .chain(unreadable.iter().map(|(path, why)| format!("{path} ({why})")))
        .collect();
    let mut text = if released.released.is_empty() {
        "Nothing was released: you hold no such locks.".to_owned()
    } else {
        format!("Released: {}.", list(&released.released))
    };
    if !not_held.is_empty() {
        text.push_str(&format!(" Not held by you: {}.", list(not_held)));
    }
    text
}

pub(crate) const NOTHING_HELD: &str = "You hold no locks; there is nothing to release.";

pub(crate) const NOTHING_NAMED: &str = "Nothing was released: `paths` names nothing. Leave it out \
                                        to release everything you hold.";

pub(crate) const CUT_SHORT: &str = " The wait was cut short: the run was cancelled.";

/// Why a call to `tool` is refused that would change what others hold.
pub(crate) fn taken(tool: &str, conflicts: &[Conflict]) -> String {
    format!(
        "'{tool}' was not run: {}. Wait for it with {LOCK_ACQUIRE}, work on something else, or \
         report that you are blocked.",
        conflicting(conflicts)
    )
}

pub(crate) fn unclaimed(tool: &str, places: &[&Place]) -> String {
    format!(
        "'{tool}' was not run: another agent is live, and you hold no lock on {}. Call \
         {LOCK_ACQUIRE} with all paths you are about to change, then call '{tool}' again.",
        list(places)
    )
}

pub(crate) fn unjudged(tool: &str, named: &[String]) -> String {
    format!(
        "'{tool}' was not run: another agent is live, and this layer cannot tell where {} \
         points. {PATH_ADVICE}.",
        what(named)
    )
}

/// What stands beside the answer of a call that was let through.
pub(crate) fn warning(named: &[String]) -> String {
    format!("Leases did not check this call: nobody can tell where {} points", what(named))
}

pub(crate) fn store_failed(tool: &str, error: &dyn Display) -> String {
    format!(
        "'{tool}' was not run: the table of locks cannot be reached ({error}), so nobody can tell \
         who works there. Try again later, or report it."
    )
}

pub(crate) fn lock_unknown(error: &dyn Display) -> String {
    format!(
        "The table of locks did not answer ({error}). Treat the paths as not locked by you, and \
         call {LOCK_ACQUIRE} again before you change anything."
    )
}

pub(crate) fn usage(problem: &dyn Display) -> String {
    format!("{problem}. Call it with an object such as {EXAMPLE}.")
}

fn conflicting(conflicts: &[Conflict]) -> String {
    list(conflicts.iter().map(|Conflict { place, leased, holder, held_for }| {
        let seconds = whole_seconds(*held_for);
        let under =
            if place == leased { String::new() } else { format!(" (locked as '{leased}')") };
        format!("'{place}' is locked by {holder}{under}, held for {seconds}s")
    }))
}

fn what(named: &[String]) -> String {
    if named.is_empty() { "it".to_owned() } else { list(named) }
}

/// The first of many, and how many there are beside.
fn list<T: Display>(items: impl IntoIterator<Item = T>) -> String {
    let items: Vec<String> = items.into_iter().map(|item| item.to_string()).collect();
    let rest = items.len().saturating_sub(MOST);
    let shown = items.get(..MOST).unwrap_or(&items).join(", ");
    if rest == 0 { shown } else { format!("{shown} and {rest} more") }
}

pub(crate) fn whole_seconds(time: Duration) -> u64 {
    time.as_secs()
}

/// What was written for a path, short enough to stand in a sentence.
pub(crate) fn quoted(path: &str) -> String {
    format!("{:?}", short(path))
}

/// What a call names where a path should be, and why it is none.
pub(crate) fn named(value: &Value, why: Unreadable) -> String {
    match value {
        Value::String(path) => format!("{} ({why})", quoted(path)),
        other => format!("{} ({why})", short(&other.to_string())),
    }
}

fn short(text: &str) -> String {
    let mut short: String = text.chars().take(LONGEST).collect();
    if short.len() < text.len() {
        short.push('…');
    }
    short
}

const EXAMPLE: &str = r#"{"paths": ["src/main.rs", "docs"]}"#;

/// How many things a sentence lists.
const MOST: usize = 8;

/// How many characters of somebody's text a sentence shows.
const LONGEST: usize = 120;
