//! What a listing through the layer looks like.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{call, catalogue, parameter, tool, tool_of_text};
use mcp_provider::{Provider, ProviderError, ToolDeclaration};
use mcp_reasons::{
    Collision, CollisionError, DESCRIPTION, Guidance, INSTRUCTIONS, LeftAlone, REASON_PARAM,
    Reasons, augment,
};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

/// The one tool of a provider, through the layer.
async fn shown(tool: ToolDeclaration) -> (ToolDeclaration, Vec<String>) {
    let reasons = Reasons::new(Scripted::new([tool]));
    let shown = reasons.tools_for_llm().await.unwrap().remove(0);
    (shown, reasons.augmented_tools())
}

#[tokio::test]
async fn every_tool_gains_a_reason_but_the_one_that_has_its_own() {
    // R-1, R-2, R-OUT-1 to R-OUT-4
    let reasons = Reasons::new(Scripted::new(catalogue()));
    assert_eq!(reasons.augmented_tools(), [""; 0], "before the first listing");

    let came = catalogue();
    let tools = reasons.tools_for_llm().await.unwrap();
    let parameters: Vec<Value> =
        tools.iter().map(|tool| tool.parameters().unwrap().to_json()).collect();
    assert_eq!(
        parameters[0],
        json!({
            "type": "object", "required": ["path"],
            "properties": { "path": {}, "reason": parameter() },
        })
    );
    assert_eq!(parameters[1], json!({ "type": "object", "properties": { "reason": parameter() } }));
    assert_eq!(tools[2], came[2]);
    assert_eq!(reasons.augmented_tools(), ["fs_ping", "fs_read"]);
    assert_eq!(reasons.get_ref().tools_for_llm().await.unwrap(), came, "the provider's own stay");
}

#[test]
fn the_words_are_the_ones_that_were_agreed() {
    // R-2
    assert_eq!(REASON_PARAM, "reason");
    assert_eq!(
        DESCRIPTION,
        "One short sentence: why this call. Shown to the human reviewing the session."
    );
    assert!(INSTRUCTIONS.contains("`reason`") && INSTRUCTIONS.contains("optional"));
}

