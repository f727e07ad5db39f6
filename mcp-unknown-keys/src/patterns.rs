//! The patterns of a listing, each compiled when a call first needs it.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use regex_lite::{Regex, RegexBuilder};

/// The patterns that were compiled.
#[derive(Default)]
pub(crate) struct Patterns(Mutex<HashMap<String, Pattern>>);

/// A pattern that names are held against; nothing where it cannot be read here.
#[derive(Clone)]
pub(crate) struct Pattern(Option<Arc<Regex>>);

impl Patterns {
    /// The compiled `patterns`, in their order.
    pub(crate) fn compiled(&self, patterns: &[&str]) -> Vec<Pattern> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let compiled = patterns.iter().map(|&text| {
            if let Some(pattern) = kept.get(text) {
                return pattern.clone();
            }
            let pattern = Pattern::new(text);
            if kept.len() < MOST_KEPT {
                kept.insert(text.to_owned(), pattern.clone());
            }
            pattern
        });
        compiled.collect()
    }
}

impl Pattern {
    fn new(text: &str) -> Self {
        Self(RegexBuilder::new(text).size_limit(LARGEST).build().ok().map(Arc::new))
    }

    /// Whether a property of that name is under the pattern; so it is if nobody can tell.
    pub(crate) fn matches(&self, name: &str) -> bool {
        name.len() > LONGEST_NAME || self.0.as_ref().is_none_or(|pattern| pattern.is_match(name))
    }
}

/// How many patterns are kept; others are compiled for each call.
const MOST_KEPT: usize = 1 << 10;

/// What a pattern of a server may need, in bytes.
const LARGEST: usize = 1 << 14;

/// The longest name that is held against a pattern, in bytes.
const LONGEST_NAME: usize = 1 << 10;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_that_are_not_kept_match_all_the_same() {
        let texts: Vec<String> = (0..MOST_KEPT + 10).map(|number| format!("^{number}$")).collect();
        let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
        let patterns = Patterns::default();
        for _ in 0..2 {
            let compiled = patterns.compiled(&texts);
            assert!(compiled.iter().enumerate().all(|(it, has)| has.matches(&it.to_string())));
            assert!(!compiled.iter().any(|it| it.matches("x")));
            assert_eq!(patterns.0.lock().unwrap().len(), MOST_KEPT);
        }
    }
}
