//! What the lines of a journal add up to.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::journal::{DispatchedLine, JournalError, Line};
use crate::{OperationId, Outcome};

/// What the lines so far add up to.  It remembers what is open, not what is over.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    lines: u64,
    /// By the number of the line.
    pending: BTreeMap<u64, DispatchedLine>,
    places: HashMap<OperationId, u64>,
    /// Those whose outcome is unknown, and that no late answer has come for.
    unknown: HashSet<OperationId>,
}

impl Ledger {
    /// Whether `line` can follow the lines so far.
    pub(crate) fn check(&self, line: &Line) -> Result<(), JournalError> {
        let op = line.op();
        let is_pending = self.places.contains_key(op);
        match line {
            _ if op.as_str().is_empty() => Err(JournalError::Nameless),
            Line::Dispatched(_) if is_pending => {
                Err(JournalError::AlreadyPending { op: op.clone() })
            }
            Line::Settled(_) if !is_pending => Err(JournalError::NotPending { op: op.clone() }),
            Line::Late(_) if !self.unknown.contains(op) => {
                Err(JournalError::NotUnknown { op: op.clone() })
            }
            Line::Dispatched(_) | Line::Settled(_) | Line::Late(_) => Ok(()),
        }
    }

    /// Adds a line that was checked.
    pub(crate) fn apply(&mut self, line: Line) {
        self.lines += 1;
        match line {
            Line::Dispatched(line) => {
                self.unknown.remove(&line.op);
                self.places.insert(line.op.clone(), self.lines);
                self.pending.insert(self.lines, line);
            }
            Line::Settled(line) => {
                if let Some(place) = self.places.remove(&line.op) {
                    self.pending.remove(&place);
                }
                if line.outcome == Outcome::OutcomeUnknown {
                    self.unknown.insert(line.op);
                }
            }
            Line::Late(line) => {
                self.unknown.remove(&line.op);
            }
        }
    }

    /// What was dispatched and not settled, in order.
    pub(crate) fn pending(&self) -> Vec<DispatchedLine> {
        self.pending.values().cloned().collect()
    }
}
