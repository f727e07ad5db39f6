//! How far a request has come: tokens, listeners, and reports that are nobody's.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mcp_client::protocol::{CompleteParams, CompletionArgument, PromptReference};
use mcp_client::{Client, Progress, ToolProgress};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::{ScriptedServer, ServeEra, Server, fixtures};
use serde_json::{Value, json};

use crate::support::{Heard, Warnings, modern, no_warning, says, served, text};

const ERAS: [ServeEra; 2] = [ServeEra::Modern, ServeEra::Legacy];
const PROGRESS: &str = "notifications/progress";

/// A client of the fixtures that tells what its calls report.
fn listening(era: ServeEra) -> (Client, Arc<Server>, Heard<ToolProgress>) {
    let server = Arc::new(fixtures::server());
    let heard = Heard::new();
    let told = heard.clone();
    let builder = Client::builder(served(&server, era)).on_progress(move |it| told.push(it));
    (builder.on_warning(no_warning).build().unwrap(), server, heard)
}

fn call(id: &str, name: &str, arguments: Value) -> ToolCall {
    ToolCall::new(id, name, arguments)
}

fn tokens(messages: &[Value]) -> Vec<Value> {
    messages.iter().map(|it| it["params"]["_meta"]["progressToken"].clone()).collect()
}

fn told(heard: &Heard<ToolProgress>) -> Vec<(String, f64, Option<f64>, Option<String>)> {
    let parts = |it: ToolProgress| {
        let Progress { progress, total, message, .. } = it.progress;
        (it.tool_call_id.to_string(), progress, total, message)
    };
    heard.take().into_iter().map(parts).collect()
}

/// B-PROG-1, B-PROG-5, B-PROG-9: each report of a model's call reaches the hook under its id.
#[tokio::test]
async fn a_call_reports_under_its_id() {
    for era in ERAS {
        let (client, _, heard) = listening(era);
        let results = client.execute_tool_calls(vec![call("call_abc", "march", json!({}))]).await;
        assert_eq!(results[0].content, "step done: 3 of 3");
        let step = |number: f64| {
            ("call_abc".to_owned(), number, Some(3.0), Some(format!("step {number}")))
        };
        assert_eq!(told(&heard), [step(1.0), step(2.0), step(3.0)]);
    }
}

/// B-PROG-1, B-PROG-2: only a model's calls carry a token, only if somebody listens, and never
/// the id of the call.
#[tokio::test]
async fn a_token_is_minted_only_where_somebody_listens() {
    for era in ERAS {
        let (client, server, heard) = listening(era);
        let march = call("march-1", "march", json!({}));
        client.execute_tool_calls(vec![march.clone(), march.clone()]).await;
        client.call_tool("march", ()).await.unwrap();
        let carried = tokens(&server.received_method("tools/call"));
        let (first, second) = (carried[0].as_str().unwrap(), carried[1].as_str().unwrap());
        assert_ne!(first, second);
        for (number, token) in [(1, first), (2, second)] {
            let digits = token.strip_prefix(&format!("prog-{number}-")).unwrap();
            assert!(
                digits.len() == 16 && digits.chars().all(|it| it.is_ascii_hexdigit()),
                "{token}"
            );
            assert_eq!(digits, digits.to_lowercase());
        }
        assert_eq!(carried[2], Value::Null);
        assert_eq!(tokens(&server.received_method("tools/list"))[0], Value::Null);
        assert_eq!(heard.len(), 6);

        let (client, server) = support::client(fixtures::server(), era);
        let results = client.execute_tool_calls(vec![march]).await;
        assert_eq!(results[0].content, "step done: 0 of 3");
        assert_eq!(tokens(&server.received_method("tools/call")), [Value::Null]);
    }
}

