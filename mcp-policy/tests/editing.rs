//! Answers that change a call, or refuse it in the asker's own words.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use common::{Fake, Human, Record, floor, script, tables, with_rules};
use mcp_policy::{Answer, InvalidAnswer, Policy};
use mcp_provider::{Delivery, Provider, ToolCall, ToolResult};
use serde_json::{Value, json};

/// A policy that allows writing to the scratch folder, denies secrets, and asks otherwise.
fn policy(human: Human) -> (Policy<Fake>, Fake) {
    let fake = Fake::default();
    let rules = json!([
        { "tool": "write", "decision": "allow", "under": "/srv/scratch" },
        { "tool": "write", "decision": "deny", "under": "/srv/secrets" },
        { "tool": "sh_run", "decision": "allow", "command": "ls" },
    ]);
    let builder = with_rules(fake.clone(), &rules).floor(floor()).asker(human);
    (builder.tables(tables(&json!({ "": "/srv" }), &json!({}))).build().unwrap(), fake)
}

fn write(path: &str) -> ToolCall {
    let arguments = json!({ "path": path, "text": "x" }).to_string();
    let mut call = ToolCall::new("1", "write", arguments);
    call.extensions.insert("agent");
    call
}

fn edit(arguments: &Value) -> Value {
    json!({ "action": "edit", "arguments": arguments })
}

/// A human who gives these answers, one after another.
fn answers(list: Vec<Value>) -> (Human, Record) {
    let list = std::sync::Mutex::new(list.into_iter());
    Human::new(move |_| Ok(Answer::from_json(&list.lock().unwrap().next().unwrap())?))
}

async fn one(policy: &Policy<Fake>, call: ToolCall) -> ToolResult {
    policy.execute_tool_calls(vec![call]).await.remove(0)
}

#[tokio::test]
async fn an_edited_call_that_the_rules_allow_runs_and_the_model_is_told() {
    // P-ANS-8
    let new = json!({ "path": "scratch/a", "text": "y" });
    let (human, record) = answers(vec![edit(&new)]);
    let (policy, fake) = policy(human);
    let result = one(&policy, write("live/a")).await;
    let told = "The arguments of this call were changed before it ran. It ran with: \
                {\"path\":\"scratch/a\",\"text\":\"y\"}\n\nwrite";
    assert_eq!((&*result.content, result.is_error), (told, false));
    assert_eq!((record.times(), policy.grants().len()), (1, 0));
    let batches = fake.batches.lock().unwrap();
    let ran = &batches[0][0];
    assert_eq!(Value::Object(ran.arguments.as_object().unwrap().clone()), new);
    assert_eq!(ran.arguments.as_text(), Some(&*new.to_string()), "as text, as they came");
    assert_eq!((ran.id.as_str(), &*ran.name), (Some("1"), "write"));
    assert_eq!(ran.extensions.get::<&str>(), Some(&"agent"));
}

#[tokio::test]
async fn an_edit_never_reaches_what_is_denied() {
    // P-ANS-9
    let denied = [
        ("write", json!({ "path": "secrets/key" }), "under /srv/secrets"),
        ("sh_run", script("rm -rf ~"), "floor-destroys"),
        ("sh_run", script("ls && rm -rf /"), "floor-destroys"),
    ];
    for (tool, new, rule) in denied {
        let (human, record) = answers(vec![edit(&new)]);
        let (policy, fake) = policy(human);
        let result =
            one(&policy, ToolCall::new("1", tool, json!({ "path": "live/a", "command": "id" })))
                .await;
        assert!(result.is_error && result.content.contains(rule), "{}", result.content);
        let told = format!("The arguments of this call were changed to {new}. Permission denied");
        assert!(result.content.starts_with(&told), "{}", result.content);
        assert_eq!(result.delivery, Delivery::NotSent);
        assert_eq!((record.times(), fake.seen().len()), (1, 0));
    }
}

