//! The work that is left, and what has been found.

use std::collections::HashSet;
use std::sync::Arc;

use crate::commands::hidden::Hidden;
use crate::commands::numbers::Numbers;
use crate::commands::resolve::Call;
use crate::commands::shell;
use crate::commands::{Cause, Command, Directory, Program, Token, Via, ViaKind};

/// Which shell reads a script.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum Dialect {
    Bash,
    /// dash, and what else keeps to POSIX.
    Posix,
    /// A `sh` that may be either.
    Either,
    /// A relative of ksh: like either, and it evaluates more.
    Korn,
    /// bash's grammar, and then some.
    Zsh,
}

impl Dialect {
    /// Whether it is read in both ways.
    pub(crate) fn is_either(self) -> bool {
        matches!(self, Self::Either | Self::Korn)
    }
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub(crate) enum JobKind {
    Script,
    /// The body of a here-document.
    Body,
}

/// A text that some shell reads.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) text: String,
    pub(crate) kind: JobKind,
    pub(crate) dialect: Dialect,
    pub(crate) scene: Scene,
}

/// Whether a shell reads a script from its standard input, which the commands in it have too.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Fed {
    No,
    /// It is one line, that has been read when it runs.
    Line,
    /// There are more.
    Lines,
}

/// What a command stands in.
#[derive(Clone, Debug)]
pub(crate) struct Scene {
    pub(crate) via: Arc<[Via]>,
    pub(crate) directory: Directory,
    /// How many texts it was read from, one inside the other.
    pub(crate) depth: usize,
    /// The shell that reads it.
    pub(crate) dialect: Dialect,
    pub(crate) fed: Fed,
}

impl Scene {
    pub(crate) fn top() -> Self {
        let (via, directory) = (Arc::new([]), Directory::Start);
        Self { via, directory, depth: 0, dialect: Dialect::Either, fed: Fed::No }
    }

    pub(crate) fn deeper(&self, directory: &Directory) -> Self {
        Self { directory: directory.clone(), depth: self.depth + 1, ..self.clone() }
    }

    pub(crate) fn through(&self, name: &str, kind: ViaKind) -> Self {
        let via = Via { name: name.to_owned(), kind };
        Self { via: self.via.iter().cloned().chain([via]).collect(), ..self.clone() }
    }
}

/// Collects commands, and the texts that are still to be read.
#[derive(Debug)]
pub(crate) struct Reader {
    pub(crate) commands: Vec<Command>,
    pub(crate) jobs: Vec<Job>,
    /// Commands in commands, that are still to be understood.
    pub(crate) calls: Vec<Call>,
    pub(crate) numbers: Numbers,
    pub(crate) hidden: Hidden,
    /// How many bytes may still be read.
    budget: usize,
    /// How many bytes were looked at, and steps taken.
    pub(crate) steps: usize,
    /// Texts that were read, where the same one may come up twice.
    seen: HashSet<Seen>,
    /// A text was read in two ways.
    doubled: bool,
    /// Functions or traps are kept, that run where the shell is then.
    pub(crate) keeps: bool,
    /// Commands run again, or later, where another change of the working directory leads.
    pub(crate) wandering: bool,
    /// What some programs print was taken for a number.
    pub(crate) counts: bool,
    /// One of them may be a function.
    shadowed: bool,
    /// A function may have the name of a program that prints names of files.
    printing: bool,
}

/// A text, and all that its reading depends on.
type Seen = (JobKind, String, Directory, Arc<[Via]>);

impl Reader {
    pub(crate) fn new() -> Self {
        Self {
            commands: Vec::new(),
            jobs: Vec::new(),
            calls: Vec::new(),
            numbers: Numbers::default(),
            hidden: Hidden::default(),
            budget: MAX_BYTES,
            steps: 0,
            seen: HashSet::new(),
            doubled: false,
            keeps: false,
            wandering: false,
            counts: false,
            shadowed: false,
            printing: false,
        }
    }

    /// `name` is given this value; `None` if nothing is known of it.
    pub(crate) fn give(&mut self, name: &str, value: Option<&Token>) {
        self.hidden.give(name, value);
        if !value.is_some_and(shell::is_number) {
            self.numbers.taint(name);
        }
    }

    /// A function of this name is defined, if it is one that can be read.
    pub(crate) fn define(&mut self, name: Option<&str>) {
        self.keeps = true;
        self.shadowed |= name.is_none_or(shell::is_counter);
        self.printing |= name.is_none_or(shell::may_print_names);
    }

