//! The state machine of one call.

use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Waker;
use std::time::Duration;

use mcp_provider::ToolResult;

use crate::clockwork::Clockwork;
use crate::digest::digest_text;
use crate::{Moment, OperationId, Outcome, Proposal, Reason, Settlement, State};

/// One call, from asked to known.  Clones are the same operation.
///
/// It goes one way: proposed, dispatched, then one of the three outcomes; or from proposed to
/// abandoned.  Each step is won by one caller, and told to the others as lost: a deadline and an
/// answer may come together, and whoever is first decides.  `now` is what the caller's clock says;
/// one that goes back counts as one that stands still.
///
/// Only a [`Dispatched`] can be settled, and only [`dispatch`](Self::dispatch) makes one, so an
/// operation that was never handed over has no outcome:
///
/// ```
/// use mcp_operations::{Moment, Operation, Outcome, Proposal, Reason, State};
/// use mcp_provider::ToolCall;
///
/// let call = ToolCall::new("call_1", "fs_write", r#"{"path": "a"}"#);
/// let operation = Operation::new(Proposal::of(&call), Moment::default());
///
/// let dispatched = operation.dispatch(Moment::default()).expect("the first who tries");
/// assert!(!operation.abandon(Reason::CANCELLED, Moment::default()), "it is on its way");
/// assert!(dispatched.settle(Outcome::Completed, Moment::default()));
/// assert!(!dispatched.settle(Outcome::OutcomeUnknown, Moment::default()), "too late");
/// assert_eq!(operation.state(), State::Completed);
/// ```
#[derive(Clone)]
pub struct Operation(Arc<Inner>);

struct Inner {
    proposal: Proposal,
    id: OperationId,
    arguments_digest: OnceLock<String>,
    life: Mutex<Life>,
}

/// What changes.
struct Life {
    state: State,
    times: Clockwork,
    settlement: Settlement,
    late: Option<Late>,
    /// Who waits for a question to end.
    waker: Option<Waker>,
}

/// An answer that came after nobody waited any longer.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Late {
    pub(crate) result: ToolResult,
    pub(crate) at: Moment,
}

impl Operation {
    /// An operation that was proposed now.
    pub fn new(proposal: Proposal, now: Moment) -> Self {
        let id = proposal.id.clone().filter(|id| !id.as_str().is_empty());
        let id = id.unwrap_or_else(OperationId::random);
        let arguments_digest = OnceLock::new();
        let life = Life {
            state: State::Proposed,
            times: Clockwork::new(now),
            settlement: Settlement::default(),
            late: None,
            waker: None,
        };
        Self(Arc::new(Inner { proposal, id, arguments_digest, life: Mutex::new(life) }))
    }

    /// Hands it over: from proposed to dispatched.  Nothing, for whoever is not the first.
    pub fn dispatch(&self, now: Moment) -> Option<Dispatched> {
        let mut life = self.life();
        if life.state != State::Proposed {
            return None;
        }
        life.state = State::Dispatched;
        life.times.dispatch(now);
        Some(Dispatched(self.clone()))
    }

    /// Gives it up: from proposed to abandoned.  False where it was handed over, or has ended.
    pub fn abandon(&self, reason: impl Into<Reason>, now: Moment) -> bool {
        let mut life = self.life();
        if life.state != State::Proposed {
            return false;
        }
        life.state = State::Abandoned;
        life.settlement.reason = Some(reason.into());
        life.times.end(now);
        true
    }

    /// A question to a person begins; work stands still until it ends.  Questions nest.
    ///
    /// After the end of the operation it does nothing.
    pub fn ask_begin(&self, now: Moment) {
        self.life().times.ask_begin(now);
    }

    /// A question ends.  One end too many does nothing.
    pub fn ask_end(&self, now: Moment) {
        let mut life = self.life();
        let waker = if life.times.ask_end(now) { life.waker.take() } else { None };
        drop(life);
        // Somebody else's code.
        if let Some(waker) = waker {
            waker.wake();
        }
    }

    /// Its name.
    pub fn id(&self) -> &OperationId {
        &self.0.id
    }

