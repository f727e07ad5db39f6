//! Why, in every detail; and rules that do not do what they seem to.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{explain, floor, script, tables, with_rules};
use mcp_policy::{Checks, Floor, Tables, Truth, lint, rules_from_json};
use mcp_provider::ToolCall;
use mcp_provider::location::{Locations, PathParams, Roots};
use serde_json::{Value, json};

#[test]
fn an_explanation_reads_from_the_verdict_down_to_each_answer() {
    // P-EXPL-1
    let rules = json!([
        { "tool": "sh_*", "decision": "allow", "command": "git" },
        { "tool": "sh_run", "decision": "deny", "command": "rm", "args-any": ["-rf"] },
        { "tool": "other", "decision": "deny" },
    ]);
    let found = explain(&rules, &json!({}), "sh_run", &script("git log && rm $X"));
    let expected = "\
sh_run: deny (unreadable-command), because of the rule 'deny sh_run command rm args-any [\"-rf\"]'
  because an argument cannot be read: a variable
  command 0: git log
  command 1: rm $X
  unknown: an argument cannot be read: a variable
  rule 'allow sh_* command git' covers commands 0
    command git log: yes
    command rm $X: no
  rule 'deny sh_run command rm args-any [\"-rf\"]' fires, as far as can be told
    command git log: no
    command rm $X: unknown, an argument cannot be read: a variable
";
    assert_eq!(found.to_string(), expected);
    let json = json!(found);
    assert_eq!(json["rules"][1]["answers"][1]["answer"], json!("unknown"));
    assert_eq!(json["decision"], json!("deny"));
    assert_eq!(json["reason"], json!("unreadable-command"));

    let rules = json!([
        { "tool": "fs_*", "decision": "allow", "under": "a" },
        { "tool": "fs_read", "decision": "ask", "host": "docs.rs" },
    ]);
    let args = json!({ "path": "a/\u{202e}x", "url": "https://docs.rs/" });
    let expected = "\
fs_read: ask (rule), because of the rule 'ask fs_read on docs.rs'
  path /srv/a/\\u{202e}x
  host docs.rs
  rule 'allow fs_* under a' covers the call
    under path=\"a/\\u{202e}x\": yes
  rule 'ask fs_read on docs.rs' fires
    host url on docs.rs: yes
";
    assert_eq!(explain(&rules, &json!({ "": "/srv" }), "fs_read", &args).to_string(), expected);

    let found = explain(&json!([]), &json!({ "": "/srv" }), "fs_read", &json!({ "path": "a/x" }));
    let expected = "\
fs_read: ask (no-match)
  path /srv/a/x
  \"always\" would remember 'allow fs_read under /srv/a'
";
    assert_eq!(found.to_string(), expected);
}

#[test]
fn grants_are_told_from_rules() {
    let grants = rules_from_json(&json!([{ "tool": "x", "decision": "allow" }])).unwrap();
    let policy = with_rules((), &json!([])).grants(grants).build().unwrap();
    let found = policy.explain(&ToolCall::new("1", "x", json!({})));
    assert!(found.is_grant && found.rules[0].is_grant);
    assert!(found.to_string().contains("because of the grant 'allow x'"));
}

