//! A whole stack over tools that record what reaches them, and approvers from a script.
#![allow(clippy::panic, clippy::unwrap_used, reason = "a test fails by panicking")]
#![allow(dead_code, reason = "each test file uses a part")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use mcp_approval::policy::{Asker, Floor, Policy, Question, rules_from_json};
use mcp_approval::{
    Approver, Catalogue, Context, Decision, Model, ModelError, Prompt, Request, Risk, Risks,
    ToolReason, Watched, async_trait,
};
use mcp_provider::{
    BoxError, JsonObject, Provider, ProviderExt, ToolCall, ToolDeclaration, ToolResult,
};
use mcp_reasons::{Collision, Guidance, Reasons};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

/// The tools of every test: what they take, and what the host says of them.
pub(crate) fn tools() -> Scripted {
    let tool = |name: &str, description: &str, schema: Value| {
        ToolDeclaration::new(name)
            .with_description(description)
            .with_parameters(schema.as_object().unwrap().clone())
    };
    let path = json!({ "path": { "type": "string" } });
    let file = json!({ "path": { "type": "string" }, "content": { "type": "string" } });
    Scripted::new([
        tool("fs_read", "Reads a file.", json!({ "type": "object", "properties": path })),
        tool(
            "fs_list",
            "Lists a folder.",
            json!({
                "type": "object",
                "properties": { "path": { "type": "string" }, "reason": { "type": "string" } },
            }),
        ),
        tool(
            "fs_write",
            "Writes a file.",
            json!({
                "type": "object",
                "properties": file,
                "required": ["path", "content"],
                "additionalProperties": false,
            }),
        ),
        tool(
            "sh_run",
            "Runs a command.",
            json!({
                "type": "object",
                "properties": { "command": { "type": "string" }, "args": { "type": "array" } },
            }),
        ),
    ])
}

/// Reading is read-only, but what looks like a secret is sensitive.
pub(crate) fn risks() -> Risks {
    let secret = |_: &str, arguments: &JsonObject| {
        let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
        if path.ends_with(".env") { Risk::Sensitive } else { Risk::ReadOnly }
    };
    Risks::new()
        .declare("fs_list", Risk::ReadOnly)
        .and_then(|it| it.declare("fs_read", Risk::ReadOnly))
        .and_then(|it| it.resolve("fs_read", secret))
        .and_then(|it| it.resolve("fs_write", secret))
        .unwrap()
}

pub(crate) type Stack = Policy<Watched<Arc<Reasons<Scripted>>>>;

/// How a stack is made: its tools, and what is known about them.
pub(crate) struct Setup {
    pub(crate) tools: Scripted,
    pub(crate) context: Context,
    catalogue: Catalogue,
    reasons: Arc<Reasons<Scripted>>,
}

impl Setup {
    pub(crate) fn new() -> Self {
        let tools = tools();
        let plan = ToolReason::Enabled.plan(&risks()).unwrap();
        let reasons = Reasons::new(tools.clone())
            .only(move |tool| plan.wants(tool))
            .on_collision(Collision::Error)
            .guidance(Guidance::InInstructions);
        let reasons = Arc::new(reasons);
        let catalogue = Catalogue::new();
        let of = Arc::clone(&reasons);
        let context = Context::new(risks())
            .catalogue(catalogue.clone())
            .reasons(move |tool| of.augmented_tools().iter().any(|it| it == tool));
        Self { tools, context, catalogue, reasons }
    }

    /// The stack with these rules, after the model has seen its tools.
    pub(crate) async fn stack(&self, rules: Value, asker: impl Asker + 'static) -> Stack {
        let inner = Arc::clone(&self.reasons).layer(|inner| self.catalogue.watch(inner));
        let policy = Policy::builder(inner)
            .rules(rules_from_json(&rules).unwrap())
            .floor(Floor::new("/home/dev"))
            .asker(asker)
            .build()
            .unwrap();
        policy.tools_for_llm().await.unwrap();
        policy
    }
}

