//! What a script did, against what we read.

use std::fmt;

use mcp_policy::commands::{
    Command, Decomposition, Influence, Invocation, Program, Redirection, Target, Token,
    decompose_words,
};

use crate::generate::Script;
use crate::matching::becomes;
use crate::room::Observation;
use crate::sandbox::STUBS;
use crate::stub::Ran;

/// A shell, as it is called.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Shell {
    Bash,
    Dash,
    /// bash under the name `sh`, as some systems have it.
    Sh,
}

impl Shell {
    pub(crate) const ALL: [Self; 3] = [Self::Bash, Self::Dash, Self::Sh];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Bash => "bash",
            Self::Dash => "dash",
            Self::Sh => "sh",
        }
    }
}

/// Something that was done and not foreseen.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) enum Miss {
    /// A program ran, and is not among the commands.
    Program(Ran),
    /// It is, but with other arguments.
    Arguments(Ran),
    /// A file was written, and no redirection says so.
    File(String),
    /// The script could not be simpler, and yet something in it is said to be unknown.
    Incomplete,
    /// A command that must have run did not.
    Absent(String),
    /// Reading the script took this many milliseconds.
    Slow(u128),
    /// Reading the script panicked.
    Panic,
}

impl Miss {
    /// Whether `other` is a miss of the same kind.
    pub(crate) fn is_like(&self, other: &Self) -> bool {
        std::mem::discriminant(self) == std::mem::discriminant(other)
    }
}

impl fmt::Display for Miss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Program(Ran { name, args }) => write!(f, "ran unseen: {name:?} {args:?}"),
            Self::Arguments(Ran { name, args }) => {
                write!(f, "ran with arguments unseen: {name:?} {args:?}")
            }
            Self::File(path) => write!(f, "written unseen: {path:?}"),
            Self::Incomplete => f.write_str("unknown, though it is plain"),
            Self::Absent(command) => write!(f, "seen, and did not run: {command}"),
            Self::Slow(milliseconds) => write!(f, "read in {milliseconds} ms"),
            Self::Panic => f.write_str("reading it panicked"),
        }
    }
}

/// The reading of a script.
pub(crate) fn read(shell: Shell, script: &Script) -> Decomposition {
    if !script.is_input {
        return decompose_words(&[shell.name(), "-c", &script.text]);
    }
    let mut invocation = Invocation::new([Token::new(shell.name())]);
    invocation.stdin = Some(Token::new(script.text.as_str()));
    invocation.decompose()
}

/// Whether the reading says that something may happen of which it does not know.
///
/// That a variable decides where programs are found changes which file is started, not its name;
/// and what a stub is given as code it does not run.
pub(crate) fn is_open(reading: &Decomposition) -> bool {
    reading.commands.iter().any(|command| {
        let runs_code =
            || command.program.name().is_none_or(|name| name == "source" || !STUBS.contains(&name));
        command.program.cause().is_some()
            || (command.code.is_some() && runs_code())
            || command
                .assignments
                .iter()
                .any(|it| it.influence == Influence::Code && it.name != "PATH")
    })
}

/// What was done and not foreseen by a reading that is not open.
pub(crate) fn misses(reading: &Decomposition, seen: &Observation) -> Vec<Miss> {
    let mut misses = Vec::new();
    for ran in &seen.ran {
        let through =
            reading.commands.iter().any(|it| it.via.iter().any(|via| via.name == ran.name));
        let mut named = reading.commands.iter().filter(|it| is_named(it, &ran.name)).peekable();
        if named.peek().is_none() {
            if !through {
                misses.push(Miss::Program(ran.clone()));
            }
        } else if !through && !named.any(|command| becomes(&command.tokens, &ran.args)) {
            misses.push(Miss::Arguments(ran.clone()));
        }
    }
    for path in &seen.files {
        let redirected = || reading.commands.iter().flat_map(|command| &command.redirections);
        // Programs that are no stubs write files that are among their arguments; this builtin, its own.
        let keeps = |it: &Command| it.program.name() == Some("history");
        // An interactive shell keeps its history.
        let own = path == ".bash_history" || reading.commands.iter().any(keeps);
        let own = own
            || seen.ran.iter().any(|ran| {
                // The program may run in another folder than the script.
                let is_it = |arg: &String| {
                    let folder = path.strip_suffix(arg.strip_prefix("./").unwrap_or(arg));
                    folder.is_some_and(|folder| folder.is_empty() || folder.ends_with('/'))
                };
                crate::stub::is_wrapper(&ran.name) && ran.args.iter().any(is_it)
            });
        if !own && !redirected().any(|it| covers(it, path)) {
            misses.push(Miss::File(path.clone()));
        }
    }
    misses.sort();
    misses.dedup();
    misses
}

/// How a reading of a script without choices differs from what was done: then both are the same.
pub(crate) fn differences(reading: &Decomposition, seen: &Observation) -> Vec<Miss> {
    if is_open(reading) {
        return vec![Miss::Incomplete];
    }
    let mut misses = misses(reading, seen);
    let mut left = seen.ran.clone();
    // Those that can be but one thing take theirs first.
    let gaps =
        |command: &&Command| command.tokens.iter().filter(|it| it.as_text().is_none()).count();
    let mut commands: Vec<&Command> =
        reading.commands.iter().filter(|it| it.program.name().is_some()).collect();
    commands.sort_by_key(gaps);
    for command in commands {
        let place = left
            .iter()
            .position(|it| is_named(command, &it.name) && becomes(&command.tokens, &it.args));
        match place {
            Some(place) => drop(left.swap_remove(place)),
            None => misses.push(Miss::Absent(show(command))),
        }
    }
    misses.sort();
    misses.dedup();
    misses
}

