//! Policies over a provider that records what reaches it, and humans from a script.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::sync::{Arc, Mutex};

use mcp_policy::{
    Answer, Asker, Decision, Explanation, Floor, Policy, PolicyBuilder, Question, Tables,
    rules_from_json,
};
use mcp_provider::location::{Locations, PathParams, PathStyle, Roots};
use mcp_provider::{
    BoxError, JsonObject, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult,
    async_trait,
};
use serde_json::{Value, json};

/// A provider with the tools `read`, `write`, `move` and `delete`, which records its batches.
#[derive(Clone, Default)]
pub(crate) struct Fake {
    pub(crate) batches: Arc<Mutex<Vec<Vec<ToolCall>>>>,
    pub(crate) panics: bool,
    pub(crate) is_short: bool,
    pub(crate) cannot_list: bool,
}

impl Fake {
    /// The names in each batch so far.
    pub(crate) fn seen(&self) -> Vec<Vec<String>> {
        let batches = self.batches.lock().unwrap();
        batches.iter().map(|it| it.iter().map(|it| it.name.clone()).collect()).collect()
    }
}

#[async_trait]
impl Provider for Fake {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        assert!(!self.panics, "the well ran dry");
        if self.cannot_list {
            return Err(ProviderError::new("the well ran dry"));
        }
        Ok(["read", "write", "move", "delete"].map(ToolDeclaration::new).into())
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.batches.lock().unwrap().push(calls.clone());
        assert!(!self.panics, "the well ran dry");
        let many = if self.is_short { 1 } else { calls.len() };
        calls.into_iter().take(many).map(|it| ToolResult::ok(it.id, it.name)).collect()
    }
}

/// What a scripted human does with a question.
pub(crate) type Reply = Box<dyn Fn(&Question) -> Result<Answer, BoxError> + Send + Sync>;

/// A human who answers as a function says, and remembers what they were asked and told.
pub(crate) struct Human {
    pub(crate) reply: Reply,
    pub(crate) asked: Arc<Mutex<Vec<Question>>>,
    pub(crate) granted: Arc<Mutex<Vec<Vec<String>>>>,
    pub(crate) elicited: Arc<Mutex<Vec<Value>>>,
}

/// What a human was asked and told.
#[derive(Clone)]
pub(crate) struct Record {
    pub(crate) asked: Arc<Mutex<Vec<Question>>>,
    pub(crate) granted: Arc<Mutex<Vec<Vec<String>>>>,
    pub(crate) elicited: Arc<Mutex<Vec<Value>>>,
}

impl Record {
    pub(crate) fn times(&self) -> usize {
        self.asked.lock().unwrap().len()
    }

    pub(crate) fn question(&self, place: usize) -> Question {
        self.asked.lock().unwrap()[place].clone()
    }
}

impl Human {
    pub(crate) fn new(
        reply: impl Fn(&Question) -> Result<Answer, BoxError> + Send + Sync + 'static,
    ) -> (Self, Record) {
        let record =
            Record { asked: Arc::default(), granted: Arc::default(), elicited: Arc::default() };
        let human = Self {
            reply: Box::new(reply),
            asked: Arc::clone(&record.asked),
            granted: Arc::clone(&record.granted),
            elicited: Arc::clone(&record.elicited),
        };
        (human, record)
    }

    /// A human who answers every question with one JSON answer.
    pub(crate) fn saying(answer: Value) -> (Self, Record) {
        Self::new(move |_| Ok(Answer::from_json(&answer)?))
    }
}

#[async_trait]
impl Asker for Human {
    async fn ask(&self, question: Question) -> Result<Answer, BoxError> {
        self.asked.lock().unwrap().push(question.clone());
        (self.reply)(&question)
    }

    async fn elicit(&self, request: Value) -> Option<JsonObject> {
        self.elicited.lock().unwrap().push(request);
        json!({ "action": "accept", "content": { "name": "Ada" } }).as_object().cloned()
    }

    fn granted(&self, grants: &[mcp_policy::Rule]) {
        let grants = grants.iter().map(ToString::to_string).collect();
        self.granted.lock().unwrap().push(grants);
    }
}

/// A policy with these rules, to be finished.
pub(crate) fn with_rules<P>(inner: P, rules: &Value) -> PolicyBuilder<P> {
    Policy::builder(inner).rules(rules_from_json(rules).unwrap())
}

pub(crate) fn tables(roots: &Value, params: &Value) -> Tables {
    let roots = Roots::from_json(roots, PathStyle::Posix).unwrap();
    let mut tables = Tables::default();
    tables.locations = Locations::new(roots, PathParams::from_json(params).unwrap());
    tables
}

/// The floor that the tables of cases are about.
pub(crate) fn floor() -> Floor {
    Floor::new("/home/dev").config("/home/dev/.agent")
}

/// Everything about a call under rules that stand alone.
pub(crate) fn explain(rules: &Value, roots: &Value, tool: &str, args: &Value) -> Explanation {
    let policy = with_rules((), rules).tables(tables(roots, &json!({}))).build().unwrap();
    policy.explain(&ToolCall::new("1", tool, args.clone()))
}

pub(crate) fn decision(rules: &Value, tool: &str, args: &Value) -> Decision {
    explain(rules, &json!({}), tool, args).decision
}

/// The arguments of a tool that runs a program: a script for bash.
pub(crate) fn script(text: &str) -> Value {
    json!({ "command": "bash", "args": ["-c", text] })
}

/// The arguments of a tool that runs a program: its words.
pub(crate) fn argv(words: &[&str]) -> Value {
    json!({ "command": words[0], "args": words[1..] })
}

/// The rows of a file of cases.
pub(crate) fn rows(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The names of decisions that a row accepts.
pub(crate) fn accepted(row: &Value) -> Vec<String> {
    match row {
        Value::String(text) => text.split('|').map(str::to_owned).collect(),
        other => serde_json::from_value(other.clone()).unwrap(),
    }
}
