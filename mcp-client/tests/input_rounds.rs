//! Requests that the server answers with questions first, round by round.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod support;

use std::future::{Ready, ready};

use mcp_client::protocol::{
    CreateMessageParams, CreateMessageResult, ElicitParams, ElicitResult, ListRootsResult, Root,
    TextContent,
};
use mcp_client::{Asked, BoxError, Client, ClientBuilder, Delivery, Error};
use mcp_testkit::ScriptedServer;
use serde_json::{Value, json};

use crate::support::{Heard, Warnings, bare_params, legacy, modern, no_warning, says, text};

fn form(message: &str) -> Value {
    let schema = json!({ "type": "object", "properties": { "name": { "type": "string" } } });
    let params = json!({ "message": message, "requestedSchema": schema });
    json!({ "method": "elicitation/create", "params": params })
}

fn requires(requests: Value, state: Value) -> Value {
    let mut required = json!({ "resultType": "input_required" });
    if !requests.is_null() {
        required["inputRequests"] = requests;
    }
    if !state.is_null() {
        required["requestState"] = state;
    }
    required
}

fn accepted(value: &str) -> ElicitResult {
    let content = json!({ "name": value });
    ElicitResult::accept(content.as_object().cloned().unwrap())
}

/// Answers every form with its own question, and tells what it was asked.
fn answering(builder: ClientBuilder, heard: &Heard<String>) -> Client {
    let heard = heard.clone();
    let hook = move |asked: Asked<ElicitParams>| {
        heard.push(asked.params.message().to_owned());
        ready(Ok(accepted(asked.params.message())))
    };
    builder.on_elicit(hook).on_warning(no_warning).build().unwrap()
}

/// The parameters of every round of the only call.
fn rounds(server: &ScriptedServer) -> Vec<Value> {
    server.received("tools/call").iter().map(bare_params).collect()
}

/// B-MRTR-2: without a question there is one request, with nothing added to it.
#[tokio::test]
async fn an_answer_at_once_takes_one_request() {
    let (server, builder) = modern();
    let heard = Heard::new();
    let client = answering(builder, &heard);
    let mut result = says("done");
    result["resultType"] = json!("complete");
    server.on("tools/call").result(result);
    let result = client.call_tool("t", json!({ "a": 1 })).await.unwrap();
    assert_eq!(text(&result), "done");
    assert_eq!(rounds(&server), [json!({ "name": "t", "arguments": { "a": 1 } })]);
    assert_eq!(heard.len(), 0);
}

/// B-MRTR-5 to B-MRTR-8, B-API-1, spec 19, 20: each round is the request, the answers to the last
/// questions and the last state, byte for byte, under a new id.
#[tokio::test]
async fn each_round_is_the_request_and_what_the_last_one_asked_for() {
    let hostile = "{\"a\":\n1} e\u{301} \u{2028}\u{85} \\\" 日本 ";
    let (server, builder) = modern();
    let heard = Heard::new();
    let client = answering(builder, &heard);
    let steps = [
        (json!({ "who": form("name?") }), json!("s1")),
        (json!({ "what": form("language?") }), json!(hostile)),
        (json!({ "why": form("color?") }), json!("")),
    ];
    for (requests, state) in steps {
        server.on("tools/call").result(requires(requests, state));
    }
    server.on("tools/call").result(says("done"));
    let call = client.call_tool("t", json!({ "a": 1 })).meta("progressToken", "mine");
    assert_eq!(text(&call.await.unwrap()), "done");
    assert_eq!(heard.take(), ["name?", "language?", "color?"]);
    let round = |key: &str, answer: &str, state: &str| {
        let answer = json!({ "action": "accept", "content": { "name": answer } });
        json!({ "name": "t", "arguments": { "a": 1 }, "inputResponses": { key: answer },
                "requestState": state })
    };
    let expected = [
        json!({ "name": "t", "arguments": { "a": 1 } }),
        round("who", "name?", "s1"),
        round("what", "language?", hostile),
        round("why", "color?", ""),
    ];
    assert_eq!(rounds(&server), expected);
    let calls = server.received("tools/call");
    assert_eq!(calls.iter().map(|it| it["id"].as_u64().unwrap()).collect::<Vec<_>>(), [2, 3, 4, 5]);
    // B-PROG-8: a token of the caller's own is in every round.
    assert!(calls.iter().all(|it| it["params"]["_meta"]["progressToken"] == "mine"));
}

/// B-MRTR-7, B-MRTR-9: a state alone is sent back at once; none is ever invented.
#[tokio::test]
async fn a_state_is_sent_back_if_there_is_one() {
    let (server, builder) = modern();
    let heard = Heard::new();
    let client = answering(builder, &heard);
    server.on("tools/call").result(requires(Value::Null, json!("later")));
    server.on("tools/call").result(requires(json!({ "who": form("name?") }), json!(7)));
    server.on("tools/call").result(says("done"));
    client.call_tool("t", ()).await.unwrap();
    let answer = json!({ "action": "accept", "content": { "name": "name?" } });
    let expected = [
        json!({ "name": "t", "arguments": {} }),
        json!({ "name": "t", "arguments": {}, "requestState": "later" }),
        json!({ "name": "t", "arguments": {}, "inputResponses": { "who": answer } }),
    ];
    assert_eq!(rounds(&server), expected);
}

