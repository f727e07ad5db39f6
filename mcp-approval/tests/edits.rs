//! A decision that replaces the arguments, through a real policy.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Mutex;

use common::{Script, Setup, call, object, run, write};
use mcp_approval::policy::{Answer, Asker, Question};
use mcp_approval::{Approval, ApprovalPolicy, Decision, Human, Request, Risk, async_trait};
use mcp_provider::{BoxError, Delivery, Provider, ToolCall};
use serde_json::{Value, json};

fn edit(arguments: Value) -> Decision {
    Decision::Edit { arguments: object(arguments) }
}

/// Whoever edits the first time, and says this afterwards.
fn once(arguments: Value, then: Decision) -> Script {
    let first = Mutex::new(Some(edit(arguments)));
    Script::new(move |_| Ok(first.lock().unwrap().take().unwrap_or_else(|| then.clone())))
}

fn path_of(request: &Request) -> &str {
    request.arguments.get("path").and_then(Value::as_str).unwrap_or_default()
}

#[tokio::test]
async fn an_edit_replaces_the_arguments_and_enters_the_policy_again() {
    // AP-6, AP-7
    let to = |path: &str| json!({ "path": path, "content": "x" });
    let deny_etc = json!([{ "tool": "fs_write", "decision": "deny", "under": "/etc" }]);
    let ask_job = json!([{ "tool": "fs_write", "decision": "ask", "under": "/job" }]);
    let ask_all = json!([{ "tool": "fs_write", "decision": "ask" }]);
    let two_ask = json!([
        { "tool": "fs_write", "decision": "ask", "under": "/a" },
        { "tool": "fs_write", "decision": "ask", "under": "/b" },
    ]);
    let allow_tmp = json!([{ "tool": "fs_write", "decision": "allow", "under": "/tmp" }]);
    // What the row is for, the rules, the edit, what is said when asked again, how often it is
    // asked, what runs.
    type Row = (&'static str, Value, Value, Decision, usize, Option<Value>);
    let rows: Vec<Row> = vec![
        (
            "an edit in the same class runs",
            json!([]),
            to("/b"),
            Decision::deny("no"),
            1,
            Some(to("/b")),
        ),
        (
            "an edit that is allowed runs",
            allow_tmp,
            to("/tmp/b"),
            Decision::deny("no"),
            1,
            Some(to("/tmp/b")),
        ),
        ("an edit into a deny rule is denied", deny_etc, to("/etc/b"), Decision::Allow, 1, None),
        (
            "AP-7 an edit into a secret is asked again",
            json!([]),
            to("/.env"),
            Decision::Allow,
            2,
            Some(to("/.env")),
        ),
        (
            "AP-7 an edit into a secret can be denied",
            json!([]),
            to("/.env"),
            Decision::deny("no"),
            2,
            None,
        ),
        (
            "an edit into a rule that asks is asked again",
            ask_job,
            to("/job/b"),
            Decision::deny("no"),
            2,
            None,
        ),
        (
            "an edit from one rule that asks into another is asked again",
            two_ask,
            to("/b"),
            Decision::deny("no"),
            2,
            None,
        ),
        (
            "an edit under the rule that asked is not asked again",
            ask_all,
            to("/b"),
            Decision::deny("no"),
            1,
            Some(to("/b")),
        ),
        (
            "AP-6 an edit replaces whole, and lacks what the tool requires",
            json!([]),
            json!({ "path": "/b" }),
            Decision::Allow,
            1,
            None,
        ),
        (
            "an edit to the same arguments is an allow",
            json!([]),
            json!({ "content": "x", "path": "/a" }),
            Decision::deny("no"),
            1,
            Some(to("/a")),
        ),
        (
            "a reason in an edit is not for the tool",
            json!([]),
            json!({ "path": "/b", "content": "x", "reason": "mine" }),
            Decision::deny("no"),
            1,
            Some(to("/b")),
        ),
    ];
    for (row, rules, arguments, then, asked, ran) in rows {
        let setup = Setup::new();
        let script = once(arguments, then);
        let policy = ApprovalPolicy::ask(script.clone());
        let stack = setup.stack(rules, Approval::with_policy(setup.context.clone(), policy)).await;
        let result = run(&stack, write("/a")).await;
        assert_eq!(script.times(), asked, "{row}: {}", result.content);
        let calls = setup.tools.calls();
        let seen: Vec<Value> = calls
            .iter()
            .map(|it| Value::Object(it.arguments.as_object().unwrap().clone()))
            .collect();
        assert_eq!(seen, ran.clone().into_iter().collect::<Vec<_>>(), "{row}: {}", result.content);
        let told = result.content.starts_with("The arguments of this call were changed before it");
        let is_changed = ran.as_ref().is_some_and(|it| it["path"] != json!("/a"));
        assert_eq!(told, is_changed, "{row}: {}", result.content);
        if let Some(ran) = ran.filter(|_| is_changed) {
            assert!(result.content.contains(ran["path"].as_str().unwrap()), "{row}");
            assert!(result.content.ends_with("\n\nfs_write ran"), "{row}: {}", result.content);
        } else if calls.is_empty() {
            assert_eq!(result.delivery, Delivery::NotSent, "{row}");
        }
    }
}

#[tokio::test]
async fn an_edited_call_keeps_the_reason_for_the_models_own() {
    // AP-19
    let setup = Setup::new();
    let script = once(json!({ "path": "/.env", "content": "y" }), Decision::Allow);
    let approval =
        Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script.clone()));
    let stack = setup.stack(json!([]), approval).await;
    let arguments = json!({ "path": "/a", "content": "x", "reason": "You asked for it" });
    assert!(!run(&stack, call("fs_write", arguments)).await.is_error);
    let asked: Vec<_> = script
        .asked()
        .iter()
        .map(|it| (path_of(it).to_owned(), it.risk, it.reason.clone(), it.is_edited))
        .collect();
    let reason = Some("You asked for it".to_owned());
    assert_eq!(
        asked,
        [
            ("/a".to_owned(), Risk::Mutating, reason.clone(), false),
            ("/.env".to_owned(), Risk::Sensitive, reason, true),
        ]
    );
}

