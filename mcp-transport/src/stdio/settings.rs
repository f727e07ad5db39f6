//! What to start, and how.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;

use crate::{Connect, Handler, Limits, StdioTransport, Transport, TransportError};

/// Receives a line of error output.
pub(crate) type OnStderr = Arc<dyn Fn(&str) + Send + Sync>;

/// A command that starts a server: its program, arguments, environment and directory.
///
/// The program is started directly and never through a shell, so an argument is one argument
/// whatever it contains.  On Windows that also means that a batch file such as `npx.cmd` has to
/// be named in full.
///
/// ```
/// use mcp_transport::Stdio;
///
/// let git = Stdio::new("mcp-server-git")
///     .args(["--repository", "/srv/project"])
///     .env("GIT_AUTHOR_NAME", "agent");
/// ```
#[derive(Clone)]
pub struct Stdio {
    pub(crate) program: OsString,
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) inherits_env: bool,
    pub(crate) current_dir: Option<PathBuf>,
    pub(crate) kill_grace: Duration,
    pub(crate) stderr_lines: usize,
    pub(crate) on_stderr: Option<OnStderr>,
    pub(crate) limits: Limits,
}

impl Stdio {
    /// A server that `program` starts.
    pub fn new(program: impl Into<OsString>) -> Self {
        Self {
            program: program.into(),
            args: Vec::new(),
            env: Vec::new(),
            inherits_env: true,
            current_dir: None,
            kill_grace: Duration::from_secs(5),
            stderr_lines: 50,
            on_stderr: None,
            limits: Limits::default(),
        }
    }

    /// Adds an argument.
    #[must_use]
    pub fn arg(mut self, arg: impl Into<OsString>) -> Self {
        self.args.push(arg.into());
        self
    }

    /// Adds arguments.
    #[must_use]
    pub fn args(mut self, args: impl IntoIterator<Item = impl Into<OsString>>) -> Self {
        self.args.extend(args.into_iter().map(Into::into));
        self
    }

    /// Sets a variable of the server's environment, on top of those it inherits.
    #[must_use]
    pub fn env(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.env.push((name.into(), value.into()));
        self
    }

    /// Inherits nothing of this process's environment.  A server that cannot see `PATH` or `HOME`
    /// often does not start, so the default is to inherit all of it.
    #[must_use]
    pub fn env_clear(mut self) -> Self {
        self.inherits_env = false;
        self
    }

    /// Starts the server in `directory`.  By default it starts in this process's own.
    #[must_use]
    pub fn current_dir(mut self, directory: impl Into<PathBuf>) -> Self {
        self.current_dir = Some(directory.into());
        self
    }

    /// How long the server may take to exit once its input has ended, and again once it was told
    /// to terminate; after that its process group is killed.  5 seconds by default.
    #[must_use]
    pub fn kill_grace(mut self, grace: Duration) -> Self {
        self.kill_grace = grace;
        self
    }

    /// How many lines of error output are kept for error messages.  50 by default.
    #[must_use]
    pub fn stderr_lines(mut self, lines: usize) -> Self {
        self.stderr_lines = lines;
        self
    }

    /// Calls `hook` with each line of error output as it arrives.  The hook must not block.
    #[must_use]
    pub fn on_stderr(mut self, hook: impl Fn(&str) + Send + Sync + 'static) -> Self {
        self.on_stderr = Some(Arc::new(hook));
        self
    }

    /// How much the server may send.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// An error about starting this command.
    pub(crate) fn failed(&self, detail: impl Into<String>) -> TransportError {
        let text = |it: &OsString| it.to_string_lossy().into_owned();
        TransportError::SpawnFailed {
            command: text(&self.program),
            args: self.args.iter().map(text).collect(),
            detail: detail.into(),
        }
    }

    /// Refuses what cannot reach the server as it was given.
    pub(crate) fn check(&self) -> Result<(), TransportError> {
        let refuse = |detail: String| Err(self.failed(detail));
        if self.program.is_empty() {
            return refuse("the command is empty".to_owned());
        }
        if has_nul(&self.program) {
            return refuse("the command contains a NUL byte".to_owned());
        }
        if let Some(index) = self.args.iter().position(|arg| has_nul(arg)) {
            return refuse(format!("argument {index} contains a NUL byte"));
        }
        for (name, value) in &self.env {
            if name.is_empty() || has_nul(name) || name.as_encoded_bytes().contains(&b'=') {
                return refuse(format!("{name:?} cannot be the name of an environment variable"));
            }
            if has_nul(value) {
                return refuse(format!(
                    "the value of the environment variable {name:?} contains a NUL byte"
                ));
            }
        }
        match &self.current_dir {
            Some(directory) if !directory.is_dir() => {
                refuse(format!("there is no directory {directory:?}"))
            }
            _ => Ok(()),
        }
    }
}

fn has_nul(text: &OsStr) -> bool {
    text.as_encoded_bytes().contains(&0)
}

#[async_trait]
impl Connect for Stdio {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        Ok(Arc::new(StdioTransport::spawn(self, handler)?))
    }

    fn is_local(&self) -> bool {
        true
    }
}

impl fmt::Debug for Stdio {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values of the environment are often secrets, so only the names are shown.
        let names: Vec<_> = self.env.iter().map(|(name, _)| name).collect();
        f.debug_struct("Stdio")
            .field("program", &self.program)
            .field("args", &self.args)
            .field("env", &names)
            .field("current_dir", &self.current_dir)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_has_time_a_log_and_all_of_the_environment() {
        // B-STDIO-1
        let settings = Stdio::new("server");
        assert!(settings.inherits_env && settings.env.is_empty() && settings.args.is_empty());
        assert_eq!(settings.current_dir, None);
        assert_eq!(settings.kill_grace, Duration::from_secs(5));
        assert_eq!(settings.stderr_lines, 50);
        assert!(settings.on_stderr.is_none());
        let limits = Limits { message: 64 << 20, stderr_line: 8 << 10, outbox: 1 << 20 };
        assert_eq!(settings.limits, limits);
    }
}
