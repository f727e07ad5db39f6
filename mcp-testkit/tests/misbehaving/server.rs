//! The server of a case, and a client for it.

use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::{Child, ChildStdin, Command};
use std::time::Duration;

use mcp_client::protocol::{ElicitResult, Era};
use mcp_client::{Client, ClientBuilder, Http, Stdio};
use serde_json::{Value, json};

use crate::processes::Tag;

/// A server that misbehaves, marked so that whatever it leaves behind is found.
pub(crate) struct Server {
    tag: Tag,
    log: PathBuf,
    /// The process, where it is not the client that starts it.
    http: Option<Listening>,
}

struct Listening {
    child: Child,
    port: u16,
    /// It lives until this is closed.
    stdin: Option<ChildStdin>,
}

impl Server {
    pub(crate) fn of(case: &Value) -> Self {
        let id = case["id"].as_str().unwrap();
        let tag = Tag::new(id);
        let log = std::env::temp_dir().join(format!("{}.log", tag.name()));
        let is_http = case["transport"] == "http";
        let http = is_http.then(|| Listening::start(id, &tag, &log));
        Self { tag, log, http }
    }

    pub(crate) fn client(&self, case: &Value, request_timeout: Duration) -> Client {
        let builder = match &self.http {
            Some(Listening { port, .. }) => {
                Client::builder(Http::new(format!("http://127.0.0.1:{port}/mcp")).unwrap())
            }
            None => Client::builder(self.tag.mark(command(case)).env("SCRIPT_LOG", &self.log)),
        };
        let delay = Duration::from_millis(case["elicit_delay_ms"].as_u64().unwrap_or(0));
        in_era(builder, case)
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

    /// Ends it where the client does not.  Returns how many processes are left, and everything
    /// that it saw.
    pub(crate) async fn end(self, time: Duration) -> (usize, String) {
        let Self { tag, log, http } = self;
        if let Some(Listening { mut child, stdin, .. }) = http {
            drop(stdin);
            child.wait().unwrap();
        }
        let left = tag.left_after(time).await;
        let seen = std::fs::read_to_string(&log).unwrap_or_default();
        // There is none where nothing arrived.
        let _ = std::fs::remove_file(&log);
        (left, seen)
    }
}

impl Listening {
    fn start(id: &str, tag: &Tag, log: &PathBuf) -> Self {
        let mut child = Command::new(SERVER)
            .arg(id)
            .env(tag.variable().0, tag.variable().1)
            .env("SCRIPT_LOG", log)
            .stdin(std::process::Stdio::piped())
            .stdout(std::process::Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let port = line.trim().strip_prefix("listening ").unwrap().parse().unwrap();
        let stdin = child.stdin.take();
        Self { child, port, stdin }
    }
}

fn command(case: &Value) -> Stdio {
    let id = case["id"].as_str().unwrap();
    if case["wrap"] == "shell" {
        // A wrapper that outlives the pipe, as `npx` and `uv run` are.
        Stdio::new("sh").args(["-c".to_owned(), format!("sleep 60 & '{SERVER}' '{id}'; wait")])
    } else {
        Stdio::new(SERVER).arg(id)
    }
}

/// Over HTTP the era is given where the case names it: each message is counted there.
fn in_era(builder: ClientBuilder, case: &Value) -> ClientBuilder {
    match (case["transport"].as_str(), case["client_era"].as_str()) {
        (Some("http"), Some("legacy")) => builder.era(Era::Legacy),
        (Some("http"), Some("modern")) => builder.era(Era::Modern),
        _ => builder,
    }
}

const SERVER: &str = env!("CARGO_BIN_EXE_script-server");
