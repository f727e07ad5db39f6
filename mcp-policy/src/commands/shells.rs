//! Shells: which of their words, or which text, they read as code.

use crate::commands::builtins;
use crate::commands::launchers;
use crate::commands::reader::{Dialect, Fed, Reader};
use crate::commands::resolve::{Call, Step};
use crate::commands::{Cause, Code, Program, Scope, Token, ViaKind};

/// Whether a program of this name is a shell.
pub(crate) fn is_known(name: &str) -> bool {
    dialect(name).is_some() || FOREIGN.contains(&name)
}

/// Looks through a call of a shell.
pub(crate) fn step(reader: &mut Reader, call: Call, name: &str) -> Step {
    let Some(dialect) = dialect(name) else { return foreign(reader, call) };
    let mut inner = Call { scene: call.scene.through(name, ViaKind::Shell), ..call.clone() };
    inner.redirections = Vec::new();
    let options = match read(call.arguments(), dialect) {
        Ok(options) => options,
        Err(cause) => {
            reader.unknown(cause, &inner.scene, &inner.scene.directory);
            return Step::Plain(call, Some(Code::Inline));
        }
    };
    if options.nothing || (options.unread && !options.interactive) {
        return Step::Plain(call, None);
    }
    if options.changes_grammar {
        reader.unknown(Cause::ShellOption, &inner.scene, &inner.scene.directory);
    }
    if options.startup {
        let command = call.clone().command(program(name), Some(Code::Script));
        reader.push(command);
    }
    // After its code dash goes on with its input: with `-s`, and if it takes itself for interactive
    // after an error.
    let goes_on =
        (options.interactive || options.stdin) && !matches!(dialect, Dialect::Bash | Dialect::Zsh);
    let dialect = if options.posix { Dialect::Either } else { dialect };
    let text = match (options.command, options.operand) {
        (true, None) => {
            reader.unknown(Cause::NoProgram, &inner.scene, &inner.scene.directory);
            return Step::Done;
        }
        (true, Some(token)) => token,
        (false, Some(_)) if !options.stdin => return Step::Plain(call, Some(Code::Script)),
        (false, _) => match &call.stdin {
            Some(token) => token.clone(),
            None => return Step::Plain(call, Some(Code::Input)),
        },
    };
    let Some(text) = text.as_text() else {
        reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory);
        // Bare shells are what some rules are about.
        return if options.command {
            around(reader, call)
        } else {
            Step::Plain(call, Some(Code::Input))
        };
    };
    if options.interactive && !options.command {
        // `!` recalls earlier lines of its input, or parts of them.
        reader.unknown(Cause::ShellOption, &inner.scene, &inner.scene.directory);
    }
    inner.scene.fed = match (options.command, text.trim_end().lines().nth(1)) {
        (true, _) => Fed::No,
        (false, None) => Fed::Line,
        (false, Some(_)) => Fed::Lines,
    };
    if text.trim().is_empty() {
        reader.unknown(Cause::NoProgram, &inner.scene, &inner.scene.directory);
    } else {
        launchers::script(reader, &inner, text.to_owned(), dialect);
    }
    if options.command && goes_on {
        Step::Plain(call, Some(Code::Input))
    } else {
        around(reader, call)
    }
}

/// What the call does besides running code: variables for everything in it, files for all of it.
fn around(reader: &mut Reader, mut call: Call) -> Step {
    if call.assignments.is_empty() && call.redirections.is_empty() {
        return Step::Done;
    }
    for assignment in &mut call.assignments {
        assignment.scope = Scope::Exported;
        reader.give(&assignment.name, Some(&assignment.value));
    }
    call.words = Vec::new();
    reader.push(call.command(Program::Shell, None));
    Step::Done
}

fn program(name: &str) -> Program {
    crate::commands::resolve::program(&Token::new(name), false)
}

/// A shell whose language is not read here.
fn foreign(reader: &mut Reader, call: Call) -> Step {
    let says = |word: &Token| matches!(word.as_text(), Some("--version" | "-v" | "--help" | "-h"));
    match call.arguments() {
        [word] if says(word) => Step::Plain(call, None),
        _ => {
            reader.unknown(Cause::ForeignShell, &call.scene, &call.scene.directory);
            Step::Plain(call, Some(Code::Inline))
        }
    }
}

#[derive(Debug, Default)]
struct Options {
    /// `-c`: the operand is code.
    command: bool,
    /// `-s`: standard input is code.
    stdin: bool,
    /// Nothing is run: `--version`.
    nothing: bool,
    /// Code is read and not run: `-n`.
    unread: bool,
    /// `-i`: then `-n` means nothing.
    interactive: bool,
    /// A file is run first.
    startup: bool,
    /// It keeps to POSIX where bash does not.
    posix: bool,
    /// An option changes how code is read.
    changes_grammar: bool,
    operand: Option<Token>,
}

