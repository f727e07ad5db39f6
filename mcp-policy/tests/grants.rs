//! What is suggested, remembered and shared.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Fake, Human, Record, floor, script, tables, with_rules};
use mcp_policy::{Answer, Decision, Grants, Policy, Rule, rules_from_json};
use mcp_provider::{Provider, ToolCall, ToolResult};
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

fn always() -> (Human, Record) {
    Human::saying(json!({ "action": "always-allow" }))
}

#[tokio::test]
async fn one_always_settles_the_rest_of_the_batch() {
    // S69, P-EXEC-4, P-EXEC-6, P-GRANT-2
    let (human, record) = always();
    let (policy, fake) = asking(&json!([]), human);
    let calls = ["a", "b", "c"].map(|it| write(&format!("scratch/{it}")));
    let results = policy.execute_tool_calls(calls.into()).await;
    assert!(results.iter().all(|it| !it.is_error));
    assert_eq!((record.times(), fake.seen().len()), (1, 1));
    one(&policy, write("scratch/d")).await;
    assert_eq!(record.times(), 1);
    one(&policy, write("live/d")).await;
    assert_eq!(record.times(), 2);
    let told = record.granted.lock().unwrap().clone();
    assert_eq!(told[0], ["allow write under /srv/scratch"]);

    // Kept and handed back, the grants say the same in a later session.
    let kept = json!(policy.grants());
    let (human, record) = always();
    let roots = json!({ "": "/srv" });
    let policy = with_rules(Fake::default(), &json!([]))
        .tables(tables(&roots, &json!({})))
        .grants(rules_from_json(&kept).unwrap())
        .asker(human)
        .build()
        .unwrap();
    one(&policy, write("scratch/e")).await;
    assert_eq!((record.times(), json!(policy.grants())), (0, kept));
}

#[tokio::test]
async fn what_is_suggested_for_a_command_is_that_command() {
    // S70, S71, P-SUG-6, W-151, W-152, W-160
    let cases: [(Value, &[&str]); 21] = [
        (script("git status"), &["allow sh_run command git args [\"status\"]"]),
        (script("git log --oneline -5"), &["allow sh_run command git args [\"log\"]"]),
        (script("git -C x log"), &["allow sh_run command git args [\"-C\", \"x\", \"log\"]"]),
        (
            script("cd src && npm test"),
            &["allow sh_run command cd", "allow sh_run command npm args [\"test\"]"],
        ),
        (script("gh pr list -L 3"), &["allow sh_run command gh args [\"pr\", \"list\"]"]),
        (script("ls -la; ls"), &["allow sh_run command ls"]),
        (
            script("frobnicate --all x"),
            &["allow sh_run command frobnicate args [\"--all\", \"x\"]"],
        ),
        (script("frobnicate"), &[]),
        (script("git"), &[]),
        (script("python3 x.py"), &[]),
        (script("env X=1 ls"), &[]),
        (script("sudo ls"), &[]),
        (script("find . -exec ls {} +"), &[]),
        (script("git log > out"), &[]),
        (script("git log $X"), &[]),
        (script("$X"), &[]),
        (script("bash x.sh"), &[]),
        (script("./run"), &[]),
        (json!({ "path": "../../x" }), &[]),
        (json!({ "from": "/srv/a/x", "to": "../../etc/y" }), &[]),
        (json!({ "url": "not a url" }), &[]),
    ];
    for (args, expected) in cases {
        let policy = with_rules((), &json!([])).build().unwrap();
        let made = call("sh_run", args.clone());
        assert_eq!(lines(&policy.explain(&made).suggestion), expected, "{args}");
    }
    // S70, S71
    for (first, second, asks) in [
        ("git status", "git push", 2),
        ("cd src && npm test", "npm test", 1),
        ("git status", "git status -s", 1),
        ("git status", "git status > x", 2),
    ] {
        let (human, record) = always();
        let (policy, _) = asking(&json!([]), human);
        one(&policy, call("sh_run", script(first))).await;
        one(&policy, call("sh_run", script(second))).await;
        assert_eq!(record.times(), asks, "{first}, {second}");
    }
}

