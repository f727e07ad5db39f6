//! Builtins of shells whose arguments are more than data.

mod declare;
mod names;
mod options;

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::commands::launchers;
use crate::commands::reader::Reader;
use crate::commands::resolve::{Call, Step};
use crate::commands::{Cause, Code, Token, ViaKind};

pub(crate) use crate::commands::builtins::options::changes;

/// Whether the name is that of such a builtin.
pub(crate) fn is_known(name: &str) -> bool {
    BUILTINS.contains(name)
}

/// Reads a call of such a builtin.
pub(crate) fn step(reader: &mut Reader, mut call: Call, name: &str) -> Step {
    let words = call.arguments().to_vec();
    let mut code = None;
    let cause = match name {
        "eval" => return eval(reader, call, &words),
        "trap" => {
            trap(reader, &call, &words);
            None
        }
        "source" | "." => {
            code = Some(Code::Script);
            None
        }
        "fc" | "autoload" | "zmodload" | "emulate" | "setopt" | "unsetopt" => {
            Some(Cause::ShellOption)
        }
        "alias" => {
            let sets = |word: &Token| word.as_text().is_none_or(|text| text.contains('='));
            words.iter().any(sets).then_some(Cause::Alias)
        }
        "set" => options::set(&words),
        "shopt" => {
            let changing = |word: &Token| word.as_text().is_none_or(changes);
            words.iter().any(changing).then_some(Cause::ShellOption)
        }
        "enable" | "hash" | "bind" | "complete" | "compopt" | "compgen" | "jobs" => {
            options::runs_or_hides(name, &words)
        }
        "break" | "continue" | "exit" | "return" | "shift" => {
            names::counts(reader, call.dialect(), &words)
        }
        "printf" => {
            let cause = names::format(reader, call.dialect(), &words);
            names::names(reader, &mut call, name, &words).or(cause)
        }
        "let" => names::arithmetic(reader, &mut call, &words),
        "test" | "[" => names::test(reader, call.dialect(), &words),
        "export" if options::exports_functions(&words) => Some(Cause::ShellOption),
        "declare" | "typeset" | "local" | "readonly" | "export" | "integer" | "float"
        | "nameref" => declare::declare(reader, &mut call, name, &words),
        _ => names::names(reader, &mut call, name, &words),
    };
    if let Some(cause) = cause {
        let directory = call.scene.directory.clone();
        reader.unknown(cause, &call.scene, &directory);
    }
    Step::Plain(call, code)
}

fn eval(reader: &mut Reader, call: Call, words: &[Token]) -> Step {
    let words = match words.first().and_then(Token::as_text) {
        Some("--") => words.get(1..).unwrap_or(&[]),
        _ => words,
    };
    if words.is_empty() {
        return Step::Plain(call, None);
    }
    let scene = call.scene.through("eval", ViaKind::Shell);
    let inner = Call { scene, ..call.clone() };
    let text: Option<Vec<&str>> = words.iter().map(Token::as_text).collect();
    match text.map(|words| words.join(" ")) {
        Some(text) if !text.trim().is_empty() => {
            let dialect = inner.dialect();
            launchers::script(reader, &inner, text, dialect);
        }
        Some(_) => reader.unknown(Cause::NoProgram, &inner.scene, &inner.scene.directory),
        None => reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory),
    }
    if call.assignments.is_empty() && call.redirections.is_empty() {
        return Step::Done;
    }
    // It opens files, and sets variables, for what it runs.
    Step::Inner(Call { words: Vec::new(), ..call })
}

/// `trap CODE SIGNAL…`.
fn trap(reader: &mut Reader, call: &Call, words: &[Token]) {
    let words = match words.first().and_then(Token::as_text) {
        Some("--") => words.get(1..).unwrap_or(&[]),
        _ => words,
    };
    let inner = Call { scene: call.scene.through("trap", ViaKind::Later), ..call.clone() };
    // It runs where the shell is then.
    reader.keeps = true;
    match words.first().map(Token::as_text) {
        None | Some(Some("-" | "" | "-l" | "-p" | "-P")) => (),
        Some(Some(text)) if words.len() > 1 => {
            let dialect = inner.dialect();
            launchers::script(reader, &inner, text.to_owned(), dialect);
        }
        // A signal, that is reset.
        Some(Some(_)) => (),
        Some(None) => reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory),
    }
}

static BUILTINS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    HashSet::from([
        ".",
        "[",
        "alias",
        "autoload",
        "bind",
        "break",
        "compgen",
        "complete",
        "compopt",
        "continue",
        "declare",
        "emulate",
        "enable",
        "eval",
        "exit",
        "export",
        "fc",
        "float",
        "getopts",
        "hash",
        "integer",
        "jobs",
        "let",
        "local",
        "mapfile",
        "nameref",
        "printf",
        "read",
        "readarray",
        "readonly",
        "return",
        "set",
        "setopt",
        "shift",
        "shopt",
        "source",
        "test",
        "trap",
        "typeset",
        "unset",
        "unsetopt",
        "wait",
        "zmodload",
    ])
});