/// B-MRTR-3, B-MRTR-2: what cannot go on is a broken protocol, and is not asked again.
#[tokio::test]
async fn a_question_without_anything_to_ask_is_refused() {
    let cases = [
        requires(Value::Null, Value::Null),
        requires(json!({}), Value::Null),
        requires(json!([form("name?")]), Value::Null),
        requires(json!("name?"), json!(7)),
        json!({ "resultType": "daydreaming" }),
    ];
    for odd in cases {
        let (server, builder) = modern();
        let heard = Heard::new();
        let client = answering(builder, &heard);
        server.on("tools/call").result(odd.clone());
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert!(matches!(error, Error::Protocol { code: None, .. }), "{odd}: {error:?}");
        assert!(error.to_string().contains("tools/call"), "{error}");
        assert_eq!(error.delivery(), Delivery::Unknown);
        assert_eq!((rounds(&server).len(), heard.len()), (1, 0), "{odd}");
    }
}

/// B-MRTR-4: after the last round that is allowed nobody is asked any more.
#[tokio::test]
async fn the_rounds_are_counted() {
    for (budget, expected) in [(Some(1), 1), (Some(3), 3), (None, 8)] {
        let (server, builder) = modern();
        let heard = Heard::new();
        let builder = match budget {
            Some(budget) => builder.max_input_rounds(budget),
            None => builder,
        };
        let client = answering(builder, &heard);
        let insatiable = requires(json!({ "more": form("more?") }), json!("s"));
        server.on("tools/call").always().result(insatiable);
        let error = client.call_tool("t", ()).await.unwrap_err();
        assert_eq!(error.delivery(), Delivery::Answered);
        assert!(error.to_string().contains(&expected.to_string()), "{error}");
        let method = "tools/call".to_owned();
        assert_eq!(error, Error::InputLoopExceeded { rounds: expected, method });
        assert_eq!((rounds(&server).len(), heard.len()), (expected + 1, expected));
    }
}

/// B-MRTR-6, B-MRTR-12, B-MRTR-13: a question without an honest answer has none.
#[tokio::test]
async fn what_nobody_answers_is_refused_or_left_out() {
    let sampling = json!({ "method": "sampling/createMessage", "params": { "messages": [] } });
    let asked = json!({
        "form": form("name?"),
        "roots": { "method": "roots/list" },
        "sample": sampling,
        "vendor": { "method": "vendor/explain", "params": {} },
        "odd": 7,
        "url": { "method": "elicitation/create", "params": { "mode": "url", "url": "https://x" } },
        "mode": { "method": "elicitation/create", "params": { "mode": "telepathy" } },
    });
    let declined = json!({ "action": "decline" });
    let (server, builder) = modern();
    let client = builder.on_warning(no_warning).build().unwrap();
    server.on("tools/call").result(requires(asked, Value::Null));
    server.on("tools/call").result(says("done"));
    client.call_tool("t", ()).await.unwrap();
    let expected =
        json!({ "form": declined, "roots": { "roots": [] }, "url": declined, "mode": declined });
    assert_eq!(rounds(&server)[1]["inputResponses"], expected);

    // With a state the rest goes on without an answer.
    server.on("tools/call").result(requires(json!({ "sample": sampling }), json!("s")));
    server.on("tools/call").result(says("done"));
    client.call_tool("t", ()).await.unwrap();
    let expected = json!({ "name": "t", "arguments": {}, "requestState": "s" });
    assert_eq!(rounds(&server)[3], expected);

    // Without one there is nothing to go on with (B-MRTR-10, spec 18).
    server.on("tools/call").result(requires(json!({ "a": sampling, "b": 7 }), Value::Null));
    let error = client.call_tool("t", ()).await.unwrap_err();
    assert!(error.to_string().contains("sampling/createMessage"), "{error}");
    assert_eq!((error.code(), error.delivery()), (None, Delivery::Answered));
    assert_eq!(rounds(&server).len(), 5);
}