#[test]
fn what_is_suggested_for_places_and_sites_covers_the_call_and_no_more() {
    // P-SUG-1 to P-SUG-5
    let roots = json!({ "fs": "/srv/docs" });
    let cases = [
        (
            "fs_read",
            json!({ "path": "notes/today.md" }),
            vec!["allow fs_read under /srv/docs/notes"],
        ),
        ("fs_read", json!({ "path": "today.md" }), vec!["allow fs_read under /srv/docs"]),
        ("fs_read", json!({ "path": "/srv/docs" }), vec!["allow fs_read under /srv/docs"]),
        ("fs_move", json!({ "from": "a/x", "to": "b/y" }), vec!["allow fs_move under /srv/docs"]),
        (
            "fs_move",
            json!({ "from": "/srv/a/x", "to": "/srv/b/y" }),
            vec!["allow fs_move under /srv"],
        ),
        (
            "web_get",
            json!({ "url": "https://Docs.Raku.org/x" }),
            vec!["allow web_get on docs.raku.org"],
        ),
        ("web_get", json!({ "url": "http://[::1]:8080/x" }), vec!["allow web_get on ::1"]),
        ("web_get", json!({ "url": "https://a.b/", "next": "https://c.d/" }), vec![]),
        (
            "web_save",
            json!({ "url": "https://a.b/", "path": "/srv/a/b" }),
            vec!["allow web_save under /srv/a"],
        ),
        ("ping", json!({}), vec!["allow ping"]),
        ("ping", json!("{not json"), vec![]),
        ("fs_copy", json!({ "path": "a/b", "destination": "/etc/x" }), vec![]),
    ];
    for (tool, args, expected) in cases {
        let found = common::explain(&json!([]), &roots, tool, &args);
        assert_eq!(lines(&found.suggestion), expected, "{tool} {args}");
    }
}

#[tokio::test]
async fn a_rule_that_asks_keeps_asking() {
    // W-153, W-154
    let (human, record) = always();
    let (policy, _) = asking(&json!([{ "tool": "write", "decision": "ask" }]), human);
    for _ in 0..2 {
        assert!(!one(&policy, write("a")).await.is_error);
    }
    assert_eq!((record.times(), policy.grants()), (2, vec![]));
    assert!(!record.question(0).is_remembered);

    // Nor does a grant reach the floor.
    let (human, record) = Human::saying(json!({ "action": "deny-once" }));
    let grants = rules_from_json(&json!([{ "tool": "*", "decision": "allow" }])).unwrap();
    let policy = Policy::builder(Fake::default()).grants(grants).floor(floor()).asker(human);
    let policy = policy.build().unwrap();
    assert!(one(&policy, call("sh_run", script("sudo ls"))).await.is_error);
    assert!(!one(&policy, call("sh_run", script("ls"))).await.is_error);
    assert_eq!(record.times(), 1);
    assert!(record.question(0).rule.unwrap().is_danger());
}

#[tokio::test]
async fn a_deny_is_never_overruled_and_a_deny_grant_overrules() {
    // P-EXEC-5, S72, W-167, P-GRANT-4, P-GRANT-6
    let cases = [
        (
            json!([{ "tool": "write", "decision": "deny" }]),
            json!([{ "tool": "*", "decision": "allow" }]),
            Decision::Deny,
        ),
        (
            json!([]),
            json!([{ "tool": "write", "decision": "allow" }, { "tool": "w*", "decision": "deny" }]),
            Decision::Deny,
        ),
        (
            json!([{ "tool": "write", "decision": "allow" }]),
            json!([{ "tool": "w*", "decision": "deny" }]),
            Decision::Deny,
        ),
        (
            json!([]),
            json!([{ "tool": "write", "decision": "allow" }, { "tool": "write", "decision": "ask" }]),
            Decision::Ask,
        ),
        (
            json!([{ "tool": "write", "decision": "allow" }]),
            json!([{ "tool": "write", "decision": "ask" }]),
            Decision::Allow,
        ),
        (
            json!([{ "tool": "write", "decision": "ask" }]),
            json!([{ "tool": "write", "decision": "allow" }]),
            Decision::Ask,
        ),
        (json!([]), json!([{ "tool": "write", "decision": "allow" }]), Decision::Allow),
    ];
    for (rules, grants, expected) in cases {
        let policy = with_rules((), &rules).grants_book(Grants::from_json(&grants).unwrap());
        let verdict = policy.build().unwrap().decide(&write("a"));
        assert_eq!(verdict.decision, expected, "{rules} {grants}");
    }
}

