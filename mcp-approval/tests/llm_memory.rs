//! What is remembered between the calls that a model judges.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use common::{Script, Setup, Talk, Word, call, run, verdict, write};
use mcp_approval::{Decision, JudgedBy, LlmApproval, LlmApprovalBuilder, Outcome, Verdict};
use mcp_provider::ToolCall;
use mcp_provider::time::TokioTimer;
use serde_json::json;

fn llm(model: &Talk) -> LlmApprovalBuilder {
    LlmApproval::builder(model.clone(), TokioTimer::new())
}

fn says(harm: &str, authorized: &str) -> Talk {
    Talk::says(verdict(harm, authorized))
}

#[tokio::test(start_paused = true)]
async fn after_three_denials_or_failures_in_a_row_the_model_is_not_asked() {
    // AP-33
    let no = || Word::Says(verdict("low", "no"));
    let yes = || Word::Says(verdict("low", "yes"));
    let ask = || Word::Says(verdict("high", "yes"));
    // What the model says, and at which of the calls it is asked.
    let rows: Vec<(&str, Vec<Word>, Vec<bool>)> = vec![
        ("three denials", vec![no()], vec![true, true, true, false, false]),
        ("three failures", vec![Word::Fails], vec![true, true, true, false, false]),
        ("two and one", vec![no(), Word::Fails, no(), yes()], vec![true, true, true, false]),
        ("an allow between", vec![no(), no(), yes(), no(), no(), yes()], vec![true; 6]),
        (
            "a question between counts for nothing",
            vec![no(), no(), ask(), no(), yes()],
            vec![true, true, true, true, false],
        ),
    ];
    for (row, words, expected) in rows {
        let setup = Setup::new();
        let model = Talk::new(words);
        let asker = llm(&model).build(setup.context.clone()).unwrap();
        let stack = setup.stack(json!([]), asker.clone()).await;
        let mut asked = Vec::new();
        for place in 0..expected.len() {
            let before = model.times();
            run(&stack, write(&format!("/{place}"))).await;
            asked.push(model.times() > before);
        }
        assert_eq!(asked, expected, "{row}");
        if expected.last() == Some(&false) {
            let result = run(&stack, write("/again")).await;
            assert!(result.content.contains("too often in a row"), "{row}: {}", result.content);
            let before = model.times();
            tokio::time::advance(Duration::from_secs(301)).await;
            run(&stack, write("/later")).await;
            assert_eq!(model.times(), before + 1, "{row}: one goes through after a rest");
            asker.reset();
            run(&stack, write("/reset")).await;
            assert_eq!(model.times(), before + 2, "{row}: it can be reset");
        }
    }
}

#[tokio::test]
async fn a_person_who_allows_ends_the_rest() {
    // AP-33
    let setup = Setup::new();
    let model = Talk::new([Word::Fails]);
    let human = Script::says(Decision::Allow);
    let asker = llm(&model).human(human.clone()).build(setup.context.clone()).unwrap();
    let stack = setup.stack(json!([]), asker).await;
    for place in 0..5 {
        assert!(!run(&stack, write(&format!("/{place}"))).await.is_error);
    }
    assert_eq!((model.times(), human.times()), (5, 5));
}

#[tokio::test]
async fn an_identical_call_is_judged_once() {
    // AP-34
    let with =
        |reason: &str| call("fs_write", json!({ "path": "/a", "content": "x", "reason": reason }));
    let reordered = ToolCall::new("2", "fs_write", r#"{"content":"x","path":"/a","reason":"one"}"#);
    // What the row is for, the verdict, the second call, how often the model is asked.
    let rows = [
        ("the same call", verdict("low", "yes"), with("one"), 1),
        ("keys in another order", verdict("low", "yes"), reordered, 1),
        ("another reason for what was allowed", verdict("low", "yes"), with("two"), 2),
        ("another reason for what was denied", verdict("low", "no"), with("two"), 1),
        ("another call", verdict("low", "yes"), write("/b"), 2),
    ];
    for (row, text, second, asked) in rows {
        let setup = Setup::new();
        let model = Talk::says(text);
        let asker = llm(&model).build(setup.context.clone()).unwrap();
        let stack = setup.stack(json!([]), asker).await;
        let first = run(&stack, with("one")).await;
        let second = run(&stack, second).await;
        assert_eq!(first.is_error, second.is_error, "{row}");
        assert_eq!(model.times(), asked, "{row}");
    }
}

#[tokio::test]
async fn a_failure_is_not_kept() {
    // AP-34
    let setup = Setup::new();
    let model = Talk::new([Word::Fails, Word::Says(verdict("low", "yes"))]);
    let asker = llm(&model).build(setup.context.clone()).unwrap();
    let stack = setup.stack(json!([]), asker).await;
    assert!(run(&stack, write("/a")).await.is_error);
    assert!(!run(&stack, write("/a")).await.is_error);
}

#[tokio::test]
async fn whoever_watches_hears_of_each_call_and_changes_none() {
    // AP-35
    let heard = Arc::new(Mutex::new(Vec::new()));
    let setup = Setup::new();
    let model = says("low", "yes");
    let builder = llm(&model).on_judged({
        let heard = Arc::clone(&heard);
        move |judged| {
            let tool = judged.request.tool.clone();
            let rationale = judged.verdict.map(|it: &Verdict| it.rationale.clone());
            heard.lock().unwrap().push((tool, judged.outcome, judged.by, rationale));
            panic!("the log is full");
        }
    });
    let stack = setup.stack(json!([]), builder.build(setup.context.clone()).unwrap()).await;
    for path in ["/a", "/a", "/x/.env"] {
        run(&stack, write(path)).await;
    }
    let because = Some("because".to_owned());
    let name = || "fs_write".to_owned();
    let expected = [
        (name(), Outcome::Allow, JudgedBy::Model, because.clone()),
        (name(), Outcome::Allow, JudgedBy::Cache, because),
        (name(), Outcome::AskHuman, JudgedBy::Nobody, None),
    ];
    assert_eq!(*heard.lock().unwrap(), expected);
}

#[tokio::test]
async fn a_dropped_batch_gives_the_question_up_and_the_next_is_asked() {
    let setup = Setup::new();
    let model = Talk::new([Word::Hangs, Word::Says(verdict("low", "yes"))]);
    let stack = setup.stack(json!([]), llm(&model).build(setup.context.clone()).unwrap()).await;
    {
        let mut first = Box::pin(run(&stack, write("/a")));
        while model.times() == 0 {
            tokio::select! {
                biased;
                _ = &mut first => unreachable!("it hangs"),
                () = tokio::task::yield_now() => {}
            }
        }
    }
    assert!(!run(&stack, write("/a")).await.is_error);
}
