//! Tools: listed, described, and called.

use serde_json::Value;

use crate::object::object;
use crate::words::words;
use crate::{
    CacheScope, ContentBlock, Extra, Icon, InputResponses, JsonObject, ResultType, Schema,
};

object! {
    /// A tool that a client can call.
    pub struct Tool {
        /// The name to call it by.
        pub name: String => "name",
        /// The name for people.
        pub title: Option<String> => "title",
        /// What the tool does, for a model to read.
        pub description: Option<String> => "description",
        /// The JSON Schema of its arguments.
        pub input_schema: Schema => "inputSchema" or default,
        /// The JSON Schema of its structured content (since 2025-06-18).
        pub output_schema: Option<Schema> => "outputSchema",
        /// Hints on what calling it does.
        pub annotations: Option<ToolAnnotations> => "annotations",
        /// How it may be run (2025-11-25 only).
        pub execution: Option<ToolExecution> => "execution",
        /// Pictures of it.
        pub icons: Option<Vec<Icon>> => "icons",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl Tool {
    /// Creates a tool called `name` that takes what `input_schema` says.
    pub fn new(name: impl Into<String>, input_schema: impl Into<Schema>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            input_schema: input_schema.into(),
            output_schema: None,
            annotations: None,
            execution: None,
            icons: None,
            meta: None,
            extra: Extra::default(),
        }
    }

    /// Returns the name to show: the title, else the title among the hints, else the name.
    pub fn display_name(&self) -> &str {
        let hint = || self.annotations.as_ref()?.title.as_deref();
        self.title.as_deref().or_else(hint).unwrap_or(&self.name)
    }
}

object! {
    /// Hints on what calling a tool does; a server that is not trusted can say anything.
    #[derive(Default)]
    pub struct ToolAnnotations {
        /// The name for people.
        pub title: Option<String> => "title",
        /// Whether the tool leaves its surroundings as they are; absent means it may not.
        pub read_only_hint: Option<bool> => "readOnlyHint",
        /// Whether the tool may destroy something; absent means it may.
        pub destructive_hint: Option<bool> => "destructiveHint",
        /// Whether calling the tool again with the same arguments changes nothing more; absent
        /// means it does.
        pub idempotent_hint: Option<bool> => "idempotentHint",
        /// Whether the tool reaches beyond a closed world; absent means it does.
        pub open_world_hint: Option<bool> => "openWorldHint",
    }
}

object! {
    /// How a tool may be run (2025-11-25 only).
    #[derive(Default)]
    pub struct ToolExecution {
        /// Whether a call may run as a task; absent means it may not.
        pub task_support: Option<TaskSupport> => "taskSupport",
    }
}

words! {
    /// Whether a call to a tool may run as a task (2025-11-25 only).
    pub enum TaskSupport {
        /// It may not.
        Forbidden = "forbidden",
        /// It may.
        Optional = "optional",
        /// It has to.
        Required = "required",
    }
}

object! {
    /// What `tools/list` answers: one page of tools.
    #[derive(Default)]
    pub struct ListToolsResult with unreadable {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The tools, in the server's order.
        pub tools: Vec<Tool> => "tools" or default,
        /// Where the next page begins; an empty cursor is one too.
        pub next_cursor: Option<String> => "nextCursor",
        /// How many milliseconds the answer may be kept.
        pub ttl_ms: Option<f64> => "ttlMs",
        /// With whom the answer may be shared.
        pub cache_scope: Option<CacheScope> => "cacheScope",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// What `tools/call` is asked with.
    pub struct CallToolParams {
        /// The tool's name.
        pub name: String => "name",
        /// The arguments.
        pub arguments: Option<JsonObject> => "arguments",
        /// Answers to what the server asked in its last answer (2026-07-28).
        pub input_responses: Option<InputResponses> => "inputResponses",
        /// The state from the server's last answer, unchanged (2026-07-28).
        pub request_state: Option<String> => "requestState",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl CallToolParams {
    /// Creates the parameters of a call.
    pub fn new(name: impl Into<String>, arguments: JsonObject) -> Self {
        Self {
            name: name.into(),
            arguments: Some(arguments),
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// What `tools/call` answers once it is complete.
    #[derive(Default)]
    pub struct CallToolResult {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The result for a model to read; a missing list reads as empty.
        pub content: Vec<ContentBlock> => "content" or default,
        /// The result for programs: an object before 2026-07-28, any value but null since.
        pub structured_content: Option<Value> => "structuredContent",
        /// Whether the tool failed.
        pub is_error: Option<bool> => "isError",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl CallToolResult {
    /// Creates a result that says `text`.
    pub fn text(text: impl Into<String>) -> Self {
        Self { content: vec![ContentBlock::text(text)], ..Self::default() }
    }

    /// Creates the result of a tool that failed, and says why.
    pub fn error(text: impl Into<String>) -> Self {
        Self { is_error: Some(true), ..Self::text(text) }
    }

    /// Returns whether the tool failed: whether `isError` is exactly `true`.
    pub fn is_error(&self) -> bool {
        self.is_error == Some(true)
    }
}
