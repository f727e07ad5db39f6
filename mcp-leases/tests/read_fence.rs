//! Files that are read again before they are written.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use common::{assert_ok, assert_refused, call, layer, run};
use mcp_leases::{Fence, LOCK_ACQUIRE, Leases, ReadFence, Table};
use mcp_provider::{Provider, ToolCall, ToolResult};
use mcp_testkit::{Reply, Scripted};
use serde_json::json;

type Disk = Arc<Mutex<BTreeMap<String, String>>>;

/// `fs_read` and `fs_write` over files in memory, which know no revisions.
fn files(disk: &Disk) -> Scripted {
    let disk = Arc::clone(disk);
    Scripted::tools(["fs_read", "fs_write"]).otherwise(move |call: &ToolCall| {
        let arguments = call.arguments.as_object().unwrap();
        let path = arguments["path"].as_str().unwrap().trim_start_matches("/srv/repo/").to_owned();
        let mut disk = disk.lock().unwrap();
        let id = call.id.clone();
        match (&*call.name, disk.get(&path)) {
            ("fs_read", Some(text)) => {
                let head = arguments.get("head").and_then(|it| it.as_u64()).unwrap_or(u64::MAX);
                let head = text.lines().take(usize::try_from(head).unwrap());
                ToolResult::ok(id, head.collect::<Vec<_>>().join("\n"))
            }
            ("fs_read", None) => ToolResult::error(id, "no such file"),
            ("fs_write", _) => {
                disk.insert(path, arguments["content"].as_str().unwrap().to_owned());
                ToolResult::ok(id, "written")
            }
            other => panic!("{other:?}"),
        }
    })
}

fn agent(files: &Scripted, table: &Table, name: &str) -> Leases<Scripted> {
    layer(files.clone(), table, name).fence(Fence::Read(ReadFence::new(["fs_read"])))
}

async fn read(agent: &impl Provider, path: &str) -> ToolResult {
    run(agent, "fs_read", json!({ "path": path })).await
}

async fn write(agent: &impl Provider, path: &str, content: &str) -> ToolResult {
    run(agent, "fs_write", json!({ "path": path, "content": content })).await
}

fn disk(files: &[(&str, &str)]) -> Disk {
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned()));
    Arc::new(Mutex::new(files.collect()))
}

#[tokio::test(start_paused = true)]
async fn a_file_that_changed_is_not_overwritten_and_the_one_who_may_have_is_named() {
    let (table, disk) = (Table::tokio(), disk(&[("a", "one")]));
    let files = files(&disk);
    let (w1, w2) = (agent(&files, &table, "w1"), agent(&files, &table, "w2"));
    assert_ok(&read(&w1, "a").await, &["one"]);
    assert_ok(&read(&w2, "a").await, &["one"]);
    assert_ok(&write(&w2, "a", "two").await, &["written"]);
    tokio::time::advance(std::time::Duration::from_secs(5)).await;
    let refused = write(&w1, "./a", "three").await;
    assert_refused(
        &refused,
        &["'/srv/repo/a' has changed since you read it", "w2 may have", "5s ago", "Read it again"],
    );
    assert_eq!(disk.lock().unwrap()["a"], "two");
    // It is refused until it is read again.
    assert_refused(&write(&w1, "a", "three").await, &["has changed"]);
    assert_ok(&read(&w1, "a").await, &["two"]);
    assert_ok(&write(&w1, "a", "three").await, &[]);
    // One's own write is what one has seen.
    assert_ok(&write(&w1, "a", "four").await, &[]);

    disk.lock().unwrap().insert("a".to_owned(), "by hand".to_owned());
    assert_refused(&write(&w1, "a", "five").await, &["has changed", "w2 may have"]);
    assert_refused(&write(&w2, "a", "five").await, &["has changed", "w1 may have"]);
    assert_eq!(table.status().pins, []);
}

