//! Why a journal did not do what it was told.

use std::io;
use std::path::PathBuf;

use mcp_provider::BoxError;

use crate::OperationId;

/// A journal cannot be opened, read or written.
#[non_exhaustive]
#[derive(Debug, thiserror::Error)]
pub enum JournalError {
    /// The operation is pending already.
    #[error("operation {op} is pending already; each dispatch needs a name of its own")]
    AlreadyPending {
        /// The operation.
        op: OperationId,
    },
    /// A write went wrong in a way that leaves the file in doubt, and all later ones are refused.
    #[error("the journal {path:?} is in doubt since a write went wrong ({why}); open it again")]
    Broken {
        /// The file.
        path: PathBuf,
        /// What went wrong.
        why: String,
    },
    /// The operating system said no.
    #[error("could not {doing} the journal {path:?}")]
    Io {
        /// What was tried.
        doing: &'static str,
        /// The file.
        path: PathBuf,
        /// What the operating system said.
        source: io::Error,
    },
    /// Another process, or another part of this one, has the journal open.
    #[error("the journal {path:?} is in use{}; give each process a journal of its own", by(.holder))]
    Locked {
        /// The file.
        path: PathBuf,
        /// The process that has it, as the lock file says.
        holder: Option<u32>,
    },
    /// A line is none that a journal can have.
    #[error("line {line} of the journal {path:?} {why}; repair or remove the file by hand")]
    Malformed {
        /// The file.
        path: PathBuf,
        /// The number of the line; the first is 1.
        line: usize,
        /// What is wrong with it.
        why: String,
    },
    /// The line has no name of an operation.
    #[error("a line needs the name of its operation")]
    Nameless,
    /// The operation is not pending: it was never dispatched here, or it was settled before.
    #[error("operation {op} is not pending: it was never dispatched, or is settled already")]
    NotPending {
        /// The operation.
        op: OperationId,
    },
    /// The outcome of the operation is not unknown, or it has a late answer already.
    #[error("operation {op} waits for no late answer")]
    NotUnknown {
        /// The operation.
        op: OperationId,
    },
    /// A journal that is not a file has its own reasons.
    #[error("the journal could not be used")]
    Other(#[source] BoxError),
    /// The line is longer than a journal reads.
    #[error("the line would have {length} bytes, and a journal reads at most {most}")]
    TooLong {
        /// How long it would be.
        length: usize,
        /// How long it may be.
        most: usize,
    },
}

fn by(holder: &Option<u32>) -> String {
    holder.map(|process| format!(" by process {process}")).unwrap_or_default()
}
