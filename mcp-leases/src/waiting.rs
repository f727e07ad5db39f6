//! Waiting for one's turn.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use crate::{Claimed, Look, Moment, Sleep, Table, WaiterId};

/// A claim that waits; it completes when it is settled.
///
/// Dropped before that, it leaves the queue, and gives back what it got and never heard of.
#[must_use = "it leaves the queue where it is dropped"]
pub struct Waiting {
    turn: Turn,
    is_over: bool,
}

impl Waiting {
    pub(crate) fn new(table: Table, waiter: WaiterId) -> Self {
        Self { turn: Turn::new(table, waiter), is_over: false }
    }

    /// The number of the claim in the queue.
    pub fn id(&self) -> WaiterId {
        self.turn.waiter
    }
}

impl Future for Waiting {
    type Output = Claimed;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Claimed> {
        let poll = Pin::new(&mut self.turn).poll(context);
        self.is_over |= poll.is_ready();
        poll
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        if !self.is_over {
            self.turn.table.leave(self.turn.waiter);
        }
    }
}

impl fmt::Debug for Waiting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Waiting").field(&self.id()).finish()
    }
}

/// Completes when a claim is settled; dropped, it leaves the claim where it is.
pub(crate) struct Turn {
    table: Table,
    waiter: WaiterId,
    /// The alarm that is set, and for when.
    alarm: Option<(Moment, Sleep)>,
}

impl Turn {
    pub(crate) fn new(table: Table, waiter: WaiterId) -> Self {
        Self { table, waiter, alarm: None }
    }

    /// Sets the alarm for this moment, if it is not; whether it has gone off.
    fn has_rung(&mut self, until: Option<Moment>, context: &mut Context<'_>) -> bool {
        self.alarm = match (until, self.alarm.take()) {
            (None, _) => return false,
            (Some(until), Some((set, sleep))) if set == until => Some((set, sleep)),
            (Some(until), _) => Some((until, self.table.timer().sleep_until(until))),
        };
        let rung = self.alarm.as_mut().is_some_and(|(_, it)| it.as_mut().poll(context).is_ready());
        if rung {
            self.alarm = None;
        }
        rung
    }
}

impl Future for Turn {
    type Output = Claimed;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Claimed> {
        loop {
            match self.table.look(self.waiter, context.waker().clone()) {
                Look::Settled(claimed) => return Poll::Ready(claimed),
                Look::Waiting { until } => {
                    if !self.has_rung(until, context) {
                        return Poll::Pending;
                    }
                }
            }
        }
    }
}
