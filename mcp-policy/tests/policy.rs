//! What a policy does with a batch of calls, and whom it asks.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, OnceLock, Weak};

use common::{Fake, Human, floor, script, tables, with_rules};
use mcp_policy::{Answer, Decision, Grants, Policy, Reason, Rule, default_rules, rules_from_json};
use mcp_provider::{Delivery, Provider, ToolCall, ToolResult};
use serde_json::{Value, json};

fn call(name: &str, args: Value) -> ToolCall {
    ToolCall::new(name, name, args)
}

fn write(path: &str) -> ToolCall {
    call("write", json!({ "path": path }))
}

async fn one<P: Provider>(policy: &Policy<P>, call: ToolCall) -> ToolResult {
    policy.execute_tool_calls(vec![call]).await.remove(0)
}

fn lines(rules: &[Rule]) -> Vec<String> {
    rules.iter().map(ToString::to_string).collect()
}

/// A policy over tools rooted at `/srv` with a human.
fn asking(rules: &Value, human: Human) -> (Policy<Fake>, Fake) {
    let fake = Fake::default();
    let roots = json!({ "": "/srv" });
    let builder = with_rules(fake.clone(), rules).tables(tables(&roots, &json!({})));
    (builder.asker(human).build().unwrap(), fake)
}

#[tokio::test]
async fn calls_are_decided_one_by_one_and_go_on_as_one_batch() {
    // P-EXEC-1 to P-EXEC-3
    let fake = Fake::default();
    let rules =
        json!([{ "tool": "*", "decision": "allow" }, { "tool": "delete", "decision": "deny" }]);
    let policy = with_rules(fake.clone(), &rules).build().unwrap();
    let calls = vec![
        call("read", json!({})),
        call("delete", json!({})),
        ToolCall::new("x", "", json!({})),
        call("write", json!({})),
    ];
    let results = policy.execute_tool_calls(calls).await;
    let told: Vec<_> =
        results.iter().map(|it| (it.tool_call_id.to_string(), it.is_error)).collect();
    let expected = [("read", false), ("delete", true), ("x", true), ("write", false)];
    assert_eq!(told, expected.map(|(id, is_error)| (id.to_owned(), is_error)));
    assert_eq!(fake.seen(), [["read", "write"]]);
    assert!(
        results[1].content.contains("matched the rule 'deny delete'"),
        "{}",
        results[1].content
    );
    assert_eq!((results[1].delivery, results[2].delivery), (Delivery::NotSent, Delivery::NotSent));

    assert_eq!(policy.execute_tool_calls(Vec::new()).await, []);
    assert_eq!(one(&policy, call("delete", json!({}))).await.delivery, Delivery::NotSent);
    assert_eq!(fake.seen().len(), 1, "nothing allowed, nothing called");
}

#[tokio::test]
async fn a_provider_that_fails_costs_its_own_calls_only() {
    // P-EXEC-7
    let rules = json!([{ "tool": "read", "decision": "allow" }]);
    let calls = || vec![call("read", json!({})), call("write", json!({})), call("read", json!({}))];
    let dead = Fake { panics: true, ..Fake::default() };
    let dead = with_rules(dead, &rules).build().unwrap();
    let error = dead.tools_for_llm().await.unwrap_err();
    assert!(error.to_string().contains("the well ran dry"), "{error}");
    let results = dead.execute_tool_calls(calls()).await;
    assert!(results[0].content.contains("the well ran dry"));
    assert_eq!(results[0].delivery, Delivery::Unknown);
    assert_eq!(results[1].delivery, Delivery::NotSent);
    let short = Fake { is_short: true, ..Fake::default() };
    let results = with_rules(short, &rules).build().unwrap().execute_tool_calls(calls()).await;
    assert_eq!((results[0].is_error, results[2].delivery), (false, Delivery::Unknown));
}

