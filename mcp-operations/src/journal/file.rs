//! The journal that is a file.

use std::fmt;
use std::fs::{File, OpenOptions};
use std::io::{BufReader, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::journal::ledger::Ledger;
use crate::journal::lock::Lock;
use crate::journal::read::{self, MAX_LINE, io_error};
use crate::journal::{Contents, DispatchedLine, Journal, JournalError, Line, TornLine};

/// How sure a line is to be there after it was written.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Durability {
    /// It survives the process, however that ends, but not the machine: a loss of power may take
    /// the last lines.  It costs one write, some microseconds.
    #[default]
    Flush,
    /// It survives a loss of power, as far as the disk keeps its word.  It costs one `fdatasync`
    /// for each line, two for each call: from a fraction of a millisecond to tens of them.
    Fsync,
}

/// A journal in a file: one line of JSON for each fact, appended and never changed.
///
/// One process has it at a time; `<file>.lock` beside it sees to that.  The file is never
/// shortened, so whoever rotates it does so while it is closed and nothing is pending.
///
/// ```
/// use mcp_operations::{FileJournal, Journal};
///
/// # let folder = std::env::temp_dir().join(format!("mcp-operations-doc-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let path = folder.join("operations.jsonl");
/// let journal = FileJournal::open(&path)?;
/// for left in journal.pending()? {
///     println!("{} of {} was under way: {}", left.op, left.tool, left.idempotency);
/// }
/// # drop(journal);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct FileJournal {
    path: PathBuf,
    durability: Durability,
    keeps_arguments: bool,
    torn: Option<TornLine>,
    writer: Mutex<Writer>,
    _lock: Lock,
}

struct Writer {
    file: File,
    /// How many bytes of whole lines there are.
    length: u64,
    ledger: Ledger,
    /// What went wrong with a write that could not be taken back.
    broken: Option<String>,
}

impl FileJournal {
    /// Opens the journal at `path`, for this process alone; made, where there is none.
    ///
    /// A last line without an end is cut off, and told: [`torn`](Self::torn).
    ///
    /// # Errors
    ///
    /// Fails where another process has it, where the file cannot be opened, or where any other line
    /// is not as a journal writes them; the error names the line, and the file stays as it is.
    pub fn open(path: impl AsRef<Path>) -> Result<Self, JournalError> {
        let path = path.as_ref();
        let lock = Lock::take(path)?;
        let file = private().read(true).append(true).create(true).open(path);
        let file = file.map_err(|source| io_error("open", path, source))?;
        lock.hold(&file, path)?;
        let reading = read::read(path, BufReader::new(&file))?;
        if reading.torn.is_some() {
            let cut = file.set_len(reading.length).and_then(|()| file.sync_all());
            cut.map_err(|source| io_error("cut the torn last line off", path, source))?;
        }
        let writer = Writer { file, length: reading.length, ledger: reading.ledger, broken: None };
        Ok(Self {
            path: path.to_owned(),
            durability: Durability::default(),
            keeps_arguments: true,
            torn: reading.torn,
            writer: Mutex::new(writer),
            _lock: lock,
        })
    }

    /// Reads the journal at `path` as it is, without locking, cutting or making anything.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open), and where there is no such file.
    pub fn peek(path: impl AsRef<Path>) -> Result<Contents, JournalError> {
        let path = path.as_ref();
        let file = File::open(path).map_err(|source| io_error("open", path, source))?;
        let reading = read::read(path, BufReader::new(file))?;
        Ok(Contents { pending: reading.ledger.pending(), torn: reading.torn })
    }

    /// Sets how sure a line is to be there after it was written; by default [`Durability::Flush`].
    ///
    /// # Errors
    ///
    /// Fails where the file cannot be made to last.
    pub fn with_durability(mut self, durability: Durability) -> Result<Self, JournalError> {
        self.durability = durability;
        if durability == Durability::Fsync {
            self.writer()
                .file
                .sync_all()
                .and_then(|()| sync_folder(&self.path))
                .map_err(|source| io_error("make durable", &self.path, source))?;
        }
        Ok(self)
    }

    /// Leaves the arguments of calls out, which may hold secrets; their digests stay.
    #[must_use]
    pub fn without_arguments(mut self) -> Self {
        self.keeps_arguments = false;
        self
    }

