//! One question at a time, in order, and the questions of servers.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod common;

use std::future::{Future, poll_fn};
use std::pin::{Pin, pin};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, Weak};
use std::task::{Context, Poll, Waker};

use common::{Fake, Human};
use mcp_policy::{Answer, Asker, Claim, Grants, Policy, Question, QuestionLock, rules_from_json};
use mcp_provider::{BoxError, Extensions, JsonObject, Provider, ToolCall, ToolResult, async_trait};
use serde_json::{Value, json};
use tokio::sync::Notify;

/// An asker whose every question waits for a signal, and who knows how many are open at a time.
#[derive(Clone, Default)]
struct Slow {
    gate: Arc<Notify>,
    open: Arc<AtomicUsize>,
    most: Arc<AtomicUsize>,
    order: Arc<Mutex<Vec<String>>>,
    answer: Option<Answer>,
}

/// Counts a question for as long as it is open.
struct Open<'a>(&'a AtomicUsize);

impl Drop for Open<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

#[async_trait]
impl Asker for Slow {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        let open = self.open.fetch_add(1, Ordering::SeqCst) + 1;
        let _open = Open(&self.open);
        self.most.fetch_max(open, Ordering::SeqCst);
        self.order.lock().unwrap().push(question.call.id.to_string());
        self.gate.notified().await;
        Ok(self.answer.clone().unwrap_or(Answer::AllowOnce))
    }
}

fn call(id: &str) -> ToolCall {
    ToolCall::new(id, "write", json!({ "path": format!("/srv/{id}") }))
}

fn policy(asker: impl Asker + 'static, lock: &QuestionLock) -> Policy<Fake> {
    let builder = Policy::builder(Fake::default()).asker(asker).question_lock(lock.clone());
    builder.build().unwrap()
}

/// Polls a future once, and says whether it is done.
fn poll_once<F: Future>(future: Pin<&mut F>) -> Option<F::Output> {
    match future.poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(output) => Some(output),
        Poll::Pending => None,
    }
}

#[tokio::test]
async fn questions_are_asked_one_at_a_time_in_the_order_of_the_calls() {
    // P-ASK-3
    let (slow, lock) = (Slow::default(), QuestionLock::new());
    let policies: Vec<Policy<Fake>> = (0..3).map(|_| policy(slow.clone(), &lock)).collect();
    let mut batches: Vec<_> = ["a", "b", "c"]
        .iter()
        .zip(&policies)
        .map(|(id, policy)| Box::pin(policy.execute_tool_calls(vec![call(id)])))
        .collect();
    for batch in &mut batches {
        assert!(poll_once(batch.as_mut()).is_none());
    }
    assert_eq!((slow.open.load(Ordering::SeqCst), lock.waiting()), (1, 2));
    for batch in batches {
        slow.gate.notify_one();
        assert!(!batch.await[0].is_error);
    }
    assert_eq!(*slow.order.lock().unwrap(), ["a", "b", "c"]);
    assert_eq!((slow.most.load(Ordering::SeqCst), lock.waiting()), (1, 0));
}

#[tokio::test]
async fn a_dropped_waiter_leaves_the_queue_and_a_dropped_question_makes_room() {
    // P-ASK-8
    let (slow, lock) = (Slow::default(), QuestionLock::new());
    let policy = policy(slow.clone(), &lock);
    let mut asked = Box::pin(policy.execute_tool_calls(vec![call("a")]));
    let mut given_up = Box::pin(policy.execute_tool_calls(vec![call("b")]));
    let mut next = Box::pin(policy.execute_tool_calls(vec![call("c")]));
    assert!(poll_once(asked.as_mut()).is_none());
    assert!(poll_once(given_up.as_mut()).is_none());
    assert!(poll_once(next.as_mut()).is_none());
    drop(given_up);
    assert_eq!(lock.waiting(), 1);
    drop(asked);
    assert_eq!((slow.open.load(Ordering::SeqCst), lock.waiting()), (0, 0), "the question is gone");
    // The turn was handed to the next one; dropped before it took it, it passes on.
    let mut last = Box::pin(policy.execute_tool_calls(vec![call("d")]));
    assert!(poll_once(last.as_mut()).is_none());
    drop(next);
    slow.gate.notify_one();
    assert!(!last.await[0].is_error);
    assert_eq!(*slow.order.lock().unwrap(), ["a", "d"]);
}

