//! Waiting for an answer, as long as it is worked on.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{self, Poll};
use std::time::Duration;

use mcp_provider::ToolResult;

use crate::{Moment, Operation, Sleep, Timer};

/// A call that went out.
pub(crate) type Call = Pin<Box<dyn Future<Output = Vec<ToolResult>> + Send>>;

/// How waiting ended.
pub(crate) enum Waited {
    Answered(Vec<ToolResult>),
    /// The call, which nobody waits for any longer.
    Expired(Call),
}

/// Waits for a call until it is answered, or one of its operations was worked on for too long.
///
/// An answer that comes at the same instant as the deadline wins.  Dropped, it drops the call.
pub(crate) struct Waiting {
    /// Until it is answered or given out.
    call: Option<Call>,
    operations: Vec<Operation>,
    deadline: Option<Duration>,
    timer: Arc<dyn Timer>,
    /// The alarm that is set, and for when.
    alarm: Option<(Moment, Sleep)>,
}

impl Waiting {
    pub(crate) fn new(
        call: Call,
        operations: Vec<Operation>,
        deadline: Option<Duration>,
        timer: Arc<dyn Timer>,
    ) -> Self {
        Self { call: Some(call), operations, deadline, timer, alarm: None }
    }

    /// Whether the deadline has passed; if not, whoever polls is woken when that may be.
    fn has_expired(&mut self, deadline: Duration, context: &mut task::Context<'_>) -> bool {
        loop {
            let (mut is_over, mut next) = (false, None::<Moment>);
            for operation in &self.operations {
                // Before the clock is read: a question that ends from here on wakes.
                let is_asking = operation.wake_after_asking(context.waker());
                let now = self.timer.now();
                let working = operation.working(now);
                is_over |= working >= deadline;
                if !is_asking {
                    let end = now.after(deadline.saturating_sub(working));
                    next = Some(next.map_or(end, |next| next.min(end)));
                }
            }
            if is_over {
                return true;
            }
            if !self.has_rung(next, context) {
                return false;
            }
        }
    }

    /// Sets the alarm for this moment, if it is not; whether it has gone off.
    fn has_rung(&mut self, until: Option<Moment>, context: &mut task::Context<'_>) -> bool {
        self.alarm = match (until, self.alarm.take()) {
            (None, _) => return false,
            (Some(until), Some((set, sleep))) if set == until => Some((set, sleep)),
            (Some(until), _) => Some((until, self.timer.sleep_until(until))),
        };
        let rung = self.alarm.as_mut().is_some_and(|(_, it)| it.as_mut().poll(context).is_ready());
        if rung {
            self.alarm = None;
        }
        rung
    }
}

impl Future for Waiting {
    type Output = Waited;

    fn poll(mut self: Pin<&mut Self>, context: &mut task::Context<'_>) -> Poll<Waited> {
        let Some(call) = &mut self.call else { return Poll::Pending };
        if let Poll::Ready(results) = call.as_mut().poll(context) {
            self.call = None;
            return Poll::Ready(Waited::Answered(results));
        }
        let is_over = match self.deadline {
            Some(deadline) => self.has_expired(deadline, context),
            None => false,
        };
        match self.call.take() {
            Some(call) if is_over => Poll::Ready(Waited::Expired(call)),
            call => {
                self.call = call;
                Poll::Pending
            }
        }
    }
}
