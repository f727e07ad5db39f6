//! Questions that would wait for themselves, by way of another policy or of a server.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::sync::{Arc, Mutex, OnceLock, Weak};

use common::{Fake, Human};
use mcp_policy::{Answer, Asker, Policy, Question};
use mcp_provider::{BoxError, JsonObject, Provider, ToolCall, async_trait};
use serde_json::{Value, json};

/// The result of `future`, which must not wait for itself.
async fn ends<T>(future: impl Future<Output = T>) -> T {
    let turns = async {
        for _ in 0..1_000 {
            tokio::task::yield_now().await;
        }
    };
    tokio::select! {
        result = future => result,
        () = turns => panic!("it waits for itself"),
    }
}

/// An asker that hands the call it is asked about to another policy, in a task of its own.
struct Passing {
    next: Arc<OnceLock<Weak<Policy<Fake>>>>,
    results: Arc<Mutex<Vec<String>>>,
}

#[async_trait]
impl Asker for Passing {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        let next = self.next.get().and_then(Weak::upgrade).ok_or("no policy")?;
        let task = tokio::spawn(async move { next.execute_tool_calls(vec![question.call]).await });
        let results = task.await?;
        self.results.lock().unwrap().extend(results.into_iter().map(|it| it.content));
        Ok(Answer::AllowOnce)
    }
}

#[tokio::test]
async fn a_circle_through_another_policys_question_is_refused_and_does_not_hang() {
    // P-ASK-7
    let results = Arc::new(Mutex::new(Vec::new()));
    let cells: [Arc<OnceLock<_>>; 2] = Default::default();
    let build = |next: &Arc<OnceLock<_>>| {
        let asker = Passing { next: Arc::clone(next), results: Arc::clone(&results) };
        Arc::new(Policy::builder(Fake::default()).asker(asker).build().unwrap())
    };
    let (one, two) = (build(&cells[0]), build(&cells[1]));
    cells[0].set(Arc::downgrade(&two)).unwrap();
    cells[1].set(Arc::downgrade(&one)).unwrap();
    let outer = ends(one.execute_tool_calls(vec![ToolCall::new("1", "write", json!({}))])).await;
    assert_eq!(outer[0].content, "write");
    let results = results.lock().unwrap();
    assert!(results[0].contains("wait for itself"), "{}", results[0]);
    assert_eq!(results[1], "write", "the question between them goes on");
}

/// An asker during whose question a server asks on.
struct Eliciting {
    hook: Arc<OnceLock<mcp_policy::ElicitHook>>,
    answers: Arc<Mutex<Vec<JsonObject>>>,
}

#[async_trait]
impl Asker for Eliciting {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        let hook = self.hook.get().ok_or("no hook")?.clone();
        let extensions = question.call.extensions.clone();
        let answer = tokio::spawn(async move { hook.elicit(json!({}), Some(&extensions)).await });
        let answer = answer.await?;
        self.answers.lock().unwrap().push(answer);
        Ok(Answer::AllowOnce)
    }

    async fn elicit(&self, _: Value) -> Option<JsonObject> {
        json!({ "action": "accept" }).as_object().cloned()
    }
}

#[tokio::test]
async fn a_servers_question_about_the_call_that_is_asked_about_is_declined() {
    // P-ASK-7, P-EL-2
    let (hook, answers) = (Arc::new(OnceLock::new()), Arc::new(Mutex::new(Vec::new())));
    let asker = Eliciting { hook: Arc::clone(&hook), answers: Arc::clone(&answers) };
    let policy = Policy::builder(Fake::default()).asker(asker).build().unwrap();
    hook.set(policy.elicit_hook()).unwrap();
    let results =
        ends(policy.execute_tool_calls(vec![ToolCall::new("1", "write", json!({}))])).await;
    assert!(!results[0].is_error);
    assert_eq!(json!(answers.lock().unwrap()[0]), json!({ "action": "decline" }));
    // Afterwards it is answered.
    assert_eq!(json!(policy.elicit_hook().elicit(json!({}), None).await)["action"], "accept");
}

#[tokio::test]
async fn the_mark_of_a_question_does_not_travel_with_the_call_that_runs() {
    let (human, _) = Human::saying(json!({ "action": "allow-once" }));
    let inner = Policy::builder(Fake::default()).asker(human).build().unwrap();
    let lock = inner.question_lock().clone();
    let (human, record) = Human::saying(json!({ "action": "allow-once" }));
    // Both ask the same person: the inner question comes after the outer one, and is no part of it.
    let outer = Policy::builder(inner).asker(human).question_lock(lock).build().unwrap();
    let results =
        ends(outer.execute_tool_calls(vec![ToolCall::new("1", "write", json!({}))])).await;
    assert_eq!((&*results[0].content, record.times()), ("write", 1));
}
