//! What runs: programs that cannot be read, code in arguments, variables, files by their path.

use crate::commands::{Code, Command, Influence, Program, Target, Token, Written};
use crate::floor::options::{is_one_of, operands, options, program, texts};
use crate::floor::spot::Home;
use crate::predicate::influence;
use crate::truth::Truth;

/// Whether it is not known what would run.
pub(super) fn unreadable(_: &Home, command: &Command, _: &[Command]) -> Truth {
    match command.program.cause() {
        Some(_) => Truth::Unknown,
        None => Truth::No,
    }
}

/// Whether code runs that is not the program's usual work.
pub(super) fn runs_code(_: &Home, command: &Command, _: &[Command]) -> Truth {
    let is_shell = is_one_of(command, SHELLS);
    let is_foreign = is_one_of(command, FOREIGN_SHELLS) && !command.tokens.is_empty();
    match command.code {
        Some(Code::Inline | Code::Input | Code::Package) => Truth::Yes,
        Some(Code::Script) => (is_shell || is_foreign).into(),
        None => is_foreign.into(),
    }
}

/// Whether a variable is set that decides what runs.
pub(super) fn environment(_: &Home, command: &Command, _: &[Command]) -> Truth {
    command.assignments.iter().any(|it| influence(it, command) == Influence::Code).into()
}

/// Whether a function starts itself twice in the background.
pub(super) fn bomb(_: &Home, command: &Command, all: &[Command]) -> Truth {
    // It is a handful of commands, or it is something else.
    if all.len() > MANY {
        return Truth::No;
    }
    // `:` takes no arguments in any script, and is no function in any but this one.
    let is_colon = |it: &Command| it.program.name() == Some(":") || it.program.cause().is_some();
    let calls = all.iter().filter(|it| it.program.name() == Some(":") && it.tokens.is_empty());
    (command.program.name() == Some(":") && all.iter().all(is_colon) && calls.count() >= 3).into()
}

/// Whether a file is run by a path that makes it suspect.
pub(super) fn impostor(home: &Home, command: &Command, all: &[Command]) -> Truth {
    let Program::Known { name, word, written } = &command.program else { return Truth::No };
    if *written == Written::Disguised {
        return Truth::Yes;
    }
    if *written != Written::Path {
        return Truth::No;
    }
    let folder = word.rsplit_once(['/', '\\']).map_or("", |(folder, _)| folder);
    let is_system = SYSTEM_FOLDERS.contains(&folder);
    let is_tool = TOOLS.contains(&&*name.to_ascii_lowercase());
    let spot = home.spot_of(word, command);
    let is_temporary = spot.is_absolute
        && TEMPORARY.iter().any(|it| format!("/{}/", spot.segments.join("/")).starts_with(it));
    if is_temporary || is_tool && !is_system {
        return Truth::Yes;
    }
    // With so many commands nobody compares each with all.
    (all.len() > MANY || all.iter().any(|it| writes(it, word))).into()
}

/// Whether `command` writes the file `path`, or makes it a program.
fn writes(command: &Command, path: &str) -> bool {
    let is_path = |it: &Token| it.as_text().is_some_and(|it| plain(it) == plain(path));
    let redirects = command
        .redirections
        .iter()
        .any(|it| it.writes_file() && matches!(&it.target, Target::File(token) if is_path(token)));
    let makes = match program(command).as_deref() {
        Some("chmod") => {
            texts(command).any(|it| it.contains('x') || it.starts_with('7'))
                && operands(command).iter().any(|it| is_path(it))
        }
        Some("curl" | "wget") => {
            options(command).any(|it| ["-o", "-O", "--output", "--output-document"].contains(&it))
                && command.tokens.iter().any(is_path)
        }
        _ => false,
    };
    redirects || makes
}

fn plain(path: &str) -> &str {
    path.strip_prefix("./").unwrap_or(path)
}

/// More commands than anybody compares with each other.
pub(super) const MANY: usize = 500;

const SHELLS: &[&str] =
    &[".", "ash", "bash", "dash", "ksh", "mksh", "rbash", "sh", "source", "zsh"];

/// Shells whose language is not read here, and editors that are told what to do as shells are.
const FOREIGN_SHELLS: &[&str] =
    &["cmd", "csh", "ed", "ex", "fish", "powershell", "pwsh", "tcsh", "wsl"];

const SYSTEM_FOLDERS: &[&str] = &[
    "/bin",
    "/opt/homebrew/bin",
    "/opt/homebrew/sbin",
    "/sbin",
    "/usr/bin",
    "/usr/local/bin",
    "/usr/local/sbin",
    "/usr/sbin",
];

const TEMPORARY: &[&str] = &["/tmp/", "/var/tmp/", "/dev/shm/", "/private/tmp/"];

/// Programs that people trust by their name.
const TOOLS: &[&str] = &[
    "awk", "bash", "busybox", "cargo", "cat", "chmod", "chown", "command", "cp", "curl", "cut",
    "dash", "dd", "diff", "do", "docker", "echo", "else", "env", "exec", "false", "find", "gh",
    "git", "go", "grep", "head", "if", "java", "jq", "kill", "kubectl", "less", "ln", "ls", "make",
    "mkdir", "mv", "nice", "node", "nohup", "npm", "npx", "perl", "php", "pip", "pip3", "printf",
    "ps", "python", "python3", "rm", "rmdir", "rsync", "ruby", "rustc", "scp", "sed", "setsid",
    "sh", "sleep", "sort", "ssh", "sudo", "su", "tail", "tar", "tee", "test", "then", "time",
    "timeout", "touch", "tr", "true", "uniq", "unzip", "wc", "wget", "which", "while", "xargs",
    "yarn", "zsh",
];
