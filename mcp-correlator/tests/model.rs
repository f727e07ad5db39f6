//! Random operations, against a list that does the same slowly.

#![allow(clippy::disallowed_methods, reason = "deadlines need an instant to start from")]

use std::time::{Duration, Instant};

use mcp_correlator::{Correlator, RegisterError};
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Operation {
    Register { id: u8, deadline: Option<u64> },
    Resolve { id: u8 },
    HandleTimeout { now: u64 },
    Drain,
    Retire { reason: u8 },
}

fn operation() -> impl Strategy<Value = Operation> {
    let deadline = prop::option::of(0u64..20);
    prop_oneof![
        8 => (0u8..6, deadline).prop_map(|(id, deadline)| Operation::Register { id, deadline }),
        4 => (0u8..6).prop_map(|id| Operation::Resolve { id }),
        4 => (0u64..20).prop_map(|now| Operation::HandleTimeout { now }),
        1 => Just(Operation::Drain),
        1 => any::<u8>().prop_map(|reason| Operation::Retire { reason }),
    ]
}

/// What is pending, the oldest first: id, waiter and deadline.
#[derive(Default)]
struct Model {
    pending: Vec<(u8, usize, Option<u64>)>,
    retired: Option<u8>,
}

impl Model {
    fn register(
        &mut self,
        id: u8,
        waiter: usize,
        deadline: Option<u64>,
    ) -> Result<(), RegisterError<usize, u8>> {
        if let Some(reason) = self.retired {
            return Err(RegisterError::Retired { waiter, reason });
        }
        if self.pending.iter().any(|it| it.0 == id) {
            return Err(RegisterError::InFlight { waiter });
        }
        self.pending.push((id, waiter, deadline));
        Ok(())
    }

    fn take(&mut self, wanted: impl Fn(u8, Option<u64>) -> bool) -> Vec<(u8, usize)> {
        let (mut taken, kept): (Vec<_>, Vec<_>) =
            self.pending.drain(..).partition(|&(id, _, deadline)| wanted(id, deadline));
        self.pending = kept;
        taken.sort_by_key(|it| it.2);
        taken.into_iter().map(|(id, waiter, _)| (id, waiter)).collect()
    }
}

proptest! {
    #[test]
    fn the_table_does_what_the_list_does(operations in prop::collection::vec(operation(), 0..60)) {
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        let mut table = Correlator::new();
        let mut model = Model::default();
        for (waiter, operation) in operations.into_iter().enumerate() {
            match operation {
                Operation::Register { id, deadline } => prop_assert_eq!(
                    table.register(id, waiter, deadline.map(at)),
                    model.register(id, waiter, deadline)
                ),
                Operation::Resolve { id } => prop_assert_eq!(
                    table.resolve(&id),
                    model.take(|it, _| it == id).pop().map(|(_, waiter)| waiter)
                ),
                Operation::HandleTimeout { now } => prop_assert_eq!(
                    table.handle_timeout(at(now)),
                    model.take(|_, deadline| deadline.is_some_and(|it| it <= now))
                ),
                Operation::Drain => {
                    let all: Vec<_> = model.pending.drain(..).map(|it| (it.0, it.1)).collect();
                    prop_assert_eq!(table.drain(), all);
                }
                Operation::Retire { reason } => {
                    model.retired = model.retired.or(Some(reason));
                    let all: Vec<_> = model.pending.drain(..).map(|it| (it.0, it.1)).collect();
                    prop_assert_eq!(table.retire(reason), all);
                }
            }
            let ids: Vec<_> = model.pending.iter().map(|it| &it.0).collect();
            prop_assert_eq!(table.ids(), ids);
            prop_assert_eq!(table.len(), model.pending.len());
            prop_assert_eq!(table.is_empty(), model.pending.is_empty());
            prop_assert_eq!(table.reason(), model.retired.as_ref());
            let next = model.pending.iter().filter_map(|it| it.2).min();
            prop_assert_eq!(table.poll_timeout(), next.map(at));
        }
    }
}
