//! What the tools say about themselves, for whoever decides about their calls.

use std::collections::HashMap;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_provider::{
    JsonObject, Latest, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult,
};
use serde_json::Value;

/// The tools of the latest listing.  A clone is the same catalogue.
///
/// It is filled by a layer, [`Catalogue::watch`], under the policy and over whatever names the
/// tools.
#[derive(Clone, Debug, Default)]
pub struct Catalogue(Arc<Latest<HashMap<String, ToolDeclaration>>>);

impl Catalogue {
    /// A catalogue without tools.
    pub fn new() -> Self {
        Self::default()
    }

    /// A layer that changes nothing, and keeps what `inner` lists.
    pub fn watch<P>(&self, inner: P) -> Watched<P> {
        Watched { inner, catalogue: self.clone() }
    }

    /// The tool `name`, as it was listed last.
    pub fn get(&self, name: &str) -> Option<ToolDeclaration> {
        self.0.get().get(name).cloned()
    }

    /// What `arguments` lack that the schema of the tool requires.
    pub(crate) fn missing(&self, name: &str, arguments: &JsonObject) -> Vec<String> {
        let Some(tool) = self.get(name) else { return Vec::new() };
        let Some(schema) = tool.parameters().and_then(|it| it.as_object()) else {
            return Vec::new();
        };
        let required = schema.get("required").and_then(Value::as_array).into_iter().flatten();
        let required = required.filter_map(Value::as_str);
        required.filter(|it| !arguments.contains_key(*it)).map(str::to_owned).collect()
    }
}

/// A provider whose listings a [`Catalogue`] keeps.
pub struct Watched<P> {
    inner: P,
    catalogue: Catalogue,
}

impl<P> Watched<P> {
    /// The provider underneath.
    pub fn get_ref(&self) -> &P {
        &self.inner
    }
}

#[async_trait]
impl<P: Provider> Provider for Watched<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let turn = self.catalogue.0.begin();
        let tools = self.inner.tools_for_llm().await?;
        let named = tools.iter().filter_map(|it| Some((it.name()?.to_owned(), it.clone())));
        turn.end(named.collect::<HashMap<_, _>>());
        Ok(tools)
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.inner.execute_tool_calls(calls).await
    }
}

impl<P: fmt::Debug> fmt::Debug for Watched<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Watched").field("inner", &self.inner).finish_non_exhaustive()
    }
}
