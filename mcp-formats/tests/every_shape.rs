//! What is true in every shape.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use mcp_formats::{FormatError, anthropic, chat, gemini, responses};
use mcp_provider::{Arguments, CallId, ToolCall, ToolDeclaration, ToolResult};
use proptest::prelude::*;
use serde_json::{Value, json};

type Write<T> = fn(&[T]) -> Result<Vec<Value>, FormatError>;
type Read<T> = fn(&[Value]) -> Result<Vec<T>, FormatError>;
type WriteResults = fn(&[ToolCall], &[ToolResult]) -> Result<Vec<Value>, FormatError>;

struct Shape {
    name: &'static str,
    to_tools: Write<ToolDeclaration>,
    from_tools: Read<ToolDeclaration>,
    to_calls: Write<ToolCall>,
    from_calls: Read<ToolCall>,
    to_results: WriteResults,
    from_results: Read<ToolResult>,
    /// Whether arguments are an object, and not text.
    has_objects: bool,
    has_failures: bool,
}

macro_rules! shape {
    ($module:ident, $has_objects:expr, $has_failures:expr) => {
        Shape {
            name: stringify!($module),
            to_tools: $module::to_tools,
            from_tools: $module::from_tools,
            to_calls: $module::to_calls,
            from_calls: $module::from_calls,
            to_results: $module::to_results,
            from_results: $module::from_results,
            has_objects: $has_objects,
            has_failures: $has_failures,
        }
    };
}

const SHAPES: [Shape; 4] = [
    shape!(chat, false, false),
    shape!(responses, false, false),
    shape!(anthropic, true, true),
    shape!(gemini, true, true),
];

fn search() -> ToolDeclaration {
    let schema = json!({ "type": "object", "required": ["q"], "additionalProperties": false,
                         "properties": { "q": { "type": ["string", "null"] }, "a": {} } });
    ToolDeclaration::new("search")
        .with_description("Searches")
        .with_parameters(schema.as_object().unwrap().clone())
}

#[test]
fn a_declaration_comes_back() {
    for shape in SHAPES {
        let tools = [search(), ToolDeclaration::new("now")];
        let read = (shape.from_tools)(&(shape.to_tools)(&tools).unwrap()).unwrap();
        assert_eq!(read.len(), 2, "{}", shape.name);
        for (read, tool) in read.iter().zip(&tools) {
            assert_eq!(read.name(), tool.name(), "{}", shape.name);
            assert_eq!(read.description(), tool.description(), "{}", shape.name);
            let text = |it: &ToolDeclaration| it.parameters().unwrap().to_json().to_string();
            assert_eq!(text(read), text(tool), "{}", shape.name);
        }
        assert_eq!((shape.to_tools)(&[]), Ok(vec![]));
        assert_eq!((shape.from_tools)(&[]), Ok(vec![]));
    }
}

#[test]
fn a_tool_that_an_api_brings_along_is_kept() {
    let built_in = json!({ "type": "web_search_20990101", "name": "web_search", "max_uses": 3 });
    for shape in SHAPES {
        let read = (shape.from_tools)(std::slice::from_ref(&built_in)).unwrap();
        assert_eq!(read[0].name(), None, "{}", shape.name);
        assert_eq!((shape.to_tools)(&read).unwrap()[0], built_in, "{}", shape.name);
    }
}

#[test]
fn a_declaration_that_is_none_is_named() {
    for shape in SHAPES {
        for (odd, words) in [
            (json!({ "function": { "name": 7 } }), "tool 1 must have \"name\""),
            (json!({ "function": {} }), "tool 1 must have \"name\""),
            (json!({ "function": "x" }), "tool 1 must have \"function\""),
            (json!("x"), "tool 1 must be an object"),
        ] {
            let tools = [search(), ToolDeclaration::from_json(odd)];
            let error = (shape.to_tools)(&tools).unwrap_err().to_string();
            assert!(error.starts_with(words), "{}: {error}", shape.name);
        }
        let error = (shape.from_tools)(&[json!({}), json!(7)]).unwrap_err().to_string();
        assert!(error.contains('0') || error == "tool 1 must be an object", "{error}");
    }
}