#[tokio::test]
async fn an_edited_call_is_asked_about_once_more_and_an_edit_of_that_has_to_be_allowed() {
    // P-ANS-10
    let (live, scratch) = (json!({ "path": "live/b" }), json!({ "path": "scratch/b" }));
    let allow = json!({ "action": "allow-once" });
    let always = json!({ "action": "always-allow" });
    let deny = json!({ "action": "deny-once" });
    let cases = [
        (vec![edit(&live), allow], true, "It ran with: {\"path\":\"live/b\"}"),
        (vec![edit(&live), always], true, "It ran with: {\"path\":\"live/b\"}"),
        (vec![edit(&live), deny.clone()], false, "the user refused this call"),
        (vec![edit(&live), deny], false, "changed to {\"path\":\"live/b\"}"),
        (vec![edit(&live), edit(&scratch)], true, "It ran with: {\"path\":\"scratch/b\"}"),
        (vec![edit(&live), edit(&live)], false, "were changed twice"),
        (vec![edit(&live), json!({ "action": "what" })], false, "no usable answer"),
    ];
    for (list, runs, told) in cases {
        let (human, record) = answers(list.clone());
        let (policy, fake) = policy(human);
        let result = one(&policy, write("live/a")).await;
        assert_eq!((result.is_error, fake.seen().len()), (!runs, usize::from(runs)), "{list:?}");
        assert!(result.content.contains(told), "{list:?} {}", result.content);
        assert_eq!(record.times(), 2);
        let (first, second) = (record.question(0), record.question(1));
        assert_eq!(first.original, None);
        assert_eq!(second.original.unwrap().arguments, write("live/a").arguments);
        assert_eq!(second.paths, ["/srv/live/b"]);
        assert_eq!(second.display, "{\"path\":\"live/b\"}");
        // What is remembered is about the call that runs.
        let grants: Vec<String> = policy.grants().iter().map(ToString::to_string).collect();
        let is_always = list[1]["action"] == "always-allow";
        assert_eq!(grants, if is_always { vec!["allow write under /srv/live"] } else { vec![] });
    }
}

#[tokio::test]
async fn a_batch_keeps_its_order_and_only_the_edited_call_is_marked() {
    let (human, _) = answers(vec![edit(&json!({ "path": "scratch/b" }))]);
    let (policy, fake) = policy(human);
    let calls = vec![write("scratch/a"), write("live/b"), write("scratch/c")];
    let results = policy.execute_tool_calls(calls).await;
    let marked: Vec<bool> = results.iter().map(|it| it.content.contains("were changed")).collect();
    assert_eq!(marked, [false, true, false]);
    let batches = fake.batches.lock().unwrap();
    let paths: Vec<&Value> =
        batches[0].iter().map(|it| &it.arguments.as_object().unwrap()["path"]).collect();
    assert_eq!(paths, ["scratch/a", "scratch/b", "scratch/c"]);
}

#[tokio::test]
async fn long_arguments_are_cut_between_letters() {
    let text = "ä".repeat(4096);
    let (human, _) = answers(vec![edit(&json!({ "path": "scratch/a", "text": text }))]);
    let result = one(&policy(human).0, write("live/a")).await;
    assert!(result.content.len() < 4400, "{}", result.content.len());
    assert!(result.content.contains("ä… (41"), "{}", result.content);
}

#[tokio::test]
async fn a_refusal_is_in_the_askers_own_words() {
    // P-ANS-11
    let (human, _) =
        Human::saying(json!({ "action": "refuse", "message": "Use the scratch folder." }));
    let (policy, fake) = policy(human);
    let result = one(&policy, write("live/a")).await;
    assert_eq!(result.content, "Permission denied: write was not run. Use the scratch folder.");
    assert_eq!((result.is_error, fake.seen().len(), policy.grants().len()), (true, 0, 0));
}

#[test]
fn an_answer_that_says_two_things_is_none() {
    // P-ANS-2
    let action = "deny-once".to_owned();
    let cases = [
        (json!({ "action": "edit" }), InvalidAnswer::Arguments),
        (json!({ "action": "edit", "arguments": "{}" }), InvalidAnswer::Arguments),
        (json!({ "action": "refuse" }), InvalidAnswer::Message),
        (json!({ "action": "refuse", "message": 1 }), InvalidAnswer::Message),
        (
            json!({ "action": "allow-once", "arguments": {} }),
            InvalidAnswer::UnexpectedArguments { action: "allow-once".to_owned() },
        ),
        (
            json!({ "action": "deny-once", "rule": { "tool": "a" } }),
            InvalidAnswer::UnexpectedRules { action },
        ),
    ];
    for (answer, error) in cases {
        assert_eq!(Answer::from_json(&answer), Err(error), "{answer}");
    }
}
