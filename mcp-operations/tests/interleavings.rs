//! Every order of steps, and many threads at once.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Barrier;
use std::time::Duration;

use common::{Still, at, operation, proposal};
use mcp_operations::{Dispatched, Moment, Operation, Outcome, Proposal, Reason, Settlement, State};
use proptest::prelude::*;

/// What the documentation says, written down a second time and as plainly as can be.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Model {
    state: State,
    depth: u32,
    asked: u64,
    working: u64,
}

impl Model {
    const NEW: Self = Self { state: State::Proposed, depth: 0, asked: 0, working: 0 };

    /// One millisecond goes by.  `open` is the span that is not banked.
    fn tick(&mut self, open: &mut u64) {
        if self.state.is_terminal() {
            return;
        }
        if self.depth > 0 {
            *open += 1;
        } else if self.state == State::Dispatched {
            self.working += 1;
        }
    }
}

const STEPS: [&str; 5] = ["dispatch", "settle", "abandon", "ask-begin", "ask-end"];

#[test]
fn every_order_of_steps_up_to_length_8_goes_as_the_model_says() {
    // O-ST-2 to O-ST-4, O-TIME-1
    let proposal = proposal().with_id("op");
    let mut checked = 0;
    for length in 0..=8_u32 {
        for number in 0..5_usize.pow(length) {
            let steps = (0..length).map(|place| number / 5_usize.pow(place) % 5);
            check_order(&proposal, &steps.collect::<Vec<_>>());
            checked += 1;
        }
    }
    assert_eq!(checked, (5_usize.pow(9) - 1) / 4);
}

fn check_order(proposal: &Proposal, steps: &[usize]) {
    let operation = Operation::new(proposal.clone(), at(0));
    let (mut model, mut open, mut proof) = (Model::NEW, 0, None::<Dispatched>);
    let end = |model: &mut Model, open: &mut u64, state| {
        model.state = state;
        model.asked += std::mem::take(open);
        model.depth = 0;
    };
    for (index, step) in steps.iter().enumerate() {
        // A millisecond before each step.
        model.tick(&mut open);
        let now = at(index as u64 + 1);
        let (was, name) = (model.state, STEPS[*step]);
        match name {
            "dispatch" => {
                let won = operation.dispatch(now);
                assert_eq!(won.is_some(), was == State::Proposed, "{steps:?}");
                if won.is_some() {
                    model.state = State::Dispatched;
                    proof = won;
                }
            }
            // There is nothing to settle with before the dispatch.
            "settle" => {
                if let Some(proof) = &proof {
                    let outcome = Outcome::ALL[index % 3];
                    let won = proof.settle(outcome, now);
                    assert_eq!(won, was == State::Dispatched, "{steps:?}");
                    if won {
                        end(&mut model, &mut open, outcome.into());
                    }
                }
            }
            "abandon" => {
                let won = operation.abandon(Reason::CANCELLED, now);
                assert_eq!(won, was == State::Proposed, "{steps:?}");
                if won {
                    end(&mut model, &mut open, State::Abandoned);
                }
            }
            "ask-begin" => {
                operation.ask_begin(now);
                model.depth += u32::from(!was.is_terminal());
            }
            _ => {
                operation.ask_end(now);
                model.depth = model.depth.saturating_sub(1);
                if model.depth == 0 {
                    model.asked += std::mem::take(&mut open);
                }
            }
        }
        let found = Model {
            state: operation.state(),
            depth: model.depth,
            asked: operation.asked().as_millis() as u64,
            working: operation.working(now).as_millis() as u64,
        };
        assert_eq!(found, model, "{steps:?} after {name}");
        assert_eq!(operation.is_asking(), model.depth > 0, "{steps:?}");
        let can_be_known = proof.is_some();
        assert_eq!(operation.outcome().is_some(), can_be_known && was_settled(found.state));
    }
}

fn was_settled(state: State) -> bool {
    matches!(state, State::Completed | State::Failed | State::OutcomeUnknown)
}

#[test]
fn of_twenty_that_race_one_wins() {
    // O-ST-2, O-ST-3
    for _ in 0..50 {
        let (operation, barrier) = (operation(), Barrier::new(20));
        let won = race(&barrier, |_| operation.dispatch(at(1)));
        let mut proofs: Vec<Dispatched> = won.into_iter().flatten().collect();
        assert_eq!(proofs.len(), 1);
        let proof = proofs.pop().unwrap();
        let settlers = race(&barrier, |index| {
            let settlement = Settlement::from(Outcome::ALL[index % 3]).because(index.to_string());
            proof.settle(settlement, at(2)).then_some(index)
        });
        let winners: Vec<usize> = settlers.into_iter().flatten().collect();
        assert_eq!(winners.len(), 1);
        let record = operation.record(&Still::default());
        assert_eq!(record.reason, Some(winners[0].to_string().into()), "the winner's own");
        assert_eq!(record.state, Outcome::ALL[winners[0] % 3].into());
    }
}

#[test]
fn of_a_dispatch_and_an_abandonment_that_race_one_wins() {
    // O-ST-2, O-ST-4
    for _ in 0..50 {
        let (operation, barrier) = (operation(), Barrier::new(20));
        let won = race(&barrier, |index| {
            let is_dispatch = index % 2 == 0;
            operation.ask_begin(at(1));
            let is_won = if is_dispatch {
                operation.dispatch(at(1)).is_some()
            } else {
                operation.abandon(Reason::CANCELLED, at(1))
            };
            operation.ask_end(at(1));
            is_won.then_some(is_dispatch)
        });
        let winners: Vec<bool> = won.into_iter().flatten().collect();
        let state = if winners == [true] { State::Dispatched } else { State::Abandoned };
        assert_eq!((winners.len(), operation.state()), (1, state));
    }
}

/// Runs `race` on twenty threads at once.
fn race<T: Send>(barrier: &Barrier, race: impl Fn(usize) -> T + Sync) -> Vec<T> {
    std::thread::scope(|scope| {
        let start = |index| {
            let race = &race;
            scope.spawn(move || {
                barrier.wait();
                race(index)
            })
        };
        let threads: Vec<_> = (0..20).map(start).collect();
        threads.into_iter().map(|it| it.join().unwrap()).collect()
    })
}

proptest! {
    #[test]
    fn working_and_asking_never_go_down_and_never_add_up_to_more_than_there_was(
        steps in prop::collection::vec((0_u64..50, 0_usize..5), 0..30),
    ) {
        let operation = operation();
        let (mut now, mut proof) = (0, None::<Dispatched>);
        let mut before = (Duration::ZERO, Duration::ZERO);
        for (later, step) in steps {
            now += later;
            let now = at(now);
            match step {
                0 => proof = proof.or_else(|| operation.dispatch(now)),
                1 => { proof.as_ref().map(|it| it.settle(Outcome::Completed, now)); }
                2 => { operation.abandon("x", now); }
                3 => operation.ask_begin(now),
                _ => operation.ask_end(now),
            }
            let after = (operation.asked(), operation.working(now));
            prop_assert!(after.0 >= before.0 && after.1 >= before.1, "{before:?} {after:?}");
            prop_assert!(after.0 + after.1 <= now.since(Moment::default()));
            before = after;
        }
    }
}
