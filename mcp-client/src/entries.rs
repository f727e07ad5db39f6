//! The entries of a listing.

use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

/// What a server lists, all pages of it, in its order; a clone is another handle on the same.
#[derive(Eq, PartialEq)]
pub struct Listing<T>(
    // Not a slice: to become one, the entries would have to be copied, and be there twice.
    Arc<Vec<T>>,
);

impl<T> Deref for Listing<T> {
    type Target = [T];

    fn deref(&self) -> &[T] {
        &self.0
    }
}

impl<T> Clone for Listing<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Listing<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T> From<Vec<T>> for Listing<T> {
    fn from(mut entries: Vec<T>) -> Self {
        entries.shrink_to_fit();
        Self(Arc::new(entries))
    }
}

impl<'a, T> IntoIterator for &'a Listing<T> {
    type Item = &'a T;
    type IntoIter = std::slice::Iter<'a, T>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

impl<T: fmt::Debug> fmt::Debug for Listing<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}
