//! Predicates that the host supplies, by name.

use std::fmt;
use std::sync::Arc;

use mcp_provider::shield;

use crate::commands::Command;
use crate::secrets::names_secrets;
use crate::sends::sends_data;
use crate::truth::Truth;
use crate::why::Why;

/// A predicate over the commands of a call, which rules name in `check`.
///
/// Any function of a command and of all commands of its call is one.
pub trait Check: Send + Sync {
    /// Whether it holds for `command`, one of the commands `all` that the call would run.
    fn holds(&self, command: &Command, all: &[Command]) -> Truth;

    /// Whether it holds for a call that names no command.
    ///
    /// `is_readable` says whether the arguments could be read at all.
    fn holds_without_command(&self, is_readable: bool) -> Truth {
        let _ = is_readable;
        Truth::Unknown
    }
}

impl<F: Fn(&Command, &[Command]) -> Truth + Send + Sync> Check for F {
    fn holds(&self, command: &Command, all: &[Command]) -> Truth {
        self(command, all)
    }
}

/// The checks of a policy.  One that is missing, or that panics, is unknown.
///
/// Two are always there: `names-secrets`, whether a command names a file with keys, passwords or
/// tokens, by the usual names of those; and `sends-data`, whether a command carries something away, by `curl -d`,
/// `wget --post-file`, `scp` and the like, or in an address that another command prints.  What goes
/// to this machine itself is not sent, unless it comes from a file.
#[derive(Clone)]
pub struct Checks(Vec<(String, Arc<dyn Check>)>);

impl Checks {
    /// The checks that are always there.
    pub fn new() -> Self {
        let mut checks = Self(Vec::new());
        checks.insert("names-secrets", names_secrets);
        checks.insert("sends-data", sends_data);
        checks
    }

    /// Adds `check` under `name`, in the place of an earlier one.
    pub fn insert(&mut self, name: impl Into<String>, check: impl Check + 'static) {
        self.put(name.into(), Arc::new(check));
    }

    /// Whether there is a check named `name`.
    pub fn contains(&self, name: &str) -> bool {
        self.0.iter().any(|(it, _)| it == name)
    }

    /// The check `name`, be it there or not.
    pub(crate) fn find<'n>(&'n self, name: &'n str) -> FoundCheck<'n> {
        // There are few, and their names differ in length: nothing is faster.
        let found = self.0.iter().find(|(it, _)| it == name);
        FoundCheck { name, check: found.map(|(_, check)| &**check) }
    }

    /// Adds those of `other`.
    pub(crate) fn extend(&mut self, other: Self) {
        other.0.into_iter().for_each(|(name, check)| self.put(name, check));
    }

    fn put(&mut self, name: String, check: Arc<dyn Check>) {
        self.0.retain(|(it, _)| *it != name);
        self.0.push((name, check));
    }
}

/// A check that a rule names.
pub(crate) struct FoundCheck<'n> {
    name: &'n str,
    check: Option<&'n dyn Check>,
}

impl FoundCheck<'_> {
    /// What the check says, and why it says nothing.
    pub(crate) fn ask(&self, ask: impl Fn(&dyn Check) -> Truth) -> (Truth, Option<Why>) {
        let Some(check) = self.check else {
            return (Truth::Unknown, Some(Why::NoCheck(self.name.to_owned())));
        };
        match shield(|| ask(check)) {
            Ok(truth) => (truth, None),
            Err(_) => (Truth::Unknown, Some(Why::CheckPanicked(self.name.to_owned()))),
        }
    }
}

impl Default for Checks {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for Checks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}
