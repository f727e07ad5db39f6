//! What became of one run.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::time::Duration;

use crate::checks::{Checks, Difference};

#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) peer: String,
    pub(crate) era: String,
    pub(crate) version: String,
    pub(crate) tools: Option<usize>,
    /// How many steps were played, opening and end included, and how many of them passed.
    pub(crate) steps: usize,
    pub(crate) passed: usize,
    /// Oddities, and the steps that prove them.
    pub(crate) proofs: Vec<(u32, String)>,
    pub(crate) exit: String,
    pub(crate) time: Duration,
    pub(crate) failures: Vec<Failure>,
    /// The last lines of the server's stderr, if something failed.
    pub(crate) stderr: Vec<String>,
    /// Why nothing was played.
    pub(crate) skipped: Option<String>,
}

#[derive(Debug)]
pub(crate) struct Failure {
    pub(crate) title: String,
    pub(crate) differences: Vec<Difference>,
}

impl Report {
    pub(crate) fn new(peer: &str, era: &str) -> Self {
        Self { peer: peer.to_owned(), era: era.to_owned(), ..Self::default() }
    }

    /// Counts a step: passed, and proof of its oddities, if it checked something and all held.
    pub(crate) fn judge(&mut self, title: &str, oddities: &BTreeSet<u32>, checks: Checks) {
        self.steps += 1;
        if checks.all_passed() {
            self.passed += 1;
            self.proofs.extend(oddities.iter().map(|oddity| (*oddity, title.to_owned())));
            return;
        }
        let mut differences = checks.differences;
        if differences.is_empty() {
            let [what, expected, found] =
                ["the step", "something that is checked", "nothing"].map(str::to_owned);
            differences.push(Difference { what, expected, found });
        }
        self.failures.push(Failure { title: title.to_owned(), differences });
    }

    /// Counts a step that proves nothing odd.
    pub(crate) fn check(&mut self, title: &str, check: impl FnOnce(&mut Checks)) {
        let mut checks = Checks::default();
        check(&mut checks);
        self.judge(title, &BTreeSet::new(), checks);
    }

    /// Counts a step that could not be played.
    pub(crate) fn fail(&mut self, title: &str, expected: &str, found: &(impl Debug + ?Sized)) {
        self.check(title, |checks| checks.holds(title, false, expected, found));
    }

    pub(crate) fn has_failed(&self) -> bool {
        !self.failures.is_empty()
    }

    /// The oddities proved, each once.
    pub(crate) fn oddities(&self) -> BTreeSet<u32> {
        self.proofs.iter().map(|(oddity, _)| *oddity).collect()
    }
}
