//! Calls that need input: the rounds of the modern era.

use std::sync::Arc;

use mcp_testkit::{AskError, Server, Tool, ToolContext, Toolkit, fixtures};
use serde_json::{Value, json};

use crate::wire::{Wire, text};

fn asking() -> (Arc<Server>, Wire) {
    let server = Arc::new(fixtures::server());
    let all = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
    let wire = Wire::modern(Arc::clone(&server), all);
    (server, wire)
}

/// Answers every question of one round with `answer`.
fn retry(params: &Value, asked: &Value, answer: &Value) -> Value {
    let mut params = params.clone();
    if let Some(requests) = asked["result"]["inputRequests"].as_object() {
        let answers = requests.keys().map(|key| (key.clone(), answer.clone()));
        params["inputResponses"] = Value::Object(answers.collect());
    }
    params["requestState"] = asked["result"]["requestState"].clone();
    params
}

#[tokio::test]
async fn a_round_asks_and_the_next_one_answers() {
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    let sampled = json!({ "role": "assistant", "content": { "type": "text", "text": "short" } });
    let roots = json!({ "roots": [{ "uri": "file:///a" }] });
    let cases = [
        ("ask_name", "elicitation/create", accepted.clone(), "Hello, Ada!"),
        ("ask_name", "elicitation/create", json!({ "action": "decline" }), "Nobody, then."),
        ("ask_name", "elicitation/create", json!({ "action": "cancel" }), "Nobody, then."),
        ("summarize", "sampling/createMessage", sampled, "short"),
        ("show_roots", "roots/list", roots, "file:///a"),
        ("link_account", "elicitation/create", json!({ "action": "accept" }), "linked example"),
        ("link_account", "elicitation/create", json!({ "action": "cancel" }), "not linked"),
    ];
    for (tool, method, answer, expected) in cases {
        let (server, mut wire) = asking();
        let params = json!({ "name": tool, "arguments": {} });
        let asked = wire.request("tools/call", params.clone()).await;
        assert_eq!(asked["result"]["resultType"], "input_required");
        let requests = asked["result"]["inputRequests"].as_object().unwrap();
        assert_eq!(requests.values().next().unwrap()["method"], method);
        assert_eq!(server.parked(), 1);
        let done = wire.request("tools/call", retry(&params, &asked, &answer)).await;
        assert_eq!(text(&done), expected, "{tool}");
        assert_eq!(done["result"]["resultType"], "complete");
        assert_eq!(server.parked(), 0);
        assert_eq!(server.counters().started(tool), 1);
    }
}

#[tokio::test]
async fn each_round_of_an_interview_has_its_own_state_and_key() {
    let (_, mut wire) = asking();
    let params = json!({ "name": "interview" });
    let mut answer = wire.request("tools/call", params.clone()).await;
    let mut seen = Vec::new();
    for (field, reply) in [("name", "Ada"), ("language", "Rust"), ("color", "blue")] {
        let keys: Vec<_> = answer["result"]["inputRequests"].as_object().unwrap().keys().collect();
        assert_eq!(keys.len(), 1);
        seen.push((keys[0].clone(), answer["result"]["requestState"].clone()));
        let reply = json!({ "action": "accept", "content": { field: reply } });
        answer = wire.request("tools/call", retry(&params, &answer, &reply)).await;
    }
    assert_eq!(text(&answer), "Ada, Rust, blue");
    assert!(seen[0] != seen[1] && seen[1] != seen[2] && seen[0] != seen[2], "{seen:?}");
}

#[tokio::test]
async fn several_things_are_asked_in_one_round_and_some_left_unanswered() {
    let (_, mut wire) = asking();
    let params = json!({ "name": "consult" });
    let asked = wire.request("tools/call", params.clone()).await;
    let requests = asked["result"]["inputRequests"].as_object().unwrap();
    assert_eq!(requests.keys().collect::<Vec<_>>(), ["who", "where", "why"]);
    let mut retried = retry(&params, &asked, &json!({}));
    retried["inputResponses"].as_object_mut().unwrap().remove("why");
    let done = wire.request("tools/call", retried).await;
    assert_eq!(text(&done), "answered: where, who");
}

#[tokio::test]
async fn a_round_may_ask_nothing() {
    let (_, mut wire) = asking();
    let params = json!({ "name": "wait_a_round" });
    let asked = wire.request("tools/call", params.clone()).await;
    assert_eq!(asked["result"].get("inputRequests"), None);
    let done = wire.request("tools/call", retry(&params, &asked, &Value::Null)).await;
    assert_eq!(text(&done), "carried on");
}

