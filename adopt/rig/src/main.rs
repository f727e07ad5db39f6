//! An agent of another framework whose own tools give reasons, with nothing of ours but
//! `mcp-reasons`.
//!
//! The model is rig's scripted one, so the program needs no network and no key.

mod reasoned;
mod tools;

use rig_core::agent::AgentBuilder;
use rig_core::completion::Prompt;
use rig_core::test_utils::{MockCompletionModel, MockTurn};
use serde_json::json;

use crate::reasoned::{Approval, reasoned};
use crate::tools::{AddNote, Write, received};

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let model = MockCompletionModel::new([
        MockTurn::tool_call(
            "call_1",
            "write",
            json!({ "path": "src/app.rs", "reason": "Add the guard you asked for" }),
        ),
        MockTurn::tool_call("call_2", "write", json!({ "path": "/etc/passwd" })),
        MockTurn::tool_call("call_3", "note_add", json!({ "reason": "A note's own reason" })),
        MockTurn::text("Done."),
    ]);
    let agent = AgentBuilder::new(model.clone())
        .tools(reasoned(vec![Box::new(Write), Box::new(AddNote)]))
        .hook(Approval(ask))
        .build();
    let answer = agent.prompt("Please add the guard").max_turns(5).await?;
    println!("model: {answer}");

    let shown = &model.requests()[0].tools;
    let gained = |name: &str| {
        let tool = shown.iter().find(|tool| tool.name == name);
        tool.is_some_and(|tool| {
            tool.parameters["properties"]["reason"]["description"] == mcp_reasons::DESCRIPTION
        })
    };
    assert!(gained("write"), "the model was shown the parameter");
    assert!(!gained("note_add"), "a tool with a reason of its own is left alone");
    assert_eq!(
        received(),
        [r#"write {"path":"src/app.rs"}"#, r#"note_add {"reason":"A note's own reason"}"#],
        "no tool saw a reason that is not its own, and what was refused did not run"
    );
    Ok(())
}

/// The person at the screen: reads the arguments first, and the reason beside them.
fn ask(tool: &str, arguments: &str, reason: Option<String>) -> bool {
    let allowed = !arguments.contains("/etc/");
    println!("{tool} {arguments}");
    println!("  why: {}", reason.as_deref().unwrap_or("(the model does not say)"));
    println!("  {}", if allowed { "allowed" } else { "refused" });
    allowed
}
