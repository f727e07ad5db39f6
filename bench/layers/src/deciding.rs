//! What it costs a policy to decide, by kinds of calls.

use std::hint::black_box;
use std::time::Instant;

use harness::Failure;
use mcp_policy::commands::decompose_words;
use mcp_policy::{Floor, Policy, rules_from_json};
use mcp_provider::ToolCall;
use serde_json::{Value, json};

use crate::bottom::Bottom;
use crate::stack::{call, policy};

/// The kinds, and what each takes: microseconds, the best of ten batches.
///
/// # Errors
///
/// One of them could not be made, which is a mistake in here.
pub fn decisions(calls: usize) -> Result<Vec<(&'static str, f64)>, Failure> {
    let many = policy(Bottom::new(Vec::new()), 1000)?;
    let write = call("fs_write");
    let path = best(calls, || drop(black_box(many.decide(&write))));

    let rules: Value = serde_json::from_str(RULES)?;
    let rules = rules_from_json(&rules)?;
    let workstation = Policy::builder(Bottom::new(Vec::new()))
        .rules(rules)
        .floor(Floor::new("/home/dev"))
        .build()?;
    let commands = everyday()?;
    let everyday = best(calls / 100, || {
        commands.iter().for_each(|it| drop(black_box(workstation.decide(it))));
    });

    let script = script();
    let words = ["bash", "-c", &script];
    let long = best(calls / 1000, || drop(black_box(decompose_words(&words))));
    Ok(vec![
        ("policy, a path rule among 1,000", path),
        ("policy, an everyday command and the floor", everyday / commands.len() as f64),
        ("commands, 100 kB of script", long),
    ])
}

/// What agents run, each as `bash -c`.
fn everyday() -> Result<Vec<ToolCall>, Failure> {
    let read = |line: &str| -> Result<ToolCall, Failure> {
        let row: Value = serde_json::from_str(line)?;
        let arguments = json!({ "command": "bash", "args": ["-c", row["command"]] });
        Ok(ToolCall::new("call_1", "sh_run", arguments.to_string()))
    };
    EVERYDAY.lines().filter(|line| line.starts_with("{\"command\"")).map(read).collect()
}

/// A script of everyday lines, as long as 100 kB.
fn script() -> String {
    let lines = [
        "cd web && npm run build 2>&1 | tail -n 20",
        "for file in src/*.rs; do grep -n \"fn $name\" \"$file\" || echo \"none in ${file##*/}\"; done",
        "if [ -f Cargo.toml ]; then cargo test --workspace; fi",
        "cat > notes.txt <<'END'\nwhat was found: $(nothing)\nEND",
    ];
    let mut script = String::new();
    for line in lines.iter().cycle() {
        if script.len() + line.len() >= 100_000 {
            break;
        }
        script.push_str(line);
        script.push('\n');
    }
    script
}

fn best(times: usize, mut work: impl FnMut()) -> f64 {
    let times = (times / 10).max(1);
    let mut best = f64::INFINITY;
    for _ in 0..10 {
        let start = Instant::now();
        (0..times).for_each(|_| work());
        best = best.min(start.elapsed().as_nanos() as f64 / 1000.0 / times as f64);
    }
    best
}

const RULES: &str = include_str!("../../../mcp-policy/examples/rules/workstation.json");
const EVERYDAY: &str = include_str!("../../../mcp-policy/tests/cases/everyday.jsonl");