/// B-PROG-3, B-PROG-4, B-PROG-6, spec 31: nobody's reports reach nobody, and the stream all of
/// them.
#[tokio::test]
async fn reports_that_are_nobodys_reach_the_stream_only() {
    let (client, _, heard) = listening(ServeEra::Both);
    client.era().await.unwrap();
    let mut stream = client.notifications();
    let calls = ["silent", "stray", "odd_reports"].map(|name| call(name, name, json!({})));
    let results = client.execute_tool_calls(calls.to_vec()).await;
    let contents: Vec<_> = results.iter().map(|it| &*it.content).collect();
    assert_eq!(contents, ["nothing to report", "reported to nobody", "reported 6 times"]);
    let odd = |progress, total, message: Option<&str>| {
        ("odd_reports".to_owned(), progress, total, message.map(str::to_owned))
    };
    let expected =
        [odd(1.0, Some(4.0), Some("full")), odd(2.0, None, None), odd(2.5, None, Some("a half"))];
    assert_eq!(told(&heard), expected);
    for _ in 0..7 {
        assert_eq!(stream.next().await.unwrap().method, PROGRESS);
    }
    client.close().await;
    assert!(stream.next().await.is_none());
}

/// B-PROG-3, B-PROG-4: a token is forgotten with its call, however that ends.
#[tokio::test(start_paused = true)]
async fn a_token_is_forgotten_with_its_call() {
    let (server, builder) = modern();
    let heard: Heard<ToolProgress> = Heard::new();
    let told = heard.clone();
    let client = builder
        .on_progress(move |it| told.push(it))
        .request_timeout(Duration::from_secs(1))
        .on_warning(|_| ())
        .build()
        .unwrap();
    server.on("tools/list").always().error(-32000, "not today", None);
    server.on("tools/call").result(says("done"));
    server.on("tools/call").error(-32000, "no", None);
    server.on("tools/call").silence();
    let calls = ["answered", "failed", "timed out"].map(|id| call(id, "t", json!({})));
    client.execute_tool_calls(calls.to_vec()).await;
    for token in tokens(&server.received("tools/call")) {
        server.notify(PROGRESS, json!({ "progressToken": token, "progress": 1 }));
    }
    for token in [json!("never"), json!(7), json!(true), Value::Null] {
        server.notify(PROGRESS, json!({ "progressToken": token, "progress": 1 }));
    }
    server.on("ping").result(json!({}));
    client.ping().await.unwrap();
    assert_eq!(heard.len(), 0);
}

/// B-PROG-7: a hook that panics is reported, and neither the call nor its next report is hurt.
#[tokio::test]
async fn a_hook_that_panics_hurts_no_call() {
    let server = Arc::new(fixtures::server());
    let heard = Heard::new();
    let told = heard.clone();
    let builder = Client::builder(served(&server, ServeEra::Both)).on_progress(move |it| {
        told.push(it.progress.progress);
        assert!(it.progress.progress > 1.0, "too early");
    });
    let (builder, warnings) = Warnings::of(builder);
    let client = builder.build().unwrap();
    let results = client.execute_tool_calls(vec![call("a", "march", json!({}))]).await;
    assert_eq!((&*results[0].content, results[0].is_error), ("step done: 3 of 3", false));
    assert_eq!(heard.take(), [1.0, 2.0, 3.0]);
    let warning = warnings.one();
    assert!(warning.contains("on-progress") && warning.contains("too early"), "{warning}");
}

/// B-PROG-10: a hook must not wait for the client, but may leave that to a task.
#[tokio::test(start_paused = true)]
async fn a_hook_may_have_a_task_call_the_client() {
    let server = Arc::new(fixtures::server());
    let (of_hook, seen) = (Arc::new(OnceLock::<Client>::new()), Heard::new());
    let (client, told) = (Arc::clone(&of_hook), seen.clone());
    let builder = Client::builder(served(&server, ServeEra::Both)).on_progress(move |_| {
        let (client, told) = (client.get().cloned(), told.clone());
        tokio::spawn(async move {
            let echo = client.unwrap().call_tool("echo", json!({ "text": "hi" })).await;
            told.push(text(&echo.unwrap()).to_owned());
        });
    });
    let client = of_hook.get_or_init(|| builder.on_warning(no_warning).build().unwrap());
    client.execute_tool_calls(vec![call("a", "march", json!({}))]).await;
    let echoed = server.counters().until_finished("echo", 3);
    tokio::time::timeout(Duration::from_secs(1), echoed).await.unwrap();
    support::settle().await;
    assert_eq!(seen.take(), ["hi"; 3]);
}

