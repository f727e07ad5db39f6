//! Programs for containers: subcommands that run something in one.

use crate::commands::Token;
use crate::commands::interpreters::values;

/// Whether a subcommand runs something, or may where it is not known.
pub(super) fn runs(name: &str, words: &[Token]) -> bool {
    let values = values::of(name);
    let (mut named, mut option, mut value) = (false, false, false);
    words.iter().enumerate().any(|(at, word)| {
        if std::mem::take(&mut value) && word.is_one() {
            option = false;
            return false;
        }
        let runs = RUNNING.iter().any(|it| word.may_be(it));
        let known = word.as_text().is_some() || word.is_begun();
        if runs && (known || !named) {
            return true;
        }
        let text = word.as_text().filter(|text| !text.starts_with('-'));
        // Behind an option it may be a value.
        named |= !option && text.is_some_and(|text| !GROUPS.contains(&text));
        option = word.start().starts_with('-') && !word.start().contains('=');
        value = !named && word.as_text().is_some_and(|text| values.take_next(text, at));
        false
    })
}

const RUNNING: &[&str] = &["run", "exec", "debug", "attach"];

/// Subcommands that others follow.
const GROUPS: &[&str] = &["compose", "container"];
