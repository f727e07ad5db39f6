//! What holds for any call: it is compared as a naive reader would, and passes to the byte.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeSet;

use common::{Log, takes};
use mcp_provider::{Provider, ToolCall};
use mcp_testkit::Scripted;
use mcp_unknown_keys::audit;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        prop::sample::select(vec!["a", "path", "pat", "reason", "Reason", ""])
            .prop_map(str::to_owned),
        "[a-c\u{e9}\"\n]{0,3}",
    ]
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![Just(json!(null)), any::<f64>().prop_map(Value::from), Just(json!({ "a": ["a"] }))]
}

proptest! {
    #[test]
    fn the_unknown_names_are_the_ones_that_are_missing(
        declared in prop::collection::btree_set(name(), 0..5),
        arguments in prop::collection::btree_map(name(), value(), 0..6),
    ) {
        // U-AUD-1, U-AUD-2, U-AUD-6
        let properties: Map<String, Value> =
            declared.iter().map(|name| (name.clone(), json!(true))).collect();
        let schema = json!({ "properties": properties });
        let object: Map<String, Value> = arguments.clone().into_iter().collect();
        let unknown = audit(schema.as_object().unwrap(), &object);

        let written: BTreeSet<String> = arguments.into_keys().collect();
        let is_said = |name: &&String| *name != "reason" && !declared.is_empty();
        let expected: Vec<&String> = written.difference(&declared).filter(is_said).collect();
        prop_assert_eq!(unknown.iter().map(|key| &key.name).collect::<Vec<_>>(), expected);
        for near in unknown.iter().filter_map(|key| key.did_you_mean.as_ref()) {
            prop_assert!(declared.contains(near) && !written.contains(near), "{}", near);
        }
    }

    #[test]
    fn any_call_passes_to_the_byte(text in ".{0,30}", object in any::<bool>(), value in value()) {
        // U-FWD-1
        let audited = Log::default().audit(Scripted::new([takes("t", &["a"])]));
        let call = match object {
            true => ToolCall::new("1", "t", json!({ text: value })),
            false => ToolCall::new("1", "t", text),
        };
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        runtime.block_on(async {
            audited.tools_for_llm().await.unwrap();
            audited.execute_tool_calls(vec![call.clone()]).await;
        });
        prop_assert_eq!(audited.get_ref().calls(), [call]);
    }
}
