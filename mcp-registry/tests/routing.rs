//! Where calls go, and how their answers come back.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, Mutex};

use common::{Fake, Mode, names, run, told};
use mcp_provider::{CallId, Delivery, Provider, ToolCall, ToolResult, execute_json};
use mcp_registry::{Prefix, Registry};
use serde_json::json;

#[tokio::test]
async fn the_longest_tag_gets_the_call_whatever_the_order() {
    // B-REG-5
    for extended_first in [false, true] {
        let (basic, extended) = (Fake::echo(&["read_file"]), Fake::echo(&["read"]));
        let registry = Registry::new();
        let mut both = [("fs", basic.clone()), ("fs_ext", extended.clone())];
        if extended_first {
            both.reverse();
        }
        for (prefix, provider) in both {
            registry.add(prefix, provider).unwrap();
        }
        let results = run(&registry, &["fs_read_file", "fs_ext_read", "fs_ext_read"]).await;
        assert!(results.iter().all(|it| !it.is_error));
        assert_eq!(basic.seen(), [["read_file"]]);
        assert_eq!(extended.seen(), [["read", "read"]]);
    }
}

#[tokio::test]
async fn only_the_name_of_a_call_changes() {
    // B-REG-5
    let fake = Fake::echo(&[]);
    let registry = Registry::new();
    registry.add("p", fake.clone()).unwrap();
    let sent = json!({ "index": 2, "id": 7, "type": "function", "function": {
        "x": [], "name": "p_a.b", "arguments": "{ \"n\": 1.0 }",
    } });
    let mut call = ToolCall::from_json(sent.clone()).unwrap();
    call.extensions.insert("agent");
    registry.execute_tool_calls(vec![call, ToolCall::new("8", "p_", "{}")]).await;

    let batches = fake.batches.lock().unwrap();
    let mut expected = sent;
    expected["function"]["name"] = json!("a.b");
    assert_eq!(batches[0][0].to_json().to_string(), expected.to_string());
    assert_eq!(batches[0][0].extensions.get::<&str>(), Some(&"agent"));
    assert_eq!(batches[0][1].name, "", "a name equal to the tag is the empty name");
}

#[tokio::test]
async fn each_provider_runs_once_and_one_after_another() {
    // B-REG-6, B-REG-12
    let log = Arc::default();
    let [p1, p2] = [Fake::echo(&[]), Fake::echo(&[])].map(|it| it.logging_to(&log));
    let registry = Registry::new();
    registry.add("p1", p1.clone()).unwrap().add("p2", p2.clone()).unwrap();

    let results = run(&registry, &["p2_x", "p1_a", "p2_a", "p1_b", "p2_a"]).await;
    let contents: Vec<_> = told(&results);
    let expected = [("1", "x"), ("2", "a"), ("3", "a"), ("4", "b"), ("5", "a")];
    assert_eq!(contents, expected.map(|(id, name)| (id.to_owned(), name, false)));
    assert_eq!(p1.seen(), [["a", "b"]]);
    assert_eq!(p2.seen(), [["x", "a", "a"]]);
    // Registration order, though the first call was for the second provider.
    assert_eq!(*log.lock().unwrap(), ["begin a", "end a", "begin x", "end x"]);
}

#[tokio::test]
async fn a_call_that_nobody_owns_is_answered_and_not_sent() {
    // B-REG-7
    let registry = Registry::new();
    registry.add("p1", Fake::echo(&[])).unwrap();
    let cases = [
        ("nope_a", "Unknown tool: 'nope_a'"),
        ("P1_a", "Unknown tool: 'P1_a'"),
        ("p1", "Unknown tool: 'p1'"),
        ("", "Malformed tool call"),
    ];
    for (name, begin) in cases {
        let results = run(&registry, &[name, "p1_a"]).await;
        assert!(results[0].content.starts_with(begin), "{name:?}: {}", results[0].content);
        assert_eq!(results[0].delivery, Delivery::NotSent, "{name:?}");
        assert_eq!(results[0].tool_call_id, CallId::from("1"));
        assert_eq!(told(&results)[1], ("2".to_owned(), "a", false));
    }
    let results = run(&registry, &["nope_a"]).await;
    assert!(results[0].content.contains("No registered provider owns that prefix"));
}

#[tokio::test]
async fn a_provider_that_panics_costs_only_its_own_calls() {
    // B-REG-8
    let registry = Registry::new();
    registry.add("good", Fake::echo(&[])).unwrap().add("bad", Fake::new(Mode::Panic, &[])).unwrap();
    let results = run(&registry, &["good_a", "bad_a", "good_b", "bad_b"]).await;
    let ids: Vec<_> = results.iter().map(|it| it.tool_call_id.to_string()).collect();
    assert_eq!(ids, ["1", "2", "3", "4"]);
    for (place, result) in results.iter().enumerate() {
        let failed = place % 2 == 1;
        assert_eq!(result.is_error, failed);
        let expected = if failed { Delivery::Unknown } else { Delivery::Answered };
        assert_eq!(result.delivery, expected);
        let names_it = ["'bad'", "the well ran dry"].map(|it| result.content.contains(it));
        assert_eq!(names_it, [failed; 2], "{}", result.content);
    }
}