#[tokio::test]
async fn an_insatiable_tool_asks_again_and_again() {
    let (server, mut wire) = asking();
    let params = json!({ "name": "insatiable" });
    let mut answer = wire.request("tools/call", params.clone()).await;
    for _ in 0..5 {
        assert_eq!(answer["result"]["resultType"], "input_required");
        let reply = json!({ "action": "accept", "content": { "more": "this" } });
        answer = wire.request("tools/call", retry(&params, &answer, &reply)).await;
    }
    assert_eq!(server.parked(), 1);
}

#[tokio::test]
async fn prompts_and_resources_ask_too() {
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    let cases = [
        ("prompts/get", json!({ "name": "introduce" }), "/messages/0/content/text", Value::Null),
        ("resources/read", json!({ "uri": "test://asked" }), "/contents/0/text", json!(3_600_000)),
    ];
    for (method, params, pointer, ttl) in cases {
        let (_, mut wire) = asking();
        let asked = wire.request(method, params.clone()).await;
        let done = wire.request(method, retry(&params, &asked, &accepted)).await;
        assert_eq!(done["result"].pointer(pointer), Some(&json!("Hello, Ada!")), "{method}");
        assert_eq!(done["result"]["ttlMs"], ttl, "{method}");
        assert_eq!(asked["result"].get("ttlMs"), None, "{method}");
    }
}

#[tokio::test]
async fn nothing_is_asked_of_a_client_that_did_not_declare_it() {
    let cases = [
        ("ask_name", json!({}), json!({ "elicitation": { "form": {} } })),
        (
            "ask_name",
            json!({ "elicitation": { "url": {} } }),
            json!({ "elicitation": { "form": {} } }),
        ),
        ("link_account", json!({ "elicitation": {} }), json!({ "elicitation": { "url": {} } })),
        ("summarize", json!({ "elicitation": {} }), json!({ "sampling": {} })),
        ("show_roots", json!({}), json!({ "roots": {} })),
        ("consult", json!({}), json!({ "elicitation": { "form": {} }, "roots": {} })),
    ];
    for (tool, declared, missing) in cases {
        let server = Arc::new(fixtures::server());
        let mut wire = Wire::modern(Arc::clone(&server), declared.clone());
        let answer = wire.call(tool, json!({})).await;
        assert_eq!(answer["error"]["code"], -32021, "{tool} {declared}");
        assert_eq!(answer["error"]["data"], json!({ "requiredCapabilities": missing }));
        assert_eq!(server.parked(), 0);
    }
}

#[tokio::test]
async fn a_retry_must_know_the_state_and_ask_for_the_same() {
    let (server, mut wire) = asking();
    let params = json!({ "name": "ask_name", "arguments": { "x": 1 } });
    let asked = wire.request("tools/call", params.clone()).await;
    let good = retry(&params, &asked, &json!({ "action": "decline" }));
    let mut invented = good.clone();
    invented["requestState"] = json!("invented");
    let mut trimmed = good.clone();
    trimmed["requestState"] = json!(good["requestState"].as_str().unwrap().trim());
    let mut changed = good.clone();
    changed["arguments"] = json!({ "x": 2 });
    for wrong in [invented, trimmed, changed] {
        let answer = wire.request("tools/call", wrong.clone()).await;
        assert_eq!(answer["error"]["code"], -32602, "{wrong}");
    }
    assert_eq!(server.parked(), 1);
    assert_eq!(text(&wire.request("tools/call", good.clone()).await), "Nobody, then.");
    assert_eq!(wire.request("tools/call", good).await["error"]["code"], -32602);
}

#[tokio::test]
async fn progress_goes_to_the_token_of_the_latest_round() {
    let server = Server::new("rounds", "1").toolkit(Toolkit::new().tool(Tool::new(
        "rounds",
        |_, context: ToolContext| async move {
            context.progress(1.0, None, None);
            context.roots().await?;
            context.progress(2.5, None, None);
            Ok::<_, AskError>("done")
        },
    )));
    let mut wire = Wire::modern(server, json!({ "roots": {} }));
    let params = json!({ "name": "rounds" });
    wire.stamp("progressToken", json!("first"));
    let asked = wire.request("tools/call", params.clone()).await;
    wire.stamp("progressToken", json!("second"));
    wire.request("tools/call", retry(&params, &asked, &json!({ "roots": [] }))).await;
    let reports: Vec<_> = wire.others.iter().map(|report| report["params"].clone()).collect();
    assert_eq!(
        reports,
        [
            json!({ "progressToken": "first", "progress": 1 }),
            json!({ "progressToken": "second", "progress": 2.5 }),
        ]
    );
}