/// B-MRTR-11, spec 78, 81: each hook gets what is asked and who asks, and its answer goes out as
/// it is.
#[tokio::test]
async fn each_question_goes_to_the_hook_for_its_kind() {
    let heard = Heard::new();
    let (told, asked_model, asked_roots) = (heard.clone(), heard.clone(), heard.clone());
    let (server, builder) = modern();
    let client = builder
        .on_elicit(move |asked: Asked<ElicitParams>| {
            let ElicitParams::Form(form) = &asked.params else { panic!("{asked:?}") };
            told.push(format!("{} {}", form.message, form.requested_schema["type"]));
            ready(Ok(ElicitResult::cancel()))
        })
        .on_sample(move |asked: Asked<CreateMessageParams>| {
            asked_model.push(format!("{} of {}", asked.params.messages.len(), asked.server.name));
            ready(Ok(CreateMessageResult::new("m1", TextContent::new("short"))))
        })
        .on_list_roots(move |asked: Asked<()>| {
            asked_roots.push(format!("roots for {}", asked.server.name));
            let roots = vec![Root::new("file:///srv"), Root::new("FILE:///x")];
            ready(Ok(ListRootsResult::from(roots)))
        })
        .on_warning(no_warning)
        .build()
        .unwrap();
    let message = json!({ "role": "user", "content": { "type": "text", "text": "long" } });
    let asked = json!({
        "a": form("name?"),
        "b": { "method": "sampling/createMessage", "params": { "messages": [message] } },
        "c": { "method": "roots/list", "params": {} },
    });
    server.on("tools/call").result(requires(asked, Value::Null));
    server.on("tools/call").result(says("done"));
    client.call_tool("t", ()).await.unwrap();
    assert_eq!(heard.take(), ["name? \"object\"", "1 of scripted", "roots for scripted"]);
    let content = json!({ "type": "text", "text": "short" });
    let expected = json!({
        "a": { "action": "cancel" },
        "b": { "role": "assistant", "content": content, "model": "m1" },
        "c": { "roots": [{ "uri": "file:///srv" }, { "uri": "FILE:///x" }] },
    });
    assert_eq!(rounds(&server)[1]["inputResponses"], expected);
}

/// B-MRTR-12, spec 83: a hook that fails, panics, or names what is no root, refuses and is
/// reported; the call goes on.
#[tokio::test]
async fn a_hook_that_fails_refuses_and_is_reported() {
    type Hook = fn(Asked<ElicitParams>) -> Result<ElicitResult, BoxError>;
    let cases: [(Hook, &str); 2] = [
        (|_| Err("nobody is home".into()), "nobody is home"),
        (|_| panic!("the dialog broke"), "the dialog broke"),
    ];
    for (hook, reason) in cases {
        let (server, builder) = modern();
        let (builder, warnings) = Warnings::of(builder);
        let rounds_seen = Heard::new();
        let seen = rounds_seen.clone();
        let client = builder
            .on_elicit(move |asked: Asked<ElicitParams>| {
                seen.push(());
                let is_first = seen.len() == 1;
                async move { if is_first { hook(asked) } else { Ok(accepted("Ada")) } }
            })
            .build()
            .unwrap();
        for _ in 0..2 {
            server.on("tools/call").result(requires(json!({ "who": form("name?") }), Value::Null));
        }
        server.on("tools/call").result(says("done"));
        assert_eq!(text(&client.call_tool("t", ()).await.unwrap()), "done");
        let calls = rounds(&server);
        assert_eq!(calls[1]["inputResponses"]["who"], json!({ "action": "decline" }));
        assert_eq!(calls[2]["inputResponses"]["who"]["action"], "accept");
        let warning = warnings.one();
        assert!(warning.contains("elicitation/create") && warning.contains(reason), "{warning}");
    }
}

/// Panics before it is even a future.
fn no_model(_: Asked<CreateMessageParams>) -> Ready<Result<CreateMessageResult, BoxError>> {
    panic!("no model")
}

/// The same for the other two hooks: no roots, and no answer.
#[tokio::test]
async fn the_other_hooks_may_fail_as_well() {
    for uri in ["https://example.com", "/srv", "fil"] {
        let (server, builder) = modern();
        let (builder, warnings) = Warnings::of(builder);
        let client = builder
            .on_list_roots(move |_| ready(Ok(ListRootsResult::from(vec![Root::new(uri)]))))
            .on_sample(no_model)
            .build()
            .unwrap();
        let asked = json!({
            "r": { "method": "roots/list" },
            "s": { "method": "sampling/createMessage", "params": { "messages": [] } },
        });
        server.on("tools/call").result(requires(asked, Value::Null));
        server.on("tools/call").result(says("done"));
        client.call_tool("t", ()).await.unwrap();
        assert_eq!(rounds(&server)[1]["inputResponses"], json!({ "r": { "roots": [] } }));
        let all = warnings.all();
        assert!(all[0].contains(uri) && all[1].contains("no model"), "{all:?}");
    }
}

/// B-MRTR-1: reads and prompts take input as calls do, and in the legacy era, too.
#[tokio::test]
async fn reads_and_prompts_take_input_too() {
    for (server, builder) in [modern(), legacy()] {
        let heard = Heard::new();
        let client = answering(builder, &heard);
        for method in ["resources/read", "prompts/get"] {
            server.on(method).result(requires(json!({ "who": form("name?") }), json!("s")));
            server.on(method).result(json!({ "contents": [], "messages": [] }));
        }
        client.read_resource("test://a").await.unwrap();
        client.get_prompt("p", json!({ "x": "y" })).await.unwrap();
        let answer = json!({ "action": "accept", "content": { "name": "name?" } });
        let retry = json!({ "inputResponses": { "who": answer }, "requestState": "s" });
        let kept = [
            ("resources/read", json!({ "uri": "test://a" })),
            ("prompts/get", json!({ "name": "p", "arguments": { "x": "y" } })),
        ];
        for (method, mut expected) in kept {
            expected.as_object_mut().unwrap().extend(retry.as_object().unwrap().clone());
            assert_eq!(bare_params(&server.received(method)[1]), expected);
        }
    }
}