    /// Adds a text to be read later.
    pub(crate) fn add(&mut self, job: Job) {
        let scene = &job.scene;
        if scene.depth > MAX_DEPTH {
            return self.unknown(Cause::TooDeep, scene, &scene.directory);
        }
        if job.text.contains('\0') {
            return self.unknown(Cause::Nul, scene, &scene.directory);
        }
        if job.text.contains(['\x01', '\x7f']) {
            // bash marks characters with these two, and trips over them where they come by themselves.
            self.unknown(Cause::Quoting, &job.scene, &job.scene.directory);
        }
        if job.dialect.is_either() && !self.seen.insert(seen(&job)) {
            return;
        }
        self.jobs.push(job);
    }

    /// Adds a command that another one runs.
    pub(crate) fn later(&mut self, call: Call) {
        if call.scene.depth > MAX_DEPTH {
            return self.unknown(Cause::TooDeep, &call.scene, &call.scene.directory);
        }
        self.calls.push(call);
    }

    /// Forgets what was found after there were so many commands and texts.
    pub(crate) fn truncate(&mut self, commands: usize, jobs: usize) {
        self.commands.truncate(commands);
        for job in self.jobs.drain(jobs.min(self.jobs.len())..) {
            self.seen.remove(&seen(&job));
        }
    }

    /// Reads all texts, and those that turn up in them.
    pub(crate) fn finish(mut self) -> Vec<Command> {
        self.read_all();
        self.into_commands()
    }

    pub(crate) fn read_all(&mut self) {
        let mut next = 0;
        while let Some(job) = self.jobs.get_mut(next) {
            next += 1;
            let scene = job.scene.clone();
            let job = std::mem::replace(
                job,
                Job { text: String::new(), kind: job.kind, dialect: job.dialect, scene },
            );
            self.read(&job);
        }
    }

    fn into_commands(mut self) -> Vec<Command> {
        let scene = Scene::top();
        let mixed = || self.shadowed || self.commands.iter().any(shell::prints_along);
        if self.numbers.meet() || (self.counts && mixed()) {
            self.unknown(Cause::EvaluatedNumber, &scene, &Directory::Start);
        }
        if self.hidden.meet(self.printing || self.commands.iter().any(shell::prints_along)) {
            self.unknown(Cause::HiddenOption, &scene, &Directory::Start);
        }
        if self.wandering {
            for command in &mut self.commands {
                command.directory = Directory::Unknown(Cause::Repeated);
            }
        }
        if self.doubled {
            let mut seen = HashSet::new();
            let first: Vec<bool> = self.commands.iter().map(|it| seen.insert(it)).collect();
            let mut first = first.into_iter();
            self.commands.retain(|_| first.next().unwrap_or(true));
        }
        self.commands
    }

    fn read(&mut self, job: &Job) {
        let before = (self.commands.len(), self.jobs.len());
        self.read_once_or_twice(job);
        // A shell that finds nothing to run was started all the same.
        if job.kind == JobKind::Script && before == (self.commands.len(), self.jobs.len()) {
            self.push(Command::new(Program::Shell, &job.scene, &job.scene.directory));
        }
    }

    fn read_once_or_twice(&mut self, job: &Job) {
        let dialects: &[Dialect] = match job.dialect {
            Dialect::Either | Dialect::Korn => &[Dialect::Posix, Dialect::Bash],
            Dialect::Bash => &[Dialect::Bash],
            Dialect::Posix => &[Dialect::Posix],
            Dialect::Zsh => &[Dialect::Zsh],
        };
        for dialect in dialects {
            if !self.spend(job.text.len()) {
                return self.unknown(Cause::TooLarge, &job.scene, &job.scene.directory);
            }
            if !shell::read(job, *dialect, self).diverged {
                break;
            }
            self.doubled |= dialects.len() > 1;
        }
    }

    /// Whether so many more bytes may be looked at.
    pub(crate) fn spend(&mut self, bytes: usize) -> bool {
        self.steps += bytes;
        let left = self.budget.checked_sub(bytes);
        self.budget = left.unwrap_or(0);
        left.is_some()
    }

    /// Something would run, and it is not known what.
    pub(crate) fn unknown(&mut self, cause: Cause, scene: &Scene, directory: &Directory) {
        self.push(Command::new(Program::Unknown(cause), scene, directory));
    }

    pub(crate) fn push(&mut self, command: Command) {
        match self.commands.len() {
            ..MAX_COMMANDS => self.commands.push(command),
            MAX_COMMANDS => {
                let (program, tokens) = (Program::Unknown(Cause::TooLarge), Vec::new());
                self.commands.push(Command { program, tokens, ..command });
            }
            _ => (),
        }
    }
}

fn seen(job: &Job) -> Seen {
    (job.kind, job.text.clone(), job.scene.directory.clone(), job.scene.via.clone())
}

/// More than a model writes, and read in a few milliseconds.
pub(crate) const MAX_BYTES: usize = 1 << 21;
pub(crate) const MAX_COMMANDS: usize = 20_000;
/// Texts in texts.
const MAX_DEPTH: usize = 16;
