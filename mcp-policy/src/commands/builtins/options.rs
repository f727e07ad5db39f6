//! Builtins that change how commands are read or found.

use crate::commands::{Cause, Token};

/// Shell options after which words mean something else.
const CHANGING: &[&str] = &[
    "allexport",
    "cdable_vars",
    "expand_aliases",
    "extglob",
    "extquote",
    "histexpand",
    "history",
    "keyword",
    "posix",
    "progcomp_alias",
    "shwordsplit",
];

/// Whether the shell option `name` changes what words mean.
pub(crate) fn changes(name: &str) -> bool {
    CHANGING.contains(&name) || name.starts_with("compat")
}

/// `set`: its options, up to the first operand.
pub(super) fn set(words: &[Token]) -> Option<Cause> {
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.as_text() else {
            let operand = word.is_one() && !word.start().is_empty();
            let option = !operand || word.start().starts_with(['-', '+']);
            return option.then_some(Cause::ShellOption);
        };
        let letters = match text {
            "--" | "-" => return None,
            _ if text.starts_with('-') => text,
            // Only what is turned off and on by name matters.
            _ if text.starts_with('+') => text,
            _ => return None,
        };
        if text.starts_with('-') && letters.contains(['a', 'k', 'H']) {
            return Some(Cause::ShellOption);
        }
        if letters.contains('o') {
            match words.next().map(Token::as_text) {
                Some(Some(name)) if !changes(name) => (),
                None => (),
                _ => return Some(Cause::ShellOption),
            }
        }
    }
    None
}

/// Builtins that change how commands are found, or run what completes them.
pub(super) fn runs_or_hides(name: &str, words: &[Token]) -> Option<Cause> {
    let letters = match name {
        "enable" => "f",
        "hash" => "p",
        "bind" => "xf",
        "jobs" => "x",
        _ => "CFW",
    };
    let option = |word: &Token| match word.as_text() {
        Some(text) if text.starts_with('-') => text.contains(|it| letters.contains(it)),
        Some(_) => false,
        None => true,
    };
    let found = words.iter().any(option);
    // A list of words is only expanded.
    let expands = |word: &Token| word.as_text().is_none_or(|text| text.contains(['$', '`']));
    let harmless = name == "compgen"
        && !words.iter().any(|word| {
            word.as_text().is_some_and(|it| it.starts_with("-C") || it.starts_with("-F"))
        })
        && !words.iter().any(expands);
    (found && !harmless).then_some(Cause::ShellOption)
}
