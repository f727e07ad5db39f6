//! What an approver can say.

use mcp_policy::Answer;
use mcp_provider::JsonObject;
use serde_json::Value;

use crate::request::Request;

/// What becomes of one call, as one approver sees it.
///
/// It counts for the request that it was made for, and for nothing else.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub enum Decision {
    /// The call may run as it is.
    Allow,
    /// The call may not run.
    Deny {
        /// Why, for the model: what happened, what to do next.
        reason: Option<String>,
    },
    /// The call may run with other arguments.
    ///
    /// The call is then decided about again, by the rules and by every other approver.  This one
    /// is asked again only where the new arguments are in a higher class, or another rule asks.
    Edit {
        /// All of them: what is not here is gone.
        arguments: JsonObject,
    },
    /// A person answered, perhaps for later calls too.
    ///
    /// An "always allow" is kept only where nobody else has to approve.
    Answered(Answer),
}

impl Decision {
    /// A denial that the model can read the reason of.
    pub fn deny(reason: impl Into<String>) -> Self {
        Self::Deny { reason: Some(reason.into()) }
    }

    /// Reads a decision about `request` that was made outside this program:
    ///
    /// ```json
    /// {"decision": "allow", "binding": {…}}
    /// {"decision": "deny", "reason": "…", "binding": {…}}
    /// {"decision": "edit", "arguments": {…}, "binding": {…}}
    /// ```
    ///
    /// `binding` is the one of the request, sent back.
    ///
    /// # Errors
    ///
    /// Fails where the JSON is no decision, is one about another call, or carries what its kind
    /// does not take: an allow with arguments is neither an allow nor an edit.
    pub fn from_json(json: &Value, request: &Request) -> Result<Self, InvalidDecision> {
        let Some(object) = json.as_object() else { return Err(InvalidDecision::NotAnObject) };
        let kind = object.get("decision").and_then(Value::as_str);
        let allowed: &[&str] = match kind {
            Some("allow") => &[],
            Some("deny") => &["reason"],
            Some("edit") => &["arguments"],
            _ => return Err(InvalidDecision::Kind),
        };
        for key in object.keys().filter(|it| *it != "decision" && *it != "binding") {
            if !allowed.contains(&&**key) {
                let (kind, key) = (kind.unwrap_or_default().to_owned(), key.clone());
                return Err(InvalidDecision::Member { kind, key });
            }
        }
        match object.get("binding") {
            None => return Err(InvalidDecision::Unbound),
            Some(binding) if *binding != request.binding.to_json() => {
                return Err(InvalidDecision::OtherCall);
            }
            Some(_) => {}
        }
        match (kind, object.get("reason"), object.get("arguments")) {
            (Some("allow"), ..) => Ok(Self::Allow),
            (Some("deny"), None | Some(Value::Null), _) => Ok(Self::Deny { reason: None }),
            (Some("deny"), Some(Value::String(reason)), _) => Ok(Self::deny(reason)),
            (Some("deny"), ..) => Err(InvalidDecision::Reason),
            (_, _, Some(Value::Object(arguments))) => {
                Ok(Self::Edit { arguments: arguments.clone() })
            }
            _ => Err(InvalidDecision::Arguments),
        }
    }
}

/// A value is no decision about this call; nothing runs.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidDecision {
    /// An edit without its arguments.
    #[error("an edit needs \"arguments\", an object that replaces the old ones whole")]
    Arguments,
    /// The decision has no known name.
    #[error("\"decision\" must be \"allow\", \"deny\" or \"edit\"")]
    Kind,
    /// There is something in it that such a decision does not take.
    #[error("the decision {kind:?} takes no {key:?}; to change arguments, use \"edit\"")]
    Member {
        /// The decision.
        kind: String,
        /// What else there is.
        key: String,
    },
    /// It is not an object.
    #[error("a decision must be an object, such as {{\"decision\": \"deny\", \"binding\": …}}")]
    NotAnObject,
    /// It was made about another call.
    #[error("the decision is about another call, or about other arguments; ask again")]
    OtherCall,
    /// The reason is no text.
    #[error("\"reason\" must be a string")]
    Reason,
    /// It does not say which call it is about.
    #[error(
        "the decision does not say which call it is about; send the request's \"binding\" back"
    )]
    Unbound,
}
