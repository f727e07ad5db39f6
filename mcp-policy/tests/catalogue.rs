//! What a policy lists.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Fake, with_rules};
use mcp_provider::{Provider, ToolDeclaration};
use serde_json::{Value, json};

async fn listed(rules: &Value, shows: bool) -> Vec<String> {
    let mut builder = with_rules(Fake::default(), rules);
    if shows {
        builder = builder.show_denied_tools();
    }
    let tools = builder.build().unwrap().tools_for_llm().await.unwrap();
    tools.iter().map(|it: &ToolDeclaration| it.name().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn only_a_deny_without_conditions_hides_a_tool() {
    // P-CAT-1, P-CAT-2, P-CAT-4
    let all = ["read", "write", "move", "delete"].as_slice();
    let cases: [(Value, bool, &[&str]); 7] = [
        (json!([]), false, all),
        (json!([{ "tool": "delete", "decision": "deny" }]), false, &all[..3]),
        (
            json!([{ "tool": "m*", "decision": "deny" }, { "tool": "move", "decision": "allow" }]),
            false,
            &["read", "write", "delete"],
        ),
        (json!([{ "tool": "delete", "decision": "deny", "under": "/srv" }]), false, all),
        (json!([{ "tool": "delete", "decision": "deny", "host": "a.b" }]), false, all),
        (json!([{ "tool": "delete", "decision": "deny", "command": "rm" }]), false, all),
        (json!([{ "tool": "delete", "decision": "deny" }]), true, all),
    ];
    for (rules, shows, expected) in cases {
        assert_eq!(listed(&rules, shows).await, expected, "{rules}");
    }
}

#[tokio::test]
async fn declarations_that_cannot_be_read_pass_and_a_failure_stays_one() {
    // P-CAT-3
    struct Odd;
    #[mcp_provider::async_trait]
    impl Provider for Odd {
        async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, mcp_provider::ProviderError> {
            let odd = [json!("a string"), json!({ "type": "function" })];
            Ok(odd.into_iter().map(ToolDeclaration::from_json).collect())
        }
        async fn execute_tool_calls(
            &self,
            _: Vec<mcp_provider::ToolCall>,
        ) -> Vec<mcp_provider::ToolResult> {
            Vec::new()
        }
    }
    let rules = json!([{ "tool": "*", "decision": "deny" }]);
    let tools = with_rules(Odd, &rules).build().unwrap().tools_for_llm().await.unwrap();
    assert_eq!(tools.len(), 2);
    let dead = Fake { cannot_list: true, ..Fake::default() };
    assert!(with_rules(dead, &rules).build().unwrap().tools_for_llm().await.is_err());
}

#[tokio::test]
async fn a_grant_hides_nothing() {
    // P-CAT-2
    let grants =
        mcp_policy::rules_from_json(&json!([{ "tool": "*", "decision": "deny" }])).unwrap();
    let policy = with_rules(Fake::default(), &json!([])).grants(grants).build().unwrap();
    assert_eq!(policy.tools_for_llm().await.unwrap().len(), 4);
}

/// A provider that lists these names, and runs anything.
struct Listing(&'static [&'static str]);

#[mcp_provider::async_trait]
impl Provider for Listing {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, mcp_provider::ProviderError> {
        Ok(self.0.iter().map(|it| ToolDeclaration::new(*it)).collect())
    }

    async fn execute_tool_calls(
        &self,
        calls: Vec<mcp_provider::ToolCall>,
    ) -> Vec<mcp_provider::ToolResult> {
        calls.into_iter().map(|it| mcp_provider::ToolResult::ok(it.id, it.name)).collect()
    }
}

#[tokio::test]
async fn a_name_that_is_listed_twice_is_asked_about_whatever_allows_it() {
    // S66, P-CAT-5: `my` with `server_x` and `my_server` with `x`, under one registry
    let rules = json!([{ "tool": "my_*", "decision": "allow" },
        { "tool": "my_server_gone", "decision": "deny" }]);
    let names = &["my_server_x", "my_y", "my_server_x", "my_server_gone", "my_server_gone"];
    let policy = with_rules(Listing(names), &rules).build().unwrap();
    let decide = |name: &str| policy.decide(&mcp_provider::ToolCall::new("1", name, json!({})));
    assert_eq!(decide("my_server_x").decision.as_str(), "allow", "nothing is known before listing");
    policy.tools_for_llm().await.unwrap();
    let verdict = decide("my_server_x");
    assert_eq!((verdict.decision.as_str(), verdict.reason.as_str()), ("ask", "ambiguous-tool"));
    assert_eq!(decide("my_y").decision.as_str(), "allow");
    assert_eq!(decide("my_server_gone").decision.as_str(), "deny");
    let call = mcp_provider::ToolCall::new("1", "my_server_x", json!({}));
    let refused = policy.execute_tool_calls(vec![call.clone()]).await.remove(0);
    assert!(refused.content.contains("several tools of that name"), "{}", refused.content);
    assert!(policy.explain(&call).suggestion.is_empty(), "always would not help");
}

#[tokio::test]
async fn names_of_tools_fold_where_the_provider_folds_them() {
    // W-168
    let rules = json!([{ "tool": "*", "decision": "allow" },
        { "tool": "fs_*", "decision": "deny" }, { "tool": "Ask_me", "decision": "ask" }]);
    let other = json!([{ "tool": "fs_*", "decision": "allow" }]);
    let names = &["fs_write", "FS_write", "ask_ME", "other"];
    let cases = [
        (&rules, false, "fs_write", "deny"),
        (&rules, false, "FS_write", "allow"),
        (&rules, false, "ask_ME", "allow"),
        (&rules, true, "fs_write", "deny"),
        (&rules, true, "FS_write", "deny"),
        (&rules, true, "ask_ME", "ask"),
        (&rules, true, "other", "allow"),
        (&rules, true, "FSwrite", "allow"),
        // An allow is to the letter.
        (&other, true, "FS_write", "ask"),
        (&other, true, "fs_write", "allow"),
    ];
    for (rules, folds, tool, expected) in cases {
        let mut tables = mcp_policy::Tables::default();
        tables.folds_tool_names = folds;
        let policy = with_rules(Listing(names), rules).tables(tables).build().unwrap();
        let call = mcp_provider::ToolCall::new("1", tool, json!({}));
        let explained = policy.explain(&call);
        assert_eq!(policy.decide(&call).decision.as_str(), expected, "{tool} {explained}");
        assert_eq!(explained.decision.as_str(), expected);
        let listed = policy.tools_for_llm().await.unwrap();
        let is_listed = listed.iter().any(|it| it.name() == Some(tool));
        assert_eq!(is_listed, expected != "deny" && names.contains(&tool), "{tool}");
    }
}
