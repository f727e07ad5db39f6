//! The lock that keeps two processes off one journal.

use std::fs::File;
use std::io::{Read, Write};
use std::path::{Path, PathBuf};

use crate::journal::JournalError;
use crate::journal::read::io_error;

/// A locked file beside the journal.  The lock goes with the process, however that ends.
#[derive(Debug)]
pub(crate) struct Lock(#[allow(dead_code, reason = "it is held, not read")] File);

impl Lock {
    /// Locks the journal at `path`, or says who has it.
    pub(crate) fn take(path: &Path) -> Result<Self, JournalError> {
        let beside = beside(path);
        match lock(&beside) {
            Ok(Some(mut file)) => {
                // Only for whoever wonders later: the lock itself is the kernel's.
                let process = std::process::id().to_string();
                let noted = file.set_len(0).and_then(|()| file.write_all(process.as_bytes()));
                noted.map_err(|source| io_error("lock", &beside, source))?;
                Ok(Self(file))
            }
            Ok(None) => Err(locked(path)),
            Err(source) => Err(io_error("lock", &beside, source)),
        }
    }

    /// Locks the journal itself, which may have another name, and another lock file beside that.
    pub(crate) fn hold(&self, journal: &File, path: &Path) -> Result<(), JournalError> {
        match hold(journal) {
            Ok(true) => Ok(()),
            Ok(false) => Err(locked(path)),
            Err(source) => Err(io_error("lock", path, source)),
        }
    }
}

fn locked(path: &Path) -> JournalError {
    JournalError::Locked { path: path.to_owned(), holder: holder(&beside(path)) }
}

/// The lock file of a journal: its name, and then `.lock`.
fn beside(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".lock");
    name.into()
}

fn holder(beside: &Path) -> Option<u32> {
    let mut text = String::new();
    File::open(beside).ok()?.take(20).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

/// Opens the file and locks it; nothing where somebody else has.
#[cfg(unix)]
fn lock(beside: &Path) -> std::io::Result<Option<File>> {
    let file = super::file::private().create(true).truncate(false).write(true).open(beside)?;
    Ok(hold(&file)?.then_some(file))
}

/// Locks an open file; false where somebody else has.
#[cfg(unix)]
fn hold(file: &File) -> std::io::Result<bool> {
    use rustix::fs::{FlockOperation, flock};
    use rustix::io::Errno;

    match flock(file, FlockOperation::NonBlockingLockExclusive) {
        Ok(()) => Ok(true),
        Err(Errno::WOULDBLOCK) => Ok(false),
        Err(error) => Err(error.into()),
    }
}

/// A lock on the file itself would keep readers out, too.
#[cfg(not(unix))]
fn hold(_file: &File) -> std::io::Result<bool> {
    Ok(true)
}

/// Opens the file so that nobody else can.
#[cfg(windows)]
fn lock(beside: &Path) -> std::io::Result<Option<File>> {
    use std::os::windows::fs::OpenOptionsExt;

    const SHARING_VIOLATION: i32 = 32;
    let mut options = super::file::private();
    match options.create(true).truncate(false).write(true).share_mode(0).open(beside) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.raw_os_error() == Some(SHARING_VIOLATION) => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(not(any(unix, windows)))]
fn lock(_beside: &Path) -> std::io::Result<Option<File>> {
    Err(std::io::ErrorKind::Unsupported.into())
}