#[tokio::test]
async fn what_was_answered_meanwhile_is_not_asked_again() {
    // P-ASK-4
    for (grant, fragment) in [
        (json!([{ "tool": "write", "decision": "allow", "under": "/srv" }]), None),
        (
            json!([{ "tool": "write", "decision": "deny", "under": "/srv" }]),
            Some("matched the rule 'deny write under /srv'"),
        ),
    ] {
        let (lock, book) = (QuestionLock::new(), Grants::default());
        let (slow, (human, record)) =
            (Slow::default(), Human::saying(json!({ "action": "always-allow" })));
        let first = policy(slow.clone(), &lock);
        let builder = Policy::builder(Fake::default()).asker(human).question_lock(lock.clone());
        let second = builder.grants_book(book.clone()).build().unwrap();
        let mut holds = Box::pin(first.execute_tool_calls(vec![call("a")]));
        let mut waits = Box::pin(second.execute_tool_calls(vec![call("b"), call("c")]));
        assert!(poll_once(holds.as_mut()).is_none() && poll_once(waits.as_mut()).is_none());
        book.add(&rules_from_json(&grant).unwrap());
        slow.gate.notify_one();
        holds.await;
        let results = waits.await;
        assert_eq!((record.times(), book.len()), (0, 1), "nobody is asked, nothing is added");
        assert!(record.granted.lock().unwrap().is_empty());
        for result in results {
            assert_eq!(result.is_error, fragment.is_some());
            assert!(result.content.contains(fragment.unwrap_or("write")), "{}", result.content);
        }
    }
}

#[tokio::test]
async fn an_always_settles_who_waits_behind_it() {
    // P-ASK-5: the first agent is inside its question, and the second queues.
    let (lock, book) = (QuestionLock::new(), Grants::default());
    let slow = Slow { answer: Some(Answer::AlwaysAllow { rules: None }), ..Slow::default() };
    let policy = || {
        let builder =
            Policy::builder(Fake::default()).asker(slow.clone()).grants_book(book.clone());
        builder.question_lock(lock.clone()).build().unwrap()
    };
    let (first, second) = (policy(), policy());
    let mut asked = Box::pin(first.execute_tool_calls(vec![call("a")]));
    let mut waits = Box::pin(second.execute_tool_calls(vec![call("b")]));
    assert!(poll_once(asked.as_mut()).is_none() && poll_once(waits.as_mut()).is_none());
    slow.gate.notify_one();
    assert!(!asked.await[0].is_error && !waits.await[0].is_error);
    assert_eq!((slow.order.lock().unwrap().len(), book.len()), (1, 1));
}

/// An asker that makes another call through the policy that asks.
struct Reentrant {
    policy: Arc<OnceLock<Weak<Policy<Fake>>>>,
    results: Arc<Mutex<Vec<ToolResult>>>,
    /// Whether it hands the call that is asked about to somebody else instead.
    elsewhere: bool,
}

#[async_trait]
impl Asker for Reentrant {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        let policy = self.policy.get().and_then(Weak::upgrade).ok_or("no policy")?;
        let made = if self.elsewhere { question.call } else { call("inner") };
        let results = match self.elsewhere {
            true => {
                tokio::spawn(async move { policy.execute_tool_calls(vec![made]).await }).await?
            }
            false => policy.execute_tool_calls(vec![made]).await,
        };
        self.results.lock().unwrap().extend(results);
        Ok(Answer::AllowOnce)
    }
}

#[tokio::test]
async fn a_call_from_inside_its_own_question_is_refused_and_does_not_hang() {
    // P-ASK-7
    for elsewhere in [false, true] {
        let (cell, results) = (Arc::new(OnceLock::new()), Arc::new(Mutex::new(Vec::new())));
        let asker =
            Reentrant { policy: Arc::clone(&cell), results: Arc::clone(&results), elsewhere };
        let policy = Arc::new(policy(asker, &QuestionLock::new()));
        cell.set(Arc::downgrade(&policy)).unwrap();
        let outer = policy.execute_tool_calls(vec![call("outer")]).await;
        assert!(!outer[0].is_error, "the question itself goes on");
        let inner = results.lock().unwrap().remove(0);
        assert!(inner.is_error && inner.content.contains("wait for itself"), "{}", inner.content);
        // Afterwards everything is as it was.
        assert!(!policy.execute_tool_calls(vec![call("later")]).await[0].is_error);
    }
}

