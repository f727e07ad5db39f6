//! A server that runs as a child process and speaks over its standard streams.

mod child;
mod settings;
mod stderr;
mod supervisor;

use std::sync::Arc;

use async_trait::async_trait;
use tokio::sync::watch;

pub use crate::stdio::settings::Stdio;
use crate::stdio::stderr::Tail;
use crate::stdio::supervisor::{End, Supervisor};
use crate::task::spawn;
use crate::wire::Wire;
use crate::{Answer, Failure, Handler, Outgoing, Transport, TransportError};

/// A running server and the connection to it.
///
/// Dropping it ends the server as [`close`](Transport::close) does, in the background and with a
/// grace of one second at most; if the runtime ends first, the process group is killed at once.
#[derive(Debug)]
pub struct StdioTransport {
    wire: Arc<Wire>,
    stderr: Arc<Tail>,
    pid: Option<u32>,
    /// Asks the supervisor to end the server, also by being dropped.
    close: watch::Sender<bool>,
    /// How the process ended, once it has.
    end: watch::Receiver<Option<End>>,
}

impl StdioTransport {
    /// Starts the server.
    ///
    /// # Errors
    ///
    /// Fails when a setting cannot be used, or the system does not start the command.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime whose IO and time are enabled.
    pub fn spawn(settings: &Stdio, handler: Arc<dyn Handler>) -> Result<Self, TransportError> {
        let supervisor = Supervisor::start(settings, handler)?;
        let (wire, stderr) = (Arc::clone(supervisor.wire()), Arc::clone(supervisor.stderr()));
        let pid = supervisor.pid();
        let (close, asked) = watch::channel(false);
        let (ended, end) = watch::channel(None);
        spawn(supervisor.run(asked, ended));
        Ok(Self { wire, stderr, pid, close, end })
    }

    /// The id of the server's process, which on Unix is also that of its process group.
    pub fn pid(&self) -> Option<u32> {
        self.pid
    }

    /// The exit code; nothing while the process runs, or if a signal ended it.
    pub fn exit_code(&self) -> Option<i32> {
        self.end.borrow().and_then(|end| end.exit_code)
    }

    /// The signal that ended the process, if one did.
    pub fn signal(&self) -> Option<i32> {
        self.end.borrow().and_then(|end| end.signal)
    }
}

#[async_trait]
impl Transport for StdioTransport {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        self.wire.request(request).await
    }

    async fn notify(&self, message: Outgoing) {
        self.wire.notify(message).await;
    }

    async fn close(&self) {
        self.wire.close_outbox();
        self.close.send_replace(true);
        // A supervisor that is gone without a word went with its runtime.
        let _ = self.end.clone().wait_for(Option::is_some).await;
    }

    async fn ended(&self) -> TransportError {
        self.wire.ended().await
    }

    fn is_alive(&self) -> bool {
        self.wire.is_open()
    }

    fn stderr_tail(&self) -> String {
        self.stderr.text()
    }
}
