//! The tools of a server, and what a model is shown of them.

use std::cmp::Reverse;
use std::sync::{Arc, OnceLock};

use mcp_protocol::{Tool, ToolAnnotations};
use mcp_provider::{Parameters, ToolDeclaration};

use crate::Listing;
use crate::mirrors::Mirrors;

/// One listing of tools, worked out once however often it is looked at.
#[derive(Debug)]
pub(crate) struct Catalogue {
    pub(crate) tools: Listing<Tool>,
    /// What a model is shown, once one is: who only lists tools does not hold them twice.
    declarations: OnceLock<Vec<ToolDeclaration>>,
    /// Where each name stands, in the order of names, once somebody asks for one; of a name that
    /// comes twice, the last with annotations.
    places: OnceLock<Vec<usize>>,
    /// How they are called, if that takes more than their names.
    pub(crate) mirrors: Option<Arc<Mirrors>>,
}

impl Catalogue {
    /// The tools that can be called, and what is wrong with each of the others.
    pub(crate) fn collect(mut tools: Vec<Tool>, mirrors: bool) -> (Self, Vec<String>) {
        if !mirrors {
            return (Self::new(tools), Vec::new());
        }
        let (mirrors, omissions) = Mirrors::judge(&mut tools);
        (Self { mirrors: Some(Arc::new(mirrors)), ..Self::new(tools) }, omissions)
    }

    fn new(tools: Vec<Tool>) -> Self {
        let (declarations, places) = Default::default();
        Self { tools: tools.into(), declarations, places, mirrors: None }
    }

    /// The tools as a model is shown them, in the server's order.
    pub(crate) fn declarations(&self) -> &[ToolDeclaration] {
        self.declarations.get_or_init(|| self.tools.iter().map(declare).collect())
    }

    pub(crate) fn contains(&self, name: &str) -> bool {
        self.find(name).is_some()
    }

    pub(crate) fn annotations(&self, name: &str) -> Option<&ToolAnnotations> {
        self.find(name)?.annotations.as_ref()
    }

    fn find(&self, name: &str) -> Option<&Tool> {
        let places = self.places.get_or_init(|| places(&self.tools));
        let found = places.binary_search_by(|&place| self.tools[place].name.as_str().cmp(name));
        self.tools.get(*places.get(found.ok()?)?)
    }
}

/// One place for each name, in the order of names.
fn places(tools: &[Tool]) -> Vec<usize> {
    let mut places: Vec<usize> = (0..tools.len()).collect();
    // Of a name that comes twice, the one that counts comes first.
    let rank = |place: usize| match tools[place].annotations {
        Some(_) => Ok(Reverse(place)),
        None => Err(place),
    };
    places.sort_unstable_by(|&a, &b| {
        tools[a].name.cmp(&tools[b].name).then_with(|| rank(a).cmp(&rank(b)))
    });
    places.dedup_by(|later, first| tools[*later].name == tools[*first].name);
    places
}

/// A tool as a model is shown it: no title, annotations, output schema or icons.
fn declare(tool: &Tool) -> ToolDeclaration {
    let schema = tool.input_schema.as_raw().map(ToOwned::to_owned);
    let declaration = ToolDeclaration::new(&*tool.name);
    let declaration = match schema.and_then(Parameters::from_raw) {
        Some(parameters) => declaration.with_parameters(parameters),
        None => declaration,
    };
    match &tool.description {
        Some(description) => declaration.with_description(&**description),
        None => declaration,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_a_name_that_comes_twice_the_last_with_annotations_counts() {
        // The name and the title of each tool, and where the one called "a" is found.
        type Tools = &'static [(&'static str, Option<&'static str>)];
        let cases: &[(Tools, Option<usize>)] = &[
            (&[], None),
            (&[("b", None), ("c", Some("c"))], None),
            (&[("c", None), ("a", Some("a")), ("b", None)], Some(1)),
            (&[("a", Some("1")), ("b", Some("b")), ("a", Some("2"))], Some(2)),
            (&[("a", None), ("a", Some("1")), ("a", None)], Some(1)),
            (&[("b", None), ("a", None), ("a", None)], Some(1)),
        ];
        for (tools, expected) in cases {
            let described = tools.iter().map(|(name, title)| {
                let mut tool = Tool::new(*name, &serde_json::json!({}));
                tool.annotations = title.map(|title| {
                    let mut annotations = ToolAnnotations::default();
                    annotations.title = Some(title.to_owned());
                    annotations
                });
                tool
            });
            let catalogue = Catalogue::new(described.collect());
            let found = catalogue.find("a").map(|tool| {
                catalogue.tools.iter().position(|other| std::ptr::eq(other, tool)).unwrap()
            });
            assert_eq!(found, *expected, "{tools:?}");
        }
    }
}