/// What a schema becomes: as a value through `augment`, as text through the layer.
const SCHEMAS: &[(&str, Result<&str, LeftAlone>)] = &[
    ("{}", Ok(r#"{"type":"object","properties":{@}}"#)),
    (r#"{"type":"object"}"#, Ok(r#"{"type":"object","properties":{@}}"#)),
    (r#"{"properties":{}}"#, Ok(r#"{"properties":{@},"type":"object"}"#)),
    (r#"{"type":5,"properties":{}}"#, Ok(r#"{"type":"object","properties":{@}}"#)),
    (r#"{"type":["object","null"]}"#, Ok(r#"{"type":["object","null"],"properties":{@}}"#)),
    (
        r#"{"z":1,"properties":{"b":{},"a":{}},"type":"object","additionalProperties":false}"#,
        Ok(
            r#"{"z":1,"properties":{"b":{},"a":{},@},"type":"object","additionalProperties":false}"#,
        ),
    ),
    // Names in other places are not parameters.
    (
        r#"{"type":"object","reason":1,"properties":{"a":{"properties":{"reason":{}}}}}"#,
        Ok(r#"{"type":"object","reason":1,"properties":{"a":{"properties":{"reason":{}}},@}}"#),
    ),
    (
        r#"{"type":"object","required":"reason"}"#,
        Ok(r#"{"type":"object","required":"reason","properties":{@}}"#),
    ),
    (
        r#"{"type":"object","required":["Reason",1]}"#,
        Ok(r#"{"type":"object","required":["Reason",1],"properties":{@}}"#),
    ),
    (r#"{"properties":{"reason":{}}}"#, Err(LeftAlone::Collision)),
    (r#"{"properties":{"r\u0065ason":null}}"#, Err(LeftAlone::Collision)),
    (r#"{"required":["path","reason"]}"#, Err(LeftAlone::Collision)),
    (r#"{"properties":{},"required":["re\u0061son"]}"#, Err(LeftAlone::Collision)),
    // Schemas that apply to the same arguments may declare or require it.
    (
        r#"{"allOf":[{"properties":{"reason":{}},"required":["reason"]}]}"#,
        Err(LeftAlone::Collision),
    ),
    (
        r##"{"$ref":"#/$defs/A","$defs":{"A":{"properties":{"reason":{}}}}}"##,
        Err(LeftAlone::Collision),
    ),
    (
        r##"{"$dynamicRef":"#A","$defs":{"A":{"$dynamicAnchor":"A","required":["reason"]}}}"##,
        Err(LeftAlone::Collision),
    ),
    (
        r#"{"properties":{"a":{}},"anyOf":[{"required":["reason"]},{"required":["a"]}]}"#,
        Err(LeftAlone::Collision),
    ),
    (r#"{"oneOf":[{},{"allOf":[{"properties":{"reason":{}}}]}]}"#, Err(LeftAlone::Collision)),
    (r#"{"not":{"required":["reason"]}}"#, Err(LeftAlone::Collision)),
    (r#"{"if":{"required":["reason"]}}"#, Err(LeftAlone::Collision)),
    (r#"{"then":{"properties":{"reason":{}}}}"#, Err(LeftAlone::Collision)),
    (r#"{"else":{"properties":{"re\u0061son":{}}}}"#, Err(LeftAlone::Collision)),
    (r#"{"dependentSchemas":{"a":{"required":["reason"]}}}"#, Err(LeftAlone::Collision)),
    (r#"{"dependentRequired":{"a":["reason"]}}"#, Err(LeftAlone::Collision)),
    (r#"{"dependentRequired":{"reason":["a"]}}"#, Err(LeftAlone::Collision)),
    (r#"{"dependencies":{"a":["reason"]}}"#, Err(LeftAlone::Collision)),
    (r#"{"\u0061llOf":[{"required":["re\u0061son"]}]}"#, Err(LeftAlone::Collision)),
    (r#"{"propertyNames":{"enum":["a","reason"]}}"#, Err(LeftAlone::Collision)),
    // Nobody follows them further than this: the name may stand anywhere.
    (r#"{"anyOf":[{"enum":["reason"]}]}"#, Err(LeftAlone::Collision)),
    (
        r#"{"anyOf":[{"required":["a"]},{"title":"a \"reason\""}]}"#,
        Ok(
            r#"{"anyOf":[{"required":["a"]},{"title":"a \"reason\""}],"type":"object","properties":{@}}"#,
        ),
    ),
    (
        r#"{"properties":{"a":{"anyOf":[{"required":["reason"]}]}}}"#,
        Ok(r#"{"properties":{"a":{"anyOf":[{"required":["reason"]}]},@},"type":"object"}"#),
    ),
    (
        r#"{"$defs":{"A":{"required":["reason"]}}}"#,
        Ok(r#"{"$defs":{"A":{"required":["reason"]}},"type":"object","properties":{@}}"#),
    ),
    (r#"{"properties":"text"}"#, Err(LeftAlone::Unreadable)),
    (r#"{"properties":null}"#, Err(LeftAlone::Unreadable)),
    (r#"{"properties":[],"required":["reason"]}"#, Err(LeftAlone::Unreadable)),
];

#[tokio::test]
async fn a_schema_gains_one_property_or_stays_as_it_came() {
    // R-OUT-1 to R-OUT-3
    let property = format!("\"reason\":{}", parameter());
    for (came, expected) in SCHEMAS {
        let expected_text = expected.map(|text| text.replace('@', &property));
        let mut value: Value = serde_json::from_str(came).unwrap();
        let outcome = augment(&mut value, Guidance::InParameter);
        let whole = expected_text.clone().unwrap_or_else(|_| (*came).to_owned());
        assert_eq!(outcome, expected_text.clone().map(|_| ()), "{came}");
        assert_eq!(value, serde_json::from_str::<Value>(&whole).unwrap(), "{came}");

        for tool in [tool_of_text("t", came), tool("t", serde_json::from_str(came).unwrap())] {
            let (shown, augmented) = shown(tool.clone()).await;
            assert_eq!(shown.parameters().unwrap().to_json(), value, "{came}");
            assert_eq!(augmented.len(), usize::from(expected.is_ok()), "{came}");
            assert_eq!(shown.is_same(&tool), expected.is_err(), "{came}: passed on as it came");
        }
        let (shown, _) = shown(tool_of_text("t", came)).await;
        assert_eq!(shown.parameters().unwrap().to_raw().get(), whole, "to the byte");
    }
}

#[tokio::test]
async fn the_text_of_a_schema_is_spliced_and_not_printed() {
    // R-OUT-3
    let came = "{ \"type\":\"object\",\n \"properties\" : {\"a\":{\"maximum\":1e400,\"x\":1.50}  } ,\
                \"y\":12345678901234567890123 }";
    let (shown, _) = shown(tool_of_text("t", came)).await;
    let expected = came.replace("}  }", &format!("}},\"reason\":{}  }}", parameter()));
    assert_eq!(shown.parameters().unwrap().to_raw().get(), expected);

    // Of names that are written twice the last counts, as for everybody else who reads it.
    let came = r#"{"type":"object","properties":{"reason":{}},"properties":{"a":{}}}"#;
    let (shown, augmented) = self::shown(tool_of_text("t", came)).await;
    let text = shown.parameters().unwrap().to_raw();
    assert!(text.get().starts_with(&came[..came.len() - 2]), "{text}");
    assert_eq!(augmented, ["t"]);
}

#[tokio::test]
async fn what_cannot_be_read_passes_as_it_came() {
    // R-OUT-1
    for odd in [
        json!({ "weird": true }),
        json!({ "function": { "name": 7, "parameters": {} } }),
        json!({ "function": { "name": "a" } }),
        json!({ "function": { "name": "a", "parameters": "text" } }),
        json!({ "function": { "name": "a", "parameters": { "properties": "text" } } }),
        json!("a string"),
        json!(null),
    ] {
        let tool = ToolDeclaration::from_json(odd.clone());
        let (shown, augmented) = shown(tool.clone()).await;
        assert!(shown.is_same(&tool), "{odd}");
        assert_eq!(augmented, [""; 0], "{odd}");
    }
    let empty = Reasons::new(Scripted::new([]));
    assert_eq!(empty.tools_for_llm().await.unwrap(), []);
}

#[tokio::test]
async fn members_around_the_schema_stay() {
    // R-OUT-3
    let came = json!({ "x": 1, "function": {
        "strict": true, "name": "a", "parameters": { "type": "object", "properties": {} },
    }, "type": "odd" });
    let (shown, _) = shown(ToolDeclaration::from_json(came.clone())).await;
    let mut expected = came;
    expected["function"]["parameters"]["properties"]["reason"] = parameter();
    assert_eq!(shown.to_json().to_string(), expected.to_string());
}

#[tokio::test]
async fn only_the_chosen_tools_gain_a_reason() {
    // R-3
    let needs_approval = |tool: &ToolDeclaration| tool.name() != Some("fs_read");
    let reasons = Reasons::new(Scripted::new(catalogue())).only(needs_approval);
    let tools = reasons.tools_for_llm().await.unwrap();
    assert_eq!(tools[0], catalogue()[0]);
    assert_eq!(reasons.augmented_tools(), ["fs_ping"]);

    let read = call("fs_read", r#"{"reason":"left"}"#);
    reasons.execute_tool_calls(vec![read.clone()]).await;
    assert_eq!(reasons.get_ref().calls(), [read]);
}

#[tokio::test]
async fn a_choice_is_asked_at_each_listing() {
    // R-3, R-OUT-4
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    let asks = Arc::new(AtomicBool::new(true));
    let answer = Arc::clone(&asks);
    let reasons =
        Reasons::new(Scripted::tools(["t"])).only(move |_| answer.load(Ordering::Relaxed));
    for expected in [true, true, false, false, true] {
        asks.store(expected, Ordering::Relaxed);
        let tools = reasons.tools_for_llm().await.unwrap();
        assert_eq!(tools[0] != ToolDeclaration::new("t"), expected);
        assert_eq!(reasons.augmented_tools().len(), usize::from(expected));
    }
}

#[tokio::test]
async fn a_choice_that_panics_fails_the_listing() {
    // R-3
    let reasons = Reasons::new(Scripted::tools(["t"])).only(|_| panic!("no idea"));
    let error = reasons.tools_for_llm().await.unwrap_err().to_string();
    assert_eq!(error, "the choice of tools that give reasons panicked: no idea");
}

#[tokio::test]
async fn a_collision_can_be_an_error_that_names_the_tool() {
    // R-3
    let own = tool("note_add", json!({ "properties": { "reason": {} } }));
    let required = tool("note_add", json!({ "required": ["reason"] }));
    let unreadable = tool("note_add", json!({ "properties": 1 }));
    let strict = |tool: ToolDeclaration| {
        Reasons::new(Scripted::new([ToolDeclaration::new("t"), tool]))
            .on_collision(Collision::Error)
    };
    for collides in [own.clone(), required] {
        let reasons = strict(collides);
        // The second time, too, when nothing has changed.
        for _ in 0..2 {
            let error: ProviderError = reasons.tools_for_llm().await.unwrap_err();
            assert_eq!(error.downcast_ref::<CollisionError>().unwrap().tool(), "note_add");
            assert!(error.to_string().contains("\"note_add\""), "{error}");
        }
        assert_eq!(reasons.augmented_tools(), [""; 0]);
    }
    assert!(strict(unreadable).tools_for_llm().await.is_ok(), "that is no collision");
    let reasons = strict(own).only(|tool| tool.name() != Some("note_add"));
    assert!(reasons.tools_for_llm().await.is_ok(), "nobody asked it for a reason");
}

#[tokio::test]
async fn guidance_can_be_given_once_elsewhere() {
    // R-3
    let reasons = Reasons::new(Scripted::tools(["t"])).guidance(Guidance::InInstructions);
    let tools = reasons.tools_for_llm().await.unwrap();
    let parameters = tools[0].parameters().unwrap().to_json();
    assert_eq!(parameters["properties"], json!({ "reason": { "type": "string" } }));

    let mut value = json!({});
    augment(&mut value, Guidance::InInstructions).unwrap();
    assert_eq!(value["properties"], json!({ "reason": { "type": "string" } }));
    for odd in [json!(null), json!([]), json!(true)] {
        let mut value = odd.clone();
        assert_eq!(augment(&mut value, Guidance::InParameter), Err(LeftAlone::Unreadable));
        assert_eq!(value, odd);
    }
}
