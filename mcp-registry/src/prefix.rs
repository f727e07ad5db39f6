//! What goes before the names of a provider's tools.

use std::fmt;
use std::str::FromStr;

/// A prefix and the separator after it: `fs` and `_` publish `read` as `fs_read`.
///
/// Both are made of letters, digits, `_` and `-`, the alphabet in which every model API
/// accepts tool names.
#[derive(Clone, Eq, PartialEq)]
pub struct Prefix {
    tag: String,
    /// How much of the tag is the prefix.
    len: usize,
}

impl Prefix {
    /// The prefix `prefix`, separated by `_`.
    ///
    /// # Errors
    ///
    /// Fails where the prefix is empty or holds a character outside the alphabet.
    pub fn new(prefix: &str) -> Result<Self, PrefixError> {
        if prefix.is_empty() {
            return Err(PrefixError::Empty);
        }
        if !is_tool_name(prefix) {
            return Err(PrefixError::Invalid { prefix: prefix.to_owned() });
        }
        Ok(Self { tag: format!("{prefix}_"), len: prefix.len() })
    }

    /// The same prefix with another separator, which may be empty.
    ///
    /// # Errors
    ///
    /// Fails where the separator holds a character outside the alphabet.
    pub fn separator(&self, separator: &str) -> Result<Self, PrefixError> {
        let prefix = self.as_str();
        if !is_tool_name(separator) {
            return Err(PrefixError::InvalidSeparator {
                prefix: prefix.to_owned(),
                separator: separator.to_owned(),
            });
        }
        Ok(Self { tag: format!("{prefix}{separator}"), len: self.len })
    }

    /// The prefix without its separator.
    pub fn as_str(&self) -> &str {
        self.tag.get(..self.len).unwrap_or_default()
    }

    /// What published names start with: the prefix and its separator.
    pub fn tag(&self) -> &str {
        &self.tag
    }

    /// Fails where names under this prefix could not be told from those under `other`.
    pub(crate) fn ensure_apart_from(&self, other: &Self) -> Result<(), PrefixError> {
        if self.as_str() == other.as_str() {
            return Err(PrefixError::Taken { prefix: self.to_string() });
        }
        if self.tag == other.tag {
            return Err(PrefixError::TagTaken {
                prefix: self.to_string(),
                tag: self.tag.clone(),
                other: other.to_string(),
            });
        }
        Ok(())
    }
}

impl FromStr for Prefix {
    type Err = PrefixError;

    fn from_str(prefix: &str) -> Result<Self, PrefixError> {
        Self::new(prefix)
    }
}

impl fmt::Display for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for Prefix {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The tag shows the separator too, which tells two prefixes of one name apart.
        fmt::Debug::fmt(&self.tag, f)
    }
}

/// Why a provider cannot be published under a prefix.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum PrefixError {
    /// The prefix is empty.
    #[error("a prefix must not be empty")]
    Empty,
    /// The prefix holds a character that tool names may not have.
    #[error("the prefix {prefix:?} may hold only letters, digits, '_' and '-'")]
    Invalid {
        /// The prefix as given.
        prefix: String,
    },
    /// The separator holds a character that tool names may not have.
    #[error(
        "the separator {separator:?} of the prefix {prefix:?} may hold only letters, digits, \
         '_' and '-'"
    )]
    InvalidSeparator {
        /// The prefix that it should separate.
        prefix: String,
        /// The separator as given.
        separator: String,
    },
    /// Another provider has the prefix, whatever its separator.
    #[error("the prefix {prefix:?} is taken; remove its provider first, or choose another")]
    Taken {
        /// The prefix as given.
        prefix: String,
    },
    /// Another prefix and its separator spell the same: calls could not be told apart.
    #[error("the prefix {prefix:?} publishes names as {tag:?}, as {other:?} does already")]
    TagTaken {
        /// The prefix as given.
        prefix: String,
        /// What the names would start with.
        tag: String,
        /// The prefix whose names start with it already.
        other: String,
    },
}

fn is_tool_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}
