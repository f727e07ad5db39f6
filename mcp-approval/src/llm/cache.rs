//! Verdicts that are kept, so that the same call is not judged twice.

use std::collections::VecDeque;

use crate::llm::verdict::{Outcome, Verdict};

/// The latest verdicts, by the record of the call.
///
/// A denial is kept under the record without the model's reason: no other reason for the same
/// call gets another verdict.  Whatever else was decided is kept for this reason only.
#[derive(Debug)]
pub(crate) struct Cache {
    most: usize,
    kept: VecDeque<Kept>,
}

#[derive(Debug)]
struct Kept {
    key: String,
    verdict: Verdict,
}

/// The two records of a call, in their canonical spelling.
pub(crate) struct Keys {
    pub(crate) with_reason: String,
    pub(crate) without_reason: String,
}

impl Cache {
    pub(crate) fn new(most: usize) -> Self {
        Self { most, kept: VecDeque::new() }
    }

    pub(crate) fn get(&self, keys: &Keys) -> Option<Verdict> {
        let key =
            |key: &str| self.kept.iter().find(|it| it.key == key).map(|it| it.verdict.clone());
        key(&denial(&keys.without_reason)).or_else(|| key(&keys.with_reason))
    }

    pub(crate) fn insert(&mut self, keys: &Keys, verdict: Verdict, outcome: Outcome) {
        let key = match outcome {
            Outcome::Deny => denial(&keys.without_reason),
            Outcome::Allow | Outcome::AskHuman => keys.with_reason.clone(),
        };
        self.kept.push_back(Kept { key, verdict });
        while self.kept.len() > self.most {
            self.kept.pop_front();
        }
    }
}

/// No record begins like this.
fn denial(record: &str) -> String {
    format!("deny {record}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::llm::verdict::{Authorized, Harm};

    fn verdict(rationale: &str) -> Verdict {
        let (harm, authorized) = (Harm::Low, Authorized::Yes);
        Verdict { harm, authorized, rationale: rationale.to_owned() }
    }

    fn keys(with_reason: &str, without_reason: &str) -> Keys {
        Keys { with_reason: with_reason.to_owned(), without_reason: without_reason.to_owned() }
    }

    #[test]
    fn a_denial_holds_for_every_reason_and_an_allow_for_its_own() {
        let mut cache = Cache::new(2);
        cache.insert(&keys("a1", "a"), verdict("no"), Outcome::Deny);
        cache.insert(&keys("b1", "b"), verdict("yes"), Outcome::Allow);
        let cases = [
            (("a1", "a"), Some("no")),
            (("a2", "a"), Some("no")),
            (("b1", "b"), Some("yes")),
            (("b2", "b"), None),
            (("a", "x"), None),
        ];
        for ((with, without), expected) in cases {
            let found = cache.get(&keys(with, without)).map(|it| it.rationale);
            assert_eq!(found.as_deref(), expected, "{with} {without}");
        }
        cache.insert(&keys("c1", "c"), verdict("ask"), Outcome::AskHuman);
        assert_eq!(cache.get(&keys("a1", "a")), None, "the oldest is forgotten");
        assert!(cache.get(&keys("c1", "c")).is_some());
    }
}
