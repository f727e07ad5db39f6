//! Real servers that time out, die, or hang up after a call was sent, under a whole stack.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use common::{Lines, call};
use mcp_client::protocol::{ElicitParams, ElicitResult};
use mcp_client::{Asked, Client, ClientBuilder, Http, Stdio as OverStdio};
use mcp_operations::{InFlight, Operations, State, TokioTimer, What};
use mcp_provider::{Delivery, Provider, ProviderExt, ToolResult};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_testkit::program;
use serde_json::{Value, json};

/// What a server does with a call, and what an operation ends as.
fn endings() -> Vec<(&'static str, Value, Expected)> {
    let unfinished = json!({
        "status": 200, "headers": {"content-type": "text/event-stream"}, "chunks": [": soon\n\n"],
    });
    let stdio = |action: Value| json!({ "script": { "tools/call": [action] } });
    let http = |actions: Value| json!({ "transport": "http", "modern": true, "script": { "tools/call": actions } });
    let unknown = (State::OutcomeUnknown, Some("no-answer"), Delivery::Unknown);
    vec![
        (
            "stdio, well",
            stdio(json!({"default": true})),
            (State::Completed, None, Delivery::Answered),
        ),
        ("stdio, a timeout", stdio(json!({"hang": true})), unknown),
        ("stdio, a server that dies", stdio(json!({"exit": 3})), unknown),
        (
            "stdio, a closed pipe",
            json!({"script": {"tools/call": [{"close_stdout": true}, {"hang": true}]}}),
            unknown,
        ),
        (
            "http, well",
            http(json!([{"default": true}])),
            (State::Completed, None, Delivery::Answered),
        ),
        ("http, a timeout", http(json!([{"hang": true}])), unknown),
        ("http, a server that dies", http(json!([{"exit": 3}])), unknown),
        ("http, a closed connection", http(json!([unfinished])), unknown),
    ]
}

type Expected = (State, Option<&'static str>, Delivery);

/// A server over HTTP, which ends with its test.
struct Served(Child);

impl Served {
    fn start(case: &Value) -> (Self, String) {
        let mut child = Command::new(program("script-server").unwrap())
            .arg(case.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("listening ").unwrap();
        let url = format!("http://127.0.0.1:{port}/mcp");
        (Self(child), url)
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// The whole stack over one client, whose tools are under `s`.
async fn run(
    client: ClientBuilder,
    journal: &Lines,
) -> (Vec<ToolResult>, Vec<(State, Option<String>)>) {
    let client = client.request_timeout(Duration::from_secs(2)).on_warning(|_| {}).build().unwrap();
    let registry = Registry::new();
    registry.add("s", client).unwrap();
    let tools = registry
        .layer(Reasons::new)
        .layer(|inner| Operations::new(inner, TokioTimer::new()).with_journal(journal.clone()));
    // Whether it can be listed is another matter.
    let _ = tools.tools_for_llm().await;
    let results = tools.execute_tool_calls(vec![call("1", "s_echo", r#"{"text":"x"}"#)]).await;
    (results, common::states(&tools))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_call_that_was_sent_and_not_answered_ends_as_unknown_over_every_wire() {
    // O-RUN-1
    for (name, case, (state, reason, delivery)) in endings() {
        let journal = Lines::default();
        let served;
        let client = if case["transport"] == "http" {
            let (server, url) = Served::start(&case);
            served = Some(server);
            Client::builder(Http::new(url).unwrap())
        } else {
            served = None;
            let program = program("script-server").unwrap();
            Client::builder(OverStdio::new(program).arg(case.to_string()))
        };
        let (results, states) = run(client, &journal).await;
        drop(served);
        assert_eq!(states, [(state, reason.map(str::to_owned))], "{name}: {results:?}");
        assert_eq!(results[0].delivery, delivery, "{name}: {results:?}");
        assert!(!results[0].is_error, "{name}: {results:?}");
        let is_unknown = delivery == Delivery::Unknown;
        let known = results[0].content.matches("is not known").count();
        assert_eq!(known, usize::from(is_unknown), "{name}: {}", results[0].content);
        let settled =
            if is_unknown { "settled outcome-unknown no-answer" } else { "settled completed" };
        assert_eq!(journal.short(), ["dispatched s_echo", settled], "{name}");
    }
}

#[tokio::test]
async fn a_call_that_could_not_be_sent_is_refused() {
    // O-RUN-1
    let journal = Lines::default();
    let (results, states) = run(Client::builder(OverStdio::new("/no/such/server")), &journal).await;
    assert_eq!(states, [common::because(State::Failed, "refused")], "{results:?}");
    assert_eq!((results[0].delivery, results[0].is_error), (Delivery::NotSent, true));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_question_that_a_server_asks_is_a_span_on_its_call() {
    // O-TIME-3, O-EVT-2
    let in_flight = InFlight::new();
    let watched = in_flight.clone();
    let elicit = in_flight.wrap("elicitation", move |_: Asked<ElicitParams>| {
        let is_asking = watched.operations().iter().all(|it| it.is_asking());
        async move {
            assert!(is_asking, "the deadline waits");
            Ok(ElicitResult::decline())
        }
    });
    let server = OverStdio::new(program("fixture-server").unwrap());
    let client = Client::builder(server).on_elicit(elicit).on_warning(|_| {}).build().unwrap();
    let layer = Operations::new(client.clone(), TokioTimer::new()).with_in_flight(in_flight);
    let layer = layer.with_deadline(Duration::from_secs(60)).unwrap();
    let mut events = layer.events(50);
    layer.execute_tool_calls(vec![call("1", "ask_name", "{}")]).await;
    client.close().await;
    let (mut asked, mut answered) = (0, 0);
    while let Some(event) = events.try_next() {
        asked += usize::from(matches!(event.what, What::Asked { .. }));
        answered += usize::from(matches!(event.what, What::Answered { .. }));
    }
    assert!(asked > 0 && asked == answered, "{asked} {answered}");
    assert_eq!(layer.operations()[0].state(), State::Completed);
}