/// B-PROG-8, spec 29: a token of the caller's own goes out as it is, a number too, and its reports
/// reach the stream only.
#[tokio::test]
async fn a_token_of_ones_own_is_ones_own() {
    let (client, server, heard) = listening(ServeEra::Both);
    for token in [json!("mine"), json!(7)] {
        let mut stream = client.notifications();
        let march =
            client.call_tool("march", json!({ "steps": 1 })).meta("progressToken", token.clone());
        assert_eq!(text(&march.await.unwrap()), "step done: 1 of 1");
        let report: Value = stream.next().await.unwrap().decode().unwrap();
        assert_eq!(report["progressToken"], token);
        assert_eq!(tokens(&server.received_method("tools/call")).last(), Some(&token));
    }
    assert_eq!(heard.len(), 0);
}

/// Any call may have a listener of its own: its token is minted, and forgotten, like a model's.
#[tokio::test]
async fn any_request_may_have_a_listener() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    let heard = Heard::new();
    let listener = |heard: &Heard<Progress>| {
        let told = heard.clone();
        move |progress| told.push(progress)
    };
    let methods = [
        "tools/list",
        "tools/call",
        "resources/read",
        "prompts/get",
        "completion/complete",
        "ping",
    ];
    for method in methods {
        server.on(method).compute(|message| {
            let token = &message["params"]["_meta"]["progressToken"];
            let report = json!({ "jsonrpc": "2.0", "method": PROGRESS,
                "params": { "progressToken": token, "progress": 1, "total": 2 } });
            let answer = json!({ "jsonrpc": "2.0", "id": message["id"], "result": {} });
            mcp_testkit::Answer::Raw(format!("{report}\n{answer}\n{report}\n").into_bytes())
        });
    }
    client.list_tools().progress(listener(&heard)).await.unwrap();
    client.call_tool("t", ()).progress(listener(&heard)).await.unwrap();
    client.read_resource("test://a").progress(listener(&heard)).await.unwrap();
    client.get_prompt("p", ()).progress(listener(&heard)).await.unwrap();
    let params = CompleteParams::new(PromptReference::new("p"), CompletionArgument::new("a", ""));
    client.complete(params).progress(listener(&heard)).await.unwrap();
    client.ping().progress(listener(&heard)).await.unwrap();
    let reports = heard.take();
    assert!(reports.len() >= methods.len(), "{reports:?}");
    assert!(reports.iter().all(|it| it.total == Some(2.0)));
    let carried: Vec<_> = methods.iter().flat_map(|it| tokens(&server.received(it))).collect();
    assert!(carried.iter().all(Value::is_string), "{carried:?}");
}

/// The reports of a batch go to their own calls, and a call without an id has an empty one.
#[tokio::test]
async fn the_reports_of_a_batch_are_told_apart() {
    let (client, _, heard) = listening(ServeEra::Both);
    let calls = vec![
        call("one", "march", json!({ "steps": 2 })),
        call("two", "silent", json!({})),
        call("three", "nope", json!({})),
        call("", "march", json!({ "steps": 1 })),
    ];
    let results = client.execute_tool_calls(calls).await;
    let failed: Vec<_> = results.iter().map(|it| it.is_error).collect();
    assert_eq!(failed, [false, false, true, false]);
    let seen: Vec<_> = told(&heard).into_iter().map(|it| (it.0, it.1)).collect();
    assert_eq!(seen, [("one".to_owned(), 1.0), ("one".to_owned(), 2.0), (String::new(), 1.0)]);
}

/// B-PROG-11: a report gives a request no more time.
#[tokio::test(start_paused = true)]
async fn a_report_does_not_extend_the_budget() {
    let (server, builder): (ScriptedServer, _) = modern();
    let client = builder.connect().await.unwrap();
    server.on("tools/call").silence();
    let start = tokio::time::Instant::now();
    let call = tokio::spawn({
        let client = client.clone();
        let budget = Duration::from_secs(10);
        async move { client.call_tool("t", ()).timeout(budget).progress(|_| ()).await }
    });
    server.until_received("tools/call", 1).await;
    tokio::time::advance(Duration::from_secs(9)).await;
    let token = &tokens(&server.received("tools/call"))[0];
    server.notify(PROGRESS, json!({ "progressToken": token, "progress": 1 }));
    call.await.unwrap().unwrap_err();
    assert_eq!(start.elapsed(), Duration::from_secs(10));
}
