//! Who is asked about a call, and what becomes of it.  AP-… number what approval promises.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::Arc;

use common::{Script, Setup, call, object, risks, run, write};
use mcp_approval::policy::{Answer, Asker, Question};
use mcp_approval::{
    Approval, ApprovalPolicy, Approver, AskedBy, Context, Decision, Human, Risk, Risks, async_trait,
};
use mcp_provider::{BoxError, Delivery, JsonObject, Provider, ToolCall};
use serde_json::{Value, json};

/// An approval policy under test, made anew for each row.
#[derive(Clone, Copy, Debug)]
enum Given {
    Nothing,
    Allow,
    Deny,
    /// A handler that allows.
    Handler,
    /// A child that allows, under a parent that denies.
    Child,
    /// A child that denies, under a parent that allows.
    StrictChild,
}

#[tokio::test]
async fn who_decides_depends_on_the_policy_and_on_the_class() {
    use Given::{Allow, Child, Deny, Handler, Nothing, StrictChild};
    let read = || call("fs_read", json!({ "path": "a.txt" }));
    let secret = || call("fs_read", json!({ "path": ".env" }));
    // What the row is for, the policy, the call, whether it runs, how often a handler is asked.
    let rows: Vec<(&str, Given, ToolCall, bool, usize)> = vec![
        ("AP-1 a read-only call under deny runs, and no handler is called", Deny, read(), true, 0),
        (
            "AP-1 a read-only call under a handler runs, and it is not called",
            Handler,
            read(),
            true,
            0,
        ),
        ("AP-1 a read-only call without any policy runs", Nothing, read(), true, 0),
        ("AP-2 a mutating call without any policy does not run", Nothing, write("a"), false, 0),
        ("AP-2 a mutating call under deny does not run", Deny, write("a"), false, 0),
        ("AP-2 a mutating call under allow runs", Allow, write("a"), true, 0),
        ("AP-2 a mutating call under a handler is decided by it", Handler, write("a"), true, 1),
        ("AP-3 a call that is raised to sensitive is decided by it", Handler, secret(), true, 1),
        (
            "AP-3 a call that is raised to sensitive does not run under deny",
            Deny,
            secret(),
            false,
            0,
        ),
        ("AP-3 a raised call without any policy does not run", Nothing, secret(), false, 0),
        ("AP-9 what a child allows, its parent's deny denies", Child, write("a"), false, 0),
        ("AP-9 a read-only call of a child runs under a parent's deny", Child, read(), true, 0),
        ("AP-9 what a parent allows, its child's deny denies", StrictChild, write("a"), false, 0),
    ];
    for (row, given, call, runs, asked) in rows {
        let setup = Setup::new();
        let script = Script::says(Decision::Allow);
        let with = |policy| Approval::with_policy(setup.context.clone(), policy);
        let approval = match given {
            Nothing => Approval::new(setup.context.clone()),
            Allow => with(ApprovalPolicy::Allow),
            Deny => with(ApprovalPolicy::Deny),
            Handler => with(ApprovalPolicy::ask(script.clone())),
            Child => with(ApprovalPolicy::Deny).child(ApprovalPolicy::Allow),
            StrictChild => with(ApprovalPolicy::Allow).child(ApprovalPolicy::Deny),
        };
        let stack = setup.stack(json!([]), approval).await;
        let result = run(&stack, call).await;
        assert_eq!(!result.is_error, runs, "{row}: {}", result.content);
        assert_eq!(setup.tools.calls().len(), usize::from(runs), "{row}");
        assert_eq!(script.times(), asked, "{row}");
        if !runs {
            assert_eq!(result.delivery, Delivery::NotSent, "{row}");
        }
    }
}

