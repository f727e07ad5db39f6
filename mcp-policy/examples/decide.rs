//! Decides about calls from standard input, a JSON object a line: how to check the rules from
//! outside, in any language.
//!
//! ```text
//! cargo run -p mcp-policy --example decide < calls.jsonl
//! cargo run -p mcp-policy --example decide -- --explain < calls.jsonl
//! cargo run -p mcp-policy --example decide -- --url < urls.jsonl
//! ```
//!
//! A line has `rules` and a `call` (`{"tool", "args"}`), and may have `id`, `grants`, `floor`
//! (with `home`, `/home/dev`, `config`, `/home/dev/.agent`, and perhaps `workspace`), `roots`, `path-params`,
//! `command-params`, `url-params` and `style` (`posix`, `case-insensitive`, `windows`).  Instead
//! of a call it may have `steps`, a list of calls with an `answer` each, which are made one after
//! another; without an answer the first question is answered with `always-allow`.
//!
//! With `--url` a line has `id` and `url`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "it is what the program is for")]

use std::io::{self, BufRead};
use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use mcp_policy::commands::{Command, Program};
use mcp_policy::{
    Answer, Asker, CommandParams, Floor, Grants, Host, Policy, PolicyBuilder, Question, Tables,
    UrlParams, rules_from_json,
};
use mcp_provider::location::{Locations, PathParams, PathStyle, Roots};
use mcp_provider::{
    BoxError, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, async_trait,
};
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> ExitCode {
    match run().await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("decide: {error}");
            ExitCode::FAILURE
        }
    }
}

async fn run() -> Result<(), BoxError> {
    let flags: Vec<String> = std::env::args().skip(1).collect();
    let has = |flag: &str| flags.iter().any(|it| it == flag);
    if let Some(unknown) = flags.iter().find(|it| !["--url", "--explain"].contains(&&***it)) {
        return Err(format!("{unknown:?} is no option; there are --url and --explain").into());
    }
    for (number, line) in (1..).zip(io::stdin().lock().lines()) {
        let line = line.map_err(|error| format!("line {number} cannot be read: {error}"))?;
        if line.trim().is_empty() {
            continue;
        }
        let answer = match serde_json::from_str::<Value>(&line) {
            Ok(row) if has("--url") => host(&row),
            Ok(row) => decide(&row, has("--explain")).await,
            Err(error) => load_error(
                &Value::Null,
                &*BoxError::from(format!("line {number} is no JSON: {error}")),
            ),
        };
        println!("{answer}");
    }
    Ok(())
}

/// The answer to a line with a URL.
fn host(row: &Value) -> Value {
    let host = row["url"].as_str().and_then(|url| Host::of_url(url).ok());
    json!({ "id": row["id"], "host": host.map_or_else(|| "unknown".to_owned(), |it| it.to_string()) })
}

/// The answer to a line with a call, or with steps.
async fn decide(row: &Value, explains: bool) -> Value {
    let policy = match policy(row, Fixture) {
        Ok(policy) => policy,
        Err(error) => return load_error(row, &*error),
    };
    if row["steps"].as_array().is_some_and(|it| it.iter().any(Value::is_object)) {
        return steps(row).await;
    }
    if !row["call"].is_object() {
        return json!({ "id": row["id"], "decision": "loaded", "reason": null, "rule": null,
            "effective": [], "unknown": [] });
    }
    let policy = match policy.build() {
        Ok(policy) => policy,
        Err(error) => return load_error(row, &error),
    };
    let explanation = policy.explain(&call(&row["call"]));
    if explains {
        let text: Vec<String> = explanation.to_string().lines().map(str::to_owned).collect();
        return json!({ "id": row["id"], "explanation": explanation, "text": text });
    }
    json!({
        "id": row["id"],
        "decision": explanation.decision,
        "reason": explanation.reason,
        "rule": explanation.rule,
        "effective": explanation.commands.iter().map(effective).collect::<Vec<_>>(),
        "unknown": explanation.unknown,
    })
}

