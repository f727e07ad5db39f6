//! The toolkit as a provider in this process.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json!() reads better without a reference")]

use mcp_provider::{
    Delivery, JsonObject, Provider, ToolCall, ToolResult, execute_json, tools_json,
};
use mcp_testkit::{AskError, RpcError, Tool, ToolContext, ToolOutput, Toolkit, fixtures, flatten};
use serde_json::{Value, json};

fn kit() -> Toolkit {
    Toolkit::new().tools(fixtures::test_kit(0))
}

fn object(json: Value) -> JsonObject {
    json.as_object().unwrap().clone()
}

#[tokio::test]
async fn tools_are_declared_by_name_and_with_nothing_more_than_a_model_needs() {
    let tools = tools_json(&kit()).await.unwrap();
    let names: Vec<_> = tools.iter().map(|tool| tool["function"]["name"].clone()).collect();
    assert_eq!(names, ["bare", "dying", "echo", "noisy", "slow"]);
    let any = json!({ "type": "object", "properties": {} });
    let bare = json!({ "type": "function", "function": { "name": "bare", "parameters": any } });
    assert_eq!(tools[0], bare);
    let schema = json!({
        "type": "object",
        "properties": { "text": { "type": "string" } },
        "required": ["text"],
    });
    let echo = json!({
        "type": "function",
        "function": { "name": "echo", "description": "Says what it is told", "parameters": schema },
    });
    assert_eq!(tools[2], echo);
    let annotated = Toolkit::new().tools(fixtures::read_kit());
    for tool in tools_json(&annotated).await.unwrap() {
        assert_eq!(tool["function"].get("annotations"), None, "{tool}");
    }
}

