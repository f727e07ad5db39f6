//! What a person is asked, and what they can answer.

use async_trait::async_trait;
use mcp_provider::{BoxError, JsonObject, ToolCall};
use serde::Serialize;
use serde_json::{Value, json};

use crate::commands::Command;
use crate::rule::{Decision, InvalidRule, Rule};
use crate::ruleset::rules_from_json;
use crate::why::{Reason, Why};

/// Whoever answers for the human.
///
/// A policy asks one question at a time.  There is no timeout: whoever wants one puts it into
/// `ask`.  Dropping a batch drops the question.
///
/// It must not make calls through the policy that asks: such a call would have to wait for the
/// question that it is part of.  One that is made from inside `ask`, or with the extensions of
/// the call that is asked about, is refused; one that is made from another task waits for ever.
#[async_trait]
pub trait Asker: Send + Sync {
    /// Asks whether a call may run.
    ///
    /// # Errors
    ///
    /// Fails where there is no answer; the call is then refused with the first line of the error.
    async fn ask(&self, question: Question) -> Result<Answer, BoxError>;

    /// Passes a server's own question on, an elicitation, and returns its result.
    ///
    /// `None` declines, and so does a panic.
    async fn elicit(&self, request: Value) -> Option<JsonObject> {
        let _ = request;
        None
    }

    /// Tells that the grants have changed, and what they are now.
    ///
    /// It is called once for each answer that changed them, before the call that was asked about
    /// runs.  A panic in here changes nothing.
    fn granted(&self, grants: &[Rule]) {
        let _ = grants;
    }
}

/// Whether a call may run, and all there is to know about it.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Question {
    /// The name of the tool.
    pub tool: String,
    /// The arguments, or an empty object where they cannot be read.
    pub arguments: JsonObject,
    /// The call as it would run.
    pub call: ToolCall,
    /// The call as the model made it, where an answer has replaced its arguments.
    pub original: Option<ToolCall>,
    /// The arguments as they came, with nothing hidden in them: [`display_text`].
    ///
    /// [`display_text`]: crate::display_text
    pub display: String,
    /// The rule that asks; nothing where no rule speaks about the call.
    pub rule: Option<Rule>,
    /// What the question rests on.
    pub reason: Reason,
    /// What could not be read, or kept an allow from reaching the call.
    pub causes: Vec<Why>,
    /// The places that the call names.
    pub paths: Vec<String>,
    /// The hosts that the call names.
    pub hosts: Vec<String>,
    /// The commands that the call would run.
    pub commands: Vec<Command>,
    /// What "always" would remember: as many rules as the call runs commands.  Empty where
    /// nothing sensible can be remembered, or [`is_remembered`](Self::is_remembered) is false.
    pub suggestion: Vec<Rule>,
    /// Whether an "always allow" would keep the next such call from being asked about.
    ///
    /// It would not where a rule asks: such a rule keeps asking.
    pub is_remembered: bool,
}

impl Question {
    /// The question as JSON, for an interface in another language.
    pub fn to_json(&self) -> Value {
        json!({
            "kind": "permission",
            "tool": self.tool,
            "arguments": self.arguments,
            "call": self.call.to_json(),
            "original": self.original.as_ref().map(ToolCall::to_json),
            "display": self.display,
            "rule": self.rule,
            "reason": self.reason,
            "causes": self.causes,
            "paths": self.paths,
            "hosts": self.hosts,
            "commands": self.commands,
            "suggestion": self.suggestion,
            "is_remembered": self.is_remembered,
        })
    }
}

/// What a person says.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(tag = "action", rename_all = "kebab-case")]
pub enum Answer {
    /// This call runs.
    AllowOnce,
    /// This call does not run.
    DenyOnce,
    /// This call runs with other arguments than the model's, if the rules let it.
    ///
    /// They replace the model's arguments whole, and the call is decided about again as it then
    /// is: a rule that denies it denies it, and where a question is open it is asked once more,
    /// with [`Question::original`] set; a second edit must be allowed as it is.  The model is told
    /// in the result what ran.
    Edit {
        /// The arguments, complete.
        arguments: JsonObject,
    },
    /// This call does not run, and the model reads why.
    Refuse {
        /// What the model reads: what happened, what to do next.
        message: String,
    },
    /// This call runs, and so does every later one that `rules` speak about.
    AlwaysAllow {
        /// What to remember; `None` is the suggestion of the question.
        rules: Option<Vec<Rule>>,
    },
    /// This call does not run, nor any later one that `rules` speak about.
    AlwaysDeny {
        /// What to remember; `None` is the suggestion of the question.
        rules: Option<Vec<Rule>>,
    },
}

