//! Much, large, and often: what a client survives, and what it costs.
//!
//! Every test prints its figures: `cargo test -p mcp-testkit --test endurance -- --nocapture`.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stdout, reason = "the figures are for people")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(clippy::needless_pass_by_value, reason = "json!() reads better without a reference")]

mod processes;
mod servers;

use std::fs;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use mcp_client::{Client, ClientBuilder, Error, Stdio};
use serde_json::{Value, json};
use tokio::runtime::Handle;
use tokio::sync::{Mutex, MutexGuard};
use tokio::task::JoinSet;

use crate::processes::Tag;
use crate::servers::{Recorder, script, sh, until};

/// What this process holds at a moment.
#[derive(Clone, Copy, Debug)]
struct Held {
    /// Resident memory, in megabytes.
    megabytes: usize,
    /// The most it has been since the figures were last reset, in megabytes.
    peak: usize,
    descriptors: usize,
    threads: usize,
    tasks: usize,
    /// Processes that this one has started and that are there, waited for or not.
    children: usize,
}

impl Held {
    fn now() -> Self {
        let status = fs::read_to_string("/proc/self/status").unwrap();
        let megabytes = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap();
            line.trim().trim_end_matches(" kB").parse::<usize>().unwrap() / 1000
        };
        let count = |path: &str| fs::read_dir(path).unwrap().count();
        Self {
            megabytes: megabytes("VmRSS:"),
            peak: megabytes("VmHWM:"),
            descriptors: count("/proc/self/fd"),
            threads: count("/proc/self/task"),
            tasks: Handle::current().metrics().num_alive_tasks(),
            children: children(),
        }
    }
}

fn children() -> usize {
    let parent = std::process::id().to_string();
    let is_ours = |stat: &str| {
        // Behind the name: the state and the parent.
        let rest = stat.rsplit_once(") ").map(|(_, rest)| rest);
        rest.and_then(|rest| rest.split(' ').nth(1)) == Some(&*parent)
    };
    let entries = fs::read_dir("/proc").unwrap().filter_map(Result::ok);
    let stats = entries.filter_map(|entry| fs::read_to_string(entry.path().join("stat")).ok());
    stats.filter(|stat| is_ours(stat)).count()
}

/// Figures are those of a process, so the tests take turns.
async fn alone() -> (MutexGuard<'static, ()>, Held) {
    static TURN: Mutex<()> = Mutex::const_new(());
    let turn = TURN.lock().await;
    // Where the system does not let us, the peak is that of the tests before.
    let _ = fs::write("/proc/self/clear_refs", "5");
    (turn, Held::now())
}

struct Session {
    client: Client,
    told: Arc<Recorder>,
    tag: Tag,
}

impl Session {
    fn start(server: Stdio) -> Self {
        Self::with(server, |it| it)
    }

    fn with(server: Stdio, configure: impl FnOnce(ClientBuilder) -> ClientBuilder) -> Self {
        let (tag, told) = (Tag::new("endurance"), Arc::new(Recorder::default()));
        let warnings = Arc::clone(&told);
        let builder = Client::builder(tag.mark(server))
            .on_warning(move |warning| warnings.push(format!("warning {warning}")));
        Self { client: configure(builder).build().unwrap(), told, tag }
    }

    async fn call(&self, text: &str) -> Result<String, Error> {
        let result = self.client.call_tool("echo", json!({ "text": text })).await?;
        Ok(result.content.iter().filter_map(|block| block.as_text()).collect())
    }

    async fn end(self) {
        self.client.close().await;
        assert_eq!(self.tag.left_after(Duration::from_secs(2)).await, 0);
    }
}

/// The first call meets `action`, the others a well-behaved server.
fn at_the_first_call(actions: Value) -> Stdio {
    script(&json!({ "tools/call": actions, "tools/call#2": [{ "default": true }] }))
}

