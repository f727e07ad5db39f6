//! Programs that run another: what they run.

mod search;
mod session;
mod table;

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::commands::launchers::table::{LAUNCHERS, Launcher, Rest};
use crate::commands::options::{self, Given};
use crate::commands::reader::{Dialect, Job, JobKind, Reader};
use crate::commands::resolve::{Call, Step};
use crate::commands::{
    Access, Arguments, Assignment, Cause, Code, Part, Redirection, Scope, Token, ViaKind,
    directory, interpreters, resolve, shell,
};

/// Whether a program of this name runs others, in a way that is understood.
pub(crate) fn is_known(name: &str) -> bool {
    find(name, &[]).is_some() || OTHERS.contains(&name)
}

/// Looks through a call, if it is of a program that runs another.
pub(crate) fn step(reader: &mut Reader, call: Call, name: &str) -> Step {
    match name {
        "find" | "gfind" | "fd" | "fdfind" => return search::step(reader, call, name),
        "su" | "runuser" | "script" | "sg" => return session::step(reader, call, name),
        "flock" => return session::flock(reader, call),
        "parallel" => {
            reader.unknown(
                Cause::Code,
                &call.scene.through(name, ViaKind::Launcher),
                &call.scene.directory,
            );
            return Step::Plain(call, None);
        }
        _ => (),
    }
    let Some((launcher, depth)) = find(name, call.arguments()) else {
        if may_be_launcher(name, call.arguments()) {
            let scene = call.scene.through(name, ViaKind::Launcher);
            reader.unknown(Cause::WrapperOption, &scene, &scene.directory);
        }
        return Step::Plain(call, None);
    };
    let arguments = call.arguments().get(depth..).unwrap_or(&[]).to_vec();
    match options::read(launcher.options, &arguments) {
        Ok((given, next)) => {
            let rest = arguments.get(next..).unwrap_or(&[]).to_vec();
            if name == "exec" && next > 0 && call.dialect().is_either() {
                // To dash there are no options: the first word is the program.
                let words = Call { words: arguments.clone(), quoted: false, ..call.clone() };
                let program = words.program();
                reader.push(words.command(program, None));
            }
            unwrap(reader, call, launcher, name, &given, rest)
        }
        Err(cause) => unread(reader, call, launcher, name, cause),
    }
}

/// The options cannot be read: the launcher is known, what it runs is not.
fn unread(reader: &mut Reader, call: Call, launcher: &Launcher, name: &str, cause: Cause) -> Step {
    let scene = call.scene.through(name, launcher.kind);
    reader.unknown(cause, &scene, &scene.directory);
    let package = launcher.rest == Rest::Package;
    if launcher.kind == ViaKind::Wrapper {
        // Its words may hold the command, and its redirections write.
        let program = call.program();
        reader.push(call.command(program, None));
        return Step::Done;
    }
    Step::Plain(call, package.then_some(Code::Package))
}

