//! The tools of a server, and what a model is shown of them.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_protocol::{Tool, ToolAnnotations};
use mcp_provider::{Parameters, ToolDeclaration};
use serde_json::value::RawValue;

/// One listing of tools, worked out once however often it is looked at.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) tools: Arc<[Tool]>,
    pub(crate) declarations: Vec<ToolDeclaration>,
    /// Where each name stands; of a name that comes twice, the last with annotations.
    places: HashMap<String, usize>,
}

impl Catalogue {
    pub(crate) fn new(tools: Vec<Tool>) -> Self {
        let mut places = HashMap::with_capacity(tools.len());
        for (place, tool) in tools.iter().enumerate() {
            if tool.annotations.is_some() || !places.contains_key(&tool.name) {
                places.insert(tool.name.clone(), place);
            }
        }
        let declarations = tools.iter().map(declare).collect();
        Self { tools: tools.into(), declarations, places }
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.places.contains_key(name)
    }

    pub(crate) fn annotations(&self, name: &str) -> Option<&ToolAnnotations> {
        self.tools[*self.places.get(name)?].annotations.as_ref()
    }
}

/// A tool as a model is shown it: no title, annotations, output schema or icons.
fn declare(tool: &Tool) -> ToolDeclaration {
    let schema = RawValue::from_string(tool.input_schema.as_str().to_owned()).ok();
    let declaration = ToolDeclaration::new(&*tool.name);
    let declaration = match schema.filter(|_| !tool.input_schema.is_missing()) {
        Some(schema) => match Parameters::from_raw(schema) {
            Some(parameters) => declaration.with_parameters(parameters),
            None => declaration,
        },
        None => declaration,
    };
    match &tool.description {
        Some(description) => declaration.with_description(&**description),
        None => declaration,
    }
}
