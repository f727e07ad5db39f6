//! What the versions with a handshake ask of a server.

use mcp_testkit::{Change, ServeEra, fixtures};
use serde_json::{Value, json};
use std::sync::Arc;

use crate::wire::{Wire, text};

#[tokio::test]
async fn the_version_is_negotiated() {
    let all: &[&str] = &["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
    let cases = [
        (all, "2025-11-25", "2025-11-25"),
        (all, "2025-06-18", "2025-06-18"),
        (all, "2025-03-26", "2025-03-26"),
        (all, "2024-11-05", "2024-11-05"),
        (all, "2030-01-01", "2025-11-25"),
        (&["2024-11-05"], "2025-11-25", "2024-11-05"),
    ];
    for (known, requested, expected) in cases {
        let server = fixtures::server().legacy_versions(known);
        let mut wire = Wire::new(server, ServeEra::Legacy);
        let params = json!({ "protocolVersion": requested, "capabilities": {} });
        let answer = wire.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], expected, "{known:?} {requested}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "test-kit");
        assert_eq!(answer["result"]["instructions"], "Made for tests.");
        assert_eq!(answer["result"].get("resultType"), None);
    }
}

#[tokio::test]
async fn nothing_but_a_ping_comes_before_the_handshake() {
    let mut wire = Wire::new(fixtures::server(), ServeEra::Both);
    assert_eq!(wire.request("ping", json!({})).await["result"], json!({}));
    assert_eq!(wire.request("tools/list", json!({})).await["error"]["code"], -32600);
}

#[tokio::test]
async fn a_legacy_server_does_not_know_the_probe() {
    let meta = json!({ "_meta": {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }});
    let mut wire = Wire::new(fixtures::server(), ServeEra::Legacy);
    let answer = wire.request("server/discover", meta.clone()).await;
    assert_eq!(answer["result"]["supportedVersions"], json!([]));
    let mut wire = Wire::new(fixtures::server().without_discover(), ServeEra::Legacy);
    let answer = wire.request("server/discover", meta).await;
    assert_eq!(answer["error"]["code"], -32601);
}

#[tokio::test]
async fn results_carry_nothing_modern() {
    let mut wire =
        Wire::legacy(fixtures::server().cache("tools/list", 9, "public"), json!({})).await;
    for (method, params) in [
        ("tools/list", json!({})),
        ("tools/call", json!({ "name": "bare" })),
        ("resources/read", json!({ "uri": "test://cached" })),
    ] {
        let result = &wire.request(method, params).await["result"];
        for key in ["resultType", "ttlMs", "cacheScope", "_meta"] {
            assert_eq!(result.get(key), None, "{method} {key}");
        }
    }
}

#[tokio::test]
async fn the_log_level_is_set_for_the_session() {
    let mut wire = Wire::legacy(fixtures::server(), json!({})).await;
    wire.call("noisy", json!({ "level": "debug", "text": "before" })).await;
    assert_eq!(
        wire.request("logging/setLevel", json!({ "level": "error" })).await["result"],
        json!({})
    );
    wire.call("noisy", json!({ "level": "warning", "text": "after" })).await;
    wire.call("noisy", json!({ "level": "alert", "text": "loud" })).await;
    let logged: Vec<_> = wire.others.iter().map(|log| log["params"]["data"].clone()).collect();
    assert_eq!(logged, ["before", "loud"]);
    let answer = wire.request("logging/setLevel", json!({ "level": "chatty" })).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn the_server_asks_with_requests_of_its_own() {
    let all = json!({ "elicitation": { "form": {}, "url": {} }, "sampling": {}, "roots": {} });
    let sampled = json!({ "role": "assistant", "content": { "type": "text", "text": "short" } });
    let roots = json!({ "roots": [{ "uri": "file:///a" }, { "uri": "file:///b" }] });
    let accepted = json!({ "action": "accept", "content": { "name": "Ada" } });
    let cases = [
        ("ask_name", "elicitation/create", accepted.clone(), "Hello, Ada!"),
        ("ask_name", "elicitation/create", json!({ "action": "decline" }), "Nobody, then."),
        ("ask_name", "elicitation/create", json!({ "action": "cancel" }), "Nobody, then."),
        ("summarize", "sampling/createMessage", sampled, "short"),
        ("show_roots", "roots/list", roots, "file:///a\nfile:///b"),
        ("show_roots", "roots/list", json!({ "roots": [] }), "no roots"),
        ("link_account", "elicitation/create", accepted, "linked example"),
    ];
    for (tool, method, answer, expected) in cases {
        let mut wire = Wire::legacy(fixtures::server(), all.clone()).await;
        let id = wire.start("tools/call", json!({ "name": tool })).await;
        let asked = wire.next().await;
        assert_eq!(asked["method"], method);
        let has_id = asked["params"].get("elicitationId").is_some();
        assert_eq!(has_id, tool == "link_account", "{asked}");
        wire.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "result": answer })).await;
        assert_eq!(text(&wire.answer(id).await), expected, "{tool}");
    }
}

#[tokio::test]
async fn an_error_for_an_answer_and_a_missing_capability_fail_the_tool() {
    let mut wire = Wire::legacy(fixtures::server(), json!({ "roots": {} })).await;
    let id = wire.start("tools/call", json!({ "name": "show_roots" })).await;
    let asked = wire.next().await;
    let error = json!({ "code": -32601, "message": "Method not found" });
    wire.send(&json!({ "jsonrpc": "2.0", "id": asked["id"], "error": error })).await;
    let answer = wire.answer(id).await;
    assert_eq!(text(&answer), "The client gave no answer");
    assert_eq!(answer["result"]["isError"], true);

    let answer = wire.call("summarize", json!({ "text": "long" })).await;
    assert_eq!(text(&answer), "The client did not declare the capability: sampling");
    assert_eq!(answer["result"]["isError"], true);
}

#[tokio::test]
async fn resources_are_subscribed_to_one_by_one() {
    let server = Arc::new(fixtures::server());
    let mut wire = Wire::legacy(Arc::clone(&server), json!({})).await;
    let uri = json!({ "uri": "test://volatile" });
    wire.call("touch_resource", json!({})).await;
    wire.request("resources/subscribe", uri.clone()).await;
    wire.call("touch_resource", json!({})).await;
    wire.call("touch_resource", json!({ "uri": "test://cached" })).await;
    wire.request("resources/unsubscribe", uri.clone()).await;
    wire.call("touch_resource", json!({})).await;
    server.changed(&Change::Prompts);
    wire.request("ping", json!({})).await;
    let told: Vec<(Value, Value)> =
        wire.others.iter().map(|it| (it["method"].clone(), it["params"].clone())).collect();
    assert_eq!(
        told,
        [
            (json!("notifications/resources/updated"), uri),
            (json!("notifications/prompts/list_changed"), Value::Null),
        ]
    );
}

#[tokio::test]
async fn a_resource_that_is_not_there_has_a_code_of_its_own() {
    let mut wire = Wire::legacy(fixtures::server(), json!({})).await;
    let answer = wire.request("resources/read", json!({ "uri": "test://absent" })).await;
    assert_eq!(answer["error"]["code"], -32002);
}
