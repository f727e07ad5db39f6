//! Which tools an entry of a table is about.

use std::fmt;
use std::str::FromStr;

/// The name of a tool, or the beginning of names: `fs_read`, `fs_*`, `*`.
///
/// Names are compared exactly; a `*` at the end stands for any rest, also for none.
#[derive(Clone, Eq, Hash, PartialEq)]
pub struct ToolPattern {
    name: String,
    is_exact: bool,
}

impl ToolPattern {
    /// Reads a pattern: letters, digits, `_`, `-` and `.`, then perhaps one `*`.
    ///
    /// # Errors
    ///
    /// Fails where it is empty or holds anything else.  A `.` before the `*` is refused too:
    /// who writes `fs.*` may mean a regular expression, and it would match nothing.
    pub fn parse(pattern: &str) -> Result<Self, InvalidToolPattern> {
        let name = pattern.strip_suffix('*').unwrap_or(pattern);
        let is_exact = name.len() == pattern.len();
        let is_known = |it: u8| it.is_ascii_alphanumeric() || b"_-.".contains(&it);
        let looks_like_regex = !is_exact && name.ends_with('.');
        if pattern.is_empty() || looks_like_regex || !name.bytes().all(is_known) {
            return Err(InvalidToolPattern { pattern: pattern.to_owned() });
        }
        Ok(Self { name: name.to_owned(), is_exact })
    }

    /// Whether the tool `name` is meant.
    pub fn matches(&self, name: &str) -> bool {
        if self.is_exact { name == self.name } else { name.starts_with(&self.name) }
    }

    /// Whether it names one tool only.
    pub fn is_exact(&self) -> bool {
        self.is_exact
    }

    /// How much it says: of two patterns that match a tool, the larger is the closer one.
    ///
    /// An exact name says more than a beginning, and a longer one more than a shorter.
    pub fn specificity(&self) -> (bool, usize) {
        (self.is_exact, self.name.len())
    }
}

impl FromStr for ToolPattern {
    type Err = InvalidToolPattern;

    fn from_str(pattern: &str) -> Result<Self, InvalidToolPattern> {
        Self::parse(pattern)
    }
}

impl fmt::Display for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        f.write_str(if self.is_exact { "" } else { "*" })
    }
}

impl fmt::Debug for ToolPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.to_string(), f)
    }
}

/// A text is not a pattern of tool names.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the tool pattern {pattern:?} must be a tool's name, or the beginning of names and then one \
     '*', such as \"fs_*\""
)]
pub struct InvalidToolPattern {
    pattern: String,
}
