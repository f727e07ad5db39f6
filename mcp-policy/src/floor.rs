//! The danger floor: rules against destruction, to put before any others.

mod code;
mod delete;
mod git;
mod machine;
mod options;
mod outside;
mod remote;
mod sensitive;
mod spot;
mod write;

use std::sync::Arc;

use mcp_provider::location::{InvalidToolPattern, ToolPattern};

use self::spot::Home;
use crate::check::{Check, Checks};
use crate::commands::Command;
use crate::rule::{Decision, Rule};
use crate::truth::Truth;

/// Rules against destruction by shell commands, and the checks that they name.
///
/// Denied is what certainly destroys the system, the home folder or the agent's own
/// configuration.  What is dangerous in other ways, or cannot be read, is asked about, whatever
/// other rules and grants allow: no answer is remembered for it.  Calls that name no command, and
/// commands that are neither, are left to the other rules.
///
/// It reads text only.  What a program does that is not in its arguments, and where a link leads
/// to, is for a sandbox to confine.
#[derive(Clone, Debug)]
pub struct Floor {
    /// A tool pattern.
    tool: String,
    home: Home,
}

impl Floor {
    /// A floor for the tools `sh_*`, on a machine where the user's home folder is `home`.
    pub fn new(home: &str) -> Self {
        Self { tool: "sh_*".to_owned(), home: Home::new(home) }
    }

    /// The same floor, which also protects the folder of the agent's own configuration.
    #[must_use]
    pub fn config(mut self, folder: &str) -> Self {
        self.home.protect(folder);
        self
    }

    /// The same floor, which also asks before files outside `folder` are deleted, moved or written.
    ///
    /// It can be said several times.  Temporary files may always be written, and commands are
    /// taken to start inside one of the folders.
    #[must_use]
    pub fn workspace(mut self, folder: &str) -> Self {
        self.home.work_in(folder);
        self
    }

    /// The same floor for other tools than `sh_*`.
    ///
    /// # Errors
    ///
    /// Fails where `tool` is not a tool pattern.
    pub fn tools(mut self, tool: &str) -> Result<Self, InvalidToolPattern> {
        self.tool = ToolPattern::parse(tool)?.to_string();
        Ok(self)
    }

    /// Its rules, as ordinary data.  They name the checks of [`checks`](Self::checks).
    pub fn rules(&self) -> Vec<Rule> {
        let rule = |(name, decision, note, _): &Entry| {
            let rule = Rule::new(*decision, &self.tool).ok()?;
            Some(rule.check(*name).note(*note).danger())
        };
        self.entries().filter_map(rule).collect()
    }

    /// The checks that its rules name.
    pub fn checks(&self) -> Checks {
        let home = Arc::new(self.home.clone());
        let mut checks = Checks::new();
        for (name, decision, _, holds) in self.entries() {
            let (home, decision, holds) = (Arc::clone(&home), *decision, *holds);
            checks.insert(*name, FloorCheck { home, decision, holds });
        }
        checks
    }

    fn entries(&self) -> impl Iterator<Item = &'static Entry> {
        let has_workspace = self.home.has_workspace();
        ENTRIES.iter().filter(move |(name, ..)| has_workspace || *name != OUTSIDE)
    }
}

const OUTSIDE: &str = "floor-outside";

type Holds = fn(&Home, &Command, &[Command]) -> Truth;

/// The name of a check, what its rule decides, what the rule says, and the check.
type Entry = (&'static str, Decision, &'static str, Holds);

struct FloorCheck {
    home: Arc<Home>,
    decision: Decision,
    holds: Holds,
}

impl Check for FloorCheck {
    fn holds(&self, command: &Command, all: &[Command]) -> Truth {
        let truth = (self.holds)(&self.home, command, all);
        // A hard denial is for what is certain; a rule that asks stands beside each.
        if self.decision == Decision::Deny { (truth == Truth::Yes).into() } else { truth }
    }

    fn holds_without_command(&self, is_readable: bool) -> Truth {
        match (is_readable, self.decision) {
            (true, _) | (_, Decision::Deny) => Truth::No,
            (false, _) => Truth::Unknown,
        }
    }
}

const ENTRIES: &[Entry] = &[
    (
        "floor-destroys",
        Decision::Deny,
        "deletes the system, the home folder or a folder above it",
        delete::destroys,
    ),
    ("floor-bomb", Decision::Deny, "starts itself without end", code::bomb),
    (
        "floor-writes-config",
        Decision::Deny,
        "changes the agent's own configuration",
        write::writes_config,
    ),
    (
        "floor-may-destroy",
        Decision::Ask,
        "deletes folders, and which ones cannot be read for certain",
        delete::may_destroy,
    ),
    ("floor-unreadable", Decision::Ask, "what would run cannot be read", code::unreadable),
    ("floor-code", Decision::Ask, "runs code that is not a program's usual work", code::runs_code),
    (
        "floor-environment",
        Decision::Ask,
        "sets a variable that decides what runs",
        code::environment,
    ),
    (
        "floor-impostor",
        Decision::Ask,
        "runs a file by its path that is named like a system tool, or that was just written",
        code::impostor,
    ),
    ("floor-git", Decision::Ask, "loses work or history in git, or runs its hooks", git::danger),
    ("floor-disk", Decision::Ask, "writes to a disk below its files", machine::disk),
    ("floor-privilege", Decision::Ask, "runs with other rights", machine::privilege),
    ("floor-power", Decision::Ask, "stops the machine or all of its programs", machine::power),
    ("floor-rights", Decision::Ask, "changes who may do what with files", machine::rights),
    ("floor-later", Decision::Ask, "runs something later, unseen", machine::later),
    (
        "floor-touches-config",
        Decision::Ask,
        "touches the agent's own configuration",
        write::touches_config,
    ),
    (
        "floor-sensitive",
        Decision::Ask,
        "writes a file that decides what runs or who may log in",
        write::writes_sensitive,
    ),
    (
        OUTSIDE,
        Decision::Ask,
        "deletes, moves or writes files outside the workspace",
        outside::leaves,
    ),
    (
        "floor-remote",
        Decision::Ask,
        "acts outside this machine's files: containers, clusters, databases, clouds",
        remote::danger,
    ),
];
