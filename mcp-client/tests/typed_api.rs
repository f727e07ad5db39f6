//! Requests and results as Rust types: what is sent, and what comes back.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::time::Duration;

use mcp_client::protocol::{
    CompleteParams, CompletionArgument, ErrorCode, LoggingLevel, PromptReference,
};
use mcp_client::{Client, Delivery, Error};
use mcp_testkit::{ServeEra, Tool, Toolkit, fixtures};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::support::{LOG_LEVEL, bare_params, client, legacy, modern, no_warning, says, text};

/// B-API-5: lists come in the server's order, complete, and each costs one request.
#[tokio::test]
async fn lists_come_as_the_server_orders_them() {
    for era in [ServeEra::Modern, ServeEra::Legacy] {
        let (client, server) = client(fixtures::server(), era);
        let tools = client.list_tools().await.unwrap();
        let names: Vec<_> = tools.iter().map(|tool| &*tool.name).collect();
        assert!(names.is_sorted() && names.contains(&"echo"), "{names:?}");
        let echo = tools.iter().find(|tool| tool.name == "echo").unwrap();
        assert_eq!(echo.description.as_deref(), Some("Says what it is told"));
        let schema: Value = serde_json::from_str(echo.input_schema.as_str()).unwrap();
        assert_eq!(schema["required"], json!(["text"]));
        assert_eq!(schema["properties"]["text"], json!({ "type": "string" }));

        let resources = client.list_resources().await.unwrap();
        assert!(resources.iter().map(|it| &it.uri).is_sorted());
        assert!(resources.iter().any(|it| it.uri == "test://cached"));
        let templates = client.list_resource_templates().await.unwrap();
        assert_eq!(templates[0].uri_template, "test://notes/{name}");
        let prompts = client.list_prompts().await.unwrap();
        assert_eq!(prompts[0].name, "greeting");
        assert_eq!(prompts[0].arguments.as_ref().unwrap()[0].name, "name");

        for method in ["tools/list", "resources/list", "resources/templates/list", "prompts/list"] {
            let received = server.received_method(method);
            assert_eq!(received.len(), 1, "{method}");
            assert_eq!(bare_params(&received[0]).as_object().map_or(0, |it| it.len()), 0);
        }
    }
}

/// B-API-5: what is no list is an empty one; what cannot be read is left out and warned about.
#[tokio::test]
async fn odd_lists_are_read_as_far_as_they_can_be() {
    let tool = |name: &str| json!({ "name": name, "inputSchema": {} });
    let cases = [
        (json!({}), vec![], 0),
        (json!({ "tools": "none" }), vec![], 0),
        (json!({ "tools": null }), vec![], 0),
        (json!({ "tools": [tool("b"), tool("a"), tool("b")] }), vec!["b", "a", "b"], 0),
        (json!({ "tools": [7, tool("a"), { "title": "no name" }] }), vec!["a"], 1),
    ];
    for (result, expected, warned) in cases {
        let (server, builder) = modern();
        let (builder, warnings) = support::Warnings::of(builder);
        let client = builder.build().unwrap();
        server.on("tools/list").result(result.clone());
        let tools = client.list_tools().await.unwrap();
        assert_eq!(tools.iter().map(|it| &*it.name).collect::<Vec<_>>(), expected, "{result}");
        assert_eq!(warnings.all().len(), warned, "{result} {warnings:?}");
    }
}

/// A server that offers nothing of a kind has none of it, and need not know the method.
#[tokio::test]
async fn a_list_that_the_server_does_not_know_is_empty() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    for method in ["prompts/list", "resources/list", "resources/templates/list"] {
        server.on(method).error(-32601, "Method not found", None);
    }
    assert!(client.list_prompts().await.unwrap().is_empty());
    assert!(client.list_resources().await.unwrap().is_empty());
    assert!(client.list_resource_templates().await.unwrap().is_empty());
}