fn unwrap(
    reader: &mut Reader,
    call: Call,
    launcher: &Launcher,
    name: &str,
    given: &[Given<'_>],
    rest: Vec<Token>,
) -> Step {
    let has = |effect: &str| given.iter().any(|it| it.effect == effect);
    if has("quit") {
        return Step::Plain(call, None);
    }
    if has("unknown") || has("ambiguous") || (has("template") && !has_template_last(given)) {
        return unread(reader, call, launcher, name, Cause::WrapperOption);
    }
    let mut inner = Call {
        scene: call.scene.through(name, launcher.kind),
        assignments: call.assignments.clone(),
        redirections: call.redirections.clone(),
        words: rest,
        quoted: false,
        stdin: call.stdin.clone(),
        names: call.names,
    };
    let mut code = (launcher.rest == Rest::Package).then_some(Code::Package);
    for option in given {
        let value = option.value.clone().unwrap_or_else(|| Token::new(""));
        match option.effect {
            "dir" => inner.scene.directory = directory::moved(&inner.scene.directory, value),
            "file" => inner
                .redirections
                .push(Redirection { access: Access::Write, target: shell::file(value) }),
            "pipe" if value.start().starts_with(['|', '!']) || value.start().is_empty() => {
                code = Some(Code::Inline);
            }
            "pipe" => inner
                .redirections
                .push(Redirection { access: Access::Write, target: shell::file(value) }),
            "code" => code = Some(Code::Inline),
            "input" => inner.names = false,
            // Parts of names are not names.
            "delimiter" => inner.names &= matches!(value.as_text(), Some("\n" | "\\n")),
            // The program may be another under another name: a shell one that keeps to POSIX.
            "name" => reader.unknown(Cause::WrapperOption, &inner.scene, &inner.scene.directory),
            "variable" => match variable(&value) {
                Some(assignment) => assign(reader, &mut inner, assignment),
                None => return unread(reader, call, launcher, name, Cause::WrapperOption),
            },
            "ssh" if !is_plain_ssh_option(&value) => code = Some(Code::Inline),
            "split!" => return split(reader, call, inner, &value),
            "shell" => return package_script(reader, call, &inner, value),
            _ => (),
        }
    }
    let login = has("login");
    if has("edit") {
        return Step::Plain(call, None);
    }
    // What stands before the command is of the launcher, and must be words of their own.
    let operands = launcher.operands.min(inner.words.len());
    if inner.words.iter().take(operands).any(|word| !word.is_one()) {
        return unread(reader, call, launcher, name, Cause::WrapperOption);
    }
    inner.words.drain(..operands);
    if launcher.names == "ssh" {
        match options::read(launcher.options, &inner.words) {
            Ok((_, 0)) => (),
            Ok((more, next)) => {
                let plain = more.iter().all(|it| matches!(it.effect, "" | "file"));
                if !plain {
                    code = Some(Code::Inline);
                }
                inner.words.drain(..next);
            }
            Err(_) if inner.words.is_empty() => (),
            Err(cause) => return unread(reader, call, launcher, name, cause),
        }
    }
    if name.ends_with("env") && inner.words.first().and_then(Token::as_text) == Some("-") {
        // The old spelling of `-i`; some take it more than once.
        inner.words.remove(0);
        if inner.words.first().is_some_and(|word| word.as_text() == Some("-")) {
            return unread(reader, call, launcher, name, Cause::WrapperOption);
        }
    }
    if launcher.rest == Rest::Assignments && !take_assignments(reader, &mut inner) {
        return unread(reader, call, launcher, name, Cause::WrapperOption);
    }
    if inner.words.is_empty() {
        let still = has("still");
        let code = login.then_some(Code::Input).or(code);
        return alone(reader, call, inner, still, code);
    }
    match launcher.rest {
        Rest::Arriving => {
            arriving(&mut inner, given);
            inner.stdin = None;
        }
        Rest::Shell if !has("argv") => {
            joined(reader, &inner, Dialect::Either);
            return Step::Plain(call, code);
        }
        _ => (),
    }
    if launcher.kind == ViaKind::Wrapper && code.is_none() {
        return Step::Inner(inner);
    }
    // Both run: it, and what it runs.
    let program = call.program();
    inner.redirections = Vec::new();
    reader.push(call.command(program, code));
    Step::Inner(inner)
}

/// A launcher without a command.
fn alone(reader: &mut Reader, call: Call, inner: Call, still: bool, code: Option<Code>) -> Step {
    let program = call.program();
    let name = program.name().unwrap_or("").to_lowercase();
    match name.as_str() {
        // Its redirections are the shell's.
        "exec" => Step::Inner(Call { words: Vec::new(), ..inner }),
        "chroot" | "unshare" | "nsenter" | "watch" | "doas" | "run0" => {
            let unknown = !matches!(name.as_str(), "watch" | "doas");
            if unknown {
                reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory);
            }
            Step::Plain(call, Some(Code::Input))
        }
        // It is for a tunnel, or code comes from here.
        "ssh" if !still => Step::Plain(call, code.or(Some(Code::Input))),
        _ => Step::Plain(call, code),
    }
}

/// Takes `NAME=value` words off the front; whether none may be a program instead.
fn take_assignments(reader: &mut Reader, inner: &mut Call) -> bool {
    let mut taken = 0;
    let clear = loop {
        let Some(word) = inner.words.get(taken) else { break true };
        if word.is_hidden() {
            break false;
        }
        let Some((name, _)) = word.start().split_once('=') else {
            let hidden =
                word.as_text().is_none() && resolve::program(word, false).cause().is_some();
            break word.is_one() || !hidden;
        };
        if !word.is_one() {
            break false;
        }
        let assignment = Assignment::new(name, word.without(name.len() + 1), Scope::Command);
        assign(reader, inner, assignment);
        taken += 1;
    };
    inner.words.drain(..taken);
    clear
}

/// Sets a variable for what runs: a shell takes it over.
fn assign(reader: &mut Reader, inner: &mut Call, assignment: Assignment) {
    reader.give(&assignment.name, Some(&assignment.value));
    inner.assignments.push(assignment);
}

/// The variable that an option sets: `NAME=value`, or a name alone.
fn variable(value: &Token) -> Option<Assignment> {
    let given = value.start().split_once('=').filter(|_| value.is_one());
    match (given, value.as_text()) {
        (Some((name, _)), _) => {
            Some(Assignment::new(name, value.without(name.len() + 1), Scope::Command))
        }
        (None, Some(name)) => {
            Some(Assignment::new(name, Token::unreadable(Cause::Variable), Scope::Command))
        }
        (None, None) => None,
    }
}

/// `env -S`: the value becomes words.
fn split(reader: &mut Reader, call: Call, mut inner: Call, value: &Token) -> Step {
    let special = |text: &str| text.contains(['\\', '"', '\'', '$', '#', '\0', '\x0b']);
    // Without a command in it, it is env that runs, with the words that it was given.
    let is_command = |word: &str| !word.starts_with('-') && !word.contains('=');
    match value.as_text() {
        Some(text) if !special(text) && text.split_ascii_whitespace().any(is_command) => {
            let words = text.split_ascii_whitespace().map(Token::new);
            let mut words: Vec<Token> = std::iter::once(Token::new("env")).chain(words).collect();
            words.append(&mut inner.words);
            inner.scene.via = call.scene.via;
            Step::Inner(Call { words, ..inner })
        }
        _ => {
            reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory);
            Step::Plain(call, None)
        }
    }
}

