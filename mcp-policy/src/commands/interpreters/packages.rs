//! Package managers: subcommands that run what the command line names.

use crate::commands::interpreters::may_be_option;
use crate::commands::{Code, Part, Token};

/// The code that a call of a package manager is told to run.
pub(crate) fn code(name: &str, words: &[Token]) -> Option<Code> {
    let subcommand = Subcommand::of(words);
    match name {
        "npm" | "pnpm" | "yarn" => node(words, &subcommand),
        "bun" => bun(words, &subcommand),
        "deno" if subcommand.may_be(&["eval", "repl"]) => Some(Code::Inline),
        "deno" => match subcommand.name()? {
            "run" | "serve" => Some(Code::Script),
            name => is_file(name).then_some(Code::Script),
        },
        // What `uv run` runs is a command of its own, where it can be told.
        "uv" if subcommand.may_be(&["run"]) => Some(Code::Package),
        "uv" if subcommand.name() == Some("tool") => {
            let runs = words.iter().any(|word| word.may_be("run"));
            runs.then_some(Code::Package)
        }
        "go" => go(words, &subcommand),
        _ => None,
    }
}

fn node(words: &[Token], subcommand: &Subcommand<'_>) -> Option<Code> {
    const RUN: &[&str] = &["dlx", "ex", "exe", "exec", "explo", "explor", "explore", "node", "x"];
    let option = |word: &Token| {
        let name = word.start().split('=').next().unwrap_or("");
        let long = [
            "--script-shell",
            "--node-options",
            "--shell-emulator",
            "--editor",
            "--browser",
            "--viewer",
            "--git",
            "--node-gyp",
            "--init-module",
            "--userconfig",
            "--globalconfig",
        ];
        name.len() > 4 && name != "--global" && long.iter().any(|it| it.starts_with(name))
    };
    // What follows the dashes is for the script.
    let own = words.iter().take_while(|word| word.as_text() != Some("--"));
    if own.clone().any(option) {
        return Some(Code::Inline);
    }
    if subcommand.may_be(RUN) {
        return Some(Code::Package);
    }
    let operands = || own.clone().skip(1).filter(|word| !word.start().starts_with('-'));
    match subcommand.name() {
        Some(
            "init" | "ini" | "create" | "creat" | "crea" | "cre" | "cr" | "innit" | "inni" | "inn",
        ) if operands().next().is_some() => Some(Code::Package),
        Some("config" | "confi" | "conf" | "con" | "c")
            if operands().any(|word| word.may_be("set")) =>
        {
            Some(Code::Inline)
        }
        Some("set" | "plugin") => Some(Code::Inline),
        Some("workspace" | "workspaces") => {
            let runs = |word: &Token| ["dlx", "exec", "node"].iter().any(|it| word.may_be(it));
            operands().any(runs).then_some(Code::Package)
        }
        _ => None,
    }
}

fn bun(words: &[Token], subcommand: &Subcommand<'_>) -> Option<Code> {
    let inline = ["-e", "--eval", "-p", "--print", "-r", "--preload"];
    if words.iter().any(|word| inline.contains(&word.start().split('=').next().unwrap_or(""))) {
        return Some(Code::Inline);
    }
    if subcommand.may_be(&["x", "exec", "create", "c"]) {
        return Some(Code::Package);
    }
    let after = words.iter().position(|word| word.as_text() == Some("run")).map_or(0, |at| at + 1);
    let is_script = names_script(words.get(after..).unwrap_or(&[]));
    is_script.then_some(Code::Script)
}

/// Whether the first operand, behind what may be the value of an option, is a file with code.
fn names_script(words: &[Token]) -> bool {
    let mut option = false;
    for word in words {
        if word.start().starts_with('-') {
            option = !word.start().contains('=');
            continue;
        }
        if word.as_text().is_none_or(is_file) {
            return true;
        }
        if !std::mem::take(&mut option) {
            return false;
        }
    }
    false
}