/// B-API-6, B-API-7: exactly what is sent.
#[tokio::test]
async fn parameters_are_exactly_what_was_said() {
    #[derive(Serialize)]
    struct Arguments {
        text: &'static str,
    }
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/call").always().result(says("hi"));
    server.on("resources/read").always().result(json!({ "contents": [] }));
    server.on("prompts/get").always().result(json!({ "messages": [] }));
    client.call_tool("t", ()).await.unwrap();
    client.call_tool("t", json!({})).await.unwrap();
    client.call_tool("t", Arguments { text: "e\u{301} \u{2028}" }).await.unwrap();
    // Raw JSON may stand on several lines, and a message may not.
    let raw = RawValue::from_string("{\n  \"n\": 1.50,\r\n \"s\": \"a\\nb\" }".to_owned()).unwrap();
    client.call_tool("t", &raw).await.unwrap();
    client.read_resource("test://e\u{301}").await.unwrap();
    client.get_prompt("p", ()).await.unwrap();
    client.get_prompt("p", json!({})).await.unwrap();
    client.get_prompt("p", json!({ "name": "Ada" })).await.unwrap();
    let lines = server.lines();
    assert!(lines[4].contains(r#""arguments":{   "n": 1.50,   "s": "a\nb" }"#), "{}", lines[4]);
    assert!(lines[3].contains("e\u{301} \u{2028}"), "{}", lines[3]);
    let params: Vec<_> = server.messages().iter().map(bare_params).collect();
    let expected = [
        json!({}),
        json!({ "name": "t", "arguments": {} }),
        json!({ "name": "t", "arguments": {} }),
        json!({ "name": "t", "arguments": { "text": "e\u{301} \u{2028}" } }),
        Value::Null,
        json!({ "uri": "test://e\u{301}" }),
        json!({ "name": "p" }),
        json!({ "name": "p" }),
        json!({ "name": "p", "arguments": { "name": "Ada" } }),
    ];
    for (number, (found, expected)) in params.iter().zip(expected).enumerate() {
        if !expected.is_null() {
            assert_eq!(*found, expected, "{number}");
        }
    }
    // B-API-1, spec 2: one counter for all of them.
    for (number, line) in lines.iter().enumerate() {
        assert!(line.contains(&format!("\"id\":{},", number + 1)), "{line}");
    }
}

/// B-API-6: arguments that are no object are refused before anything is sent.
#[tokio::test]
async fn arguments_must_be_an_object() {
    let nowhere = support::Nowhere::default();
    let client = Client::new(nowhere.clone());
    for arguments in [json!([1]), json!("text"), json!(7), json!(true)] {
        let error = client.call_tool("t", &arguments).await.unwrap_err();
        assert!(error.to_string().contains("must be a JSON object"), "{error}");
        assert_eq!(error.delivery(), Delivery::NotSent);
        assert!(client.get_prompt("p", &arguments).await.is_err());
    }
    assert_eq!(nowhere.attempts(), 0);
}

/// Members of one's own in `_meta`, which never push out the stamp.
#[tokio::test]
async fn a_request_may_carry_members_of_its_own() {
    let stamped = "io.modelcontextprotocol/protocolVersion";
    for (is_modern, (server, builder)) in [(true, modern()), (false, legacy())] {
        let client = builder.on_warning(no_warning).build().unwrap();
        server.on("tools/call").result(says("hi"));
        let call = client.call_tool("t", ()).meta("traceparent", "00-1-2-01").meta(stamped, "mine");
        call.await.unwrap();
        let meta = &server.received("tools/call")[0]["params"]["_meta"];
        assert_eq!(meta["traceparent"], "00-1-2-01");
        assert_eq!(meta[stamped], if is_modern { "2026-07-28" } else { "mine" });
    }
}

/// B-API-9, spec 1: only three methods take input; nothing else is asked again, and nothing is kept.
#[tokio::test]
async fn a_result_that_is_not_the_whole_answer_is_refused() {
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    let asks = json!({ "resultType": "input_required", "requestState": "s", "ttlMs": 60_000 });
    for odd in [asks, json!({ "resultType": "daydreaming", "ttlMs": 60_000 })] {
        for method in
            ["tools/list", "resources/list", "prompts/list", "ping", "completion/complete"]
        {
            server.on(method).result(odd.clone());
        }
        let params =
            CompleteParams::new(PromptReference::new("p"), CompletionArgument::new("a", ""));
        let errors = [
            client.list_tools().await.unwrap_err(),
            client.list_resources().await.unwrap_err(),
            client.list_prompts().await.unwrap_err(),
            client.ping().await.unwrap_err(),
            client.complete(params).await.unwrap_err(),
        ];
        let methods =
            ["tools/list", "resources/list", "prompts/list", "ping", "completion/complete"];
        for (error, method) in errors.iter().zip(methods) {
            assert!(matches!(error, Error::Protocol { code: None, .. }), "{error:?}");
            assert!(error.to_string().contains(method), "{error}");
        }
    }
    server.on("tools/list").result(json!({ "tools": [], "ttlMs": 60_000 }));
    assert!(client.list_tools().await.unwrap().is_empty());
    assert_eq!(server.received("tools/list").len(), 3);
}

/// Spec 94: a word that the legacy era does not know means nothing there.
#[tokio::test]
async fn a_legacy_result_may_have_a_member_of_that_name() {
    let (server, builder) = legacy();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/call").result(json!({ "content": [], "resultType": "mine" }));
    assert!(!client.call_tool("t", ()).await.unwrap().is_error());
    server.on("tools/list").result(json!({ "tools": [], "resultType": "mine" }));
    assert!(client.list_tools().await.unwrap().is_empty());
}

/// Results come back whole, in both eras.
#[tokio::test]
async fn results_come_back_whole() {
    for era in [ServeEra::Modern, ServeEra::Legacy] {
        let (client, _) = client(fixtures::server(), era);
        let echo = client.call_tool("echo", json!({ "text": "hello" })).await.unwrap();
        assert_eq!((text(&echo), echo.is_error()), ("hello", false));
        let dying = client.call_tool("dying", ()).await.unwrap();
        assert_eq!((text(&dying), dying.is_error()), ("the well ran dry", true));
        let read = client.read_resource("test://volatile").await.unwrap();
        assert_eq!(read.contents[0].text.as_deref(), Some("volatile body"));
        let prompt = client.get_prompt("greeting", json!({ "name": "Ada" })).await.unwrap();
        assert_eq!(prompt.messages[0].content.as_text(), Some("Hello, Ada!"));
        let params = CompleteParams::new(
            PromptReference::new("greeting"),
            CompletionArgument::new("name", "A"),
        );
        assert_eq!(client.complete(params).await.unwrap().completion.values, ["Ada", "Alan"]);
        // Spec 45, 92: the level is a request of its own, or part of each.
        client.set_log_level(LoggingLevel::Debug).await.unwrap();
    }
}

/// The server's own errors, with the code that each era has for "not found" (spec 4).
#[tokio::test]
async fn what_the_server_does_not_have_is_its_error() {
    for era in [ServeEra::Modern, ServeEra::Legacy] {
        let (client, _) = client(fixtures::server(), era);
        let errors = [
            client.call_tool("nope", ()).await.unwrap_err(),
            client.get_prompt("nope", ()).await.unwrap_err(),
        ];
        for error in errors {
            assert_eq!(error.code(), Some(ErrorCode::INVALID_PARAMS), "{error}");
        }
        let missing = client.read_resource("test://nope").await.unwrap_err();
        assert!(missing.is_resource_not_found(), "{missing}");
        let Error::Protocol { data, .. } = missing else { panic!("{missing}") };
        assert_eq!(data.as_deref(), Some(&json!({ "uri": "test://nope" })));
    }
}

/// B-API-8: the budget of a call, which is not that of the client.
#[tokio::test(start_paused = true)]
async fn a_call_may_have_a_budget_of_its_own() {
    let minute = Duration::from_secs(60);
    let second = Duration::from_secs(1);
    let (server, builder) = modern();
    let client = builder.connect().await.unwrap();
    server.on("tools/call").always().silence();
    let cases: [(Option<Duration>, Option<Duration>); 4] = [
        (None, Some(minute)),
        (Some(second), Some(second)),
        (Some(Duration::ZERO), None),
        (Some(Duration::MAX), None),
    ];
    for (set, expected) in cases {
        let call = client.call_tool("t", ());
        let call = match set {
            Some(budget) => call.timeout(budget),
            None => call,
        };
        let start = tokio::time::Instant::now();
        let outcome = tokio::time::timeout(100 * minute, async { call.await }).await;
        match expected {
            Some(budget) => {
                assert!(matches!(outcome, Ok(Err(Error::Timeout { .. }))), "{outcome:?}");
                assert_eq!(start.elapsed(), budget);
            }
            None => assert!(outcome.is_err(), "{outcome:?}"),
        }
    }
    let call = client.call_tool("t", ()).timeout(second).no_timeout();
    assert!(tokio::time::timeout(100 * minute, async { call.await }).await.is_err());
}

/// B-API-15: annotations of a tool; nothing where there are none or they cannot be known.
#[tokio::test]
async fn annotations_of_a_tool_can_be_looked_up() {
    let (client, _) = client(fixtures::server(), ServeEra::Both);
    let peek = client.tool_annotations("peek").await;
    assert_eq!((peek.read_only_hint, peek.idempotent_hint), (Some(true), Some(true)));
    for name in ["touch", "nope"] {
        assert_eq!(client.tool_annotations(name).await, Default::default(), "{name}");
    }
    let closed = Client::new(support::Nowhere::default());
    assert_eq!(closed.tool_annotations("peek").await, Default::default());

    let (server, builder) = modern();
    let client = builder.build().unwrap();
    let tools = json!([
        { "name": "t", "annotations": { "title": "first" } },
        { "name": "t", "annotations": { "title": "second" } },
        { "name": "t" },
    ]);
    server.on("tools/list").result(json!({ "tools": tools }));
    assert_eq!(client.tool_annotations("t").await.title.as_deref(), Some("second"));
}

/// B-ASYNC-1, B-ASYNC-2: answers find their calls, whatever finishes first.
#[tokio::test(start_paused = true)]
async fn calls_at_the_same_time_get_their_own_answers() {
    let wait = |ms: u64| json!({ "ms": ms });
    let (client, server) = client(fixtures::server(), ServeEra::Both);
    let (slow, quick, dying, echo) = tokio::join!(
        client.call_tool("slow", wait(300)),
        client.call_tool("slow", wait(10)),
        client.call_tool("dying", ()),
        client.call_tool("echo", json!({ "text": "hi" })),
    );
    let answers = [slow.unwrap(), quick.unwrap(), dying.unwrap(), echo.unwrap()];
    let texts: Vec<_> = answers.iter().map(text).collect();
    assert_eq!(texts, ["slept 300 ms", "slept 10 ms", "the well ran dry", "hi"]);
    assert!(server.counters().peak() >= 2);
}

/// Spec 55: a resource without contents is there.
#[tokio::test]
async fn a_resource_may_be_empty() {
    let (server, builder) = modern();
    let client = builder.build().unwrap();
    server.on("resources/read").result(json!({ "contents": [] }));
    assert!(client.read_resource("test://empty").await.unwrap().contents.is_empty());
}

/// Spec 45: a modern server logs at the level that the last requests asked for.
#[tokio::test]
async fn the_log_level_of_a_modern_server_changes_with_the_next_request() {
    let toolkit = Toolkit::new().tool(Tool::new("t", |_, _| async { "hi" }));
    let (client, server) =
        client(mcp_testkit::Server::new("s", "1").toolkit(toolkit), ServeEra::Modern);
    client.call_tool("t", ()).await.unwrap();
    client.set_log_level(LoggingLevel::Alert).await.unwrap();
    client.call_tool("t", ()).await.unwrap();
    let calls = server.received_method("tools/call");
    let levels: Vec<_> = calls.iter().map(|it| &it["params"]["_meta"][LOG_LEVEL]).collect();
    assert_eq!(levels, [&Value::Null, &json!("alert")]);
}
