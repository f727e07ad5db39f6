//! The error output of a server: drained always, and its last lines kept.

use std::collections::VecDeque;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncRead, AsyncReadExt};

use crate::Stdio;
use crate::lines::{Line, Lines};
use crate::stdio::settings::OnStderr;
use crate::task::lock;

/// The last lines of error output.
pub(crate) struct Tail {
    lines: Mutex<VecDeque<String>>,
    kept: usize,
    limit: usize,
    hook: Option<OnStderr>,
}

impl Tail {
    pub(crate) fn new(settings: &Stdio) -> Self {
        Self {
            lines: Mutex::default(),
            kept: settings.stderr_lines,
            limit: settings.limits.stderr_line,
            hook: settings.on_stderr.clone(),
        }
    }

    /// The lines that are kept, oldest first, joined by line feeds.
    pub(crate) fn text(&self) -> String {
        let lines = lock(&self.lines);
        lines.iter().map(String::as_str).collect::<Vec<_>>().join("\n")
    }

    /// Reads until the output ends.  Error output is a log: it never fails a request.
    pub(crate) async fn read(self: Arc<Self>, mut output: impl AsyncRead + Unpin) {
        let mut lines = Lines::rare(self.limit);
        while let Ok(1..) = output.read_buf(lines.space()).await {
            while let Some(line) = lines.next_line() {
                self.take(&line);
            }
        }
        if let Some(line) = lines.finish() {
            self.take(&line);
        }
    }

    fn take(&self, line: &Line) {
        let text = match line {
            Line::Whole(line) => String::from_utf8_lossy(line).into_owned(),
            Line::TooLong { beginning, length, .. } => {
                format!("{}... ({length} bytes)", String::from_utf8_lossy(beginning))
            }
        };
        if let Some(hook) = &self.hook {
            // A hook that panics has been reported by the panic hook; the lines go on.
            let _ = catch_unwind(AssertUnwindSafe(|| hook(&text)));
        }
        if self.kept == 0 {
            return;
        }
        let mut lines = lock(&self.lines);
        if lines.len() == self.kept {
            lines.pop_front();
        }
        lines.push_back(text);
    }
}

impl fmt::Debug for Tail {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Tail").field("lines", &lock(&self.lines).len()).finish_non_exhaustive()
    }
}
