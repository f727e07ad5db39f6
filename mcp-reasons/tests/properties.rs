//! What holds for any JSON text: of arguments, and of schemas.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{json_text, member, parameter, space, tool_of_text};
use mcp_provider::{JsonObject, Provider};
use mcp_reasons::{Guidance, LeftAlone, Reasons, augment, reason_in, strip};
use mcp_testkit::Scripted;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The text of arguments without a reason, and the same text with one to three.
fn with_and_without() -> impl Strategy<Value = (String, String)> {
    let members = prop::collection::vec((space(), space(), member(json_text())), 0..5);
    let reasons = prop::collection::vec((any::<prop::sample::Index>(), reason()), 1..4);
    (space(), space(), space(), members, reasons).prop_map(
        |(outside, start, end, members, added)| {
            let write = |added: &[(prop::sample::Index, String)]| {
                // As a model adds one: before the first member, or after any.
                let at = |place: usize| {
                    let places = members.len() + 1;
                    added.iter().filter(move |(it, _)| it.index(places) == place).map(|(_, it)| it)
                };
                let mut text = format!("{outside}{{{start}");
                let first: Vec<&str> = at(0).map(String::as_str).collect();
                text += &first.join(",");
                text += if first.is_empty() || members.is_empty() { "" } else { "," };
                for (place, (before, after, member)) in members.iter().enumerate() {
                    if place > 0 {
                        text += &format!("{before},{after}");
                    }
                    text += member;
                    at(place + 1).for_each(|reason| text += &format!(",{reason}"));
                }
                text + &end + "}" + &outside
            };
            (write(&[]), write(&added))
        },
    )
}

/// A member that is a reason, however it is spelled, and whatever it says.
fn reason() -> impl Strategy<Value = String> {
    let name = prop::sample::select(REASON);
    (name, space(), space(), json_text())
        .prop_map(|(name, before, after, value)| format!("{name}{before}:{after}{value}"))
}

const REASON: &[&str] = &["\"reason\"", "\"reason\"", "\"r\\u0065ason\"", "\"\\u0072eason\""];

/// What `serde_json` reads of an object, without its reasons; nothing where it cannot.
fn read(text: &str) -> Option<JsonObject> {
    let mut object: JsonObject = serde_json::from_str(text).ok()?;
    object.shift_remove("reason");
    Some(object)
}

/// A JSON Schema of a tool's arguments, as a value.
fn schema() -> impl Strategy<Value = Value> {
    let leaf = prop::sample::select(vec![
        json!({ "type": "string" }),
        json!(true),
        json!({}),
        json!({ "enum": [1.5, "reason", null] }),
        json!({ "type": ["integer", "null"], "maximum": 1e300 }),
    ]);
    leaf.prop_recursive(3, 16, 3, |inner| {
        let names = || prop::sample::select(vec!["a", "path", "Reason", "type", "properties"]);
        let map = prop::collection::btree_map(names(), inner.clone(), 0..3);
        let words = prop::sample::select(vec!["items", "additionalProperties", "not"]);
        (
            map,
            prop::option::of(prop::collection::btree_set(names(), 0..3)),
            any::<bool>(),
            words,
            inner,
        )
            .prop_map(|(map, required, is_typed, word, inner)| {
                let mut schema = json!({ word: inner });
                if is_typed {
                    schema["type"] = json!("object");
                }
                if !map.is_empty() {
                    schema["properties"] = json!(map);
                }
                if let Some(required) = required {
                    schema["required"] = json!(required);
                }
                schema
            })
    })
    .prop_filter("an object", Value::is_object)
}

/// Whether the keywords used above are used as JSON Schema says.
fn is_schema(schema: &Value) -> bool {
    let Value::Object(schema) = schema else { return schema.is_boolean() };
    schema.iter().all(|(word, value)| match word.as_str() {
        "type" => value.is_string() || value.is_array(),
        "properties" => value.as_object().is_some_and(|it| it.values().all(is_schema)),
        "required" => value.as_array().is_some_and(|it| it.iter().all(Value::is_string)),
        "items" | "additionalProperties" | "not" => is_schema(value),
        "enum" => value.is_array(),
        "maximum" => value.is_number(),
        "description" => value.is_string(),
        _ => false,
    })
}

/// The text of a tool's schema after it went through the layer.
fn shown(schema: &str) -> String {
    let reasons = Reasons::new(Scripted::new([tool_of_text("t", schema)]));
    let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
    let tools = runtime.block_on(reasons.tools_for_llm()).unwrap();
    tools[0].parameters().unwrap().to_raw().get().to_owned()
}

