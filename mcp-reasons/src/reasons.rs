//! The provider that asks for reasons and takes them off again.

use std::collections::HashSet;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_provider::{
    Latest, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, contain,
    execute_contained,
};

use crate::arguments::without_reason;
use crate::listing::{Choices, Listing};
use crate::options::{Collision, Guidance};

/// A provider whose tools take a [`REASON_PARAM`](crate::REASON_PARAM), and never see it.
///
/// The tools of the latest listing are the ones whose calls are stripped; before the first
/// listing there are none.
pub struct Reasons<P> {
    inner: P,
    choices: Choices,
    latest: Latest<Listing>,
}

impl<P> Reasons<P> {
    /// Asks for a reason in every call that `inner` gets.
    pub fn new(inner: P) -> Self {
        Self { inner, choices: Choices::default(), latest: Latest::default() }
    }

    /// Asks only for the calls of tools that `wanted` chooses; of all tools by default.
    ///
    /// It is asked at each listing, about each tool that has a schema.  Where it panics, the
    /// listing fails.
    #[must_use]
    pub fn only(
        mut self,
        wanted: impl Fn(&ToolDeclaration) -> bool + Send + Sync + 'static,
    ) -> Self {
        self.choices.wanted = Some(Box::new(wanted));
        self
    }

    /// Sets what becomes of a tool that has a `reason` of its own; by default it is left alone.
    #[must_use]
    pub fn on_collision(mut self, collision: Collision) -> Self {
        self.choices.collision = collision;
        self
    }

    /// Sets where a model is told what a reason is for; by default in each parameter.
    #[must_use]
    pub fn guidance(mut self, guidance: Guidance) -> Self {
        self.choices.guidance = guidance;
        self
    }

    /// The tools whose calls are stripped at this moment, sorted.
    pub fn augmented_tools(&self) -> Vec<String> {
        let mut names: Vec<String> = self.augmented().iter().cloned().collect();
        names.sort_unstable();
        names
    }

    /// The provider underneath.
    pub fn get_ref(&self) -> &P {
        &self.inner
    }

    /// Takes the layer off.
    pub fn into_inner(self) -> P {
        self.inner
    }

    fn augmented(&self) -> Arc<HashSet<String>> {
        Arc::clone(self.latest.get().augmented())
    }
}

#[async_trait]
impl<P: Provider> Provider for Reasons<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let turn = self.latest.begin();
        let tools = contain(async { self.inner.tools_for_llm().await });
        let tools = tools
            .await
            .map_err(|panicked| ProviderError::new(format!("the tool provider {panicked}")))??;
        let listing = self.latest.get().next(tools, &self.choices)?;
        let shown = listing.shown();
        turn.end(listing);
        Ok(shown)
    }

    async fn execute_tool_calls(&self, mut calls: Vec<ToolCall>) -> Vec<ToolResult> {
        if calls.is_empty() {
            return Vec::new();
        }
        let augmented = self.augmented();
        for call in calls.iter_mut().filter(|call| augmented.contains(&call.name)) {
            if let Some(arguments) = without_reason(&call.arguments) {
                call.arguments = arguments;
            }
        }
        execute_contained(&self.inner, "The tool provider", calls).await
    }
}

impl<P: fmt::Debug> fmt::Debug for Reasons<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Reasons")
            .field("inner", &self.inner)
            .field("augmented", &self.augmented_tools())
            .finish_non_exhaustive()
    }
}