    /// The last line, if it was cut short when the journal was opened.
    pub fn torn(&self) -> Option<&TornLine> {
        self.torn.as_ref()
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    fn writer(&self) -> MutexGuard<'_, Writer> {
        self.writer.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The line as it is kept.
    fn kept(&self, line: &Line) -> Line {
        let mut line = line.clone();
        if let (Line::Dispatched(line), false) = (&mut line, self.keeps_arguments) {
            line.arguments = None;
        }
        line
    }
}

impl Journal for FileJournal {
    fn append(&self, line: &Line) -> Result<(), JournalError> {
        let line = self.kept(line);
        let mut text = line.to_json().to_string();
        if text.len() > MAX_LINE {
            return Err(JournalError::TooLong { length: text.len(), most: MAX_LINE });
        }
        text.push('\n');
        let mut writer = self.writer();
        if let Some(why) = writer.broken.clone() {
            return Err(JournalError::Broken { path: self.path.clone(), why });
        }
        writer.ledger.check(&line)?;
        let written = writer.write(text.as_bytes(), self.durability);
        written.map_err(|source| io_error("write to", &self.path, source))?;
        writer.ledger.apply(line);
        Ok(())
    }

    fn pending(&self) -> Result<Vec<DispatchedLine>, JournalError> {
        Ok(self.writer().ledger.pending())
    }
}

impl Writer {
    /// Writes a whole line, or none of it.
    fn write(&mut self, line: &[u8], durability: Durability) -> std::io::Result<()> {
        if let Err(error) = self.file.write_all(line) {
            if let Err(why) = self.file.set_len(self.length) {
                self.broken = Some(format!("{error}, and then {why}"));
            }
            return Err(error);
        }
        if durability == Durability::Fsync
            && let Err(error) = self.file.sync_data()
        {
            // What the disk holds now cannot be found out, not by trying again either.
            let _ = self.file.set_len(self.length);
            self.broken = Some(error.to_string());
            return Err(error);
        }
        self.length += line.len() as u64;
        Ok(())
    }
}

impl fmt::Debug for FileJournal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FileJournal")
            .field("path", &self.path)
            .field("durability", &self.durability)
            .finish_non_exhaustive()
    }
}

/// Options for a file that only its owner reads.
pub(super) fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    options
}

/// A new file lasts only when its folder does.
#[cfg(unix)]
fn sync_folder(path: &Path) -> std::io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    File::open(folder.unwrap_or_else(|| Path::new(".")))?.sync_all()
}

#[cfg(not(unix))]
fn sync_folder(_path: &Path) -> std::io::Result<()> {
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::PoisonError;

    use crate::{FileJournal, Journal, JournalError, OperationId, Outcome, Settlement};
    use crate::{Line, SettledLine};

    #[test]
    fn a_write_that_can_be_neither_done_nor_taken_back_shuts_the_journal() {
        let folder = std::env::temp_dir().join(format!("journal-{}", OperationId::random()));
        std::fs::create_dir(&folder).unwrap();
        let path = folder.join("j");
        let line =
            "{\"v\":1,\"type\":\"dispatched\",\"op\":\"a\",\"call_id\":\"1\",\"tool\":\"t\"}\n";
        std::fs::write(&path, line).unwrap();
        let journal = FileJournal::open(&path).unwrap();
        // A file that cannot be written, nor cut.
        let file = std::fs::File::open(&path).unwrap();
        let writable = {
            let mut writer = journal.writer.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut writer.file, file)
        };
        let settled = Settlement::from(Outcome::Completed);
        let settled = Line::Settled(SettledLine::new("a".into(), settled));
        let error = journal.append(&settled).unwrap_err();
        assert!(matches!(error, JournalError::Io { doing: "write to", .. }), "{error}");
        assert_eq!(journal.pending().unwrap().len(), 1, "nothing of it counts");
        // Even if it could be written again.
        journal.writer.lock().unwrap_or_else(PoisonError::into_inner).file = writable;
        let error = journal.append(&settled).unwrap_err();
        assert!(matches!(error, JournalError::Broken { .. }), "{error}");
        drop(journal);
        let journal = FileJournal::open(&path).unwrap();
        journal.append(&settled).unwrap();
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
