//! Words and commands that surely give numbers: arithmetic on those runs nothing.

use crate::commands::shell::frame::Simple;
use crate::commands::{Cause, Command, Part, Token};

/// Whether the value is a number, or nothing: arithmetic on it runs no code.
pub(crate) fn is_number(token: &Token) -> bool {
    let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit() || b"+-. \n".contains(&it));
    let parts = match token {
        Token::Text(text) => return digits(text),
        Token::Gap { parts, .. } => parts,
    };
    parts.iter().all(|part| match part {
        Part::Text(text) => digits(text),
        Part::Unreadable(Cause::Number) => true,
        Part::Variable(name) => {
            matches!(name.as_str(), "#" | "?" | "$" | "!" | "RANDOM" | "SECONDS")
        }
        _ => false,
    })
}

/// Programs that print numbers, with the right options.
const COUNTERS: &[&str] = &["date", "grep", "id", "nproc", "seq", "wc"];

/// Whether a function of this name runs where a program that counts is called.
pub(crate) fn is_counter(function: &str) -> bool {
    COUNTERS.contains(&function)
        || matches!(function, "command_not_found_handle" | "command_not_found_handler")
}

/// Whether something prints into what other commands print: traces, or a trap that substitutions keep.
pub(crate) fn prints_along(command: &Command) -> bool {
    let traces = command.assignments.iter().any(|it| it.name == "BASH_XTRACEFD");
    let signals = || command.tokens.iter().skip(1);
    let dropped = |token: &Token| {
        token.as_text().is_some_and(|text| {
            let text = text.to_ascii_uppercase();
            let name = text.strip_prefix("SIG").unwrap_or(&text);
            matches!(name, "0" | "1" | "2" | "3" | "15" | "EXIT" | "HUP" | "INT" | "QUIT" | "TERM")
        })
    };
    traces || (command.program.name() == Some("trap") && !signals().all(dropped))
}

/// Whether the command prints numbers and nothing else; it is one of [`COUNTERS`].
pub(crate) fn prints_number(simple: &Simple) -> bool {
    if simple.mixed {
        return false;
    }
    let mut words = simple.words.iter().map(|word| word.token.as_text());
    let Some(Some(program)) = words.next() else { return false };
    let rest: Option<Vec<&str>> = words.collect();
    let Some(rest) = rest else { return false };
    match program {
        "nproc" | "date" | "seq" | "wc" => rest.iter().all(|word| match program {
            "wc" => {
                word.strip_prefix('-').is_some_and(|it| it.bytes().all(|it| b"cLlmw".contains(&it)))
            }
            "date" => {
                *word == "-u" || matches!(*word, "+%s" | "+%N" | "+%Y" | "+%m" | "+%d" | "+%j")
            }
            "nproc" => *word == "--all" || word.starts_with("--ignore="),
            _ => word.bytes().all(|it| it.is_ascii_digit() || it == b'-'),
        }),
        // With more than one file it prints their names.
        "grep" => {
            let (options, operands): (Vec<&str>, Vec<&str>) =
                rest.iter().partition(|word| word.starts_with('-'));
            let plain = |it: &&str| it.bytes().skip(1).all(|letter| b"ciEFvwx".contains(&letter));
            options.iter().all(plain)
                && options.iter().any(|it| it.contains('c'))
                && matches!(operands.len(), 1 | 2)
        }
        "id" => matches!(rest.as_slice(), ["-u" | "-g"]),
        _ => false,
    }
}