#[tokio::test]
async fn whoever_else_must_approve_approves_what_will_run() {
    // AP-9: the editor is not asked again, everybody else is asked about the edit.
    let to_b = || edit(json!({ "path": "/b", "content": "x" }));
    let at_a = |other: Decision| {
        Script::new(move |request| {
            Ok(if path_of(request) == "/a" { Decision::Allow } else { other.clone() })
        })
    };
    for (row, child, parent, asked, runs) in [
        (
            "a child's edit under its parent",
            Script::says(to_b()),
            at_a(Decision::Allow),
            [1, 1],
            true,
        ),
        (
            "a child's edit that its parent denies",
            Script::says(to_b()),
            at_a(Decision::deny("no")),
            [1, 1],
            false,
        ),
        (
            "a parent's edit over its child",
            at_a(Decision::Allow),
            Script::says(to_b()),
            [2, 1],
            true,
        ),
        (
            "a parent's edit that its child denies",
            at_a(Decision::deny("no")),
            Script::says(to_b()),
            [2, 1],
            false,
        ),
    ] {
        let setup = Setup::new();
        let above = ApprovalPolicy::ask(parent.clone());
        let approval = Approval::with_policy(setup.context.clone(), above)
            .child(ApprovalPolicy::ask(child.clone()));
        let stack = setup.stack(json!([]), approval).await;
        let result = run(&stack, write("/a")).await;
        assert_eq!(!result.is_error, runs, "{row}: {}", result.content);
        assert_eq!([child.times(), parent.times()], asked, "{row}");
        let ran: Vec<ToolCall> = if runs { vec![write("/b")] } else { Vec::new() };
        assert_eq!(setup.tools.calls(), ran, "{row}");
    }
}

