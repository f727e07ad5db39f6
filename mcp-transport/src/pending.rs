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

    #[cfg(test)]
    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn answer(text: &'static str) -> Outcome {
        Ok(Answer::new(text.as_bytes()))
    }

    /// What a waiter was told; nothing while it waits.
    fn told(waiter: &mut oneshot::Receiver<Outcome>) -> Option<String> {
        waiter.try_recv().ok().map(|outcome| match outcome {
            Ok(answer) => String::from_utf8_lossy(answer.as_bytes()).into_owned(),
            Err(error) => error.to_string(),
        })
    }

    #[test]
    fn a_request_is_settled_once() {
        let pending = Pending::default();
        let mut waiter = pending.register(1).unwrap();
        assert_eq!(told(&mut waiter), None);
        assert!(pending.resolve(1, answer("yes")));
        assert!(!pending.resolve(1, answer("no")));
        assert_eq!(told(&mut waiter), Some("yes".to_owned()));
        assert!(pending.is_empty());
    }

    #[test]
    fn nobody_waits_who_went_away() {
        let pending = Pending::default();
        let waiter = pending.register(1).unwrap();
        drop(waiter);
        assert!(!pending.resolve(1, answer("late")), "gone a moment before the answer");
        let _waiter = pending.register(1).unwrap();
        assert!(pending.forget(1));
        assert!(!pending.forget(1));
        assert!(!pending.resolve(1, answer("late")));
    }

    #[test]
    fn the_only_one_is_told_apart_from_one_of_several() {
        let pending = Pending::default();
        assert!(!pending.resolve_only(answer("to nobody")));
        let mut one = pending.register(1).unwrap();
        let two = pending.register(2).unwrap();
        assert!(!pending.resolve_only(answer("to whom?")));
        assert_eq!(pending.len(), 2);
        drop(two);
        assert!(pending.forget(2));
        assert!(pending.resolve_only(answer("to you")));
        assert_eq!(told(&mut one), Some("to you".to_owned()));
    }

    #[test]
    fn a_retired_table_fails_everybody_with_its_first_reason() {
        let pending = Pending::default();
        let mut waiters = [1, 2].map(|id| pending.register(id).unwrap());
        pending.retire(&TransportError::Protocol("first".to_owned()));
        pending.retire(&TransportError::Closed);
        for waiter in &mut waiters {
            assert_eq!(told(waiter), Some("first".to_owned()));
        }
        assert_eq!(pending.register(3).unwrap_err().to_string(), "first");
        assert!(!pending.forget(1));
    }
}
