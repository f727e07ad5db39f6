//! Servers that mean harm: nothing hangs, nothing grows, and no outcome is made up.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::{IntoFuture, pending, ready};
use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, TextContent,
};
use mcp_client::{Asked, BoxError, Client, Delivery, Error, Limits, Memory};
use mcp_testkit::ScriptedServer;
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, split};
use tokio::sync::Notify;
use tokio::time::timeout;

use crate::support::{Heard, Warnings, legacy, modern, no_warning, says, settle, text};

const SOON: Duration = Duration::from_secs(60);

fn asks(count: usize) -> Value {
    let params = json!({ "message": "Name?", "requestedSchema": { "type": "object" } });
    let question = json!({ "method": "elicitation/create", "params": params });
    let questions: serde_json::Map<_, _> =
        (0..count).map(|number| (format!("q{number}"), question.clone())).collect();
    json!({ "resultType": "input_required", "inputRequests": questions })
}

async fn never(_: Asked<ElicitParams>) -> Result<ElicitResult, BoxError> {
    pending().await
}

/// A call that waits for a hook, which never answers.
async fn waiting() -> (ScriptedServer, Client, tokio::task::JoinHandle<Result<(), Error>>) {
    let (server, builder) = modern();
    server.on("tools/call").result(asks(1));
    let client = builder.on_elicit(never).on_warning(no_warning).build().unwrap();
    let call = tokio::spawn({
        let client = client.clone();
        async move { client.call_tool("t", ()).await.map(drop) }
    });
    server.until_received("tools/call", 1).await;
    (server, client, call)
}

#[tokio::test(start_paused = true)]
async fn a_call_that_waits_for_its_hook_ends_with_the_connection() {
    let (_server, client, call) = waiting().await;
    client.close().await;
    let error = timeout(SOON, call).await.unwrap().unwrap().unwrap_err();
    assert_eq!(error, Error::TransportClosed { is_sent: true });

    let (server, _client, call) = waiting().await;
    server.hang_up();
    let error = timeout(SOON, call).await.unwrap().unwrap().unwrap_err();
    assert!(matches!(error, Error::ServerGone { is_sent: true, .. }), "{error:?}");
    assert_eq!(error.delivery(), Delivery::Unknown);
}

#[tokio::test(start_paused = true)]
async fn a_request_whose_first_round_arrived_may_have_run_whatever_becomes_of_the_next() {
    let [error, hello] = greeting();
    let question = format!(r#"{{"jsonrpc":"2.0","id":${{id}},"result":{}}}"#, asks(1));
    let server = Memory::new(move |stream| {
        let replies = [&error, &hello, "", &question].map(str::to_owned);
        drop(tokio::spawn(reading(stream, replies)));
    });
    let (asked, answered) = (Arc::new(Notify::new()), Arc::new(Notify::new()));
    let hook = {
        let (asked, answered) = (Arc::clone(&asked), Arc::clone(&answered));
        move |_: Asked<ElicitParams>| {
            let (asked, answered) = (Arc::clone(&asked), Arc::clone(&answered));
            async move {
                asked.notify_one();
                answered.notified().await;
                Ok(ElicitResult::decline())
            }
        }
    };
    let client = Client::builder(server).on_elicit(hook).on_warning(no_warning).build().unwrap();
    let call = tokio::spawn(client.call_tool("t", ()).into_future());
    asked.notified().await;
    // The hook still answers, but to a connection that takes no second round any more.
    let closing = tokio::spawn(async move { client.close().await });
    settle().await;
    answered.notify_one();
    let error = call.await.unwrap().unwrap_err();
    assert_eq!(error, Error::TransportClosed { is_sent: true });
    closing.await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn an_error_that_names_no_request_leaves_the_outcome_open() {
    let (server, builder) = modern();
    let nobody = r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"what?"}}"#;
    server.on("tools/call").raw(format!("{nobody}\n"));
    let client = builder.on_warning(no_warning).build().unwrap();
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert_eq!(error.code().map(|code| code.0), Some(-32600));
    assert_eq!(error.delivery(), Delivery::Unknown);
}

#[tokio::test]
async fn a_round_may_ask_only_so_many_questions() {
    let (server, builder) = modern();
    server.on("tools/call").result(asks(3));
    let heard = Heard::new();
    let hook = {
        let heard = heard.clone();
        move |_: Asked<ElicitParams>| {
            heard.push(());
            ready(Ok(ElicitResult::decline()))
        }
    };
    let mut limits = Limits::default();
    limits.input_requests = 2;
    let client = builder.on_elicit(hook).limits(limits).on_warning(no_warning).build().unwrap();
    let error = client.call_tool("t", ()).await.unwrap_err().to_string();
    assert!(error.contains("Limits::input_requests"), "{error}");
    assert_eq!(heard.len(), 0);
}