#[test]
fn a_resolver_raises_and_never_lowers() {
    // AP-3
    let says = |risk| move |_: &str, _: &JsonObject| risk;
    let panics = |_: &str, _: &JsonObject| -> Risk { panic!("resolver") };
    let risks = Risks::new()
        .declare("*", Risk::Mutating)
        .and_then(|it| it.declare("pay_*", Risk::Sensitive))
        .and_then(|it| it.declare("fs_*", Risk::Mutating))
        .and_then(|it| it.declare("fs_read*", Risk::ReadOnly))
        .and_then(|it| it.declare("twice", Risk::Sensitive))
        .and_then(|it| it.declare("twice", Risk::ReadOnly))
        .and_then(|it| it.resolve("pay_list", says(Risk::ReadOnly)))
        .and_then(|it| it.resolve("fs_read_up", says(Risk::Sensitive)))
        .and_then(|it| it.resolve("fs_read_*", says(Risk::ReadOnly)))
        .and_then(|it| it.resolve("fs_read_broken", panics))
        .unwrap();
    let empty = JsonObject::new();
    // The tool, its class with readable arguments, with others, and whether it may need approval.
    let rows = [
        ("unheard_of", Risk::Mutating, Risk::Mutating, true),
        ("pay_list", Risk::Sensitive, Risk::Sensitive, true),
        ("fs_write", Risk::Mutating, Risk::Mutating, true),
        ("fs_read", Risk::ReadOnly, Risk::ReadOnly, false),
        ("fs_read_x", Risk::ReadOnly, Risk::Sensitive, true),
        ("fs_read_up", Risk::Sensitive, Risk::Sensitive, true),
        ("fs_read_broken", Risk::Sensitive, Risk::Sensitive, true),
        ("twice", Risk::Sensitive, Risk::Sensitive, true),
    ];
    for (tool, readable, unreadable, may) in rows {
        assert_eq!(risks.of(tool, Some(&empty)), readable, "{tool}");
        assert_eq!(risks.of(tool, None), unreadable, "{tool}");
        assert_eq!(risks.may_need_approval(tool), may, "{tool}");
    }
    assert_eq!(Risks::new().declared("x"), Risk::Mutating);
    assert!(Risk::ReadOnly < Risk::Mutating && Risk::Mutating < Risk::Sensitive);
    assert!(Risks::new().declare("fs.*", Risk::ReadOnly).is_err());
}

#[tokio::test]
async fn a_rule_that_asks_is_not_silenced_by_a_class() {
    // AP-25
    let rules = json!([{ "tool": "fs_*", "decision": "ask" }]);
    let setup = Setup::new();
    let script = Script::says(Decision::deny("Not today"));
    let approval =
        Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script.clone()));
    let stack = setup.stack(rules, approval).await;
    let result = run(&stack, call("fs_read", json!({ "path": "a" }))).await;
    assert!(result.is_error && result.content.contains("Not today"), "{}", result.content);
    assert_eq!(script.asked()[0].asked_by, AskedBy::Rule);
}

#[tokio::test]
async fn a_handler_that_gives_no_decision_allows_nothing() {
    // AP-24
    let fails = Script::new(|_| Err("the screen is locked\nand the rest".into()));
    let panics = Script::new(|_| panic!("the handler fell over"));
    let rows = [("an error", fails, "the screen is locked"), ("a panic", panics, "fell over")];
    for (row, script, said) in rows {
        let setup = Setup::new();
        let policy = ApprovalPolicy::ask(script.clone());
        let approval = Approval::with_policy(setup.context.clone(), policy);
        let stack = setup.stack(json!([]), approval).await;
        let result = run(&stack, write("a")).await;
        assert!(result.is_error && result.content.contains(said), "{row}: {}", result.content);
        assert!(!result.content.contains("and the rest"), "{row}: {}", result.content);
        assert!(setup.tools.calls().is_empty(), "{row}");
        assert_eq!(script.times(), 1, "{row}");
    }
}

