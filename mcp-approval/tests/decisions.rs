//! Decisions that come from outside the program.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Script, Setup, run, write};
use mcp_approval::{Approval, ApprovalPolicy, Decision, InvalidDecision, Request};
use serde_json::{Value, json};

/// What a decision that comes as JSON is, and what becomes of the call.
#[tokio::test]
async fn only_a_decision_about_this_call_is_one() {
    // AP-28, and the rows as marked
    type Make = fn(&Request) -> Value;
    fn with(request: &Request, mut json: Value) -> Value {
        json["binding"] = request.binding.to_json();
        json
    }
    fn other(request: &Request, member: &str) -> Value {
        let mut json = with(request, json!({ "decision": "allow" }));
        json["binding"][member] = json!("other");
        json
    }
    let rows: Vec<(&str, Make, Result<&str, InvalidDecision>)> = vec![
        ("allow", |it| with(it, json!({ "decision": "allow" })), Ok("allow")),
        ("deny", |it| with(it, json!({ "decision": "deny" })), Ok("deny")),
        ("deny and why", |it| with(it, json!({ "decision": "deny", "reason": "no" })), Ok("deny")),
        ("edit", |it| with(it, json!({ "decision": "edit", "arguments": {} })), Ok("edit")),
        ("AP-4 a string", |_| json!("allow"), Err(InvalidDecision::NotAnObject)),
        ("AP-4 true", |_| json!(true), Err(InvalidDecision::NotAnObject)),
        ("AP-4 null", |_| json!(null), Err(InvalidDecision::NotAnObject)),
        ("AP-4 a list", |_| json!(["allow"]), Err(InvalidDecision::NotAnObject)),
        (
            "AP-4 a map that is none",
            |it| with(it, json!({ "allow": true })),
            Err(InvalidDecision::Kind),
        ),
        (
            "AP-4 an unknown word",
            |it| with(it, json!({ "decision": "ALLOW" })),
            Err(InvalidDecision::Kind),
        ),
        (
            "AP-4 a decision that is true",
            |it| with(it, json!({ "decision": true })),
            Err(InvalidDecision::Kind),
        ),
        (
            "AP-5 an allow with arguments",
            |it| with(it, json!({ "decision": "allow", "arguments": {} })),
            Err(InvalidDecision::Member { kind: "allow".into(), key: "arguments".into() }),
        ),
        (
            "AP-5 a deny with arguments",
            |it| with(it, json!({ "decision": "deny", "arguments": {} })),
            Err(InvalidDecision::Member { kind: "deny".into(), key: "arguments".into() }),
        ),
        (
            "a deny for no text",
            |it| with(it, json!({ "decision": "deny", "reason": 7 })),
            Err(InvalidDecision::Reason),
        ),
        (
            "AP-6 an edit to nothing",
            |it| with(it, json!({ "decision": "edit" })),
            Err(InvalidDecision::Arguments),
        ),
        (
            "AP-6 an edit to a text",
            |it| with(it, json!({ "decision": "edit", "arguments": "{}" })),
            Err(InvalidDecision::Arguments),
        ),
        ("bound to nothing", |_| json!({ "decision": "allow" }), Err(InvalidDecision::Unbound)),
        ("bound to another id", |it| other(it, "call_id"), Err(InvalidDecision::OtherCall)),
        ("bound to another tool", |it| other(it, "tool"), Err(InvalidDecision::OtherCall)),
        ("bound to other arguments", |it| other(it, "arguments"), Err(InvalidDecision::OtherCall)),
    ];
    for (row, make, expected) in rows {
        let setup = Setup::new();
        let script = Script::new(move |request| Ok(Decision::from_json(&make(request), request)?));
        let policy = ApprovalPolicy::ask(script.clone());
        let stack = setup.stack(json!([]), Approval::with_policy(setup.context.clone(), policy));
        let result = run(&stack.await, write("a")).await;
        let asked = script.asked().remove(0);
        let read = Decision::from_json(&make(&asked), &asked);
        let name = read.as_ref().map(|it| match it {
            Decision::Allow => "allow",
            Decision::Deny { .. } => "deny",
            Decision::Edit { .. } => "edit",
            _ => "another",
        });
        assert_eq!(name.map_err(Clone::clone), expected, "{row}");
        assert_eq!(!result.is_error, row == "allow", "{row}: {}", result.content);
        if let Err(error) = expected {
            assert!(result.content.contains(&error.to_string()), "{row}: {}", result.content);
        }
    }
}
