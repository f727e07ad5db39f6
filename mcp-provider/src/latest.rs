//! The one that began last, whenever the others end.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// A value that a layer replaces whole: of all that began, the one that began last stays.
///
/// A layer that remembers its latest listing keeps it here.  A batch takes it once, and sees one
/// listing or the next, never part of each.
///
/// ```
/// use mcp_provider::Latest;
///
/// let names = Latest::<Vec<&str>>::default();
/// let (slow, quick) = (names.begin(), names.begin());
/// quick.end(vec!["new"]);
/// slow.end(vec!["old"]);
/// assert_eq!(*names.get(), ["new"]);
/// ```
#[derive(Default)]
pub struct Latest<T> {
    /// How many have begun.
    begun: AtomicU64,
    /// The number of the one that is kept, and its value.
    kept: Mutex<(u64, Arc<T>)>,
}

/// One that has begun; dropped, it changes nothing.
#[derive(Debug)]
#[must_use = "it ends with its value, or changes nothing"]
pub struct Turn<'a, T> {
    latest: &'a Latest<T>,
    number: u64,
}

impl<T> Latest<T> {
    /// Begins the next one.
    pub fn begin(&self) -> Turn<'_, T> {
        Turn { latest: self, number: 1 + self.begun.fetch_add(1, Ordering::Relaxed) }
    }

    /// The value that counts at this moment.
    pub fn get(&self) -> Arc<T> {
        Arc::clone(&self.kept().1)
    }

    fn kept(&self) -> MutexGuard<'_, (u64, Arc<T>)> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Turn<'_, T> {
    /// Ends with `value`, which counts unless one that began later has ended.
    pub fn end(self, value: impl Into<Arc<T>>) {
        let mut new = (self.number, value.into());
        let mut kept = self.latest.kept();
        if kept.0 < new.0 {
            std::mem::swap(&mut *kept, &mut new);
        }
        // What is dropped may be somebody else's code.
        drop(kept);
        drop(new);
    }
}

impl<T: fmt::Debug> fmt::Debug for Latest<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Latest").field(&self.get()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_one_that_began_last_stays() {
        // R-OUT-4, U-CAT-3
        let orders: [(&[usize], &str); 6] = [
            (&[], ""),
            (&[0], "0"),
            (&[0, 1, 2], "2"),
            (&[2, 1, 0], "2"),
            (&[1, 0], "1"),
            (&[0, 2, 1], "2"),
        ];
        for (order, expected) in orders {
            let latest = Latest::<String>::default();
            let mut turns = [(); 3].map(|()| Some(latest.begin()));
            for &turn in order {
                turns[turn].take().unwrap().end(turn.to_string());
            }
            assert_eq!(*latest.get(), expected, "{order:?}");
        }
    }
}
