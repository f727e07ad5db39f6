//! Builtins that change how commands are read or found.

use crate::commands::{Cause, Token};

/// Shell options after which words mean something else.
const CHANGING: &[&str] = &[
    "allexport",
    "autocd",
    "cdable_vars",
    "cdspell",
    "expand_aliases",
    "extglob",
    "extquote",
    "histexpand",
    "history",
    "interactive-comments",
    "interactive_comments",
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
        let on = text.starts_with('-');
        if matches!(text, "--" | "-") || !text.starts_with(['-', '+']) {
            return None;
        }
        for letter in text.chars().skip(1) {
            let changing = match letter {
                // Each has a name of its own.
                'o' => words.next().is_some_and(|name| !name.as_text().is_some_and(is_plain)),
                // Of what is turned off, only what has a name matters.
                'a' | 'k' | 'H' => on,
                _ => false,
            };
            if changing {
                return Some(Cause::ShellOption);
            }
        }
    }
    None
}

/// Whether the word after `-o` is a name, and of an option that changes nothing here.
///
/// bash takes an empty word, or one that looks like an option, for something else.
fn is_plain(name: &str) -> bool {
    !name.is_empty() && !name.starts_with(['-', '+']) && !changes(name)
}

/// Whether `export` exports functions: the shells inside have them then, in place of builtins, and
/// read what bash made of their text.
pub(super) fn exports_functions(words: &[Token]) -> bool {
    words.iter().any(|word| word.as_text().is_some() && has_letter(word, "f"))
}

/// Whether the word is an option with one of these letters, or may be.
fn has_letter(word: &Token, letters: &str) -> bool {
    word.as_text()
        .is_none_or(|text| text.starts_with('-') && text.contains(|it| letters.contains(it)))
}

/// Builtins that change how commands are found, or run what completes them.
pub(super) fn runs_or_hides(name: &str, words: &[Token]) -> Option<Cause> {
    let letters = match name {
        "enable" => "fn",
        "hash" => "p",
        "bind" => "xf",
        "jobs" => "x",
        "compgen" => "CF",
        _ => "CFW",
    };
    let has = |letters| words.iter().any(|word| has_letter(word, letters));
    // `compgen -W`: a list of words is only expanded.
    let expands =
        |word: &Token| word.as_text().is_none_or(|text| text.contains(['$', '`', '<', '>']));
    let lists = name == "compgen" && has("W") && words.iter().any(expands);
    (has(letters) || lists).then_some(Cause::ShellOption)
}
