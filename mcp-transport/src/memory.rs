//! A connection that never leaves the process.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use tokio::io::{DuplexStream, duplex, split};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::task::{lock, spawn};
use crate::wire::{Tasks, Wire};
use crate::{
    Answer, Connect, Failure, Handler, Limits, Outgoing, ServerGone, Transport, TransportError,
};

/// A server in this process, spoken to over a pipe in memory: one message a line, as over stdio.
///
/// Closing or dropping the connection ends the server's input.  A server that does not hang up
/// then is left to itself after two seconds.
///
/// ```
/// use mcp_transport::Memory;
///
/// let server = Memory::new(|stream| {
///     // A server reads requests from `stream` and writes answers to it.
///     drop(stream);
/// });
/// ```
#[derive(Clone)]
pub struct Memory {
    serve: Arc<dyn Fn(DuplexStream) + Send + Sync>,
    limits: Limits,
}

impl Memory {
    /// A server that is given its end of the pipe at every new connection.  The closure must not
    /// block: it hands the stream to a task.
    pub fn new(serve: impl Fn(DuplexStream) + Send + Sync + 'static) -> Self {
        Self { serve: Arc::new(serve), limits: Limits::default() }
    }

    /// One connection, and the server's end of it.  A second connection ends as soon as it is
    /// made.
    pub fn pair() -> (Self, DuplexStream) {
        let (client, server) = duplex(PIPE_SIZE);
        let client = Mutex::new(Some(client));
        let serve = move |mut stream: DuplexStream| {
            if let Some(mut client) = lock(&client).take() {
                // The two ends were made before anybody connected: join them to the new ones.
                spawn(async move {
                    // A pipe that breaks is how either side hears of the other's end.
                    let _ = tokio::io::copy_bidirectional(&mut stream, &mut client).await;
                });
            }
        };
        (Self::new(serve), server)
    }

    /// How much the server may send.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }
}

impl fmt::Debug for Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Memory").field("limits", &self.limits).finish_non_exhaustive()
    }
}

#[async_trait]
impl Connect for Memory {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        let (client, server) = duplex(PIPE_SIZE);
        (self.serve)(server);
        let (reader, writer) = split(client);
        let (wire, tasks) = Wire::start(reader, writer, handler, &self.limits);
        let (close, asked) = watch::channel(false);
        let (ended, has_ended) = watch::channel(false);
        spawn(end(Arc::clone(&wire), tasks, asked, ended));
        Ok(Arc::new(MemoryTransport { wire, close, has_ended }))
    }

    fn is_local(&self) -> bool {
        true
    }
}

#[derive(Debug)]
struct MemoryTransport {
    wire: Arc<Wire>,
    /// Asks for the end of the connection, also by being dropped.
    close: watch::Sender<bool>,
    has_ended: watch::Receiver<bool>,
}

/// Waits for the server to hang up, by itself or because this side did.
async fn end(
    wire: Arc<Wire>,
    mut tasks: Tasks,
    mut asked: watch::Receiver<bool>,
    ended: watch::Sender<bool>,
) {
    let closing = async {
        // The one who would ask is gone: that asks as well.
        let _ = asked.wait_for(|asked| *asked).await;
    };
    tokio::select! {
        _ = &mut tasks.reader => (),
        () = closing => {
            wire.close_outbox();
            // A server that goes on after its input has ended is left to itself.
            let _ = timeout(GRACE, &mut tasks.reader).await;
        }
    }
    let gone = ServerGone { command: NAME.to_owned(), ..ServerGone::default() };
    wire.retire(&TransportError::ServerGone(Arc::new(gone)));
    ended.send_replace(true);
}

#[async_trait]
impl Transport for MemoryTransport {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        self.wire.request(request).await
    }

    async fn notify(&self, message: Outgoing) {
        self.wire.notify(message).await;
    }

    async fn close(&self) {
        self.wire.close_outbox();
        self.close.send_replace(true);
        // A connection that is gone without a word went with its runtime.
        let _ = self.has_ended.clone().wait_for(|ended| *ended).await;
    }

    async fn ended(&self) -> TransportError {
        self.wire.ended().await
    }

    fn is_alive(&self) -> bool {
        self.wire.is_open()
    }
}

const NAME: &str = "in-memory server";
const PIPE_SIZE: usize = 64 << 10;
const GRACE: Duration = Duration::from_secs(2);

#[cfg(test)]
mod tests;
