//! A model gives paths back.

use mcp_provider::{ToolCall, ToolResult};

use crate::agent::Agent;
use crate::lock::arguments;
use crate::{Released, words};

impl Agent {
    /// Runs a call to `lock_release`.
    pub(crate) async fn release(&self, call: &ToolCall) -> ToolResult {
        let id = call.id.clone();
        let paths = match arguments::release(call) {
            Ok(paths) => paths,
            Err(why) => return ToolResult::not_sent(id, why),
        };
        let Some(paths) = paths else {
            return match self.store.release(&self.holder, None).await {
                Ok(Released { released, .. }) if released.is_empty() => {
                    ToolResult::ok(id, words::NOTHING_HELD)
                }
                Ok(released) => ToolResult::ok(id, words::released(&released, &[])),
                Err(error) => ToolResult::unknown(id, words::lock_unknown(&error)),
            };
        };
        if paths.is_empty() {
            return ToolResult::ok(id, words::NOTHING_NAMED);
        }
        let (places, unreadable) = self.lock_places(&call.name, &paths);
        match self.store.release(&self.holder, Some(&places)).await {
            Ok(released) => ToolResult::ok(id, words::released(&released, &unreadable)),
            Err(error) => ToolResult::unknown(id, words::lock_unknown(&error)),
        }
    }
}