fn load_error(row: &Value, error: &(dyn std::error::Error + 'static)) -> Value {
    json!({ "id": row["id"], "decision": "load error", "reason": error.to_string(), "rule": null,
        "effective": [], "unknown": [] })
}

/// A command in short: its program or `null`, and its arguments as far as they can be read.
fn effective(command: &Command) -> Value {
    let args: Vec<String> = command.tokens.iter().map(ToString::to_string).collect();
    let unknown = match &command.program {
        Program::Unknown(cause) => Some(cause.to_string()),
        _ => None,
    };
    json!({ "program": command.program.name(), "args": args, "unknown": unknown })
}

/// Plays steps, and tells how often somebody was asked.
async fn steps(row: &Value) -> Value {
    let asked = Arc::new(Mutex::new(0));
    let steps: Vec<Value> = row["steps"].as_array().cloned().unwrap_or_default();
    let answers = steps.iter().filter_map(|it| it.get("answer").cloned()).collect();
    let script = Script { answers: Mutex::new(answers), asked: Arc::clone(&asked) };
    let policy = match policy(row, Fixture).map(|it| it.asker(script).build()) {
        Ok(Ok(policy)) => policy,
        Ok(Err(error)) => return load_error(row, &error),
        Err(error) => return load_error(row, &*error),
    };
    let mut results = Vec::new();
    for step in &steps {
        let answers = policy.execute_tool_calls(vec![call(step)]).await;
        results.extend(answers.iter().map(|it| if it.is_error { "refused" } else { "ran" }));
    }
    let asked = *asked.lock().unwrap_or_else(PoisonError::into_inner);
    let asks = if asked == 1 { "1 ask".to_owned() } else { format!("{asked} asks") };
    json!({ "id": row["id"], "decision": asks, "reason": null, "rule": null, "effective": [],
        "unknown": [], "results": results, "grants": policy.grants() })
}

fn call(json: &Value) -> ToolCall {
    let name = json["tool"].as_str().unwrap_or_default();
    ToolCall::new("1", name, json["args"].clone())
}

/// The policy that a line describes.
fn policy<P>(row: &Value, inner: P) -> Result<PolicyBuilder<P>, BoxError> {
    let given = |name: &str| row.get(name).filter(|it| !it.is_null());
    let style = match row["style"].as_str() {
        None | Some("posix") => PathStyle::Posix,
        Some("case-insensitive") => PathStyle::CaseInsensitive,
        Some("windows") => PathStyle::Windows,
        Some(other) => return Err(format!("{other:?} is no style of paths").into()),
    };
    let no_roots = json!({});
    let roots = Roots::from_json(given("roots").unwrap_or(&no_roots), style)?;
    let params = given("path-params").map(PathParams::from_json).transpose()?.unwrap_or_default();
    let mut tables = Tables::default();
    tables.locations = Locations::new(roots, params);
    if let Some(params) = given("command-params") {
        tables.commands = CommandParams::from_json(params)?;
    }
    if let Some(params) = given("url-params") {
        tables.urls = UrlParams::from_json(params)?;
    }
    let rules = rules_from_json(given("rules").unwrap_or(&json!([])))?;
    let mut builder = Policy::builder(inner).tables(tables).rules(rules);
    let in_call = row["call"].get("grants");
    if let Some(grants) = given("grants").or(in_call) {
        builder = builder.grants_book(Grants::from_json(grants)?);
    }
    if row["floor"].as_bool() == Some(true) {
        let home = row["home"].as_str().unwrap_or("/home/dev");
        let config = row["config"].as_str().unwrap_or("/home/dev/.agent");
        let mut floor = Floor::new(home).config(config);
        if let Some(folder) = row["workspace"].as_str() {
            floor = floor.workspace(folder);
        }
        builder = builder.floor(floor);
    }
    Ok(builder)
}

/// Answers from a list, then always "always".
struct Script {
    answers: Mutex<Vec<Value>>,
    asked: Arc<Mutex<usize>>,
}

#[async_trait]
impl Asker for Script {
    async fn ask(&self, _: Question) -> Result<Answer, BoxError> {
        *self.asked.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        let mut answers = self.answers.lock().unwrap_or_else(PoisonError::into_inner);
        match answers.is_empty() {
            true => Ok(Answer::AlwaysAllow { rules: None }),
            false => Ok(Answer::from_json(&answers.remove(0))?),
        }
    }
}

/// Runs any call, by doing nothing.
struct Fixture;

#[async_trait]
impl Provider for Fixture {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        Ok(Vec::new())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        calls.into_iter().map(|call| ToolResult::ok(call.id, "ran")).collect()
    }
}
