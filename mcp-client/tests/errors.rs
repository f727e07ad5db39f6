//! Everything that can go wrong: what it is called, what it says, and how sure it is.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::ErrorCode;
use mcp_client::{Client, Delivery, Error, ServerGone};
use mcp_provider::{Provider, ToolCall, ToolResult};
use mcp_testkit::{Answer, RpcError, ScriptedServer, ServeEra, fixtures};
use serde_json::{Value, json};
use tokio::io::DuplexStream;

use crate::support::{Nowhere, client, modern, no_warning, says, streams};

fn gone(exit_code: Option<i32>, signal: Option<i32>, stderr_tail: &str) -> Error {
    let mut gone = ServerGone::default();
    gone.command = "srv".to_owned();
    gone.exit_code = exit_code;
    gone.signal = signal;
    gone.stderr_tail = stderr_tail.to_owned();
    Error::ServerGone { gone: Arc::new(gone), is_sent: false }
}

/// The text of each error has what somebody needs who reads only that.
#[tokio::test]
async fn errors_say_what_happened() {
    let protocol = |code| Error::Protocol {
        detail: "no such thing".to_owned(),
        code,
        data: None,
        delivery: Delivery::Answered,
    };
    let timeout = Error::Timeout {
        seconds: 5.0,
        method: "tools/call".to_owned(),
        id: Some(3),
        is_sent: true,
    };
    let unsupported = |supported: &[&str]| Error::UnsupportedVersion {
        requested: "2026-07-28".to_owned(),
        supported: supported.iter().map(|&it| it.to_owned()).collect(),
    };
    let spawn = Client::new(Nowhere::default()).era().await.unwrap_err();
    let cases = [
        (timeout, "timed out after 5s (tools/call, id 3)"),
        (
            gone(Some(2), None, "no such module\n"),
            "the server \"srv\" exited with code 2; its last words were: no such module",
        ),
        (gone(None, Some(9), ""), "the server \"srv\" was killed by signal 9"),
        (gone(None, None, ""), "the server \"srv\" is gone"),
        (protocol(Some(ErrorCode(-32000))), "no such thing (code -32000)"),
        (protocol(None), "no such thing"),
        (
            unsupported(&["a", "b"]),
            "no protocol version in common: asked for 2026-07-28, the server speaks a, b",
        ),
        (
            unsupported(&[]),
            "no protocol version in common: asked for 2026-07-28, the server speaks none that it \
             names",
        ),
        (Error::Cancelled { method: "tools/call".to_owned() }, "tools/call was cancelled"),
        (
            Error::InputLoopExceeded { rounds: 8, method: "tools/call".to_owned() },
            "tools/call still needs input after 8 rounds (raise `max_input_rounds`)",
        ),
        (Error::TransportClosed { is_sent: true }, "the connection is closed"),
        (spawn, "could not start no-such-server --stdio: not found"),
    ];
    for (error, expected) in cases {
        assert_eq!(error.to_string(), expected);
    }
    assert_eq!(gone(Some(1), None, "tail").stderr_tail(), Some("tail"));
    assert_eq!(protocol(None).stderr_tail(), None);
}

