//! A connection of one message a line, over any reader and any writer.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::task::Poll;

use bytes::Bytes;
use mcp_protocol::{Inbound, InvalidMessage, RequestId, Response, cancelled};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};
use tokio::sync::Notify;

use crate::lines::{Line, Lines};
use crate::outbox::Outbox;
use crate::pending::Pending;
use crate::quote::quote;
use crate::task::Task;
use crate::truncated::truncated;
use crate::{Answer, Failure, Handler, Limits, Outgoing, TransportError};

/// The part of a connection that requests share with the tasks that read and write.
pub(crate) struct Wire {
    pending: Pending,
    outbox: Outbox,
    handler: Arc<dyn Handler>,
    is_closing: AtomicBool,
    /// How the connection ended, once it has.
    end: OnceLock<TransportError>,
    has_ended: Notify,
}

/// The tasks of a connection.  They stop when this is dropped, and then the connection is over.
#[derive(Debug)]
pub(crate) struct Tasks {
    wire: Arc<Wire>,
    /// Ends with the stream.
    pub(crate) reader: Task<()>,
    /// Ends when the outbox was closed, or when nothing can be written any more.
    pub(crate) writer: Task<io::Result<()>>,
}

impl Wire {
    /// Starts reading and writing.
    pub(crate) fn start(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
        handler: Arc<dyn Handler>,
        limits: &Limits,
    ) -> (Arc<Self>, Tasks) {
        let outbox = Outbox::new(writer, limits.outbox);
        Self::start_boxed(Box::new(reader), outbox, handler, limits.message)
    }

    fn start_boxed(
        reader: Box<dyn AsyncRead + Send + Unpin>,
        outbox: Outbox,
        handler: Arc<dyn Handler>,
        limit: usize,
    ) -> (Arc<Self>, Tasks) {
        let wire = Arc::new(Self {
            pending: Pending::default(),
            outbox,
            handler,
            is_closing: AtomicBool::new(false),
            end: OnceLock::new(),
            has_ended: Notify::new(),
        });
        let tasks = Tasks {
            wire: Arc::clone(&wire),
            reader: Task::spawn(Arc::clone(&wire).read(reader, limit)),
            writer: Task::spawn({
                let wire = Arc::clone(&wire);
                async move { wire.outbox.run().await }
            }),
        };
        (wire, tasks)
    }

    /// Sends a request and waits for its answer; dropping the future tells the server.
    pub(crate) async fn request(&self, mut request: Outgoing) -> Result<Answer, Failure> {
        let Some(id) = request.id else {
            let error = TransportError::Protocol("a request needs an id".to_owned());
            return Err(Failure::before_sending(error));
        };
        // Before the outbox has room nobody waits for an answer yet, so there is nothing to undo.
        self.outbox.room().await;
        if self.is_closing() {
            return Err(Failure::before_sending(TransportError::Closed));
        }
        let answer = self.pending.register(id).map_err(Failure::before_sending)?;
        let _waiting = Waiting { wire: self, id, is_cancellable: request.is_cancellable() };
        request.body.push(b'\n');
        // An outbox that takes nothing is that of a connection about to end: its owner says why.
        let is_sent = self.outbox.push(&request.body);
        match answer.await {
            Ok(outcome) => outcome.map_err(|error| Failure { error, is_sent }),
            Err(_) => Err(Failure { error: TransportError::Closed, is_sent }),
        }
    }

    /// Sends a message that has no answer.
    pub(crate) async fn notify(&self, mut message: Outgoing) {
        self.outbox.room().await;
        message.body.push(b'\n');
        self.outbox.push(&message.body);
    }

    /// Takes no more requests, writes out what was sent, and then tells the other end that
    /// nothing more will come.  Answers are still read.
    pub(crate) fn close_outbox(&self) {
        self.is_closing.store(true, Ordering::Release);
        self.outbox.close();
    }

    /// Ends the connection: every request fails, those that wait and those that will come.
    ///
    /// On a connection that this side is closing the end is what was asked for, and no error.
    pub(crate) fn retire(&self, error: &TransportError) {
        let error = if self.is_closing() { &TransportError::Closed } else { error };
        // What ended it first is why.
        if self.end.set(error.clone()).is_ok() {
            self.has_ended.notify_waiters();
        }
        self.pending.retire(error);
        self.outbox.abandon();
    }

    /// Waits until the connection has ended, and says how.
    pub(crate) async fn ended(&self) -> TransportError {
        loop {
            let has_ended = self.has_ended.notified();
            if let Some(error) = self.end.get() {
                return error.clone();
            }
            has_ended.await;
        }
    }