#[test]
fn the_grants_alone_can_be_asked() {
    // P-GD-1
    let book = Grants::from_json(&json!([
        { "tool": "write", "decision": "allow", "under": "/srv/scratch" },
        { "tool": "delete", "decision": "deny" },
        { "tool": "edit", "decision": "allow" },
    ]));
    let rules = json!([{ "tool": "read", "decision": "allow" }]);
    let policy = with_rules((), &rules).grants_book(book.unwrap()).build().unwrap();
    let decide =
        |tool: &str, args: Value| policy.grant_decision(&call(tool, args)).map(|it| it.decision);
    assert_eq!(decide("write", json!({ "path": "/srv/scratch/a" })), Some(Decision::Allow));
    assert_eq!(decide("delete", json!({})), Some(Decision::Deny));
    assert_eq!(decide("move", json!({})), None);
    assert_eq!(decide("write", json!({ "path": "/srv/live/a" })), None);
    assert_eq!(decide("read", json!({})), None, "a rule is no grant");
    assert_eq!(decide("edit", json!("{not json")), Some(Decision::Allow));
    assert_eq!(decide("write", json!("{not json")), None);
}

#[tokio::test]
async fn an_always_about_other_calls_settles_this_one_and_only_this_one() {
    // P-ANS-4, P-ANS-5, W-159
    let elsewhere = [
        (json!({ "tool": "move" }), "move"),
        (json!({ "tool": "m*" }), "m*"),
        (json!({ "tool": "write", "under": "/srv/live" }), "write under /srv/live"),
    ];
    for (rule, text) in elsewhere {
        for by in ["allow", "deny"] {
            let answer = json!({ "action": format!("always-{by}"), "rule": rule });
            let (human, record) =
                Human::new(move |question| match &*question.call.id.to_string() {
                    "this" => Ok(Answer::from_json(&answer)?),
                    _ => Ok(Answer::AllowOnce),
                });
            let (policy, fake) = asking(&json!([]), human);
            let place = json!({ "path": "scratch/a" });
            let calls = ["this", "next"].map(|id| ToolCall::new(id, "write", place.clone()));
            let results = policy.execute_tool_calls(calls.into()).await;
            let (is_allowed, grant) = (by == "allow", format!("{by} {text}"));
            assert_eq!(results[0].is_error, !is_allowed, "{grant}: {}", results[0].content);
            let told = if is_allowed { "write".to_owned() } else { format!("'{grant}'") };
            assert!(results[0].content.contains(&told), "{}", results[0].content);
            assert!(!results[1].is_error, "{grant}");
            assert_eq!(fake.seen().concat().len(), 1 + usize::from(is_allowed), "{grant}");
            // The next such call was asked about: nothing but the given rule is remembered.
            assert_eq!((record.times(), lines(&policy.grants())), (2, vec![grant.clone()]));
            assert_eq!(*record.granted.lock().unwrap(), [[grant.clone()]]);
            // And what the rule is about is not.
            let name = if text.starts_with('m') { "move" } else { "write" };
            let covered = one(&policy, call(name, json!({ "path": "live/a" }))).await;
            assert_eq!((covered.is_error, record.times()), (!is_allowed, 2), "{grant}");
        }
    }
}

