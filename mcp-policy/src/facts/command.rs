//! What a call would run.

use std::sync::Arc;

use mcp_provider::JsonObject;
use serde_json::Value;

use crate::commands::{
    Arguments, Cause, Code, Command, Directory, Influence, Invocation, Part, Program, Scope, Token,
};
use crate::tables::CommandNames;
use crate::why::Why;

/// The commands that a call would run.
pub(crate) struct Commands {
    /// All of them.
    pub(crate) list: Vec<Command>,
    /// What keeps every allow by program from reaching this call.
    pub(crate) spoiled: Option<Why>,
}

impl Commands {
    /// The commands that start something, each with its place in the list.
    pub(crate) fn started(&self) -> impl Iterator<Item = (usize, &Command)> {
        self.list.iter().enumerate().filter(|(_, it)| it.program != Program::Shell)
    }

    /// Why programs are not known.
    pub(crate) fn causes(&self) -> impl Iterator<Item = Cause> {
        self.list.iter().filter_map(|it| it.program.cause())
    }
}

pub(super) fn read(arguments: &JsonObject, names: Option<&CommandNames>) -> Option<Commands> {
    let is_listed = names.is_some();
    let usual = CommandNames::default();
    let names = names.unwrap_or(&usual);
    let given = |name: &str| arguments.get(name).filter(|it| !it.is_null());
    let named = |name: &Option<String>, usual: &[&str]| match name {
        Some(name) => given(name),
        None => usual.iter().find_map(|it| given(it)),
    };

    let mut readings = match &names.shell {
        Some(shell) => vec![Invocation::shell(text(arguments.get(shell)?))],
        None => {
            let command = arguments.get(names.command.as_deref().unwrap_or("command"))?;
            argv(command, given(names.args.as_deref().unwrap_or("args")))
        }
    };
    let mut spoiled = None;
    let stdin = named(&names.stdin, &["stdin", "input"]);
    let environment = named(&names.env, &["env", "environment", "envs", "env_vars"]);
    for reading in &mut readings {
        reading.stdin = stdin.map(text);
        match environment.map(variables) {
            Some(Some(variables)) => reading.environment = variables,
            Some(None) => spoiled = Some(Why::Environment("env".to_owned())),
            None => {}
        }
    }
    // A flag of this name hands the command to a shell.
    if !is_listed && given("shell").is_some_and(|it| it != &Value::Bool(false)) {
        spoiled = Some(Why::UnlistedArgument("shell".to_owned()));
        readings.extend(given("command").map(|it| Invocation::shell(text(it))));
    }

    if !is_listed && let Some(key) = arguments.iter().find_map(|(key, it)| decisive(key, it)) {
        spoiled = spoiled.or_else(|| Some(Why::UnlistedArgument(key.to_owned())));
    }

    let mut list: Vec<Command> =
        readings.iter().flat_map(|reading| reading.decompose().commands).collect();
    if let Some(folder) = named(&names.cwd, FOLDERS) {
        let folder = folder_of(folder);
        list.iter_mut().for_each(|it| it.directory = moved(&folder, &it.directory));
    }
    let runs_input = |it: &Command| it.program.name().is_some_and(|it| DATABASES.contains(&it));
    let fed = stdin.is_some() && list.iter().any(runs_input);
    let spoiled = spoiled.or_else(|| fed.then_some(Why::Code(Code::Input)));
    let spoiled = spoiled.or_else(|| spoil(&list));
    Some(Commands { list, spoiled })
}

/// The key of an argument that no table lists, where its name says that it changes what runs.
fn decisive<'k>(key: &'k str, value: &Value) -> Option<&'k str> {
    let says_nothing = match value {
        Value::Null | Value::Bool(false) => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(members) => members.is_empty(),
        Value::Bool(true) | Value::Number(_) => false,
    };
    if says_nothing || USUAL.contains(&key) || FOLDERS.contains(&key) {
        return None;
    }
    let plain: String =
        key.chars().filter(char::is_ascii_alphanumeric).map(|it| it.to_ascii_lowercase()).collect();
    DECISIVE.contains(&&*plain).then_some(key)
}

