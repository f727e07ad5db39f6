//! The parts of a rule.

use std::borrow::Cow;
use std::fmt;
use std::path::Path;

use mcp_provider::location::{PathStyle, Place};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// What a rule decides, weakest first: of those that apply the strongest counts.
#[allow(clippy::exhaustive_enums, reason = "the three that there are")]
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The call runs.
    Allow,
    /// Somebody is asked.
    Ask,
    /// The call is refused.
    Deny,
}

impl Decision {
    /// `allow`, `ask` or `deny`.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Allow => "allow",
            Self::Ask => "ask",
            Self::Deny => "deny",
        }
    }
}

impl fmt::Display for Decision {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How much a rule is about danger.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// What it is about can destroy things: show its question so.
    Danger,
}

/// A directory as a rule names it: absolute, or seen from the root of the tool.
#[derive(Clone, Debug, PartialEq)]
pub struct Directory {
    text: String,
    posix: Option<Place>,
    windows: Option<Place>,
}

impl Directory {
    /// Reads a directory that at least one style of disk reads as it is spelled.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidPart> {
        let read = Place::parse(text, PathStyle::Posix);
        let windows = Place::parse(text, PathStyle::Windows).ok();
        match read {
            Err(reason) if windows.is_none() => {
                Err(InvalidPart::Under { directory: text.to_owned(), reason: reason.to_string() })
            }
            read => Ok(Self { text: text.to_owned(), posix: read.ok(), windows }),
        }
    }

    /// The directory as a disk of the style `style` reads it.
    pub(crate) fn place(&self, style: PathStyle) -> Option<Cow<'_, Place>> {
        match style {
            PathStyle::Posix => self.posix.as_ref().map(Cow::Borrowed),
            PathStyle::Windows => self.windows.as_ref().map(Cow::Borrowed),
            _ => Place::parse(&self.text, style).ok().map(Cow::Owned),
        }
    }

    pub(crate) fn posix(&self) -> Option<&Place> {
        self.posix.as_ref()
    }

    pub(crate) fn depth(&self) -> usize {
        let place = self.posix.as_ref().or(self.windows.as_ref());
        place.map_or(0, |it| it.segments().len())
    }

    /// The directory as it was written.
    pub fn as_str(&self) -> &str {
        &self.text
    }
}

impl fmt::Display for Directory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

/// The name of a program, or the beginning of names: `git`, `mkfs*`, `*`.
///
/// It is the name alone: a program that is called by its path has the name at the end of that.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CommandPattern {
    name: String,
    is_exact: bool,
}

impl CommandPattern {
    /// Reads a pattern: letters, digits, `.`, `_`, `+` and `-`, then perhaps one `*`; or `[`, `[[`
    /// or `:`.
    pub(crate) fn parse(text: &str) -> Result<Self, InvalidPart> {
        let name = text.strip_suffix('*').unwrap_or(text);
        let is_exact = name.len() == text.len();
        let is_known = |it: u8| it.is_ascii_alphanumeric() || b"._+-".contains(&it);
        let is_builtin = is_exact && ["[", "[[", ":"].contains(&name);
        if name.contains(['/', '\\']) {
            return Err(InvalidPart::Separator { command: text.to_owned() });
        }
        if text.is_empty() || !(is_builtin || name.bytes().all(is_known)) {
            return Err(InvalidPart::Command { command: text.to_owned() });
        }
        Ok(Self { name: name.to_owned(), is_exact })
    }

    /// Whether the program `name` is meant, to the letter.
    pub(crate) fn matches(&self, name: &str) -> bool {
        if self.is_exact { name == self.name } else { name.starts_with(&self.name) }
    }

    /// Whether the program `name` is meant where `A` and `a` are the same.
    pub(crate) fn matches_folded(&self, name: &str) -> bool {
        let start = name.get(..self.name.len());
        let begins = start.is_some_and(|it| it.eq_ignore_ascii_case(&self.name));
        begins && (!self.is_exact || name.len() == self.name.len())
    }

    /// The one name that is meant, if it is one.
    pub(crate) fn exact(&self) -> Option<&str> {
        self.is_exact.then_some(&*self.name)
    }

    pub(crate) fn specificity(&self) -> (bool, usize) {
        (self.is_exact, self.name.len())
    }
}

impl fmt::Display for CommandPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, if self.is_exact { "" } else { "*" })
    }
}

/// A call that a rule must, or must not, speak about: it is checked when rules are loaded.
///
/// In JSON it is a command line, or a call: `{"command": "git push -f"}`,
/// `{"tool": "fs_write", "arguments": {"path": "x"}}`.
#[non_exhaustive]
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Example {
    /// A command line, as a person types it.
    Command(CommandLine),
    /// A whole call.
    Call(ExampleCall),
}

/// A command line of an [`Example`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct CommandLine {
    /// What a shell would be given.
    pub command: String,
}

/// A call of an [`Example`].
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
pub struct ExampleCall {
    /// The name of the tool.
    pub tool: String,
    /// Its arguments: an object, or text.
    pub arguments: Value,
}

/// Why a part of a rule cannot be used.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidPart {
    /// The program is none.
    #[error(
        "the command {command:?} must be the name of a program, or the beginning of names and \
         then one '*'; arguments go into \"args\""
    )]
    Command {
        /// The program as given.
        command: String,
    },
    /// The program holds a separator.
    #[error(
        "the command {command:?} holds a path separator; a rule names a program by its last part, \
         such as {last:?}", last = last(.command)
    )]
    Separator {
        /// The program as given.
        command: String,
    },
    /// The directory is none.
    #[error("under {directory:?} is not a plain path: {reason}")]
    Under {
        /// The directory as given.
        directory: String,
        /// What is wrong with it.
        reason: String,
    },
}

fn last(path: &str) -> &str {
    let name = Path::new(path).file_name().and_then(|it| it.to_str());
    name.unwrap_or(path).rsplit('\\').next().unwrap_or(path)
}
