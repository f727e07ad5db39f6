//! The requests of one connection that wait for an answer.

use std::sync::Mutex;

use mcp_correlator::{Correlator, RegisterError};
use tokio::sync::oneshot;

use crate::task::lock;
use crate::{Answer, TransportError};

type Outcome = Result<Answer, TransportError>;

/// The table of waiting requests, and the end of the connection once it has come.
#[derive(Debug, Default)]
pub(crate) struct Pending(Mutex<Correlator<u64, oneshot::Sender<Outcome>, TransportError>>);

impl Pending {
    /// Waits for the answer to `id`.
    pub(crate) fn register(&self, id: u64) -> Result<oneshot::Receiver<Outcome>, TransportError> {
        let (sender, receiver) = oneshot::channel();
        match lock(&self.0).register(id, sender, None) {
            Ok(()) => Ok(receiver),
            Err(RegisterError::Retired { reason, .. }) => Err(reason),
            Err(error @ RegisterError::InFlight { .. }) => {
                Err(TransportError::Protocol(format!("request {id}: {error}")))
            }
        }
    }

    /// Settles `id`, and says whether anybody waited for it.
    pub(crate) fn resolve(&self, id: u64, outcome: Outcome) -> bool {
        let waiter = lock(&self.0).resolve(&id);
        waiter.is_some_and(|waiter| waiter.send(outcome).is_ok())
    }

    /// Settles the only request that waits; nothing where there are none or several.
    pub(crate) fn resolve_only(&self, outcome: Outcome) -> bool {
        let waiter = {
            let mut table = lock(&self.0);
            let only = match table.ids()[..] {
                [id] => Some(*id),
                _ => None,
            };
            only.and_then(|id| table.resolve(&id))
        };
        waiter.is_some_and(|waiter| waiter.send(outcome).is_ok())
    }

    /// Stops waiting for `id`, and says whether it was still waiting.
    pub(crate) fn forget(&self, id: u64) -> bool {
        lock(&self.0).resolve(&id).is_some()
    }

    /// Fails every request, those that wait and those that will come.
    pub(crate) fn retire(&self, error: &TransportError) {
        let waiters = lock(&self.0).retire(error.clone());
        for (_, waiter) in waiters {
            // Whoever has gone away needs no answer.
            let _ = waiter.send(Err(error.clone()));
        }
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.0).len()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}