#[tokio::test]
async fn results_are_repaired_by_position() {
    // B-REG-7, B-REG-9
    let registry = Registry::new();
    registry.add("p", Fake::new(Mode::Short, &[])).unwrap();
    let calls = [
        json!("do it"),
        json!({ "id": "1" }),
        json!({ "id": 2, "function": "p_a" }),
        json!({ "id": "3", "function": { "name": "p_a" } }),
        json!({ "id": "4", "function": { "name": "p_b" } }),
    ];
    let results = execute_json(&registry, &calls).await;
    let ids: Vec<_> = results.iter().map(|it| it["tool_call_id"].clone()).collect();
    assert_eq!(ids, [json!(""), json!("1"), json!(2), json!("3"), json!("4")]);
    let errors: Vec<_> = results.iter().map(|it| it["is_error"] == true).collect();
    assert_eq!(errors, [true, true, true, false, true]);
    assert!(results.iter().all(|it| it["role"] == "tool" && it["content"].is_string()));
    assert_eq!(results[3]["content"], "bare");
    assert!(results[4]["content"].as_str().unwrap().contains("no result"));

    let registry = Registry::new();
    registry.add("p", Fake::new(Mode::Long, &[])).unwrap();
    let results = run(&registry, &["p_a", "p_b"]).await;
    assert_eq!(told(&results), [("1".to_owned(), "a", false), ("2".to_owned(), "b", false)]);
}

#[tokio::test]
async fn registries_nest_and_each_level_strips_one_tag() {
    // B-REG-10
    let (jira, slack) = (Fake::echo(&["search"]), Fake::echo(&["post_message"]));
    let corp = Registry::new();
    corp.add("jira", jira.clone()).unwrap().add("slack", slack.clone()).unwrap();
    let registry = Registry::new();
    registry.add("corp", corp).unwrap().add("fs", Fake::echo(&["ext_read"])).unwrap();

    let published = ["corp_jira_search", "corp_slack_post_message", "fs_ext_read"];
    assert_eq!(names(&registry).await, published);
    let results = run(&registry, &[published[0], published[1], "corp_nope_a", "corp_"]).await;
    assert_eq!(
        (jira.seen(), slack.seen()),
        (vec![vec!["search".to_owned()]], vec![vec!["post_message".to_owned()]])
    );
    assert!(results[2].content.starts_with("Unknown tool: 'nope_a'"), "under the stripped name");
    assert_eq!(results[2].tool_call_id, CallId::from("3"));
    assert!(results[3].content.starts_with("Malformed tool call"));
}

/// Removes its neighbour and itself, and adds another, while it runs.
struct Meddler(std::sync::Weak<Registry>, Mutex<Vec<usize>>);

#[async_trait::async_trait]
impl Provider for Meddler {
    async fn tools_for_llm(
        &self,
    ) -> Result<Vec<mcp_provider::ToolDeclaration>, mcp_provider::ProviderError> {
        Ok(Vec::new())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let registry = self.0.upgrade().unwrap();
        assert!(registry.remove("m").is_some() && registry.remove("p").is_some());
        registry.add("late", Fake::echo(&[])).unwrap();
        self.1.lock().unwrap().push(registry.len());
        calls.into_iter().map(|call| ToolResult::ok(call.id, "meddled")).collect()
    }
}

#[tokio::test]
async fn a_batch_keeps_the_providers_it_began_with() {
    // B-REG-11
    let registry = Arc::new(Registry::new());
    let bare = Prefix::new("p").unwrap().separator("").unwrap();
    registry
        .add("m", Meddler(Arc::downgrade(&registry), Mutex::default()))
        .and_then(|it| it.add_under(bare, Fake::echo(&[])))
        .unwrap();
    let results = run(&registry, &["pa", "m_x", "late_a"]).await;
    let texts: Vec<_> = results.iter().map(|it| (&*it.content, it.is_error)).collect();
    assert_eq!(texts[..2], [("a", false), ("meddled", false)]);
    assert!(texts[2].1, "a provider added during a batch is not part of it");
    assert_eq!(told(&run(&registry, &["late_a", "pa"]).await)[0].1, "a");
}

#[tokio::test]
async fn dropping_a_batch_drops_the_call_and_leaves_the_registry_usable() {
    struct Stuck(Arc<()>);

    #[async_trait::async_trait]
    impl Provider for Stuck {
        async fn tools_for_llm(
            &self,
        ) -> Result<Vec<mcp_provider::ToolDeclaration>, mcp_provider::ProviderError> {
            Ok(Vec::new())
        }

        async fn execute_tool_calls(&self, _: Vec<ToolCall>) -> Vec<ToolResult> {
            let _held = Arc::clone(&self.0);
            std::future::pending().await
        }
    }

    let held = Arc::new(());
    let registry = Registry::new();
    registry.add("s", Stuck(Arc::clone(&held))).unwrap().add("p", Fake::echo(&[])).unwrap();
    let mut batch = Box::pin(run(&registry, &["s_a", "p_a"]));
    let waker = std::task::Waker::noop();
    assert!(batch.as_mut().poll(&mut std::task::Context::from_waker(waker)).is_pending());
    assert_eq!(Arc::strong_count(&held), 3);
    drop(batch);
    assert_eq!(Arc::strong_count(&held), 2);
    assert_eq!(told(&run(&registry, &["p_a"]).await)[0].1, "a");
}
