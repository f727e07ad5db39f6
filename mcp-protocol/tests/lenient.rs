//! What badly formed messages read as: as much as can be, and never a panic.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_protocol::*;
use serde_json::{Value, json};

#[test]
fn a_broken_tool_does_not_hide_the_others() {
    let text = r#"{"tools": [
        {"name":"echo","inputSchema":{"type":"object"}},
        {"name":"broken"},
        {"name":"odd","inputSchema":{"type":"string"}},
        {"inputSchema":{"type":"object"},"x":1,"title":5},
        "nonsense", null, 7, [], {"name":null},
        {"name":"third","inputSchema":{"type":"object"},"description":null},
        {"name":"number","inputSchema":3}
    ]}"#;
    let result: ListToolsResult = serde_json::from_str(text).unwrap();
    let listed: Vec<_> = result
        .tools
        .iter()
        .map(|tool| (&*tool.name, tool.input_schema.as_str(), tool.input_schema.is_missing()))
        .collect();
    let expected = [
        ("echo", r#"{"type":"object"}"#, false),
        ("broken", r#"{"type":"object"}"#, true),
        ("odd", r#"{"type":"string"}"#, false),
        ("third", r#"{"type":"object"}"#, false),
        ("number", "3", false),
    ];
    assert_eq!(listed, expected);
    let whole = json!({"inputSchema": {"type": "object"}, "x": 1, "title": 5});
    let unreadable =
        [whole.clone(), json!("nonsense"), Value::Null, json!(7), json!([]), json!({"name": null})];
    assert_eq!(result.unreadable, unreadable);
    assert_eq!(result.unreadable[0].to_string(), whole.to_string());
}

#[test]
fn odd_members_of_a_tool_are_absent() {
    let tool: Tool = serde_json::from_value(json!({
        "name": "t",
        "inputSchema": null,
        "annotations": {"readOnlyHint": "yes", "x": null},
        "icons": [],
        "execution": {"taskSupport": "optional"},
        "_meta": null,
    }))
    .unwrap();
    let annotations = tool.annotations.unwrap();
    assert_eq!(annotations.read_only_hint, None);
    assert_eq!(annotations.extra, *json!({"x": null}).as_object().unwrap());
    assert_eq!(tool.icons, Some(Vec::new()));
    assert_eq!(tool.execution.unwrap().task_support, Some(TaskSupport::Optional));
    assert_eq!((tool.meta, tool.extra.len()), (None, 0));
    assert!(tool.input_schema.is_missing());
}

#[test]
fn an_unreadable_block_is_kept_whole_and_in_order() {
    let cases = [
        r#"{"b":1,"type":"hologram","a":[2]}"#,
        r#"{"type":"hologram","a":[2]}"#,
        r#"{"a":1}"#,
        r#"{"type":7,"text":"x"}"#,
        r#"{"type":null}"#,
        r#"{"type":"image","x":1,"data":"AA==","y":2,"annotations":"odd","_meta":{"k":1}}"#,
        r#"{"x":1,"mimeType":"image/png","type":"image","data":5,"y":null}"#,
        r#"{"type":"text","text":12.5}"#,
        r#"{"text":["a"],"type":"text"}"#,
        r#"{"type":"resource_link","name":"no address"}"#,
        r#"{"type":"resource","resource":"log://today"}"#,
        "{}",
        "[1,2]",
        "\"text\"",
        "null",
        "true",
        "-4",
    ];
    for text in cases {
        let result = format!(r#"{{"content":[{text},{{"type":"text","text":"fine"}}]}}"#);
        let result: CallToolResult = serde_json::from_str(&result).unwrap();
        let whole: Value = serde_json::from_str(text).unwrap();
        assert_eq!(result.content[0], ContentBlock::Unknown(whole), "{text}");
        assert_eq!(serde_json::to_string(&result.content[0]).unwrap(), text);
        assert_eq!(result.content[1].as_text(), Some("fine"), "{text}");
    }
}

#[test]
fn text_that_is_missing_or_null_reads_as_empty() {
    for text in
        [r#"{"type":"text"}"#, r#"{"type":"text","text":null}"#, r#"{"text":null,"type":"text"}"#]
    {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        assert_eq!(block, ContentBlock::text(""), "{text}");
    }
}

#[test]
fn a_block_says_its_kind_also_when_it_is_unreadable() {
    let cases: &[(&str, Option<&str>)] = &[
        (r#"{"type":"text"}"#, Some("text")),
        (r#"{"type":"image"}"#, Some("image")),
        (r#"{"type":"hologram"}"#, Some("hologram")),
        (r#"{"type":3}"#, None),
        ("[]", None),
    ];
    for (text, kind) in cases {
        let block: ContentBlock = serde_json::from_str(text).unwrap();
        assert_eq!(block.kind(), *kind, "{text}");
    }
}

#[test]
fn the_result_of_a_call_reads_whatever_the_server_forgot() {
    let cases = [
        (json!({}), CallToolResult::default()),
        (json!({"content": null, "structuredContent": null}), CallToolResult::default()),
        (json!({"content": "text", "isError": "false"}), CallToolResult::default()),
        (json!({"resultType": "", "isError": 1}), CallToolResult::default()),
    ];
    for (raw, expected) in cases {
        let result: CallToolResult = serde_json::from_value(raw.clone()).unwrap();
        assert_eq!(result, expected, "{raw}");
        assert!(!result.is_error(), "{raw}");
    }
    let fine: CallToolResult = serde_json::from_value(json!({"isError": false})).unwrap();
    assert!(!fine.is_error());
    let failed: CallToolResult = serde_json::from_value(json!({"isError": true})).unwrap();
    assert!(failed.is_error());
}

#[test]
fn only_an_object_is_read_as_a_result() {
    for text in ["null", "[]", "3", "\"x\"", "true"] {
        assert!(serde_json::from_str::<CallToolResult>(text).is_err(), "{text}");
    }
}

#[test]
fn the_last_of_two_members_wins() {
    let text = r#"{"name":"a","name":"b","title":"t","title":null}"#;
    let tool: Tool = serde_json::from_str(text).unwrap();
    assert_eq!((&*tool.name, tool.title), ("b", None));
}

#[test]
fn broken_syntax_is_an_error_inside_whatever_member() {
    for text in [r#"{"tools":[{"name":}]}"#, r#"{"tools":[{"name":"a"}"#, r#"{"_meta":tru}"#] {
        assert!(serde_json::from_str::<ListToolsResult>(text).is_err(), "{text}");
    }
}

#[test]
fn the_entries_of_short_lists_are_read_one_by_one() {
    let result: DiscoverResult =
        serde_json::from_value(json!({"supportedVersions": ["a", 1, null, "b"]})).unwrap();
    assert_eq!(result.supported_versions, ["a", "b"]);
    let annotations: Annotations =
        serde_json::from_value(json!({"audience": ["user", "robot"], "priority": "high"})).unwrap();
    assert_eq!((annotations.audience, annotations.priority), (Some(vec![Role::User]), None));
    let params: GetPromptParams =
        serde_json::from_value(json!({"name": "p", "arguments": {"a": "x", "b": 2}})).unwrap();
    assert_eq!(
        params.arguments.unwrap().into_iter().collect::<Vec<_>>(),
        [("a".into(), "x".into())]
    );
}

#[test]
fn how_long_to_keep_an_answer_is_a_number() {
    let cases: &[(Value, Option<f64>, Option<CacheScope>)] = &[
        (json!({}), None, None),
        (
            json!({"ttlMs": 30_000, "cacheScope": "public"}),
            Some(30_000.0),
            Some(CacheScope::Public),
        ),
        (json!({"ttlMs": 0.5, "cacheScope": "Private"}), Some(0.5), None),
        (json!({"ttlMs": -1, "cacheScope": ""}), Some(-1.0), None),
        (json!({"ttlMs": "soon", "cacheScope": 1}), None, None),
        (json!({"ttlMs": true, "cacheScope": "private"}), None, Some(CacheScope::Private)),
    ];
    for (raw, ttl_ms, cache_scope) in cases {
        let hint = CacheHint::of(raw.as_object().unwrap());
        assert_eq!((hint.ttl_ms, hint.cache_scope), (*ttl_ms, *cache_scope), "{raw}");
        let result: ListToolsResult = serde_json::from_value(raw.clone()).unwrap();
        assert_eq!(result.cache_hint(), hint, "{raw}");
    }
}

#[test]
fn a_progress_token_is_a_text_or_a_whole_number() {
    let cases = [
        (json!("a"), Some(ProgressToken::from("a"))),
        (json!("7"), Some(ProgressToken::from("7"))),
        (json!(7), Some(ProgressToken::from(7))),
        (json!(-7.0), Some(ProgressToken::from(-7))),
        (json!(7.5), None),
        (json!(true), None),
        (json!(null), None),
    ];
    for (raw, expected) in cases {
        assert_eq!(serde_json::from_value(raw.clone()).ok(), expected, "{raw}");
    }
}

#[test]
fn a_cancelled_request_is_named_by_a_text_or_a_whole_number() {
    let cases = [
        (json!("a"), Some(RequestId::from("a"))),
        (json!(12), Some(RequestId::from(12))),
        (json!(12.0), Some(RequestId::from(12))),
        (json!(u64::MAX), Some(RequestId::from(u64::MAX))),
        (json!(12.5), None),
        (json!({}), None),
    ];
    for (raw, expected) in cases {
        let params = json!({"requestId": raw, "reason": "late"});
        let cancelled: CancelledNotification = serde_json::from_value(params).unwrap();
        assert_eq!(cancelled.request_id, expected, "{raw}");
    }
}

#[test]
fn whole_numbers_are_written_without_a_fraction() {
    let cases: &[(f64, &str)] = &[
        (1.0, "1"),
        (0.0, "0"),
        (-3.0, "-3"),
        (0.25, "0.25"),
        (9_007_199_254_740_991.0, "9007199254740991"),
        (1e300, "1e+300"),
    ];
    for (progress, text) in cases {
        let report = ProgressNotification::new("t", *progress);
        let expected = format!(r#"{{"progressToken":"t","progress":{text}}}"#);
        assert_eq!(serde_json::to_string(&report).unwrap(), expected);
    }
}

#[test]
fn a_schema_is_the_text_it_came_as_and_written_on_one_line() {
    let text =
        "{\"name\":\"t\",\"inputSchema\":{ \"type\":\r\n  \"object\", \"title\":\"a\\nb\" }}";
    let tool: Tool = serde_json::from_str(text).unwrap();
    let schema = "{ \"type\":\r\n  \"object\", \"title\":\"a\\nb\" }";
    assert_eq!(tool.input_schema.as_str(), schema);
    assert_eq!(tool.input_schema.to_object().unwrap()["title"], "a\nb");
    let line = serde_json::to_string(&tool).unwrap();
    assert_eq!(line, text.replace(['\r', '\n'], " "));
    assert_eq!(
        Schema::default().to_object().unwrap(),
        *json!({"type": "object"}).as_object().unwrap()
    );
    assert_eq!(Schema::from(&json!([1])).to_object(), None);
}

#[test]
fn levels_are_ordered_and_spelled_exactly() {
    assert!(LoggingLevel::ALL.is_sorted());
    assert_eq!(LoggingLevel::ALL.len(), 8);
    for level in LoggingLevel::ALL {
        assert_eq!(LoggingLevel::from_word(level.as_str()), Some(*level));
        assert_eq!(LoggingLevel::from_word(&level.as_str().to_uppercase()), None);
    }
    for raw in
        [json!({"data": 1}), json!({"level": "chatty", "data": 1}), json!({"level": 3, "data": 1})]
    {
        let message: LoggingMessage = serde_json::from_value(raw).unwrap();
        assert_eq!((message.level, message.data), (LoggingLevel::Info, json!(1)));
    }
}

/// The names under which `serde_json` passes itself numbers and raw text are names like others.
#[test]
fn names_that_serde_json_keeps_for_itself_cost_nothing() {
    for name in ["$serde_json::private::RawValue", "$serde_json::private::Number"] {
        for value in ["5", r#""x""#, r#""[1""#, "null"] {
            let text = format!(
                r#"{{"content":[{{"type":"odd","{name}":{value}}}],"_meta":{{"{name}":{value}}}}}"#
            );
            let result: CallToolResult = serde_json::from_str(&text).unwrap();
            assert_eq!(result.content[0].kind(), Some("odd"), "{text}");
            let ContentBlock::Unknown(block) = &result.content[0] else { panic!("{text}") };
            assert_eq!(block.as_object().map(JsonObject::len), Some(2), "{text}");
            assert_eq!(result.meta.map(|meta| meta.len()), Some(1), "{text}");
        }
    }
}

#[test]
fn of_an_argument_that_is_given_twice_the_last_text_counts() {
    let text = r#"{"name":"n","arguments":{"a":"x","a":5,"b":"y","b":"z"}}"#;
    let params: GetPromptParams = serde_json::from_str(text).unwrap();
    let arguments: Vec<_> = params.arguments.unwrap().into_iter().collect();
    let expected = [("a", "x"), ("b", "z")].map(|(a, b)| (a.to_owned(), b.to_owned()));
    assert_eq!(arguments, expected);
}

/// Also where numbers come as maps, with serde_json's `arbitrary_precision`; and without reading
/// further than the first byte.
#[test]
fn what_stands_alone_and_is_no_object_is_refused_where_it_begins() {
    for text in ["1.5", "5", "true", "null", r#""a""#, "[[],[]]", "[1", "[[[["] {
        let error = serde_json::from_str::<CallToolResult>(text).unwrap_err().to_string();
        let is_told = error.contains("expected CallToolResult as an object")
            && (error.contains("at line 1 column") || error.contains("invalid type: number"));
        assert!(is_told, "{text}: {error}");
    }
}
