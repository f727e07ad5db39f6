//! What the operations of one layer share, and the steps that all of them take.

use std::sync::Arc;

use mcp_provider::{ToolResult, shield};

use crate::events::Sink;
use crate::history::History;
use crate::journal::{DispatchedLine, Journal, LateLine, Line, SettledLine};
use crate::repeats::Repeats;
use crate::{
    Dispatched, InFlight, LateRecord, Operation, Outcome, Reason, Settlement, State, Timer, What,
};

/// What the operations of one layer share.  Clones are the same.
#[derive(Clone)]
pub(crate) struct Context {
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) events: Sink,
    pub(crate) journal: Option<Arc<dyn Journal>>,
    pub(crate) in_flight: InFlight,
    pub(crate) history: History,
    pub(crate) repeats: Option<Arc<Repeats>>,
}

impl Context {
    /// Writes the dispatched line, and then dispatches.
    ///
    /// The line comes first: it claims that the call may have gone out, and so must be there before
    /// it does.  Where it cannot be written nothing goes out.
    pub(crate) fn dispatch(&self, operation: &Operation) -> Result<Dispatched, NotSent> {
        if operation.state() != State::Proposed {
            return Err(NotSent::TakenBack);
        }
        let line = || Line::Dispatched(DispatchedLine::new(operation, &*self.timer));
        self.write(operation, line).map_err(NotSent::NotWritten)?;
        operation.dispatch(self.timer.now()).ok_or_else(|| {
            // Taken back between the two: the line has to be closed again.
            let settlement = Settlement::from(Outcome::Failed).because(Reason::REFUSED);
            let line = || Line::Settled(SettledLine::of(operation, settlement, &*self.timer));
            let _ = self.write(operation, line);
            NotSent::TakenBack
        })
    }

    /// Settles, and writes the line, if nobody settled before; whether that was so.
    ///
    /// A line that cannot be written leaves the operation pending in the journal, where its outcome
    /// is unknown: less than is known here, and not wrong.
    pub(crate) fn settle(&self, dispatched: &Dispatched, settlement: Settlement) -> bool {
        let operation = dispatched.operation();
        let is_won = dispatched.settle(settlement.clone(), self.timer.now());
        if is_won {
            let line = || Line::Settled(SettledLine::of(operation, settlement, &*self.timer));
            // Told in an event; there is nobody else to tell.
            let _ = self.write(operation, line);
        }
        is_won
    }

    /// Settles as unknown: nobody waits any longer.
    pub(crate) fn give_up(&self, dispatched: &Dispatched, reason: &Reason, shown: Option<&str>) {
        let mut settlement = Settlement::unknown(reason.clone());
        settlement.result_digest = shown.map(crate::digest::digest_text);
        if self.settle(dispatched, settlement) {
            self.events.tell(dispatched.operation(), || What::Abandoned {
                reason: reason.clone(),
                is_dispatched: true,
            });
        }
    }

    /// Abandons what was never handed over, and takes it out of the count of repeats.
    pub(crate) fn abandon(&self, operation: &Operation, reason: &Reason) {
        if self.refuse(operation, reason)
            && let Some(repeats) = &self.repeats
        {
            repeats.release(operation.proposal());
        }
    }

    /// As [`abandon`](Self::abandon), of what was not counted.
    pub(crate) fn refuse(&self, operation: &Operation, reason: &Reason) -> bool {
        let is_won = operation.abandon(reason.clone(), self.timer.now());
        if is_won {
            self.events.tell(operation, || What::Abandoned {
                reason: reason.clone(),
                is_dispatched: false,
            });
        }
        is_won
    }

    /// Settles by a result that came in time, and tells.
    pub(crate) fn answer(&self, dispatched: &Dispatched, result: &ToolResult) {
        let settlement = Settlement::of(result);
        let (outcome, reason) = (settlement.outcome, settlement.reason.clone());
        if !self.settle(dispatched, settlement) {
            return;
        }
        self.events.tell(dispatched.operation(), || match outcome {
            Outcome::Completed | Outcome::Failed => {
                What::Result { content: result.content.clone(), is_error: result.is_error, outcome }
            }
            Outcome::OutcomeUnknown => {
                What::Abandoned { reason: reason.unwrap_or(Reason::NO_ANSWER), is_dispatched: true }
            }
        });
    }

    /// Records an answer that came when nobody waited any longer.
    pub(crate) fn answer_late(&self, operation: &Operation, result: ToolResult) {
        let now = self.timer.now();
        if operation.record_late_answer(result.clone(), now) {
            let _ = self.write(operation, || {
                let answer = LateRecord::new(&result, crate::record::wall(&*self.timer, now));
                Line::Late(LateLine { op: operation.id().clone(), answer })
            });
            self.events.tell(operation, || What::LateAnswer(result));
        }
    }

    /// Writes a line, if there is a journal, and tells where that fails.
    fn write(&self, operation: &Operation, line: impl FnOnce() -> Line) -> Result<(), String> {
        let Some(journal) = &self.journal else { return Ok(()) };
        let line = line();
        let why = match shield(|| journal.append(&line)) {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(error)) => chain(&error),
            Err(panicked) => panicked.to_string(),
        };
        self.events.tell(operation, || What::JournalFailed { why: why.clone() });
        Err(why)
    }
}

/// Why a call was not sent.
pub(crate) enum NotSent {
    /// Its line could not be written, and why.
    NotWritten(String),
    /// The host abandoned it in the meantime.
    TakenBack,
}

/// An error and its causes, in one line.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        text = format!("{text}: {error}");
        source = error.source();
    }
    text
}