#[tokio::test]
async fn each_call_is_read_and_answered_by_itself() {
    let not_an_object = "Tool arguments must be a JSON object";
    let cases = [
        (json!({ "text": "from an object" }), "echo", "from an object", false),
        (json!(r#"{"text": "from json"}"#), "echo", "from json", false),
        (json!({}), "nope", "Unknown tool: 'nope'", true),
        (json!({}), "", "Unknown tool: ''", true),
        (json!("{not json"), "echo", "Invalid tool arguments JSON: ", true),
        (json!("[1,2]"), "echo", not_an_object, true),
        (json!(42), "echo", not_an_object, true),
        (json!([]), "echo", not_an_object, true),
        (json!("[1,2]"), "nope", not_an_object, true),
        (json!(""), "echo", "", false),
        (json!("  \n "), "bare", "bare", false),
        (Value::Null, "bare", "bare", false),
        (json!({}), "dying", "the well ran dry", true),
        (json!({ "reason": "rust" }), "dying", "rust", true),
    ];
    let calls: Vec<_> = cases
        .iter()
        .map(|(arguments, name, ..)| {
            json!({ "id": "c", "type": "function", "function": { "name": name, "arguments": arguments } })
        })
        .collect();
    let results = execute_json(&kit(), &calls).await;
    for ((arguments, name, content, is_error), result) in cases.iter().zip(&results) {
        let found = result["content"].as_str().unwrap();
        match content.strip_suffix(": ") {
            Some(head) => assert!(found.starts_with(head), "{name} {arguments}: {found}"),
            None => assert_eq!(&found, content, "{name} {arguments}"),
        }
        assert_eq!(result["is_error"], *is_error, "{name} {arguments}");
        assert_eq!(result["tool_call_id"], "c");
        assert_eq!(result["role"], "tool");
    }
}

#[tokio::test]
async fn a_result_says_whether_its_call_ran() {
    let cases = [
        ("echo", "{}", Delivery::Answered),
        ("dying", "{}", Delivery::Answered),
        ("nope", "{}", Delivery::NotSent),
        ("echo", "[", Delivery::NotSent),
    ];
    for (name, arguments, delivery) in cases {
        let results = kit().execute_tool_calls(vec![ToolCall::new("1", name, arguments)]).await;
        assert_eq!(results[0].delivery, delivery, "{name} {arguments}");
    }
}

#[test]
fn a_result_is_flattened_to_text() {
    let cases = [
        (json!({}), ""),
        (json!({ "resultType": "complete", "_meta": {}, "ttlMs": 1, "cacheScope": "public" }), ""),
        (json!({ "content": [] }), ""),
        (json!({ "content": "words" }), r#"{"content":"words"}"#),
        (
            json!({ "structuredContent": { "z": 1, "a": [true] }, "isError": true, "_meta": {} }),
            r#"{"isError":true,"structuredContent":{"a":[true],"z":1}}"#,
        ),
        (
            json!({ "content": [{ "type": "text", "text": "a" }, { "type": "text", "text": "b" }] }),
            "a\nb",
        ),
        (json!({ "content": [{ "type": "text" }] }), ""),
        (json!({ "content": [{ "type": "text", "text": null }] }), ""),
        (json!({ "content": [{ "type": "text", "text": 1.5 }] }), "1.5"),
        (
            json!({ "content": [{ "type": "image", "mimeType": "image/png", "data": "x" }] }),
            "[image: image/png]",
        ),
        (json!({ "content": [{ "type": "image" }] }), "[image: unknown media type]"),
        (
            json!({ "content": [{ "type": "audio", "mimeType": "audio/wav" }] }),
            "[audio: audio/wav]",
        ),
        (json!({ "content": [{ "type": "audio" }] }), "[audio: unknown media type]"),
        (
            json!({ "content": [{ "type": "resource", "resource": { "uri": "a:b", "text": "t" } }] }),
            "t",
        ),
        (
            json!({ "content": [{ "type": "resource", "resource": { "uri": "a:b", "text": "" } }] }),
            "",
        ),
        (
            json!({ "content": [{ "type": "resource", "resource": { "uri": "a:b", "blob": "AA" } }] }),
            "[resource: a:b]",
        ),
        (json!({ "content": [{ "type": "resource", "resource": {} }] }), "[resource: unknown]"),
        (json!({ "content": [{ "type": "resource" }] }), "[resource: unknown]"),
        (
            json!({ "content": [{ "type": "resource_link", "uri": "a:b", "text": "t" }] }),
            "[resource: a:b]",
        ),
        (json!({ "content": [{ "type": "resource_link" }] }), "[resource: unknown]"),
        (
            json!({ "content": [{ "type": "invented", "b": 1, "a": 2 }] }),
            r#"{"a":2,"b":1,"type":"invented"}"#,
        ),
        (json!({ "content": [{ "type": 1, "text": "t" }] }), r#"{"text":"t","type":1}"#),
        (json!({ "content": [{ "text": "t" }] }), r#"{"text":"t"}"#),
        (json!({ "content": ["s", null, 3, true, [1, "a"]] }), "s\n\n3\ntrue\n[1,\"a\"]"),
    ];
    for (result, expected) in cases {
        assert_eq!(flatten(&object(result.clone())), expected, "{result}");
    }
}

#[tokio::test]
async fn shapes_keep_their_structure_and_their_failure() {
    let kit = Toolkit::new().tools(fixtures::shape_kit());
    let six = "line one\nline two\n[image: image/png]\nembedded text\n\
               [resource: file:///srv/notes.md]\n{\"payload\":\"who knows\",\"type\":\"invented\"}";
    let cases = [
        ("blocks", six, false, None),
        ("empty", "", false, None),
        ("no_blocks", "", false, None),
        ("failed", "it broke", true, None),
        ("succeeded", "it worked", false, None),
        ("failed_in_words", "it says it broke", false, None),
        ("structured_array", "a list", false, Some(json!([1, { "b": 2 }]))),
        ("structured_object", "an object", false, Some(json!({ "z": 1, "a": [] }))),
        ("structured_scalar", "a number", false, Some(json!(7))),
        ("structured_null", "nothing", false, None),
        (
            "only_structured",
            r#"{"structuredContent":{"ok":true}}"#,
            false,
            Some(json!({ "ok": true })),
        ),
        ("enveloped", "inside", false, None),
        ("refused", "out of order", true, None),
    ];
    for (name, content, is_error, structured) in cases {
        let results = kit.execute_tool_calls(vec![ToolCall::new("1", name, "{}")]).await;
        let expected =
            if is_error { ToolResult::error("1", content) } else { ToolResult::ok("1", content) };
        let expected = expected.with_structured_content(structured.unwrap_or_default());
        assert_eq!(results, [expected], "{name}");
    }
}

#[tokio::test]
async fn a_handler_returns_what_it_likes() {
    let outputs: Vec<(ToolOutput, ToolResult)> = vec![
        ("text".into(), ToolResult::ok("1", "text")),
        (String::from("text").into(), ToolResult::ok("1", "text")),
        (json!("text").into(), ToolResult::ok("1", "text")),
        (json!(7).into(), ToolResult::ok("1", "7")),
        (json!({ "isError": true }).into(), ToolResult::error("1", r#"{"isError":true}"#)),
        (ToolOutput::failure("no"), ToolResult::error("1", "no")),
        (Ok::<_, RpcError>("fine").into(), ToolResult::ok("1", "fine")),
        (Err::<&str, _>(RpcError::new(-1, "no")).into(), ToolResult::error("1", "no")),
        (
            Err::<&str, _>(AskError::Unanswered).into(),
            ToolResult::error("1", "The client gave no answer"),
        ),
    ];
    for (output, expected) in outputs {
        let said = output.clone();
        let kit =
            Toolkit::new().tool(Tool::new("say", move |_, _| std::future::ready(said.clone())));
        let results = kit.execute_tool_calls(vec![ToolCall::new("1", "say", "{}")]).await;
        assert_eq!(results, [expected], "{output:?}");
    }
}

#[tokio::test]
async fn nobody_listens_and_questions_are_declined() {
    let kit = Toolkit::new().tools(fixtures::input_kit()).tools(fixtures::progress_kit());
    let cases = [
        ("ask_name", "Nobody, then.", false),
        ("interview", "The interview ended early.", false),
        ("link_account", "not linked", false),
        ("show_roots", "no roots", false),
        ("consult", "answered: where, who", false),
        ("wait_a_round", "carried on", false),
        ("summarize", "The client gave no answer", true),
        ("march", "step done: 0 of 3", false),
        ("silent", "nothing to report", false),
        ("stray", "reported to nobody", false),
    ];
    for (name, content, is_error) in cases {
        let results = kit.execute_tool_calls(vec![ToolCall::new("1", name, "{}")]).await;
        assert_eq!((&*results[0].content, results[0].is_error), (content, is_error), "{name}");
    }
}

#[tokio::test]
async fn a_batch_runs_one_call_at_a_time_and_a_panic_fails_only_its_own() {
    let broken = Tool::new("broken", |_, _: ToolContext| async {
        let number: Result<u8, _> = "seven".parse();
        number.unwrap().to_string()
    });
    let kit = kit().tools(fixtures::read_kit()).tool(broken);
    let calls = ["read", "broken", "read"];
    let calls = calls.map(|name| ToolCall::new("1", name, r#"{"path": "a"}"#)).to_vec();
    let results = kit.execute_tool_calls(calls).await;
    let errors: Vec<_> = results.iter().map(|result| result.is_error).collect();
    assert_eq!(errors, [false, true, false]);
    assert!(results[1].content.starts_with("broken panicked: "), "{:?}", results[1]);
    assert_eq!(kit.counters().peak(), 1);
    let read = json!({ "started": 2, "finished": 2, "cancelled": 0 });
    assert_eq!(kit.counters().to_json()["read"], read);
}

#[tokio::test(start_paused = true)]
async fn a_dropped_call_counts_as_cancelled() {
    let kit = kit();
    let calls = vec![ToolCall::new("1", "slow", r#"{"ms": 1000}"#)];
    let waiting = std::time::Duration::from_millis(10);
    assert!(tokio::time::timeout(waiting, kit.execute_tool_calls(calls)).await.is_err());
    assert_eq!((kit.counters().cancelled("slow"), kit.counters().finished("slow")), (1, 0));
    kit.counters().reset();
    assert_eq!(kit.counters().started("slow"), 0);
}

#[tokio::test]
async fn the_local_kit_adds_and_shouts() {
    let kit = Toolkit::new().tools(fixtures::local_kit());
    let cases = [
        ("add", json!({ "a": 2, "b": 3 }), "5"),
        ("add", json!({ "a": 2, "b": 0.5 }), "2.5"),
        ("add", json!({ "a": "2" }), "a and b must be numbers"),
        ("upcase", json!({ "text": "straße" }), "STRASSE"),
    ];
    for (name, arguments, expected) in cases {
        let call = ToolCall::new("1", name, arguments.clone());
        assert_eq!(kit.execute_tool_calls(vec![call]).await[0].content, expected, "{arguments}");
    }
}
