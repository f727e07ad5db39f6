//! The durable half: what was about to go out, and what came of it.

mod error;
mod file;
mod ledger;
mod line;
mod lock;
mod read;

use crate::{OperationId, Outcome, Reason, Settlement};

pub use self::error::JournalError;
pub use self::file::{Durability, FileJournal};
pub use self::line::{DispatchedLine, LateLine, Line, SettledLine};
pub use self::read::{Contents, TornLine};

/// Where operations are written down, so that a killed process leaves behind what it had under way.
///
/// A dispatched line is written before its call goes out: it claims that the call may have been
/// delivered, and its absence that it was not.  An abandoned call has no line at all.
///
/// The methods block, as a drop has to be able to call them; they are called without a lock held.
pub trait Journal: Send + Sync {
    /// Writes a line, as durably as it ever will be, and then returns.
    ///
    /// # Errors
    ///
    /// Fails where the line cannot be written, or says something that the lines before it rule out:
    /// a second dispatch of a pending operation, the outcome of one that is not pending, a late
    /// answer to one whose outcome is not unknown.  Nothing of it is written then.
    fn append(&self, line: &Line) -> Result<(), JournalError>;

    /// What was dispatched and not settled, in the order of the dispatches.
    ///
    /// # Errors
    ///
    /// Fails where that cannot be read.
    fn pending(&self) -> Result<Vec<DispatchedLine>, JournalError>;

    /// Settles a pending operation by hand, after a restart say: [`Reason::CRASH_REPAIR`].
    ///
    /// # Errors
    ///
    /// As [`append`](Self::append).
    fn resolve(
        &self,
        op: &OperationId,
        outcome: Outcome,
        reason: Reason,
    ) -> Result<(), JournalError> {
        let settlement = Settlement::from(outcome).because(reason);
        self.append(&Line::Settled(SettledLine::new(op.clone(), settlement)))
    }
}

impl<J: Journal + ?Sized> Journal for std::sync::Arc<J> {
    fn append(&self, line: &Line) -> Result<(), JournalError> {
        (**self).append(line)
    }

    fn pending(&self) -> Result<Vec<DispatchedLine>, JournalError> {
        (**self).pending()
    }
}
