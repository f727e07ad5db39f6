//! A case: its script, and what has arrived so far.

use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use serde_json::{Value, json};

use crate::script_server::misbehaving_servers;

#[derive(Default)]
pub(super) struct Case {
    pub(super) is_http: bool,
    script: Value,
    is_modern: bool,
    arrivals: AtomicUsize,
    seen: Mutex<HashMap<String, usize>>,
    /// The id of the latest `tools/call`.
    pending: Mutex<Value>,
}

impl Case {
    pub(super) fn from_args(args: impl IntoIterator<Item = String>) -> Result<Self, String> {
        let mut args = args.into_iter();
        let case = match (args.next(), args.next(), std::env::var("SCRIPT_CASE").ok()) {
            (Some(file), Some(id), _) => {
                let text = fs::read_to_string(&file).map_err(|error| format!("{file}: {error}"))?;
                find(parse(&text)?.as_array().cloned().unwrap_or_default(), &id)?
            }
            (Some(text), None, _) | (None, _, Some(text)) if text.starts_with('{') => parse(&text)?,
            (Some(id), None, _) => find(misbehaving_servers(), &id)?,
            _ => return Err("usage: script-server CASE | ID | FILE ID".to_owned()),
        };
        Ok(Self {
            is_http: case["transport"] == "http",
            script: case["script"].clone(),
            is_modern: case["modern"] == true,
            ..Self::default()
        })
    }

    /// The actions for this arrival of `key`.
    pub(super) fn actions(&self, key: &str) -> Option<Vec<Value>> {
        let arrivals = {
            let mut seen = lock(&self.seen);
            let arrivals = seen.entry(key.to_owned()).or_insert(0);
            *arrivals += 1;
            *arrivals
        };
        let numbered = (2..=arrivals).rev().map(|number| format!("{key}#{number}"));
        let mut keys = numbered.chain([key.to_owned(), "*".to_owned()]);
        keys.find_map(|key| self.script.get(key)).and_then(Value::as_array).cloned()
    }

    /// Notes what arrived, and ends the process when it is too much.
    pub(super) fn arrived(&self, what: &str, message: &Value) {
        if let Some(path) = std::env::var_os("SCRIPT_LOG") {
            // A log that cannot be written fails the test that reads it.
            let file = OpenOptions::new().create(true).append(true).open(path);
            let _ = file.and_then(|mut file| writeln!(file, "{what}"));
        }
        if self.arrivals.fetch_add(1, Ordering::Relaxed) >= MOST_ARRIVALS {
            std::process::exit(99);
        }
        if message["method"] == "tools/call" {
            *lock(&self.pending) = message["id"].clone();
        }
    }

    pub(super) fn expand(&self, text: &str, id: &Value) -> String {
        let pending = lock(&self.pending).to_string();
        text.replace("${id}", &id.to_string()).replace("PENDING", &pending)
    }

    /// What a well-behaved server answers.
    pub(super) fn default_answer(&self, message: &Value) -> Option<String> {
        let id = message.get("id")?;
        let mut result = match (message.get("method")?.as_str()?, self.is_modern) {
            ("initialize", false) => json!({
                "protocolVersion": "2025-11-25",
                "capabilities": { "tools": {} },
                "serverInfo": { "name": "script", "version": "1" },
            }),
            ("server/discover", true) => json!({
                "supportedVersions": ["2026-07-28"],
                "capabilities": { "tools": {} },
            }),
            ("tools/list", _) => {
                let schema =
                    json!({ "type": "object", "properties": { "text": { "type": "string" } } });
                json!({ "tools": [{ "name": "echo", "inputSchema": schema }] })
            }
            ("tools/call", _) => {
                let text = message["params"]["arguments"]["text"].as_str().unwrap_or("none");
                json!({ "content": [{ "type": "text", "text": text }] })
            }
            ("ping", _) => json!({}),
            _ => {
                let error = json!({ "code": -32601, "message": "Method not found" });
                return Some(json!({ "jsonrpc": "2.0", "id": id, "error": error }).to_string());
            }
        };
        if self.is_modern {
            result["resultType"] = json!("complete");
            if result.get("content").is_none() {
                result["ttlMs"] = json!(0);
                result["cacheScope"] = json!("public");
            }
        }
        Some(json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string())
    }
}

fn parse(text: &str) -> Result<Value, String> {
    serde_json::from_str(text).map_err(|error| format!("the case is no JSON: {error}"))
}

fn find(cases: Vec<Value>, id: &str) -> Result<Value, String> {
    let case = cases.into_iter().find(|case| case["id"] == id);
    case.ok_or_else(|| format!("there is no case {id:?}"))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

const MOST_ARRIVALS: usize = 2000;
