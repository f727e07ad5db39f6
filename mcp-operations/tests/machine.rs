//! The state machine of one operation.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Still, at, call, ms, operation, proposal};
use mcp_operations::{
    Dispatched, Idempotency, Operation, Outcome, Proposal, Reason, Record, Round, Settlement, State,
};
use mcp_provider::ToolResult;
use serde_json::json;

/// An operation in each state, and what can settle it, if it was dispatched.
fn in_every_state() -> Vec<(State, Operation, Option<Dispatched>)> {
    let dispatched = |outcome: Option<Outcome>| {
        let operation = operation();
        let dispatched = operation.dispatch(at(1)).unwrap();
        if let Some(outcome) = outcome {
            assert!(dispatched.settle(outcome, at(2)));
        }
        (operation.state(), operation, Some(dispatched))
    };
    let abandoned = operation();
    assert!(abandoned.abandon(Reason::CANCELLED, at(1)));
    vec![
        (State::Proposed, operation(), None),
        dispatched(None),
        dispatched(Some(Outcome::Completed)),
        dispatched(Some(Outcome::Failed)),
        dispatched(Some(Outcome::OutcomeUnknown)),
        (State::Abandoned, abandoned, None),
    ]
}

#[test]
fn the_states_are_the_six() {
    // O-ST-1
    let found: Vec<State> = in_every_state().into_iter().map(|(state, ..)| state).collect();
    assert_eq!(found, State::ALL);
    let names = json!(State::ALL);
    let expected =
        ["proposed", "dispatched", "completed", "failed", "outcome-unknown", "abandoned"];
    assert_eq!(names, json!(expected));
    assert_eq!(json!(Outcome::ALL), json!(["completed", "failed", "outcome-unknown"]));
    let classes = json!(["read-only", "idempotent", "destructive", "unknown"]);
    assert_eq!(json!(Idempotency::ALL), classes);
    for state in State::ALL {
        let is_open = matches!(state, State::Proposed | State::Dispatched);
        assert_eq!(state.is_terminal(), !is_open, "{state:?}");
    }
}

#[test]
fn only_a_proposed_operation_is_dispatched() {
    // O-ST-2
    for (state, operation, _) in in_every_state() {
        let is_proposed = state == State::Proposed;
        assert_eq!(operation.dispatch(at(5)).is_some(), is_proposed, "{state:?}");
        assert!(operation.dispatch(at(6)).is_none(), "{state:?}, again");
        assert_eq!(
            operation.state() == State::Dispatched,
            is_proposed || state == State::Dispatched
        );
    }
}

#[test]
fn only_a_dispatched_operation_is_settled_and_the_first_answer_stands() {
    // O-ST-3
    for outcome in Outcome::ALL {
        for (state, operation, dispatched) in in_every_state() {
            // Without one there is nothing to settle with: the type rules it out.
            let Some(dispatched) = dispatched else { continue };
            let settlement = Settlement::from(outcome).because("mine");
            let is_won = state == State::Dispatched;
            assert_eq!(dispatched.settle(settlement, at(9)), is_won, "{state:?} {outcome:?}");
            let expected = if is_won { Some(outcome) } else { state.outcome() };
            assert_eq!(operation.outcome(), expected, "{state:?} {outcome:?}");
            assert!(!dispatched.settle(Outcome::Completed, at(10)));
            assert_eq!(operation.outcome(), expected);
            let reason = operation.record(&Still::default()).reason;
            assert_eq!(reason.is_some(), is_won, "{state:?}: the winner's reason");
        }
    }
}

#[test]
fn only_a_proposed_operation_is_abandoned() {
    // O-ST-4
    for (state, operation, _) in in_every_state() {
        let is_proposed = state == State::Proposed;
        assert_eq!(operation.abandon("mine", at(5)), is_proposed, "{state:?}");
        assert!(!operation.abandon("again", at(6)), "{state:?}");
        let record = operation.record(&Still::default());
        assert_eq!(record.reason == Some("mine".into()), is_proposed, "{state:?}");
        assert_eq!(operation.state(), if is_proposed { State::Abandoned } else { state });
        assert_eq!(operation.duration().is_none(), operation.outcome().is_none(), "{state:?}");
    }
}

#[test]
fn an_operation_always_has_a_name() {
    // O-ST-5
    for given in [None, Some("")] {
        let mut proposal = proposal();
        proposal.id = given.map(Into::into);
        let operation = Operation::new(proposal.clone(), at(0));
        assert_eq!(operation.id().as_str().len(), 36, "{given:?}");
        assert_ne!(operation.id(), Operation::new(proposal, at(0)).id());
    }
    assert_eq!(Operation::new(proposal().with_id("op-7"), at(0)).id().as_str(), "op-7");
}

#[test]
fn a_call_without_a_tool_is_an_operation_too() {
    let operation = Operation::new(Proposal::of(&call("", "", "")), at(0));
    assert_eq!(operation.state(), State::Proposed);
    assert_eq!(operation.proposal().signature(), "\0{}");
}

