//! A word of a command, as far as it can be read before it runs.

use std::borrow::Cow;
use std::fmt;

use serde::Serialize;

use crate::commands::Cause;

/// One word of a command: an argument that is known, or a gap.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Token {
    /// Exactly one argument, and this is it.
    Text(String),
    /// A word that is not, or not wholly, known before it runs.
    Gap {
        /// What is known of it, in order.  Never only text.
        parts: Vec<Part>,
        /// How many arguments it becomes.
        arguments: Arguments,
    },
}

/// How many arguments a gap becomes.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Arguments {
    /// Exactly one: it was quoted.
    One,
    /// None, one or more: nothing after it has a known position.
    Any,
}

/// A piece of a word.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, Hash, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
    /// Literal text, after quotes and escapes.
    Text(String),
    /// An unquoted `~` or `~user` that begins the word; the user, empty for one's own home.
    Tilde(String),
    /// `$NAME` or `${NAME}` and nothing more.
    Variable(String),
    /// A pattern that becomes file names: `*`, `?`, or the whole of a bracket or extended pattern as written.
    Glob(String),
    /// Something else that only running it would tell.
    Unreadable(Cause),
}

impl Token {
    /// An argument that is known.
    pub fn new(text: impl Into<String>) -> Self {
        Self::Text(text.into())
    }

    /// Arguments of unknown number and text.
    pub fn unreadable(cause: Cause) -> Self {
        Self::Gap { parts: vec![Part::Unreadable(cause)], arguments: Arguments::Any }
    }

    /// The argument, if it is known.
    pub fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            Self::Gap { .. } => None,
        }
    }

    /// The text that the word begins with, up to its first unknown part.
    pub fn start(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Gap { parts, .. } => match parts.first() {
                Some(Part::Text(text)) => text,
                _ => "",
            },
        }
    }

    /// The text that the word ends with, from its last unknown part.
    pub fn end(&self) -> &str {
        match self {
            Self::Text(text) => text,
            Self::Gap { parts, .. } => match parts.last() {
                Some(Part::Text(text)) => text,
                _ => "",
            },
        }
    }

    /// The pieces of the word, whole or not.
    pub fn parts(&self) -> Cow<'_, [Part]> {
        match self {
            Self::Text(text) => Cow::Owned(vec![Part::Text(text.clone())]),
            Self::Gap { parts, .. } => Cow::Borrowed(parts),
        }
    }

    /// The word without its first `length` bytes, which are known.
    pub(crate) fn without(&self, length: usize) -> Self {
        match self {
            Self::Text(text) => Self::new(text.get(length..).unwrap_or("")),
            Self::Gap { parts, arguments } => {
                let mut parts = parts.clone();
                match parts.first_mut() {
                    Some(Part::Text(text)) if text.len() > length => {
                        *text = text.split_off(length);
                    }
                    _ => drop(parts.drain(..1.min(parts.len()))),
                }
                Self::Gap { parts, arguments: *arguments }
            }
        }
    }

    /// Whether the word may become just this argument, for all that is known of it.
    pub(crate) fn may_be(&self, text: &str) -> bool {
        let (start, end) = (self.start(), if self.is_one() { self.end() } else { "" });
        match self.as_text() {
            Some(known) => known == text,
            None => {
                let long = text.len() >= start.len() + end.len();
                long && text.starts_with(start) && text.ends_with(end)
            }
        }
    }

    /// Whether nothing is known of how the word begins.
    pub(crate) fn is_hidden(&self) -> bool {
        self.as_text().is_none() && self.start().is_empty()
    }

    /// Whether something of the word is not known, and its beginning is.
    pub(crate) fn is_begun(&self) -> bool {
        self.as_text().is_none() && !self.start().is_empty()
    }

    /// Whether the word may be the option `name`, or hold it among others: its end is not known.
    pub(crate) fn may_become_option(&self, name: &str) -> bool {
        let start = self.start();
        if !self.is_begun() || !start.starts_with('-') || start.contains('=') {
            return false;
        }
        let letters = start.strip_prefix('-').filter(|it| !it.starts_with('-')).unwrap_or("-");
        let joins = name.len() == 2 && letters.bytes().all(|it| it.is_ascii_alphabetic());
        joins || name.starts_with(start) || start.starts_with(name)
    }

    /// Whether nothing may be left of the word.
    pub(crate) fn may_be_empty(&self) -> bool {
        self.parts().iter().all(|part| match part {
            Part::Text(text) => text.is_empty(),
            Part::Variable(_) | Part::Unreadable(_) => true,
            Part::Tilde(_) | Part::Glob(_) => false,
        })
    }

    /// Whether the word becomes exactly one argument.
    pub fn is_one(&self) -> bool {
        !matches!(self, Self::Gap { arguments: Arguments::Any, .. })
    }

    /// A known argument, or a word that is known but for the home folder it begins with.
    pub fn is_path(&self) -> bool {
        match self {
            Self::Text(_) => true,
            Self::Gap { parts, .. } => {
                matches!(parts.as_slice(), [Part::Tilde(_)] | [Part::Tilde(_), Part::Text(_)])
            }
        }
    }

    /// Why the word is not known; `None` if it is.
    pub fn cause(&self) -> Option<Cause> {
        let Self::Gap { parts, .. } = self else { return None };
        let cause = |part: &Part| match part {
            Part::Text(_) => None,
            Part::Tilde(_) => Some(Cause::Home),
            Part::Variable(_) => Some(Cause::Variable),
            Part::Glob(_) => Some(Cause::Glob),
            Part::Unreadable(cause) => Some(*cause),
        };
        // A home folder is the mildest of gaps: any other part says more.
        let mut causes = parts.iter().filter_map(cause);
        let first = causes.next();
        causes.find(|_| first == Some(Cause::Home)).or(first)
    }
}

/// The word as one would show it: gaps as `…`, known variables and patterns as they are written.
impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Gap { parts, .. } => parts.iter().try_for_each(|part| match part {
                Part::Text(text) | Part::Glob(text) => f.write_str(text),
                Part::Tilde(user) => write!(f, "~{user}"),
                Part::Variable(name) => write!(f, "${name}"),
                Part::Unreadable(_) => f.write_str("…"),
            }),
        }
    }
}