#[tokio::test]
async fn edits_without_end_end() {
    // AP-29
    let setup = Setup::new();
    let count = Mutex::new(0);
    let script = Script::new(move |_| {
        let mut count = count.lock().unwrap();
        *count += 1;
        Ok(edit(json!({ "path": format!("/{count}/.env"), "content": "x" })))
    });
    // Two who must both approve, and each wants something else.
    let above = ApprovalPolicy::ask(script.clone());
    let approval = Approval::with_policy(setup.context.clone(), above)
        .child(ApprovalPolicy::ask(script.clone()));
    let stack = setup.stack(json!([]), approval).await;
    let result = run(&stack, write("/a")).await;
    assert!(result.is_error && setup.tools.calls().is_empty(), "{}", result.content);
    assert!(result.content.contains("changed twice"), "{}", result.content);
    assert_eq!(script.times(), 2);
}

#[tokio::test]
async fn a_batch_with_an_edit_keeps_its_order() {
    let setup = Setup::new();
    let script = Script::new(|request| {
        Ok(match path_of(request) {
            "/b" => edit(json!({ "path": "/edited", "content": "x" })),
            _ => Decision::Allow,
        })
    });
    let approval = Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script));
    let stack = setup.stack(json!([]), approval).await;
    let results = stack.execute_tool_calls(["/a", "/b", "/c"].map(write).to_vec()).await;
    assert_eq!(setup.tools.batches(), [["/a", "/edited", "/c"].map(write)]);
    assert_eq!(results.iter().filter(|it| it.content.contains("changed")).count(), 1);
}

#[tokio::test]
async fn an_edit_is_good_for_one_call() {
    // AP-30
    // The same id and the same arguments, made by the model itself, are asked about.
    let setup = Setup::new();
    let script = once(json!({ "path": "/b", "content": "x" }), Decision::deny("no"));
    let approval =
        Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script.clone()));
    let stack = setup.stack(json!([]), approval).await;
    assert!(!run(&stack, write("/a")).await.is_error);
    assert!(run(&stack, write("/b")).await.is_error);
    assert_eq!(script.times(), 2);
}

#[tokio::test]
async fn an_edit_that_no_question_came_back_for_is_good_for_nothing() {
    // AP-30
    // The edit was allowed by a rule; without the rule the same call is a question again.
    let setup = Setup::new();
    let script = once(json!({ "path": "/tmp/b", "content": "x" }), Decision::deny("no"));
    let approval =
        Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script.clone()));
    let rules = json!([{ "tool": "fs_write", "decision": "allow", "under": "/tmp" }]);
    let stack = setup.stack(rules, approval).await;
    assert!(!run(&stack, write("/a")).await.is_error);
    stack.replace_rules(Vec::new()).unwrap();
    assert!(run(&stack, write("/tmp/b")).await.is_error);
    assert_eq!(script.times(), 2);
}

/// A person who edits, and who refuses with words.
struct Person;

#[async_trait]
impl Asker for Person {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        Ok(match question.tool.as_str() {
            "fs_write" => {
                Answer::Edit { arguments: object(json!({ "path": "/b", "content": "" })) }
            }
            _ => Answer::Refuse { message: "Use fs_write instead".to_owned() },
        })
    }
}

#[tokio::test]
async fn a_person_can_edit_and_say_why_not() {
    let setup = Setup::new();
    let approval = Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(Human(Person)));
    let stack = setup.stack(json!([]), approval).await;
    let result = run(&stack, write("/a")).await;
    assert!(result.content.contains(r#"{"path":"/b","content":""}"#), "{}", result.content);
    let result = run(&stack, call("sh_run", json!({ "command": "ls" }))).await;
    assert!(result.content.contains("Use fs_write instead"), "{}", result.content);
}
