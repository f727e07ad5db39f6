//! The folder that a peer works in, and what has to be there before it starts.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};

use crate::data::Setup;

/// A fresh folder, removed when this is dropped.
#[derive(Debug)]
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub(crate) fn new() -> Result<Self, String> {
        static FOLDERS: AtomicUsize = AtomicUsize::new(0);
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("mcp-live-{}-{number}", std::process::id());
        let parent = std::env::temp_dir();
        let failed = |error| format!("{}: {error}", parent.display());
        let path = fs::canonicalize(&parent).map_err(failed)?.join(name);
        fs::create_dir(&path).map_err(|error| format!("{}: {error}", path.display()))?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // A folder that cannot be removed is left to whoever cleans the system's own.
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Makes folders and files, and runs commands.
pub(crate) fn prepare(setup: &[Setup]) -> Result<(), String> {
    setup.iter().try_for_each(|item| match item {
        Setup::Mkdir { mkdir } => {
            fs::create_dir_all(mkdir).map_err(|error| format!("{mkdir}: {error}"))
        }
        Setup::Write { write, text } => {
            fs::write(write, text).map_err(|error| format!("{write}: {error}"))
        }
        Setup::Run { run } => run_command(run),
    })
}

fn run_command(line: &[String]) -> Result<(), String> {
    let [program, args @ ..] = line else { return Err("an empty command".to_owned()) };
    let failed = |why: String| format!("{}: {why}", line.join(" "));
    let output = Command::new(program).args(args).output();
    let output = output.map_err(|error| failed(error.to_string()))?;
    if output.status.success() {
        return Ok(());
    }
    Err(failed(format!("{}, {}", output.status, String::from_utf8_lossy(&output.stderr).trim())))
}