#[tokio::test]
async fn somebody_outside_is_suspected_where_no_agent_wrote() {
    let (table, disk) = (Table::tokio(), disk(&[("a", "one")]));
    let w1 = agent(&files(&disk), &table, "w1");
    read(&w1, "a").await;
    disk.lock().unwrap().insert("a".to_owned(), "two".to_owned());
    assert_refused(&write(&w1, "a", "x").await, &["No agent here is known", "somebody outside"]);
    disk.lock().unwrap().remove("a");
    assert_refused(&write(&w1, "a", "x").await, &["has changed"]);
}

#[tokio::test]
async fn what_was_not_read_must_not_be_there() {
    let (table, disk) = (Table::tokio(), disk(&[("a", "one")]));
    let files = files(&disk);
    let w1 = agent(&files, &table, "w1");
    assert_refused(&write(&w1, "a", "two").await, &["there already, and you have not read it"]);
    assert_ok(&write(&w1, "new", "one").await, &[]);
    assert_ok(&write(&w1, "new", "two").await, &[]);
    let daring =
        layer(files, &table, "w1").fence(Fence::Read(ReadFence::new(["fs_read"]).allow_unread()));
    assert_ok(&write(&daring, "a", "two").await, &[]);
}

#[tokio::test]
async fn only_what_was_shown_is_compared() {
    let (table, disk) = (Table::tokio(), disk(&[("a", "1\n2\n3")]));
    let files = files(&disk);
    let w1 = agent(&files, &table, "w1");
    run(&w1, "fs_read", json!({ "path": "a", "head": 1 })).await;
    disk.lock().unwrap().insert("a".to_owned(), "1\n2\nthree".to_owned());
    assert_ok(&write(&w1, "a", "1\n4").await, &[]);
    disk.lock().unwrap().insert("a".to_owned(), "0\n4".to_owned());
    assert_refused(&write(&w1, "a", "x").await, &["has changed"]);
}

#[tokio::test]
async fn what_cannot_be_compared_is_not_written() {
    // An outcome that is not known is no permission.
    let table = Table::tokio();
    let files = Scripted::tools(["fs_read", "fs_write"])
        .reply("fs_read", "one")
        .reply("fs_read", Reply::panic("gone"))
        .reply("fs_read", ToolResult::unknown("", "timed out"));
    let w1 = agent(&files, &table, "w1");
    read(&w1, "a").await;
    for why in ["panicked: gone", "timed out"] {
        assert_refused(&write(&w1, "a", "x").await, &["could not be read again", why]);
    }
    assert_eq!(files.called(), ["fs_read"; 3]);
}

#[tokio::test]
async fn a_write_that_failed_has_to_be_followed_by_a_read() {
    let (table, disk) = (Table::tokio(), disk(&[("a", "one")]));
    let files = files(&disk).reply("fs_write", Reply::error("disk full"));
    let w1 = agent(&files, &table, "w1");
    read(&w1, "a").await;
    assert!(write(&w1, "a", "two").await.is_error);
    assert_refused(&write(&w1, "a", "two").await, &["you have not read it"]);
}

#[tokio::test]
async fn the_lease_is_kept_while_the_file_is_read_again() {
    let (table, pins) = (Table::tokio(), Arc::new(Mutex::new(Vec::new())));
    let watched = Scripted::tools(["fs_read", "fs_write"]).otherwise({
        let (table, pins) = (table.clone(), Arc::clone(&pins));
        move |_| {
            pins.lock().unwrap().push(table.status().pins.len());
            ToolResult::ok("", "one")
        }
    });
    let w1 = agent(&watched, &table, "w1").concurrent(|| Some(2));
    run(&w1, LOCK_ACQUIRE, json!({ "paths": ["a"] })).await;
    read(&w1, "a").await;
    assert_ok(&write(&w1, "a", "two").await, &[]);
    assert_eq!(watched.called(), ["fs_read", "fs_read", "fs_write", "fs_read"]);
    assert_eq!(*pins.lock().unwrap(), [0, 1, 1, 1]);
    assert!(table.status().pins.is_empty());
    // Two changes of one file in one batch: the second is compared with what the first made.
    let calls =
        ["two", "three"].map(|text| call("fs_write", json!({ "path": "a", "content": text })));
    let results = w1.execute_tool_calls(calls.to_vec()).await;
    assert!(results.iter().all(|it| !it.is_error), "{results:?}");
}
