//! Builtins that evaluate names: a subscript in one is arithmetic.

use crate::commands::hidden::Traits;
use crate::commands::numbers::{is_argument, sets_code};
use crate::commands::reader::{Dialect, Reader};
use crate::commands::resolve::Call;
use crate::commands::{Assignment, Cause, Influence, Part, Scope, Token, environment};

/// `let`: every word is arithmetic.
pub(super) fn arithmetic(reader: &mut Reader, call: &mut Call, words: &[Token]) -> Option<Cause> {
    let mut cause = None;
    for word in words {
        cause = reader.evaluate_token(word).or(cause);
        if let Some((name, _)) = word.start().split_once('=') {
            // Whatever it becomes, it is a number.
            set_name(reader, call, name, true);
        }
    }
    cause
}

/// `exit`, `shift` and others that take a number: to relatives of ksh it is arithmetic.
pub(super) fn counts(reader: &mut Reader, dialect: Dialect, words: &[Token]) -> Option<Cause> {
    if !matches!(dialect, Dialect::Korn | Dialect::Zsh) {
        return None;
    }
    words.iter().fold(None, |cause, word| reader.evaluate_token(word).or(cause))
}

/// `printf` with numbers: to relatives of ksh they are arithmetic.
pub(super) fn format(reader: &mut Reader, dialect: Dialect, words: &[Token]) -> Option<Cause> {
    let (format, values) = words.split_first()?;
    let number = format.as_text().is_none_or(|text| {
        let letters = text
            .split('%')
            .skip(1)
            .filter_map(|it| it.bytes().find(|byte| byte.is_ascii_alphabetic()));
        letters.into_iter().any(|letter| !b"bcqs".contains(&letter))
    });
    if number { counts(reader, dialect, values) } else { None }
}

