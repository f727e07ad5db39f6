//! Calls that nobody waits for any longer, and whose answers are still worth knowing.

use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::Poll;
use std::time::Duration;

use mcp_provider::{Delivery, shield};

use crate::context::Context;
use crate::waiting::Call;
use crate::words::filed;
use crate::{Operation, Spawner};

/// Where a call goes on after its deadline, and for how long.
#[derive(Clone)]
pub(crate) struct Late {
    spawner: Arc<dyn Spawner>,
    window: Duration,
    /// How many go on at the moment.
    detached: Arc<AtomicUsize>,
}

impl Late {
    pub(crate) fn new(spawner: Arc<dyn Spawner>, window: Duration) -> Self {
        Self { spawner, window, detached: Arc::default() }
    }

    /// Lets `call` go on in the background until the window is over; it is dropped then.
    ///
    /// It is dropped at once where too many go on already.
    pub(crate) fn detach(&self, call: Call, operations: Vec<Operation>, context: Context) {
        let Some(place) = Place::take(&self.detached) else {
            // Somebody else's code.
            let _ = shield(|| drop(call));
            return;
        };
        let mut call = call;
        let mut end = context.timer.sleep_until(context.timer.now().after(self.window));
        let task = async move {
            let _place = place;
            let results = poll_fn(|cx| match call.as_mut().poll(cx) {
                Poll::Ready(results) => Poll::Ready(Some(results)),
                Poll::Pending => end.as_mut().poll(cx).map(|()| None),
            });
            let Some(results) = results.await else { return };
            for (operation, mut result) in operations.iter().zip(results) {
                filed(&mut result, &operation.proposal().call_id);
                // A call that ends without an answer says nothing new.
                if result.delivery != Delivery::Unknown {
                    context.answer_late(operation, result);
                }
            }
        };
        // A spawner that panics has dropped the call, and what is known stays as it is.
        let _ = shield(|| self.spawner.spawn(Box::pin(task)));
    }
}

/// One of the calls that may go on.
struct Place(Arc<AtomicUsize>);

impl Place {
    fn take(detached: &Arc<AtomicUsize>) -> Option<Self> {
        let place = Self(Arc::clone(detached));
        let before = detached.fetch_add(1, Ordering::Relaxed);
        (before < MAX_DETACHED).then_some(place)
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

impl fmt::Debug for Late {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Late").field("window", &self.window).finish_non_exhaustive()
    }
}

/// How many calls of one layer go on after their deadlines.
const MAX_DETACHED: usize = 64;