#[tokio::test]
async fn a_question_that_panics_frees_the_lock() {
    // P-ASK-9
    struct Broken;
    #[async_trait]
    impl Asker for Broken {
        async fn ask(&self, _: Question) -> Result<Answer, BoxError> {
            panic!("broken")
        }
    }
    let lock = QuestionLock::new();
    let policy = policy(Broken, &lock);
    for _ in 0..2 {
        let result = policy.execute_tool_calls(vec![call("a")]).await.remove(0);
        assert!(result.content.contains("broken"), "{}", result.content);
    }
    // And the mark that a question is being asked is off again: this one is asked.
    let (human, record) = Human::saying(json!({ "action": "allow-once" }));
    let builder = Policy::builder(Fake::default()).asker(human).question_lock(lock);
    builder.build().unwrap().execute_tool_calls(vec![call("a")]).await;
    assert_eq!(record.times(), 1);
}

#[test]
fn batches_can_be_sent_to_other_threads() {
    fn is_send<T: Send>(it: T) -> T {
        it
    }
    let policy = policy(Slow::default(), &QuestionLock::new());
    drop(is_send(policy.execute_tool_calls(vec![call("a")])));
    fn is_shared<T: Send + Sync + 'static>() {}
    is_shared::<Policy<Fake>>();
}

/// A provider whose tools ask the user, through the hook of a policy.
struct Eliciting {
    hook: mcp_policy::ElicitHook,
}

#[async_trait]
impl Provider for Eliciting {
    async fn tools_for_llm(
        &self,
    ) -> Result<Vec<mcp_provider::ToolDeclaration>, mcp_provider::ProviderError> {
        Ok(Vec::new())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let mut results = Vec::new();
        for call in calls {
            let request = json!({ "message": "Who are you?" });
            let answer = self.hook.elicit(request, Some(&call.extensions)).await;
            results.push(ToolResult::ok(call.id, json!(answer).to_string()));
        }
        results
    }
}

const ACCEPTED: &str = r#"{"action":"accept","content":{"name":"Ada"}}"#;
const DECLINED: &str = r#"{"action":"decline"}"#;

#[tokio::test]
async fn a_servers_question_goes_to_whoever_claims_the_call() {
    // P-EL-1 to P-EL-5
    let everything = || rules_from_json(&json!([{ "tool": "*", "decision": "allow" }])).unwrap();
    let human = || Human::saying(json!({ "action": "allow-once" }));
    let (parent, parent_record) = human();
    let hook = Policy::builder(()).asker(parent).build().unwrap().elicit_hook();
    let under = |hook: &mcp_policy::ElicitHook| Eliciting { hook: hook.clone() };
    let plain = Policy::builder(under(&hook)).rules(everything());
    let seen = |record: &common::Record| record.elicited.lock().unwrap().len();

    // Nobody claims: the wired policy asks.
    let policy = plain.build().unwrap();
    assert_eq!(policy.execute_tool_calls(vec![call("a")]).await[0].content, ACCEPTED);
    assert_eq!(*parent_record.elicited.lock().unwrap(), [json!({ "message": "Who are you?" })]);

    // A hook that was there before any policy declines what nobody claims.
    let early = mcp_policy::ElicitHook::default();
    let (child, child_record) = human();
    let policy = Policy::builder(under(&early)).rules(everything()).build().unwrap();
    assert_eq!(policy.execute_tool_calls(vec![call("a")]).await[0].content, DECLINED);
    let policy = Policy::builder(under(&early)).rules(everything()).asker(child);
    let policy = policy.claim_elicitations().build().unwrap();
    assert_eq!(policy.execute_tool_calls(vec![call("a")]).await[0].content, ACCEPTED);
    assert_eq!(seen(&child_record), 1);

    // A claimant asks its own; one without anybody to ask, or without a claim, does not.
    let (child, child_record) = human();
    let policy =
        Policy::builder(under(&hook)).rules(everything()).asker(child).claim_elicitations();
    assert_eq!(
        policy.build().unwrap().execute_tool_calls(vec![call("a")]).await[0].content,
        ACCEPTED
    );
    assert_eq!((seen(&child_record), seen(&parent_record)), (1, 1));
    let (child, child_record) = human();
    let policy = Policy::builder(under(&hook)).rules(everything()).asker(child).build().unwrap();
    policy.execute_tool_calls(vec![call("a")]).await;
    assert_eq!((seen(&child_record), seen(&parent_record)), (0, 2));
    let policy = Policy::builder(under(&hook)).rules(everything()).claim_elicitations();
    policy.build().unwrap().execute_tool_calls(vec![call("a")]).await;
    assert_eq!(seen(&parent_record), 3);

    // Of two claimants the outer one wins.
    let ((inner, inner_record), (outer, outer_record)) = (human(), human());
    let policy =
        Policy::builder(under(&hook)).rules(everything()).asker(inner).claim_elicitations();
    let policy = Policy::builder(policy.build().unwrap()).rules(everything()).asker(outer);
    policy.claim_elicitations().build().unwrap().execute_tool_calls(vec![call("a")]).await;
    assert_eq!((seen(&outer_record), seen(&inner_record), seen(&parent_record)), (1, 0, 3));
}

