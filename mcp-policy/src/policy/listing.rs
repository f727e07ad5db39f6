//! What a policy remembers of a listing.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_provider::ToolDeclaration;

/// The tools of one listing, and which names it holds more than once.
#[derive(Default)]
pub(super) struct Listing {
    tools: Vec<ToolDeclaration>,
    repeated: HashSet<String>,
}

impl Listing {
    /// The listing after this one, which is this one where no declaration has changed.
    pub(super) fn next(self: Arc<Self>, tools: &[ToolDeclaration]) -> Arc<Self> {
        let is_same = self.tools.len() == tools.len()
            && self.tools.iter().zip(tools).all(|(this, other)| this.is_same(other));
        if is_same { self } else { Arc::new(Self::new(tools.to_vec())) }
    }

    /// Whether several tools have this name.
    pub(super) fn is_ambiguous(&self, name: &str) -> bool {
        self.repeated.contains(name)
    }

    fn new(tools: Vec<ToolDeclaration>) -> Self {
        let mut seen = HashSet::new();
        let names = tools.iter().filter_map(ToolDeclaration::name);
        let repeated = names.filter(|it| !seen.insert(*it)).map(str::to_owned).collect();
        Self { tools, repeated }
    }
}
