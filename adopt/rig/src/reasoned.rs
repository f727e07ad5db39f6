//! Any tool of rig's, with a reason; any hook of rig's, with the reason to show.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use mcp_reasons::{Guidance, augment, reason_in, strip};
use rig_core::agent::{PromptHook, ToolCallHookAction};
use rig_core::completion::{CompletionModel, ToolDefinition};
use rig_core::tool::{ToolDyn, ToolError};
use rig_core::wasm_compat::WasmBoxedFuture;

/// A tool that is shown with a reason, and called without.
struct Reasoned(Box<dyn ToolDyn>, AtomicBool);

impl ToolDyn for Reasoned {
    fn name(&self) -> String {
        self.0.name()
    }

    fn definition<'a>(&'a self, prompt: String) -> WasmBoxedFuture<'a, ToolDefinition> {
        Box::pin(async move {
            let mut shown = self.0.definition(prompt).await;
            let gained = augment(&mut shown.parameters, Guidance::InParameter).is_ok();
            self.1.store(gained, Relaxed);
            shown
        })
    }

    fn call<'a>(&'a self, args: String) -> WasmBoxedFuture<'a, Result<String, ToolError>> {
        let stripped = if self.1.load(Relaxed) { strip(&args) } else { None };
        self.0.call(stripped.unwrap_or(args))
    }
}

/// Every tool given, with a reason.
pub(crate) fn reasoned(tools: Vec<Box<dyn ToolDyn>>) -> Vec<Box<dyn ToolDyn>> {
    let with = |tool| Box::new(Reasoned(tool, AtomicBool::new(false))) as Box<dyn ToolDyn>;
    tools.into_iter().map(with).collect()
}

/// Asks before each call, with the reason beside the arguments.
#[derive(Clone)]
pub(crate) struct Approval(pub(crate) fn(&str, &str, Option<String>) -> bool);

impl<M: CompletionModel> PromptHook<M> for Approval {
    async fn on_tool_call(
        &self,
        tool: &str,
        _call_id: Option<String>,
        _internal_id: &str,
        args: &str,
    ) -> ToolCallHookAction {
        match (self.0)(tool, args, reason_in(args)) {
            true => ToolCallHookAction::cont(),
            false => ToolCallHookAction::skip("The user said no"),
        }
    }
}
