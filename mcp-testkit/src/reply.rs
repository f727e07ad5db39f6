//! What a scripted provider does with a call.

use std::future::pending;

use mcp_provider::{ToolCall, ToolResult};

use crate::Latch;

/// What a scripted provider does with a call.
#[derive(Clone, Debug)]
pub struct Reply {
    act: Act,
    latch: Option<Latch>,
}

#[derive(Clone, Debug)]
enum Act {
    Answer(Box<ToolResult>),
    Panic(String),
    Hang,
    Omit,
}

impl Reply {
    /// A call that works.
    pub fn ok(content: impl Into<String>) -> Self {
        Self::result(ToolResult::ok("", content))
    }

    /// A call that fails.
    pub fn error(content: impl Into<String>) -> Self {
        Self::result(ToolResult::error("", content))
    }

    /// A whole result; one without an id gets its call's.
    pub fn result(result: ToolResult) -> Self {
        Self { act: Act::Answer(Box::new(result)), latch: None }
    }

    /// A panic.
    pub fn panic(message: impl Into<String>) -> Self {
        Self { act: Act::Panic(message.into()), latch: None }
    }

    /// A call that never ends.
    pub fn hang() -> Self {
        Self { act: Act::Hang, latch: None }
    }

    /// No result at all, so that there are fewer results than calls.
    pub fn omit() -> Self {
        Self { act: Act::Omit, latch: None }
    }

    /// The same once `latch` is open.
    #[must_use]
    pub fn after(self, latch: &Latch) -> Self {
        Self { latch: Some(latch.clone()), ..self }
    }

    #[allow(clippy::panic, reason = "a test asked for it")]
    pub(crate) async fn play(self, call: ToolCall) -> Option<ToolResult> {
        if let Some(latch) = self.latch {
            latch.opened().await;
        }
        match self.act {
            Act::Answer(mut result) => {
                if result.tool_call_id.is_empty() {
                    result.tool_call_id = call.id;
                }
                Some(*result)
            }
            Act::Panic(message) => panic!("{message}"),
            Act::Hang => pending().await,
            Act::Omit => None,
        }
    }
}

impl From<&str> for Reply {
    fn from(content: &str) -> Self {
        Self::ok(content)
    }
}

impl From<ToolResult> for Reply {
    fn from(result: ToolResult) -> Self {
        Self::result(result)
    }
}