#[tokio::test]
async fn a_listener_hears_the_whole_list_with_what_was_there_before() {
    // P-ANS-6, P-GRANT-1
    let rules = |rules: Value| rules_from_json(&rules).unwrap();
    let own = || rules(json!([{ "tool": "edit", "decision": "allow" }]));
    let book = || Grants::new(rules(json!([{ "tool": "stat", "decision": "deny" }])));
    let cases = [
        (vec![], None, vec![]),
        (own(), None, vec!["allow edit"]),
        (vec![], Some(book()), vec!["deny stat"]),
        (own(), Some(book()), vec!["allow edit", "deny stat"]),
    ];
    for (own, book, before) in cases {
        let (human, record) = always();
        let roots = tables(&json!({ "": "/srv" }), &json!({}));
        let mut builder = Policy::builder(Fake::default()).grants(own).tables(roots).asker(human);
        if let Some(book) = &book {
            builder = builder.grants_book(book.clone());
        }
        let policy = builder.build().unwrap();
        let mut expected = vec![[&*before, &["allow write under /srv/a"]].concat()];
        one(&policy, write("a/x")).await;
        assert_eq!(*record.granted.lock().unwrap(), expected);
        // Between the answers another policy may have written into the book.
        let mut now = expected[0].clone();
        if let Some(book) = &book {
            book.add(&rules(json!([{ "tool": "list", "decision": "allow" }])));
            now.push("allow list");
        }
        now.push("allow write under /srv/b");
        expected.push(now.clone());
        one(&policy, write("b/x")).await;
        // What a grant allows is no change.
        one(&policy, write("a/y")).await;
        assert_eq!(*record.granted.lock().unwrap(), expected);
        assert_eq!(lines(&policy.grants()), now);
    }
}

#[test]
fn of_grants_that_say_as_much_one_of_the_policys_own_is_named() {
    // P-EVAL-6, P-GRANT-1
    for by in ["allow", "ask", "deny"] {
        let grants = |note: &str| json!([{ "tool": "write", "decision": by, "note": note }]);
        let book = Grants::from_json(&grants("book")).unwrap();
        let own = rules_from_json(&grants("own")).unwrap();
        let policy = Policy::builder(()).grants_book(book).grants(own).build().unwrap();
        let rule = policy.decide(&write("a")).rule.unwrap();
        assert_eq!(rule.remark(), Some("own"), "{by}");
    }
}

#[tokio::test]
async fn policies_share_a_book() {
    // P-GRANT-1 to P-GRANT-3
    let book = Grants::default();
    let (first, one_record) = always();
    let (second, two_record) = always();
    let policy = |human| {
        let own = rules_from_json(&json!([{ "tool": "edit", "decision": "allow" }])).unwrap();
        let builder = Policy::builder(Fake::default()).grants(own).grants_book(book.clone());
        builder.tables(tables(&json!({ "": "/srv" }), &json!({}))).asker(human).build().unwrap()
    };
    let (one_policy, two_policy) = (policy(first), policy(second));
    one(&one_policy, write("scratch/a")).await;
    assert!(!one(&two_policy, write("scratch/b")).await.is_error);
    assert_eq!((one_record.times(), two_record.times()), (1, 0));
    let expected = ["allow edit", "allow write under /srv/scratch"];
    assert_eq!(lines(&two_policy.grants()), expected);
    assert_eq!(lines(&book.list()), expected[1..], "what is always allowed goes into the book");
    book.retain(|_| false);
    one(&two_policy, write("scratch/b")).await;
    assert_eq!(two_record.times(), 1);
}

#[test]
fn a_book_is_read_whole_or_not_at_all_and_keeps_its_own_copy() {
    // G-1 to G-3, P-GRANT-5
    let two = json!([{ "tool": "sh_run", "decision": "deny", "command": "git", "args": ["push"] },
        { "tool": "fs_write", "decision": "allow", "under": "/srv" }]);
    let book = Grants::from_json(&two).unwrap();
    assert_eq!((json!(book), book.len(), Grants::default().len()), (two.clone(), 2, 0));
    for wrong in [json!("fs_write"), json!([{ "tool": "a" }]), json!([two[0], { "tool": "a b" }])] {
        assert!(Grants::from_json(&wrong).is_err(), "{wrong}");
    }
    let mut handed_out = book.list();
    handed_out.clear();
    assert_eq!(book.len(), 2, "what is handed out is a copy");
    let again = book.list();
    let all = book.add(&again);
    assert_eq!((all.len(), book.len()), (4, 4), "what is there twice stays there twice");
    assert_eq!(book.add(&[]).len(), 4);
}
