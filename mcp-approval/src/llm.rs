//! A model as the one who answers.

mod breaker;
mod builder;
mod cache;
mod judge;
pub(crate) mod model;
pub(crate) mod prompt;
pub(crate) mod sampling;
pub(crate) mod verdict;

use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_policy::{Answer, Asker, Question, Rule};
use mcp_provider::time::Timer;
use mcp_provider::{BoxError, JsonObject};
use serde_json::Value;

pub use self::builder::{LlmApprovalBuilder, ReasonsOff};
use self::judge::Judge;
pub use self::judge::{Judged, JudgedBy};
use self::model::Model;
use crate::approval::Approval;
use crate::approver::Approver;
use crate::decision::Decision;
use crate::request::Request;

/// A model that judges calls, and people for what it must not or cannot decide.
///
/// The model gives a [`Verdict`](crate::Verdict); [`outcome`](crate::outcome) decides what follows.
/// It can turn a question into an allow only where no rule asks and the class of the call is not
/// above [`LlmApprovalBuilder::allows_up_to`]; a call that a rule denies it never hears of.  Whatever goes
/// wrong with the model leaves the call to the human, and refuses it where there is none.
///
/// It is an [`Approver`], for the chain of an [`Approval`], and an
/// [`Asker`] by itself.  A clone is the same.
#[derive(Clone)]
pub struct LlmApproval {
    judge: Arc<Judge>,
    /// Itself, as the only one that a policy's question is put to.
    approval: Approval,
}

impl LlmApproval {
    /// Has `model` judge, within time that `timer` tells; the other choices follow.
    pub fn builder(model: impl Model + 'static, timer: impl Timer) -> LlmApprovalBuilder {
        LlmApprovalBuilder::new(Arc::new(model), Arc::new(timer))
    }

    /// Has the model be asked again, after denials or failures in a row have ended that.
    pub fn reset(&self) {
        self.judge.reset();
    }
}

#[async_trait]
impl Approver for LlmApproval {
    async fn decide(&self, request: &Request) -> Result<Decision, BoxError> {
        self.judge.decide(request).await
    }

    async fn elicit(&self, request: &Value) -> Option<JsonObject> {
        self.judge.elicit(request).await
    }

    fn granted(&self, grants: &[Rule]) {
        self.judge.granted(grants);
    }
}

#[async_trait]
impl Asker for LlmApproval {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        self.approval.ask(question).await
    }

    async fn elicit(&self, request: Value) -> Option<JsonObject> {
        self.approval.elicit(request).await
    }

    fn granted(&self, grants: &[Rule]) {
        self.approval.granted(grants);
    }
}

impl fmt::Debug for LlmApproval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LlmApproval").field("judge", &self.judge).finish_non_exhaustive()
    }
}
