//! The tools of a server, and what a model is shown of them.

use std::collections::HashMap;
use std::sync::Arc;

use mcp_protocol::{MirroredParams, Tool, ToolAnnotations};
use mcp_provider::{Parameters, ToolDeclaration};
use serde_json::value::RawValue;

/// One listing of tools, worked out once however often it is looked at.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) tools: Arc<[Tool]>,
    pub(crate) declarations: Vec<ToolDeclaration>,
    /// Where each name stands; of a name that comes twice, the last with annotations.
    places: HashMap<String, usize>,
    /// What calls of these tools repeat in headers; most repeat nothing.
    mirrored: HashMap<String, MirroredParams>,
    /// The tools that were left out, and why each was.
    left_out: HashMap<String, String>,
}

impl Catalogue {
    /// The tools that can be called, and what is wrong with each of the others.
    pub(crate) fn collect(tools: Vec<Tool>, mirrors: bool) -> (Self, Vec<String>) {
        match mirrors {
            true => Self::mirroring(tools),
            false => (Self::new(tools), Vec::new()),
        }
    }

    fn new(tools: Vec<Tool>) -> Self {
        let mut places = HashMap::with_capacity(tools.len());
        for (place, tool) in tools.iter().enumerate() {
            if tool.annotations.is_some() || !places.contains_key(&tool.name) {
                places.insert(tool.name.clone(), place);
            }
        }
        let declarations = tools.iter().map(declare).collect();
        let (mirrored, left_out) = Default::default();
        Self { tools: tools.into(), declarations, places, mirrored, left_out }
    }

    /// A catalogue of a server that reads parameters from headers: without the tools whose schemas
    /// ask for that in a way that must not be followed.
    fn mirroring(tools: Vec<Tool>) -> (Self, Vec<String>) {
        let (mut kept, mut omissions) = (Vec::with_capacity(tools.len()), Vec::new());
        let (mut mirrored, mut left_out) = (HashMap::new(), HashMap::new());
        for tool in tools {
            match MirroredParams::of(&tool.input_schema) {
                Ok(params) => {
                    if !params.is_empty() {
                        mirrored.insert(tool.name.clone(), params);
                    }
                    kept.push(tool);
                }
                Err(fault) => {
                    omissions.push(format!("left the tool {:?} out: {fault}", tool.name));
                    left_out.insert(tool.name, fault.to_string());
                }
            }
        }
        (Self { mirrored, left_out, ..Self::new(kept) }, omissions)
    }

    /// The headers of a call, or why it cannot be made.
    pub(crate) fn mirrored(
        &self,
        name: &str,
        arguments: &RawValue,
    ) -> Result<Vec<(String, String)>, String> {
        match (self.mirrored.get(name), self.left_out.get(name)) {
            (Some(params), _) => params.values(arguments).map_err(|unfit| unfit.to_string()),
            (None, Some(fault)) if !self.contains(name) => {
                Err(format!("the tool {name:?} cannot be called: {fault}"))
            }
            (None, _) => Ok(Vec::new()),
        }
    }

    /// Whether this listing named the tool, for better or worse.
    pub(crate) fn has_judged(&self, name: &str) -> bool {
        self.contains(name) || self.left_out.contains_key(name)
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
