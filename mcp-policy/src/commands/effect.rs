//! What a command does besides running: variables, files, folders.

use std::sync::Arc;

use serde::Serialize;

use crate::commands::{Cause, Token, environment};

/// A variable that is set.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Assignment {
    /// The variable, without a subscript.
    pub name: String,
    /// Its new value, or what is added to the old one.
    pub value: Token,
    /// Who sees it.
    pub scope: Scope,
    /// What it can change.
    pub influence: Influence,
}

/// Who sees a variable.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Scope {
    /// The one command that it stands before: `A=1 make`, `env A=1 make`.
    Command,
    /// The shell, from here on, and programs only if it was exported before: `A=1`.
    Shell,
    /// The shell, and every program it starts from here on: `export A=1`.
    Exported,
}

/// What a variable can change.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Influence {
    /// Known to choose a language, a colour, a credential: nothing that runs.
    Harmless,
    /// Not in the tables here.
    Unrecognised,
    /// Known to decide what runs: `PATH`, `LD_PRELOAD`, `GIT_SSH_COMMAND`, `NODE_OPTIONS`, …
    Code,
}

/// A file, or something like it, that the shell opens for a command.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
pub struct Redirection {
    /// What it is opened for.
    pub access: Access,
    /// What is opened.
    pub target: Target,
}

impl Redirection {
    /// Whether a file is created, cut or written: neither a descriptor nor the null device.
    pub fn writes_file(&self) -> bool {
        self.access != Access::Read
            && matches!(self.target, Target::File(_) | Target::Unreadable(_))
    }
}

/// What a redirection opens its target for.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Access {
    /// `<`, `<<`, `<<<`.
    Read,
    /// `>`, `>|`, `&>`, `>&`: what was in the file is lost.
    Write,
    /// `>>`, `&>>`.
    Append,
    /// `<>`.
    ReadWrite,
}

impl Access {
    pub(crate) fn writes_only(self) -> bool {
        matches!(self, Self::Write | Self::Append)
    }
}

/// What a redirection opens.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Target {
    /// A file whose name is known, perhaps but for a home folder: [`Token::is_path`] holds.
    File(Token),
    /// A descriptor that is open already, or is closed: `2>&1`, `3<&-`, `/dev/stderr`.
    Descriptor,
    /// `/dev/null`.
    Null,
    /// Text in the script itself: a here-document or a here-string.
    Text(Token),
    /// A name that is not known; [`Token::cause`] says why.
    Unreadable(Token),
}

/// The working directory of a command.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Directory {
    /// Where the call starts.
    #[default]
    Start,
    /// Where these changes lead, in order, each from where the one before led.
    ///
    /// A change can fail or be skipped, so the command may run anywhere on the way.
    Moved(Arc<[Token]>),
    /// Not known: `cd -`, `popd`, too many changes, or a loop, a function or a trap that may run
    /// again where a later change leads.
    Unknown(Cause),
}

impl Assignment {
    pub(crate) fn new(name: &str, value: Token, scope: Scope) -> Self {
        let influence = environment::influence_of(name, &value);
        Self { name: name.to_owned(), value, scope, influence }
    }
}
