//! What a person said "always" to.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

use crate::rule::{InvalidRule, Rule};
use crate::ruleset::{RuleSet, rules_from_json};

/// A book of grants, which any number of policies read and write: a clone is the same book.
///
/// In JSON it is the list of its rules.  Whoever keeps it writes it to a file beside the old one
/// and renames, so that a crash leaves one of the two.
#[derive(Clone, Default)]
pub struct Grants(Arc<Mutex<Arc<RuleSet>>>);

impl Grants {
    /// A book with `rules` in it.
    pub fn new(rules: Vec<Rule>) -> Self {
        Self(Arc::new(Mutex::new(Arc::new(RuleSet::new(rules)))))
    }

    /// Reads a book from a JSON list of rules.
    ///
    /// # Errors
    ///
    /// Fails at the first rule that cannot be read.
    pub fn from_json(json: &Value) -> Result<Self, InvalidRule> {
        rules_from_json(json).map(Self::new)
    }

    /// Adds `rules` at the end, and returns the whole book.
    pub fn add(&self, rules: &[Rule]) -> Vec<Rule> {
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let all = [&*book.rules, rules].concat();
        *book = Arc::new(RuleSet::new(all.clone()));
        all
    }

    /// Takes out every rule that `keep` says no to.
    pub fn retain(&self, keep: impl Fn(&Rule) -> bool) {
        // The rules are compared outside the lock: it is somebody else's code that does it.
        let gone: Vec<Rule> = self.list().into_iter().filter(|it| !keep(it)).collect();
        let mut book = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = book.rules.iter().filter(|it| !gone.contains(it)).cloned().collect();
        *book = Arc::new(RuleSet::new(kept));
    }

    /// The rules, in the order in which they came.
    pub fn list(&self) -> Vec<Rule> {
        self.snapshot().rules.clone()
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.snapshot().rules.len()
    }

    /// Whether there are no rules.
    pub fn is_empty(&self) -> bool {
        self.snapshot().rules.is_empty()
    }

    pub(crate) fn snapshot(&self) -> Arc<RuleSet> {
        Arc::clone(&self.0.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl fmt::Debug for Grants {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.snapshot().rules.iter().map(Rule::to_string)).finish()
    }
}

impl Serialize for Grants {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.snapshot().rules.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Grants {
    fn deserialize<D: Deserializer<'de>>(json: D) -> Result<Self, D::Error> {
        Vec::<Rule>::deserialize(json).map(Self::new)
    }
}
