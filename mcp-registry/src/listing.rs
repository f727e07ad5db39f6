//! The tools of a provider, as they came and as they are published.

use std::sync::Arc;

use mcp_provider::ToolDeclaration;

/// The tools of one listing of one provider.
#[derive(Default)]
pub(crate) struct Listing(Vec<Published>);

struct Published {
    came: ToolDeclaration,
    shown: ToolDeclaration,
}

impl Listing {
    /// The listing after this one, under names that begin with `tag`.
    ///
    /// A tool that did not change is not renamed again, so that whoever compares declarations sees
    /// the very same one.
    pub(crate) fn next(self: Arc<Self>, tools: Vec<ToolDeclaration>, tag: &str) -> Arc<Self> {
        if self.is_of(&tools) {
            return self;
        }
        let publish = |(place, came): (usize, ToolDeclaration)| match self.0.get(place) {
            Some(last) if last.came.is_same(&came) => Published { came, shown: last.shown.clone() },
            _ => Published { shown: renamed(&came, tag), came },
        };
        Arc::new(Self(tools.into_iter().enumerate().map(publish).collect()))
    }

    /// The declarations as the registry lists them.
    pub(crate) fn shown(&self) -> impl Iterator<Item = ToolDeclaration> {
        self.0.iter().map(|it| it.shown.clone())
    }

    /// Whether this is the listing of the very same declarations.
    fn is_of(&self, tools: &[ToolDeclaration]) -> bool {
        self.0.len() == tools.len()
            && self.0.iter().zip(tools).all(|(it, tool)| it.came.is_same(tool))
    }
}

fn renamed(tool: &ToolDeclaration, tag: &str) -> ToolDeclaration {
    match tool.name() {
        Some(name) => tool.with_name(format!("{tag}{name}")),
        None => tool.clone(),
    }
}