#[tokio::test]
async fn a_listing_may_have_only_so_many_bytes() {
    let (server, builder) = modern();
    for page in 0..3 {
        let padding = "x".repeat(400);
        let tool = json!({ "name": "t", "description": padding, "inputSchema": {} });
        let next = format!("page {page}");
        server.on("tools/list").result(json!({ "tools": [tool], "nextCursor": next }));
    }
    let mut limits = Limits::default();
    limits.listing_bytes = 1000;
    let client = builder.limits(limits).on_warning(no_warning).build().unwrap();
    let error = client.list_tools().await.unwrap_err().to_string();
    assert!(error.contains("Limits::listing_bytes"), "{error}");
    assert_eq!(server.received("tools/list").len(), 3);
}

/// B-MRTR-15: the parts of a kind of question are declared as well.
#[tokio::test]
async fn a_question_for_a_model_with_tools_needs_them_declared() {
    let (server, builder) = legacy();
    let hook = |_: Asked<CreateMessageParams>| {
        ready(Ok(CreateMessageResult::new("m", TextContent::new("said"))))
    };
    let client = builder.on_sample(hook).on_warning(|_| ()).build().unwrap();
    client.server().await.unwrap();
    let params = json!({ "messages": [], "maxTokens": 1 });
    let mut with_tools = params.clone();
    with_tools["tools"] = json!([]);
    let cases = [(params, true), (with_tools, false)];
    for (number, (params, is_answered)) in cases.into_iter().enumerate() {
        let id = format!("q{number}");
        let answer = server.request(json!(id), "sampling/createMessage", params).await;
        assert_eq!(answer.is_ok(), is_answered, "{answer:?}");
    }
}

#[tokio::test]
async fn a_warning_cannot_steer_a_terminal() {
    let (server, builder) = modern();
    let result = says("hi");
    let answer = format!("{{\"jsonrpc\":\"2.0\",\"id\":${{id}},\"result\":{result}}}\n");
    server.on("tools/call").raw(format!("\u{1b}[31mnoise\u{7}\n{answer}"));
    let (builder, warnings) = Warnings::of(builder);
    let client = builder.build().unwrap();
    let result = client.call_tool("t", ()).await.unwrap();
    assert_eq!(text(&result), "hi");
    let warning = warnings.one();
    assert!(warning.contains("\\u{1b}[31mnoise\\u{7}"), "{warning}");
    assert!(!warning.contains(char::is_control), "{warning:?}");
}

/// What a legacy server says to the probe and to the handshake.
fn greeting() -> [String; 2] {
    let server = json!({ "name": "s", "version": "1" });
    let result =
        json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": server });
    [
        r#"{"jsonrpc":"2.0","id":${id},"error":{"code":-32601,"message":"no"}}"#.to_owned(),
        format!(r#"{{"jsonrpc":"2.0","id":${{id}},"result":{result}}}"#),
    ]
}

/// A server that reads a message for each reply, and then nothing more; it never hangs up.
async fn reading<const N: usize>(stream: DuplexStream, replies: [String; N]) {
    let (reader, mut writer) = split(stream);
    let mut lines = BufReader::new(reader).lines();
    for reply in replies {
        let line = lines.next_line().await.unwrap().unwrap();
        let message: Value = serde_json::from_str(&line).unwrap();
        let reply = reply.replace("${id}", &message["id"].to_string()) + "\n";
        writer.write_all(reply.trim_start().as_bytes()).await.unwrap();
    }
    pending::<()>().await;
}

#[tokio::test(start_paused = true)]
async fn a_server_that_reads_nothing_more_costs_a_call_its_budget_and_no_more() {
    // The answer to this fills whatever there is to fill, and is never read.
    let id = "x".repeat(4 << 20);
    let ping = json!({ "jsonrpc": "2.0", "id": id, "method": "ping" });
    let [error, hello] = greeting();
    let replies = [error, format!("{ping}\n{hello}")];
    let server = Memory::new(move |stream| drop(tokio::spawn(reading(stream, replies.clone()))));
    let client = Client::builder(server).on_warning(|_| ()).build().unwrap();
    let call = client.call_tool("t", ()).timeout(Duration::from_secs(1)).into_future();
    let error = timeout(Duration::from_secs(300), call).await.unwrap().unwrap_err();
    assert!(matches!(error, Error::Timeout { .. }), "{error:?}");
    timeout(Duration::from_secs(300), client.close()).await.unwrap();
}