impl Answer {
    /// Reads an answer from JSON: `{"action": "always-allow", "rules": […]}`.
    ///
    /// The actions are `allow-once`, `deny-once`, `always-allow` and `always-deny`, of which the last
    /// two may carry one `rule` or a list of `rules`, whose decision is that of the action; `edit`,
    /// which carries `arguments`, an object; and `refuse`, which carries a `message`.
    ///
    /// # Errors
    ///
    /// Fails where the action is unknown, or one of the rules cannot be used: all count, or none.
    pub fn from_json(json: &Value) -> Result<Self, InvalidAnswer> {
        let Some(answer) = json.as_object() else {
            return Err(InvalidAnswer::NotAnAnswer { answer: json.to_string() });
        };
        let unknown = || InvalidAnswer::Action {
            action: answer.get("action").map(Value::to_string).unwrap_or_default(),
        };
        let action = answer.get("action").and_then(Value::as_str).ok_or_else(unknown)?;
        let rules = |decision| rules_of(answer, decision);
        if action != "edit" && answer.contains_key("arguments") {
            return Err(InvalidAnswer::UnexpectedArguments { action: action.to_owned() });
        }
        let always = ["always-allow", "always-deny"].contains(&action);
        if !always && (answer.contains_key("rule") || answer.contains_key("rules")) {
            return Err(InvalidAnswer::UnexpectedRules { action: action.to_owned() });
        }
        match action {
            "edit" => match answer.get("arguments") {
                Some(Value::Object(arguments)) => Ok(Self::Edit { arguments: arguments.clone() }),
                _ => Err(InvalidAnswer::Arguments),
            },
            "refuse" => match answer.get("message") {
                Some(Value::String(message)) => Ok(Self::Refuse { message: message.clone() }),
                _ => Err(InvalidAnswer::Message),
            },
            "allow-once" => Ok(Self::AllowOnce),
            "deny-once" => Ok(Self::DenyOnce),
            "always-allow" => Ok(Self::AlwaysAllow { rules: rules(Decision::Allow)? }),
            "always-deny" => Ok(Self::AlwaysDeny { rules: rules(Decision::Deny)? }),
            _ => Err(unknown()),
        }
    }
}

fn rules_of(answer: &JsonObject, decision: Decision) -> Result<Option<Vec<Rule>>, InvalidAnswer> {
    let mut given = match (answer.get("rule"), answer.get("rules")) {
        (None, None) => return Ok(None),
        (Some(_), Some(_)) => return Err(InvalidAnswer::RuleAndRules),
        (Some(rule), None) => json!([rule]),
        (None, Some(rules)) => rules.clone(),
    };
    if given.as_array().is_some_and(Vec::is_empty) {
        return Err(InvalidAnswer::NoRules);
    }
    for rule in given.as_array_mut().into_iter().flatten().filter_map(Value::as_object_mut) {
        rule.insert("decision".to_owned(), json!(decision));
    }
    Ok(Some(rules_from_json(&given)?))
}

/// An answer cannot be used, and nothing of it is remembered.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidAnswer {
    /// The action is none of the six.
    #[error(
        "the answer's action {action} is none of \"allow-once\", \"deny-once\", \
         \"always-allow\", \"always-deny\", \"edit\", \"refuse\""
    )]
    Action {
        /// The action, as JSON.
        action: String,
    },
    /// It edits the call, without an object of arguments.
    #[error("the answer edits the call, but its \"arguments\" are not an object")]
    Arguments,
    /// It refuses the call, without a message.
    #[error("the answer refuses the call, but its \"message\" is not a string")]
    Message,
    /// The list of rules is empty.
    #[error("the answer's list of rules is empty")]
    NoRules,
    /// It is not an object.
    #[error("{answer} is not an answer")]
    NotAnAnswer {
        /// The answer, as JSON.
        answer: String,
    },
    /// One of the rules is not one.
    #[error(transparent)]
    Rule(#[from] InvalidRule),
    /// There are arguments, and another action than to edit.
    #[error("the answer's action is {action:?}, and only \"edit\" takes arguments; leave them out")]
    UnexpectedArguments {
        /// The action.
        action: String,
    },
    /// There are rules, and an action that remembers nothing.
    #[error(
        "the answer's action is {action:?}, and only \"always-allow\" and \"always-deny\" \
         remember rules; leave them out"
    )]
    UnexpectedRules {
        /// The action.
        action: String,
    },
    /// There is one rule and a list of rules.
    #[error("the answer has both \"rule\" and \"rules\"; give one of them")]
    RuleAndRules,
}
