//! The layer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_provider::location::{InvalidToolPattern, ToolPattern};
use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, contain};

use crate::batch::Batch;
use crate::context::Context;
use crate::events::Sink;
use crate::history::History;
use crate::late::Late;
use crate::repeats::Repeats;
use crate::{
    Events, IdempotencyRules, InFlight, Journal, Operation, OperationId, RepeatGuard, Spawner,
    Timer,
};

/// A provider that knows of each call what is known about it: one [`Operation`] for each.
///
/// Calls go down one at a time, in the model's order, unless [`concurrent`](Self::concurrent) says
/// otherwise.  What came of a call is read from the [delivery](mcp_provider::Delivery) of its
/// result.  Where nobody knows, the result says so, and is no error.
///
/// Dropping a batch drops the call that is under way, which cancels it: its outcome is unknown, and
/// the calls behind it are abandoned.
pub struct Operations<P> {
    pub(crate) inner: Arc<P>,
    pub(crate) context: Context,
    pub(crate) options: Options,
}

/// What a host chose.
#[derive(Debug)]
pub(crate) struct Options {
    pub(crate) deadline: Option<Duration>,
    pub(crate) concurrent: Vec<ToolPattern>,
    pub(crate) classes: IdempotencyRules,
    pub(crate) late: Option<Late>,
    pub(crate) remembered: usize,
}

impl<P> Operations<P> {
    /// Watches the calls that `inner` gets, by the time of `timer`.
    pub fn new(inner: P, timer: impl Timer) -> Self {
        let context = Context {
            timer: Arc::new(timer),
            events: Sink::default(),
            journal: None,
            in_flight: InFlight::new(),
            history: History::default(),
            repeats: None,
        };
        let options = Options {
            deadline: None,
            concurrent: Vec::new(),
            classes: IdempotencyRules::default(),
            late: None,
            remembered: Self::REMEMBERED,
        };
        Self { inner: Arc::new(inner), context, options }
    }

    /// Sets how long a call may be worked on; by default as long as it takes.
    ///
    /// The time in which a person is asked does not count, where whoever asks says so: see
    /// [`InFlight`].  When it is over the call is dropped, which tells its server, and the model
    /// is told that the outcome is not known.  Later calls of the batch are not sent: they were
    /// planned for a world that nobody knows now.
    ///
    /// # Errors
    ///
    /// Fails where it is no time at all.
    pub fn with_deadline(mut self, deadline: Duration) -> Result<Self, InvalidDeadline> {
        if deadline.is_zero() {
            return Err(InvalidDeadline(()));
        }
        self.options.deadline = Some(deadline);
        Ok(self)
    }

    /// Lets a call that took too long go on in the background for `window` before it is dropped.
    ///
    /// An answer that comes meanwhile is recorded beside the operation, whose outcome stays as it
    /// was: see [`late_answer`](Self::late_answer).  The server is told to cancel only when the
    /// window is over, for one that was told has no answer to give.  By default there is no window.
    /// At most 64 calls go on at a time; more are dropped at once.
    #[must_use]
    pub fn with_late_answers(mut self, spawner: impl Spawner, window: Duration) -> Self {
        self.options.late = Some(Late::new(Arc::new(spawner), window));
        self
    }

    /// Sets where operations are written down; by default nowhere.
    ///
    /// A call whose line cannot be written is refused, and not sent.
    #[must_use]
    pub fn with_journal(self, journal: impl Journal + 'static) -> Self {
        self.with_shared_journal(Arc::new(journal))
    }

    /// As [`with_journal`](Self::with_journal), with one that is behind a pointer already.
    #[must_use]
    pub fn with_shared_journal(mut self, journal: Arc<dyn Journal>) -> Self {
        self.context.journal = Some(journal);
        self
    }

    /// Sets where callbacks say that they ask a person; by default a new one.
    #[must_use]
    pub fn with_in_flight(mut self, in_flight: InFlight) -> Self {
        self.context.in_flight = in_flight;
        self
    }

    /// Sets what doing a call twice would mean, tool by tool; by default nobody knows.
    #[must_use]
    pub fn with_idempotency(mut self, rules: IdempotencyRules) -> Self {
        self.options.classes = rules;
        self
    }

    /// Refuses a batch in which a call is made too often; by default none.
    #[must_use]
    pub fn with_repeat_guard(mut self, guard: RepeatGuard) -> Self {
        self.context.repeats = Some(Arc::new(Repeats::new(guard)));
        self
    }

    /// Sets how many operations are remembered; by default [`REMEMBERED`](Self::REMEMBERED).
    ///
    /// They hold their arguments, and late answers.
    #[must_use]
    pub fn remembering(mut self, operations: usize) -> Self {
        self.options.remembered = operations;
        self
    }

    /// Sets which tools may be called beside each other; by default none.
    ///
    /// Calls to them that follow each other go down as one batch, and are one wait: a deadline
    /// takes all of them.  The names may end in `*`.
    ///
    /// # Errors
    ///
    /// Fails at the first that is no pattern of tool names.
    pub fn concurrent<T: AsRef<str>>(
        mut self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidToolPattern> {
        let tools = tools.into_iter().map(|it| ToolPattern::parse(it.as_ref()));
        self.options.concurrent = tools.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Begins a new run: the [`RepeatGuard`] counts from nothing.
    pub fn begin_run(&self) {
        if let Some(repeats) = &self.context.repeats {
            repeats.clear();
        }
    }

    /// What happens from now on.  The stream holds `capacity` events, and at least one.
    pub fn events(&self, capacity: usize) -> Events {
        self.context.events.subscribe(capacity)
    }

    /// What is under way, for the callbacks that ask a person.
    pub fn in_flight(&self) -> &InFlight {
        &self.context.in_flight
    }

    /// An operation, if it is still remembered.
    pub fn operation(&self, id: &OperationId) -> Option<Operation> {
        self.context.history.get(id)
    }

    /// The operations that are remembered, in the order in which the model asked.
    ///
    /// One that is still proposed can be abandoned, where the run ends or its budget is used up:
    /// its call is not sent then.
    pub fn operations(&self) -> Vec<Operation> {
        self.context.history.list()
    }

    /// The answer to an operation that came when nobody waited any longer.
    pub fn late_answer(&self, id: &OperationId) -> Option<ToolResult> {
        self.operation(id)?.late_answer()
    }

    /// The timer.
    pub fn timer(&self) -> &dyn Timer {
        &*self.context.timer
    }

    /// The provider underneath.
    pub fn get_ref(&self) -> &P {
        &self.inner
    }

    /// Takes the layer off; a call that goes on in the background may still hold the provider.
    pub fn into_inner(self) -> Arc<P> {
        self.inner
    }

    /// How many operations are remembered, if nobody says otherwise.
    pub const REMEMBERED: usize = 100;
}

#[async_trait]
impl<P: Provider + 'static> Provider for Operations<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        contain(async { self.inner.tools_for_llm().await })
            .await
            .map_err(|panicked| ProviderError::new(format!("the tool provider {panicked}")))?
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        Batch::propose(self, calls).run().await
    }
}

impl<P: fmt::Debug> fmt::Debug for Operations<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operations")
            .field("inner", &self.inner)
            .field("options", &self.options)
            .field("in_flight", &self.context.in_flight)
            .finish_non_exhaustive()
    }
}

/// A deadline is no time at all.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the deadline is zero: no call could be answered in time; leave it out to wait for ever")]
pub struct InvalidDeadline(());
