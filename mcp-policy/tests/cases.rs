//! Calls, URLs and commands from `tests/cases`, each with the verdicts that are right for it.
//!
//! `calls.jsonl` and `hosts.jsonl` hold what other engines were reported to get wrong, and what
//! real shells do; `weaknesses.jsonl` what a shell can hide, row by row, under the floor with
//! everything else allowed (`floor`), under an allow of `git` alone (`git`) and under a deny of `rm`
//! alone (`rm`).
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{accepted, floor, rows, tables};
use mcp_policy::{Grants, Host, Policy, PolicyBuilder, rules_from_json};
use mcp_provider::ToolCall;
use serde_json::{Value, json};

fn policy(row: &Value) -> Result<PolicyBuilder<()>, mcp_policy::InvalidRule> {
    let mut builder = Policy::builder(()).rules(rules_from_json(&row["rules"])?);
    if row["roots"].is_object() {
        builder = builder.tables(tables(&row["roots"], &json!({})));
    }
    if row["grants"].is_array() {
        builder = builder.grants_book(Grants::from_json(&row["grants"])?);
    }
    Ok(if row["floor"] == json!(true) { builder.floor(floor()) } else { builder })
}

#[test]
fn what_other_engines_were_reported_to_get_wrong_is_right_here() {
    // S01 to S95, O02 to O50
    let mut wrong = Vec::new();
    let cases = rows(include_str!("cases/calls.jsonl"));
    assert_eq!(cases.len(), 128);
    for row in cases {
        let (found, trace) = match policy(&row) {
            Err(error) => ("load error", error.to_string()),
            Ok(builder) => {
                let call = &row["call"];
                let call = ToolCall::new("1", call["tool"].as_str().unwrap(), call["args"].clone());
                let explanation = builder.build().unwrap().explain(&call);
                (explanation.decision.as_str(), explanation.to_string())
            }
        };
        if !accepted(&row["expect"]).iter().any(|it| it == found) {
            wrong.push(format!("{} ({}): {found}\n{trace}", row["id"], row["about"]));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_url_has_the_host_that_all_programs_agree_on_or_none() {
    // U01 to U30
    for row in rows(include_str!("cases/hosts.jsonl")) {
        let host = Host::of_url(row["url"].as_str().unwrap()).ok().map(|it| it.to_string());
        assert_eq!(host.as_deref(), row["host"].as_str(), "{row}");
    }
}

#[test]
fn what_a_shell_can_hide_is_found_and_what_it_cannot_is_allowed() {
    // B01 to B08, H01 to H30, U01 to U06, FL-01 and on, W-01 to W-150
    let columns = [
        ("floor", json!([{ "tool": "sh_*", "decision": "allow" }]), true),
        ("git", json!([{ "tool": "sh_*", "decision": "allow", "command": "git" }]), false),
        ("rm", json!([{ "tool": "sh_*", "decision": "deny", "command": "rm" }]), false),
    ];
    let mut wrong = Vec::new();
    for (column, rules, has_floor) in columns {
        let mut builder = Policy::builder(()).rules(rules_from_json(&rules).unwrap());
        if has_floor {
            builder = builder.floor(floor());
        }
        let policy = builder.build().unwrap();
        for row in rows(include_str!("cases/weaknesses.jsonl")) {
            if row[column].is_null() {
                continue;
            }
            let arguments = match (&row["sh"], &row["argv"]) {
                (Value::String(text), _) => common::script(text),
                (_, Value::Array(words)) => json!({ "command": words[0], "args": words[1..] }),
                _ => row["arguments"].clone(),
            };
            let (tool, arguments) = match arguments["tool"].as_str() {
                Some(tool) => (tool.to_owned(), json!({})),
                None => ("sh_run".to_owned(), arguments.clone()),
            };
            let explanation = policy.explain(&ToolCall::new("1", tool, arguments.clone()));
            if !accepted(&row[column]).iter().any(|it| it == explanation.decision.as_str()) {
                wrong.push(format!("{} {column} {arguments}\n{explanation}", row["id"]));
            }
        }
    }
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
}
