//! The rules of the example, and a model and a person who have read the script.

use std::sync::Arc;

use mcp_client::Asked;
use mcp_client::protocol::{ElicitParams, ElicitResult};
use mcp_policy::{
    Answer, Asker, CommandParams, ElicitHook, Floor, InvalidRule, InvalidTable, Question, Rule,
    Tables, rules_from_json,
};
use mcp_provider::{BoxError, JsonObject, async_trait};
use serde_json::{Value, json};

use crate::transcript::Transcript;

/// What may be called without asking anybody, and what may never be.
pub(crate) fn rules() -> Result<Vec<Rule>, InvalidRule> {
    rules_from_json(&json!([
        { "tool": "remote_*", "decision": "allow" },
        { "tool": "local_*", "decision": "allow" },
        { "tool": "fs_*", "decision": "allow" },
        { "tool": "lock_*", "decision": "allow" },
        { "tool": "elsewhere_*", "decision": "allow" },
        { "tool": "sh_run", "decision": "allow", "command": "git" },
        { "tool": "sh_run", "decision": "deny", "command": "git", "args": ["push"],
          "note": "a person publishes" },
    ]))
}

/// What certainly destroys is denied, whoever is asked.
pub(crate) fn floor() -> Floor {
    Floor::new("/home/ada")
}

/// Which argument of `sh_run` a shell is given.
pub(crate) fn tables() -> Result<Tables, InvalidTable> {
    let mut tables = Tables::default();
    tables.commands = CommandParams::from_json(&json!({ "sh_run": { "shell": "command" } }))?;
    Ok(tables)
}

/// A model that judges calls, as `sampling/createMessage` would reach it: formatting is harmless,
/// and of anything else it cannot tell whether the user wants it.
pub(crate) async fn review(params: Value) -> Result<Value, BoxError> {
    let record = params["messages"][0]["content"]["text"].as_str().unwrap_or_default();
    let verdict = match record.contains("cargo fmt") {
        true => json!({ "harm": "low", "authorized": "yes", "rationale": "It only formats." }),
        false => json!({ "harm": "medium", "authorized": "unclear", "rationale": "Nobody said." }),
    };
    let content = json!({ "type": "text", "text": verdict.to_string() });
    Ok(json!({ "role": "assistant", "content": content, "model": "m", "stopReason": "endTurn" }))
}

/// A person who always allows the tests, and nothing else.
pub(crate) struct Person(pub(crate) Arc<Transcript>);

#[async_trait]
impl Asker for Person {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        let answer = match question.display.contains("cargo test") {
            true => Answer::AlwaysAllow { rules: None },
            false => Answer::DenyOnce,
        };
        self.0.permission(&question, &answer);
        Ok(answer)
    }

    /// Answers the server's question, as a user would in a dialog.
    async fn elicit(&self, request: Value) -> Option<JsonObject> {
        self.0.question(request["message"].as_str()?);
        json!({ "action": "accept", "content": { "name": "Ada" } }).as_object().cloned()
    }
}

/// Puts a server's question to whoever the policy over its client asks.
pub(crate) async fn answer(asked: Asked<ElicitParams>) -> Result<ElicitResult, BoxError> {
    let request = serde_json::to_value(&asked.params)?;
    let answer = ElicitHook::default().elicit(request, Some(&asked.extensions)).await;
    Ok(serde_json::from_value(Value::Object(answer))?)
}
