//! Commands that print the names of files, one after the other, and nothing else.

use crate::commands::shell::frame::Simple;

/// Whether the command prints names of files; with `arrive`, it is given such.
pub(super) fn prints_names(simple: &Simple, arrive: bool) -> bool {
    if simple.mixed {
        return false;
    }
    let mut words = simple.words.iter();
    let Some(program) = words.next().and_then(|word| word.token.as_text()) else { return false };
    let words: Vec<&str> = words.map(|word| word.token.start()).collect();
    let has = |options: &[&str]| words.iter().any(|word| options.contains(word));
    match program {
        "ls" => true,
        "find" => !words.iter().any(|word| PRINTING.iter().any(|it| word.starts_with(it))),
        "git" => {
            let found = || has(&["grep"]) && has(&["-l", "--files-with-matches", "--name-only"]);
            has(&["ls-files"]) || (has(&["diff"]) && has(&["--name-only"])) || found()
        }
        "grep" | "rg" if lists(&words) => true,
        "rg" => has(&["--files"]),
        // A line stays a line.
        "head" | "sort" | "tail" | "uniq" => arrive,
        "grep" => arrive && !words.iter().any(|word| word.starts_with('-') && word.contains('o')),
        _ => false,
    }
}

/// Whether an option of `grep` or `rg` asks for names: `-l`, `-rl`, `--files-with-matches`.
fn lists(words: &[&str]) -> bool {
    let letters = |word: &&str| {
        let letters = word.strip_prefix('-').filter(|it| !it.starts_with('-'));
        letters.is_some_and(|it| {
            it.bytes().all(|it| b"EFGHILPRZailnrsvwxz".contains(&it)) && it.contains(['l', 'L'])
        })
    };
    let long = ["--files-with-matches", "--files-without-match"];
    words.iter().any(|word| letters(word) || long.contains(word))
}

/// Actions of `find` with which it prints something else.
const PRINTING: &[&str] = &["-exec", "-fls", "-fprint", "-ls", "-ok", "-printf"];
