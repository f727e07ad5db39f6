//! Which calls go on: what others hold, what is one's own, and what nobody can tell.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use common::{
    assert_granted, assert_ok, assert_refused, call, claim, holder, layer, locations, run,
};
use mcp_leases::{Fence, LOCK_ACQUIRE, LOCK_RELEASE, Leases, Table};
use mcp_provider::{Provider, ToolCall, ToolDeclaration, ToolResult};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

fn table() -> Table {
    Table::tokio()
}

#[tokio::test]
async fn the_two_tools_are_listed_last_and_teach_their_use() {
    // L-CAT-1 to L-CAT-5, L-NEW-5
    let tools = ["fs_read", LOCK_ACQUIRE, "fs_write", "fs_list", LOCK_RELEASE, "a", "b"];
    let inner = Scripted::tools(tools);
    let given = inner.tools_for_llm().await.unwrap();
    let leases = layer(inner.clone(), &table(), "w1");
    let listed = leases.tools_for_llm().await.unwrap();
    let names: Vec<_> = listed.iter().map(|tool| tool.name().unwrap()).collect();
    assert_eq!(names, ["fs_read", "fs_write", "fs_list", "a", "b", LOCK_ACQUIRE, LOCK_RELEASE]);
    assert!(listed[0].is_same(&given[0]), "it is the provider's own declaration");
    let again = leases.tools_for_llm().await.unwrap();
    assert!(listed.iter().zip(&again).all(|(one, other)| one.is_same(other)), "nothing is copied");

    let (acquire, release) = (&listed[5], &listed[6]);
    let text = acquire.description().unwrap();
    assert!(text.starts_with("Claim"), "{text}");
    for part in ["THIS CALL WAITS", "do not retry it blindly", "whole working set", "lock_release"]
    {
        assert!(text.contains(part), "{part}: {text}");
    }
    let text = release.description().unwrap();
    assert!(text.contains("releases everything you hold") && text.contains("harmless"), "{text}");
    let schema = acquire.parameters().unwrap().to_json();
    assert_eq!(schema["required"], json!(["paths"]));
    assert_eq!(schema["properties"]["paths"]["type"], "array");
    assert_eq!(schema["properties"]["paths"]["items"]["type"], "string");
    assert_eq!(schema["properties"]["ttl"]["type"], "number");
    assert_eq!(schema["properties"]["wait"]["type"], "number");
    let wait = schema["properties"]["wait"]["description"].as_str().unwrap();
    assert!(wait.contains("90") && wait.contains("0 answers at once"), "{wait}");
    let schema = release.parameters().unwrap().to_json();
    assert_eq!(
        (&schema["required"], &schema["properties"]["paths"]["type"]),
        (&json!([]), &json!("array"))
    );

    let hidden = layer(inner, &table(), "w1").publish(false);
    let names = hidden.tools_for_llm().await.unwrap();
    assert_eq!(names.len(), 5, "{names:?}");
    assert_ok(&run(&hidden, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await, &["Locked"]);
}

#[tokio::test]
async fn a_listing_that_fails_stays_a_failure() {
    let leases = layer(Scripted::tools(["a"]).failing_listing("no tools today"), &table(), "w1");
    assert_eq!(leases.tools_for_llm().await.unwrap_err().to_string(), "no tools today");
}

#[test]
fn what_cannot_be_set_is_refused() {
    // L-NEW-2, L-NEW-3
    let leases = || layer(Scripted::tools([]), &table(), "w1");
    assert!(leases().enforce(["fs_write", "fs*write"]).is_err());
    assert!(leases().default_ttl(std::time::Duration::ZERO).is_err());
    let names: Vec<String> = leases().enforced_tools().iter().map(ToString::to_string).collect();
    assert_eq!(names, ["fs_write", "fs_edit", "fs_mkdir", "fs_move", "fs_delete"]);
    assert_eq!(leases().holder(), &holder("w1"));
}

#[tokio::test]
async fn what_others_hold_is_refused_and_the_rest_goes_on() {
    // L-CHK-5, L-CHK-8, L-EXEC-4, L-REV-2, L-REV-3
    let table = table();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/src"])));
    assert_granted(&table.acquire(&claim("w1", &["/srv/repo/docs"])));
    let inner = Scripted::tools(["fs_read", "fs_write", "fs_edit"]);
    let leases = layer(inner.clone(), &table, "w1");

    let refused = run(&leases, "fs_write", json!({ "path": "src/app.rs" })).await;
    assert_refused(
        &refused,
        &[
            "'/srv/repo/src/app.rs' is locked by r1 (locked as '/srv/repo/src'), held for 0s",
            "lock_acquire",
        ],
    );
    assert_eq!(inner.batches().len(), 0);
    assert_ok(&run(&leases, "fs_read", json!({ "path": "src/app.rs" })).await, &[]);
    let calls = vec![
        call("fs_write", json!({ "path": "docs/a.md" })),
        call("fs_edit", json!({ "path": "free.md" })),
    ];
    let results = leases.execute_tool_calls(calls.clone()).await;
    assert!(results.iter().all(|it| !it.is_error), "{results:?}");
    let batches: Vec<Vec<String>> = inner
        .batches()
        .iter()
        .map(|batch| batch.iter().map(|call| call.name.clone()).collect())
        .collect();
    assert_eq!(batches, [vec!["fs_read"], vec!["fs_write", "fs_edit"]]);
    let sent = inner.batches()[1][0].arguments.to_json().unwrap();
    assert_eq!(sent["_expected-revisions"], json!({ "path": "sha256-v1:absent" }));
    assert_eq!(calls[0].arguments.to_json(), Some(json!({ "path": "docs/a.md" })));
    assert_eq!(table.status().pins, []);
}

#[tokio::test]
async fn with_others_live_every_end_has_to_be_locked() {
    // L-EXEC-1, L-CHK-7
    let table = table();
    let live = Arc::new(AtomicUsize::new(1));
    let asked = Arc::new(AtomicUsize::new(0));
    let leases = layer(Scripted::tools(["fs_write"]), &table, "w1").concurrent({
        let (live, asked) = (Arc::clone(&live), Arc::clone(&asked));
        move || {
            asked.fetch_add(1, Ordering::Relaxed);
            Some(live.load(Ordering::Relaxed))
        }
    });
    let write =
        || vec![call("fs_write", json!({ "path": "a" })), call("fs_write", json!({ "path": "b" }))];
    let results = leases.execute_tool_calls(write()).await;
    assert!(results.iter().all(|it| !it.is_error), "{results:?}");
    assert_eq!(asked.load(Ordering::Relaxed), 1);

    live.store(2, Ordering::Relaxed);
    let refused = leases.execute_tool_calls(write()).await.remove(0);
    assert_refused(&refused, &["another agent is live", "lock_acquire", "/srv/repo/a"]);
    assert_ok(&run(&leases, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await, &[]);
    assert_ok(&run(&leases, "fs_write", json!({ "path": "a" })).await, &[]);
    let half = run(&leases, "fs_move", json!({ "from": "a", "to": "b" })).await;
    assert_refused(&half, &["another agent is live", "no lock on /srv/repo/b."]);
    assert_ok(&run(&leases, LOCK_RELEASE, json!({})).await, &[]);
    assert_refused(&run(&leases, "fs_write", json!({ "path": "a" })).await, &["another agent"]);
    live.store(1, Ordering::Relaxed);
    assert_ok(&run(&leases, "fs_write", json!({ "path": "a" })).await, &[]);
}

#[tokio::test]
async fn a_host_that_cannot_count_is_taken_to_have_more_agents() {
    // L-EXEC-1
    let leases = || layer(Scripted::tools(["fs_write"]), &table(), "w1");
    let cases: Vec<(Leases<Scripted>, bool)> = vec![
        (leases(), false),
        (leases().concurrent(|| Some(0)), false),
        (leases().concurrent(|| Some(1)), false),
        (leases().concurrent(|| Some(2)), true),
        (leases().concurrent(|| None), true),
        (leases().concurrent(|| panic!("no idea")), true),
    ];
    for (number, (leases, is_strict)) in cases.iter().enumerate() {
        let result = run(leases, "fs_write", json!({ "path": "a" })).await;
        assert_eq!(result.is_error, *is_strict, "{number}: {result:?}");
    }
}

/// Paths that nobody can tell: the argument, and why.
const UNREADABLE: &[(&str, &str)] = &[
    ("../etc/passwd", "climbs"),
    ("/srv/x/..", "climbs"),
    ("~/x", "begins with '~'"),
    ("$HOME/x", "variable"),
    ("%USERPROFILE%/x", "variable"),
    ("%2e%2e/etc", "percent-encoded"),
    ("..%2fetc", "percent-encoded"),
    ("C:/Windows", "drive"),
    ("C:foo", "drive"),
    ("file:///etc/passwd", "URI"),
    ("\\\\?\\C:\\x", "network share"),
    ("a\\b", "backslash"),
    ("x\0y", "NUL"),
    (".. /x", "dots and spaces"),
    ("", "empty"),
    ("a\nb", "control"),
];

#[tokio::test]
async fn what_cannot_be_read_as_a_path_is_refused_or_let_through_with_a_warning() {
    // L-CHK-3, L-CHK-4, L-CHK-6
    let (table, inner) = (table(), Scripted::tools(["fs_write"]));
    let lenient = layer(inner.clone(), &table, "w1");
    let strict = layer(inner.clone(), &table, "w1").concurrent(|| Some(2));
    for (path, why) in UNREADABLE {
        let refused = run(&strict, "fs_write", json!({ "path": path })).await;
        assert_refused(&refused, &["cannot tell where", why, "Write a path plainly"]);
        let result = run(&lenient, "fs_write", json!({ "path": path })).await;
        assert_ok(&result, &["fs_write ran"]);
        let warning = result.extra["leases-warning"].as_str().unwrap();
        assert!(warning.contains("did not check") && warning.contains(why), "{warning}");

        let refused = run(&strict, LOCK_ACQUIRE, json!({ "paths": ["fine", path] })).await;
        assert_refused(&refused, &["nothing was locked", "cannot be locked", why]);
    }
    assert_eq!(table.leases(), []);
    let others: &[(Value, &str)] = &[
        (json!({ "path": { "a": 1 } }), "is not a string"),
        (json!("{\"path\":\"a\",}"), "cannot tell where it points"),
        (json!({}), "cannot tell where it points"),
        (json!({ "path": "a", "from": 7 }), "7 (it is not a string)"),
        (json!({ "path": ["a", 7] }), "7 (it is not a string)"),
    ];
    for (arguments, why) in others {
        assert_refused(
            &run(&strict, "fs_write", arguments.clone()).await,
            &["cannot tell where", why],
        );
        let result = run(&lenient, "fs_write", arguments.clone()).await;
        assert!(result.extra.contains_key("leases-warning"), "{result:?}");
    }
    let checked = run(&lenient, "fs_write", json!({ "path": "a" })).await;
    assert!(checked.extra.is_empty(), "{checked:?}");
}

#[tokio::test]
async fn one_place_has_many_spellings() {
    let table = table();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/docs"])));
    let leases = layer(Scripted::tools(["fs_write"]), &table, "w1");
    for path in
        ["docs", "docs/", "./docs", "docs//", "/srv/repo/docs", "/srv//repo/./docs/", "docs/a"]
    {
        assert_refused(&run(&leases, "fs_write", json!({ "path": path })).await, &["locked by r1"]);
    }
    assert_ok(&run(&leases, "fs_write", json!({ "path": "docs2" })).await, &[]);
    assert_refused(&run(&leases, "fs_write", json!({ "path": "." })).await, &["locked by r1"]);
}

#[tokio::test]
async fn a_place_under_an_unknown_name_counts_against_a_call_and_never_for_it() {
    let table = table();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/b"])));
    assert_granted(&table.acquire(&claim("w1", &["/srv/repo/a"])));
    let leases = layer(Scripted::tools(["fs_write"]), &table, "w1").concurrent(|| Some(2));
    let refused: &[(Value, &str)] = &[
        (json!({ "path": "a", "destination": "/srv/repo/b/x" }), "locked by r1"),
        (json!({ "path": "a", "edits": [{ "path": "b" }] }), "locked by r1"),
        (json!({ "path": "a", "paths": ["/srv/repo/b"] }), "locked by r1"),
        (json!({ "Path": "a" }), "cannot tell where"),
        (json!({ "file_path": "a" }), "cannot tell where"),
    ];
    for (arguments, part) in refused {
        assert_refused(&run(&leases, "fs_write", arguments.clone()).await, &[part]);
    }
    // Text that only looks like a path asks for no lock.
    let edit = json!({ "path": "a", "old": "// one", "new": "// two", "content": "/srv/repo/c" });
    assert_ok(&run(&leases, "fs_write", edit).await, &[]);
}

#[tokio::test]
async fn roots_and_path_parameters_are_the_hosts() {
    // L-CHK-1, L-CHK-2
    let table = table();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/b"])));
    let leases = layer(Scripted::tools(["patch_apply"]), &table, "w1");
    let leases = leases.enforce(["patch_*", "fs_move", "fs_stat", "fsck_*"]).unwrap();
    let moved = json!({ "from": "a", "to": "b" });
    assert_refused(&run(&leases, "fs_move", moved).await, &["locked by r1"]);
    let patch = json!({ "path": "b", "target": "c" });
    assert_ok(&run(&leases, "patch_apply", patch).await, &[]);
    assert_refused(&run(&leases, "patch_apply", json!({ "target": "b" })).await, &["locked by r1"]);
    // It points nowhere, whatever it says.
    let stat = run(&leases, "fs_stat", json!({ "path": "b" })).await;
    assert!(!stat.is_error && stat.extra.is_empty(), "{stat:?}");
    // The root of `fs` is not that of `fsck`, so its relative path cannot be compared.
    let check = run(&leases, "fsck_run", json!({ "path": "b" })).await;
    assert!(check.extra["leases-warning"].as_str().unwrap().contains("r1"), "{check:?}");
    assert_eq!(locations().roots().get("fsck_run"), None);
}

#[tokio::test]
async fn tools_that_are_not_enforced_are_never_kept_off() {
    // L-CHK-8
    let table = table();
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo"])));
    let leases = layer(Scripted::tools(["sh_run"]), &table, "w1").concurrent(|| Some(2));
    for tool in ["sh_run", "FS_write", "fs_read", ""] {
        assert_ok(&run(&leases, tool, json!({ "path": "a", "command": "rm a" })).await, &[]);
    }
}

#[tokio::test]
async fn claims_come_before_the_calls_they_are_for_and_releases_after() {
    // L-EXEC-2
    let (table, inner) = (table(), Scripted::tools(["fs_write"]));
    assert_granted(&table.acquire(&claim("r1", &["/srv/repo/taken"])));
    let leases = layer(inner.clone(), &table, "w1").concurrent(|| Some(2));
    let batch = |calls: &[(&str, Value)]| -> Vec<ToolCall> {
        let numbered = calls.iter().enumerate();
        numbered.map(|(n, (tool, it))| ToolCall::new(n.to_string(), *tool, it.clone())).collect()
    };
    let mine = || json!({ "path": "mine" });
    let results = leases
        .execute_tool_calls(batch(&[
            ("fs_write", mine()),
            (LOCK_ACQUIRE, json!({ "paths": ["mine"] })),
            ("fs_read", json!({ "path": "anything" })),
            ("fs_write", json!({ "path": "taken" })),
        ]))
        .await;
    let errors: Vec<bool> = results.iter().map(|it| it.is_error).collect();
    assert_eq!(errors, [false, false, false, true], "{results:?}");
    let ids: Vec<_> = results.iter().map(|it| it.tool_call_id.to_string()).collect();
    assert_eq!(ids, ["0", "1", "2", "3"]);
    assert_eq!(inner.batches().len(), 1);
    assert_eq!(inner.called(), ["fs_write", "fs_read"]);
    leases.execute_tool_calls(batch(&[(LOCK_RELEASE, json!({}))])).await;

    let results = leases
        .execute_tool_calls(batch(&[
            (LOCK_ACQUIRE, json!({ "paths": "mine" })),
            ("fs_write", mine()),
            (LOCK_RELEASE, json!({ "paths": "mine" })),
            ("fs_write", mine()),
        ]))
        .await;
    let errors: Vec<bool> = results.iter().map(|it| it.is_error).collect();
    assert_eq!(errors, [false, false, false, true], "{results:?}");
    assert_eq!(table.leases().len(), 1);
}

#[tokio::test]
async fn fences_off_sends_a_batch_as_one() {
    // L-EXEC-4
    let inner = Scripted::tools(["fs_edit"]);
    let edits =
        || vec![call("fs_edit", json!({ "path": "a" })), call("fs_edit", json!({ "path": "a" }))];
    layer(inner.clone(), &table(), "w1").fence(Fence::Off).execute_tool_calls(edits()).await;
    assert_eq!(inner.batches().len(), 1);
    assert_eq!(inner.calls()[0].arguments.to_json(), Some(json!({ "path": "a" })));
    // Else the second has to say what it expects of the first.
    layer(inner.clone(), &table(), "w1").execute_tool_calls(edits()).await;
    assert_eq!(inner.batches().len(), 3);
}

#[tokio::test]
async fn an_answer_keeps_what_came_with_it() {
    // L-EXEC-5
    let mut odd = ToolResult::error("other", "failed");
    odd.extra.insert("x".to_owned(), json!(1));
    let inner = Scripted::new([ToolDeclaration::new("fs_write")]).reply("fs_write", odd.clone());
    let result = run(&layer(inner, &table(), "w1"), "fs_write", json!({ "path": "a" })).await;
    assert_eq!(result, odd);
}
