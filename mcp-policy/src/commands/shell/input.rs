//! Scripts on standard input: the commands in one have the rest of it as their own input.

use crate::commands::reader::Fed;
use crate::commands::shell::frame::{Descriptor, Operator, Simple};
use crate::commands::{Access, Part, Token};

/// Whether a command of a script on standard input may change what the shell reads next.
///
/// A program may read a part of the script, and leave the shell in the middle of a word; or write
/// more of it.
pub(crate) fn may_change_input(simple: &Simple, fed: Fed) -> bool {
    if fed == Fed::No {
        return false;
    }
    let tokens = || simple.words.iter().map(|word| &word.token);
    let reads = |access| matches!(access, Access::Read | Access::ReadWrite);
    let replaced = simple.redirections.iter().any(|it| reads(it.access))
        && tokens().any(|it| it.as_text() == Some("exec"));
    if replaced || tokens().skip(1).any(is_open_file) {
        return true;
    }
    // The shell has read the line that a command stands in.
    if simple.has_input || fed == Fed::Line {
        return false;
    }
    let mut tokens = tokens();
    match tokens.next() {
        None => false,
        Some(program) => {
            let known = program.as_text().is_some_and(|name| NEVER_READ.contains(&name));
            // Some ask before they do something.
            let asks = |token: &Token| {
                let start = token.start();
                start.starts_with('-') && start.contains(['i', 'I'])
                    || start.is_empty() && token.as_text().is_none()
            };
            let asking = ["cp", "ln", "mv", "rm"];
            let name = program.as_text().unwrap_or("");
            !known || (asking.contains(&name) && tokens.any(asks))
        }
    }
}

/// Whether a redirection in a script on standard input may reach the script: puts another file in
/// its place, names it, or writes to it.
pub(super) fn reaches_input(operator: Operator, descriptor: Descriptor, token: &Token) -> bool {
    let zero = descriptor == Descriptor::Zero;
    match operator {
        Operator::Write | Operator::Append => zero || is_open_file(token) || is_any_file(token),
        Operator::ReadWrite => is_open_file(token) || is_any_file(token),
        Operator::DuplicateOut { .. } => zero || is_open_file(token) || is_zero(token),
        Operator::DuplicateIn => is_zero(token),
        Operator::Read | Operator::Document { .. } | Operator::String => false,
    }
}

/// Whether what is duplicated may be standard input.
fn is_zero(token: &Token) -> bool {
    let zero = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte == b'0');
    token.as_text().is_none_or(|text| zero(text.strip_suffix('-').unwrap_or(text)))
}

/// Whether nothing is known of the word that tells it from the name of an open file.
fn is_any_file(token: &Token) -> bool {
    let digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let end = token.end();
    token.as_text().is_none()
        && match end.rsplit_once('/') {
            Some((_, last)) => digits(last),
            None => digits(end) || "stdin".ends_with(end),
        }
}

/// Whether the word may name a file by its descriptor: a pipe opened so can be written to, too.
fn is_open_file(token: &Token) -> bool {
    let segments = |text: &str| text.split(['/', '=']).any(|it| matches!(it, "fd" | "stdin"));
    token.parts().iter().any(|part| match part {
        Part::Text(text) if token.as_text().is_some() => segments(text),
        // Any of its segments may be a part of one.
        Part::Text(text) | Part::Glob(text) => {
            segments(text) || text.contains("/dev/") || text.contains("/proc/")
        }
        Part::Tilde(_) | Part::Variable(_) | Part::Unreadable(_) => false,
    })
}

/// Builtins and programs that never read their standard input.
const NEVER_READ: &[&str] = &[
    ":", "[", "basename", "break", "cd", "chmod", "chown", "continue", "cp", "date", "declare",
    "df", "dirname", "du", "echo", "exit", "export", "false", "hostname", "id", "kill", "ln",
    "local", "ls", "mkdir", "mktemp", "mv", "nproc", "printf", "ps", "pwd", "readlink", "readonly",
    "realpath", "return", "rm", "rmdir", "seq", "set", "shift", "sleep", "stat", "test", "touch",
    "true", "type", "typeset", "umask", "uname", "unset", "wait", "which", "whoami",
];
