//! Where the commands after a command run.

use crate::commands::shell::Word;
use crate::commands::{Cause, Directory, Part, Token};

/// The working directory after the command of these words, that ran in `before`.
pub(crate) fn after(words: &[Word], before: &Directory) -> Directory {
    let mut words = words.iter().map(|word| &word.token);
    let mut program = words.next().and_then(Token::as_text);
    while matches!(program, Some("builtin" | "command" | "-p" | "--" | "noglob" | "nocorrect")) {
        program = words.next().and_then(Token::as_text);
    }
    match program {
        Some("cd" | "chdir") => changed(words, before),
        Some("pushd") => changed(words, before),
        // What they run may change it.
        Some("eval" | "source" | ".") => Directory::Unknown(Cause::Code),
        Some("popd") => Directory::Unknown(Cause::Variable),
        _ => before.clone(),
    }
}

/// `before`, and then a change to the first operand among `words`.
fn changed<'a>(words: impl Iterator<Item = &'a Token>, before: &Directory) -> Directory {
    let mut options = true;
    for word in words {
        match word.as_text() {
            Some("--") if options => options = false,
            Some("-") => return Directory::Unknown(Cause::Variable),
            Some(text) if options && text.starts_with(['-', '+']) => (),
            _ => return moved(before, word.clone()),
        }
    }
    moved(
        before,
        Token::Gap {
            parts: vec![Part::Tilde(String::new())],
            arguments: crate::commands::Arguments::One,
        },
    )
}

/// `before`, and then a change to `target`.
pub(crate) fn moved(before: &Directory, target: Token) -> Directory {
    let earlier: &[Token] = match before {
        Directory::Start => &[],
        Directory::Moved(changes) => changes,
        Directory::Unknown(cause) => return Directory::Unknown(*cause),
    };
    if earlier.len() >= MOST_CHANGES {
        return Directory::Unknown(Cause::TooLarge);
    }
    Directory::Moved(earlier.iter().cloned().chain([target]).collect())
}

/// More changes than anybody makes in one script.
const MOST_CHANGES: usize = 16;
