//! A model as the one who answers: what it is asked, and what follows from what it says.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::time::Duration;

use common::{Script, Setup, Talk, Word, call, run, verdict, write};
use mcp_approval::{Decision, LlmApproval, LlmApprovalBuilder, PROMPT_VERSION, Risk, Verdict};
use mcp_provider::ToolCall;
use mcp_provider::time::TokioTimer;
use serde_json::{Value, json};

fn llm(model: &Talk) -> LlmApprovalBuilder {
    LlmApproval::builder(model.clone(), TokioTimer::new())
}

fn says(harm: &str, authorized: &str) -> Talk {
    Talk::says(verdict(harm, authorized))
}

/// Who decided about a call.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Did {
    Run,
    Denied,
    Human,
}

#[tokio::test]
async fn what_follows_from_a_verdict_is_decided_here() {
    // AP-31
    use Did::{Denied, Human, Run};
    let rows = [
        ("low", "yes", Run),
        ("low", "unclear", Run),
        ("low", "no", Denied),
        ("medium", "yes", Run),
        ("medium", "unclear", Human),
        ("medium", "no", Denied),
        ("high", "yes", Human),
        ("high", "unclear", Human),
        ("high", "no", Denied),
        ("critical", "yes", Denied),
        ("critical", "unclear", Denied),
        ("critical", "no", Denied),
    ];
    for (harm, authorized, expected) in rows {
        let setup = Setup::new();
        let human = Script::says(Decision::deny("the human said no"));
        let asker = llm(&says(harm, authorized)).human(human.clone());
        let stack = setup.stack(json!([]), asker.build(setup.context.clone()).unwrap()).await;
        let result = run(&stack, write("a")).await;
        let did = match (result.is_error, human.times()) {
            (false, 0) => Run,
            (true, 0) => Denied,
            _ => Human,
        };
        assert_eq!(did, expected, "{harm} {authorized}: {}", result.content);
        assert_eq!(setup.tools.calls().len(), usize::from(did == Run), "{harm} {authorized}");
    }
}

