//! Runs one script, and tells what it did.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::io::{self, Read};
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use crate::generate::Script;
use crate::judge::Shell;
use crate::sandbox::WORK;
use crate::stub::{self, Ran};

/// What a script did.
#[derive(Clone, Debug, Default)]
pub(crate) struct Observation {
    pub(crate) ran: Vec<Ran>,
    /// Files that are new or changed, as paths from where it started.
    pub(crate) files: BTreeSet<String>,
    /// Whether it was stopped before its end.
    pub(crate) stopped: bool,
}

/// The inside of a sandbox.
#[derive(Debug)]
pub(crate) struct Room {
    root: PathBuf,
    runs: usize,
    /// Whether programs are stubs wherever they lie, and `/proc` shows our processes alone.
    private: bool,
}

/// Whether a script may start a login shell, which does what the machine it runs on is set up for.
fn logs_in(script: &str) -> bool {
    let mut options = script.split('-').skip(1);
    options.any(|it| it.bytes().take_while(u8::is_ascii_alphabetic).any(|byte| byte == b'l'))
}

/// Long enough for a script, short enough for a thousand that hang.
const PATIENCE: Duration = Duration::from_millis(700);

/// What lies in the folder when a script starts.
const FILES: &[(&str, &str)] = &[
    ("data", "x[$(touch)]\ngit rm\n-exec\n"),
    ("run", "git from-a-file\n"),
    ("d/inner", ""),
    ("x.txt", "a\n"),
];

impl Room {
    pub(crate) fn new(root: PathBuf, private: bool) -> Self {
        Self { root, runs: 0, private }
    }

    /// Whether what `script` does is what is read in it, and nothing of this machine.
    pub(crate) fn takes(&self, script: &Script) -> bool {
        self.private || !logs_in(&script.text)
    }

    /// Runs `script`, and waits until all that it started has ended.
    pub(crate) fn run(&mut self, shell: Shell, script: &Script) -> io::Result<Observation> {
        self.runs += 1;
        let work = self.root.join(WORK).join(self.runs.to_string());
        let log = self.root.join(stub::LOG);
        fs::write(&log, "")?;
        for (name, text) in FILES {
            let path = work.join(name);
            fs::create_dir_all(path.parent().unwrap_or(&work))?;
            fs::write(path, text)?;
        }
        let stopped = self.start(shell, script, &work)?;
        let ran = stub::read_log(&fs::read(&log)?);
        let mut found = BTreeMap::new();
        // Elsewhere, a script that forgets `PATH` finds real programs, and they write what they like.
        if self.private {
            let _ = walk(&work, "", &mut found);
        }
        found.retain(|path, text| {
            !FILES.iter().any(|(name, before)| name == path && before.as_bytes() == text.as_slice())
        });
        let _ = fs::remove_dir_all(&work);
        let _ = fs::remove_file(work.with_extension("input"));
        Ok(Observation { ran, files: found.into_keys().collect(), stopped })
    }

    /// Whether the script had to be stopped.
    fn start(&self, shell: Shell, script: &Script, work: &Path) -> io::Result<bool> {
        let (mut output, input) = io::pipe()?;
        let handler = self.root.join(stub::FOLDER).join(stub::HANDLER);
        let mut command = self.real(if shell == Shell::Dash { "dash" } else { "bash" });
        command
            .arg0(shell.name())
            .current_dir(work)
            .env_clear()
            .env("PATH", self.root.join(stub::FOLDER))
            .env("HOME", work)
            .env("LC_ALL", "C.UTF-8")
            .env(
                "BASH_FUNC_command_not_found_handle%%",
                format!("() {{ {} \"$@\"; }}", handler.display()),
            )
            .stdout(input.try_clone()?)
            .stderr(input)
            .process_group(0);
        if script.is_input {
            let path = work.with_extension("input");
            fs::write(&path, &script.text)?;
            command.stdin(fs::File::open(path)?);
        } else {
            command.args(["-c", &script.text]).stdin(Stdio::null());
        }
        let started = Instant::now();
        let (done, end) = mpsc::channel();
        let listener = thread::Builder::new().spawn(move || {
            let mut buffer = [0; 4096];
            while output.read(&mut buffer).is_ok_and(|length| length > 0) {}
            let _ = done.send(());
        });
        let child = listener.and_then(|_| command.spawn());
        // It holds our ends of the pipe.
        drop(command);
        let Ok(mut child) = child else {
            // An earlier script left as many processes as we may have.
            self.sweep(None);
            return Ok(true);
        };
        // The pipe ends when nothing that has it runs any more.
        let mut stopped = end.recv_timeout(PATIENCE).is_err();
        while !stopped && (child.try_wait()?.is_none() || !self.others().is_empty()) {
            stopped = started.elapsed() > PATIENCE;
            thread::sleep(Duration::from_micros(300));
        }
        if stopped {
            let _ = child.kill();
            self.sweep(Some(child.id()));
        }
        child.wait()?;
        Ok(stopped)
    }

    fn real(&self, name: &str) -> Command {
        Command::new(self.root.join(stub::REAL).join(name))
    }

    /// Ends what a script left behind.
    fn sweep(&self, group: Option<u32>) {
        for _ in 0..50 {
            let groups = group.iter().map(|id| format!("-{id}"));
            let targets =
                groups.chain(self.others().iter().map(u32::to_string)).collect::<Vec<_>>();
            let mut end = self.real("dash");
            end.args(["-c", "kill -9 \"$@\"", "kill"]).args(&targets).stderr(Stdio::null());
            let _ = end.status();
            if self.others().is_empty() {
                break;
            }
        }
    }

    /// The processes that are neither the first nor this one.
    fn others(&self) -> Vec<u32> {
        let own = std::process::id();
        let entries = if self.private { fs::read_dir("/proc").ok() } else { None };
        let names = entries.into_iter().flatten().flatten().map(|it| it.file_name());
        let ids = names.filter_map(|name| name.to_str()?.parse().ok());
        ids.filter(|id| *id != 1 && *id != own).collect()
    }
}

fn walk(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let path = format!("{prefix}{}", entry.file_name().to_string_lossy());
        if entry.file_type()?.is_dir() {
            walk(&entry.path(), &format!("{path}/"), found)?;
        } else {
            found.insert(path, fs::read(entry.path()).unwrap_or_default());
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn login_shells_are_seen() {
        let cases = [
            ("bash -lc x", true),
            ("bash --login", true),
            ("exec -cl bash", true),
            ("git -a l", false),
            ("ls", false),
        ];
        for (script, expected) in cases {
            assert_eq!(logs_in(script), expected, "{script}");
        }
    }
}
