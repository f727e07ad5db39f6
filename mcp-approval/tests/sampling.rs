//! A model behind `sampling/createMessage`.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, Mutex};

use common::{Setup, run, verdict, write};
use mcp_approval::{LlmApproval, Sampling, message_text};
use mcp_provider::time::TokioTimer;
use serde_json::{Value, json};

#[tokio::test]
async fn sampling_asks_in_the_shape_of_the_protocol() {
    // AP-39
    let block = |text: &str| json!({ "type": "text", "text": text });
    let good = verdict("low", "yes");
    let message = |content: Value, stop: &str| json!({ "role": "assistant", "content": content, "model": "m", "stopReason": stop });
    let rows: Vec<(&str, Value, bool)> = vec![
        ("one block", message(block(&good), "endTurn"), true),
        ("a list of one", message(json!([block(&good)]), "endTurn"), true),
        (
            "no stop reason",
            json!({ "role": "assistant", "content": block(&good), "model": "m" }),
            true,
        ),
        ("cut off", message(block(&good), "maxTokens"), false),
        ("a stop reason nobody knows", message(block(&good), "tired"), false),
        (
            "a stop reason that is no text",
            json!({ "role": "assistant", "content": block(&good), "stopReason": 1 }),
            false,
        ),
        (
            "a tool use",
            message(
                json!([{ "type": "tool_use", "id": "1", "name": "x", "input": {} }]),
                "toolUse",
            ),
            false,
        ),
        ("two blocks", message(json!([block(&good), block(&good)]), "endTurn"), false),
        ("no block", message(json!([]), "endTurn"), false),
        (
            "an image",
            message(json!({ "type": "image", "data": "", "mimeType": "image/png" }), "endTurn"),
            false,
        ),
        (
            "the user's role",
            json!({ "role": "user", "content": block(&good), "stopReason": "endTurn" }),
            false,
        ),
        ("no message", json!(null), false),
    ];
    for (row, result, is_usable) in rows {
        assert_eq!(message_text(&result).is_ok(), is_usable, "{row}");
        let setup = Setup::new();
        let asked = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&asked);
        let model = Sampling::new(move |params: Value| {
            seen.lock().unwrap().push(params);
            let result = result.clone();
            async move { Ok(result) }
        });
        let asker = LlmApproval::builder(model.max_tokens(123), TokioTimer::new());
        let stack = setup.stack(json!([]), asker.build(setup.context.clone()).unwrap()).await;
        assert_eq!(!run(&stack, write("/a")).await.is_error, is_usable, "{row}");
        let params = asked.lock().unwrap().remove(0);
        assert_eq!(params["maxTokens"], json!(123), "{row}");
        assert_eq!(params["includeContext"], json!("none"), "{row}");
        assert!(params.get("tools").is_none(), "{row}");
        let block = &params["messages"][0];
        assert_eq!((&block["role"], &block["content"]["type"]), (&json!("user"), &json!("text")));
    }
}
