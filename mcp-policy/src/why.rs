//! Why a predicate could not be answered, or why an allow does not reach.

use std::fmt;

use mcp_provider::location::Unreadable;
use serde::{Serialize, Serializer};

use crate::commands::{Cause, Code};
use crate::host::UnreadableUrl;

/// Why a predicate is unknown, or why an allow that names the program does not cover it.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Why {
    /// The arguments are not a JSON object.
    Arguments(String),
    /// A key is written twice in the arguments, so that programs may read different values.
    DuplicateKey(String),
    /// The call names no place.
    NoPath,
    /// A place cannot be read.
    Path(Unreadable),
    /// A relative place against an absolute one, or the other way round.
    Relative,
    /// The two names differ only in what some disks ignore.
    Lookalike,
    /// Another argument, that no table lists, looks like a place or a URL outside.
    Unlisted(String),
    /// The call names no URL.
    NoUrl,
    /// A URL cannot be read.
    Url(UnreadableUrl),
    /// The scheme or port of a URL is not known, or its address stands for another one.
    Site,
    /// The call names no command.
    NoCommand,
    /// What would be started cannot be read.
    Program(Cause),
    /// An argument of the command cannot be read.
    Argument(Cause),
    /// The working folder of the command cannot be read.
    Folder(Cause),
    /// Several providers list a tool of that name.
    SeveralTools,
    /// No check of that name is there.
    NoCheck(String),
    /// The check panicked.
    CheckPanicked(String),
    /// The program is named by its path, so it may be another of the same name.
    PathToProgram,
    /// The command writes a file by redirection.
    WritesFile,
    /// A variable that may decide what runs is set.
    Environment(String),
    /// The command runs code that is not read.
    Code(Code),
    /// An argument of the tool that no table lists changes how the command runs.
    UnlistedArgument(String),
}

impl Why {
    /// Which kind of reason it makes; nothing where it only limits an allow.
    pub(crate) fn reason(&self) -> Option<Reason> {
        Some(match self {
            Self::Arguments(_) | Self::DuplicateKey(_) => Reason::UnreadableArguments,
            Self::NoPath | Self::Path(_) | Self::Relative | Self::Lookalike => {
                Reason::UnreadablePath
            }
            Self::NoUrl | Self::Url(_) | Self::Site => Reason::UnreadableUrl,
            Self::NoCommand | Self::Program(_) | Self::Argument(_) | Self::Folder(_) => {
                Reason::UnreadableCommand
            }
            Self::NoCheck(_) | Self::CheckPanicked(_) => Reason::FailedCheck,
            Self::SeveralTools => Reason::AmbiguousTool,
            Self::Unlisted(_)
            | Self::PathToProgram
            | Self::WritesFile
            | Self::Environment(_)
            | Self::Code(_)
            | Self::UnlistedArgument(_) => return None,
        })
    }
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Arguments(error) => f.write_str(error),
            Self::DuplicateKey(key) => write!(f, "the arguments hold the key {key:?} twice"),
            Self::NoPath => f.write_str("the call names no path"),
            Self::Path(reason) => write!(f, "the path cannot be read: {reason}"),
            Self::Relative => f.write_str("a relative path and an absolute one cannot be compared"),
            Self::Lookalike => f.write_str("the names differ only in what some disks ignore"),
            Self::Unlisted(key) => {
                write!(f, "the argument {key:?} points somewhere as well")
            }
            Self::NoUrl => f.write_str("the call names no URL"),
            Self::Url(reason) => write!(f, "{reason}"),
            Self::Site => f.write_str("where the URL leads cannot be told for certain"),
            Self::NoCommand => f.write_str("the call names no command"),
            Self::Program(cause) => write!(f, "what would run cannot be read: {cause}"),
            Self::Argument(cause) => write!(f, "an argument cannot be read: {cause}"),
            Self::Folder(cause) => write!(f, "the working folder cannot be read: {cause}"),
            Self::SeveralTools => f.write_str("several tools of that name are listed"),
            Self::NoCheck(name) => write!(f, "there is no check named {name:?}"),
            Self::CheckPanicked(name) => write!(f, "the check {name:?} failed"),
            Self::PathToProgram => {
                f.write_str("the program is named by a path, and may be another of the same name")
            }
            Self::WritesFile => f.write_str("the shell writes a file for the command"),
            Self::Environment(name) => {
                write!(f, "the variable {name:?} is set and may decide what runs")
            }
            Self::Code(Code::Input) => f.write_str("the program runs code from standard input"),
            Self::Code(Code::Package) => f.write_str("the program fetches a package and runs it"),
            Self::Code(Code::Script) => f.write_str("the program runs a file of code"),
            Self::Code(Code::Inline) => f.write_str("the arguments hold code that runs"),
            Self::UnlistedArgument(key) => {
                write!(f, "the argument {key:?} changes how the command runs")
            }
        }
    }
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// What a verdict rests on.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Reason {
    /// A rule that certainly applies.
    Rule,
    /// No rule: none speaks about such a call.
    NoMatch,
    /// The arguments cannot be read.
    UnreadableArguments,
    /// A path cannot be read or compared.
    UnreadablePath,
    /// A command, or what it would run, cannot be read.
    UnreadableCommand,
    /// A URL cannot be read.
    UnreadableUrl,
    /// A check is missing or failed.
    FailedCheck,
    /// Several tools are listed under the name, and nobody can tell which is meant.
    AmbiguousTool,
}

impl Reason {
    /// The name that it has in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Rule => "rule",
            Self::NoMatch => "no-match",
            Self::UnreadableArguments => "unreadable-arguments",
            Self::UnreadablePath => "unreadable-path",
            Self::UnreadableCommand => "unreadable-command",
            Self::UnreadableUrl => "unreadable-url",
            Self::FailedCheck => "failed-check",
            Self::AmbiguousTool => "ambiguous-tool",
        }
    }
}
