//! Who approves what: a scripted agent, a scripted reviewer and a scripted person, no network.
//!
//! `cargo run -p mcp-approval --example approve` prints the same transcript every time.
#![allow(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use std::sync::Arc;

use mcp_approval::policy::{Floor, Policy, rules_from_json};
use mcp_approval::{
    Approval, ApprovalPolicy, Catalogue, Context, Decision, LlmApproval, Request, Risk, Risks,
    Sampling, ToolReason,
};
use mcp_provider::time::TokioTimer;
use mcp_provider::{BoxError, JsonObject, Provider, ProviderExt, ToolCall, ToolDeclaration};
use mcp_reasons::{Collision, Guidance, Reasons};
use mcp_testkit::Scripted;
use serde_json::{Value, json};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), BoxError> {
    // What the host knows about its tools.
    let risks = Risks::new().declare("fs_read", Risk::ReadOnly)?.resolve("fs_*", secrets)?;

    // The layer that asks for reasons does what the setting says.
    let plan = ToolReason::Enabled.plan(&risks).ok_or("reasons are off")?;
    let reasons = Reasons::new(tools())
        .only(move |tool| plan.wants(tool))
        .on_collision(Collision::Error)
        .guidance(Guidance::InInstructions);
    let reasons = Arc::new(reasons);
    let catalogue = Catalogue::new();
    let context = Context::new(risks).catalogue(catalogue.clone()).reasons({
        let reasons = Arc::clone(&reasons);
        move |tool| reasons.augmented_tools().iter().any(|it| it == tool)
    });

    // A model reviews, a person decides what it must not, and the agent above denies commands.
    let reviewer = LlmApproval::builder(Sampling::new(review), TokioTimer::new())
        .human(person)
        .build(context.clone())?;
    let approval = Approval::with_policy(context, ApprovalPolicy::ask(no_commands))
        .child(ApprovalPolicy::ask(reviewer));

    let rules = rules_from_json(&json!([
        { "tool": "fs_write", "decision": "deny", "under": "/etc", "note": "not ours" },
    ]))?;
    let tools = Policy::builder(reasons.layer(|inner| catalogue.watch(inner)))
        .rules(rules)
        .floor(Floor::new("/home/dev"))
        .asker(approval)
        .build()?;
    tools.tools_for_llm().await?;

    for (tool, arguments) in calls() {
        println!("{tool} {arguments}");
        let call = ToolCall::new("call_1", tool, arguments);
        for result in tools.execute_tool_calls(vec![call]).await {
            println!("    -> {}\n", result.content.replace("\n\n", "\n       "));
        }
    }
    Ok(())
}

/// What the agent does.
fn calls() -> [(&'static str, Value); 6] {
    [
        ("fs_read", json!({ "path": "/srv/notes.md" })),
        ("fs_write", json!({ "path": "/srv/notes.md", "content": "Hi", "reason": "You asked" })),
        ("fs_write", json!({ "path": "/etc/passwd", "content": "", "reason": "It is harmless" })),
        ("fs_write", json!({ "path": "/srv/.env", "content": "KEY=1", "reason": "Set the key" })),
        ("fs_write", json!({ "path": "/srv/draft", "content": "", "reason": "Publish" })),
        ("sh_run", json!({ "command": "make", "args": ["deploy"], "reason": "Last step" })),
    ]
}

/// The reviewer: it speaks as a model would that `sampling/createMessage` reaches.
async fn review(params: Value) -> Result<Value, BoxError> {
    let text = params["messages"][0]["content"]["text"].as_str().unwrap_or_default();
    let harm = if text.contains("Publish") { "high" } else { "low" };
    let verdict = json!({ "harm": harm, "authorized": "yes", "rationale": "as the user asked" });
    let content = json!({ "type": "text", "text": verdict.to_string() });
    Ok(
        json!({ "role": "assistant", "content": content, "model": "scripted", "stopReason": "endTurn" }),
    )
}

/// The person: publishes to a place of their own, and touches no secrets.
fn person(request: &Request) -> Result<Decision, BoxError> {
    println!("    a person is asked: {} ({})", request.binding.to_json(), request.risk);
    println!("        the agent says: {:?}", request.reason.as_deref().unwrap_or("nothing"));
    println!("        the reviewer says: {}", request.advice.as_deref().unwrap_or("nothing"));
    if request.risk == Risk::Sensitive {
        return Ok(Decision::deny("Secrets are set by hand; tell the user which one you need"));
    }
    let mut arguments = request.arguments.clone();
    arguments.insert("path".to_owned(), json!("/srv/outbox/draft"));
    Ok(Decision::Edit { arguments })
}

/// The agent above: whatever a child's reviewer says, no commands.
fn no_commands(request: &Request) -> Result<Decision, BoxError> {
    match request.tool.as_str() {
        "sh_run" => Ok(Decision::deny("This agent runs no commands; leave that to the user")),
        _ => Ok(Decision::Allow),
    }
}

/// Raises what looks like a secret.
fn secrets(_tool: &str, arguments: &JsonObject) -> Risk {
    let path = arguments.get("path").and_then(Value::as_str).unwrap_or_default();
    if path.ends_with(".env") { Risk::Sensitive } else { Risk::ReadOnly }
}

fn tools() -> Scripted {
    Scripted::new([
        ToolDeclaration::new("fs_read").with_description("Reads a file."),
        ToolDeclaration::new("fs_write").with_description("Writes a file."),
        ToolDeclaration::new("sh_run").with_description("Runs a command."),
    ])
}
