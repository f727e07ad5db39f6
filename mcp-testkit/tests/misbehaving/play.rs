//! The operations of a case, one after the other.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use mcp_client::Client;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::server::Server;

/// Plays a case, and says what did not go as it wants.
pub(crate) async fn play(case: Value) -> Option<String> {
    let id = case["id"].as_str().unwrap().to_owned();
    let millis = |key: &str, default| Duration::from_millis(case[key].as_u64().unwrap_or(default));
    let limit = millis("limit_ms", 5000);
    let server = Server::of(&case);
    let mut client = Some(server.client(&case, millis("request_timeout_ms", 3000)));
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
    let (left, seen) = server.end(millis("settle_ms", 400)).await;
    if left > 0 {
        wrong.push(format!("{left} processes left"));
    }
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
