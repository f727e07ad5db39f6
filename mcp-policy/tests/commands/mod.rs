//! Decompositions as text, so that a table row is a script and what it runs.
//!
//! Commands are parted by ` ; `.  A command is its assignments, its program, its words, its
//! redirections; then `#code` if it carries some, `@folder` for each change of the folder before
//! it, and `^name` for what it came through.  `?Cause` is an unknown program, `-` is the shell
//! itself.  A gap shows what is known of it, `…` for what is not, and ends in `*` if it may become
//! any number of arguments.
//! After the name of a variable, `!` says that it decides what runs, and `~` that it surely does not.
//! Text that looks like a gap stands in quotes.

#![allow(dead_code, reason = "no test file uses all of it")]

use std::fmt::Write;

use mcp_policy::commands::{
    Access, Command, Decomposition, Directory, Influence, Program, Redirection, Target, Token,
    Written, decompose_words,
};

pub(crate) type Row = (&'static str, &'static str);

/// Checks what bash runs.
pub(crate) fn bash(rows: &[Row]) {
    check(rows, |script| decompose_words(&["bash", "-c", script]), &["bash"]);
}

/// Checks what a `sh` runs, which may be dash or bash.
pub(crate) fn sh(rows: &[Row]) {
    check(rows, |script| decompose_words(&["sh", "-c", script]), &["sh"]);
}

/// Checks what is run without a shell; the words are parted by blanks, and `_` in them is a blank.
pub(crate) fn argv(rows: &[Row]) {
    let words = |line: &str| -> Vec<String> {
        line.split(' ').map(|word| word.replace('_', " ")).collect()
    };
    check(rows, |line| decompose_words(&words(line)), &[]);
}

fn check(rows: &[Row], read: impl Fn(&str) -> Decomposition, hidden: &[&str]) {
    let mut wrong = String::new();
    for (script, expected) in rows {
        let shown = show(&read(script), hidden);
        if shown != *expected {
            let _ = write!(
                wrong,
                "\n  {script:?}\n     is read as {shown}\n     but should  {expected}"
            );
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// Every command, but for the names that all of them came through.
pub(crate) fn show(decomposition: &Decomposition, hidden: &[&str]) -> String {
    let commands = decomposition.commands.iter().map(|command| show_command(command, hidden));
    commands.collect::<Vec<_>>().join(" ; ")
}

fn show_command(command: &Command, hidden: &[&str]) -> String {
    let mut parts: Vec<String> = Vec::new();
    for assignment in &command.assignments {
        let mark = match assignment.influence {
            Influence::Code => "!",
            Influence::Harmless => "~",
            _ => "",
        };
        parts.push(format!("{}{mark}={}", assignment.name, show_token(&assignment.value)));
    }
    parts.push(match &command.program {
        Program::Known { word, written: Written::Path, .. } => word.clone(),
        Program::Known { name, .. } if name.contains('=') => format!("'{name}'"),
        Program::Known { name, .. } => name.clone(),
        Program::Shell => "-".to_owned(),
        Program::Unknown(cause) => format!("?{cause:?}"),
        program => format!("{program:?}"),
    });
    parts.extend(command.tokens.iter().map(show_token));
    parts.extend(command.redirections.iter().map(show_redirection));
    if let Some(code) = command.code {
        parts.push(format!("#{code:?}").to_lowercase());
    }
    match &command.directory {
        Directory::Start => (),
        Directory::Moved(changes) => {
            parts.extend(changes.iter().map(|change| format!("@{}", show_token(change))));
        }
        Directory::Unknown(cause) => parts.push(format!("@?{cause:?}")),
        directory => parts.push(format!("{directory:?}")),
    }
    let names = command.via.iter().map(|via| via.name.as_str());
    let inner = names.enumerate().filter(|(at, name)| hidden.get(*at) != Some(name));
    parts.extend(inner.map(|(_, name)| format!("^{name}")));
    parts.join(" ")
}

fn show_token(token: &Token) -> String {
    let any = if token.is_one() { "" } else { "*" };
    match token.as_text() {
        Some("") => "''".to_owned(),
        Some(text) => {
            let text = text.replace('\n', "⏎").replace(' ', "␣");
            if text.contains(['~', '$', '*', '?', '…']) { format!("'{text}'") } else { text }
        }
        None => format!("{token}{any}").replace('\n', "⏎").replace(' ', "␣"),
    }
}

fn show_redirection(redirection: &Redirection) -> String {
    let access = match redirection.access {
        Access::Read => "<",
        Access::Write => ">",
        Access::Append => ">>",
        Access::ReadWrite => "<>",
        access => return format!("{access:?}"),
    };
    match &redirection.target {
        Target::File(token) => format!("{access}{}", show_token(token)),
        Target::Descriptor => format!("{access}&"),
        Target::Null => format!("{access}null"),
        Target::Text(token) => format!("{access}<{}", show_token(token)),
        Target::Unreadable(token) => format!("{access}?{}", show_token(token)),
        target => format!("{target:?}"),
    }
}
