//! Prompts: listed, and filled in.

use std::collections::BTreeMap;

use crate::object::object;
use crate::{CacheScope, ContentBlock, Extra, Icon, InputResponses, JsonObject, ResultType, Role};

object! {
    /// A prompt, or a template of one.
    pub struct Prompt {
        /// The name to get it by.
        pub name: String => "name",
        /// The name for people.
        pub title: Option<String> => "title",
        /// What the prompt is for.
        pub description: Option<String> => "description",
        /// What it can be filled in with.
        pub arguments: Option<Vec<PromptArgument>> => "arguments",
        /// Pictures of it.
        pub icons: Option<Vec<Icon>> => "icons",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl Prompt {
    /// Creates a prompt called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            arguments: None,
            icons: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// One thing that a prompt can be filled in with.
    pub struct PromptArgument {
        /// The name for programs.
        pub name: String => "name",
        /// The name for people.
        pub title: Option<String> => "title",
        /// What it is.
        pub description: Option<String> => "description",
        /// Whether the prompt needs it.
        pub required: Option<bool> => "required",
    }
}

impl PromptArgument {
    /// Creates an argument called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            title: None,
            description: None,
            required: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// What `prompts/list` answers: one page of prompts.
    #[derive(Default)]
    pub struct ListPromptsResult with unreadable {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The prompts, in the server's order.
        pub prompts: Vec<Prompt> => "prompts" or default,
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
    /// What `prompts/get` is asked with.
    pub struct GetPromptParams {
        /// The prompt's name.
        pub name: String => "name",
        /// What to fill it in with.
        pub arguments: Option<BTreeMap<String, String>> => "arguments",
        /// Answers to what the server asked in its last answer (2026-07-28).
        pub input_responses: Option<InputResponses> => "inputResponses",
        /// The state from the server's last answer, unchanged (2026-07-28).
        pub request_state: Option<String> => "requestState",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl GetPromptParams {
    /// Creates the parameters that get the prompt called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            arguments: None,
            input_responses: None,
            request_state: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

object! {
    /// What `prompts/get` answers once it is complete.
    #[derive(Default)]
    pub struct GetPromptResult with unreadable {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// What the prompt is for.
        pub description: Option<String> => "description",
        /// The prompt.
        pub messages: Vec<PromptMessage> => "messages" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// One message of a prompt.
    pub struct PromptMessage {
        /// Whose it is.
        pub role: Role => "role",
        /// What it says.
        pub content: ContentBlock => "content",
    }
}

impl PromptMessage {
    /// Creates a message by `role`.
    pub fn new(role: Role, content: impl Into<ContentBlock>) -> Self {
        Self { role, content: content.into(), extra: Extra::default() }
    }
}
