//! A client against servers that misbehave: each case ends as it wants.

#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod processes;

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::protocol::ElicitResult;
use mcp_client::{Client, Stdio};
use mcp_testkit::misbehaving_servers;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::processes::Tag;

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn every_case_over_stdio_ends_as_it_wants() {
    let cases: Vec<Value> =
        misbehaving_servers().into_iter().filter(|case| case["transport"] != "http").collect();
    assert!(cases.len() >= 60, "there are {} cases", cases.len());
    let playing: Vec<_> = cases.into_iter().map(|case| tokio::spawn(play(case))).collect();
    let mut wrong = Vec::new();
    for played in playing {
        wrong.extend(played.await.unwrap());
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

/// Plays a case, and says what did not go as it wants.
async fn play(case: Value) -> Option<String> {
    let id = case["id"].as_str().unwrap().to_owned();
    let millis = |key: &str, default| Duration::from_millis(case[key].as_u64().unwrap_or(default));
    let limit = millis("limit_ms", 5000);
    let tag = Tag::new(&id);
    let log: PathBuf = std::env::temp_dir().join(format!("{}.log", tag.name()));
    let client = connect(&case, &tag, &log, millis("request_timeout_ms", 3000));
    let mut client = Some(client);
    let mut wrong = Vec::new();
    let mut counts: HashMap<String, usize> = HashMap::new();
    for op in case["ops"].as_array().unwrap().iter().map(|op| op.as_str().unwrap()) {
        let count = counts.entry(op.to_owned()).or_default();
        *count += 1;
        let key = if *count == 1 { op.to_owned() } else { format!("{op}#{count}") };
        let outcome = timeout(limit, perform(op, &mut client)).await;
        let outcome = outcome.unwrap_or_else(|_| "hang".to_owned());
        if !accepts(&case["want"][&key], &outcome) {
            wrong.push(format!("{key} came to {outcome:?}"));
        }
    }
    drop(client);
    let left = tag.left_after(millis("settle_ms", 400)).await;
    if left > 0 {
        wrong.push(format!("{left} processes left"));
    }
    let seen = std::fs::read_to_string(&log).unwrap_or_default();
    let _ = std::fs::remove_file(&log);
    let arrivals = seen.lines().count();
    if case["max_arrivals"].as_u64().is_some_and(|max| arrivals as u64 > max) {
        wrong.push(format!("the server saw {arrivals} messages"));
    }
    for needle in texts(&case["must_see"]).filter(|needle| !seen.contains(needle)) {
        wrong.push(format!("the server never saw {needle}"));
    }
    for needle in texts(&case["must_not_see"]).filter(|needle| seen.contains(needle)) {
        wrong.push(format!("the server saw {needle}"));
    }
    (!wrong.is_empty()).then(|| format!("{id}: {}", wrong.join("; ")))
}

fn connect(case: &Value, tag: &Tag, log: &PathBuf, request_timeout: Duration) -> Client {
    let server = env!("CARGO_BIN_EXE_script-server");
    let id = case["id"].as_str().unwrap();
    let command = if case["wrap"] == "shell" {
        // A wrapper that outlives the pipe, as `npx` and `uv run` are.
        Stdio::new("sh").args(["-c".to_owned(), format!("sleep 60 & '{server}' '{id}'; wait")])
    } else {
        Stdio::new(server).arg(id)
    };
    let delay = Duration::from_millis(case["elicit_delay_ms"].as_u64().unwrap_or(0));
    Client::builder(tag.mark(command).env("SCRIPT_LOG", log))
        .request_timeout(request_timeout)
        .on_warning(|_| ())
        .on_elicit(move |_| async move {
            // A person who thinks for a while.
            tokio::time::sleep(delay).await;
            let answer = json!({"name": "Ada"}).as_object().cloned();
            Ok(ElicitResult::accept(answer.unwrap_or_default()))
        })
        .build()
        .unwrap()
}

async fn perform(op: &str, client: &mut Option<Client>) -> String {
    let Some(connected) = client.as_ref() else { return "skipped".to_owned() };
    match op {
        "connect" => match connected.server().await {
            Ok(_) => "ok".to_owned(),
            Err(error) => {
                *client = None;
                format!("error:{error}")
            }
        },
        "list" => match connected.list_tools().await {
            Ok(tools) => format!("ok:{}", tools.len()),
            Err(error) => format!("error:{error}"),
        },
        "call" => outcome(call(connected, "hi").await),
        "abandon" => {
            let abandoned = timeout(Duration::from_millis(200), call(connected, "hi")).await;
            outcome(abandoned.unwrap_or_else(|_| Ok("abandoned".to_owned())))
        }
        "close" => {
            connected.close().await;
            *client = None;
            "ok".to_owned()
        }
        _ => match op.split_once(':') {
            Some(("wait", millis)) => {
                tokio::time::sleep(Duration::from_millis(millis.parse().unwrap())).await;
                "ok".to_owned()
            }
            Some(("calls", count)) => many_calls(connected, count.parse().unwrap()).await,
            _ => panic!("unknown op {op}"),
        },
    }
}

/// Calls at once, each of which must get its own answer.
async fn many_calls(client: &Client, count: usize) -> String {
    let client = Arc::new(client.clone());
    let calls: Vec<_> = (0..count)
        .map(|number| {
            let client = Arc::clone(&client);
            tokio::spawn(async move {
                let text = format!("text {number}");
                match call(&client, &text).await {
                    Ok(answer) if answer == text => None,
                    other => Some(format!("{text} came to {other:?}")),
                }
            })
        })
        .collect();
    let mut wrong = None;
    for call in calls {
        wrong = wrong.or(call.await.unwrap());
    }
    wrong.map_or_else(|| "ok:all".to_owned(), |wrong| format!("error:{wrong}"))
}

async fn call(client: &Client, text: &str) -> Result<String, String> {
    let result = client.call_tool("echo", json!({ "text": text })).await;
    let result = result.map_err(|error| error.to_string())?;
    let text = result.content.iter().find_map(|block| block.as_text()).unwrap_or_default();
    if result.is_error() { Err(format!("tool: {text}")) } else { Ok(text.to_owned()) }
}

fn outcome(result: Result<String, String>) -> String {
    match result {
        Ok(text) => format!("ok:{}", text.chars().take(60).collect::<String>()),
        Err(error) => format!("error:{error}"),
    }
}

fn accepts(want: &Value, outcome: &str) -> bool {
    match want.as_array() {
        None => outcome != "hang",
        Some(wanted) => {
            wanted.iter().filter_map(Value::as_str).any(|wanted| match wanted.strip_suffix('*') {
                Some(start) => outcome.starts_with(start),
                None => outcome == wanted,
            })
        }
    }
}

fn texts(list: &Value) -> impl Iterator<Item = &str> {
    list.as_array().into_iter().flatten().filter_map(Value::as_str)
}
