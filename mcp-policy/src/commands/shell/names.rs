//! Commands that print names of files: what was looked for, and not what somebody wrote.

use crate::commands::Token;
use crate::commands::shell::frame::Simple;

/// Whether the command prints names of files; with `arrive`, it is given such.
///
/// Only calls are trusted in which every word is understood.
pub(super) fn prints_names(simple: &Simple, arrive: bool) -> bool {
    if simple.mixed {
        return false;
    }
    let mut words = simple.words.iter();
    let Some(program) = words.next().and_then(|word| word.token.as_text()) else { return false };
    let words: Vec<&Token> = words.map(|word| &word.token).collect();
    let is_told = |word: &&Token| !word.start().is_empty() || word.as_text().is_some();
    if !words.iter().all(is_told) {
        // An option may hide in it.
        return false;
    }
    let begun = |word: &&Token| word.is_begun() && word.start().starts_with('-');
    let text: Vec<&str> = words.iter().map(|word| word.start()).collect();
    if words.iter().any(begun) {
        return false;
    }
    let (options, operands): (Vec<&str>, Vec<&str>) =
        text.iter().partition(|word| word.starts_with('-'));
    let letters = |own: &str| {
        let letter = |it: char| own.contains(it);
        options.iter().all(|word| word.chars().skip(1).all(letter))
    };
    let among = |own: &[&str]| options.iter().all(|word| own.contains(word));
    match (program, text.as_slice()) {
        ("pwd", []) | ("mktemp", [] | ["-d"]) | ("git", ["rev-parse", "--show-toplevel"]) => true,
        ("ls", _) => letters("1ACFRSUXacdfprtux"),
        ("find", _) => !text.iter().any(|word| PRINTING.iter().any(|it| word.starts_with(it))),
        ("git", ["ls-files", ..]) => among(LISTING),
        ("git", ["diff", ..]) => {
            options.contains(&"--name-only")
                && among(&["--name-only", "--cached", "--staged", "-z"])
        }
        ("git", ["grep", ..]) => letters("EFGHPilnrwz") && lists(&options),
        ("rg", _) if options.contains(&"--files") => among(&["--files", "--hidden"]),
        ("grep" | "rg", _) if lists(&options) => {
            let long = |it: &str| it.starts_with("--include=") || it.starts_with("--exclude");
            let own: Vec<&str> = options.iter().copied().filter(|it| !long(it)).collect();
            own.iter().all(|it| it.chars().skip(1).all(|it| "EFGHILPRZilnrsvwz".contains(it)))
        }
        // A line stays a line.
        ("head" | "sort" | "tail" | "uniq", _) => {
            let number = |word: &&str| word.bytes().all(|it| it.is_ascii_digit() || it == b'+');
            arrive && operands.iter().all(number) && letters("0123456789Vbfgnruvz")
        }
        ("grep", _) => arrive && operands.len() == 1 && letters("EFPivwx"),
        _ => false,
    }
}

/// Whether an option of `grep` or `rg` asks for names: `-l`, `-rl`.
fn lists(options: &[&str]) -> bool {
    options.iter().any(|word| !word.starts_with("--") && word.contains(['l', 'L']))
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

/// Actions of `find` with which it prints something else.
const PRINTING: &[&str] = &["-exec", "-fls", "-fprint", "-ls", "-ok", "-printf"];