/// What a clock should say, in milliseconds, after these steps at these times.
#[test]
fn time_in_which_a_person_is_asked_is_no_work() {
    // O-TIME-1
    // The steps: d(ispatch), s(ettle), b(egin), e(nd).
    type Case = (&'static [(u64, char)], u64, u64, u64);
    let cases: &[Case] = &[
        // steps, now, asked, working
        (&[], 50, 0, 0),
        (&[(10, 'd')], 50, 0, 40),
        (&[(10, 'd'), (20, 'b')], 50, 0, 10),
        (&[(10, 'd'), (20, 'b'), (45, 'e')], 50, 25, 15),
        // Nested: banked when the outermost ends.
        (&[(10, 'd'), (20, 'b'), (25, 'b'), (30, 'e')], 50, 0, 10),
        (&[(10, 'd'), (20, 'b'), (25, 'b'), (30, 'e'), (45, 'e')], 50, 25, 15),
        // One end too many.
        (&[(10, 'd'), (15, 'e'), (20, 'b'), (30, 'e'), (31, 'e'), (40, 'b')], 50, 10, 20),
        // Settled with a question open: it ends then, and the clock stands still.
        (&[(10, 'd'), (20, 'b'), (30, 'b'), (40, 's')], 90, 20, 10),
        (&[(10, 'd'), (20, 's')], 90, 0, 10),
        // After the end no question begins.
        (&[(10, 'd'), (20, 's'), (30, 'b')], 90, 0, 10),
        (&[(10, 'd'), (20, 's'), (30, 'b'), (60, 'e')], 90, 0, 10),
        // Asked before the dispatch: it never was on the clock.
        (&[(0, 'b'), (10, 'e'), (10, 'd')], 50, 10, 40),
        (&[(0, 'b'), (10, 'd'), (30, 'e')], 50, 30, 20),
        (&[(0, 'b'), (10, 'd')], 50, 0, 0),
        // A clock that goes back stands still.
        (&[(10, 'd'), (40, 'b'), (20, 'e')], 50, 0, 40),
        (&[(10, 'd')], 5, 0, 0),
    ];
    for (steps, now, asked, working) in cases {
        let operation = operation();
        let mut dispatched = None;
        for (moment, step) in *steps {
            match step {
                'd' => dispatched = operation.dispatch(at(*moment)),
                's' => {
                    dispatched.as_ref().unwrap().settle(Outcome::Completed, at(*moment));
                }
                'b' => operation.ask_begin(at(*moment)),
                _ => operation.ask_end(at(*moment)),
            }
        }
        assert_eq!(operation.asked(), ms(*asked), "{steps:?}");
        assert_eq!(operation.working(at(*now)), ms(*working), "{steps:?}");
    }
}

#[test]
fn the_duration_has_the_questions_in_it() {
    // O-TIME-2
    let operation = operation();
    let dispatched = operation.dispatch(at(10)).unwrap();
    assert_eq!(operation.duration(), None);
    operation.ask_begin(at(20));
    dispatched.settle(Outcome::Failed, at(70));
    assert!(!operation.is_asking());
    assert_eq!((operation.duration(), operation.working(at(99))), (Some(ms(60)), ms(10)));
}

#[test]
fn a_late_answer_stands_beside_an_unknown_outcome_and_changes_nothing() {
    // O-LATE-1
    for (state, operation, _) in in_every_state() {
        let is_unknown = state == State::OutcomeUnknown;
        let answer = ToolResult::ok("call_1", "done");
        assert_eq!(operation.record_late_answer(answer.clone(), at(9)), is_unknown, "{state:?}");
        assert!(!operation.record_late_answer(ToolResult::ok("call_1", "other"), at(9)));
        assert_eq!(operation.late_answer(), is_unknown.then_some(answer));
        assert_eq!(operation.state(), state);
    }
}

#[test]
fn a_record_is_plain_data_and_reads_back() {
    // O-ST-6
    let clock = Still::default();
    let mut call = call("call_1", "fs_write", r#"{ "b":2, "a":1 }"#);
    call.extensions.insert(Round { run_id: Some("run".to_owned()), number: Some(3) });
    let proposal = Proposal::of(&call).with_idempotency(Idempotency::Destructive).with_id("op");
    let operation = Operation::new(proposal, at(0));
    let bare = serde_json::to_value(operation.record(&clock)).unwrap();
    let digest = "f471f35e0f4c0e168b01b5d7acd30c4485f0d88b2be5aabba227969707f88c08";
    assert_eq!(
        bare,
        json!({
            "id": "op", "call_id": "call_1", "tool": "fs_write",
            "arguments": r#"{"a":1,"b":2}"#, "arguments_digest": digest,
            "idempotency": "destructive", "run_id": "run", "round": 3, "state": "proposed",
            "proposed_at": "1970-01-01T00:00:00.000000Z",
        })
    );
    let dispatched = operation.dispatch(at(1_000)).unwrap();
    operation.ask_begin(at(1_500));
    operation.ask_end(at(1_750));
    let result = ToolResult::error("call_1", "\n boom\nmore");
    dispatched.settle(Settlement::of(&result), at(2_000));
    let record = operation.record(&clock);
    let full = serde_json::to_value(&record).unwrap();
    let later = json!({
        "state": "failed", "error": "boom", "asked_us": 250_000, "working_us": 750_000,
        "duration_us": 1_000_000, "dispatched_at": "1970-01-01T00:00:01.000000Z",
        "ended_at": "1970-01-01T00:00:02.000000Z",
        "result_digest": mcp_operations::digest(&json!("\n boom\nmore")),
    });
    for (key, value) in later.as_object().unwrap() {
        assert_eq!(full[key], *value, "{key}");
    }
    assert_eq!(serde_json::from_value::<Record>(full).unwrap(), record);
}
