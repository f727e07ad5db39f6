//! What is told of what happens.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{call, ms, times};
use mcp_operations::{
    Event, Events, Operations, Outcome, Progress, Reason, Round, TokioTimer, What,
};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::{Reply, Scripted};

/// All there is to read, each with the id of its call.
fn told(events: &mut Events) -> Vec<(String, What)> {
    let mut told = Vec::new();
    while let Some(Event { subject, what, .. }) = events.try_next() {
        told.push((subject.map(|it| it.call_id.to_string()).unwrap_or_default(), what));
    }
    told
}

#[tokio::test(start_paused = true)]
async fn what_happens_is_told_in_order() {
    // O-EVT-1
    let provider =
        Scripted::tools([]).reply("bad", Reply::error("no")).reply("slow", Reply::hang());
    let layer = Operations::new(provider, TokioTimer::new()).with_deadline(ms(10)).unwrap();
    let mut events = layer.events(50);
    let mut calls: Vec<ToolCall> = ["fine", "bad", "slow", "x"].map(|it| call(it, it, "{}")).into();
    let round = Round { run_id: Some("run".to_owned()), number: Some(2) };
    calls[0].extensions.insert(round.clone());
    layer.execute_tool_calls(calls).await;
    let result = |content: &str, outcome| What::Result {
        content: content.to_owned(),
        is_error: outcome == Outcome::Failed,
        outcome,
    };
    let abandoned = |is_dispatched| What::Abandoned { reason: Reason::DEADLINE, is_dispatched };
    let first = events.try_next().unwrap();
    assert_eq!((first.seq, &first.subject.as_ref().unwrap().round), (0, &round));
    assert_eq!(first.subject.unwrap().op, *layer.operations()[0].id());
    let expected: Vec<(String, What)> = [
        ("fine", result("fine ran", Outcome::Completed)),
        ("bad", What::Started),
        ("bad", result("no", Outcome::Failed)),
        ("slow", What::Started),
        ("slow", abandoned(true)),
        ("x", abandoned(false)),
    ]
    .map(|(id, what)| (id.to_owned(), what))
    .into();
    assert_eq!(told(&mut events), expected);
    drop(layer);
    assert_eq!(events.next().await, None);
}

#[tokio::test(start_paused = true)]
async fn questions_and_progress_are_told_of_calls_that_are_under_way_and_of_no_others() {
    // O-EVT-2
    let provider = Scripted::tools([]).reply("a", Reply::hang());
    let layer = Operations::new(provider.clone(), TokioTimer::new());
    let in_flight = layer.in_flight().clone();
    let mut events = layer.events(50);
    let progress = |progress, total| Progress { progress, total, message: Some("m".to_owned()) };
    assert!(!in_flight.progress(&"a".into(), &progress(1.0, None)), "before");
    tokio::select! {
        biased;
        _ = layer.execute_tool_calls(vec![call("a", "a", "{}")]) => unreachable!(),
        () = async {
            provider.until_started(1).await;
            assert!(in_flight.progress(&"a".into(), &progress(1.5, Some(3.0))));
            assert!(in_flight.progress(&"a".into(), &progress(f64::NAN, Some(f64::INFINITY))));
            assert!(!in_flight.progress(&"b".into(), &progress(1.0, None)));
            in_flight.during("sure?", async {}).await;
        } => {}
    }
    assert!(!in_flight.progress(&"a".into(), &progress(1.0, None)), "after");
    let request = || "sure?".to_owned();
    let told: Vec<What> = told(&mut events).into_iter().map(|(_, what)| what).collect();
    let expected = [
        What::Started,
        What::Progress(progress(1.5, Some(3.0))),
        What::Progress(progress(0.0, None)),
        What::Asked { request: request() },
        What::Answered { request: request() },
        What::Abandoned { reason: Reason::CANCELLED, is_dispatched: true },
    ];
    assert_eq!(told, expected);
}

#[tokio::test]
async fn a_stream_that_is_full_drops_the_oldest_and_says_how_many() {
    // O-EVT-3
    let layer = Operations::new(Scripted::tools([]), TokioTimer::new());
    let (mut small, mut large) = (layer.events(3), layer.events(100));
    layer.execute_tool_calls(times("a", 5)).await;
    let seq = |events: &mut Events| {
        let mut all = Vec::new();
        while let Some(event) = events.try_next() {
            all.push((event.seq, event.what));
        }
        all
    };
    let all = seq(&mut large);
    assert_eq!(all.iter().map(|it| it.0).collect::<Vec<_>>(), (0..10).collect::<Vec<_>>());
    let mut expected = vec![(0, What::Missed { count: 7 })];
    expected.extend(all[7..].iter().cloned());
    assert_eq!(seq(&mut small), expected);
    // What is read makes room again.
    layer.execute_tool_calls(times("a", 1)).await;
    assert_eq!(seq(&mut small).iter().map(|it| it.0).collect::<Vec<_>>(), [10, 11]);
}

#[tokio::test]
async fn a_reader_that_waits_is_woken_by_the_next_event_and_by_the_end() {
    // O-EVT-1
    let layer = Operations::new(Scripted::tools([]), TokioTimer::new());
    let mut events = layer.events(10);
    let reader = tokio::spawn(async move {
        let mut count = 0;
        while events.next().await.is_some() {
            count += 1;
        }
        count
    });
    tokio::task::yield_now().await;
    layer.execute_tool_calls(times("a", 2)).await;
    tokio::task::yield_now().await;
    drop(layer);
    assert_eq!(reader.await.unwrap(), 4);
}
