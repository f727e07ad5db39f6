//! Commands that print names of files: what was looked for, and not what somebody wrote.

use crate::commands::shell::frame::Simple;
use crate::commands::shell::number::is_counter;
use crate::commands::{Part, Token};

/// Whether the command prints names of files; with `arrive`, it is given such.
///
/// Only calls are trusted in which every word is understood.
pub(super) fn prints_names(simple: &Simple, arrive: bool) -> bool {
    let reads = simple.redirections.iter().any(|it| !it.access.writes_only());
    if simple.mixed || reads {
        return false;
    }
    let mut words = simple.words.iter();
    let Some(program) = words.next().and_then(|word| word.token.as_text()) else { return false };
    let words: Vec<&Token> = words.map(|word| &word.token).collect();
    if !words.iter().all(|word| is_operand(word)) {
        return false;
    }
    let text: Vec<&str> = words.iter().map(|word| word.start()).collect();
    let (options, operands): (Vec<&str>, Vec<&str>) =
        text.iter().filter(|word| **word != "--").partition(|word| word.starts_with('-'));
    let letters = |own: &str| options.iter().all(|word| has_only(word, own));
    let among = |own: &[&str]| options.iter().all(|word| own.contains(word));
    let known = words.iter().all(|word| word.as_text().is_some());
    let single = words.iter().all(|word| word.is_one());
    match (program, text.as_slice()) {
        ("pwd", []) | ("mktemp", [] | ["-d"]) | ("git", ["rev-parse", "--show-toplevel"]) => true,
        ("ls", _) => letters("1ACFRSUXacdfprtux"),
        ("find", _) => !text.iter().any(|word| PRINTING.iter().any(|it| word.starts_with(it))),
        ("git", ["ls-files", ..]) => among(LISTING),
        ("git", ["diff", ..]) => options.contains(&"--name-only") && among(CHANGED),
        ("git", ["grep", ..]) => {
            // It prints revisions as they are written.
            let plain = |word: &&str| !word.contains(['{', '@', '^', ':', ' ', '\t', '\n']);
            let rest = operands.get(2..).unwrap_or(&[]);
            single && rest.iter().all(plain) && lists(&options, "l") && letters("EFGHPilnrwz")
        }
        ("rg", _) if options.contains(&"--files") => among(&["--files", "--hidden"]),
        ("rg", _) => lists(&options, "l") && letters("FHPSilnsvw"),
        ("grep", _) if lists(&options, "lL") => {
            let long = |it: &str| LIMITS.iter().any(|limit| it.starts_with(limit));
            options.iter().all(|it| long(it) || has_only(it, "EFGHILPRZilnrsvwz"))
        }
        // A line stays a line.
        ("head" | "tail", ["-n", count]) => arrive && known && is_number(count),
        ("head" | "tail", [count]) => {
            let count = count.strip_prefix("-n").or_else(|| count.strip_prefix('-'));
            arrive && known && count.is_some_and(is_number)
        }
        ("head" | "tail", []) => arrive,
        ("sort" | "uniq", _) => arrive && operands.is_empty() && letters("Vbfgnruvz"),
        ("grep", _) => arrive && single && operands.len() == 1 && letters("EFPivwx"),
        _ => false,
    }
}

/// Whether the word is known, or surely an operand: one word, or names of files.
fn is_operand(word: &Token) -> bool {
    let parts = word.parts();
    let file = |part: &Part| matches!(part, Part::Text(_) | Part::Glob(_) | Part::Tilde(_));
    let begins = match parts.first() {
        Some(Part::Text(text)) => word.as_text().is_some() || !text.starts_with('-'),
        Some(Part::Glob(_) | Part::Tilde(_)) => true,
        _ => false,
    };
    begins && (word.is_one() || parts.iter().all(file))
}

fn has_only(option: &str, letters: &str) -> bool {
    option.chars().skip(1).all(|it| letters.contains(it))
}

fn is_number(text: &str) -> bool {
    let text = text.strip_prefix('+').unwrap_or(text);
    !text.is_empty() && text.bytes().all(|it| it.is_ascii_digit())
}

/// Whether one of these letters stands among the options, and so names are asked for: `-l`, `-rl`.
fn lists(options: &[&str], letters: &str) -> bool {
    options.iter().any(|word| !word.starts_with("--") && word.contains(|it| letters.contains(it)))
}

/// Whether a program of this name is trusted, which a function may hide.
pub(crate) fn may_print_names(name: &str) -> bool {
    let names =
        ["find", "git", "grep", "head", "ls", "mktemp", "pwd", "rg", "sort", "tail", "uniq"];
    names.contains(&name) || is_counter(name)
}

/// Options of `git ls-files` with which it prints names and nothing else.
const LISTING: &[&str] = &[
    "--cached",
    "--deleted",
    "--exclude-standard",
    "--modified",
    "--others",
    "-c",
    "-d",
    "-m",
    "-o",
    "-z",
];

/// The same of `git diff`.
const CHANGED: &[&str] = &["--cached", "--name-only", "--staged", "-z"];

/// Options of `grep` that say which files are looked at.
const LIMITS: &[&str] = &["--exclude=", "--exclude-dir=", "--include="];

/// Actions of `find` with which it prints something else.
const PRINTING: &[&str] = &["-exec", "-files0", "-fls", "-fprint", "-ls", "-ok", "-printf"];
