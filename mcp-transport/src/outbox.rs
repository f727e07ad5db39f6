//! Messages on their way out, written by whoever is there first.

use std::fmt;
use std::future::poll_fn;
use std::io;
use std::pin::Pin;
use std::sync::Mutex;
use std::task::{Context, Poll, Waker, ready};

use bytes::{Buf, BytesMut};
use tokio::io::AsyncWrite;
use tokio::sync::Notify;

use crate::task::lock;

/// The writing half of a connection.
///
/// A caller writes its message itself, at once and without waiting: a pipe nearly always has room.
/// Whatever does not fit gathers in a queue that one task writes out, many messages at a time; so
/// do the messages of callers that were answered together, which the reader writes as soon as all
/// of them had their turn.  No caller ever waits in the middle of a message, so none can be dropped
/// there.
pub(crate) struct Outbox {
    state: Mutex<State>,
    room: Notify,
    limit: usize,
}

struct State {
    /// Gone once everything is over.
    writer: Option<Box<dyn AsyncWrite + Send + Unpin>>,
    queue: BytesMut,
    /// Somebody writes the queue out in a moment, so nobody has to do it now.
    is_gathering: bool,
    is_closing: bool,
    /// The task that writes, when it has nothing to do.
    task: Option<Waker>,
}

impl Outbox {
    pub(crate) fn new(writer: impl AsyncWrite + Send + Unpin + 'static, limit: usize) -> Self {
        let state = State {
            writer: Some(Box::new(writer)),
            queue: BytesMut::new(),
            is_gathering: false,
            is_closing: false,
            task: None,
        };
        Self { state: Mutex::new(state), room: Notify::new(), limit }
    }

    /// Waits until less is queued than may be, or nothing is taken any more.
    pub(crate) async fn room(&self) {
        loop {
            let room = self.room.notified();
            if lock(&self.state).has_room(self.limit) {
                return;
            }
            room.await;
        }
    }

    /// Sends `message`, which ends in a line end, and says whether it could be taken.
    pub(crate) fn push(&self, message: &[u8]) -> bool {
        let waker = {
            let mut state = lock(&self.state);
            if state.is_closing || state.writer.is_none() {
                return false;
            }
            if state.is_gathering {
                state.queue.extend_from_slice(message);
                return true;
            }
            let written = if state.queue.is_empty() { state.write_now(message) } else { 0 };
            if written == message.len() {
                return true;
            }
            state.queue.extend_from_slice(&message[written..]);
            state.task.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        true
    }

    /// Keeps what is pushed from now on, to be written in one piece when this is dropped.
    pub(crate) fn gather(&self) -> Gathering<'_> {
        lock(&self.state).is_gathering = true;
        Gathering(self)
    }

    /// Takes nothing more, and closes the writer as soon as everything that was pushed is written.
    pub(crate) fn close(&self) {
        self.stop(|state| state.is_closing = true);
    }

    /// Closes the writer at once, whatever still waits to be written.
    pub(crate) fn abandon(&self) {
        self.stop(State::end);
    }

    fn stop(&self, how: impl FnOnce(&mut State)) {
        let waker = {
            let mut state = lock(&self.state);
            how(&mut state);
            state.task.take()
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        self.room.notify_waiters();
    }

    /// Writes whatever is pushed, until the outbox is closed.
    ///
    /// # Errors
    ///
    /// Fails when the other end takes nothing any more.
    pub(crate) async fn run(&self) -> io::Result<()> {
        poll_fn(|context| {
            let poll = lock(&self.state).poll(context);
            // Also after a failure: whoever waits for room must see that it is over.
            self.room.notify_waiters();
            poll
        })
        .await
    }
}

/// Messages gather until this is dropped.
pub(crate) struct Gathering<'a>(&'a Outbox);

impl Drop for Gathering<'_> {
    fn drop(&mut self) {
        let waker = {
            let mut state = lock(&self.0.state);
            state.is_gathering = false;
            let queue = std::mem::take(&mut state.queue);
            let written = if queue.is_empty() { 0 } else { state.write_now(&queue) };
            if written == queue.len() {
                None
            } else {
                state.queue = queue;
                state.queue.advance(written);
                state.task.take()
            }
        };
        if let Some(waker) = waker {
            waker.wake();
        }
        self.0.room.notify_waiters();
    }
}

impl State {
    fn has_room(&self, limit: usize) -> bool {
        // An empty queue takes any message, or one above the limit could never leave.
        self.queue.is_empty() || self.queue.len() < limit || self.is_closing
    }

    /// Writes as much of `message` as the other end takes at this moment.
    fn write_now(&mut self, message: &[u8]) -> usize {
        let Some(writer) = &mut self.writer else { return 0 };
        let mut context = Context::from_waker(Waker::noop());
        match Pin::new(writer).poll_write(&mut context, message) {
            Poll::Ready(Ok(written)) => written,
            // The task that writes will meet the error again, and report it.
            Poll::Ready(Err(_)) | Poll::Pending => 0,
        }
    }

    fn poll(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        let poll = self.poll_write(context);
        if poll.is_pending() {
            self.task = Some(context.waker().clone());
        } else {
            self.end();
        }
        poll
    }

    fn poll_write(&mut self, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        while let Some(writer) = self.writer.as_mut().map(Pin::new) {
            if self.queue.is_empty() {
                // What a burst needed is not kept.
                self.queue = BytesMut::new();
                return if self.is_closing { writer.poll_shutdown(context) } else { Poll::Pending };
            }
            match ready!(writer.poll_write(context, &self.queue))? {
                // A writer that takes nothing takes nothing ever again.
                0 => return Poll::Ready(Err(io::ErrorKind::WriteZero.into())),
                written => self.queue.advance(written),
            }
        }
        Poll::Ready(Ok(()))
    }

    fn end(&mut self) {
        self.writer = None;
        self.queue = BytesMut::new();
    }
}

impl fmt::Debug for Outbox {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = lock(&self.state);
        f.debug_struct("Outbox")
            .field("queued", &state.queue.len())
            .field("is_open", &state.writer.is_some())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests;
