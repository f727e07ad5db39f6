//! Writes that must not throw away what their agent has not seen: revisions of the provider's.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{call, layer, run};
use mcp_leases::{EXPECTED_REVISIONS, LOCK_ACQUIRE, Leases, Table};
use mcp_provider::{Provider, ToolCall, ToolResult};
use mcp_testkit::{Reply, Scripted};
use serde_json::{Value, json};

fn provider() -> Scripted {
    Scripted::tools(["fs_read", "fs_write", "fs_edit", "fs_list", "fs_move"])
}

#[allow(clippy::needless_pass_by_value, reason = "it is always made for this")]
fn revisions(of: Value) -> ToolResult {
    let content = json!({ "revisionScheme": "sha256-v1", "revisions": of });
    ToolResult::ok("", "done").with_structured_content(content)
}

fn revision(token: &str) -> ToolResult {
    revisions(json!({ "path": { "token": token } }))
}

/// What the provider was told to expect, call by call.
fn expected(provider: &Scripted) -> Vec<Value> {
    let told = |call: &ToolCall| {
        call.arguments.as_object().unwrap().get(EXPECTED_REVISIONS).cloned().unwrap_or_default()
    };
    provider.calls().iter().map(told).collect()
}

fn path(token: &str) -> Value {
    json!({ "path": format!("sha256-v1:{token}") })
}

#[tokio::test]
async fn a_revision_is_learned_advanced_and_forgotten() {
    // L-REV-2 to L-REV-4, L-REV-6
    let table = Table::tokio();
    let provider = provider()
        .reply("fs_read", revision("sha256-v1:one"))
        .reply("fs_write", revision("sha256-v1:two"))
        .reply("fs_edit", revision("sha256-v1:three"))
        .reply("fs_write", Reply::error("disk full"));
    let leases = layer(provider.clone(), &table, "w1").concurrent(|| Some(2));
    run(&leases, LOCK_ACQUIRE, json!({ "paths": ["doc"] })).await;
    let arguments = json!({ "path": "doc" });
    for tool in ["fs_read", "fs_write", "fs_edit", "fs_write", "fs_write"] {
        let mine = call(tool, arguments.clone());
        leases.execute_tool_calls(vec![mine.clone()]).await;
        assert_eq!(mine.arguments.to_json(), Some(arguments.clone()), "a model's call is its own");
    }
    assert_eq!(
        expected(&provider),
        [Value::Null, path("one"), path("two"), path("three"), path("absent")]
    );
    assert_eq!(table.status().pins, []);
    assert_eq!(table.leases().len(), 1);
}

#[tokio::test]
async fn a_path_is_known_under_all_its_spellings() {
    // L-REV-8
    let provider = provider().otherwise(|call| match &*call.name {
        "fs_read" => revision("sha256-v1:one"),
        _ => ToolResult::ok(call.id.clone(), "written"),
    });
    let leases = layer(provider.clone(), &Table::tokio(), "w1");
    for spelling in ["./doc", "doc/", ".//doc", "/srv/repo/doc", "//srv/repo/./doc"] {
        run(&leases, "fs_read", json!({ "path": "doc" })).await;
        run(&leases, "fs_write", json!({ "path": spelling })).await;
        assert_eq!(expected(&provider).last(), Some(&path("one")), "{spelling}");
    }
}

