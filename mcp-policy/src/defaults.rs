//! The rules that most agents start with.

use crate::rule::{Decision, Rule};

/// Allows reading, asking the user, and taking and giving back locks; all else is asked about.
///
/// There is no rule that asks, so that what a person always allows is not asked about again.
pub fn default_rules() -> Vec<Rule> {
    let rules = READING.iter().map(|tool| Rule::new(Decision::Allow, tool));
    rules.filter_map(Result::ok).collect()
}

const READING: &[&str] = &[
    "fs_read",
    "fs_list",
    "fs_glob",
    "fs_stat",
    "fs_grep",
    "fs_map",
    "user_ask",
    "lock_acquire",
    "lock_release",
];