#[tokio::test]
async fn a_servers_question_without_an_answer_is_declined_and_asked_of_nobody_else() {
    // P-EL-2, P-EL-4
    struct Mute {
        panics: bool,
    }
    #[async_trait]
    impl Asker for Mute {
        async fn ask(&self, _: Question) -> Result<Answer, BoxError> {
            Ok(Answer::AllowOnce)
        }
        async fn elicit(&self, _: Value) -> Option<JsonObject> {
            assert!(!self.panics, "broken");
            None
        }
    }
    let declined = |answer: JsonObject| assert_eq!(json!(answer).to_string(), DECLINED);
    declined(Policy::builder(()).build().unwrap().elicit_hook().elicit(json!({}), None).await);
    for panics in [false, true] {
        let wired = Policy::builder(()).asker(Mute { panics }).build().unwrap().elicit_hook();
        declined(wired.elicit(json!({}), None).await);
        // One who claims declines as well, and the wired policy, which has an answer, is not asked.
        let (human, record) = Human::saying(json!({ "action": "allow-once" }));
        let hook = Policy::builder(()).asker(human).build().unwrap().elicit_hook();
        let policy = Policy::builder(Eliciting { hook }).asker(Mute { panics });
        let policy = policy.claim_elicitations().build().unwrap();
        assert_eq!(policy.execute_tool_calls(vec![call("a")]).await[0].content, DECLINED);
        assert!(record.elicited.lock().unwrap().is_empty(), "panics: {panics}");
    }
    assert!(!Claim::is_on(&Extensions::default()));
}

#[tokio::test]
async fn a_servers_question_waits_for_its_turn() {
    // P-EL-1
    let (slow, lock) = (Slow::default(), QuestionLock::new());
    let policy = policy(slow.clone(), &lock);
    let mut asked = Box::pin(policy.execute_tool_calls(vec![call("a")]));
    assert!(poll_once(asked.as_mut()).is_none());
    let hook = policy.elicit_hook();
    let mut elicits = pin!(hook.elicit(json!({}), None));
    assert!(poll_once(elicits.as_mut()).is_none());
    assert_eq!(lock.waiting(), 1);
    slow.gate.notify_one();
    asked.await;
    assert_eq!(json!(elicits.await).to_string(), DECLINED);
}

#[test]
fn the_queue_is_left_by_who_waits_in_the_middle_of_it() {
    let (slow, lock) = (Slow::default(), QuestionLock::new());
    let policy = policy(slow, &lock);
    let mut batches: Vec<_> = ["a", "b", "c", "d"]
        .iter()
        .map(|id| Box::pin(policy.execute_tool_calls(vec![call(id)])))
        .collect();
    for batch in &mut batches {
        assert!(poll_once(batch.as_mut()).is_none());
    }
    let mut waiting = 3;
    for place in [2, 1, 1] {
        drop(batches.remove(place));
        waiting -= 1;
        assert_eq!(lock.waiting(), waiting);
    }
    // Polled again, who holds the turn still holds it, and takes it once.
    let mut first = batches.remove(0);
    let polled = poll_fn(|context| Poll::Ready(first.as_mut().poll(context).is_pending()));
    assert_eq!(poll_once(pin!(polled)), Some(true));
}