#[test]
fn odd_rules_are_found() {
    // P-EXPL-2
    let cases = [
        (json!([{ "tool": "read", "decision": "allow" }]), 0, "perhaps it means \"fs_read\""),
        (json!([{ "tool": "x_*", "decision": "deny" }]), 0, "names no tool"),
        (json!([{ "tool": "fs_*", "decision": "allow", "check": "no" }]), 0, "never allows"),
        (json!([{ "tool": "fs_*", "decision": "deny", "check": "no" }]), 0, "every call"),
        (json!([{ "tool": "ping", "decision": "allow", "under": "/x" }]), 0, "names none"),
        (
            json!([{ "tool": "fs_read", "decision": "allow", "under": "/a/b" },
                { "tool": "fs_*", "decision": "deny", "under": "/a" }]),
            0,
            "'deny fs_* under /a' denies all",
        ),
        (
            json!([{ "tool": "fs_read", "decision": "allow" }, { "tool": "*", "decision": "deny" }]),
            0,
            "denies all",
        ),
        (
            json!([{ "tool": "fs_read", "decision": "ask" }, { "tool": "fs_read", "decision": "ask" }]),
            1,
            "same as rule 0",
        ),
    ];
    let mut tables = tables(&json!({}), &json!({}));
    let params = PathParams::from_json(&json!({ "ping": [] })).unwrap();
    tables.locations = Locations::new(Roots::default(), params);
    let tools = ["fs_read", "fs_write", "ping", "sh_run"];
    let find = |rules: &Value, tables: &Tables| {
        lint(&rules_from_json(rules).unwrap(), Some(&tools), tables, &Checks::new())
    };
    for (rules, index, fragment) in cases {
        let findings = find(&rules, &tables);
        assert_eq!(findings.len(), 1, "{findings:?}");
        assert_eq!(findings[0].index, index);
        assert!(findings[0].to_string().contains(fragment), "{}", findings[0]);
    }
    let fine = json!([
        { "tool": "fs_*", "decision": "allow", "under": "/a" },
        { "tool": "fs_*", "decision": "deny", "under": "/a/b" },
        { "tool": "sh_*", "decision": "allow", "command": "git" },
        { "tool": "sh_*", "decision": "deny", "command": "git", "args": ["push"] },
        { "tool": "ping", "decision": "deny" },
        { "tool": "fs_write", "decision": "deny", "under": "/c" },
    ]);
    assert!(find(&fine, &tables).is_empty());
}

#[test]
fn the_floor_is_data() {
    // FL-25, FL-26, W-119, P-CMD-9, P-FLOOR-1
    let floor = floor();
    let rules = floor.rules();
    assert_eq!(rules_from_json(&json!(rules)).unwrap(), rules);
    let checks = floor.checks();
    for rule in &rules {
        assert!(rule.is_danger() && rule.remark().is_some() && !rule.is_blanket(), "{rule}");
        assert!(checks.contains(rule.to_json()["check"].as_str().unwrap()), "{rule}");
    }
    assert!(lint(&rules, Some(&["sh_run"]), &Tables::default(), &checks).is_empty());
    let all = json!([{ "tool": "*", "decision": "allow" }]);
    let decide = |floor: Floor, tool: &str, args: Value| {
        let policy = with_rules((), &all).floor(floor).build().unwrap();
        policy.decide(&ToolCall::new("1", tool, args)).decision.as_str()
    };
    let rm = || script("rm -rf /");
    assert_eq!(decide(floor.clone(), "sh_status", json!({})), "allow");
    assert_eq!(decide(floor.clone(), "sh_run", json!("{not json")), "ask");
    assert_eq!(decide(floor.clone(), "terminal", rm()), "allow");
    assert_eq!(decide(floor.tools("term*").unwrap(), "terminal", rm()), "deny");
    // A deny that names a check which nobody supplies still denies.
    let absent = json!([{ "tool": "sh_*", "decision": "deny", "check": "absent" }]);
    assert_eq!(explain(&absent, &json!({}), "sh_run", &script("ls")).decision.as_str(), "deny");
}

#[test]
fn a_check_that_panics_is_unknown_for_its_own_call() {
    // W-155, P-CMD-9
    let panics = |_: &mcp_policy::commands::Command, _: &[_]| -> Truth { panic!("a bug") };
    for (decision, expected) in [("allow", "ask"), ("deny", "deny")] {
        let rules = json!([{ "tool": "*", "decision": decision, "check": "bad" }]);
        let policy = with_rules((), &rules).check("bad", panics).build().unwrap();
        let verdict = policy.decide(&ToolCall::new("1", "sh_run", script("ls")));
        assert_eq!(verdict.decision.as_str(), expected);
    }
    // Nor does an option without its value hurt anybody.
    let rules = json!([{ "tool": "*", "decision": "allow", "command": "git" }]);
    let args = json!({ "command": "bash", "args": ["-c"] });
    assert_eq!(explain(&rules, &json!({}), "sh_run", &args).decision.as_str(), "ask");
}
