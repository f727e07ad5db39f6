//! What a registry lists.

mod common;

use common::{Dead, Fake, Mode, names};
use mcp_provider::{Provider, ToolDeclaration};
use mcp_registry::{Prefix, Registry};
use serde_json::json;

#[tokio::test]
async fn names_get_their_prefix_and_nothing_else_changes() {
    // B-REG-1, B-REG-4
    let read = json!({ "type": "function", "x-cost": 3, "function": {
        "description": "Reads", "strict": true, "name": "read_file",
        "parameters": { "type": "object", "required": ["path"], "properties": { "path": {} } },
    } });
    let fs = Fake::echo(&[]).with_declarations(vec![
        ToolDeclaration::new("ext_read"),
        ToolDeclaration::from_json(read.clone()),
    ]);
    let registry = Registry::new();
    registry.add("fs", fs.clone()).unwrap().add("nt", Fake::echo(&["search", "add"])).unwrap();

    assert_eq!(names(&registry).await, ["fs_ext_read", "fs_read_file", "nt_search", "nt_add"]);
    let mut expected = read;
    expected["function"]["name"] = json!("fs_read_file");
    let published = registry.tools_for_llm().await.unwrap();
    assert_eq!(published[1].to_json().to_string(), expected.to_string());
    assert_eq!(names(&fs).await, ["ext_read", "read_file"], "the provider keeps its own names");
}

#[tokio::test]
async fn what_cannot_be_renamed_or_should_not_passes_as_it_came() {
    // B-REG-4, B-REG-13
    let cases = [
        (json!({ "function": { "name": "" } }), json!({ "function": { "name": "p_" } })),
        (
            json!({ "function": { "name": "a.b/c é" } }),
            json!({ "function": { "name": "p_a.b/c é" } }),
        ),
        (json!({ "function": { "name": 7 } }), json!({ "function": { "name": 7 } })),
        (json!({ "function": {} }), json!({ "function": {} })),
        (json!({ "function": "x" }), json!({ "function": "x" })),
        (json!({ "type": "web_search" }), json!({ "type": "web_search" })),
        (json!("odd"), json!("odd")),
        (json!(null), json!(null)),
    ];
    for (own, published) in cases {
        let declaration = ToolDeclaration::from_json(own.clone());
        let registry = Registry::new();
        registry.add("p", Fake::echo(&[]).with_declarations(vec![declaration])).unwrap();
        let tools = registry.tools_for_llm().await.unwrap();
        assert_eq!(tools[0].to_json(), published, "{own}");
    }
}

#[tokio::test]
async fn a_separator_may_be_empty_or_longer() {
    // B-REG-1
    let registry = Registry::new();
    for separator in ["", "__"] {
        let prefix = Prefix::new(&format!("p{}", separator.len())).unwrap();
        registry.add_under(prefix.separator(separator).unwrap(), Fake::echo(&["a"])).unwrap();
    }
    assert_eq!(names(&registry).await, ["p0a", "p2__a"]);
}

#[tokio::test]
async fn one_provider_that_cannot_list_fails_the_listing() {
    // B-REG-4
    let registry = Registry::new();
    registry.add("good", Fake::echo(&["a"])).unwrap();
    registry.add("bad", Fake::new(Mode::Unlistable, &[])).unwrap();
    let error = registry.tools_for_llm().await.unwrap_err();
    assert!(error.downcast_ref::<Dead>().is_some(), "the cause is reached: {error}");

    registry.remove("bad").unwrap();
    registry.add("mad", Fake::new(Mode::Panic, &[])).unwrap();
    let error = registry.tools_for_llm().await.unwrap_err().to_string();
    assert!(error.contains("'mad'") && error.contains("the well ran dry"), "{error}");
}

#[tokio::test]
async fn an_empty_registry_lists_and_answers_nothing() {
    let registry = Registry::new();
    assert_eq!(registry.tools_for_llm().await.unwrap(), []);
    assert_eq!(registry.execute_tool_calls(Vec::new()).await, []);
}
