//! One call in front of a model: asked within time, and left to the human where it must be.

use std::fmt;
use std::future::{Future, poll_fn};
use std::pin::pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use mcp_policy::{Answer, Rule, display_text};
use mcp_provider::time::{Moment, Timer};
use mcp_provider::{BoxError, JsonObject, canonical_text, contain, shield};
use serde_json::Value;

use crate::approver::Approver;
use crate::decision::Decision;
use crate::llm::breaker::Breaker;
use crate::llm::builder::ReasonsOff;
use crate::llm::cache::{Cache, Keys};
use crate::llm::model::Model;
use crate::llm::prompt::{Prompt, record};
use crate::llm::verdict::{Outcome, Verdict, may_allow, outcome};
use crate::request::Request;
use crate::risk::Risk;

/// The model, and everything it is asked with.
pub(crate) struct Judge {
    pub(crate) model: Arc<dyn Model>,
    pub(crate) timer: Arc<dyn Timer>,
    pub(crate) human: Option<Arc<dyn Approver>>,
    pub(crate) user_request: Option<Box<UserRequest>>,
    pub(crate) observer: Option<Box<Observer>>,
    pub(crate) timeout: Duration,
    pub(crate) most: Risk,
    pub(crate) max_record: usize,
    pub(crate) state: Mutex<State>,
}

pub(crate) type UserRequest = dyn Fn(&Request) -> Option<String> + Send + Sync;
pub(crate) type Observer = dyn Fn(&Judged<'_>) + Send + Sync;

pub(crate) struct State {
    pub(crate) breaker: Breaker,
    pub(crate) cache: Cache,
}

/// What became of one call.
#[non_exhaustive]
#[derive(Debug)]
pub struct Judged<'r> {
    /// The call.
    pub request: &'r Request,
    /// What the model said, if it said something usable.
    pub verdict: Option<&'r Verdict>,
    /// What followed.
    pub outcome: Outcome,
    /// Where the verdict is from.
    pub by: JudgedBy,
    /// Why there is no verdict, or why it does not count; empty where it does.
    pub why: &'r str,
}

/// Where a verdict is from.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum JudgedBy {
    /// The model was asked.
    Model,
    /// The model was asked about the same call before.
    Cache,
    /// The model was not asked.
    Nobody,
}

/// What is known about a call when the model is done.
struct Found {
    verdict: Option<Verdict>,
    outcome: Outcome,
    by: JudgedBy,
    why: String,
}

