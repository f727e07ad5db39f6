//! `sed`: scripts that only edit, and scripts that run commands or write files.

use crate::commands::interpreters::script_of;
use crate::commands::{Code, Token};

/// The code that a call of `sed` runs, if it does.
pub(crate) fn code(words: &[Token]) -> Option<Code> {
    let mut script = false;
    let mut operand = None;
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let start = word.start();
        if start == "--" && word.as_text().is_some() {
            operand = operand.or_else(|| words.next());
            break;
        }
        if !start.starts_with('-') || start == "-" {
            operand = operand.or(Some(word));
            continue;
        }
        let text = word.as_text().unwrap_or(start);
        if let Some(long) = text.strip_prefix("--") {
            let (name, value) = long.split_once('=').map_or((long, None), |(n, v)| (n, Some(v)));
            if !name.is_empty() && "expression".starts_with(name) {
                script = true;
                let value = if value.is_some() {
                    Some(word.without(name.len() + 3))
                } else {
                    words.next().cloned()
                };
                if !is_plain(value.as_ref()) {
                    return Some(Code::Inline);
                }
            } else if !name.is_empty() && "file".starts_with(name) {
                let attached = value.map(|_| word.without(name.len() + 3));
                let file = attached.as_ref().or_else(|| words.next());
                return Some(file.map_or(Code::Script, script_of));
            } else if value.is_none()
                && (word.as_text().is_none() || "line-length".starts_with(name))
            {
                return Some(Code::Inline);
            }
            continue;
        }
        // Letters; `-e` and `-f` take what follows, `-i` what is attached.
        let mut is_open = word.as_text().is_none();
        for (at, letter) in text.char_indices().skip(1) {
            let rest = word.without(at + 1);
            let attached = rest.as_text() != Some("");
            is_open &= !"eilI".contains(letter);
            match letter {
                'e' => {
                    script = true;
                    let value = if attached { Some(rest) } else { words.next().cloned() };
                    if !is_plain(value.as_ref()) {
                        return Some(Code::Inline);
                    }
                    break;
                }
                'f' => {
                    let file = if attached { Some(&rest) } else { words.next() };
                    return Some(file.map_or(Code::Script, script_of));
                }
                // Some versions take the next word for its value, and some do not.
                'l' if !attached || word.as_text().is_none() => return Some(Code::Inline),
                'i' | 'l' | 'I' => break,
                _ => (),
            }
        }
        if is_open {
            // Other letters may follow.
            return Some(Code::Inline);
        }
    }
    match operand {
        Some(operand) if !script && !is_plain(Some(operand)) => Some(Code::Inline),
        _ => None,
    }
}

fn is_plain(script: Option<&Token>) -> bool {
    script.and_then(Token::as_text).is_some_and(only_edits)
}

/// Whether every command of the script is understood, and none runs a program or writes a file.
fn only_edits(script: &str) -> bool {
    let mut rest = script;
    loop {
        rest = rest.trim_start_matches([' ', '\t', '\n', ';', '{', '}']);
        let Some(after) = address(rest) else { return false };
        let after = after.trim_start_matches([' ', '\t', '!']);
        let Some(command) = after.chars().next() else {
            return after.len() == rest.len() || after.is_empty();
        };
        let tail = after.get(command.len_utf8()..).unwrap_or("");
        let next = match command {
            '{' | '}' | ';' | '\n' => Some(tail),
            'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | '=' | 'z' | 'F'
            | 'l' | 'q' | 'Q' | 'L' => {
                Some(tail.trim_start_matches(|it: char| it.is_ascii_digit() || it == ' '))
            }
            's' => substitute(tail),
            'y' => fields(tail).map(|(rest, _)| rest),
            // Text, or the name of a file that is read or of a label, up to the end of the line.
            'a' | 'i' | 'c' => text(tail),
            'b' | 't' | 'T' | ':' => label(tail),
            'r' | 'R' | '#' => Some(tail.split_once('\n').map_or("", |(_, rest)| rest)),
            _ => None,
        };
        match next {
            Some("") => return true,
            Some(next)
                if next.starts_with([' ', '\t', '\n', ';', '}', '#'])
                    || command == '{'
                    || command == '}'
                    || command == ';' =>
            {
                rest = next;
            }
            // What follows a text or a label is a new line.
            Some(next) if matches!(command, 'a' | 'i' | 'c' | 'r' | 'R' | '#') => {
                rest = next;
            }
            _ => return false,
        }
    }
}

/// Over a label.  Some versions end it at a `;`, and some do not.
fn label(tail: &str) -> Option<&str> {
    let tail = tail.trim_start_matches([' ', '\t']);
    let part = |it: char| it.is_ascii_alphanumeric() || matches!(it, '_' | '-' | '.');
    Some(tail.trim_start_matches(part))
}

/// Over an address or two, if they are understood.
fn address(mut rest: &str) -> Option<&str> {
    loop {
        let first = rest.chars().next();
        rest = match first {
            Some('0'..='9' | '$' | '~' | '+' | ',' | ' ' | '\t') => rest.get(1..)?,
            Some('/') => pattern(rest.get(1..)?, '/')?.trim_start_matches(['I', 'M']),
            Some('\\') => {
                let delimiter = rest.chars().nth(1)?;
                pattern(rest.get(1 + delimiter.len_utf8()..)?, delimiter)?
                    .trim_start_matches(['I', 'M'])
            }
            _ => return Some(rest),
        };
    }
}

/// Over a pattern up to its delimiter.
///
/// A bracket may hold the delimiter for some versions: such patterns are not understood.
fn pattern(rest: &str, delimiter: char) -> Option<&str> {
    let mut chars = rest.char_indices();
    let mut bracket = false;
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            '\n' => return None,
            '[' => bracket = true,
            ']' => bracket = false,
            char if char == delimiter && bracket => return None,
            char if char == delimiter => return rest.get(at + char.len_utf8()..),
            _ => (),
        }
    }
    None
}

/// Over the two fields of `s` or `y`, and what is after them.
fn fields(rest: &str) -> Option<(&str, char)> {
    let delimiter = rest.chars().next().filter(|it| *it != '\\' && *it != '\n')?;
    let rest = pattern(rest.get(delimiter.len_utf8()..)?, delimiter)?;
    let mut chars = rest.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '\\' => drop(chars.next()),
            char if char == delimiter => {
                return Some((rest.get(at + char.len_utf8()..)?, delimiter));
            }
            _ => (),
        }
    }
    None
}

/// Over the rest of an `s`; its flags `e` and `w` do more than edit.
fn substitute(rest: &str) -> Option<&str> {
    let (rest, _) = fields(rest)?;
    Some(rest.trim_start_matches(|it: char| {
        it.is_ascii_digit() || matches!(it, 'g' | 'p' | 'i' | 'I' | 'm' | 'M')
    }))
}

/// Over the text of `a`, `i` or `c`: to the end of a line that does not end in a backslash.
fn text(rest: &str) -> Option<&str> {
    let mut rest = rest;
    loop {
        let (line, after) = rest.split_once('\n').unwrap_or((rest, ""));
        let joined = line.bytes().rev().take_while(|it| *it == b'\\').count() % 2 == 1;
        if !joined || after.is_empty() {
            return Some(after);
        }
        rest = after;
    }
}
