//! The choices that make an approval by a model.

use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_provider::time::Timer;

use crate::approval::Approval;
use crate::approver::{ApprovalPolicy, Approver};
use crate::context::Context;
use crate::llm::LlmApproval;
use crate::llm::breaker::Breaker;
use crate::llm::cache::Cache;
use crate::llm::judge::{Judge, Judged, State};
use crate::llm::model::Model;
use crate::request::Request;
use crate::risk::Risk;

/// The choices that make an [`LlmApproval`].
pub struct LlmApprovalBuilder {
    judge: Judge,
    limit: u32,
    rest: Duration,
    kept: usize,
}

impl LlmApprovalBuilder {
    pub(crate) fn new(model: Arc<dyn Model>, timer: Arc<dyn Timer>) -> Self {
        let judge = Judge {
            model,
            timer,
            human: None,
            user_request: None,
            observer: None,
            timeout: Duration::from_secs(30),
            most: Risk::Mutating,
            max_record: 64 << 10,
            state: Mutex::new(State { breaker: Breaker::new(3, REST), cache: Cache::new(0) }),
        };
        Self { judge, limit: 3, rest: REST, kept: 256 }
    }

    /// Who decides what the model must not or cannot; without anybody, such a call is refused.
    #[must_use]
    pub fn human(mut self, human: impl Approver + 'static) -> Self {
        self.judge.human = Some(Arc::new(human));
        self
    }

    /// What the user asked the agent for: the model's only evidence of what the user wants.
    ///
    /// It is what the user wrote, and nothing that an agent or a tool did.
    #[must_use]
    pub fn user_request(
        mut self,
        user_request: impl Fn(&Request) -> Option<String> + Send + Sync + 'static,
    ) -> Self {
        self.judge.user_request = Some(Box::new(user_request));
        self
    }

    /// Hears what became of each call.
    #[must_use]
    pub fn on_judged(mut self, observer: impl Fn(&Judged<'_>) + Send + Sync + 'static) -> Self {
        self.judge.observer = Some(Box::new(observer));
        self
    }

    /// How long the model may take; 30 seconds by default.
    #[must_use]
    pub fn timeout(mut self, timeout: Duration) -> Self {
        self.judge.timeout = timeout;
        self
    }

    /// The highest class that the model may allow by itself; by default [`Risk::Mutating`].
    #[must_use]
    pub fn allows_up_to(mut self, most: Risk) -> Self {
        self.judge.most = most;
        self
    }

    /// How large the record of a call may be that the model is shown, in bytes; 64 KiB by default.
    ///
    /// A larger one is not shown in part: it is left to the human.
    #[must_use]
    pub fn max_record(mut self, bytes: usize) -> Self {
        self.judge.max_record = bytes;
        self
    }

    /// After how many denials or failures in a row the model is not asked any more, and for how
    /// long; by default 3, and 5 minutes.
    ///
    /// It ends early where a person allows a call, and with [`LlmApproval::reset`].
    #[must_use]
    pub fn breaker(self, limit: u32, rest: Duration) -> Self {
        Self { limit, rest, ..self }
    }

    /// How many verdicts are kept, so that an identical call is not judged twice; 256 by default.
    #[must_use]
    pub fn kept_verdicts(self, most: usize) -> Self {
        Self { kept: most, ..self }
    }

    /// The approval, for the calls that `context` knows.
    ///
    /// # Errors
    ///
    /// Fails where the model that makes the calls is not asked for reasons.
    pub fn build(self, context: Context) -> Result<LlmApproval, ReasonsOff> {
        if !context.asks_for_reasons() {
            return Err(ReasonsOff(()));
        }
        let (breaker, cache) = (Breaker::new(self.limit, self.rest), Cache::new(self.kept));
        let judge = Arc::new(Judge { state: Mutex::new(State { breaker, cache }), ..self.judge });
        let policy = ApprovalPolicy::Ask(Arc::clone(&judge) as Arc<dyn Approver>);
        Ok(LlmApproval { judge, approval: Approval::with_policy(context, policy) })
    }
}

impl fmt::Debug for LlmApprovalBuilder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("LlmApprovalBuilder").field("judge", &self.judge).finish_non_exhaustive()
    }
}

/// A model cannot approve calls for which no reasons are asked.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "approval by a model needs tool reasons, and they are off here: enable tool_reason, and say \
     with Context::reasons whose they are"
)]
pub struct ReasonsOff(pub(crate) ());

const REST: Duration = Duration::from_secs(300);
