//! The guard against the same call over and over.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Lines, call, ms, times};
use mcp_operations::{Operations, Reason, RepeatGuard, TokioTimer, What};
use mcp_provider::{Delivery, Provider, ToolResult};
use mcp_testkit::{Reply, Scripted};

fn guarded(provider: &Scripted, guard: RepeatGuard) -> Operations<Scripted> {
    Operations::new(provider.clone(), TokioTimer::new()).with_repeat_guard(guard)
}

fn were_sent(results: &[ToolResult]) -> bool {
    results.iter().all(|it| it.delivery == Delivery::Answered)
}

#[tokio::test]
async fn the_same_call_may_be_made_thirty_times() {
    // O-REP-1, O-REP-2
    let provider = Scripted::tools([]);
    // By history: thirty are fine, however they are spelled, and the next is not.
    let layer = guarded(&provider, RepeatGuard::default());
    let mut events = layer.events(200);
    let spellings = [r#"{"a":1,"b":2}"#, r#"{ "b": 2, "a": 1 }"#];
    for number in 0..30 {
        let calls = vec![call("1", "poll", spellings[number % 2])];
        assert!(were_sent(&layer.execute_tool_calls(calls).await), "{number}");
    }
    while events.try_next().is_some() {}
    let again = vec![call("1", "other", "{}"), call("2", "poll", spellings[0])];
    let results = layer.execute_tool_calls(again).await;
    assert!(results.iter().all(|it| it.delivery == Delivery::NotSent), "refused whole");
    for words in ["None of the calls", "'poll'", "31 times", "30 is the most"] {
        assert!(results[0].content.contains(words), "{}", results[0].content);
    }
    let limit = events.try_next().unwrap();
    let expected = What::LimitReached { tool: "poll".to_owned(), count: 31, most: 30 };
    assert_eq!((limit.what, limit.subject), (expected, None));
    for _ in 0..2 {
        let what = events.try_next().unwrap().what;
        let reason = Reason::REPEATED;
        assert_eq!(what, What::Abandoned { reason, is_dispatched: false });
    }
    assert_eq!(provider.calls().len(), 30);
    // Others are not concerned, nor is the next run.
    assert!(were_sent(&layer.execute_tool_calls(times("other", 1)).await));
    let poll = || vec![call("1", "poll", spellings[0])];
    assert!(!were_sent(&layer.execute_tool_calls(poll()).await));
    layer.begin_run();
    assert!(were_sent(&layer.execute_tool_calls(poll()).await));

    // A batch against itself.
    let layer = guarded(&provider, RepeatGuard::default());
    assert!(!were_sent(&layer.execute_tool_calls(times("poll", 31)).await));
    assert!(were_sent(&layer.execute_tool_calls(times("poll", 30)).await));
    assert!(!were_sent(&layer.execute_tool_calls(times("poll", 1)).await));

    // Exempt tools neither trip nor count; the names beside them do.
    let guard = RepeatGuard::default().at_most(2).exempt(["lease_*", "wait"]).unwrap();
    let layer = guarded(&provider, guard);
    let mut mixed = times("lease_get", 20);
    mixed.extend(times("wait", 20));
    mixed.extend(times("waiter", 2));
    assert!(were_sent(&layer.execute_tool_calls(mixed).await));
    assert!(!were_sent(&layer.execute_tool_calls(times("waiter", 1)).await));
    assert!(RepeatGuard::default().exempt([""]).is_err());
}

#[tokio::test(start_paused = true)]
async fn what_went_out_counts_and_what_did_not_does_not() {
    // O-REP-3
    let fails = |reply: Reply| Scripted::tools([]).reply("a", reply.clone()).reply("a", reply);
    let unknown = Reply::result(ToolResult::unknown("", ""));
    for reply in [Reply::ok(""), Reply::error(""), unknown, Reply::hang()] {
        let provider = fails(reply);
        let guard = RepeatGuard::default().at_most(2);
        let layer = guarded(&provider, guard).with_deadline(ms(10)).unwrap();
        for _ in 0..2 {
            layer.execute_tool_calls(times("a", 1)).await;
        }
        let results = layer.execute_tool_calls(times("a", 1)).await;
        assert_eq!(results[0].delivery, Delivery::NotSent, "{results:?}");
    }
    // Abandoned behind a deadline, and for want of a journal: not counted.
    let provider = Scripted::tools([]).reply("slow", Reply::hang());
    let layer =
        guarded(&provider, RepeatGuard::default().at_most(1)).with_deadline(ms(10)).unwrap();
    let results =
        layer.execute_tool_calls(vec![call("1", "slow", "{}"), call("2", "a", "{}")]).await;
    assert_eq!(results[1].delivery, Delivery::NotSent);
    assert!(were_sent(&layer.execute_tool_calls(times("a", 1)).await));
    let layer =
        guarded(&provider, RepeatGuard::default().at_most(1)).with_journal(Lines::failing([0]));
    assert!(!were_sent(&layer.execute_tool_calls(times("a", 1)).await));
    assert!(were_sent(&layer.execute_tool_calls(times("a", 1)).await));
}
