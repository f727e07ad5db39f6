//! Each shape by itself: what it looks like, and what only it knows.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_formats::{FormatError, anthropic, chat, gemini, responses};
use mcp_provider::{CallId, ToolCall, ToolDeclaration, ToolResult};
use serde_json::{Value, json};

fn declared(json: Value) -> [ToolDeclaration; 1] {
    [ToolDeclaration::from_json(json)]
}

/// Equality of JSON to the letter: the order of members counts.
fn assert_same(found: &[Value], expected: &Value) {
    assert_eq!(json!(found).to_string(), json!([expected]).to_string());
}

/// A declaration with everything that anybody may add to it.
fn loaded() -> [ToolDeclaration; 1] {
    declared(json!({
        "type": "function",
        "function": {
            "name": "find", "description": "Finds", "strict": true,
            "parameters": { "type": "object" }, "inner": 1,
        },
        "cache_control": { "type": "ephemeral" },
    }))
}

#[test]
fn chat_sends_nothing_that_only_we_know() {
    assert_same(
        &chat::to_tools(&loaded()).unwrap(),
        &json!({ "type": "function", "function": {
            "name": "find", "description": "Finds", "parameters": { "type": "object" },
            "strict": true, "inner": 1,
        } }),
    );
    let calls = [ToolCall::from_json(json!({
        "index": 0, "id": "1", "type": "function", "extra_content": { "signature": "s" },
        "function": { "name": "find", "arguments": { "a": 1 } },
        "responses": { "id": "fc_1" }, "gemini": { "id": null }, "anthropic": {},
    }))
    .unwrap()];
    assert_same(
        &chat::to_calls(&calls).unwrap(),
        &json!({ "index": 0, "id": "1", "type": "function", "extra_content": { "signature": "s" },
                "function": { "name": "find", "arguments": "{\"a\":1}" } }),
    );
    let mut result = ToolResult::error("1", "no").with_structured_content(json!(1));
    result.extra.insert("x".to_owned(), json!(1));
    assert_same(
        &chat::to_results(&calls, &[result]).unwrap(),
        &json!({ "role": "tool", "tool_call_id": "1", "content": "no" }),
    );
}

#[test]
fn chat_reads_the_messages_of_tools() {
    let read = chat::from_results(&[
        json!({ "role": "assistant", "content": null }),
        json!({ "role": "tool", "tool_call_id": "1", "content": "one" }),
        json!({ "role": "tool", "tool_call_id": "2", "is_error": true, "structured_content": [1],
                "content": [{ "type": "text", "text": "two" }, { "type": "text", "text": "lines" }] }),
    ])
    .unwrap();
    assert_eq!(read[0], ToolResult::ok("1", "one"));
    assert_eq!(read[1], ToolResult::error("2", "two\nlines").with_structured_content(json!([1])));
    let error = chat::from_results(&[json!({ "role": "tool", "content": "" })]).unwrap_err();
    assert_eq!(error.to_string(), "item 0 must have \"tool_call_id\", and it must be a string");
}

#[test]
fn responses_are_flat_and_say_whether_they_are_strict() {
    assert_same(
        &responses::to_tools(&loaded()).unwrap(),
        &json!({ "type": "function", "name": "find", "description": "Finds",
                "parameters": { "type": "object" }, "strict": true, "inner": 1 }),
    );
    // What Chat Completions says, what Responses says, and what comes back.
    for (said, written, back) in [
        (None, Some(json!(false)), Some(json!(false))),
        (Some(json!(false)), Some(json!(false)), Some(json!(false))),
        (Some(json!(true)), Some(json!(true)), Some(json!(true))),
        (Some(json!(null)), None, Some(json!(null))),
    ] {
        let mut tool = json!({ "type": "function", "function": { "name": "x", "parameters": {} } });
        if let Some(said) = said {
            tool["function"]["strict"] = said;
        }
        let tools = responses::to_tools(&declared(tool.clone())).unwrap();
        assert_eq!(tools[0].get("strict"), written.as_ref(), "{tool}");
        let read = responses::from_tools(&tools).unwrap();
        assert_eq!(read[0].to_json()["function"].get("strict"), back.as_ref(), "{tool}");
    }
    let without = declared(json!({ "function": { "name": "x" } }));
    let written = responses::to_tools(&without).unwrap();
    assert_eq!(written[0]["parameters"], json!({ "type": "object", "properties": {} }));
}