impl Judge {
    pub(crate) fn reset(&self) {
        self.state().breaker.good();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn judge(&self, request: &Request) -> Found {
        if !request.is_readable {
            return Found::nothing("the arguments cannot be read");
        }
        if self.human.is_none() && !may_allow(request, self.most) {
            return Found::nothing("a model must not allow such a call");
        }
        let user_request = self.user_request.as_ref();
        let user_request = user_request.and_then(|it| shield(|| it(request)).ok().flatten());
        let user_request = user_request.as_deref();
        let with_reason = record(request, user_request, request.reason.as_deref());
        if with_reason.len() > self.max_record {
            return Found::nothing("the call is too large to be judged");
        }
        let key = |record: &str| canonical_text(record).unwrap_or_else(|| record.to_owned());
        let keys = Keys {
            with_reason: key(&with_reason),
            without_reason: key(&record(request, user_request, None)),
        };
        let now = self.timer.now();
        {
            let mut state = self.state();
            if !state.breaker.lets_through(now) {
                return Found::nothing("the model denied or failed too often in a row");
            }
            if let Some(verdict) = state.cache.get(&keys) {
                let outcome = outcome(&verdict, request, self.most);
                count(&mut state.breaker, outcome, now);
                return Found::said(verdict, outcome, JudgedBy::Cache);
            }
        }
        let said = self.ask(&Prompt::about(&with_reason)).await;
        let now = self.timer.now();
        let mut state = self.state();
        match said {
            Ok(verdict) => {
                let outcome = outcome(&verdict, request, self.most);
                count(&mut state.breaker, outcome, now);
                state.cache.insert(&keys, verdict.clone(), outcome);
                Found::said(verdict, outcome, JudgedBy::Model)
            }
            Err(why) => {
                state.breaker.bad(now);
                Found { by: JudgedBy::Model, ..Found::nothing(&why) }
            }
        }
    }

    /// What the model says, within its time; an error is why it said nothing usable.
    async fn ask(&self, prompt: &Prompt) -> Result<Verdict, String> {
        let mut alarm = self.timer.sleep_until(self.timer.now().after(self.timeout));
        let mut answer = pin!(contain(async { self.model.complete(prompt).await }));
        let text = poll_fn(|context| {
            if let Poll::Ready(answer) = answer.as_mut().poll(context) {
                return Poll::Ready(Some(answer));
            }
            alarm.as_mut().poll(context).map(|()| None)
        });
        let text = match text.await {
            None => return Err(format!("the model gave no answer within {:?}", self.timeout)),
            Some(Err(panicked)) => return Err(format!("the model {panicked}")),
            Some(Ok(Err(error))) => return Err(chain(&error)),
            Some(Ok(Ok(text))) => text,
        };
        Verdict::parse(&text).map_err(|error| error.to_string())
    }

    async fn ask_human(&self, request: &Request, found: &Found) -> Result<Decision, BoxError> {
        let said = match &found.verdict {
            Some(verdict) => verdict.to_string(),
            None => found.why.clone(),
        };
        let Some(human) = &self.human else {
            return Ok(Decision::deny(format!(
                "The automatic review of {} could not allow it ({said}), and there is nobody to \
                 ask. Do without this call, or tell the user what you need",
                request.tool
            )));
        };
        let request = Request { advice: Some(display_text(&said)), ..request.clone() };
        let decision = human.decide(&request).await?;
        if allows(&decision) {
            self.state().breaker.good();
        }
        Ok(decision)
    }
}

#[async_trait]
impl Approver for Judge {
    async fn decide(&self, request: &Request) -> Result<Decision, BoxError> {
        if !request.is_reason_asked {
            return Err(ReasonsOff(()).into());
        }
        let found = self.judge(request).await;
        if let Some(observer) = &self.observer {
            let Found { verdict, outcome, by, why } = &found;
            let (verdict, outcome, by) = (verdict.as_ref(), *outcome, *by);
            // Whoever only watches changes nothing.
            let _ = shield(|| observer(&Judged { request, verdict, outcome, by, why }));
        }
        match (found.outcome, &found.verdict) {
            (Outcome::Allow, Some(_)) => Ok(Decision::Allow),
            (Outcome::Deny, Some(verdict)) => Ok(Decision::deny(format!(
                "The automatic review of {} refused it: {verdict}. Do not try the same by another \
                 way; do without it, or tell the user what you need",
                request.tool
            ))),
            _ => self.ask_human(request, &found).await,
        }
    }

    async fn elicit(&self, request: &Value) -> Option<JsonObject> {
        self.human.as_ref()?.elicit(request).await
    }

    fn granted(&self, grants: &[Rule]) {
        if let Some(human) = &self.human {
            human.granted(grants);
        }
    }
}

impl Found {
    fn nothing(why: &str) -> Self {
        let (outcome, by) = (Outcome::AskHuman, JudgedBy::Nobody);
        Self { verdict: None, outcome, by, why: why.to_owned() }
    }

    fn said(verdict: Verdict, outcome: Outcome, by: JudgedBy) -> Self {
        Self { verdict: Some(verdict), outcome, by, why: String::new() }
    }
}

impl fmt::Debug for Judge {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Judge")
            .field("has_human", &self.human.is_some())
            .field("timeout", &self.timeout)
            .field("most", &self.most)
            .finish_non_exhaustive()
    }
}

fn count(breaker: &mut Breaker, outcome: Outcome, now: Moment) {
    match outcome {
        Outcome::Allow => breaker.good(),
        Outcome::Deny => breaker.bad(now),
        // Neither: it is the human who decides.
        Outcome::AskHuman => {}
    }
}

fn allows(decision: &Decision) -> bool {
    match decision {
        Decision::Allow | Decision::Edit { .. } => true,
        Decision::Answered(answer) => {
            matches!(answer, Answer::AllowOnce | Answer::AlwaysAllow { .. })
        }
        Decision::Deny { .. } => false,
    }
}

/// An error with its causes, each said once.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(cause) = next {
        text.push_str(": ");
        text.push_str(&cause.to_string());
        next = cause.source();
    }
    text
}