/// `test` and `[`.
pub(super) fn test(reader: &mut Reader, dialect: Dialect, words: &[Token]) -> Option<Cause> {
    let mut cause = None;
    let compares = |word: Option<&Token>| {
        let operator = word.and_then(Token::as_text);
        matches!(operator, Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge"))
    };
    for (index, word) in words.iter().enumerate() {
        let before = index.checked_sub(1).and_then(|before| words.get(before));
        if before.is_some_and(|it| matches!(it.as_text(), Some("-v" | "-R"))) {
            cause = cause.or_else(|| name_cause(reader, word));
        }
        let named = before.is_some_and(may_name);
        // An expansion without quotes, or two in a row, may be an operator and a name.
        if !word.is_one() || (word.as_text().is_none() && named) {
            cause = unquoted(reader, word).or(cause);
            cause = before.filter(|it| may_name(it)).and_then(|it| unquoted(reader, it)).or(cause);
        }
        if named && word.as_text().is_some_and(is_evaluated_name) {
            cause = cause.or(Some(Cause::EvaluatedName));
        }
        // Relatives of ksh compare numbers as arithmetic does.
        let number = compares(before) || compares(words.get(index + 1));
        if number && matches!(dialect, Dialect::Korn | Dialect::Zsh) {
            cause = reader.evaluate_token(word).or(cause);
        }
    }
    cause
}

/// Whether the word may be an operator of `test` that a name follows; that it is one is known elsewhere.
fn may_name(word: &Token) -> bool {
    word.as_text().is_none() && ["-v", "-R"].iter().any(|it| word.may_be(it))
}

/// Why an expansion may bring a name that is evaluated: because of the script's own variables.
fn unquoted(reader: &mut Reader, word: &Token) -> Option<Cause> {
    let mut cause = None;
    for part in word.parts().iter() {
        match part {
            Part::Variable(name) if is_argument(name) => {
                cause = Some(Cause::EvaluatedName);
            }
            Part::Variable(name) => reader.numbers.evaluate(name),
            Part::Unreadable(Cause::Number) | Part::Text(_) | Part::Tilde(_) => (),
            // With letters around it, a name of a file is no operator.
            Part::Glob(_) if word.parts().iter().any(|it| matches!(it, Part::Text(_))) => (),
            Part::Glob(_) | Part::Unreadable(_) => cause = Some(Cause::EvaluatedName),
        }
    }
    cause
}

/// Builtins that give names values: `read`, `printf -v`, `mapfile`, `unset`, `getopts`, `wait -p`.
pub(super) fn names(
    reader: &mut Reader,
    call: &mut Call,
    name: &str,
    words: &[Token],
) -> Option<Cause> {
    let mut cause = None;
    let valued = match name {
        "read" => "adinNptu",
        "mapfile" | "readarray" => "dnOsucC",
        "printf" => "v",
        "wait" => "p",
        _ => "",
    };
    let mut left = words.iter();
    let (mut options, mut operands) = (true, 0);
    while let Some(word) = left.next() {
        let start = word.start();
        if options && start.starts_with('-') && word.as_text() != Some("-") {
            let Some(text) = word.as_text() else { return Some(Cause::EvaluatedName) };
            options = text != "--";
            let found = text.bytes().skip(1).position(|it| valued.as_bytes().contains(&it));
            let letter = found.and_then(|at| text.as_bytes().get(at + 1).copied());
            let attached = found.and_then(|at| text.get(at + 2..)).filter(|it| !it.is_empty());
            let Some(letter) = letter else { continue };
            let value = match attached {
                Some(text) => Some(Token::new(text)),
                None => left.next().cloned(),
            };
            match (letter, name) {
                (b'C', _) => cause = cause.or(Some(Cause::Code)),
                (b'a', "read") | (b'v', "printf") | (b'p', "wait") => {
                    let value = value.unwrap_or_else(|| Token::new(""));
                    cause = cause.or_else(|| name_cause(reader, &value));
                    set_name(reader, call, value.start(), false);
                    if name == "read" {
                        reader.numbers.array(value.start());
                    }
                }
                _ => (),
            }
            continue;
        }
        operands += 1;
        match (name, operands) {
            ("printf" | "wait", _) => {
                // It may be the option that a name follows.
                let alone = name == "printf" && word.is_one() && left.as_slice().is_empty();
                if options && !alone && reader.hides_in(word, Traits::OPTION) {
                    return Some(Cause::EvaluatedName);
                }
                // What becomes nothing ends no options.
                if word.is_one() {
                    return cause;
                }
            }
            ("getopts", 1) => (),
            ("getopts", 3..) => return cause,
            _ => {
                cause = cause.or_else(|| name_cause(reader, word));
                set_name(reader, call, start, name == "unset");
                if matches!(name, "mapfile" | "readarray") {
                    reader.numbers.array(start);
                }
            }
        }
    }
    cause
}

/// A builtin gives `name` a value that is not known.
fn set_name(reader: &mut Reader, call: &mut Call, name: &str, unset: bool) {
    let name = match name.split_once('[') {
        Some((name, _)) => {
            reader.numbers.array(name);
            name
        }
        None => name,
    };
    if !unset {
        reader.give(name, None);
    }
    if environment::influence(name) == Influence::Code {
        let value = Token::unreadable(Cause::Variable);
        call.assignments.push(Assignment::new(name, value, Scope::Shell));
    }
}

/// Why giving this name to a builtin may run something.
pub(super) fn name_cause(reader: &mut Reader, name: &Token) -> Option<Cause> {
    let Some(text) = name.as_text() else { return Some(Cause::EvaluatedName) };
    if is_evaluated_name(text) {
        return Some(Cause::EvaluatedName);
    }
    let (_, subscript) = text.split_once('[')?;
    if sets_code(subscript) {
        return Some(Cause::EvaluatedVariable);
    }
    reader.evaluate(subscript).then_some(Cause::EvaluatedNumber)
}

fn is_evaluated_name(text: &str) -> bool {
    text.contains('[') && is_evaluated(text)
}

pub(super) fn is_evaluated(text: &str) -> bool {
    text.contains(['$', '`'])
}