    pub(crate) fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }

    /// Whether requests are taken.
    pub(crate) fn is_open(&self) -> bool {
        !self.is_closing() && self.end.get().is_none()
    }

    async fn read(self: Arc<Self>, mut reader: Box<dyn AsyncRead + Send + Unpin>, limit: usize) {
        let mut lines = Lines::new(limit);
        // Reading fails like it ends: whoever owns the connection finds out why.
        while let Ok(1..) = reader.read_buf(lines.space()).await {
            let Some(first) = lines.next_line() else { continue };
            let Some(mut line) = lines.next_line() else {
                self.take_line(first, limit);
                continue;
            };
            // Callers that are answered together have much to say together: that is one write, and
            // nobody has to be woken for it.
            let _gathering = self.outbox.gather();
            self.take_line(first, limit);
            loop {
                self.take_line(line, limit);
                let Some(next) = lines.next_line() else { break };
                line = next;
            }
            after_the_others().await;
        }
        if let Some(line) = lines.finish() {
            self.take_line(line, limit);
        }
    }

    fn take_line(&self, line: Line, limit: usize) {
        match line {
            Line::Whole(line) => match Inbound::parse(&line) {
                Ok(Inbound::Response(response)) => self.take_response(&line, response),
                Ok(Inbound::Notification(notification)) => {
                    self.shielded(|handler| handler.notification(notification));
                }
                Ok(Inbound::Request(request)) => self.shielded(|handler| handler.request(request)),
                Ok(_) => (),
                Err(invalid) => self.drop_line(&line, &invalid),
            },
            Line::TooLong { beginning, ending, length } => {
                let reason = format!(
                    "a message of {length} bytes is longer than the limit of {limit} bytes \
                     (raise `Limits::message` to read it)"
                );
                self.drop_line(&beginning, &truncated(reason, &beginning, &ending));
            }
        }
    }

    fn take_response(&self, line: &Bytes, response: Response<'_>) {
        let outcome = match response.outcome {
            Ok(raw) => Ok(Answer::new(line.slice_ref(raw.get().as_bytes()))),
            Err(error) => Err(TransportError::Rpc(error)),
        };
        let Some(id) = response.id else {
            return self.take_anonymous(outcome);
        };
        let is_taken = id.as_own().is_some_and(|id| self.pending.resolve(id, outcome));
        if !is_taken {
            self.warn(&format!("dropped a late answer to request {id}: nobody waits for it"));
        } else if let RequestId::String(_) = id {
            self.warn(&format!("took an answer to {id} for one to the request of that number"));
        }
    }

    /// An answer whose request the server could not name belongs to the only one that waits.
    fn take_anonymous(&self, outcome: Result<Answer, TransportError>) {
        match outcome {
            Err(TransportError::Rpc(error)) => {
                let message = error.to_string();
                let error = TransportError::Unattributed(error);
                if !self.pending.resolve_only(Err(error)) {
                    self.warn(&format!("dropped an error that names no request: {message}"));
                }
            }
            _ => self.warn("dropped a result that names no request"),
        }
    }

    /// Reports a line that cannot be used, and fails the requests that it seems to answer.
    fn drop_line(&self, line: &[u8], invalid: &InvalidMessage) {
        self.warn(&format!("dropped a line of output: {invalid}: {}", quote(line)));
        for id in invalid.answers.iter().filter_map(RequestId::as_own) {
            let detail = format!("the answer cannot be used: {invalid}");
            self.pending.resolve(id, Err(TransportError::Protocol(detail)));
        }
    }

    pub(crate) fn warn(&self, warning: &str) {
        self.shielded(|handler| handler.warning(warning));
    }

    /// Calls the handler; what it does must not stop the reader.
    fn shielded(&self, call: impl FnOnce(&dyn Handler)) {
        // A panic has been reported by the panic hook, and the connection owes it nothing more.
        let _ = catch_unwind(AssertUnwindSafe(|| call(&*self.handler)));
    }
}

impl fmt::Debug for Wire {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Wire")
            .field("pending", &self.pending.len())
            .field("outbox", &self.outbox)
            .field("is_open", &self.is_open())
            .finish_non_exhaustive()
    }
}

impl Drop for Tasks {
    fn drop(&mut self) {
        // Also when a runtime takes the tasks with it: nobody may be left waiting.
        self.wire.retire(&TransportError::Closed);
    }
}

/// Waits until the tasks that are ready have had their turn.
///
/// Tokio's own way to yield binds a task to its thread, where somebody's code that blocks would
/// hold it up; so woken, it goes on wherever a thread is free.
async fn after_the_others() {
    let mut has_waited = false;
    poll_fn(|context| {
        if std::mem::replace(&mut has_waited, true) {
            return Poll::Ready(());
        }
        context.waker().wake_by_ref();
        Poll::Pending
    })
    .await;
}

/// A request that waits.  Dropped while it still does, it tells the server.
struct Waiting<'a> {
    wire: &'a Wire,
    id: u64,
    is_cancellable: bool,
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        if self.wire.pending.forget(self.id) && self.is_cancellable {
            let mut message = cancelled(self.id, "the client no longer waits for the answer");
            message.push(b'\n');
            self.wire.outbox.push(&message);
        }
    }
}

#[cfg(test)]
mod tests;