/// The folder that a tool is told to run in, where it may expand what a shell would.
fn folder_of(value: &Value) -> Token {
    let token = text(value);
    let Some(path) = token.as_text() else { return token };
    if let Some(rest) = path.strip_prefix('~') {
        let (user, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        let parts = [Part::Tilde(user.to_owned()), Part::Text(rest.to_owned())];
        let parts = parts.into_iter().filter(|it| *it != Part::Text(String::new())).collect();
        return Token::Gap { parts, arguments: Arguments::One };
    }
    if path.contains(['$', '%']) { Token::unreadable(Cause::Variable) } else { token }
}

/// The program and its arguments, in every way in which the tool may read them.
fn argv(command: &Value, args: Option<&Value>) -> Vec<Invocation> {
    let program = command.as_str().filter(|it| !it.is_empty());
    let Some(program) = program else {
        return vec![Invocation::new([Token::unreadable(Cause::NotText)])];
    };
    let args: Vec<Token> = match args {
        None => Vec::new(),
        Some(Value::Array(args)) => args.iter().map(text).collect(),
        Some(_) => vec![Token::unreadable(Cause::NotText)],
    };
    let literal = Invocation::new([Token::new(program)].into_iter().chain(args.iter().cloned()));
    if !program.contains(|it: char| it.is_whitespace() || ";|&<>$`()'\"".contains(it)) {
        return vec![literal];
    }
    // A whole line in the place of a program: a tool may hand it to a shell.
    let words: Option<Vec<&str>> = args.iter().map(Token::as_text).collect();
    let line = words.map(|words| [vec![program], words].concat().join(" "));
    let line = line.map_or_else(|| Token::unreadable(Cause::NotText), Token::new);
    vec![literal, Invocation::shell(line)]
}

fn text(value: &Value) -> Token {
    match value {
        Value::String(text) => Token::new(text),
        Value::Number(number) => Token::new(number.to_string()),
        _ => Token::unreadable(Cause::NotText),
    }
}

/// Variables from `{"A": "b"}` or `["A=b"]`; nothing where they are written otherwise.
fn variables(value: &Value) -> Option<Vec<(String, Token)>> {
    match value {
        Value::Object(members) => {
            Some(members.iter().map(|(name, value)| (name.clone(), text(value))).collect())
        }
        Value::Array(items) => items
            .iter()
            .map(|it| {
                let (name, value) = it.as_str()?.split_once('=')?;
                Some((name.to_owned(), Token::new(value)))
            })
            .collect(),
        _ => None,
    }
}

fn moved(folder: &Token, directory: &Directory) -> Directory {
    let first = std::iter::once(folder.clone());
    match directory {
        Directory::Start => Directory::Moved(Arc::from_iter(first)),
        Directory::Moved(changes) => {
            Directory::Moved(first.chain(changes.iter().cloned()).collect())
        }
        Directory::Unknown(cause) => Directory::Unknown(*cause),
    }
}

/// What keeps an allow by program away from the whole call: what the shell does beside its
/// commands, and variables that hold for all of them.
fn spoil(commands: &[Command]) -> Option<Why> {
    commands.iter().find_map(|command| {
        let shared = command.assignments.iter().find(|it| {
            it.scope != Scope::Command && it.influence == Influence::Code
                || it.scope == Scope::Exported && it.influence == Influence::Unrecognised
        });
        if let Some(assignment) = shared {
            return Some(Why::Environment(assignment.name.clone()));
        }
        let is_shell = command.program == Program::Shell;
        (is_shell && command.redirections.iter().any(|it| it.writes_file()))
            .then_some(Why::WritesFile)
    })
}

/// What a folder to run in is usually called.
const FOLDERS: &[&str] = &[
    "cwd",
    "workdir",
    "working_dir",
    "working_directory",
    "workingDirectory",
    "directory",
    "dir",
    "folder",
    "current_dir",
    "cd",
    "chdir",
];

/// The arguments that are read here, or looked at elsewhere.
const USUAL: &[&str] =
    &["args", "command", "env", "environment", "envs", "env_vars", "input", "shell", "stdin"];

/// Programs that take what they read for commands, some of which start programs.
const DATABASES: &[&str] = &["mongosh", "mysql", "psql", "sqlite3"];

/// Names of arguments that change what runs, without blanks and capitals.
const DECISIVE: &[&str] = &[
    "arg",
    "args",
    "argument",
    "arguments",
    "argv",
    "asroot",
    "binary",
    "cmd",
    "cmdline",
    "code",
    "command",
    "commandline",
    "commands",
    "container",
    "cwd",
    "elevated",
    "entrypoint",
    "env",
    "environment",
    "envs",
    "exec",
    "executable",
    "host",
    "image",
    "init",
    "input",
    "interpreter",
    "launcher",
    "postcommand",
    "precommand",
    "prefix",
    "prelude",
    "privileged",
    "profile",
    "program",
    "rcfile",
    "remote",
    "root",
    "runas",
    "script",
    "setup",
    "sh",
    "shell",
    "shellpath",
    "stdin",
    "sudo",
    "user",
    "wrapper",
];