fn go(words: &[Token], subcommand: &Subcommand<'_>) -> Option<Code> {
    let option = |word: &Token| {
        let name = word.start().trim_start_matches('-').split('=').next().unwrap_or("");
        let hidden = word.is_begun() && !word.start().contains('=');
        word.start().starts_with('-')
            && RUNNING.iter().any(|it| *it == name || (hidden && it.starts_with(name)))
            && !(name == "ldflags" && !word.start().contains("-ext") && word.as_text().is_some())
    };
    let own = words.iter().take_while(|word| word.as_text() != Some("--"));
    // The options of the linker may be a word of their own.
    let linker = |word: &Token| word.start().trim_start_matches('-') == "ldflags";
    let linked = words
        .windows(2)
        .any(|pair| matches!(pair, [option, value] if linker(option) && links(value)));
    let writes = |word: &Token| {
        let name = word.start().trim_start_matches('-').split('=').next();
        word.start().starts_with('-') && name == Some("w")
    };
    match subcommand.name() {
        _ if linked => Some(Code::Inline),
        _ if subcommand.may_be(&["run"]) => Some(Code::Script),
        Some("env") if own.clone().any(writes) => Some(Code::Inline),
        Some("tool") if own.clone().any(links) => Some(Code::Inline),
        _ => own.clone().any(option).then_some(Code::Inline),
    }
}

/// Whether options of the linker name a program, or may.
fn links(value: &Token) -> bool {
    let known = value.as_text().is_some();
    let begins = |text: &str| {
        let mut words = text.split(['\'', '"', ' ', '\t', '\n', '=']);
        words.any(|it| it.starts_with(if known { "-ext" } else { "-e" }))
    };
    value.parts().iter().any(|part| match part {
        Part::Text(text) => {
            begins(text) || text.contains("--ext") || (value.is_begun() && text.ends_with('-'))
        }
        _ => false,
    })
}

/// Options of `go` that name a program, or hold options of the linker.
const RUNNING: &[&str] = &["toolexec", "exec", "vettool", "overlay", "ldflags", "gccgoflags"];

/// Whether a word names a file with code, and not a script of the package.
fn is_file(name: &str) -> bool {
    let endings = [".js", ".cjs", ".mjs", ".jsx", ".ts", ".cts", ".mts", ".tsx"];
    name.contains('/') || endings.iter().any(|ending| name.ends_with(ending)) || name == "-"
}

/// The subcommand among the words of a package manager.
#[derive(Debug)]
enum Subcommand<'a> {
    None,
    /// The first word, or the first that is neither an option nor its value.
    Known(&'a str),
    /// Options stand before it that may take a value, or a word is not readable.
    OneOf(&'a [Token]),
}

impl<'a> Subcommand<'a> {
    fn of(words: &'a [Token]) -> Self {
        for (at, word) in words.iter().enumerate() {
            let alone =
                word.as_text().is_some_and(|text| text.contains('=') || FLAGS.contains(&text));
            if may_be_option(word) && !alone {
                return Self::OneOf(words.get(at..).unwrap_or(&[]));
            }
            match word.as_text() {
                Some(text) if !text.starts_with('-') => return Self::Known(text),
                Some(_) => (),
                None => return Self::OneOf(words.get(at..).unwrap_or(&[])),
            }
        }
        Self::None
    }

    fn name(&self) -> Option<&'a str> {
        match self {
            Self::Known(name) => Some(name),
            Self::OneOf(words) => {
                words.iter().find_map(|word| word.as_text().filter(|text| !text.starts_with('-')))
            }
            Self::None => None,
        }
    }

    /// Whether it is one of `names`, for all that can be told.
    fn may_be(&self, names: &[&str]) -> bool {
        match self {
            Self::None => false,
            Self::Known(name) => names.contains(name),
            Self::OneOf(words) => {
                words.iter().any(|word| word.as_text().is_none_or(|text| names.contains(&text)))
            }
        }
    }
}

/// Options before a subcommand that take no value.
const FLAGS: &[&str] = &[
    "--color",
    "--global",
    "--json",
    "--no-color",
    "--offline",
    "--quiet",
    "--recursive",
    "--silent",
    "--verbose",
    "--version",
    "--workspaces",
    "--ws",
    "-d",
    "-g",
    "-q",
    "-r",
    "-s",
    "-v",
];
