//! Starts processes, and kills them at random points.

use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::check::{Figures, check};
use crate::{Failure, Random};

/// Starts `program` `runs` times and kills each at a random step; a folder sees five of them.
pub(crate) fn kill(program: &Path, runs: usize, seed: u64) -> Result<Figures, Failure> {
    let mut figures = Figures::default();
    let mut random = Random::new(seed);
    for first in (0..runs).step_by(GENERATIONS) {
        let folder = Folder::new(first as u64)?;
        let end = runs.min(first + GENERATIONS);
        for run in first..end {
            kill_one(program, &folder.0, &mut random)?;
            check(&folder.0, run + 1 == end, &mut figures)?;
        }
    }
    Ok(figures)
}

/// How many processes follow each other in a folder.
const GENERATIONS: usize = 5;

fn kill_one(program: &Path, folder: &Path, random: &mut Random) -> Result<(), Failure> {
    let mut child = Command::new(program)
        .args(["child".as_ref(), folder.as_os_str()])
        .arg(random.next().to_string())
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()?;
    // Its steps come as bytes: some are waited for, and it goes on while it is killed.
    let steps = random.below(10) * random.below(100);
    let mut stdout = child.stdout.take().ok_or("no pipe")?;
    let read = std::io::copy(&mut stdout.by_ref().take(steps), &mut std::io::sink())?;
    let most = 1 << random.below(18);
    for _ in 0..random.below(most) {
        std::hint::spin_loop();
    }
    child.kill()?;
    let output = child.wait_with_output()?;
    if read < steps {
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        return Err(format!("the child ended by itself ({}): {said}", output.status).into());
    }
    Ok(())
}

/// A new folder, removed when it is dropped.
pub(crate) struct Folder(pub(crate) PathBuf);

impl Folder {
    pub(crate) fn new(number: u64) -> Result<Self, Failure> {
        let name = format!("mcp-operations-crash-{}-{number:x}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::create_dir_all(&path)?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
