//! A server that misbehaves as a script tells it to.
//!
//! A case is an object whose `script` maps what arrives to a list of actions:
//!
//! * over stdio: the JSON-RPC method (`""` for an answer), `start` before anything arrives, and
//!   `eof` when stdin closes;
//! * over HTTP (`"transport": "http"`): the same for the body of a POST, else `GET`, `DELETE`.
//!   The server prints `listening PORT` and serves `/mcp`; for another path the key is
//!   `<path> <key>`.
//!
//! `*` stands for whatever has no entry, and a key with `#2` (`#3`, …) behind it is used from
//! the second (third, …) arrival on.  What has no entry at all gets the answer of a well-behaved
//! legacy server with one tool (`echo`), or of a modern one where the case says
//! `"modern": true`.
//!
//! In the text of an action `${id}` stands for the id of the request, and `PENDING` for that of
//! the latest `tools/call`.  The actions, first those of both transports:
//!
//! * `{"sleep": ms}`; `{"stderr": text, "count": n}`; `{"exit": code}`; `{"hang": true}`;
//! * `{"default": true}`: the well-behaved answer;
//! * stdio: `{"line": text}`; `{"raw": text}`, without a line end; `{"bytes": text}`, a write for
//!   each byte; `{"fill": {"head": text, "text": text, "count": n, "tail": text}}`;
//!   `{"close_stdout": true}` and `{"join_parent": true}` (its process group), on Unix;
//! * HTTP: `{"status": n, "headers": {}, "body": text}`, a whole response.  Instead of `body`
//!   there may be a `fill`, or `"chunks": [text, …]`, with `{"sleep": ms}` between them and
//!   `"open": true` to leave the response unfinished.
//!
//! A run ends with exit code 99 at the 2001st message: a message storm.  With `SCRIPT_LOG=FILE`
//! in the environment every arrival is appended to that file.

use std::io::{self, Write};
use std::process::ExitCode;
use std::thread::sleep;
use std::time::Duration;

use serde_json::Value;

use crate::script_server::case::Case;

mod case;
mod http;
mod stdio;

/// Plays a case with these arguments, without the program's name, to its end.
///
/// The case is given as JSON text (an argument that starts with `{`, or the environment variable
/// `SCRIPT_CASE`), as the id of one of [`misbehaving_servers`], or as a file of cases and an id.
pub fn script_server_main(args: impl IntoIterator<Item = String>) -> ExitCode {
    let played = Case::from_args(args).and_then(|case| {
        let played = if case.is_http { http::serve(case) } else { stdio::serve(&case) };
        played.map_err(|error| error.to_string())
    });
    match played {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            // There is nobody left to tell if this fails.
            let _ = writeln!(io::stderr(), "script-server: {message}");
            ExitCode::from(2)
        }
    }
}

/// The cases of misbehaving servers that the workspace collects.
///
/// Beside its script each has an `id`, a `why`, the `ops` of a client, and what that client may
/// `want` to see of each.
pub fn misbehaving_servers() -> Vec<Value> {
    serde_json::from_str(CASES).unwrap_or_default()
}

/// Plays an action that both transports share, and says whether it was one.
fn play_common(action: &Value) -> bool {
    if let Some(ms) = action["sleep"].as_u64() {
        sleep(Duration::from_millis(ms));
    } else if let Some(text) = action["stderr"].as_str() {
        let text = text.repeat(count(action).unwrap_or(1));
        // A client may have closed our stderr, on purpose.
        let _ = io::stderr().write_all(text.as_bytes());
    } else if let Some(code) = action["exit"].as_i64() {
        std::process::exit(i32::try_from(code).unwrap_or(1));
    } else if action["hang"] == true {
        loop {
            sleep(Duration::from_secs(3600));
        }
    } else {
        return false;
    }
    true
}

/// The text of a `fill`, if there is one.
fn filled(fill: &Value, id: &Value) -> Option<String> {
    let part = |name: &str| fill[name].as_str().unwrap_or("").replace("${id}", &id.to_string());
    Some(part("head") + &part("text").repeat(count(fill)?) + &part("tail"))
}

fn count(action: &Value) -> Option<usize> {
    action["count"].as_u64().and_then(|count| usize::try_from(count).ok())
}

fn unknown(action: &Value) -> io::Error {
    io::Error::other(format!("unknown action {action}"))
}

const CASES: &str = include_str!("../cases/misbehaving-servers.json");