/// B-ERR-2, B-ERR-3: a server's error is passed on as it is; no code is no code, and not zero.
#[tokio::test]
async fn the_servers_error_is_passed_on_as_it_is() {
    let cases = [
        (
            json!({ "code": -32000, "message": "m", "data": { "a": [1, null] } }),
            Some(-32000),
            json!({ "a": [1, null] }),
        ),
        (json!({ "code": 0, "message": "m", "data": "text" }), Some(0), json!("text")),
        (json!({ "code": "-32000", "message": "m" }), None, Value::Null),
        (json!({ "message": "m", "data": null }), None, Value::Null),
        (json!({ "code": null, "message": "m", "data": false }), None, json!(false)),
    ];
    for (error, code, data) in cases {
        let (server, builder) = modern();
        let client = builder.on_warning(no_warning).build().unwrap();
        let line = format!(r#"{{"jsonrpc":"2.0","id":${{id}},"error":{error}}}"#) + "\n";
        server.on("tools/call").raw(line);
        let found = client.call_tool("t", ()).await.unwrap_err();
        assert_eq!(found.code().map(|code| code.0), code, "{error}");
        assert_eq!(found.delivery(), Delivery::Answered);
        let Error::Protocol { detail, data: found, .. } = found else { panic!("{found}") };
        assert_eq!((&*detail, *found.unwrap_or_default()), ("m", data), "{error}");
    }
}

/// Spec 4: "not found", as either era says it.
#[tokio::test]
async fn a_resource_that_is_not_there_is_told_apart() {
    for (code, expected) in [(-32602, true), (-32002, true), (-32603, false)] {
        let (server, builder) = modern();
        let client = builder.build().unwrap();
        server.on("resources/read").error(code, "no", None);
        let error = client.read_resource("test://a").await.unwrap_err();
        assert_eq!(error.is_resource_not_found(), expected, "{code}");
    }
}

/// B-ERR-1: a tool that fails is a result.
#[tokio::test]
async fn a_tool_that_fails_is_a_result() {
    let (client, _) = client(fixtures::server(), ServeEra::Both);
    let result = client.call_tool("dying", json!({ "reason": "of thirst" })).await.unwrap();
    assert!(result.is_error());
}

/// The only result of a call to a server that was told what to say.
async fn outcome(server: &ScriptedServer, stream: DuplexStream) -> ToolResult {
    server.on("tools/list").always().error(-32603, "not today", None);
    let client = Client::builder(streams([stream])).on_warning(|_| ()).build().unwrap();
    client.execute_tool_calls(vec![ToolCall::new("1", "t", json!({}))]).await.remove(0)
}

/// How sure each failure is; what may have run says so to the model.
#[tokio::test(start_paused = true)]
async fn every_failure_says_how_sure_it_is() {
    use Delivery::{Answered, NotSent, Unknown};
    let required = |asked: Value, state: Value| {
        let kind = "input_required";
        Answer::Result(json!({ "resultType": kind, "inputRequests": asked, "requestState": state }))
    };
    let broken = "{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":{]}\n";
    let unanswerable = json!({ "a": { "method": "vendor/x" } });
    let cases = [
        (Answer::Result(says("done")), Answered),
        (Answer::Result(json!({ "content": [], "isError": true })), Answered),
        (Answer::Error(RpcError::new(-32603, "no")), Answered),
        (Answer::Silence, Unknown),
        (Answer::HangUp, Unknown),
        (Answer::Result(json!("text")), Unknown),
        (Answer::Result(json!({ "resultType": "x" })), Unknown),
        (Answer::Raw(broken.as_bytes().to_vec()), Unknown),
        (required(Value::Null, Value::Null), Unknown),
        (required(Value::Null, json!("s")), Answered),
        (required(unanswerable, Value::Null), Answered),
    ];
    for (answer, expected) in cases {
        let case = format!("{answer:?}");
        let (server, stream) = ScriptedServer::modern(json!({}));
        server.on("tools/call").always().answer(answer);
        let result = outcome(&server, stream).await;
        assert_eq!(result.delivery, expected, "{case}: {result:?}");
        let warns_the_model = result.content.contains("check before you repeat it");
        assert_eq!(warns_the_model, expected == Unknown, "{case}: {result:?}");
    }
    // What went wrong before the call was sent says nothing about the call.
    let cases = [
        (Answer::HangUp, Answer::Silence),
        (Answer::Error(RpcError::new(-32601, "no")), Answer::Silence),
        (Answer::Error(RpcError::new(-32601, "no")), Answer::Error(RpcError::new(-32603, "no"))),
        (Answer::Error(RpcError::new(-32601, "no")), Answer::HangUp),
        (Answer::Error(RpcError::new(-32601, "no")), Answer::Result(json!("text"))),
    ];
    for (probe, handshake) in cases {
        let case = format!("{probe:?} {handshake:?}");
        let (server, stream) = ScriptedServer::start();
        server.on("server/discover").answer(probe);
        server.on("initialize").answer(handshake);
        let result = outcome(&server, stream).await;
        assert_eq!((result.delivery, result.is_error), (NotSent, true), "{case}: {result:?}");
    }
}

/// What never leaves certainly did not run.
#[tokio::test(start_paused = true)]
async fn what_never_leaves_did_not_run() {
    let closed = Client::new(Nowhere::default());
    closed.close().await;
    let (server, stream) = ScriptedServer::start();
    server.on("server/discover").always().silence();
    server.on("initialize").always().silence();
    let slow =
        Client::builder(streams([stream])).request_timeout(Duration::from_secs(2)).build().unwrap();
    let refusing = |code: i64, data: Value| {
        let (server, stream) = ScriptedServer::start();
        server.on("server/discover").error(code, "no", Some(data));
        (server, Client::new(streams([stream])))
    };
    let (_other, unsupported) = refusing(-32022, json!({ "supported": ["2027-01-01"] }));
    let (fixture, _) = client(fixtures::server(), ServeEra::Both);
    let cases = [
        (Client::new(Nowhere::default()), "t", json!({}), "could not start"),
        (closed, "t", json!({}), "closed"),
        (slow, "t", json!({}), "timed out"),
        (unsupported, "t", json!({}), "no protocol version in common"),
        (fixture.clone(), "nope", json!({}), "Unknown tool: 'nope'"),
        (fixture, "echo", json!([1]), "must be a JSON object"),
    ];
    for (client, name, arguments, expected) in cases {
        let results = client.execute_tool_calls(vec![ToolCall::new("1", name, arguments)]).await;
        assert_eq!(results[0].delivery, Delivery::NotSent, "{results:?}");
        assert!(results[0].is_error && results[0].content.contains(expected), "{results:?}");
    }
}
