//! The operations of late, for whoever asks what became of one.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use crate::{Operation, OperationId};

/// A bounded number of operations, the oldest first.  Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct History(Arc<Mutex<VecDeque<Operation>>>);

impl History {
    /// Adds `operation`, and forgets the oldest until there are at most `most`.
    pub(crate) fn add(&self, operation: &Operation, most: usize) {
        let mut all = self.all();
        all.push_back(operation.clone());
        let too_many = all.len().saturating_sub(most);
        let forgotten: Vec<Operation> = all.drain(..too_many).collect();
        drop(all);
        drop(forgotten);
    }

    pub(crate) fn get(&self, id: &OperationId) -> Option<Operation> {
        self.all().iter().rev().find(|operation| operation.id() == id).cloned()
    }

    pub(crate) fn list(&self) -> Vec<Operation> {
        self.all().iter().cloned().collect()
    }

    fn all(&self) -> MutexGuard<'_, VecDeque<Operation>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