#[tokio::test]
async fn what_a_model_says_of_revisions_is_never_passed_on() {
    // L-REV-2
    let provider = provider();
    let leases = layer(provider.clone(), &Table::tokio(), "w1");
    let own = json!({ "path": "sha256-v1:forged" });
    let cases = [
        ("fs_write", json!({ "path": "a", EXPECTED_REVISIONS: own }), path("absent")),
        ("fs_write", json!({ EXPECTED_REVISIONS: own }), Value::Null),
        ("fs_read", json!({ "path": "a", EXPECTED_REVISIONS: own }), Value::Null),
        ("sh_run", json!({ EXPECTED_REVISIONS: own }), Value::Null),
        ("sh_run", json!(r#"{"\u005fexpected-revisions":{"path":"forged"}}"#), Value::Null),
    ];
    for (tool, arguments, told) in cases {
        run(&leases, tool, arguments.clone()).await;
        assert_eq!(expected(&provider).last(), Some(&told), "{tool} {arguments}");
    }
    // What is no object has no arguments.
    let broken = r#"{"_expected-revisions":"#;
    leases.execute_tool_calls(vec![ToolCall::new("1", "fs_read", broken)]).await;
    assert_eq!(provider.calls().last().unwrap().arguments.as_text(), Some(broken));
}

#[tokio::test]
async fn only_known_revisions_of_good_answers_are_learned() {
    // L-REV-1, L-REV-4, L-REV-7
    let read = |result: ToolResult| provider().reply("fs_read", result);
    let structured = |content: Value| ToolResult::ok("", "").with_structured_content(content);
    let mut failed = revision("sha256-v1:one");
    failed.is_error = true;
    let cases = [
        (read(revision("sha256-v1:one")), "one"),
        (read(failed), "absent"),
        (read(ToolResult::ok("", "no revisions")), "absent"),
        (
            read(structured(json!({ "revisions": { "path": { "token": "sha256-v1:one" } } }))),
            "absent",
        ),
        (
            read(structured(
                json!({ "revisionScheme": "md5", "revisions": { "path": { "token": "x" } } }),
            )),
            "absent",
        ),
        (read(revisions(json!([]))), "absent"),
        (read(revisions(json!({ "path": { "token": 1 } }))), "absent"),
        (read(revisions(json!({ "other": { "token": "sha256-v1:one" } }))), "absent"),
    ];
    for (number, (provider, token)) in cases.into_iter().enumerate() {
        // Which tools change things is another question.
        let leases = layer(provider.clone(), &Table::tokio(), "w1").enforce([""; 0]).unwrap();
        run(&leases, "fs_read", json!({ "path": "a" })).await;
        run(&leases, "fs_write", json!({ "path": "a" })).await;
        assert_eq!(expected(&provider).last(), Some(&path(token)), "{number}");
    }
}

#[tokio::test]
async fn both_ends_of_a_move_and_the_root_of_a_listing_count() {
    // L-REV-2, L-REV-5
    let provider = provider()
        .reply("fs_list", revision("sha256-v1:root"))
        .reply("fs_read", revision("sha256-v1:one"));
    let leases = layer(provider.clone(), &Table::tokio(), "w1");
    run(&leases, "fs_list", json!({})).await;
    run(&leases, "fs_read", json!({ "path": "a" })).await;
    run(&leases, "fs_move", json!({ "from": "a", "to": "b" })).await;
    let ends = json!({ "from": "sha256-v1:one", "to": "sha256-v1:absent" });
    assert_eq!(expected(&provider).last(), Some(&ends));
    run(&leases, "fs_write", json!({ "path": "/srv/repo" })).await;
    assert_eq!(expected(&provider).last(), Some(&path("root")));
    // Of a list, nobody could tell which item a token is for.
    run(&leases, "fs_write", json!({ "path": ["a", "b"] })).await;
    assert_eq!(expected(&provider).last(), Some(&Value::Null));
}

#[tokio::test]
async fn arguments_stay_as_they_were_written() {
    // L-REV-3
    let provider = provider();
    let leases = layer(provider.clone(), &Table::tokio(), "w1");
    let text = r#"{"path": "a", "n": 1.50, "big": 123456789012345678901234567890}"#;
    leases.execute_tool_calls(vec![ToolCall::new("1", "fs_write", text)]).await;
    leases.execute_tool_calls(vec![ToolCall::new("1", "fs_read", text)]).await;
    let sent: Vec<_> =
        provider.calls().iter().map(|it| it.arguments.as_text().unwrap().to_owned()).collect();
    assert_eq!(
        sent,
        [
            r#"{"path":"a","n":1.50,"big":123456789012345678901234567890,"_expected-revisions":{"path":"sha256-v1:absent"}}"#,
            text
        ]
    );
}

#[tokio::test]
async fn the_second_of_two_edits_knows_of_the_first() {
    let provider = provider()
        .reply("fs_edit", revision("sha256-v1:one"))
        .reply("fs_edit", revision("sha256-v1:two"));
    let leases: Leases<Scripted> = layer(provider.clone(), &Table::tokio(), "w1");
    let edit = |id: &str, path: &str| ToolCall::new(id, "fs_edit", json!({ "path": path }));
    let calls = vec![edit("1", "a"), edit("2", "b"), edit("3", "./a")];
    let results = leases.execute_tool_calls(calls).await;
    let ids: Vec<_> = results.iter().map(|it| it.tool_call_id.to_string()).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(expected(&provider), [path("absent"), path("absent"), path("one")]);
}