fn is_named(command: &Command, name: &str) -> bool {
    match &command.program {
        Program::Known { word, .. } => word.rsplit('/').next() == Some(name),
        _ => false,
    }
}

/// Whether a redirection can be what wrote a file.
fn covers(redirection: &Redirection, path: &str) -> bool {
    let name = last(path);
    match &redirection.target {
        _ if !redirection.writes_file() => false,
        Target::File(token) => last(&token.to_string()) == name,
        Target::Unreadable(_) => true,
        _ => false,
    }
}

/// The last segment of a path.
fn last(path: &str) -> &str {
    path.rsplit_once('/').map_or(path, |(_, last)| last)
}

/// A command on one line.
pub(crate) fn show(command: &Command) -> String {
    let program = match &command.program {
        Program::Known { word, .. } => format!("{word:?}"),
        Program::Unknown(cause) => format!("unknown ({cause})"),
        _ => "(the shell)".to_owned(),
    };
    let tokens: Vec<String> =
        command.tokens.iter().map(|it| format!("{:?}", it.to_string())).collect();
    let via: Vec<&str> = command.via.iter().map(|via| via.name.as_str()).collect();
    let targets: Vec<String> =
        command.redirections.iter().map(|it| format!("{:?} {:?}", it.access, it.target)).collect();
    format!(
        "{program} [{}] via [{}]{}{}",
        tokens.join(", "),
        via.join(", "),
        if targets.is_empty() { String::new() } else { format!(", opens {}", targets.join(", ")) },
        command.code.map(|it| format!(", code: {it:?}")).unwrap_or_default()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(script: &str) -> Decomposition {
        decompose_words(&["bash", "-c", script])
    }

    fn ran(line: &str) -> Ran {
        let mut words = line.split(' ').map(str::to_owned);
        Ran { name: words.next().unwrap_or_default(), args: words.collect() }
    }

    fn seen(lines: &[&str], files: &[&str]) -> Observation {
        Observation {
            ran: lines.iter().map(|line| ran(line)).collect(),
            files: files.iter().map(|it| (*it).to_owned()).collect(),
            stopped: false,
        }
    }

    #[test]
    fn what_was_done_must_be_foreseen() {
        type Case<'a> = (&'a str, &'a [&'a str], &'a [&'a str], &'a [Miss]);
        let cases: &[Case<'_>] = &[
            ("git status", &["git status"], &[], &[]),
            ("git status", &["git push"], &[], &[Miss::Arguments(ran("git push"))]),
            ("git status", &["git status", "rm"], &[], &[Miss::Program(ran("rm"))]),
            ("git status; rm", &["rm"], &[], &[]),
            ("git $x", &["git push -f"], &[], &[]),
            ("env git", &["env git", "git"], &[], &[]),
            ("xargs git a", &["xargs git a", "git a b"], &[], &[]),
            ("./x/git", &["git"], &[], &[]),
            ("git >x", &["git"], &["x"], &[]),
            ("git >x", &["git"], &["y"], &[Miss::File("y".to_owned())]),
            ("git >yx", &["git"], &["x"], &[Miss::File("x".to_owned())]),
            ("git >~/x", &["git"], &["x"], &[]),
            ("git <x", &["git"], &["x"], &[Miss::File("x".to_owned())]),
            ("git >$x", &["git"], &["y"], &[]),
            ("cd d; git >x", &["git"], &["d/x"], &[]),
        ];
        for (script, lines, files, expected) in cases {
            let misses = misses(&read(script), &seen(lines, files));
            assert_eq!(misses, *expected, "{script}");
        }
    }

    #[test]
    fn what_says_that_it_does_not_know_is_open() {
        let cases = [
            ("git a", false),
            ("$x", true),
            ("git $x", false),
            ("python3 -c 'x'", false),
            ("bash run", true),
            ("git | sh", true),
            (". run", true),
            ("source run", true),
            ("PATH=. git", false),
            ("BASH_ENV=run bash -c git", true),
        ];
        for (script, expected) in cases {
            assert_eq!(is_open(&read(script)), expected, "{script}");
        }
    }

    #[test]
    fn a_plain_script_is_read_whole_and_does_all_that_is_read() {
        let cases: &[(&str, &[&str], &[Miss])] = &[
            ("git a; ls", &["ls", "git a"], &[]),
            ("git a; git a", &["git a"], &[Miss::Absent("\"git\" [\"a\"] via [bash]".to_owned())]),
            ("git a", &["git a", "ls"], &[Miss::Program(ran("ls"))]),
            ("$x", &[], &[Miss::Incomplete]),
        ];
        for (script, lines, expected) in cases {
            let misses = differences(&read(script), &seen(lines, &[]));
            assert_eq!(misses, *expected, "{script}");
        }
    }
}
