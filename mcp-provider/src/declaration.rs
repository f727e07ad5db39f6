//! A tool as a model sees it.

use std::fmt;
use std::sync::Arc;

use serde_json::{Value, json};

use crate::shape::{fill, take};
use crate::{JsonObject, Parameters};

/// One tool, declared for a model in the shape of OpenAI function calling.
///
/// ```json
/// {"type": "function", "function": {"name": "…", "description": "…", "parameters": {…}}}
/// ```
///
/// A declaration is shared, not copied: cloning one is cheap, and the `with_` methods make a
/// new one that shares what they do not change.  Members that nobody here knows, and the order
/// of all of them, survive.  A declaration without a readable name keeps its JSON exactly as it
/// came.
#[derive(Clone)]
pub struct ToolDeclaration(Arc<Inner>);

#[derive(Clone)]
enum Inner {
    Function(Function),
    Unreadable(Value),
}

#[derive(Clone)]
struct Function {
    name: String,
    description: Option<Value>,
    parameters: Option<Parameters>,
    /// The members around the function and inside it, if they are not the usual ones.
    rest: Option<Arc<(JsonObject, JsonObject)>>,
}

impl ToolDeclaration {
    /// Declares a tool that takes any object.
    pub fn new(name: impl Into<String>) -> Self {
        Self(Arc::new(Inner::Function(Function {
            name: name.into(),
            description: None,
            parameters: Some(Parameters::default()),
            rest: None,
        })))
    }

    /// Reads a declaration from JSON, whatever it holds.
    pub fn from_json(json: Value) -> Self {
        Self(Arc::new(match Function::read(json) {
            Ok(function) => Inner::Function(function),
            Err(json) => Inner::Unreadable(json),
        }))
    }

    /// The declaration as JSON.
    pub fn to_json(&self) -> Value {
        match &*self.0 {
            Inner::Function(function) => function.to_json(),
            Inner::Unreadable(json) => json.clone(),
        }
    }

    /// The name a call must use, or nothing where the declaration has none that is a string.
    pub fn name(&self) -> Option<&str> {
        self.function().map(|function| &*function.name)
    }

    /// What the tool does, in the words of whoever offers it.
    pub fn description(&self) -> Option<&str> {
        self.function()?.description.as_ref()?.as_str()
    }

    /// The JSON Schema of the arguments, where there is one that is an object.
    pub fn parameters(&self) -> Option<&Parameters> {
        self.function()?.parameters.as_ref()
    }

    /// The same tool under another name.  Without a readable name there is nothing to change.
    pub fn with_name(&self, name: impl Into<String>) -> Self {
        self.changed(|function| function.name = name.into())
    }

    /// The same tool with another description.
    pub fn with_description(&self, description: impl Into<String>) -> Self {
        self.changed(|function| function.description = Some(Value::String(description.into())))
    }

    /// The same tool with another schema of its arguments.
    pub fn with_parameters(&self, parameters: impl Into<Parameters>) -> Self {
        self.changed(|function| function.parameters = Some(parameters.into()))
    }

    /// Whether the two are one declaration, as far as can be seen without reading a schema.
    ///
    /// A layer that prepared a declaration once need not do so again for the same one.  Two that
    /// were read from JSON apart are never the same, though they may be equal.
    pub fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
            || matches!((self.function(), other.function()), (Some(a), Some(b)) if a.is_same(b))
    }

    fn function(&self) -> Option<&Function> {
        match &*self.0 {
            Inner::Function(function) => Some(function),
            Inner::Unreadable(_) => None,
        }
    }

    fn changed(&self, change: impl FnOnce(&mut Function)) -> Self {
        let mut inner = Inner::clone(&self.0);
        if let Inner::Function(function) = &mut inner {
            change(function);
        }
        Self(Arc::new(inner))
    }
}

impl Function {
    /// Takes a declaration apart, or hands it back where it has no readable name.
    fn read(json: Value) -> Result<Self, Value> {
        let is_readable = json.pointer("/function/name").is_some_and(Value::is_string);
        let Value::Object(mut outer) = json else { return Err(json) };
        let function = match outer.get_mut("function") {
            Some(function) if is_readable => function.take(),
            _ => return Err(Value::Object(outer)),
        };
        let Value::Object(mut inner) = function else { return Err(Value::Object(outer)) };
        let Value::String(name) = take(&mut inner, "name") else {
            return Err(Value::Object(outer));
        };
        let description =
            inner.contains_key("description").then(|| take(&mut inner, "description"));
        let parameters = match inner.get_mut("parameters") {
            Some(Value::Object(schema)) => Some(Parameters::from(std::mem::take(schema))),
            _ => None,
        };
        Ok(Self { name, description, parameters, rest: Some(Arc::new((outer, inner))) })
    }

    fn is_same(&self, other: &Self) -> bool {
        let rest = match (&self.rest, &other.rest) {
            (Some(rest), Some(other)) => Arc::ptr_eq(rest, other),
            (None, None) => true,
            _ => false,
        };
        let parameters = match (&self.parameters, &other.parameters) {
            (Some(parameters), Some(other)) => parameters.is_same(other),
            (None, None) => true,
            _ => false,
        };
        rest && parameters && self.name == other.name && self.description == other.description
    }

    fn to_json(&self) -> Value {
        let usual = (JsonObject::new(), JsonObject::new());
        let (outer, inner) = self.rest.as_deref().unwrap_or(&usual);
        // A member of another type than expected was never taken out of the rest.
        let parameters = match &self.parameters {
            Some(parameters) => Some(parameters.to_json()),
            None => inner.get("parameters").cloned(),
        };
        let function = fill(
            inner,
            [
                ("name", Some(Value::String(self.name.clone()))),
                ("description", self.description.clone()),
                ("parameters", parameters),
            ],
        );
        let kind =
            outer.get("type").cloned().or_else(|| self.rest.is_none().then(|| json!("function")));
        Value::Object(fill(outer, [("type", kind), ("function", Some(Value::Object(function)))]))
    }
}

impl PartialEq for ToolDeclaration {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0) || self.to_json() == other.to_json()
    }
}

impl fmt::Debug for ToolDeclaration {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.to_json())
    }
}
