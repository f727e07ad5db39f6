//! Suggestions for the arguments of prompts and templates: `completion/complete`.

use std::collections::BTreeMap;

use crate::object::object;
use crate::tagged::tagged;
use crate::{Extra, JsonObject, ResultType};

object! {
    /// What `completion/complete` is asked with.
    pub struct CompleteParams {
        /// What has the argument.
        pub reference: CompletionReference => "ref",
        /// The argument, as far as it is typed.
        pub argument: CompletionArgument => "argument",
        /// What is known already (since 2025-06-18).
        pub context: Option<CompletionContext> => "context",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl CompleteParams {
    /// Creates the parameters that ask for more of `argument`.
    pub fn new(reference: impl Into<CompletionReference>, argument: CompletionArgument) -> Self {
        Self {
            reference: reference.into(),
            argument,
            context: None,
            meta: None,
            extra: Extra::default(),
        }
    }
}

tagged! {
    /// What an argument belongs to.
    pub enum CompletionReference by "type" {
        /// A prompt.
        Prompt(PromptReference) = "ref/prompt",
        /// A resource or a template of resources.
        ResourceTemplate(ResourceTemplateReference) = "ref/resource",
    }
}

object! {
    /// A prompt, by name.
    pub struct PromptReference: "type" = "ref/prompt" {
        /// The prompt's name.
        pub name: String => "name",
        /// The name for people.
        pub title: Option<String> => "title",
    }
}

impl PromptReference {
    /// Creates a reference to the prompt called `name`.
    pub fn new(name: impl Into<String>) -> Self {
        Self { name: name.into(), title: None, extra: Extra::default() }
    }
}

object! {
    /// A resource or a template of resources, by address.
    pub struct ResourceTemplateReference: "type" = "ref/resource" {
        /// The address or its pattern.
        pub uri: String => "uri",
    }
}

impl ResourceTemplateReference {
    /// Creates a reference to `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), extra: Extra::default() }
    }
}

object! {
    /// An argument that is being typed.
    #[derive(Default)]
    pub struct CompletionArgument {
        /// Its name.
        pub name: String => "name" or default,
        /// What is typed so far.
        pub value: String => "value" or default,
    }
}

impl CompletionArgument {
    /// Creates an argument of which `value` is typed.
    pub fn new(name: impl Into<String>, value: impl Into<String>) -> Self {
        Self { name: name.into(), value: value.into(), ..Self::default() }
    }
}

object! {
    /// What is known when an argument is completed.
    #[derive(Default)]
    pub struct CompletionContext {
        /// The other arguments.
        pub arguments: Option<BTreeMap<String, String>> => "arguments",
    }
}

object! {
    /// What `completion/complete` answers.
    #[derive(Default)]
    pub struct CompleteResult {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The suggestions.
        pub completion: Completion => "completion" or default,
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

object! {
    /// Suggestions for an argument.
    #[derive(Default)]
    pub struct Completion {
        /// The suggestions, a hundred at most.
        pub values: Vec<String> => "values" or default,
        /// How many there are in all.
        pub total: Option<u64> => "total",
        /// Whether there are more than these.
        pub has_more: Option<bool> => "hasMore",
    }
}