#[tokio::test]
async fn an_allow_of_the_model_counts_only_where_it_may() {
    // AP-22, with a model that allows everything.
    use Did::{Denied, Human, Run};
    let sensitive = || write("/x/.env");
    let floor = || call("sh_run", json!({ "command": "bash", "args": ["-c", "git push --force"] }));
    let destroys = || call("sh_run", json!({ "command": "rm", "args": ["-rf", "/"] }));
    let odd = || ToolCall::new("1", "fs_write", "[1, 2]");
    let ask = json!([{ "tool": "fs_write", "decision": "ask" }]);
    let deny = json!([{ "tool": "fs_write", "decision": "deny" }]);
    let doubt = json!([{ "tool": "fs_write", "decision": "allow", "under": "/srv" }]);
    let unreadable = || write("~someone/x");
    // What the row is for, the rules, the call, the highest class that it may allow, who decides,
    // how often the model is asked.
    type Row = (&'static str, Value, ToolCall, Risk, Did, usize);
    let rows: Vec<Row> = vec![
        ("no rule speaks", json!([]), write("/a"), Risk::Mutating, Run, 1),
        ("a deny rule", deny.clone(), write("/a"), Risk::Sensitive, Denied, 0),
        ("a deny rule, and a secret", deny, sensitive(), Risk::Sensitive, Denied, 0),
        ("a rule that asks", ask, write("/a"), Risk::Sensitive, Human, 1),
        ("the floor denies", json!([]), destroys(), Risk::Sensitive, Denied, 0),
        ("the floor asks", json!([]), floor(), Risk::Sensitive, Human, 1),
        ("a path that cannot be read", doubt, unreadable(), Risk::Sensitive, Human, 1),
        ("a higher class", json!([]), sensitive(), Risk::Mutating, Human, 1),
        ("a class that it may allow", json!([]), sensitive(), Risk::Sensitive, Run, 1),
        ("arguments that cannot be read", json!([]), odd(), Risk::Sensitive, Human, 0),
    ];
    for (row, rules, call, most, expected, asked) in rows {
        for with_human in [true, false] {
            let setup = Setup::new();
            let model = says("low", "yes");
            let human = Script::says(Decision::deny("the human said no"));
            let builder = llm(&model).allows_up_to(most);
            let builder = if with_human { builder.human(human.clone()) } else { builder };
            let asker = builder.build(setup.context.clone()).unwrap();
            let stack = setup.stack(rules.clone(), asker).await;
            let result = run(&stack, call.clone()).await;
            assert_eq!(!result.is_error, expected == Run, "{row}: {}", result.content);
            let asks_human = usize::from(with_human && expected == Human);
            assert_eq!(human.times(), asks_human, "{row}: {}", result.content);
            // Nobody is asked for an answer that could change nothing.
            let asked = if expected == Human && !with_human { 0 } else { asked };
            assert_eq!(model.times(), asked, "{row}: {}", result.content);
        }
    }
}

#[tokio::test(start_paused = true)]
async fn whatever_goes_wrong_with_the_model_is_left_to_the_human() {
    // AP-21
    let good = verdict("low", "yes");
    let fenced = format!("```json\n{good}\n```");
    let text = |text: &str| Word::Says(text.to_owned());
    let rows: Vec<(&str, Word, bool)> = vec![
        ("a verdict", text(&good), true),
        ("a verdict in one fence", text(&fenced), true),
        ("a verdict with blanks around it", text(&format!("\n {good} \n")), true),
        (
            "members in another order",
            text(r#"{"rationale":"","authorized":"yes","harm":"low"}"#),
            true,
        ),
        ("an error", Word::Fails, false),
        ("a panic", Word::Panics, false),
        ("no answer in time", Word::Hangs, false),
        ("nothing", text(""), false),
        ("prose", text("Allowed. This is harmless."), false),
        ("prose before", text(&format!("Sure! {good}")), false),
        ("prose after", text(&format!("{good} I hope this helps")), false),
        ("prose around a fence", text(&format!("Here:\n{fenced}")), false),
        ("two objects", text(&format!("{good}\n{good}")), false),
        ("two fences", text(&format!("{fenced}\n{fenced}")), false),
        ("a list of it", text(&format!("[{good}]")), false),
        ("cut off", text(&good[..good.len() - 1]), false),
        ("cut off in a word", text(r#"{"harm":"lo"#), false),
        (
            "a member twice",
            text(r#"{"harm":"critical","harm":"low","authorized":"yes","rationale":""}"#),
            false,
        ),
        (
            "a member too many",
            text(r#"{"harm":"low","authorized":"yes","rationale":"","decision":"allow"}"#),
            false,
        ),
        ("a member too few", text(r#"{"harm":"low","authorized":"yes"}"#), false),
        ("a decision of its own", text(r#"{"decision":"allow"}"#), false),
        ("another word", text(r#"{"harm":"none","authorized":"yes","rationale":""}"#), false),
        ("another case", text(r#"{"harm":"LOW","authorized":"yes","rationale":""}"#), false),
        (
            "wide letters",
            text(
                "{\"harm\":\"\u{ff4c}\u{ff4f}\u{ff57}\",\"authorized\":\"yes\",\"rationale\":\"\"}",
            ),
            false,
        ),
        (
            "a letter without width",
            text("{\"harm\":\"low\u{200b}\",\"authorized\":\"yes\",\"rationale\":\"\"}"),
            false,
        ),
        ("a byte order mark", text(&format!("\u{feff}{good}")), false),
        (
            "a name that looks the same",
            text("{\"h\u{0430}rm\":\"low\",\"authorized\":\"yes\",\"rationale\":\"\"}"),
            false,
        ),
        ("a boolean", text(r#"{"harm":"low","authorized":true,"rationale":""}"#), false),
        ("null", text(r#"{"harm":null,"authorized":"yes","rationale":""}"#), false),
        (
            "a rationale that is no text",
            text(r#"{"harm":"low","authorized":"yes","rationale":{}}"#),
            false,
        ),
        ("very deep", text(&"[".repeat(100_000)), false),
    ];
    for (row, word, is_usable) in rows {
        for human_says in [Some(Decision::Allow), Some(Decision::deny("no")), None] {
            let setup = Setup::new();
            let model = Talk::new([word.clone()]);
            let human = human_says.clone().map(Script::says);
            let builder = llm(&model).timeout(Duration::from_secs(5));
            let builder = match &human {
                Some(human) => builder.human(human.clone()),
                None => builder,
            };
            let asker = builder.build(setup.context.clone()).unwrap();
            let stack = setup.stack(json!([]), asker).await;
            let result = run(&stack, write("/a")).await;
            let runs = is_usable || human_says == Some(Decision::Allow);
            assert_eq!(!result.is_error, runs, "{row}: {}", result.content);
            if let Some(human) = human {
                assert_eq!(human.times(), usize::from(!is_usable), "{row}");
                if let Some(asked) = human.asked().first() {
                    assert!(asked.advice.as_ref().is_some_and(|it| !it.is_empty()), "{row}");
                }
            } else if !is_usable {
                assert!(result.content.contains("nobody to ask"), "{row}: {}", result.content);
            }
        }
    }
}

#[tokio::test]
async fn a_call_that_is_too_large_is_not_shown_in_part() {
    // AP-32
    let setup = Setup::new();
    let model = says("low", "yes");
    let human = Script::says(Decision::deny("no"));
    let builder = llm(&model).max_record(2_000).human(human.clone());
    let stack = setup.stack(json!([]), builder.build(setup.context.clone()).unwrap()).await;
    let long = json!({ "path": "/a", "content": "x".repeat(2_000) });
    assert!(run(&stack, call("fs_write", long)).await.is_error);
    assert_eq!((model.times(), human.times()), (0, 1));
    assert!(human.asked()[0].advice.as_deref().unwrap().contains("too large"));
}

#[tokio::test]
async fn a_plain_read_is_never_judged() {
    let setup = Setup::new();
    let model = says("critical", "no");
    let stack = setup.stack(json!([]), llm(&model).build(setup.context.clone()).unwrap()).await;
    assert!(!run(&stack, call("fs_read", json!({ "path": "/a" }))).await.is_error);
    assert_eq!(model.times(), 0);
}

#[tokio::test]
async fn the_model_sees_all_of_the_call_and_what_the_user_wrote() {
    // AP-32
    let setup = Setup::new();
    let model = says("low", "yes");
    let builder = llm(&model).user_request(|_| Some("Tidy up a".to_owned()));
    let stack = setup.stack(json!([]), builder.build(setup.context.clone()).unwrap()).await;
    let arguments = json!({ "path": "/a", "content": "x", "reason": "Tidying" });
    run(&stack, call("fs_write", arguments)).await;
    let prompt = model.prompts().remove(0);
    let record: Value = serde_json::from_str(prompt.user.lines().nth(2).unwrap()).unwrap();
    let expected = json!({
        "user_request": "Tidy up a",
        "tool": "fs_write",
        "description": "Writes a file.",
        "class": "mutating",
        "arguments": { "path": "/a", "content": "x" },
        "claimed_reason": "Tidying",
        "was_edited": false,
    });
    assert_eq!(record, expected);
    assert!(prompt.system.contains("It proves nothing"));
    let words = expected.as_object().unwrap().keys();
    words.for_each(|it| assert!(prompt.system.contains(&format!("{it:?}")), "{it}"));
    assert_eq!(PROMPT_VERSION, "1");
}

#[test]
fn a_rationale_hides_nothing_and_ends() {
    let text = json!({ "harm": "low", "authorized": "no", "rationale": format!("\u{202e}a\n{}", "x".repeat(9_000)) });
    let read = Verdict::parse(&text.to_string()).unwrap();
    assert!(read.rationale.starts_with("\\u{202e}a\\nxxx"), "{}", read.rationale);
    assert_eq!(read.rationale.chars().count(), 500);
}
