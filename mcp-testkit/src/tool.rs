//! A tool: what it is called, what it takes, and what it does.

use std::future::Future;

use mcp_provider::{JsonObject, ToolDeclaration};
use serde_json::{Value, json};

use crate::handler::Handler;
use crate::rpc::object;
use crate::{ToolContext, ToolOutput};

/// A tool that an async closure implements.
#[derive(Clone, Debug)]
pub struct Tool {
    name: String,
    description: Option<String>,
    parameters: Option<JsonObject>,
    members: JsonObject,
    pub(crate) handler: Handler,
}

impl Tool {
    /// A tool without a description or parameters.
    pub fn new<F, R>(
        name: impl Into<String>,
        handler: impl Fn(JsonObject, ToolContext) -> F + Send + Sync + 'static,
    ) -> Self
    where
        F: Future<Output = R> + Send + 'static,
        R: Into<ToolOutput>,
    {
        Self {
            name: name.into(),
            description: None,
            parameters: None,
            members: JsonObject::new(),
            handler: Handler::new(handler),
        }
    }

    /// Says what the tool does.
    #[must_use]
    pub fn description(self, description: impl Into<String>) -> Self {
        Self { description: Some(description.into()), ..self }
    }

    /// Sets the JSON Schema of the arguments; what is not an object is none.
    #[must_use]
    pub fn parameters(self, schema: Value) -> Self {
        Self { parameters: Some(object(schema)).filter(|schema| !schema.is_empty()), ..self }
    }

    /// Sets the annotations.
    #[must_use]
    pub fn annotations(self, annotations: Value) -> Self {
        self.member("annotations", annotations)
    }

    /// Sets another member of the tool's listing: `title`, `outputSchema`, `_meta`, …
    #[must_use]
    pub fn member(mut self, name: impl Into<String>, value: Value) -> Self {
        self.members.insert(name.into(), value);
        self
    }

    /// What the tool is called.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The tool as a model sees it.
    pub fn declaration(&self) -> ToolDeclaration {
        let mut declaration = ToolDeclaration::new(&*self.name);
        if let Some(description) = &self.description {
            declaration = declaration.with_description(&**description);
        }
        if let Some(parameters) = &self.parameters {
            declaration = declaration.with_parameters(parameters.clone());
        }
        declaration
    }

    /// The tool as a server lists it.  Without parameters there is no `inputSchema`.
    pub fn listing(&self) -> Value {
        let mut tool = JsonObject::new();
        tool.insert("name".to_owned(), json!(self.name));
        if let Some(description) = &self.description {
            tool.insert("description".to_owned(), json!(description));
        }
        if let Some(parameters) = &self.parameters {
            tool.insert("inputSchema".to_owned(), Value::Object(parameters.clone()));
        }
        tool.extend(self.members.clone());
        Value::Object(tool)
    }
}
