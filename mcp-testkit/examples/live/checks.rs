//! Assertions that are counted, and go on after a failure.

use std::fmt::Debug;

/// The checks of one step, or of something like it.
#[derive(Debug, Default)]
pub(crate) struct Checks {
    pub(crate) passed: usize,
    pub(crate) differences: Vec<Difference>,
}

/// A check that failed.
#[derive(Debug)]
pub(crate) struct Difference {
    pub(crate) what: String,
    pub(crate) expected: String,
    pub(crate) found: String,
}

impl Checks {
    pub(crate) fn equal<T: Debug + PartialEq + ?Sized>(
        &mut self,
        what: &str,
        found: &T,
        expected: &T,
    ) {
        self.holds(what, found == expected, &format!("{expected:?}"), found);
    }

    pub(crate) fn contains(&mut self, what: &str, found: &str, part: &str) {
        self.holds(what, found.contains(part), &format!("something with {part:?}"), found);
    }

    /// A check whose expectation is put into words.
    pub(crate) fn holds(
        &mut self,
        what: &str,
        holds: bool,
        expected: &str,
        found: &(impl Debug + ?Sized),
    ) {
        if holds {
            self.passed += 1;
        } else {
            let (what, expected) = (what.to_owned(), expected.to_owned());
            self.differences.push(Difference { what, expected, found: format!("{found:?}") });
        }
    }

    /// Whether something was checked, and all of it held.
    pub(crate) fn all_passed(&self) -> bool {
        self.passed > 0 && self.differences.is_empty()
    }
}
