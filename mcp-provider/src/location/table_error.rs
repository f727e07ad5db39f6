//! Why a table of roots or path parameters is refused.

use serde_json::Value;

use crate::JsonObject;
use crate::location::{InvalidToolPattern, Unreadable};

/// Why a table cannot be used: which entry, and what to write instead.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum TableError {
    /// A root is not a plain path.
    #[error(
        "the root {directory} of the tools {prefix:?} must be a plain directory, written out \
         such as \"/srv/work\""
    )]
    Directory {
        /// The beginning of the tools' names.
        prefix: String,
        /// The directory as given, as JSON.
        directory: String,
        /// What is wrong with it.
        #[source]
        reason: Unreadable,
    },
    /// The same entry is there twice.
    #[error("{table} has {entry:?} twice; keep one of them")]
    Duplicate {
        /// The table.
        table: &'static str,
        /// The entry.
        entry: String,
    },
    /// The names of a tool's path parameters are not names.
    #[error("path-params {pattern:?} must be an argument's name, or a list of such names")]
    Names {
        /// The tools it is about.
        pattern: String,
    },
    /// The table is not an object.
    #[error("{table} must be an object of {entries}")]
    NotAnObject {
        /// The table.
        table: &'static str,
        /// What it should hold.
        entries: &'static str,
    },
    /// An entry is not about tools.
    #[error(transparent)]
    Pattern(#[from] InvalidToolPattern),
    /// The beginning of names holds a `*`.
    #[error("roots {prefix:?} must be the beginning of tool names as they are, without '*'")]
    Prefix {
        /// The beginning as given.
        prefix: String,
    },
}

impl TableError {
    /// The entries of a table that came as JSON.
    pub(super) fn entries<'json>(
        json: &'json Value,
        table: &'static str,
        entries: &'static str,
    ) -> Result<&'json JsonObject, Self> {
        json.as_object().ok_or(Self::NotAnObject { table, entries })
    }
}
