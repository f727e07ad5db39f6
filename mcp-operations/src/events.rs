//! What happens, for whoever watches: a stream that never grows without bound.

use std::collections::VecDeque;
use std::fmt;
use std::future::poll_fn;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::task::{Context, Poll, Waker};

use mcp_provider::{CallId, ToolResult};

use crate::{Operation, OperationId, Outcome, Reason, Round};

/// Something that happened.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Event {
    /// Its number; there are no gaps between those of one [`Operations`](crate::Operations).
    pub seq: u64,
    /// The operation it is about; nothing where it is about a whole batch.
    pub subject: Option<Subject>,
    /// What happened.
    pub what: What,
}

/// The operation that an event is about.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Subject {
    /// The name of the operation.
    pub op: OperationId,
    /// The model's id of the call.
    pub call_id: CallId,
    /// The tool.
    pub tool: String,
    /// The run and the round that it belongs to.
    pub round: Round,
}

/// What happened.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum What {
    /// The call goes out: its dispatched line is written.
    Started,
    /// The server tells how far it is.
    Progress(Progress),
    /// The call was answered, or refused underneath.  There is none for a call without an answer.
    Result {
        /// What the model is shown.
        content: String,
        /// Whether it is an error.
        is_error: bool,
        /// What the operation was settled as.
        outcome: Outcome,
    },
    /// No answer comes.
    Abandoned {
        /// Why.
        reason: Reason,
        /// Whether it was handed over: its outcome is unknown then.  It did not run otherwise.
        is_dispatched: bool,
    },
    /// A person is asked, and the deadline waits.
    Asked {
        /// What about, as whoever asks calls it.
        request: String,
    },
    /// The person has answered, or went away.
    Answered {
        /// What about, as whoever asks calls it.
        request: String,
    },
    /// An answer came when nobody waited any longer.
    LateAnswer(ToolResult),
    /// The provider answered under another call's id; it was put right.
    Misfiled {
        /// The id that it answered under.
        answered: CallId,
    },
    /// A batch was refused whole, because one of its calls was made too often.
    LimitReached {
        /// The tool.
        tool: String,
        /// How often it would have been called with the same arguments.
        count: usize,
        /// How often it may be.
        most: usize,
    },
    /// The journal could not be written.
    JournalFailed {
        /// What it said.
        why: String,
    },
    /// The stream was full, and events were dropped: those whose numbers are missing.
    Missed {
        /// How many.
        count: u64,
    },
}

/// How far a call is.
#[allow(clippy::exhaustive_structs, reason = "what the protocol's notification says")]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Progress {
    /// How far.  What is no number counts as 0.
    pub progress: f64,
    /// How far there is to go.
    pub total: Option<f64>,
    /// What is being done.
    pub message: Option<String>,
}

/// The events from one moment on.
///
/// It holds a bounded number.  When it is full the oldest are dropped, and the next that is read is
/// [`What::Missed`], with the number of the first that was dropped.
pub struct Events(Arc<Queue>);

struct Queue {
    capacity: usize,
    state: Mutex<QueueState>,
}

#[derive(Default)]
struct QueueState {
    events: VecDeque<Arc<Event>>,
    /// The number of the first that was dropped, and how many were.
    missed: Option<(u64, u64)>,
    is_over: bool,
    waker: Option<Waker>,
}

impl Events {
    /// The next event; nothing once there will be no more.
    pub async fn next(&mut self) -> Option<Event> {
        poll_fn(|context| self.poll_next(context)).await
    }

    /// As [`next`](Self::next), for those who poll.
    pub fn poll_next(&mut self, context: &mut Context<'_>) -> Poll<Option<Event>> {
        let mut state = self.0.state();
        if let Some(event) = state.take() {
            return Poll::Ready(Some(event));
        }
        if state.is_over {
            return Poll::Ready(None);
        }
        let old = state.waker.replace(context.waker().clone());
        drop(state);
        drop(old);
        Poll::Pending
    }

    /// The next event, if there is one already.
    pub fn try_next(&mut self) -> Option<Event> {
        self.0.state().take()
    }
}

impl Queue {
    fn state(&self) -> MutexGuard<'_, QueueState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn push(&self, event: &Arc<Event>) -> Option<Waker> {
        let mut state = self.state();
        if state.events.len() >= self.capacity
            && let Some(oldest) = state.events.pop_front()
        {
            let (_, count) = state.missed.get_or_insert((oldest.seq, 0));
            *count += 1;
        }
        state.events.push_back(Arc::clone(event));
        state.waker.take()
    }
}

impl QueueState {
    fn take(&mut self) -> Option<Event> {
        if let Some((seq, count)) = self.missed.take() {
            return Some(Event { seq, subject: None, what: What::Missed { count } });
        }
        self.events.pop_front().map(Arc::unwrap_or_clone)
    }
}

/// Where events are told.  Clones are the same.
#[derive(Clone, Default)]
pub(crate) struct Sink(Arc<Shared>);

#[derive(Default)]
struct Shared(Mutex<SinkState>);

#[derive(Default)]
struct SinkState {
    next: u64,
    queues: Vec<Weak<Queue>>,
}

impl Sink {
    pub(crate) fn subscribe(&self, capacity: usize) -> Events {
        let queue =
            Arc::new(Queue { capacity: capacity.max(1), state: Mutex::new(QueueState::default()) });
        self.0.state().queues.push(Arc::downgrade(&queue));
        Events(queue)
    }

    pub(crate) fn tell(&self, operation: &Operation, what: impl FnOnce() -> What) {
        self.emit(Some(operation), what);
    }

    /// Tells all who watch; the event is made only if somebody does.
    pub(crate) fn emit(&self, operation: Option<&Operation>, what: impl FnOnce() -> What) {
        let mut state = self.0.state();
        state.queues.retain(|queue| queue.strong_count() > 0);
        let seq = state.next;
        state.next += 1;
        if state.queues.is_empty() {
            return;
        }
        let event = Event { seq, subject: operation.map(Subject::of), what: what() };
        let event = Arc::new(event);
        let queues = state.queues.iter().filter_map(Weak::upgrade);
        let wakers: Vec<Waker> = queues.filter_map(|queue| queue.push(&event)).collect();
        drop(state);
        // Somebody else's code.
        wakers.into_iter().for_each(Waker::wake);
    }
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, SinkState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        let queues = std::mem::take(&mut self.state().queues);
        for queue in queues.iter().filter_map(Weak::upgrade) {
            let mut state = queue.state();
            state.is_over = true;
            let waker = state.waker.take();
            drop(state);
            if let Some(waker) = waker {
                waker.wake();
            }
        }
    }
}

impl Subject {
    fn of(operation: &Operation) -> Self {
        let proposal = operation.proposal();
        Self {
            op: operation.id().clone(),
            call_id: proposal.call_id.clone(),
            tool: proposal.tool.clone(),
            round: proposal.round.clone(),
        }
    }
}

impl fmt::Debug for Events {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let state = self.0.state();
        f.debug_struct("Events").field("waiting", &state.events.len()).finish_non_exhaustive()
    }
}
