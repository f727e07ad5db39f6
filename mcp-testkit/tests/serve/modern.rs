//! What 2026-07-28 asks of a server.

use mcp_testkit::{ServeEra, Server, fixtures};
use serde_json::{Value, json};

use crate::wire::{Wire, text};

#[tokio::test]
async fn discovery_names_versions_capabilities_and_the_server() {
    let server = fixtures::server().cache("server/discover", 1000, "public");
    let answer = Wire::modern(server, json!({})).request("server/discover", json!({})).await;
    let result = &answer["result"];
    assert_eq!(result["supportedVersions"], json!(["2026-07-28"]));
    assert_eq!(result["resultType"], "complete");
    assert_eq!(result["instructions"], "Made for tests.");
    assert_eq!(result["capabilities"]["tools"]["listChanged"], true);
    assert_eq!(result["capabilities"]["completions"], json!({}));
    assert_eq!(result["ttlMs"], 1000);
    assert_eq!(result["cacheScope"], "public");
    let info = &result["_meta"]["io.modelcontextprotocol/serverInfo"];
    assert_eq!(info, &json!({ "name": "test-kit", "version": "0.1.0" }));
}

#[tokio::test]
async fn requests_are_refused_before_anything_runs() {
    let version = "io.modelcontextprotocol/protocolVersion";
    let capabilities = "io.modelcontextprotocol/clientCapabilities";
    let unsupported =
        |requested: &str| json!({ "supported": ["2026-07-28"], "requested": requested });
    let cases = [
        ("tools/list", json!({}), -32022, unsupported("")),
        ("server/discover", json!({}), -32022, unsupported("")),
        ("tools/list", json!({ version: "2030-01-01" }), -32022, unsupported("2030-01-01")),
        ("tools/list", json!({ version: "2025-11-25" }), -32022, unsupported("2025-11-25")),
        ("tools/list", json!({ version: "2026-07-28" }), -32602, Value::Null),
        ("initialize", json!({}), -32601, Value::Null),
        ("ping", json!({ version: "2026-07-28", capabilities: {} }), -32601, Value::Null),
        (
            "logging/setLevel",
            json!({ version: "2026-07-28", capabilities: {} }),
            -32601,
            Value::Null,
        ),
        (
            "resources/subscribe",
            json!({ version: "2026-07-28", capabilities: {} }),
            -32601,
            Value::Null,
        ),
    ];
    let mut wire = Wire::new(fixtures::server(), ServeEra::Modern);
    for (method, meta, code, data) in cases {
        let answer = wire.request(method, json!({ "_meta": meta })).await;
        assert_eq!(answer["error"]["code"], code, "{method} {meta}");
        assert_eq!(answer["error"].get("data").unwrap_or(&Value::Null), &data, "{method} {meta}");
    }
}

#[tokio::test]
async fn a_server_of_both_eras_offers_both_when_it_refuses_a_version() {
    let mut wire = Wire::modern(fixtures::server(), json!({}));
    wire.stamp("io.modelcontextprotocol/protocolVersion", json!("2030-01-01"));
    let answer = wire.request("server/discover", json!({})).await;
    assert_eq!(answer["error"]["data"]["supported"], json!(["2026-07-28", "2025-11-25"]));
}

#[tokio::test]
async fn only_what_is_configured_may_be_kept() {
    let server = fixtures::server().cache("tools/list", 60_000, "private");
    let mut wire = Wire::modern(server, json!({}));
    let cases = [
        ("tools/list", json!({}), json!(60_000), json!("private")),
        ("prompts/list", json!({}), Value::Null, Value::Null),
        ("resources/read", json!({ "uri": "test://cached" }), json!(3_600_000), json!("public")),
        ("resources/read", json!({ "uri": "test://volatile" }), Value::Null, Value::Null),
    ];
    for (method, params, ttl, scope) in cases {
        let answer = wire.request(method, params.clone()).await;
        assert_eq!(answer["result"]["resultType"], "complete", "{method} {params}");
        assert_eq!(answer["result"]["ttlMs"], ttl, "{method} {params}");
        assert_eq!(answer["result"]["cacheScope"], scope, "{method} {params}");
    }
}

#[tokio::test]
async fn logs_come_only_to_requests_that_ask_for_their_level() {
    let cases = [
        (None, "emergency", false),
        (Some("info"), "debug", false),
        (Some("info"), "info", true),
        (Some("info"), "error", true),
        (Some("chatty"), "error", false),
    ];
    for (wanted, level, expected) in cases {
        let mut wire = Wire::modern(fixtures::test_server(), json!({}));
        if let Some(wanted) = wanted {
            wire.stamp("io.modelcontextprotocol/logLevel", json!(wanted));
        }
        let answer = wire.call("noisy", json!({ "level": level, "text": "boo" })).await;
        assert_eq!(text(&answer), format!("logged at {level}"));
        let params = json!({ "level": level, "logger": "test-kit", "data": "boo" });
        let log = json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": params });
        let expected = if expected { vec![log] } else { Vec::new() };
        assert_eq!(wire.others, expected, "{wanted:?} {level}");
    }
}

#[tokio::test]
async fn progress_comes_only_to_requests_with_a_token() {
    let cases = [(json!("p-1"), 3), (json!(7), 3), (Value::Null, 0), (json!(["odd"]), 0)];
    for (token, expected) in cases {
        let mut wire = Wire::modern(fixtures::server(), json!({}));
        wire.stamp("progressToken", token.clone());
        let answer = wire.call("march", json!({})).await;
        assert_eq!(text(&answer), format!("step done: {expected} of 3"), "{token}");
        assert_eq!(wire.others.len(), expected, "{token}");
        for (index, report) in wire.others.iter().enumerate() {
            let step = index + 1;
            let message = format!("step {step}");
            let params =
                json!({ "progressToken": token, "progress": step, "total": 3, "message": message });
            assert_eq!(report["params"], params);
        }
    }
}

#[tokio::test]
async fn unknown_things_are_invalid_parameters() {
    let mut wire = Wire::modern(fixtures::server(), json!({}));
    let cases = [
        ("tools/call", json!({ "name": "absent" }), -32602),
        ("tools/call", json!({ "name": "echo", "arguments": [1] }), -32602),
        ("prompts/get", json!({ "name": "absent" }), -32602),
        ("resources/read", json!({ "uri": "test://absent" }), -32602),
        ("vendor/unknown", json!({}), -32601),
        ("tools/call", json!({ "name": "refused" }), -32000),
    ];
    for (method, params, code) in cases {
        let answer = wire.request(method, params.clone()).await;
        assert_eq!(answer["error"]["code"], code, "{method} {params}");
    }
    let refused = wire.call("refused", json!({})).await;
    assert_eq!(refused["error"]["data"], json!({ "floor": 3 }));
}

#[tokio::test]
async fn a_handler_that_panics_is_an_internal_error() {
    let broken =
        mcp_testkit::Tool::new(
            "broken",
            |arguments, _| async move { arguments["absent"].to_string() },
        );
    let server = Server::new("broken", "1").toolkit(mcp_testkit::Toolkit::new().tool(broken));
    let answer = Wire::modern(server, json!({})).call("broken", json!({})).await;
    assert_eq!(answer["error"]["code"], -32603);
}
