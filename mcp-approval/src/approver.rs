//! Somebody who decides about calls.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_policy::{Asker, Rule};
use mcp_provider::{BoxError, JsonObject};
use serde_json::Value;

use crate::answer::decision;
use crate::decision::Decision;
use crate::request::Request;

/// Somebody who decides about calls: a person, a program, a model.
///
/// A function of a request is one:
///
/// ```
/// use mcp_approval::{Approver, Decision, Request};
///
/// fn approver() -> impl Approver {
///     |request: &Request| match request.tool.as_str() {
///         "git_commit" => Ok(Decision::Allow),
///         _ => Ok(Decision::deny("Only commits are approved here; tell the user what else you need")),
///     }
/// }
/// ```
#[async_trait]
pub trait Approver: Send + Sync {
    /// Decides about one call.
    ///
    /// # Errors
    ///
    /// Fails where there is no decision; the call is then refused with the first line of the
    /// error.  So is it where this panics.
    async fn decide(&self, request: &Request) -> Result<Decision, BoxError>;

    /// Passes a server's own question on, an elicitation; `None` leaves it to the next approver.
    async fn elicit(&self, request: &Value) -> Option<JsonObject> {
        let _ = request;
        None
    }

    /// Tells that what is always allowed or denied has changed, and what it is now.
    fn granted(&self, grants: &[Rule]) {
        let _ = grants;
    }
}

#[async_trait]
impl<F> Approver for F
where
    F: Fn(&Request) -> Result<Decision, BoxError> + Send + Sync,
{
    async fn decide(&self, request: &Request) -> Result<Decision, BoxError> {
        self(request)
    }
}

/// Whoever answers for the human of a policy, as an approver.
#[derive(Clone, Debug)]
pub struct Human<A>(
    /// The one who answers.
    pub A,
);

#[async_trait]
impl<A: Asker> Approver for Human<A> {
    async fn decide(&self, request: &Request) -> Result<Decision, BoxError> {
        Ok(decision(self.0.ask(request.question.clone()).await?))
    }

    async fn elicit(&self, request: &Value) -> Option<JsonObject> {
        self.0.elicit(request.clone()).await
    }

    fn granted(&self, grants: &[Rule]) {
        self.0.granted(grants);
    }
}

/// What is done about calls that need approval.  Calls that are read-only need none.
#[non_exhaustive]
#[derive(Clone)]
pub enum ApprovalPolicy {
    /// They run.
    Allow,
    /// They do not run.
    Deny,
    /// Somebody decides about each.
    Ask(Arc<dyn Approver>),
}

impl ApprovalPolicy {
    /// Has `approver` decide.
    pub fn ask(approver: impl Approver + 'static) -> Self {
        Self::Ask(Arc::new(approver))
    }

    pub(crate) fn approver(&self) -> Option<&Arc<dyn Approver>> {
        match self {
            Self::Ask(approver) => Some(approver),
            Self::Allow | Self::Deny => None,
        }
    }
}

impl fmt::Debug for ApprovalPolicy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Allow => "Allow",
            Self::Deny => "Deny",
            Self::Ask(_) => "Ask(…)",
        })
    }
}

/// `allow` or `deny`: nobody who decides can be written as a word.
impl FromStr for ApprovalPolicy {
    type Err = InvalidApprovalPolicy;

    fn from_str(text: &str) -> Result<Self, InvalidApprovalPolicy> {
        match text {
            "allow" => Ok(Self::Allow),
            "deny" => Ok(Self::Deny),
            _ => Err(InvalidApprovalPolicy { text: text.to_owned() }),
        }
    }
}

/// A word is no approval policy.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("the approval policy {text:?} is neither \"allow\" nor \"deny\"")]
pub struct InvalidApprovalPolicy {
    text: String,
}
