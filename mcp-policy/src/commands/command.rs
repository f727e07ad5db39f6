//! One command that would run.

use std::sync::Arc;

use serde::Serialize;

use crate::commands::reader::Scene;
use crate::commands::{Assignment, Cause, Directory, Redirection, Token};

/// A command that would run, as far as it is known before it does.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Command {
    /// What is started.
    pub program: Program,
    /// The words after the program, gaps included, never cut short.
    pub tokens: Vec<Token>,
    /// Variables set for it, or by it.
    pub assignments: Vec<Assignment>,
    /// Files that the shell opens for it.
    pub redirections: Vec<Redirection>,
    /// Where it runs.
    pub directory: Directory,
    /// What it came through, outermost first.
    pub via: Arc<[Via]>,
    /// Code among its arguments that is not read here, if there is any.
    pub code: Option<Code>,
}

impl Command {
    /// A command without words.
    pub(crate) fn new(program: Program, scene: &Scene, directory: &Directory) -> Self {
        Self {
            program,
            tokens: Vec::new(),
            assignments: Vec::new(),
            redirections: Vec::new(),
            directory: directory.clone(),
            via: scene.via.clone(),
            code: None,
        }
    }
}

/// What a command starts.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Program {
    /// A program, a builtin of the shell, or a function: they share their names.
    Known {
        /// The last segment of the word, without an extension of Windows: `git` for `C:\bin\git.EXE`.
        name: String,
        /// The whole word, after quotes.
        word: String,
        /// How the word was written.
        written: Written,
    },
    /// Nothing: the shell itself sets variables or opens files.
    Shell,
    /// Something, and it is not known what.
    Unknown(Cause),
}

impl Program {
    /// The program's name, if it is known.
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Known { name, .. } => Some(name),
            Self::Shell | Self::Unknown(_) => None,
        }
    }

    /// Why the program is not known; `None` if it is, or if there is none.
    pub fn cause(&self) -> Option<Cause> {
        match self {
            Self::Unknown(cause) => Some(*cause),
            Self::Known { .. } | Self::Shell => None,
        }
    }

    /// Whether it is known and named without a path, so that `PATH` finds it.
    pub fn is_bare(&self) -> bool {
        matches!(self, Self::Known { written: Written::Bare | Written::Quoted, .. })
    }
}

/// How a program was written.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Written {
    /// `git`, or `git.exe`.
    Bare,
    /// `"git"`, `g\it`: the same program, and never an alias.
    Quoted,
    /// `./git`, `/usr/bin/git`, `~/bin/git`: any file may be meant.
    Path,
    /// `git.`, `git `: a file of that name, and on Windows `git` itself.
    Disguised,
}

/// Something that runs the command.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Via {
    /// The program or builtin, as [`Program::Known`] names it.
    pub name: String,
    /// What it does with the command.
    pub kind: ViaKind,
}

/// What something does with the command it runs.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum ViaKind {
    /// Reads it from text: `bash -c`, `eval`, a here-document for `sh`.
    Shell,
    /// Runs it here and as it is: `env`, `timeout`, `nice`.  Not a [`Command`] of its own.
    Wrapper,
    /// Runs it here, and is a [`Command`] of its own: `xargs`, `find`, `flock`.
    Launcher,
    /// Runs it as somebody else, or with other rights; a [`Command`] of its own: `sudo`, `su`.
    Privilege,
    /// Runs it somewhere else; a [`Command`] of its own: `ssh`, `docker`, `chroot`.
    Elsewhere,
    /// Keeps it for later: `trap`, `at`.
    Later,
}

/// Where code comes from that a command runs and that is not read here.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Code {
    /// A file that the command names: `python3 x.py`, `bash x.sh`, `source x`.
    Script,
    /// Standard input: `… | sh`, `python3 -`.
    Input,
    /// A package that is fetched and run: `npx`, `uvx`.
    Package,
    /// The command line itself: `python3 -c …`, `git -c core.pager=…`, `awk 'BEGIN { system(…) }'`.
    Inline,
}
