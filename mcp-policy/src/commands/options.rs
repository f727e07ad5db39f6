//! Command line options, from a table in text.
//!
//! A table is a list of options: `-v` takes no value, `-u=` takes one, `-e?` takes one only if it
//! is attached, `-#` is a number such as `-10`, `--*` is any other long option, with or without a
//! value attached.  A word after `@` says what the option does; with a `!`, no option follows.

use crate::commands::{Cause, Token};

/// An option that was given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Given<'a> {
    /// What it does, as the table says; empty for nothing special.
    pub(crate) effect: &'a str,
    pub(crate) value: Option<Token>,
}

/// Reads the options that `words` begin with: what they are, and how many words they take.
///
/// Fails if an option is not in the table, or cannot be read.
pub(crate) fn read<'a>(table: &'a str, words: &[Token]) -> Result<(Vec<Given<'a>>, usize), Cause> {
    let mut given = Vec::new();
    let mut next = 0;
    while let Some(word) = words.get(next) {
        let start = word.start();
        if start.is_empty() && word.as_text().is_none() {
            // It may be an option, or nothing at all.
            return Err(Cause::WrapperOption);
        }
        if !start.starts_with('-') || word.as_text() == Some("-") {
            return if word.is_one() { Ok((given, next)) } else { Err(Cause::WrapperOption) };
        }
        next += 1;
        if word.as_text() == Some("--") {
            return match words.get(next) {
                Some(word) if !word.is_one() => Err(Cause::WrapperOption),
                _ => Ok((given, next)),
            };
        }
        let takes_next = if start.starts_with("--") {
            long(table, word, &mut given)?
        } else {
            cluster(table, word, &mut given)?
        };
        if takes_next {
            let Some(value) = words.get(next) else { return Err(Cause::WrapperOption) };
            if !value.is_one() {
                return Err(Cause::WrapperOption);
            }
            if let Some(given) = given.last_mut() {
                given.value = Some(value.clone());
            }
            next += 1;
        }
        if given.last().is_some_and(|given| given.effect.ends_with('!')) {
            return Ok((given, next));
        }
    }
    Ok((given, next))
}

/// Reads options that may stand before, between and after operands; and the operands.
pub(crate) fn permuted<'a>(
    table: &'a str,
    words: &[Token],
) -> Result<(Vec<Given<'a>>, Vec<Token>), Cause> {
    let (mut given, mut operands) = (Vec::new(), Vec::new());
    let mut rest = words;
    loop {
        let (mut more, next) = read(table, rest)?;
        given.append(&mut more);
        let ended = rest
            .get(..next)
            .is_some_and(|read| read.last().is_some_and(|word| word.as_text() == Some("--")));
        rest = rest.get(next..).unwrap_or(&[]);
        let Some((operand, after)) = rest.split_first().filter(|_| !ended) else { break };
        operands.push(operand.clone());
        rest = after;
    }
    operands.extend_from_slice(rest);
    Ok((given, operands))
}

/// Reads `--name` or `--name=value`; whether the next word is its value.
fn long<'a>(table: &'a str, word: &Token, given: &mut Vec<Given<'a>>) -> Result<bool, Cause> {
    let start = word.start();
    let (name, value) = match start.split_once('=') {
        Some((name, _)) => (name, Some(word.without(name.len() + 1))),
        None if word.as_text().is_some() => (start, None),
        None => return Err(Cause::WrapperOption),
    };
    if value.is_some() && !word.is_one() {
        return Err(Cause::WrapperOption);
    }
    let (takes, effect) = find(table, name).ok_or(Cause::WrapperOption)?;
    let next = match (takes, &value) {
        (Takes::Nothing, Some(_)) => return Err(Cause::WrapperOption),
        (Takes::Value, None) => true,
        _ => false,
    };
    given.push(Given { effect, value });
    Ok(next)
}

/// Reads `-abc`; whether the next word is the value of its last letter.
fn cluster<'a>(table: &'a str, word: &Token, given: &mut Vec<Given<'a>>) -> Result<bool, Cause> {
    let start = word.start();
    let number = start.get(1..).unwrap_or("");
    let is_number = number.bytes().all(|it| it.is_ascii_digit()) && word.as_text().is_some();
    if let Some((_, effect)) = find(table, "-#").filter(|_| is_number) {
        given.push(Given { effect, value: None });
        return Ok(false);
    }
    let mut at = 1;
    while at < start.len() {
        let letter = start.get(at..at + 1).ok_or(Cause::WrapperOption)?;
        let mut name = [b'-', 0];
        name[1] = letter.bytes().next().unwrap_or(0);
        let name = str::from_utf8(&name).map_err(|_| Cause::WrapperOption)?;
        let (takes, effect) = find(table, name).ok_or(Cause::WrapperOption)?;
        at += 1;
        let attached = at < start.len() || word.as_text().is_none();
        match takes {
            Takes::Nothing => given.push(Given { effect, value: None }),
            Takes::Value | Takes::Optional if attached => {
                let value = word.without(at);
                // Where nothing is left of it, the next word is the value.
                if !word.is_one() || (takes == Takes::Value && value.may_be_empty()) {
                    return Err(Cause::WrapperOption);
                }
                given.push(Given { effect, value: Some(value) });
                return Ok(false);
            }
            Takes::Optional => given.push(Given { effect, value: None }),
            Takes::Value => {
                given.push(Given { effect, value: None });
                return Ok(true);
            }
        }
    }
    // Letters may follow that are not known yet.
    if word.as_text().is_some() { Ok(false) } else { Err(Cause::WrapperOption) }
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Takes {
    Nothing,
    Value,
    Optional,
}

/// The entry for an option; a long one may be cut short, as long as it is no other's beginning.
fn find<'a>(table: &'a str, name: &str) -> Option<(Takes, &'a str)> {
    let mut cut_short = None;
    for entry in table.split_ascii_whitespace() {
        let (option, effect) = entry.split_once('@').unwrap_or((entry, ""));
        let (option, takes) = match option.strip_suffix('=') {
            Some(option) => (option, Takes::Value),
            None => match option.strip_suffix('?') {
                Some(option) => (option, Takes::Optional),
                None => (option, Takes::Nothing),
            },
        };
        if option == name {
            return Some((takes, effect));
        }
        if name.len() > 2 && option.starts_with("--") && option.starts_with(name) {
            let same = cut_short.is_none_or(|before| before == (takes, effect));
            cut_short = Some((takes, effect));
            if !same {
                cut_short = Some((Takes::Nothing, AMBIGUOUS));
            }
        }
    }
    if name.starts_with("--") && table.contains(" --*") {
        return Some((Takes::Optional, ""));
    }
    cut_short.filter(|(_, effect)| *effect != AMBIGUOUS)
}

const AMBIGUOUS: &str = "ambiguous";