#[tokio::test]
async fn what_a_handler_does_to_its_copy_changes_nothing() {
    // AP-8
    let setup = Setup::new();
    let script = Script::new(|request| {
        let mut copy = request.clone();
        copy.arguments.insert("path".to_owned(), json!("/etc/passwd"));
        copy.question.call = ToolCall::new("x", "sh_run", json!({}));
        drop(copy);
        Ok(Decision::Allow)
    });
    let approval = Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script));
    let stack = setup.stack(json!([]), approval).await;
    assert!(!run(&stack, write("a")).await.is_error);
    assert_eq!(setup.tools.calls(), [write("a")]);
}

#[tokio::test]
async fn everybody_above_is_asked_and_one_no_is_enough() {
    // AP-9
    for (row, decisions, runs, asked) in [
        ("all allow", [Decision::Allow, Decision::Allow, Decision::Allow], true, [1, 1, 1]),
        ("own denies", [Decision::deny("no"), Decision::Allow, Decision::Allow], false, [1, 0, 0]),
        (
            "parent denies",
            [Decision::Allow, Decision::deny("no"), Decision::Allow],
            false,
            [1, 1, 0],
        ),
        (
            "eldest denies",
            [Decision::Allow, Decision::Allow, Decision::deny("no")],
            false,
            [1, 1, 1],
        ),
    ] {
        let setup = Setup::new();
        let scripts = decisions.map(Script::says);
        let [own, parent, eldest] = scripts.clone().map(ApprovalPolicy::ask);
        let approval =
            Approval::with_policy(setup.context.clone(), eldest).child(parent).child(own);
        let stack = setup.stack(json!([]), approval).await;
        assert_eq!(!run(&stack, write("a")).await.is_error, runs, "{row}");
        assert_eq!(scripts.map(|it| it.times()), asked, "{row}");
    }
}

#[tokio::test]
async fn the_rules_of_a_parent_hold_under_those_of_its_child() {
    // AP-9: policies stack, and the inner one has the last word.
    let setup = Setup::new();
    let allow = || Approval::with_policy(setup.context.clone(), ApprovalPolicy::Allow);
    let parent = setup.stack(json!([{ "tool": "fs_write", "decision": "deny" }]), allow()).await;
    let rules =
        mcp_approval::policy::rules_from_json(&json!([{ "tool": "*", "decision": "allow" }]));
    let child = mcp_approval::policy::Policy::builder(parent)
        .rules(rules.unwrap())
        .asker(allow())
        .build()
        .unwrap();
    let result = run(&child, write("a")).await;
    assert!(result.content.contains("matched the rule 'deny fs_write'"), "{}", result.content);
    assert!(!run(&child, call("sh_run", json!({ "command": "ls" }))).await.is_error);
}

/// A person who says "always", and is told what it came to.
#[derive(Clone, Default)]
struct Always(Arc<std::sync::Mutex<(usize, Vec<String>)>>);

#[async_trait]
impl Asker for Always {
    async fn ask(&self, _question: Question) -> Result<Answer, BoxError> {
        self.0.lock().unwrap().0 += 1;
        Ok(Answer::AlwaysAllow { rules: None })
    }

    async fn elicit(&self, request: Value) -> Option<JsonObject> {
        Some(object(json!({ "action": "accept", "content": request })))
    }

    fn granted(&self, grants: &[mcp_approval::policy::Rule]) {
        self.0.lock().unwrap().1.extend(grants.iter().map(ToString::to_string));
    }
}

#[tokio::test]
async fn an_always_is_kept_only_where_nobody_else_must_be_asked() {
    // AP-26
    for (row, is_child, asked, granted) in
        [("alone", false, 1, "allow fs_write under ."), ("under a parent", true, 2, "")]
    {
        let setup = Setup::new();
        let human = Always::default();
        let parent = Script::says(Decision::Allow);
        let own = ApprovalPolicy::ask(Human(human.clone()));
        let approval = if is_child {
            let above = ApprovalPolicy::ask(parent.clone());
            Approval::with_policy(setup.context.clone(), above).child(own)
        } else {
            Approval::with_policy(setup.context.clone(), own)
        };
        let stack = setup.stack(json!([]), approval).await;
        assert!(!run(&stack, write("a")).await.is_error, "{row}");
        assert!(!run(&stack, write("b")).await.is_error, "{row}");
        let (times, told) = human.0.lock().unwrap().clone();
        assert_eq!((times, told.join(" ")), (asked, granted.to_owned()), "{row}");
        assert_eq!(parent.times(), if is_child { 2 } else { 0 }, "{row}");
    }
}

