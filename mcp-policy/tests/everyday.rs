//! What agents do all day, under `examples/rules/workstation.json` and the floor.
//!
//! `everyday.jsonl` holds command lines.  A `cause` says why a person should be asked; `needless`
//! says why one is asked all the same.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Fake, floor, rows, script, with_rules};
use mcp_policy::{Checks, Decision, Floor, Policy, Tables, lint, rules_from_json};
use mcp_provider::ToolCall;
use serde_json::Value;

fn rules() -> Value {
    serde_json::from_str(include_str!("../examples/rules/workstation.json")).unwrap()
}

fn workstation() -> Policy<Fake> {
    workstation_over(floor())
}

fn workstation_over(floor: Floor) -> Policy<Fake> {
    with_rules(Fake::default(), &rules()).floor(floor).build().unwrap()
}

#[test]
fn everyday_work_is_not_asked_about() {
    // P-FLOOR-4
    let (policy, fenced) = (workstation(), workstation_over(floor().workspace("/home/dev/work")));
    let (mut everyday, mut needless, mut wrong) = (0, Vec::new(), Vec::new());
    for row in rows(include_str!("cases/everyday.jsonl")) {
        let text = row["command"].as_str().unwrap();
        let explanation = policy.explain(&ToolCall::new("1", "sh_run", script(text)));
        let expected = match (&row["cause"], &row["needless"]) {
            (Value::Null, Value::Null) => Decision::Allow,
            (Value::Null, why) => {
                needless.push(format!("{text:?}: {why}"));
                Decision::Ask
            }
            _ => Decision::Ask,
        };
        everyday += usize::from(row["cause"].is_null());
        let call = ToolCall::new("1", "sh_run", script(text));
        if fenced.decide(&call).decision != expected {
            wrong.push(format!("expected {expected} in a workspace: {text}"));
        }
        if explanation.decision != expected {
            let text = explanation.to_string();
            let head: Vec<&str> = text.lines().take_while(|it| !it.contains("silent")).collect();
            wrong.push(format!("expected {expected}: {}\n{}", row["command"], head.join("\n")));
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(everyday >= 300, "{everyday} commands");
    let few = needless.len() * 20 <= everyday;
    assert!(few, "{} of {everyday} ask without cause:\n{}", needless.len(), needless.join("\n"));
}

#[test]
fn the_rules_of_the_workstation_have_no_oddities() {
    let rules = rules_from_json(&rules()).unwrap();
    let tools = [
        "fs_read", "fs_list", "fs_glob", "fs_stat", "fs_grep", "fs_map", "fs_write", "fs_edit",
        "fs_mkdir", "fs_move", "user_ask", "sh_run",
    ];
    let findings = lint(&rules, Some(&tools), &Tables::default(), &Checks::new());
    assert!(findings.is_empty(), "{findings:#?}");
}
