//! Scripts on standard input: the commands in one have the rest of it as their own input.

use crate::commands::reader::Fed;
use crate::commands::shell::frame::Simple;
use crate::commands::{Access, Token};

/// Whether a command of a script on standard input may change what the shell reads next.
///
/// A program may read a part of the script, and leave the shell in the middle of a word.
pub(crate) fn may_change_input(simple: &Simple, fed: Fed) -> bool {
    if fed == Fed::No {
        return false;
    }
    let mut words = simple.words.iter().map(|word| word.token.as_text());
    let reads = |access| matches!(access, Access::Read | Access::ReadWrite);
    if simple.redirections.iter().any(|it| reads(it.access)) && words.any(|it| it == Some("exec")) {
        return true;
    }
    // The shell has read the line that a command stands in.
    if simple.has_input || fed == Fed::Line {
        return false;
    }
    let mut tokens = simple.words.iter().map(|word| &word.token);
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

/// Builtins and programs that never read their standard input.
const NEVER_READ: &[&str] = &[
    ":", "[", "basename", "break", "cd", "chmod", "chown", "continue", "cp", "date", "declare",
    "df", "dirname", "du", "echo", "exit", "export", "false", "hostname", "id", "kill", "ln",
    "local", "ls", "mkdir", "mktemp", "mv", "nproc", "printf", "ps", "pwd", "readlink", "readonly",
    "realpath", "return", "rm", "rmdir", "seq", "set", "shift", "sleep", "stat", "test", "touch",
    "true", "type", "typeset", "umask", "uname", "unset", "wait", "which", "whoami",
];