#[test]
fn responses_items_are_written_as_they_were_read() {
    let item = json!({ "type": "function_call", "call_id": "call_1", "name": "find",
                       "arguments": "{ \"a\" : 1 }", "id": "fc_1", "status": "completed" });
    let calls = responses::from_calls(std::slice::from_ref(&item)).unwrap();
    assert_eq!(calls[0].id, CallId::from("call_1"), "not the id of the item");
    assert_eq!(calls[0].arguments.as_text(), Some("{ \"a\" : 1 }"));
    assert_same(&responses::to_calls(&calls).unwrap(), &item);

    let item = json!({ "type": "function_call_output", "call_id": "call_1", "output": "done",
                       "id": "fco_1" });
    let results = responses::from_results(std::slice::from_ref(&item)).unwrap();
    assert_eq!((&*results[0].content, results[0].is_error), ("done", false));
    assert_same(&responses::to_results(&calls, &results).unwrap(), &item);

    let parts = json!({ "type": "function_call_output", "call_id": "1", "output": [
        { "type": "input_text", "text": "a" }, { "type": "input_text", "text": "b" },
    ] });
    assert_eq!(responses::from_results(&[parts]).unwrap()[0].content, "a\nb");
    for (item, words) in [
        (json!({ "type": "function_call", "id": "fc_1", "name": "x" }), "\"call_id\""),
        (json!({ "type": "function_call", "call_id": "1" }), "\"name\""),
    ] {
        let error = responses::from_calls(&[item]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
    let tool = json!({ "type": "function", "parameters": {} });
    assert!(responses::from_tools(&[tool]).unwrap_err().to_string().contains("\"name\""));
}

#[test]
fn what_was_noted_on_a_call_never_replaces_the_call() {
    let call = ToolCall::from_json(json!({
        "id": "1", "function": { "name": "x", "arguments": "{}" },
        "anthropic": { "name": "other", "id": "2", "cache_control": 1 },
    }));
    let calls = [call.unwrap()];
    assert_same(
        &anthropic::to_calls(&calls).unwrap(),
        &json!({ "type": "tool_use", "id": "1", "name": "x", "input": {}, "cache_control": 1 }),
    );
    let mut result = ToolResult::ok("1", "a");
    result.extra.insert("anthropic".to_owned(), json!({ "content": "b", "is_error": true }));
    let written = anthropic::to_results(&calls, &[result]).unwrap();
    assert_eq!(written[0]["content"], "a");
}

#[test]
fn content_that_is_more_than_text_is_refused() {
    let image = json!({ "type": "input_image", "image_url": "data:," });
    let output = json!({ "type": "function_call_output", "call_id": "1", "output": [image] });
    let error = responses::from_results(&[output]).unwrap_err();
    let kind = "input_image".to_owned();
    assert_eq!(error, FormatError::Content { what: "item", place: 0, kind });

    let image = json!({ "type": "image", "source": { "type": "url", "url": "https://h/x" } });
    let text = json!({ "type": "text", "text": "x" });
    let block = json!({ "type": "tool_result", "tool_use_id": "1", "content": [text, image] });
    let error = anthropic::from_results(&[json!({ "type": "text" }), block]).unwrap_err();
    assert_eq!(error, FormatError::Content { what: "item", place: 1, kind: "image".to_owned() });

    let block = json!({ "type": "tool_result", "tool_use_id": "1", "content": 7 });
    let error = anthropic::from_results(&[block]).unwrap_err().to_string();
    assert!(error.contains("a string or a list"), "{error}");
}

#[test]
fn anthropic_tools_have_an_input_schema_and_keep_their_marks() {
    let expected = json!({ "name": "find", "description": "Finds",
                           "input_schema": { "type": "object" }, "strict": true,
                           "cache_control": { "type": "ephemeral" } });
    let written = anthropic::to_tools(&loaded()).unwrap();
    assert_same(&written, &expected);
    assert_same(
        &anthropic::to_tools(&anthropic::from_tools(&written).unwrap()).unwrap(),
        &expected,
    );

    let without = declared(json!({ "function": { "name": "x" } }));
    let any = json!({ "name": "x", "input_schema": { "type": "object", "properties": {} } });
    assert_same(&anthropic::to_tools(&without).unwrap(), &any);

    let mut custom = any;
    custom["type"] = json!("custom");
    custom["input_examples"] = json!([{}]);
    let read = anthropic::from_tools(&[custom]).unwrap();
    assert_eq!(read[0].name(), Some("x"));
    let written = anthropic::to_tools(&read).unwrap();
    assert_eq!((written[0].get("type"), &written[0]["input_examples"]), (None, &json!([{}])));

    for (tool, words) in
        [(json!({ "name": "x" }), "\"input_schema\""), (json!({ "input_schema": {} }), "\"name\"")]
    {
        let error = anthropic::from_tools(&[tool]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn anthropic_blocks_are_written_as_they_were_read() {
    let block = json!({ "type": "tool_use", "id": "toolu_1", "name": "find",
                        "input": { "b": 1, "a": 2 }, "cache_control": { "type": "ephemeral" } });
    let calls = anthropic::from_calls(std::slice::from_ref(&block)).unwrap();
    assert_same(&anthropic::to_calls(&calls).unwrap(), &block);

    let block = json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "no",
                        "is_error": true, "cache_control": { "type": "ephemeral" } });
    let results = anthropic::from_results(std::slice::from_ref(&block)).unwrap();
    assert!(results[0].is_error);
    assert_same(&anthropic::to_results(&calls, &results).unwrap(), &block);

    let bare = json!({ "type": "tool_result", "tool_use_id": "toolu_1" });
    let results = anthropic::from_results(&[bare]).unwrap();
    assert_eq!(results, [ToolResult::ok("toolu_1", "")]);
    assert_same(
        &anthropic::to_results(&calls, &results).unwrap(),
        &json!({ "type": "tool_result", "tool_use_id": "toolu_1", "content": "" }),
    );
    let error = anthropic::from_calls(&[json!({ "type": "tool_use", "name": "x" })]).unwrap_err();
    assert_eq!(error.to_string(), "item 0 must have \"id\", and it must be a string");
}

#[test]
fn gemini_groups_functions_and_keeps_other_tools() {
    let search = json!({ "googleSearch": {} });
    let [find] = loaded();
    let tools = [find, ToolDeclaration::from_json(search.clone()), ToolDeclaration::new("now")];
    let written = gemini::to_tools(&tools).unwrap();
    let any = json!({ "type": "object", "properties": {} });
    assert_eq!(
        json!(written).to_string(),
        json!([search, { "functionDeclarations": [
            { "name": "find", "description": "Finds", "parametersJsonSchema": { "type": "object" },
              "inner": 1 },
            { "name": "now", "parametersJsonSchema": any },
        ] }])
        .to_string()
    );
    let both = json!({ "googleSearch": {}, "functionDeclarations": [{ "name": "a" }] });
    let read = gemini::from_tools(&[both, json!({ "functionDeclarations": [] })]).unwrap();
    assert_eq!(read.len(), 2);
    assert_eq!((read[0].name(), read[1].to_json()), (Some("a"), search));

    for (tool, words) in [
        (json!({ "functionDeclarations": {} }), "\"functionDeclarations\", and it must be a list"),
        (json!({ "functionDeclarations": [{}] }), "\"name\""),
        (json!({ "functionDeclarations": ["x"] }), "must be an object"),
    ] {
        let error = gemini::from_tools(&[tool]).unwrap_err().to_string();
        assert!(error.contains(words), "{error}");
    }
}

#[test]
fn geminis_own_schemas_become_json_schema() {
    let cases = [
        (json!({ "type": "STRING" }), json!({ "type": "string" })),
        (json!({ "type": "string" }), json!({ "type": "string" })),
        (json!({ "type": "INTEGER", "nullable": true }), json!({ "type": ["integer", "null"] })),
        (json!({ "type": "STRING", "nullable": false }), json!({ "type": "string" })),
        (json!({ "type": "TYPE_UNSPECIFIED" }), json!({})),
        (
            json!({ "type": "STRING", "nullable": true, "enum": ["a"] }),
            json!({ "type": ["string", "null"], "enum": ["a", null] }),
        ),
        (
            json!({ "anyOf": [{ "type": "NUMBER" }], "nullable": true }),
            json!({ "anyOf": [{ "type": "number" }, { "type": "null" }] }),
        ),
        (
            json!({ "type": "ARRAY", "minItems": "1", "maxItems": 2, "items": { "type": "BOOLEAN" } }),
            json!({ "type": "array", "minItems": 1, "maxItems": 2, "items": { "type": "boolean" } }),
        ),
        (
            json!({ "type": "OBJECT", "required": ["type"], "propertyOrdering": ["type"],
                    "properties": { "type": { "type": "STRING" }, "nullable": { "type": "STRING" } } }),
            json!({ "type": "object", "required": ["type"], "propertyOrdering": ["type"],
                    "properties": { "type": { "type": "string" }, "nullable": { "type": "string" } } }),
        ),
        (json!({ "maxLength": "many" }), json!({ "maxLength": "many" })),
    ];
    for (own, expected) in cases {
        let tool = json!({ "functionDeclarations": [{ "name": "x", "parameters": own }] });
        let read = gemini::from_tools(&[tool]).unwrap();
        let schema = read[0].parameters().unwrap().to_json();
        assert_eq!(schema.to_string(), expected.to_string());
        let tool = json!({ "functionDeclarations": [
            { "name": "x", "parameters": {}, "parametersJsonSchema": own },
        ] });
        let read = gemini::from_tools(&[tool]).unwrap();
        assert_eq!(read[0].parameters().unwrap().to_json().to_string(), own.to_string());
    }
}

#[test]
fn gemini_parts_are_written_as_they_were_read() {
    let part = json!({
        "functionCall": { "id": "f1", "name": "find", "args": { "a": 1 }, "willContinue": false },
        "thoughtSignature": "c2ln",
    });
    let calls = gemini::from_calls(std::slice::from_ref(&part)).unwrap();
    assert_eq!(calls[0].id, CallId::from("f1"));
    assert_same(&gemini::to_calls(&calls).unwrap(), &part);

    let part = json!({ "functionResponse": {
        "id": "f1", "name": "find", "response": { "error": "no" }, "scheduling": "SILENT",
    } });
    let results = gemini::from_results(std::slice::from_ref(&part)).unwrap();
    assert_eq!((&*results[0].content, results[0].is_error), ("no", true));
    assert_same(&gemini::to_results(&calls, &results).unwrap(), &part);
}

#[test]
fn a_gemini_call_without_an_id_is_given_one_that_is_never_sent() {
    let parts = [
        json!({ "functionCall": { "name": "a", "args": {} }, "thoughtSignature": "c2ln" }),
        json!({ "text": "hm" }),
        json!({ "functionCall": { "id": "own", "name": "b", "args": {} } }),
        json!({ "functionCall": { "id": "", "name": "a", "args": {} } }),
    ];
    let mut calls = gemini::from_calls(&parts).unwrap();
    let ids: Vec<_> = calls.iter().map(|it| it.id.to_string()).collect();
    assert_eq!(ids, ["gemini_0", "own", "gemini_2"]);
    // A host may choose better ones.
    calls[0].id = "turn-7".into();
    let written = gemini::to_calls(&calls).unwrap();
    assert_eq!(written[0], parts[0]);
    let sent: Vec<_> = written.iter().map(|it| it["functionCall"].get("id").cloned()).collect();
    assert_eq!(sent, [None, Some(json!("own")), None]);

    let results: Vec<_> = ids.iter().map(|id| ToolResult::ok(&**id, "")).collect();
    let written = gemini::to_results(&calls, &results).unwrap();
    let sent: Vec<_> = written.iter().map(|it| it["functionResponse"].get("id").cloned()).collect();
    assert_eq!(sent, [None, Some(json!("own")), None]);
    assert_eq!(
        written[0]["functionResponse"],
        json!({ "name": "a", "response": { "output": "" } })
    );

    // Elsewhere it is an id like any other.
    assert_eq!(anthropic::to_calls(&calls).unwrap()[0]["id"], "turn-7");
    // A call that comes from elsewhere keeps its id.
    let foreign = [ToolCall::new("toolu_1", "a", "{}")];
    assert_eq!(gemini::to_calls(&foreign).unwrap()[0]["functionCall"]["id"], "toolu_1");
}

#[test]
fn a_gemini_response_may_be_more_than_text() {
    let cases = [
        (json!({ "output": "a" }), "a", false, None),
        (json!({ "error": "a" }), "a", true, None),
        (json!({ "output": [1] }), "[1]", false, Some(json!([1]))),
        (json!({ "error": { "code": 1 } }), r#"{"code":1}"#, true, Some(json!({ "code": 1 }))),
        (json!({ "t": 21 }), r#"{"t":21}"#, false, Some(json!({ "t": 21 }))),
        (json!({ "output": "a", "t": 21 }), "a", false, Some(json!({ "output": "a", "t": 21 }))),
        (json!({ "output": 1, "t": 21 }), "1", false, Some(json!({ "output": 1, "t": 21 }))),
        (json!({}), "{}", false, Some(json!({}))),
    ];
    for (response, text, is_error, structured) in cases {
        let part = json!({ "functionResponse": { "name": "x", "response": response } });
        let read = gemini::from_results(&[part]).unwrap();
        assert_eq!((&*read[0].content, read[0].is_error), (text, is_error), "{response}");
        assert_eq!(read[0].structured_content, structured, "{response}");
        assert!(read[0].tool_call_id.is_empty());
    }
    let error = gemini::from_results(&[json!({ "functionResponse": { "name": "x" } })]);
    assert!(error.unwrap_err().to_string().contains("\"response\""));
    let error = gemini::from_calls(&[json!({ "functionCall": { "args": {} } })]).unwrap_err();
    assert!(error.to_string().contains("\"name\""), "{error}");
}