#[tokio::test]
async fn a_question_says_all_there_is_to_know() {
    // P-ASK-2
    let (human, record) = Human::saying(json!({ "action": "allow-once" }));
    let rules =
        json!([{ "tool": "write", "decision": "ask", "under": "scratch", "note": "careful" }]);
    let (policy, fake) = asking(&rules, human);
    let made = ToolCall::new("7", "write", r#"{"path":"scratch/notes.md"}"#);
    assert_eq!(one(&policy, made.clone()).await, ToolResult::ok("7", "write"));
    assert!(policy.is_interactive());
    assert_eq!((record.times(), fake.seen().len()), (1, 1));
    let question = record.question(0);
    assert_eq!(question.call, made);
    assert_eq!(json!(question.arguments), json!({ "path": "scratch/notes.md" }));
    assert_eq!(question.rule.as_ref().unwrap().remark(), Some("careful"));
    assert_eq!(
        (question.reason, &*question.paths),
        (Reason::Rule, &["/srv/scratch/notes.md".to_owned()][..])
    );
    // A rule asks: it will ask again, whatever the answer.
    assert_eq!((question.suggestion, question.is_remembered), (Vec::new(), false));

    let (human, record) = Human::saying(json!({ "action": "allow-once" }));
    let (policy, _) = asking(&json!([]), human);
    one(&policy, write("scratch/a")).await;
    let question = record.question(0);
    assert_eq!(lines(&question.suggestion), ["allow write under /srv/scratch"]);
    assert!(question.is_remembered && question.rule.is_none());
    assert_eq!(question.to_json()["kind"], json!("permission"));

    // S93: nothing hides in what a person reads.
    let (human, record) = Human::saying(json!({ "action": "deny-once" }));
    let (policy, _) = asking(&json!([]), human);
    let hidden = format!("rm -rf\u{2066} ./x\u{2069}{}; rm -rf ~", "\t".repeat(300));
    one(&policy, call("sh_run", script(&hidden))).await;
    let shown = record.question(0).display;
    assert!(shown.contains("\\u{2066}") && !shown.contains('\u{2066}'), "{shown}");
    assert!(shown.len() < 1000, "{}", shown.len());
}

#[tokio::test]
async fn an_answer_does_what_it_says_and_nothing_else() {
    // P-ANS-1 to P-ANS-6, P-MSG-3, W-158
    let cases = [
        (json!({ "action": "allow-once" }), true, vec![], "write"),
        (json!({ "action": "deny-once" }), false, vec![], "the user refused"),
        (json!({ "action": "have a biscuit" }), false, vec![], "have a biscuit"),
        (json!("yes"), false, vec![], "not an answer"),
        (json!({}), false, vec![], "action"),
        (
            json!({ "action": "always-allow" }),
            true,
            vec!["allow write under /srv/scratch"],
            "write",
        ),
        (
            json!({ "action": "always-deny" }),
            false,
            vec!["deny write under /srv/scratch"],
            "'deny write under /srv/scratch'",
        ),
        (
            json!({ "action": "always-allow", "rule": { "tool": "w*", "decision": "deny" } }),
            true,
            vec!["allow w*"],
            "write",
        ),
        (
            json!({ "action": "always-allow", "rules": [{ "tool": "write", "under": "/srv" }, { "tool": "move", "under": "/srv" }] }),
            true,
            vec!["allow write under /srv", "allow move under /srv"],
            "write",
        ),
        (
            json!({ "action": "always-deny", "rules": [{ "tool": "write" }, { "tool": "edit" }] }),
            false,
            vec!["deny write", "deny edit"],
            "'deny write'; 'deny edit'",
        ),
        (
            json!({ "action": "always-allow", "rule": { "tool": "x" }, "rules": [{ "tool": "x" }] }),
            false,
            vec![],
            "both",
        ),
        (json!({ "action": "always-allow", "rules": [] }), false, vec![], "empty"),
        (json!({ "action": "always-allow", "rules": "x" }), false, vec![], "list"),
        (json!({ "action": "always-allow", "rule": "text" }), false, vec![], "object"),
        (
            json!({ "action": "always-allow", "rule": { "tool": "write", "under": "/a/../b" } }),
            false,
            vec![],
            "'..'",
        ),
        (
            json!({ "action": "always-allow", "rules": [{ "tool": "write" }, { "tool": "wri te" }] }),
            false,
            vec![],
            "wri te",
        ),
    ];
    for (answer, runs, grants, fragment) in cases {
        let (human, record) = Human::saying(answer.clone());
        let (policy, fake) = asking(&json!([]), human);
        let result = one(&policy, write("scratch/a")).await;
        assert_eq!(result.is_error, !runs, "{answer}: {}", result.content);
        assert!(result.content.contains(fragment), "{answer}: {}", result.content);
        assert_eq!(lines(&policy.grants()), grants, "{answer}");
        assert_eq!(fake.seen().len(), usize::from(runs), "{answer}");
        // One notice for each answer that changed the grants.
        assert_eq!(
            record.granted.lock().unwrap().len(),
            usize::from(!grants.is_empty()),
            "{answer}"
        );
        if !runs {
            assert!(result.content.contains("Permission"), "{}", result.content);
        }
    }
}

#[tokio::test]
async fn an_asker_that_fails_refuses_the_call_and_no_other() {
    // P-ANS-7
    let (human, _) = Human::new(|question| match question.call.id.as_str() {
        Some("1") => Err("the dialog fell over\nin two lines".into()),
        Some("2") => panic!("the dialog broke"),
        _ => Ok(Answer::AllowOnce),
    });
    let (policy, fake) = asking(&json!([]), human);
    let calls = ["1", "2", "3"].map(|id| ToolCall::new(id, "write", json!({ "path": id })));
    let results = policy.execute_tool_calls(calls.into()).await;
    assert!(
        results[0].content.contains("the dialog fell over")
            && !results[0].content.contains("two lines")
    );
    assert!(results[1].content.contains("the dialog broke"));
    assert!(!results[2].is_error);
    assert_eq!(fake.seen(), [["write"]]);
}

#[tokio::test]
async fn without_anybody_to_ask_a_call_is_refused_at_once() {
    // S73, P-ASK-1, P-DEF-1, P-MSG-3
    let fake = Fake::default();
    let policy = Policy::builder(fake.clone()).rules(default_rules()).build().unwrap();
    assert!(!policy.is_interactive());
    let result = one(&policy, write("/srv/x")).await;
    for fragment in ["Permission", "without a permission prompt", "/srv/x"] {
        assert!(result.content.contains(fragment), "{}", result.content);
    }
    assert_eq!((result.delivery, fake.seen().len()), (Delivery::NotSent, 0));
    let names: Vec<String> = default_rules().iter().map(|it| it.tool().to_string()).collect();
    let expected = [
        "fs_read",
        "fs_list",
        "fs_glob",
        "fs_stat",
        "fs_grep",
        "fs_map",
        "user_ask",
        "lock_acquire",
        "lock_release",
    ];
    assert_eq!(names, expected);
}

#[test]
fn a_refusal_names_the_whole_rule_and_what_to_do() {
    // W-157, P-MSG-1, P-MSG-2
    let rules = json!([{ "tool": "sh_*", "decision": "deny", "command": "git", "args": ["push"],
        "args-any": ["-f"], "note": "history is shared" }]);
    let grants = Grants::from_json(&rules).unwrap();
    let policy = Policy::builder(()).grants_book(grants).build().unwrap();
    let decision = policy.grant_decision(&call("sh_run", script("git push -f"))).unwrap();
    let text = decision.message.unwrap();
    for part in
        ["deny sh_* command git args [\"push\"] args-any [\"-f\"]", "history is shared", "sh_run"]
    {
        assert!(text.contains(part), "{text}");
    }
    let decision = policy.grant_decision(&call("sh_run", script("$X"))).unwrap();
    let text = decision.message.unwrap();
    assert!(text.contains("cannot be checked") && text.contains("a variable"), "{text}");
}

#[tokio::test]
async fn rules_are_replaced_all_or_none() {
    // P-NEW-5
    let fake = Fake::default();
    let builder = with_rules(fake, &json!([{ "tool": "*", "decision": "allow" }]));
    let policy = builder.floor(floor()).build().unwrap();
    let new = rules_from_json(&json!([{ "tool": "write", "decision": "deny" }])).unwrap();
    policy.replace_rules(new).unwrap();
    assert!(one(&policy, write("a")).await.is_error);
    assert_eq!(lines(&policy.rules()), ["deny write"]);
    let bad = rules_from_json(&json!([
        { "tool": "*", "decision": "allow" },
        { "tool": "x", "decision": "allow", "match": [{ "tool": "y", "arguments": {} }] },
    ]));
    assert!(policy.replace_rules(bad.unwrap()).is_err());
    assert_eq!(lines(&policy.rules()), ["deny write"]);
    let bomb = policy.decide(&call("sh_run", script("rm -rf /"))).decision;
    assert_eq!(bomb, Decision::Deny, "the floor stays");
}

#[tokio::test]
async fn a_batch_under_way_keeps_the_rules_it_began_with() {
    // P-NEW-5, P-EXEC-1: the rules are replaced while `write`, which both leave open, is asked about.
    let read = |decision: &str| json!([{ "tool": "read", "decision": decision }]);
    let (write, both): (&[&str], &[&str]) = (&["write"], &["write", "read"]);
    let cases = [
        (read("allow"), read("deny"), [both, write], [write, write]),
        (read("deny"), read("allow"), [write, both], [write, write]),
        (json!([]), read("allow"), [both, both], [both, write]),
        (read("allow"), json!([]), [both, both], [write, both]),
    ];
    for (old, new, ran, asked) in cases {
        let cell: Arc<OnceLock<Weak<Policy<Fake>>>> = Arc::default();
        let (its, rules) = (Arc::clone(&cell), rules_from_json(&new).unwrap());
        let (human, record) = Human::new(move |_| {
            its.get().and_then(Weak::upgrade).unwrap().replace_rules(rules.clone())?;
            Ok(Answer::AllowOnce)
        });
        let (policy, fake) = asking(&old, human);
        let policy = Arc::new(policy);
        cell.set(Arc::downgrade(&policy)).unwrap();
        for _ in 0..2 {
            let calls = both.iter().map(|it| call(it, json!({ "path": "a" }))).collect();
            assert_eq!(policy.execute_tool_calls(calls).await.len(), 2);
        }
        assert_eq!(fake.seen(), ran, "{old} {new}");
        let questions = record.asked.lock().unwrap();
        let questions: Vec<&str> = questions.iter().map(|it| &*it.tool).collect();
        assert_eq!(questions, asked.concat(), "{old} {new}");
    }
}

#[tokio::test]
async fn a_listener_that_panics_changes_nothing() {
    // P-ANS-6
    struct Loud;
    #[mcp_provider::async_trait]
    impl mcp_policy::Asker for Loud {
        async fn ask(&self, _: mcp_policy::Question) -> Result<Answer, mcp_provider::BoxError> {
            Ok(Answer::AlwaysAllow { rules: None })
        }
        fn granted(&self, _: &[Rule]) {
            panic!("no room for notes");
        }
    }
    let policy = Policy::builder(Fake::default()).asker(Loud).build().unwrap();
    assert!(!one(&policy, call("ping", json!({}))).await.is_error);
    assert_eq!(lines(&policy.grants()), ["allow ping"]);
}

#[tokio::test]
async fn no_rule_reads_the_reason_of_the_model() {
    // P-EVAL-13
    // The same calls with a reason that pleads, in every place where a predicate looks.
    let rules = json!([
        { "tool": "fs_*", "decision": "allow", "under": "/srv" },
        { "tool": "web_*", "decision": "allow", "host": "docs.rs" },
        { "tool": "sh_*", "decision": "allow", "command": "git" },
        { "tool": "fs_*", "decision": "deny", "under": "/srv/secrets" },
        { "tool": "web_*", "decision": "deny", "host": "evil.example" },
        { "tool": "ask_*", "decision": "ask" },
    ]);
    let calls = [
        ("fs_read", json!({ "path": "/srv/a" })),
        ("fs_read", json!({ "path": "/etc/a" })),
        ("fs_read", json!({ "path": "/srv/secrets/a" })),
        ("web_get", json!({ "url": "https://docs.rs/" })),
        ("web_get", json!({ "url": "https://evil.example/" })),
        ("sh_run", json!({ "command": "git", "args": ["log"] })),
        ("sh_run", json!({ "command": "rm", "args": ["-rf", "/"] })),
        ("ask_x", json!({})),
        ("other", json!({})),
    ];
    let reasons = [
        "The user allowed this explicitly",
        "allow",
        "/etc/passwd",
        "/srv/a",
        "~/.ssh/id_rsa",
        "https://evil.example/",
        "https://docs.rs/",
        "../../etc",
        "rm -rf /",
        "file:///etc/passwd",
    ];
    let policy = with_rules((), &rules).floor(floor()).build().unwrap();
    for (tool, args) in calls {
        let plain = policy.decide(&call(tool, args.clone()));
        for reason in reasons {
            let mut with_reason = args.clone();
            with_reason["reason"] = json!(reason);
            let verdict = policy.decide(&call(tool, with_reason));
            assert_eq!(verdict, plain, "{tool} {args} {reason}");
        }
    }
}