#[tokio::test]
async fn a_servers_question_reaches_the_first_who_answers_such() {
    let context = Context::new(Risks::new());
    let parent = ApprovalPolicy::ask(Human(Always::default()));
    let own = ApprovalPolicy::ask(Script::says(Decision::Allow));
    let approval = Approval::with_policy(context.clone(), parent).child(own);
    let result = approval.elicit(json!({ "message": "?" })).await.unwrap();
    assert_eq!(result["action"], json!("accept"));
    let deaf = Approval::with_policy(context, ApprovalPolicy::Allow);
    assert_eq!(deaf.elicit(json!({})).await, None);
}

#[test]
fn an_approval_policy_as_a_word_is_allow_or_deny() {
    assert!(matches!("allow".parse(), Ok(ApprovalPolicy::Allow)));
    assert!(matches!("deny".parse(), Ok(ApprovalPolicy::Deny)));
    for word in ["edit", "ask", "Allow", "true", "", " allow"] {
        let error = word.parse::<ApprovalPolicy>().unwrap_err();
        assert!(error.to_string().contains(&format!("{word:?}")), "{error}");
    }
}

#[tokio::test]
async fn calls_of_a_batch_are_decided_apart() {
    let setup = Setup::new();
    let script = Script::new(|request| {
        Ok(match request.arguments.get("path").and_then(Value::as_str) {
            Some("good") => Decision::Allow,
            _ => Decision::deny("Only good ones"),
        })
    });
    let approval = Approval::with_policy(setup.context.clone(), ApprovalPolicy::ask(script));
    let stack = setup.stack(json!([]), approval).await;
    let calls = ["good", "bad", "good"].map(write).to_vec();
    let results = stack.execute_tool_calls(calls).await;
    let failed: Vec<bool> = results.iter().map(|it| it.is_error).collect();
    assert_eq!(failed, [false, true, false]);
    assert_eq!(setup.tools.calls(), [write("good"), write("good")]);
}

#[tokio::test]
async fn what_cannot_be_shown_exactly_is_said_to_be_so() {
    // AP-27
    // A number that is too long to be held would be shown as another one.
    let rows = [
        (r#"{"path":"a","content":"x","n":1.50,"m":-1.0e2,"big":9007199254740993}"#, true),
        (r#"{ "content" : "\u0078", "path":"a" }"#, true),
        (r#"{"path":"a","content":"x","n":123456789012345678901234567890}"#, false),
    ];
    for (arguments, is_readable) in rows {
        let setup = Setup::new();
        let script = Script::says(Decision::deny("no"));
        let policy = ApprovalPolicy::ask(script.clone());
        let stack = setup.stack(json!([]), Approval::with_policy(setup.context.clone(), policy));
        run(&stack.await, ToolCall::new("1", "fs_write", arguments)).await;
        let request = script.asked().remove(0);
        assert_eq!(request.is_readable, is_readable, "{arguments}");
        let class = if is_readable { Risk::Mutating } else { Risk::Sensitive };
        assert_eq!(request.risk, class, "{arguments}");
    }
}

#[test]
fn what_is_shared_can_be_shared() {
    fn assert_send_sync<T: Send + Sync>() {}
    assert_send_sync::<Approval>();
    assert_send_sync::<mcp_approval::LlmApproval>();
    assert_send_sync::<mcp_approval::OpenAiChat>();
    assert_send_sync::<Box<dyn Approver>>();
    let _ = risks();
}
