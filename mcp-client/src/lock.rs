//! Locks that are never poisoned.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Takes a lock whose data is valid whatever its last holder did.
pub(crate) fn lock<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