const LARGE: usize = 200_000_000;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_line_of_200_megabytes_is_survived() {
    let (_turn, before) = alone().await;
    let fill = json!({ "fill": { "text": "x", "count": LARGE, "tail": "\n" } });
    let session = Session::start(at_the_first_call(json!([fill, { "default": true }])));
    assert_eq!(session.call("behind it").await.unwrap(), "behind it");
    let during = Held::now();
    assert_eq!(session.told.count("warning dropped a line of output: a message of 200000000"), 1);
    assert_eq!(session.call("next").await.unwrap(), "next");
    session.end().await;
    let after = Held::now();
    let (peak, kept) = (during.peak - before.megabytes, grown(after.megabytes, before.megabytes));
    println!("junk line of 200 MB: {peak} MB at most, {kept} MB kept");
    assert!(peak < 120, "{peak} MB");
    assert!(kept < 20, "{kept} MB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_answer_of_200_megabytes_fails_its_call_and_no_other() {
    let (_turn, before) = alone().await;
    for (what, head, tail) in [
        ("first", "{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":{\"text\":\"", "\"}}\n"),
        ("last", "{\"result\":{\"text\":\"", "\"},\"jsonrpc\":\"2.0\",\"id\":${id}}\n"),
    ] {
        let fill = json!({ "fill": { "head": head, "text": "x", "count": LARGE, "tail": tail } });
        let session = Session::start(at_the_first_call(json!([fill])));
        let error = session.call("large").await.unwrap_err();
        let text = error.to_string();
        assert!(text.contains("longer than the limit of 67108864 bytes"), "{what}: {text}");
        assert!(matches!(error, Error::Protocol { .. }), "{what}: {error:?}");
        assert!(session.client.is_alive());
        assert_eq!(session.call("next").await.unwrap(), "next");
        session.end().await;
    }
    let after = Held::now();
    let (peak, kept) = (after.peak - before.megabytes, grown(after.megabytes, before.megabytes));
    println!("answers of 200 MB: {peak} MB at most, {kept} MB kept");
    assert!(peak < 120, "{peak} MB");
    assert!(kept < 20, "{kept} MB");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_never_answers_keeps_nobody_and_nothing() {
    let (_turn, before) = alone().await;
    let log = std::env::temp_dir().join(Tag::new("unanswered").name());
    let server = script(&json!({ "tools/call": [] })).env("SCRIPT_LOG", &log);
    let session = Session::with(server, |it| it.request_timeout(Duration::from_millis(500)));
    session.client.list_tools().await.unwrap();
    let session = Arc::new(session);
    let mut calls = JoinSet::new();
    for number in 0..500 {
        let session = Arc::clone(&session);
        calls.spawn(async move { session.call(&format!("call {number}")).await });
    }
    let outcomes = calls.join_all().await;
    assert!(outcomes.iter().all(|it| matches!(it, Err(Error::Timeout { .. }))), "{outcomes:?}");
    assert!(session.client.is_alive());
    assert!(session.client.list_tools().refresh().await.is_ok(), "all else is answered");
    Arc::into_inner(session).unwrap().end().await;
    let seen = fs::read_to_string(&log).unwrap();
    fs::remove_file(&log).unwrap();
    assert_eq!(seen.matches("\"notifications/cancelled\"").count(), 500, "the server is told");
    let after = Held::now();
    println!("500 calls never answered: {before:?}, then {after:?}");
    assert!(after.descriptors <= before.descriptors + SLACK);
    assert!(after.tasks <= before.tasks + SLACK);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_that_dies_in_the_middle_of_an_answer_fails_everybody() {
    let (_turn, before) = alone().await;
    for round in 0..20 {
        let dying = json!({
            "tools/call": [],
            "tools/call#10": [
                { "stderr": "that was too much\n" },
                { "raw": "{\"jsonrpc\":\"2.0\",\"id\":${id},\"result\":{\"content\":[{\"ty" },
                { "exit": 9 },
            ],
        });
        let session = Arc::new(Session::start(script(&dying)));
        let mut calls = JoinSet::new();
        for number in 0..10 {
            let session = Arc::clone(&session);
            calls.spawn(async move { session.call(&format!("call {number}")).await });
        }
        let outcomes = calls.join_all().await;
        let (gone, cut): (Vec<_>, Vec<_>) =
            outcomes.iter().partition(|it| matches!(it, Err(Error::ServerGone { .. })));
        // The one whose answer was cut may hear of that first.
        assert!(gone.len() >= 9 && cut.iter().all(|it| it.is_err()), "round {round}: {outcomes:?}");
        let text = gone[0].as_ref().unwrap_err().to_string();
        assert!(
            text.ends_with("exited with code 9; its last words were: that was too much"),
            "{text}"
        );
        Arc::into_inner(session).unwrap().end().await;
    }
    let after = Held::now();
    println!("20 deaths in the middle of an answer: {before:?}, then {after:?}");
    assert!(after.descriptors <= before.descriptors + SLACK);
    assert_eq!(after.children, before.children);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_grandchild_that_is_left_behind_is_ended() {
    let (_turn, before) = alone().await;
    for _ in 0..10 {
        let case = json!({ "script": { "tools/call": [{ "exit": 0 }] } });
        let server = env!("CARGO_BIN_EXE_script-server");
        // It holds all three pipes, and hears of nothing.
        let wrapped = sh(&format!("sleep 60 <&0 & exec '{server}' '{case}'"));
        let session = Session::start(wrapped);
        let error = session.call("exit").await.unwrap_err();
        assert!(error.to_string().contains("exited with code 0"), "{error}");
        assert_eq!(session.tag.left_after(Duration::from_secs(2)).await, 0);
        session.end().await;
    }
    let after = Held::now();
    println!("10 grandchildren left behind: {before:?}, then {after:?}");
    assert!(after.descriptors <= before.descriptors + SLACK);
    assert_eq!(after.children, before.children);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ten_thousand_notifications_at_once_are_all_heard() {
    let (_turn, before) = alone().await;
    let line = r#"{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":"x"}}"#;
    let burst = json!({ "fill": { "text": format!("{line}\n"), "count": 10_000 } });
    let logged = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&logged);
    let server = at_the_first_call(json!([burst, { "default": true }]));
    let session = Session::with(server, |it| {
        it.on_log(move |_| {
            count.fetch_add(1, Ordering::Relaxed);
        })
    });
    let mut slow = session.client.notifications();
    assert_eq!(session.call("behind them").await.unwrap(), "behind them");
    until("all are logged", || logged.load(Ordering::Relaxed) >= 10_000).await;
    assert_eq!(logged.load(Ordering::Relaxed), 10_000);
    assert_eq!(session.call("next").await.unwrap(), "next");
    // Somebody who does not listen costs no more than its queue.
    session.client.close().await;
    let mut heard = 0;
    while slow.next().await.is_some() {
        heard += 1;
    }
    let lost = slow.lost();
    let after = Held::now();
    let grown = grown(after.peak, before.megabytes);
    println!(
        "10,000 notifications: {heard} kept for a slow listener, {lost} not; {grown} MB at most"
    );
    assert_eq!(heard + lost, 10_000);
    assert!(grown < 50, "{grown} MB");
    session.end().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_thousand_connections_leave_nothing() {
    let (_turn, _) = alone().await;
    // What is set up once, and kept, is not counted.
    connections(50).await;
    let before = Held::now();
    connections(1_000).await;
    let after = Held::now();
    println!("1,000 connections: {before:?}, then {after:?}");
    assert!(after.descriptors <= before.descriptors + SLACK);
    assert!(after.threads <= before.threads + SLACK);
    assert!(after.tasks <= before.tasks + SLACK);
    assert_eq!(after.children, before.children);
    assert!(grown(after.megabytes, before.megabytes) < 10);
}

/// Connects, calls and closes, a few at a time; one in ten is dropped without being closed.
async fn connections(count: usize) {
    let tag = Arc::new(Tag::new("connections"));
    let mut running = JoinSet::new();
    for number in 0..count {
        if running.len() >= 6 {
            running.join_next().await.unwrap().unwrap();
        }
        let server = Stdio::new(env!("CARGO_BIN_EXE_script-server")).arg("stdio-plain-modern");
        let client = Client::new(tag.mark(server));
        running.spawn(async move {
            client.call_tool("echo", json!({ "text": "hi" })).await.unwrap();
            if number % 10 != 0 {
                client.close().await;
            }
        });
    }
    running.join_all().await;
    assert_eq!(tag.left_after(Duration::from_secs(5)).await, 0);
    // The last of those that were dropped are still being waited for.
    until("all tasks have ended", || Handle::current().metrics().num_alive_tasks() == 0).await;
}

fn grown(after: usize, before: usize) -> usize {
    after.saturating_sub(before)
}

/// Growth that comes and goes with the threads of other tests.
const SLACK: usize = 8;