fn read(words: &[Token], dialect: Dialect) -> Result<Options, Cause> {
    let mut options = Options::default();
    let mut words = words.iter();
    while let Some(word) = words.next() {
        let Some(text) = word.as_text() else {
            // It may be an option, or the code.
            let plain = !word.start().is_empty() && !word.start().starts_with(['-', '+']);
            if !plain && !options.command {
                return Err(Cause::Code);
            }
            options.operand = Some(word.clone());
            return Ok(options);
        };
        match text {
            "--" | "-" => {
                options.operand = words.next().cloned();
                return Ok(options);
            }
            "--rcfile" | "--init-file" => {
                options.startup = true;
                words.next().ok_or(Cause::Code)?;
            }
            "--version" | "--help" | "--dump-strings" | "--dump-po-strings" => {
                options.nothing = true;
            }
            "--posix" => options.posix = true,
            "--login" | "--noprofile" | "--norc" | "--restricted" | "--verbose" | "--noediting"
            | "--protected" | "--wordexp" | "--emacs" | "--vi" | "--pretty-print" => (),
            // Some take it for an option without letters, some for the last one.
            "+" => return Err(Cause::WrapperOption),
            _ if text.starts_with("--") => return Err(Cause::WrapperOption),
            // To bash, long options may have one dash.
            _ if LONG.contains(&text) => return Err(Cause::WrapperOption),
            _ if text.starts_with(['-', '+']) => {
                letters(&mut options, text, &mut words, dialect)?;
            }
            _ => {
                options.operand = Some(word.clone());
                return Ok(options);
            }
        }
    }
    Ok(options)
}

fn letters<'a>(
    options: &mut Options,
    text: &str,
    words: &mut impl Iterator<Item = &'a Token>,
    dialect: Dialect,
) -> Result<(), Cause> {
    let on = text.starts_with('-');
    for letter in text.bytes().skip(1) {
        match letter {
            b'c' => options.command = true,
            // To bash it is `-s` all the same.
            b's' if !on => return Err(Cause::WrapperOption),
            b's' => options.stdin = true,
            b'n' => options.unread = on,
            b'D' if dialect == Dialect::Bash => options.unread |= on,
            b'i' => options.interactive |= on,
            b'k' | b'a' | b'H' => options.changes_grammar |= on,
            b'o' | b'O' => {
                let value = words.next().and_then(Token::as_text).ok_or(Cause::WrapperOption)?;
                if value == "noexec" {
                    options.unread = on && letter == b'o';
                }
                options.posix |= value == "posix";
                options.changes_grammar |= value != "posix" && builtins::changes(value);
            }
            _ if known(dialect).contains(&letter) => (),
            _ => return Err(Cause::WrapperOption),
        }
    }
    Ok(())
}

/// The letters of a shell that change nothing here.
fn known(dialect: Dialect) -> &'static [u8] {
    match dialect {
        Dialect::Bash => b"befhlmprtuvxBCEIPT",
        Dialect::Zsh => b"efluvx",
        Dialect::Posix | Dialect::Either | Dialect::Korn => b"befhlmuvxCEIV",
    }
}

const LONG: &[&str] = &[
    "-debug",
    "-debugger",
    "-dump-po-strings",
    "-dump-strings",
    "-help",
    "-init-file",
    "-login",
    "-noediting",
    "-noprofile",
    "-norc",
    "-posix",
    "-pretty-print",
    "-protected",
    "-rcfile",
    "-restricted",
    "-verbose",
    "-version",
    "-wordexp",
];

fn dialect(name: &str) -> Option<Dialect> {
    match name {
        "sh" | "dash" | "ash" | "posh" => Some(Dialect::Either),
        "ksh" | "ksh93" | "mksh" | "oksh" | "pdksh" | "yash" | "lksh" => Some(Dialect::Korn),
        "zsh" | "rzsh" => Some(Dialect::Zsh),
        "rbash" => Some(Dialect::Bash),
        _ => {
            let version = name.strip_prefix("bash").or_else(|| name.strip_prefix("zsh-"))?;
            let digits = version.bytes().all(|it| it.is_ascii_digit() || b".-".contains(&it));
            digits.then_some(if name.starts_with('z') { Dialect::Zsh } else { Dialect::Bash })
        }
    }
}

const FOREIGN: &[&str] = &[
    "cmd",
    "csh",
    "elvish",
    "es",
    "fish",
    "nu",
    "osh",
    "powershell",
    "pwsh",
    "rc",
    "tcsh",
    "wsl",
    "xonsh",
    "ysh",
];
