//! Programs that run code among their arguments, and what of it is only data.

mod awk;
mod carriers;
mod containers;
mod databases;
mod git;
mod packages;
mod sed;
mod table;
mod values;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::commands::interpreters::table::{INTERPRETERS, Interpreter};
use crate::commands::options;
use crate::commands::resolve::Call;
use crate::commands::{Code, Token};

pub(crate) use crate::commands::interpreters::values::Values;

/// The code that the call of `name` runs and that is not read here, if any.
pub(crate) fn code(name: &str, call: &Call) -> Option<Code> {
    let words = call.arguments();
    match name {
        "git" => return git::code(words),
        "sed" | "gsed" => return sed::code(words),
        "awk" | "gawk" | "mawk" | "nawk" | "original-awk" => return awk::code(words),
        "npm" | "pnpm" | "yarn" | "bun" | "deno" | "uv" | "go" => {
            return packages::code(name, words);
        }
        _ => (),
    }
    let stem = name.trim_end_matches(|it: char| it.is_ascii_digit() || it == '.' || it == '-');
    let entry = INDEX.get(name).or_else(|| INDEX.get(stem));
    match entry {
        Some(entry) => interpreter(entry, words),
        None => carriers::code(name, words),
    }
}

/// The options of `name` that take values, if it has options that run code and may stand anywhere.
pub(crate) fn with_options(name: &str, words: &[Token]) -> Option<Values> {
    let has = match name {
        "git" => git::has_options(words),
        "sed" | "gsed" | "npm" | "pnpm" | "yarn" | "bun" | "go" => true,
        _ => carriers::has_options(name),
    };
    has.then(|| values::of(name))
}

/// The interpreters by name.
static INDEX: LazyLock<HashMap<&str, &Interpreter>> = LazyLock::new(|| {
    let names = |entry: &'static Interpreter| {
        entry.names.split_ascii_whitespace().map(move |name| (name, entry))
    };
    INTERPRETERS.iter().flat_map(names).collect()
});

fn interpreter(entry: &Interpreter, words: &[Token]) -> Option<Code> {
    let Ok((given, next)) = options::read(entry.options, words) else {
        return Some(Code::Inline);
    };
    let has = |effect: &str| given.iter().any(|it| it.effect.trim_end_matches('!') == effect);
    if has("code") {
        return Some(Code::Inline);
    }
    if let Some(module) = given.iter().find(|it| it.effect == "module!") {
        let name = module.value.as_ref().and_then(Token::as_text);
        return name.is_none_or(|name| RUNNING.contains(&name)).then_some(Code::Inline);
    }
    if has("quit") {
        return None;
    }
    let file = given.iter().find(|it| it.effect.trim_end_matches('!') == "script");
    let file = file.map_or_else(|| words.get(next), |option| option.value.as_ref());
    Some(file.map_or(Code::Input, script_of))
}

/// What a file with code is: a script, or the standard input.
pub(crate) fn script_of(file: &Token) -> Code {
    if is_input(file) { Code::Input } else { Code::Script }
}

/// Whether a word names the standard input.
pub(crate) fn is_input(file: &Token) -> bool {
    let text = file.start();
    let descriptor = text.starts_with("/proc/") && text.contains("/fd/");
    matches!(text, "-" | "/dev/stdin") || text.starts_with("/dev/fd/") || descriptor
}

/// Modules that run the code they are given.
const RUNNING: &[&str] = &[
    "_pyrepl",
    "asyncio",
    "fabric",
    "flask",
    "hatch",
    "honcho",
    "hy",
    "idlelib",
    "imaplib",
    "memray",
    "pdm",
    "pipenv",
    "pyperf",
    "torch.distributed.run",
    "tox",
    "watchdog.watchmedo",
    "xonsh",
    "IPython.terminal.ipapp",
    "IPython",
    "bpython",
    "cProfile",
    "code",
    "coverage",
    "debugpy",
    "doctest",
    "ipdb",
    "pdb",
    "profile",
    "ptpython",
    "runpy",
    "timeit",
    "trace",
];

/// Whether a word may be an option: it is one, or cannot be told.
pub(crate) fn may_be_option(word: &Token) -> bool {
    word.start().starts_with('-') || word.is_hidden()
}