proptest! {
    #[test]
    fn stripping_undoes_adding_to_the_byte((without, with) in with_and_without()) {
        // R-IN-2
        prop_assert_eq!(strip(&with), Some(without.clone()), "{}", with);
        prop_assert_eq!(strip(&without), None, "{}", without);
        prop_assert_eq!(reason_in(&without), None);
    }

    #[test]
    fn stripped_text_reads_as_before_but_for_the_reason((_, with) in with_and_without()) {
        // R-IN-2
        let stripped = strip(&with).unwrap();
        // Where a value is one that `serde_json` cannot hold, there is nothing to compare.
        if let Some(expected) = read(&with) {
            prop_assert_eq!(Some(expected), read(&stripped), "{}", stripped);
        }
    }

    #[test]
    fn text_that_is_cut_or_no_object_is_never_touched(
        (_, with) in with_and_without(),
        cut in any::<prop::sample::Index>(),
        any in ".{0,40}",
    ) {
        // R-IN-3
        let characters: Vec<char> = with.trim_end().chars().collect();
        let short: String = characters[..cut.index(characters.len())].iter().collect();
        prop_assert_eq!(strip(&short), None, "{}", short);
        let after_it = format!("{with}{any}x");
        prop_assert_eq!(strip(&after_it), None, "{}", after_it);
        let listed = format!("[{with}]");
        prop_assert_eq!(strip(&listed), None);
    }

    #[test]
    fn an_augmented_schema_is_one_and_nothing_else_changed(came in schema()) {
        // R-OUT-1 to R-OUT-3
        let mut augmented = came.clone();
        let outcome = augment(&mut augmented, Guidance::InParameter);
        prop_assert!(is_schema(&came) && is_schema(&augmented), "{}", augmented);
        // The same through the layer, where it is text.
        let text = shown(&came.to_string());
        prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &augmented);
        if came.get("not").is_some() && came.to_string().contains("\"reason\"") {
            prop_assert_eq!((outcome, augmented), (Err(LeftAlone::Collision), came));
            return Ok(());
        }
        prop_assert_eq!(outcome, Ok(()));
        prop_assert_eq!(&augmented["properties"]["reason"], &parameter());

        let mut rest = augmented;
        rest["properties"].as_object_mut().unwrap().shift_remove("reason");
        for word in ["type", "properties"] {
            if came.get(word).is_none() {
                rest.as_object_mut().unwrap().shift_remove(word);
            }
        }
        prop_assert_eq!(rest, came);
    }

    #[test]
    fn what_is_added_to_the_text_of_a_schema_stands_in_one_place(
        before in space(), after in space(),
        inside in prop::collection::vec(member(json_text()), 0..3),
        outside in prop::collection::vec(member(json_text()), 0..3),
    ) {
        // R-OUT-3
        let outside: String = outside.iter().map(|it| format!(",{it}")).collect();
        let inside = inside.join(",");
        let came =
            format!("{{{before}\"type\":\"object\"{outside},\"properties\":{{{inside}{after}}}}}");
        let text = shown(&came);
        let same = |(a, b): &(u8, u8)| a == b;
        let start = came.bytes().zip(text.bytes()).take_while(same).count();
        let end = came.bytes().rev().zip(text.bytes().rev()).take_while(same).count();
        prop_assert!(start + end >= came.len(), "{} became {}", came, text);
        let added = format!("\"reason\":{}", parameter());
        prop_assert!(text.contains(&added) && text.len() <= came.len() + added.len() + 1);
    }

    #[test]
    fn a_value_and_its_text_are_augmented_alike(
        members in prop::collection::vec(
            (
                prop::sample::select(vec![
                    "type", "properties", "required", "reason", "x", "allOf", "dependencies",
                ]),
                prop::sample::select(vec![
                    json!("object"), json!(null), json!([]), json!({}), json!(["reason"]),
                    json!({ "reason": 1 }), json!(["string"]), json!(7),
                ]),
            ),
            0..5,
        )
    ) {
        // R-OUT-1
        let mut value = json!({});
        for (name, member) in members {
            value[name] = member;
        }
        let came = value.to_string();
        let outcome: Result<(), LeftAlone> = augment(&mut value, Guidance::InParameter);
        let text = shown(&came);
        prop_assert_eq!(&serde_json::from_str::<Value>(&text).unwrap(), &value);
        prop_assert_eq!(outcome.is_err(), text == came);
    }
}
