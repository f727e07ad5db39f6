//! The program behind every name that a script can start.
//!
//! The folder of the stubs holds this executable under many names.  Which one was started is read
//! from the system, not from `argv[0]` or the environment: scripts choose both.

use std::ffi::OsString;
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode};

/// A program that a script started.
#[derive(Clone, Debug, Eq, Ord, PartialEq, PartialOrd)]
pub(crate) struct Ran {
    pub(crate) name: String,
    pub(crate) args: Vec<String>,
}

/// The folder for stubs, in a sandbox.
pub(crate) const FOLDER: &str = "stubs";
/// The folder for what wrappers really are, in a sandbox.
pub(crate) const REAL: &str = "real";
/// The file in the folder of the stubs that says where the sandbox is.
pub(crate) const ROOT: &str = ".root";
/// What bash calls with the words of a command whose program is nowhere.
pub(crate) const HANDLER: &str = ".missing";
/// Where stubs write down that they were started, in a sandbox.
pub(crate) const LOG: &str = "log";

/// Stubs that fail, so that `||` and `else` are seen too.
const FAILING: &[&str] = &["rm", "grep", "diff"];
/// A stub whose output is the names of other stubs.
const PRINTING: &str = "gen";

/// Programs that run others, as they are installed here.
const WRAPPERS: &[&str] = &[
    "bash", "choom", "chrt", "dash", "env", "find", "flock", "ionice", "nice", "nohup", "prlimit",
    "setarch", "setpriv", "setsid", "sh", "stdbuf", "taskset", "time", "timeout", "xargs",
];

/// Whether a program runs others.
pub(crate) fn is_wrapper(name: &str) -> bool {
    WRAPPERS.contains(&name)
}

/// Every wrapper that is installed here, and where.
pub(crate) fn installed() -> impl Iterator<Item = (&'static str, PathBuf)> {
    WRAPPERS.iter().filter_map(|name| {
        // Which shell `sh` is differs; what is found must not.
        let file = if *name == "sh" { "dash" } else { name };
        let folders = ["/bin", "/usr/bin"].map(Path::new);
        let path = folders.iter().map(|folder| folder.join(file)).find(|path| path.exists());
        path.map(|path| (*name, path))
    })
}

/// Writes down that this stub was started, and does what it is for.  `None` if we are no stub.
pub(crate) fn play() -> Option<ExitCode> {
    let own = std::env::current_exe().ok()?;
    let name = own.file_name()?;
    let folder = own.parent()?;
    // The folder may appear under another name.
    let root = PathBuf::from(std::fs::read_to_string(folder.join(ROOT)).ok()?);
    let is_handler = name == HANDLER;
    let mut words: Vec<OsString> = std::env::args_os().skip(1).collect();
    if !is_handler {
        words.insert(0, name.to_owned());
    }
    let record = record(&words);
    let mut log = OpenOptions::new();
    // One write of a whole record: others may write at the same time.
    let file = log.append(true).open(root.join(LOG));
    if file.and_then(|mut file| file.write_all(&record)).is_err() {
        return Some(ExitCode::from(126));
    }
    if is_handler {
        return Some(ExitCode::from(127));
    }
    let name = name.to_str()?;
    if is_wrapper(name) {
        let _ = Command::new(root.join(REAL).join(name))
            .arg0(name)
            .args(words.get(1..).unwrap_or(&[]))
            .exec();
        return Some(ExitCode::from(126));
    }
    if name == PRINTING {
        let _ = std::io::stdout().write_all(b"touch git rm\n");
    }
    Some(ExitCode::from(u8::from(FAILING.contains(&name))))
}

/// The number of words and the words, each ended by a NUL.
fn record(words: &[OsString]) -> Vec<u8> {
    let mut record = words.len().to_string().into_bytes();
    record.push(0);
    for word in words {
        record.extend_from_slice(word.as_bytes());
        record.push(0);
    }
    record
}

/// What was started, from the log.
pub(crate) fn read_log(log: &[u8]) -> Vec<Ran> {
    let text = |word: &[u8]| OsString::from_vec(word.to_vec()).to_string_lossy().into_owned();
    let mut words = log.split(|byte| *byte == 0);
    let mut ran = Vec::new();
    while let Some(count) = words.next() {
        let Ok(count) = text(count).parse::<usize>() else { continue };
        let mut taken = words.by_ref().take(count).map(text);
        let name = taken.next().unwrap_or_default();
        let name = name.rsplit('/').next().unwrap_or_default().to_owned();
        ran.push(Ran { name, args: taken.collect() });
    }
    ran
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_logged_is_read_again() {
        let words = |words: &[&str]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let log: Vec<u8> = [&["git", "", "2", "a\nb"][..], &["./x/rm"], &["ls", "-l"]]
            .iter()
            .flat_map(|it| record(&words(it)))
            .collect();
        let ran = |name: &str, args: &[&str]| Ran {
            name: name.to_owned(),
            args: args.iter().map(|it| (*it).to_owned()).collect(),
        };
        let expected = [ran("git", &["", "2", "a\nb"]), ran("rm", &[]), ran("ls", &["-l"])];
        assert_eq!(read_log(&log), expected);
        assert_eq!(read_log(b""), []);
    }

    #[test]
    fn a_test_is_no_stub() {
        assert_eq!(play(), None);
    }
}
