//! One question at a time: there is one human.
//!
//! A queue in the order of arrival, without a runtime: whoever waits leaves a waker, and whoever
//! is done wakes the next.

use std::cell::RefCell;
use std::collections::VecDeque;
use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll, Waker};

use mcp_provider::Extensions;

/// Lets one question through at a time, in the order in which they come.
///
/// A clone is the same lock: policies that share a human share one.
#[derive(Clone, Default)]
pub struct QuestionLock(Arc<Mutex<Queue>>);

#[derive(Default)]
struct Queue {
    /// Whose turn it is.
    holder: Option<u64>,
    /// Who waits, in order.
    waiting: VecDeque<(u64, Waker)>,
    next: u64,
}

impl QuestionLock {
    /// A lock that nobody holds.
    pub fn new() -> Self {
        Self::default()
    }

    /// How many questions wait for their turn.
    pub fn waiting(&self) -> usize {
        self.queue().waiting.len()
    }

    /// Waits for a turn.  Dropped, it leaves the queue.
    pub(crate) fn acquire(&self) -> Acquire<'_> {
        Acquire { lock: self, ticket: None }
    }

    /// Whether the code that runs now is part of a question that holds this lock.
    pub(crate) fn is_asking_here(&self) -> bool {
        ASKING.with_borrow(|asking| asking.contains(&self.address()))
    }

    /// Runs `question` as part of a question that holds this lock.
    pub(crate) fn asking<F: Future>(&self, question: F) -> Asking<F> {
        Asking { address: self.address(), question: Box::pin(question) }
    }

    /// Whether the two are one lock.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }

    fn address(&self) -> usize {
        Arc::as_ptr(&self.0).addr()
    }

    fn queue(&self) -> MutexGuard<'_, Queue> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Gives the turn of `ticket`, or its place in the queue, back.
    fn release(&self, ticket: u64) {
        // A waker is somebody else's code: it is woken and dropped outside the lock.
        let (_left, next) = {
            let mut queue = self.queue();
            let place = queue.waiting.iter().position(|(waiter, _)| *waiter == ticket);
            let left = place.and_then(|it| queue.waiting.remove(it));
            let next = if queue.holder == Some(ticket) { queue.waiting.pop_front() } else { None };
            if queue.holder == Some(ticket) {
                queue.holder = next.as_ref().map(|(waiter, _)| *waiter);
            }
            (left, next)
        };
        if let Some((_, waker)) = next {
            waker.wake();
        }
    }
}

impl fmt::Debug for QuestionLock {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let queue = self.queue();
        f.debug_struct("QuestionLock")
            .field("is_held", &queue.holder.is_some())
            .field("waiting", &queue.waiting.len())
            .finish()
    }
}

/// A turn that is waited for.
pub(crate) struct Acquire<'l> {
    lock: &'l QuestionLock,
    ticket: Option<u64>,
}

impl<'l> Future for Acquire<'l> {
    type Output = Turn<'l>;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Turn<'l>> {
        let lock = self.lock;
        let mut waker = context.waker().clone();
        let mut queue = lock.queue();
        let ticket = *self.ticket.get_or_insert_with(|| {
            queue.next += 1;
            queue.next
        });
        if queue.holder.is_none() {
            queue.holder = Some(ticket);
        }
        if queue.holder == Some(ticket) {
            drop(queue);
            self.ticket = None;
            return Poll::Ready(Turn { lock, ticket });
        }
        match queue.waiting.iter_mut().find(|(waiter, _)| *waiter == ticket) {
            Some((_, old)) => std::mem::swap(old, &mut waker),
            None => queue.waiting.push_back((ticket, waker.clone())),
        }
        drop(queue);
        Poll::Pending
    }
}

impl Drop for Acquire<'_> {
    fn drop(&mut self) {
        if let Some(ticket) = self.ticket {
            self.lock.release(ticket);
        }
    }
}

/// The turn of one question; dropped, it is the next one's.
pub(crate) struct Turn<'l> {
    lock: &'l QuestionLock,
    ticket: u64,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.lock.release(self.ticket);
    }
}

/// A mark on the call that a question is about: made again while the question is open, with what
/// travels with it, it would wait for itself.
#[derive(Clone, Debug)]
pub(crate) struct AskedAbout(Vec<QuestionLock>);

impl AskedAbout {
    /// Adds the mark of `lock`, beside those of questions that this one is part of.
    pub(crate) fn mark(extensions: &mut Extensions, lock: &QuestionLock) {
        let mut locks = extensions.get::<Self>().map(|it| it.0.clone()).unwrap_or_default();
        locks.push(lock.clone());
        extensions.insert(Self(locks));
    }

    /// Whether the mark of `lock` is there.
    pub(crate) fn is_on(extensions: &Extensions, lock: &QuestionLock) -> bool {
        extensions.get::<Self>().is_some_and(|it| it.0.iter().any(|it| it.is_same(lock)))
    }
}

thread_local! {
    /// The locks whose questions are being polled on this thread, outermost first.
    static ASKING: RefCell<Vec<usize>> = const { RefCell::new(Vec::new()) };
}

/// A future that is known, while it is polled, to be part of a question.
pub(crate) struct Asking<F> {
    address: usize,
    question: Pin<Box<F>>,
}

impl<F: Future> Future for Asking<F> {
    type Output = F::Output;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<F::Output> {
        /// Takes the mark off also where the poll panics.
        struct Mark;
        impl Drop for Mark {
            fn drop(&mut self) {
                ASKING.with_borrow_mut(Vec::pop);
            }
        }
        ASKING.with_borrow_mut(|asking| asking.push(self.address));
        let _mark = Mark;
        self.question.as_mut().poll(context)
    }
}
