//! What every result has in common, and what a client says when it cannot answer.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_protocol::*;
use serde_json::{Value, json};

// B-RES-1, B-RES-2, B-RES-3
#[test]
fn a_result_says_what_it_is_after_normalizing() {
    let cases = [
        (json!({"tools": []}), json!({"tools": [], "resultType": "complete"})),
        (
            json!({"resultType": "input_required", "requestState": "s"}),
            json!({"resultType": "input_required", "requestState": "s"}),
        ),
        (json!({"resultType": ""}), json!({"resultType": "complete"})),
        (json!({"resultType": null, "a": 1}), json!({"resultType": "complete", "a": 1})),
        (json!({"resultType": 3}), json!({"resultType": "complete"})),
        (json!({"resultType": "daydreaming"}), json!({"resultType": "daydreaming"})),
        (json!(null), json!({"resultType": "complete"})),
        (json!("surprise"), json!({"resultType": "complete"})),
        (json!(4), json!({"resultType": "complete"})),
        (json!([{"resultType": "input_required"}]), json!({"resultType": "complete"})),
    ];
    for (raw, expected) in cases {
        let normal = Value::from(normalize(raw.clone()));
        assert_eq!(normal, expected, "{raw}");
        assert_eq!(Value::from(normalize(normal.clone())), normal, "{raw}");
    }
}

// B-RES-1, B-RES-2
#[test]
fn a_result_is_complete_unless_it_says_otherwise() {
    let cases = [
        (json!({}), ResultType::Complete),
        (json!({"resultType": "complete"}), ResultType::Complete),
        (json!({"resultType": ["input_required"]}), ResultType::Complete),
        (json!({"inputRequests": {}}), ResultType::Complete),
        (json!({"resultType": "input_required"}), ResultType::InputRequired),
        (json!({"resultType": "Complete"}), ResultType::Unknown("Complete".into())),
        (json!(null), ResultType::Complete),
    ];
    for (raw, expected) in cases {
        assert_eq!(result_type(&raw), expected, "{raw}");
    }
}

// B-RES-4
#[test]
fn the_envelope_is_removed_at_the_top_and_nowhere_else() {
    let Value::Object(mut result) = json!({
        "a": 1,
        "resultType": "complete",
        "_meta": {},
        "ttlMs": 1,
        "content": [{"_meta": {}, "ttlMs": 2}],
        "cacheScope": "public",
        "requestState": "s",
        "inputRequests": {},
        "z": {"resultType": "kept"},
    }) else {
        unreachable!("this is an object");
    };
    strip_envelope(&mut result);
    let rest = json!({"a": 1, "content": [{"_meta": {}, "ttlMs": 2}], "z": {"resultType": "kept"}});
    assert_eq!(Value::from(result).to_string(), rest.to_string());
}

// B-RES-5
#[test]
fn no_is_said_where_the_protocol_has_a_word_for_it() {
    let cases = [
        (json!({"method": "elicitation/create"}), Some(json!({"action": "decline"}))),
        (
            json!({"method": "elicitation/create", "id": 9, "params": {}}),
            Some(json!({"action": "decline"})),
        ),
        (json!({"method": "roots/list"}), Some(json!({"roots": []}))),
        (json!({"method": "sampling/createMessage"}), None),
        (json!({"method": "horoscope/cast"}), None),
        (json!({"method": 3}), None),
        (json!({}), None),
        (json!("elicitation/create"), None),
        (json!(null), None),
        (json!([]), None),
    ];
    for (request, expected) in cases {
        assert_eq!(decline(&request).map(Value::from), expected, "{request}");
    }
}

#[test]
fn a_question_is_worth_an_answer_if_it_has_requests_or_a_state() {
    let cases = [
        (json!({}), false),
        (json!({"inputRequests": {}}), false),
        (json!({"inputRequests": [1], "requestState": 5}), false),
        (json!({"requestState": ""}), true),
        (json!({"inputRequests": {"k": null}}), true),
    ];
    for (raw, expected) in cases {
        let result: InputRequiredResult = serde_json::from_value(raw.clone()).unwrap();
        assert_eq!(result.can_continue(), expected, "{raw}");
    }
}