    /// What was proposed.
    pub fn proposal(&self) -> &Proposal {
        &self.0.proposal
    }

    /// The digest of the canonical arguments, as of a text: see [`digest`](crate::digest()).
    pub fn arguments_digest(&self) -> &str {
        let proposal = &self.0.proposal;
        self.0.arguments_digest.get_or_init(|| digest_text(&proposal.arguments))
    }

    /// Where it stands.
    pub fn state(&self) -> State {
        self.life().state
    }

    /// What came of it; nothing while it is not settled, and for an abandoned one.
    pub fn outcome(&self) -> Option<Outcome> {
        self.state().outcome()
    }

    /// Whether a question is open.
    pub fn is_asking(&self) -> bool {
        self.life().times.is_asking()
    }

    /// How long questions were open, in those spans that are over.
    pub fn asked(&self) -> Duration {
        self.life().times.asked()
    }

    /// How long it has been worked on since the dispatch, questions apart.  It stops at the end.
    pub fn working(&self, now: Moment) -> Duration {
        self.life().times.working(now)
    }

    /// How long it took from the dispatch to the end, questions included.
    pub fn duration(&self) -> Option<Duration> {
        self.life().times.duration()
    }

    /// The answer that came after the outcome had been settled as unknown.
    pub fn late_answer(&self) -> Option<ToolResult> {
        self.life().late.as_ref().map(|late| late.result.clone())
    }

    /// Records an answer beside an unknown outcome, which stays unknown.
    ///
    /// False where the outcome is another, or one was recorded before.
    pub fn record_late_answer(&self, result: ToolResult, now: Moment) -> bool {
        let mut life = self.life();
        let is_first = life.state == State::OutcomeUnknown && life.late.is_none();
        if is_first {
            life.late = Some(Late { result, at: now });
        }
        is_first
    }

    /// All that changes, of one moment.
    pub(crate) fn snapshot(&self) -> Snapshot {
        let life = self.life();
        Snapshot {
            state: life.state,
            times: life.times,
            settlement: life.settlement.clone(),
            late: life.late.clone(),
        }
    }

    /// Has `waker` woken when the outermost question ends; whether one is open.
    pub(crate) fn wake_after_asking(&self, waker: &Waker) -> bool {
        let mut life = self.life();
        let (waker, is_asking) = (waker.clone(), life.times.is_asking());
        let old = life.waker.replace(waker);
        drop(life);
        drop(old);
        is_asking
    }

    fn settle(&self, settlement: Settlement, outcome: Outcome, now: Moment) -> bool {
        let mut life = self.life();
        if life.state != State::Dispatched {
            return false;
        }
        life.state = outcome.into();
        life.times.end(now);
        life.settlement = settlement;
        let waker = life.waker.take();
        drop(life);
        drop(waker);
        true
    }

    fn life(&self) -> MutexGuard<'_, Life> {
        self.0.life.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An operation that was handed over, and so can be settled.  Clones are the same operation.
#[derive(Clone)]
pub struct Dispatched(Operation);

impl Dispatched {
    /// Settles it.  False where somebody else did before: the first answer stands.
    pub fn settle(&self, settlement: impl Into<Settlement>, now: Moment) -> bool {
        let settlement = settlement.into();
        let outcome = settlement.outcome;
        self.0.settle(settlement, outcome, now)
    }

    /// The operation.
    pub fn operation(&self) -> &Operation {
        &self.0
    }
}

/// What changes of an operation, as it was at one moment.
pub(crate) struct Snapshot {
    pub(crate) state: State,
    pub(crate) times: Clockwork,
    pub(crate) settlement: Settlement,
    pub(crate) late: Option<Late>,
}

impl fmt::Debug for Operation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Operation")
            .field("id", self.id())
            .field("call", &self.proposal().call_id)
            .field("tool", &self.proposal().tool)
            .field("state", &self.state())
            .finish_non_exhaustive()
    }
}

impl fmt::Debug for Dispatched {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Dispatched").field(&self.0).finish()
    }
}