/// `npx -c`: the value is read by a shell.
fn package_script(reader: &mut Reader, call: Call, inner: &Call, value: Token) -> Step {
    joined(reader, &Call { words: vec![value], ..inner.clone() }, Dialect::Either);
    Step::Plain(call, Some(Code::Package))
}

/// Words that a shell reads, joined by blanks.
fn joined(reader: &mut Reader, inner: &Call, dialect: Dialect) {
    let words: Option<Vec<&str>> = inner.words.iter().map(Token::as_text).collect();
    match words {
        Some(words) => script(reader, inner, words.join(" "), dialect),
        None => reader.unknown(Cause::Code, &inner.scene, &inner.scene.directory),
    }
}

/// Text that a shell reads, started by `inner`.
pub(crate) fn script(reader: &mut Reader, inner: &Call, text: String, dialect: Dialect) {
    let mut scene = inner.scene.deeper(&inner.scene.directory);
    scene.dialect = dialect;
    reader.add(Job { text, kind: JobKind::Script, dialect, scene });
}

/// Whether the template of `xargs` is what counts: not, where a number of arguments or lines is said
/// after it, unless that is the one argument that it has anyway.
fn has_template_last(given: &[Given<'_>]) -> bool {
    let is_one = |it: &Given<'_>| it.value.as_ref().and_then(Token::as_text) == Some("1");
    let counts = |it: &&Given<'_>| match it.effect {
        "template" | "lines" => true,
        "number" => !is_one(it),
        _ => false,
    };
    given.iter().rfind(counts).is_some_and(|it| it.effect == "template")
}

/// More arguments come from standard input.
fn arriving(inner: &mut Call, given: &[Given<'_>]) {
    let template = given.iter().rev().find(|it| it.effect == "template");
    let gap = |arguments| Token::Gap { parts: vec![Part::Unreadable(Cause::Arriving)], arguments };
    let Some(template) = template else {
        inner.words.push(gap(Arguments::Any));
        return;
    };
    let place = match &template.value {
        Some(value) => value.as_text(),
        None => Some("{}"),
    };
    for word in &mut inner.words {
        let placed = match (word.as_text(), place) {
            (Some(text), Some(place)) => match (text.find(place), text.rfind(place)) {
                (Some(first), Some(last)) => search::around(text, first..last + place.len()),
                _ => continue,
            },
            // What is not known may hold it, or the rest of it; and an unreadable place may be anywhere.
            _ => search::unclear(word),
        };
        *word = placed;
    }
}

/// Whether an option of `ssh -o` starts nothing.
pub(crate) fn is_plain_ssh_option(value: &Token) -> bool {
    let Some(text) = value.as_text() else { return false };
    let text = text.trim_start().to_ascii_lowercase();
    let name = text.split(['=', ' ', '\t']).next().unwrap_or("");
    !(name.contains("command")
        || matches!(name, "match" | "include" | "pkcs11provider" | "securitykeyprovider"))
}

/// The entry for a program, and how many of its arguments name the subcommand.
fn find(name: &str, arguments: &[Token]) -> Option<(&'static Launcher, usize)> {
    INDEX.get(name)?.iter().find_map(|(subcommand, launcher)| {
        let mut depth = 0;
        for part in subcommand.split('/').filter(|part| !part.is_empty()) {
            if arguments.get(depth).and_then(Token::as_text) != Some(part) {
                return None;
            }
            depth += 1;
        }
        Some((*launcher, depth))
    })
}

/// Whether the arguments may name a subcommand that runs something, behind options or a gap.
fn may_be_launcher(name: &str, arguments: &[Token]) -> bool {
    // Of these, the code is seen.
    if matches!(name, "npm" | "pnpm" | "yarn" | "uv") {
        return false;
    }
    let Some((first, rest)) = arguments.split_first() else { return false };
    let option = interpreters::may_be_option(first);
    let names = |word: &Token| {
        let entries = INDEX.get(name).into_iter().flatten();
        entries.into_iter().any(|(subcommand, _)| word.may_be(subcommand))
    };
    names(first) || (option && rest.iter().any(names))
}

/// The launchers by the name of their program, with their subcommands.
static INDEX: LazyLock<HashMap<&str, Vec<(&str, &Launcher)>>> = LazyLock::new(|| {
    let mut index: HashMap<&str, Vec<(&str, &Launcher)>> = HashMap::new();
    for launcher in LAUNCHERS {
        for name in launcher.names.split_ascii_whitespace() {
            let (program, subcommand) = name.split_once('/').unwrap_or((name, ""));
            index.entry(program).or_default().push((subcommand, launcher));
        }
    }
    index
});

/// Those that the table cannot describe.
const OTHERS: &[&str] =
    &["fd", "fdfind", "find", "flock", "gfind", "parallel", "runuser", "script", "sg", "su"];