#[test]
fn calls_come_back_with_their_ids_and_in_their_order() {
    for shape in SHAPES {
        let calls = [
            ToolCall::new("a", "search", r#"{ "q": "x", "n": 1.0 }"#),
            ToolCall::new("b", "search", json!({ "z": 1, "q": [] })),
            ToolCall::new("c", "now", Arguments::default()),
            ToolCall::new("d", "now", "  "),
        ];
        let written = (shape.to_calls)(&calls).unwrap();
        let read = (shape.from_calls)(&written).unwrap();
        assert_eq!(read.len(), calls.len(), "{}", shape.name);
        for (read, call) in read.iter().zip(&calls) {
            assert_eq!((&read.id, &read.name), (&call.id, &call.name), "{}", shape.name);
            assert_eq!(read.arguments.as_object(), call.arguments.as_object(), "{}", shape.name);
            assert_eq!(read.arguments.as_text().is_none(), shape.has_objects, "{}", shape.name);
        }
        // Written again, it is the same to the letter.
        assert_eq!((shape.to_calls)(&read).unwrap(), written);
    }
}

#[test]
fn arguments_that_are_no_object_stay_text_or_are_refused() {
    for shape in SHAPES {
        for arguments in [json!("{not json"), json!("[1]"), json!([1]), json!(7)] {
            let call = ToolCall::new("a", "x", arguments.clone());
            let written = (shape.to_calls)(&[call]);
            if shape.has_objects {
                let error = written.unwrap_err();
                assert!(error.to_string().contains("\"a\""), "{error}");
                assert!(std::error::Error::source(&error).is_some());
            } else {
                let read = (shape.from_calls)(&written.unwrap()).unwrap();
                let text = arguments.as_str().map_or_else(|| arguments.to_string(), str::to_owned);
                assert_eq!(read[0].arguments.as_text(), Some(&*text), "{}", shape.name);
            }
        }
    }
}

#[test]
fn an_id_must_be_text_that_is_not_empty() {
    for shape in SHAPES {
        for id in [json!(7), json!(""), json!(null), json!([1])] {
            let call = ToolCall::from_json(json!({ "id": id, "function": { "name": "x" } }));
            let calls = [call.unwrap()];
            let results = [ToolResult::ok(calls[0].id.to_string(), "")];
            for error in [(shape.to_calls)(&calls), (shape.to_results)(&calls, &results)] {
                let error = error.unwrap_err().to_string();
                assert!(error.contains("must be a string"), "{}: {error}", shape.name);
            }
        }
    }
}

#[test]
fn results_come_back_and_a_failure_where_there_is_a_place_for_it() {
    for shape in SHAPES {
        let calls = ["a", "b", "c"].map(|id| ToolCall::new(id, "x", "{}"));
        let results = [
            ToolResult::ok("a", "fine\nand more"),
            ToolResult::unknown("b", "nobody knows"),
            ToolResult::ok("", "").with_structured_content(json!({ "secret": 1 })),
        ];
        let written = (shape.to_results)(&calls, &results).unwrap();
        assert!(!json!(written).to_string().contains("secret"), "structured content is not sent");
        let read = (shape.from_results)(&written).unwrap();
        let ids: Vec<_> = read.iter().map(|it| it.tool_call_id.clone()).collect();
        assert_eq!(ids, ["a", "b", "c"].map(CallId::from), "the ids are those of the calls");
        for (read, result) in read.iter().zip(&results) {
            assert_eq!(read.content, result.content, "{}", shape.name);
            assert_eq!(read.is_error, result.is_error && shape.has_failures, "{}", shape.name);
        }
        assert_eq!((shape.to_results)(&calls, &read).unwrap(), written, "{}", shape.name);
    }
}

#[test]
fn each_call_needs_its_result() {
    for shape in SHAPES {
        let calls = ["a", "b"].map(|id| ToolCall::new(id, "x", "{}"));
        let error = (shape.to_results)(&calls, &[ToolResult::ok("a", "")]).unwrap_err();
        assert_eq!(error, FormatError::Unpaired { calls: 2, results: 1 });
    }
}

#[test]
fn items_of_other_kinds_are_left_out_and_items_that_are_none_are_refused() {
    let others = [
        json!({ "type": "text", "text": "hm" }),
        json!({ "type": "reasoning", "id": "rs_1", "summary": [] }),
        json!({ "text": "hm", "thought": true }),
        json!({ "role": "user", "content": "hm" }),
    ];
    for shape in SHAPES {
        // The calls of Chat Completions are a list of their own, without other items.
        if shape.name != "chat" {
            assert_eq!((shape.from_calls)(&others), Ok(vec![]), "{}", shape.name);
        }
        assert_eq!((shape.from_results)(&others), Ok(vec![]), "{}", shape.name);
        let error = FormatError::NotAnObject { what: "item", place: 1 };
        let list = [json!({ "role": "user" }), json!("x")];
        assert_eq!((shape.from_calls)(&list), Err(error.clone()), "{}", shape.name);
        assert_eq!((shape.from_results)(&list), Err(error), "{}", shape.name);
    }
}

#[test]
fn a_mark_of_one_api_never_reaches_another() {
    let marked: [(&str, Vec<ToolCall>); 3] = [
        (
            "responses",
            responses::from_calls(&[json!({ "type": "function_call", "call_id": "a",
                "name": "x", "arguments": "{}", "mark": 1 })])
            .unwrap(),
        ),
        (
            "anthropic",
            anthropic::from_calls(&[json!({ "type": "tool_use", "id": "a", "name": "x",
                "input": {}, "mark": 1 })])
            .unwrap(),
        ),
        (
            "gemini",
            gemini::from_calls(&[json!({ "functionCall": { "id": "a", "name": "x", "args": {} },
                "mark": 1 })])
            .unwrap(),
        ),
    ];
    for (from, calls) in marked {
        for shape in SHAPES {
            let written = json!((shape.to_calls)(&calls).unwrap()).to_string();
            assert_eq!(written.contains("mark"), shape.name == from, "{from} to {}", shape.name);
        }
    }
}

fn object() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(json!(null)),
        any::<i64>().prop_map(Value::from),
        "[ -~é]{0,5}".prop_map(Value::from)
    ];
    let value = leaf.prop_recursive(3, 20, 4, |inner| {
        proptest::collection::vec(("[a-c]{1,2}", inner), 0..4)
            .prop_map(|members| Value::Object(members.into_iter().collect()))
    });
    proptest::collection::vec(("[a-c]{1,2}", value), 0..4)
        .prop_map(|members| Value::Object(members.into_iter().collect()))
}

proptest! {
    #[test]
    fn any_schema_and_any_arguments_come_back(schema in object(), arguments in object(), id in "[a-z]{1,3}") {
        for shape in SHAPES {
            let tool = ToolDeclaration::new("x").with_parameters(schema.as_object().unwrap().clone());
            let read = (shape.from_tools)(&(shape.to_tools)(&[tool]).unwrap()).unwrap();
            prop_assert_eq!(read[0].parameters().unwrap().to_json().to_string(), schema.to_string());

            let call = ToolCall::new(&*id, "x", arguments.clone());
            let read = (shape.from_calls)(&(shape.to_calls)(&[call]).unwrap()).unwrap();
            let found = Value::Object(read[0].arguments.as_object().unwrap().clone());
            prop_assert_eq!(found.to_string(), arguments.to_string());
            prop_assert_eq!(&read[0].id, &CallId::from(&*id));
        }
    }
}
