//! What rules say about commands: tables.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{argv, explain, script, tables, with_rules};
use mcp_policy::{CommandParams, Decision};
use mcp_provider::ToolCall;
use serde_json::json;

use Decision::{Allow, Ask, Deny};

#[test]
fn commands_are_compared_word_by_word() {
    // P-CMD-1 to P-CMD-8, P-EVAL-1
    let allow = json!([{ "tool": "x_run", "decision": "allow", "command": "git" }]);
    let status =
        json!([{ "tool": "x_run", "decision": "allow", "command": "git", "args": ["status"] }]);
    let push = json!([{ "tool": "x_run", "decision": "deny", "command": "git", "args": ["push"],
        "args-any": ["--force", "-f"] }]);
    let rm = json!([{ "tool": "x_run", "decision": "deny", "command": "rm" }]);
    let under = json!([{ "tool": "x_run", "decision": "deny", "command": "rm", "under": "/etc" }]);
    let cases = [
        (&allow, argv(&["git"]), Allow),
        // By its bare name only: a path may lead to anything.
        (&allow, argv(&["/usr/bin/git"]), Ask),
        (&allow, argv(&["./git"]), Ask),
        (&allow, argv(&[r"C:\bin\git.EXE"]), Ask),
        (&allow, argv(&["git.exe"]), Allow),
        (&allow, argv(&["gitk"]), Ask),
        (&allow, argv(&["GIT"]), Ask),
        (&rm, argv(&["RM"]), Deny),
        (&rm, argv(&["/bin/rm"]), Deny),
        (&status, argv(&["git", "status", "-s"]), Allow),
        (&status, argv(&["git", "push"]), Ask),
        (&status, argv(&["git"]), Ask),
        (&status, argv(&["git", "-C", "x", "status"]), Ask),
        (&push, argv(&["git", "push", "--force"]), Deny),
        (&push, argv(&["git", "push", "-f"]), Deny),
        (&push, argv(&["git", "push", "origin"]), Ask),
        (&push, argv(&["git", "status"]), Ask),
        (&push, argv(&["git", "-C", "x", "push", "--force=yes"]), Deny),
        (&push, argv(&["git", "push", "--forced"]), Ask),
        (&push, script("git push $X"), Deny),
        (&push, script("git push \"a$X\""), Ask),
        (&push, script("git $X"), Deny),
        (&push, script("git log $X"), Ask),
        (&allow, json!({}), Ask),
        (&rm, json!({}), Deny),
        (&allow, json!({ "command": ["git"] }), Ask),
        (&rm, json!({ "command": ["git"] }), Deny),
        (&rm, json!({ "command": "" }), Deny),
        (&under, json!({ "command": "rm", "path": "/etc/hosts" }), Deny),
        (&under, json!({ "command": "ls", "path": "/etc/hosts" }), Ask),
        (&under, json!({ "command": "rm", "path": "/tmp/x" }), Ask),
        (&allow, json!({ "command": "git", "args": ["log", 1, 1.5] }), Allow),
        (&allow, json!({ "command": "git", "args": ["log", null] }), Allow),
        (&status, json!({ "command": "git", "args": [null, "status"] }), Ask),
        (&status, json!({ "command": "git", "args": "status" }), Ask),
    ];
    for (rules, args, expected) in cases {
        let found = explain(rules, &json!({}), "x_run", &args);
        assert_eq!(found.decision, expected, "{rules} {args}\n{found}");
    }
}

#[test]
fn an_allow_by_program_covers_no_writes_no_variables_and_no_code() {
    // P-CMD-10
    let rules = json!([
        { "tool": "sh", "decision": "allow", "command": "git" },
        { "tool": "sh", "decision": "allow", "command": "python3" },
        { "tool": "sh", "decision": "allow", "command": "npx", "args": ["tsc"] },
        { "tool": "sh", "decision": "allow", "command": "tsc" },
        { "tool": "sh", "decision": "allow", "command": "cat" },
    ]);
    let cases = [
        ("git log", Allow),
        ("git log > out", Ask),
        ("git log >> out", Ask),
        ("{ git log; } > out", Ask),
        ("> out; git log", Ask),
        ("git log > /dev/null 2>&1", Allow),
        ("cat < in", Allow),
        ("LANG=C git log", Allow),
        ("FOO=1 git log", Ask),
        ("export FOO=1; git log", Ask),
        ("x=1; git log", Allow),
        ("PATH=/tmp git log", Ask),
        ("export PATH=/tmp; git log", Ask),
        ("git log; export PATH=/tmp", Ask),
        ("python3 x.py", Allow),
        ("python3 -c 'print(1)'", Ask),
        ("cat x | python3", Ask),
        ("npx tsc --noEmit", Allow),
        ("npx other", Ask),
        ("cat a | git hash-object --stdin && python3 x.py", Allow),
        ("git log; ls", Ask),
        ("x=1", Ask),
        ("# nothing", Ask),
    ];
    for (text, expected) in cases {
        let found = explain(&rules, &json!({}), "sh", &script(text));
        assert_eq!(found.decision, expected, "{text}\n{found}");
    }
}

#[test]
fn a_tool_may_name_its_command_in_other_ways() {
    // P-TAB-6, W-131, W-148, W-149
    let params = json!({
        "sh_*": { "command": "program", "args": "argv" },
        "term": { "shell": "line" },
    });
    let rules = json!([
        { "tool": "*", "decision": "allow", "command": "git" },
        { "tool": "*", "decision": "deny", "command": "rm" },
    ]);
    let mut tables = tables(&json!({}), &json!({}));
    tables.commands = CommandParams::from_json(&params).unwrap();
    let policy = with_rules((), &rules).tables(tables).build().unwrap();
    let cases = [
        ("sh_x", json!({ "program": "git", "argv": ["log"] }), Allow),
        ("sh_x", json!({ "command": "git" }), Deny),
        ("term", json!({ "line": "git log" }), Allow),
        ("term", json!({ "line": "git log; rm x" }), Deny),
        ("term", json!({ "line": true }), Deny),
        // A whole line in the place of a program: a server may hand it to a shell.
        ("other", json!({ "command": "git status; rm -rf /" }), Deny),
        ("other", json!({ "command": "git status" }), Ask),
        ("other", json!({ "command": "sh", "stdin": "rm x" }), Deny),
        ("other", json!({ "command": "git", "env": { "PATH": "/tmp" } }), Ask),
        ("other", json!({ "command": "git", "env": { "LANG": "C" } }), Allow),
        ("other", json!({ "command": "git", "env": 5 }), Ask),
        ("other", json!({ "command": "git", "args": ["log;", "x"], "shell": true }), Ask),
        ("other", json!({ "command": "git", "shell": false }), Allow),
    ];
    for (tool, args, expected) in cases {
        let found = policy.explain(&ToolCall::new("1", tool, args.clone()));
        assert_eq!(found.decision, expected, "{tool} {args}\n{found}");
    }
    for wrong in [
        json!([]),
        json!({ "x": { "comand": "y" } }),
        json!({ "x y": {} }),
        json!({ "x": { "shell": "a", "command": "b" } }),
        json!({ "x": 5 }),
    ] {
        assert!(CommandParams::from_json(&wrong).is_err(), "{wrong}");
    }
}
