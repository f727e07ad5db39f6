//! What is under way: where callbacks say that they ask a person, and how far a call is.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mcp_provider::{CallId, Extensions};

use crate::context::Context;
use crate::{Operation, OperationId, Progress, What};

/// The operations that are under way, for the callbacks of whatever runs them.
///
/// A deadline measures work, and a person who thinks is no work: a callback that asks one opens a
/// span, and the deadline waits until it ends.  Make one before the client or the policy whose
/// callbacks need it, and give it to [`Operations::with_in_flight`].  Clones are the same.
///
/// A callback that knows its call narrows it down with [`of`](Self::of).  One that does not holds
/// every deadline that runs.
///
/// [`Operations::with_in_flight`]: crate::Operations::with_in_flight
#[derive(Clone, Default)]
pub struct InFlight {
    flights: Arc<Mutex<Vec<Flight>>>,
    only: Option<OperationId>,
}

/// An operation that is under way, and where what happens to it is told.
#[derive(Clone)]
pub(crate) struct Flight {
    pub(crate) operation: Operation,
    pub(crate) context: Context,
}

impl InFlight {
    /// With nothing under way.
    pub fn new() -> Self {
        Self::default()
    }

    /// Only the operation whose call these extensions travel with, as a layer underneath and a
    /// client's hooks see them; all that is under way, where they name none.
    #[must_use]
    pub fn of(&self, extensions: &Extensions) -> Self {
        let only = extensions.get::<OperationId>().cloned().or_else(|| self.only.clone());
        Self { flights: Arc::clone(&self.flights), only }
    }

    /// Opens a span on all that is under way, until it is dropped: a person is asked.
    ///
    /// `request` says what about, in the events.
    pub fn ask(&self, request: impl Into<String>) -> AskSpan {
        let span = AskSpan { flights: self.snapshot(), request: request.into() };
        for Flight { operation, context } in &span.flights {
            operation.ask_begin(context.timer.now());
            context.events.tell(operation, || What::Asked { request: span.request.clone() });
        }
        span
    }

    /// Asks a person: runs `ask` with a span open.
    pub async fn during<F: Future>(&self, request: impl Into<String>, ask: F) -> F::Output {
        let _span = self.ask(request);
        ask.await
    }

    /// A callback that opens a span whenever it is called, until it has answered.
    ///
    /// ```
    /// use mcp_operations::InFlight;
    ///
    /// let in_flight = InFlight::new();
    /// let ask = in_flight.wrap("delete?", |path: String| async move { path.ends_with(".tmp") });
    /// # drop(ask(String::new()));
    /// ```
    pub fn wrap<A, F>(
        &self,
        request: impl Into<String>,
        ask: impl Fn(A) -> F + Send + Sync + 'static,
    ) -> impl Fn(A) -> Pin<Box<dyn Future<Output = F::Output> + Send>> + Send + Sync + 'static
    where
        A: 'static,
        F: Future + Send + 'static,
    {
        let (this, request) = (self.clone(), request.into());
        move |asked| {
            let span = this.ask(request.clone());
            let answer = ask(asked);
            Box::pin(async move {
                let _span = span;
                answer.await
            })
        }
    }

    /// Tells how far the call `call_id` is.  False where no such call is under way: a server may
    /// say what it likes.
    pub fn progress(&self, call_id: &CallId, progress: &Progress) -> bool {
        let mut flights = self.snapshot();
        flights.retain(|flight| flight.operation.proposal().call_id == *call_id);
        let number = |it: f64| if it.is_finite() { it } else { 0.0 };
        for Flight { operation, context } in &flights {
            context.events.tell(operation, || {
                What::Progress(Progress {
                    progress: number(progress.progress),
                    total: progress.total.filter(|it| it.is_finite()),
                    message: progress.message.clone(),
                })
            });
        }
        !flights.is_empty()
    }

    /// The operations that are under way.
    pub fn operations(&self) -> Vec<Operation> {
        self.snapshot().into_iter().map(|flight| flight.operation).collect()
    }

    /// Adds some, until what is returned is dropped.
    pub(crate) fn enter(&self, flights: Vec<Flight>) -> Entered {
        let ids = flights.iter().map(|flight| flight.operation.id().clone()).collect();
        self.flights().extend(flights);
        Entered { in_flight: self.clone(), ids }
    }

    fn snapshot(&self) -> Vec<Flight> {
        let flights = self.flights();
        let is_meant = |flight: &&Flight| match &self.only {
            None => true,
            Some(only) => only == flight.operation.id(),
        };
        flights.iter().filter(is_meant).cloned().collect()
    }

    fn flights(&self) -> MutexGuard<'_, Vec<Flight>> {
        self.flights.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A question is open; dropped, it is answered, or given up.
#[must_use = "the question ends where it is dropped"]
pub struct AskSpan {
    flights: Vec<Flight>,
    request: String,
}

impl Drop for AskSpan {
    fn drop(&mut self) {
        for Flight { operation, context } in &self.flights {
            operation.ask_end(context.timer.now());
            context.events.tell(operation, || What::Answered { request: self.request.clone() });
        }
    }
}

/// Some that are under way; dropped, they are not.
pub(crate) struct Entered {
    in_flight: InFlight,
    ids: Vec<OperationId>,
}

impl Drop for Entered {
    fn drop(&mut self) {
        let mut flights = self.in_flight.flights();
        let gone = flights.extract_if(.., |flight| self.ids.contains(flight.operation.id()));
        let gone: Vec<Flight> = gone.collect();
        drop(flights);
        // What is dropped may be somebody else's code.
        drop(gone);
    }
}

impl fmt::Debug for InFlight {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("InFlight").field(&self.operations()).finish()
    }
}

impl fmt::Debug for AskSpan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("AskSpan").field("request", &self.request).finish_non_exhaustive()
    }
}
