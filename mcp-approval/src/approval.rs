//! The one who answers a policy's questions: everybody whose approval a call needs, in turn.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_policy::{Answer, Asker, Question, Rule};
use mcp_provider::{BoxError, JsonObject, ToolCall, shield};
use serde_json::Value;

use crate::answer::{Ruling, answer, original};
use crate::approver::ApprovalPolicy;
use crate::binding::Binding;
use crate::context::Context;
use crate::decision::Decision;
use crate::request::{AskedBy, Request};
use crate::risk::Risk;

/// Answers the questions of a policy: everybody whose approval a call needs is asked in turn.
///
/// A call that is read-only, and that no rule asks about, runs.  Any other runs only if the
/// approval policy of its agent and those of all agents above it let it; without any policy
/// nobody lets it.  A clone is the same.
#[derive(Clone)]
pub struct Approval {
    context: Context,
    /// The agent's own, then its parent's, and so on up.
    policies: Vec<ApprovalPolicy>,
    edits: Arc<Mutex<VecDeque<Edit>>>,
}

/// An edit that the policy has not come back with yet.
#[derive(Debug)]
struct Edit {
    /// The call as it will then be.
    binding: Binding,
    /// Whose edit it is.
    place: usize,
    /// What that one was asked.
    risk: Risk,
    asked_by: AskedBy,
    rule: Option<Rule>,
}

impl Approval {
    /// Answers for an agent that has no approval policy: only what is read-only runs.
    pub fn new(context: Context) -> Self {
        Self { context, policies: Vec::new(), edits: Arc::default() }
    }

    /// Answers for an agent with an approval policy.
    pub fn with_policy(context: Context, policy: ApprovalPolicy) -> Self {
        Self { policies: vec![policy], ..Self::new(context) }
    }

    /// Answers for a child of this agent: what the child's policy lets run needs this one's too.
    #[must_use]
    pub fn child(&self, policy: ApprovalPolicy) -> Self {
        let policies = std::iter::once(policy).chain(self.policies.iter().cloned()).collect();
        Self { policies, ..Self::new(self.context.clone()) }
    }

    async fn settle(&self, question: Question, original: Option<&ToolCall>) -> Ruling {
        let request = self.context.request(question, original);
        if needs_nobody(&request) {
            return Ruling::Allow;
        }
        if self.policies.is_empty() {
            return Ruling::Deny(undecided(&request));
        }
        let edited_by = original.and_then(|_| self.take_edit(&request));
        let is_alone = self.policies.len() == 1;
        let mut said = Ruling::Allow;
        for (place, policy) in self.policies.iter().enumerate() {
            if edited_by == Some(place) {
                continue;
            }
            let approver = match policy {
                ApprovalPolicy::Allow => continue,
                ApprovalPolicy::Deny => return Ruling::Deny(denied(&request, None)),
                ApprovalPolicy::Ask(approver) => approver,
            };
            let decision = match approver.decide(&request).await {
                Ok(decision) => decision,
                Err(error) => return Ruling::Deny(no_decision(&request, &*error)),
            };
            match decision {
                Decision::Allow => {}
                Decision::Deny { reason } => {
                    return Ruling::Deny(denied(&request, reason.as_deref()));
                }
                Decision::Edit { arguments } => {
                    // Where nothing changes, it is the call as it was that is approved.
                    if let Some(ruling) = self.edit(&request, place, arguments) {
                        return ruling;
                    }
                }
                Decision::Answered(answer @ (Answer::DenyOnce | Answer::AlwaysDeny { .. })) => {
                    return Ruling::Answered(answer);
                }
                Decision::Answered(Answer::AllowOnce) => {}
                // Others must be asked about the next one as well.
                Decision::Answered(Answer::AlwaysAllow { .. }) if !is_alone => {}
                Decision::Answered(answer @ Answer::AlwaysAllow { .. }) => {
                    said = Ruling::Answered(answer);
                }
                Decision::Answered(_) => return Ruling::Deny(undecided(&request)),
            }
        }
        said
    }

    /// What an edit makes of the call; nothing where it changes nothing.
    fn edit(&self, request: &Request, place: usize, arguments: JsonObject) -> Option<Ruling> {
        let arguments = self.context.without_reason(&request.tool, arguments);
        let binding = request.binding.with_arguments(&arguments);
        if binding == request.binding {
            return None;
        }
        let missing = self.context.missing(&request.tool, &arguments);
        if !missing.is_empty() {
            return Some(Ruling::Deny(incomplete(request, &missing)));
        }
        let (risk, asked_by) = (request.risk, request.asked_by);
        let rule = request.question.rule.clone();
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        // One that the policy never came back with is somebody's earlier word.
        edits.retain(|it| it.binding != binding);
        edits.push_back(Edit { binding, place, risk, asked_by, rule });
        if edits.len() > MAX_EDITS {
            edits.pop_front();
        }
        Some(Ruling::Edit(arguments))
    }

    /// Who has approved `request` by making it, and need not be asked again.
    fn take_edit(&self, request: &Request) -> Option<usize> {
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        let found = edits.iter().position(|it| it.binding == request.binding)?;
        let edit = edits.remove(found)?;
        let is_same_question = request.risk <= edit.risk
            && request.asked_by == edit.asked_by
            && request.question.rule == edit.rule;
        is_same_question.then_some(edit.place)
    }
}

#[async_trait]
impl Asker for Approval {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        let original = original(&question);
        Ok(answer(self.settle(question, original.as_ref()).await))
    }

    async fn elicit(&self, request: Value) -> Option<JsonObject> {
        for approver in self.policies.iter().filter_map(ApprovalPolicy::approver) {
            if let Some(result) = approver.elicit(&request).await {
                return Some(result);
            }
        }
        None
    }

    fn granted(&self, grants: &[Rule]) {
        for approver in self.policies.iter().filter_map(ApprovalPolicy::approver) {
            // One that fails keeps nothing from the others.
            let _ = shield(|| approver.granted(grants));
        }
    }
}

impl fmt::Debug for Approval {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Approval")
            .field("context", &self.context)
            .field("policies", &self.policies)
            .finish_non_exhaustive()
    }
}

/// Whether a call needs nobody's approval.
fn needs_nobody(request: &Request) -> bool {
    request.risk == Risk::ReadOnly && request.asked_by == AskedBy::Nobody && request.is_readable
}

fn undecided(request: &Request) -> String {
    format!(
        "{} is {} and needs approval, and nobody here can give it. Do without this call, or use a \
         tool that only reads",
        request.tool, request.risk
    )
}

fn denied(request: &Request, reason: Option<&str>) -> String {
    let reason = reason.map(str::trim).filter(|it| !it.is_empty());
    reason.map_or_else(
        || {
            format!(
                "Approval of {} was denied. Do not try the same by another way; do without it, or \
                 tell the user what you need",
                request.tool
            )
        },
        str::to_owned,
    )
}

fn no_decision(request: &Request, error: &(dyn std::error::Error + 'static)) -> String {
    let error = error.to_string();
    let error = error.lines().next().unwrap_or_default();
    format!(
        "Approval of {} got no decision ({error}). Tell the user before you try again",
        request.tool
    )
}

fn incomplete(request: &Request, missing: &[String]) -> String {
    format!(
        "The arguments of {} were to be replaced by others that lack what it requires: {}. Tell \
         the user that the replacement was incomplete",
        request.tool,
        missing.join(", ")
    )
}

/// How many edits are kept for a policy to come back with; more are asked about again.
const MAX_EDITS: usize = 64;
