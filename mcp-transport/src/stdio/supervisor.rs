//! The life of a child process, from its start to its certain end.

use std::future::pending;
use std::io;
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::Duration;

use tokio::process::Child;
use tokio::sync::watch;
use tokio::time::{Instant, sleep, timeout, timeout_at};

use crate::stdio::child::{self, Group};
use crate::stdio::stderr::Tail;
use crate::task::Task;
use crate::wire::{Tasks, Wire};
use crate::{Handler, ServerGone, Stdio, TransportError};

/// How a process ended.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct End {
    pub(crate) exit_code: Option<i32>,
    pub(crate) signal: Option<i32>,
}

/// Owns a server's process and the tasks that talk to it.
///
/// Dropped at any point, it leaves no process behind.
#[derive(Debug)]
pub(crate) struct Supervisor {
    // Killed before the child is let go of, so that it can be waited for.
    group: Group,
    child: Child,
    wire: Arc<Wire>,
    tasks: Tasks,
    stderr: Arc<Tail>,
    stderr_reader: Task<()>,
    command: String,
    grace: Duration,
}

impl Supervisor {
    /// Starts the server and the tasks that talk to it.
    pub(crate) fn start(
        settings: &Stdio,
        handler: Arc<dyn Handler>,
    ) -> Result<Self, TransportError> {
        let mut child = child::spawn(settings)?;
        let group = Group::led_by(&child);
        let streams = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(stdin), Some(stdout), Some(error_output)) = streams else {
            return Err(settings.failed("its standard streams are not piped"));
        };
        let stderr = Arc::new(Tail::new(settings));
        let (wire, tasks) = Wire::start(stdout, stdin, handler, &settings.limits);
        let stderr_reader = Task::spawn(Arc::clone(&stderr).read(error_output));
        let command = settings.program.to_string_lossy().into_owned();
        let grace = settings.kill_grace;
        Ok(Self { group, child, wire, tasks, stderr, stderr_reader, command, grace })
    }

    pub(crate) fn pid(&self) -> Option<u32> {
        self.child.id()
    }

    pub(crate) fn wire(&self) -> &Arc<Wire> {
        &self.wire
    }

    pub(crate) fn stderr(&self) -> &Arc<Tail> {
        &self.stderr
    }

    /// Watches the server until it has ended, by itself or because `close` asks for it.
    ///
    /// Whatever happens, everybody who waits is told within two seconds of the process's exit,
    /// and on Unix nothing that stayed in its process group goes on.
    pub(crate) async fn run(
        mut self,
        mut close: watch::Receiver<bool>,
        ended: watch::Sender<Option<End>>,
    ) {
        let status = tokio::select! {
            biased;
            status = self.child.wait() => status,
            // Before the pipes: closing them is part of it, and what is answered still counts.
            //
            // How it ends is boxed: until then the task only waits.
            () = closing(&mut close) => Box::pin(self.shut_down(&mut close)).await,
            () = hang_up(&mut self.tasks) => Box::pin(self.hung_up(&mut close)).await,
        };
        let end = status.map(End::from).unwrap_or_default();
        self.group.kill_rest();
        // What was written before the exit is still in the pipes.  A process that left the group
        // may hold them open for ever, so the wait is bounded.
        let drained = async {
            (&mut self.tasks.reader).await;
            (&mut self.stderr_reader).await;
        };
        let _ = Box::pin(timeout(DRAIN, drained)).await;
        self.wire.retire(&self.gone(end));
        ended.send_replace(Some(end));
    }

    /// Gives a server that closed its pipes a moment to exit, and ends it.
    async fn hung_up(&mut self, close: &mut watch::Receiver<bool>) -> io::Result<ExitStatus> {
        match timeout(HANG_UP, self.child.wait()).await {
            Ok(status) => status,
            Err(_) => {
                // A process that cannot be talked to any more is of no use to anybody.
                self.wire.retire(&self.gone(End::default()));
                self.shut_down(close).await
            }
        }
    }

    /// Ends the input, asks the group to terminate, kills it: each after a grace.
    async fn shut_down(&mut self, close: &mut watch::Receiver<bool>) -> io::Result<ExitStatus> {
        self.wire.close_outbox();
        if let Some(status) = self.exit(close).await {
            return status;
        }
        self.group.terminate();
        if let Some(status) = self.exit(close).await {
            return status;
        }
        self.group.kill();
        // A leader may have moved to another group of its session; one that has ended meanwhile
        // needs no killing, only the wait.
        let _ = self.child.start_kill();
        self.child.wait().await
    }

    /// Waits for the exit, for one grace: a short one as soon as the transport is dropped, since
    /// then nobody waits for a graceful end.
    async fn exit(&mut self, close: &mut watch::Receiver<bool>) -> Option<io::Result<ExitStatus>> {
        let start = Instant::now();
        tokio::select! {
            biased;
            status = self.child.wait() => return Some(status),
            () = sleep(self.grace) => return None,
            () = dropped(close) => self.grace = self.grace.min(DROPPED),
        }
        timeout_at(start + self.grace, self.child.wait()).await.ok()
    }

    fn gone(&self, end: End) -> TransportError {
        TransportError::ServerGone(Arc::new(ServerGone {
            command: self.command.clone(),
            exit_code: end.exit_code,
            signal: end.signal,
            stderr_tail: self.stderr.text(),
        }))
    }
}

/// Waits until the transport is closed or dropped.
async fn closing(close: &mut watch::Receiver<bool>) {
    // An error is a sender that is gone, which asks for the same.
    let _ = close.wait_for(|asked| *asked).await;
}

/// Waits until the transport is dropped.
async fn dropped(close: &mut watch::Receiver<bool>) {
    while close.changed().await.is_ok() {}
}

/// Waits until the server has closed one of the pipes it is spoken to over.
async fn hang_up(tasks: &mut Tasks) {
    let Tasks { reader, writer, .. } = tasks;
    let broken = async {
        if let Some(Ok(())) = writer.await {
            // This side closed it.
            pending::<()>().await;
        }
    };
    tokio::select! {
        _ = reader => (),
        () = broken => (),
    }
}

impl From<ExitStatus> for End {
    fn from(status: ExitStatus) -> Self {
        #[cfg(unix)]
        let signal = std::os::unix::process::ExitStatusExt::signal(&status);
        #[cfg(not(unix))]
        let signal = None;
        Self { exit_code: status.code(), signal }
    }
}

/// How long a server that hung up has to exit, so that its exit code is known.
const HANG_UP: Duration = Duration::from_millis(500);
/// The longest grace of a server whose transport was dropped without being closed.
const DROPPED: Duration = Duration::from_secs(1);
/// How long the pipes of a process that has exited are read at most.
const DRAIN: Duration = Duration::from_secs(1);