pub(crate) fn call(tool: &str, arguments: Value) -> ToolCall {
    ToolCall::new("call_1", tool, arguments)
}

pub(crate) fn write(path: &str) -> ToolCall {
    call("fs_write", json!({ "path": path, "content": "x" }))
}

pub(crate) fn object(json: Value) -> JsonObject {
    match json {
        Value::Object(object) => object,
        other => panic!("{other} is not an object"),
    }
}

pub(crate) async fn run(stack: &impl Provider, call: ToolCall) -> ToolResult {
    let mut results = stack.execute_tool_calls(vec![call]).await;
    assert_eq!(results.len(), 1);
    results.remove(0)
}

type Answers = Box<dyn Fn(&Request) -> Result<Decision, BoxError> + Send + Sync>;

/// An approver that says what a function says, and remembers what it was asked.
#[derive(Clone)]
pub(crate) struct Script(Arc<(Answers, Mutex<Vec<Request>>)>);

impl Script {
    pub(crate) fn new(
        said: impl Fn(&Request) -> Result<Decision, BoxError> + Send + Sync + 'static,
    ) -> Self {
        Self(Arc::new((Box::new(said), Mutex::default())))
    }

    pub(crate) fn says(decision: Decision) -> Self {
        Self::new(move |_| Ok(decision.clone()))
    }

    pub(crate) fn asked(&self) -> Vec<Request> {
        self.0.1.lock().unwrap().clone()
    }

    pub(crate) fn times(&self) -> usize {
        self.asked().len()
    }
}

#[async_trait]
impl Approver for Script {
    async fn decide(&self, request: &Request) -> Result<Decision, BoxError> {
        self.0.1.lock().unwrap().push(request.clone());
        self.0.0(request)
    }
}

/// A model that says these things one after another, then the last one for ever.
#[derive(Clone)]
pub(crate) struct Talk(Arc<Said>);

/// What a model will say, and what it was asked.
struct Said {
    words: Mutex<VecDeque<Word>>,
    prompts: Mutex<Vec<Prompt>>,
}

/// What a model does when it is asked.
#[derive(Clone, Debug)]
pub(crate) enum Word {
    Says(String),
    Fails,
    Panics,
    Hangs,
}

impl Talk {
    pub(crate) fn new(words: impl IntoIterator<Item = Word>) -> Self {
        let words = Mutex::new(words.into_iter().collect());
        Self(Arc::new(Said { words, prompts: Mutex::default() }))
    }

    pub(crate) fn says(text: impl Into<String>) -> Self {
        Self::new([Word::Says(text.into())])
    }

    pub(crate) fn prompts(&self) -> Vec<Prompt> {
        self.0.prompts.lock().unwrap().clone()
    }

    pub(crate) fn times(&self) -> usize {
        self.prompts().len()
    }
}

#[async_trait]
impl Model for Talk {
    async fn complete(&self, prompt: &Prompt) -> Result<String, ModelError> {
        self.0.prompts.lock().unwrap().push(prompt.clone());
        let word = {
            let mut words = self.0.words.lock().unwrap();
            if words.len() > 1 { words.pop_front() } else { words.front().cloned() }
        };
        match word.unwrap() {
            Word::Says(text) => Ok(text),
            Word::Fails => Err(ModelError::Other("the line is dead".into())),
            Word::Panics => panic!("the model fell over"),
            Word::Hangs => std::future::pending().await,
        }
    }
}

pub(crate) fn verdict(harm: &str, authorized: &str) -> String {
    json!({ "harm": harm, "authorized": authorized, "rationale": "because" }).to_string()
}

/// An asker that a question never reaches.
pub(crate) struct Nobody;

#[async_trait]
impl Asker for Nobody {
    async fn ask(&self, question: Question) -> Result<mcp_approval::policy::Answer, BoxError> {
        Err(format!("nobody expected {}", question.tool).into())
    }
}
