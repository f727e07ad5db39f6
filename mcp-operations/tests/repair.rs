//! What to make of what a killed process left behind.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use mcp_operations::{Conclusion, Idempotency, Message, Outcome, Trace};

#[test]
fn what_is_left_after_a_kill_is_read_as_the_table_says() {
    // O-FIX-1
    let settled = Trace::Settled;
    let cases = [
        (Trace::Nothing, Message::Nothing, Conclusion::NeverRan),
        (Trace::Nothing, Message::Answer, Conclusion::NeverRan),
        (Trace::Nothing, Message::UnknownOutcome, Conclusion::NeverRan),
        (Trace::Nothing, Message::Background, Conclusion::NeverRan),
        (Trace::Dispatched, Message::Nothing, Conclusion::Unknown),
        (Trace::Dispatched, Message::UnknownOutcome, Conclusion::Unknown),
        (Trace::Dispatched, Message::Answer, Conclusion::Answered),
        (Trace::Dispatched, Message::Background, Conclusion::Owed),
    ];
    for (trace, message, expected) in cases {
        assert_eq!(Conclusion::of(trace, message), expected, "{trace:?} {message:?}");
    }
    for outcome in Outcome::ALL {
        for message in
            [Message::Nothing, Message::Answer, Message::UnknownOutcome, Message::Background]
        {
            let expected = Conclusion::Settled(outcome);
            assert_eq!(Conclusion::of(settled(outcome), message), expected, "{message:?}");
        }
    }
}

#[test]
fn a_repair_says_no_more_than_is_known() {
    // O-FIX-2
    let says = |conclusion: Conclusion, class| conclusion.sentence(class).unwrap_or_default();
    for unknown in [Conclusion::Unknown, Conclusion::Settled(Outcome::OutcomeUnknown)] {
        for class in Idempotency::ALL {
            let sentence = says(unknown, class);
            let is_careful = matches!(class, Idempotency::Destructive | Idempotency::Unknown);
            assert_eq!(sentence.contains("may have taken effect"), is_careful, "{class}");
            assert_eq!(sentence.contains("check"), is_careful, "{class}");
            assert_eq!(sentence.contains("safe"), !is_careful, "{class}");
            assert!(!sentence.contains("fail") && !sentence.contains("not run"), "{sentence}");
        }
        let (unknown, destructive) = (Idempotency::Unknown, Idempotency::Destructive);
        assert_eq!(says(Conclusion::Unknown, unknown), says(Conclusion::Unknown, destructive));
    }
    for class in Idempotency::ALL {
        assert!(says(Conclusion::NeverRan, class).contains("did not run"));
        assert_eq!(Conclusion::Answered.sentence(class), None);
        assert!(says(Conclusion::Owed, class).contains("may have"));
        assert!(says(Conclusion::Settled(Outcome::Completed), class).contains("completed"));
        assert!(says(Conclusion::Settled(Outcome::Failed), class).contains("error"));
    }
}