#[test]
fn what_a_server_asks_is_read_by_its_method() {
    let form = json!({"method": "elicitation/create", "params": {"message": "m"}});
    let InputRequest::Elicit(ElicitParams::Form(params)) = InputRequest::from_value(&form) else {
        unreachable!("a request without a mode is a form");
    };
    assert_eq!((&*params.message, params.requested_schema.len()), ("m", 0));

    let sample = json!({"method": "sampling/createMessage", "params": {
        "messages": [{"role": "user", "content": {"type": "text", "text": "t"}}, {"role": "robot"}],
        "maxTokens": 10.0}});
    let InputRequest::CreateMessage(params) = InputRequest::from_value(&sample) else {
        unreachable!("this is a sampling request");
    };
    assert_eq!((params.messages.len(), params.unreadable.len()), (1, 1));
    assert_eq!(params.max_tokens, Some(10));
    assert_eq!(params.messages[0].content.blocks().len(), 1);

    // B-IN-5
    for no_object in [None, Some(json!(null)), Some(json!(["m"]))] {
        let request = InputRequest::from_method("elicitation/create", no_object);
        assert_eq!(request, InputRequest::Elicit(ElicitParams::Form(ElicitFormParams::default())));
    }
    assert_eq!(InputRequest::from_method("roots/list", None), InputRequest::ListRoots);
    for unknown in [json!({"method": "ping"}), json!({}), json!(3)] {
        assert_eq!(InputRequest::from_value(&unknown), InputRequest::Unknown, "{unknown}");
    }
}

#[test]
fn the_mode_of_an_elicitation_is_form_unless_it_says_otherwise() {
    let cases = [
        (json!({"message": "m"}), Some(ElicitMode::Form)),
        (json!({"mode": null, "message": "m"}), Some(ElicitMode::Form)),
        (json!({"mode": "form", "message": "m"}), Some(ElicitMode::Form)),
        (json!({"mode": "url", "message": "m", "url": "https://x.example"}), Some(ElicitMode::Url)),
        (json!({"mode": "url", "message": "m"}), None),
        (json!({"mode": "smoke", "message": "m"}), None),
        (json!({"mode": 1, "message": "m"}), None),
    ];
    for (raw, mode) in cases {
        let params: ElicitParams = serde_json::from_value(raw.clone()).unwrap();
        assert_eq!((params.mode(), params.message()), (mode, "m"), "{raw}");
    }
}

#[test]
fn a_client_that_names_no_mode_can_show_forms() {
    let cases = [
        (json!({}), true, false),
        (json!({"form": {}}), true, false),
        (json!({"url": {}}), false, true),
        (json!({"form": {}, "url": {}}), true, true),
    ];
    for (raw, form, url) in cases {
        let capability: ElicitationCapability = serde_json::from_value(raw.clone()).unwrap();
        let allowed = (capability.allows(ElicitMode::Form), capability.allows(ElicitMode::Url));
        assert_eq!(allowed, (form, url), "{raw}");
    }
}

#[test]
fn what_a_client_sends_has_no_empty_members() {
    let cases = [
        (json!(ElicitResult::decline()), json!({"action": "decline"})),
        (json!(ElicitResult::from(ElicitAction::Accept)), json!({"action": "accept"})),
        (
            json!(ListRootsResult::from(vec![Root::new("file:///a")])),
            json!({"roots": [{"uri": "file:///a"}]}),
        ),
        (
            json!(CreateMessageResult::new("m", TextContent::new("t"))),
            json!({"role": "assistant", "content": {"type": "text", "text": "t"}, "model": "m"}),
        ),
        (json!(CallToolParams::new("t", JsonObject::new())), json!({"name": "t", "arguments": {}})),
        (json!(ClientCapabilities::default()), json!({})),
        (
            json!(CompleteParams::new(PromptReference::new("p"), CompletionArgument::new("a", ""))),
            json!({"ref": {"type": "ref/prompt", "name": "p"}, "argument": {"name": "a", "value": ""}}),
        ),
    ];
    for (written, expected) in cases {
        assert_eq!(written.to_string(), expected.to_string());
    }
}

#[test]
fn a_tool_is_shown_by_its_title_then_its_hint_then_its_name() {
    let mut tool = Tool::new("t", JsonObject::new());
    assert_eq!(tool.display_name(), "t");
    let mut annotations = ToolAnnotations::default();
    annotations.title = Some("hint".into());
    tool.annotations = Some(annotations);
    assert_eq!(tool.display_name(), "hint");
    tool.title = Some("title".into());
    assert_eq!(tool.display_name(), "title");
}

#[test]
fn a_server_says_who_it_is_in_the_metadata() {
    let result: DiscoverResult = serde_json::from_value(json!({"_meta": {
        "io.modelcontextprotocol/serverInfo": {"name": "harbor", "version": "1"}}}))
    .unwrap();
    assert_eq!(result.server_info(), Some(Implementation::new("harbor", "1")));
    assert_eq!(DiscoverResult::default().server_info(), None);
}
