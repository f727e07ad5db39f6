//! The provider that holds others, each under its prefix.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_provider::{
    Latest, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, contain,
    execute_contained,
};

use crate::listing::Listing;
use crate::prefix::{Prefix, PrefixError};
use crate::route::route;

/// Several providers as one: a tool is published under its provider's prefix.
///
/// Every method takes `&self`, so a registry can grow and shrink while others use it.  A
/// listing or a batch that is under way keeps the providers it began with.
#[derive(Default)]
pub struct Registry {
    /// In registration order.  Replaced whole, so that nobody waits for somebody else's call.
    providers: Mutex<Arc<Vec<Registered>>>,
}

/// A provider of a registry, and the prefix it is published under.
#[non_exhaustive]
#[derive(Clone)]
pub struct Registered {
    /// What goes before the names of its tools.
    pub prefix: Prefix,
    /// The provider, under its own names.
    pub provider: Arc<dyn Provider>,
    /// Its tools, as they were listed last.
    latest: Arc<Latest<Listing>>,
}

impl Registry {
    /// A registry without providers.
    pub fn new() -> Self {
        Self::default()
    }

    /// Publishes `provider` under `prefix` and the separator `_`.
    ///
    /// # Errors
    ///
    /// Fails where the prefix is malformed or taken; the registry is then as before.
    pub fn add(
        &self,
        prefix: &str,
        provider: impl Provider + 'static,
    ) -> Result<&Self, PrefixError> {
        self.add_under(Prefix::new(prefix)?, provider)
    }

    /// Publishes `provider` under `prefix`, which brings its own separator.
    ///
    /// # Errors
    ///
    /// Fails where the prefix is taken, or its names could not be told from another's; the
    /// registry is then as before.
    pub fn add_under(
        &self,
        prefix: Prefix,
        provider: impl Provider + 'static,
    ) -> Result<&Self, PrefixError> {
        // Made and dropped outside the lock: it is somebody else's code that runs then.
        let new = Registered { prefix, provider: Arc::new(provider), latest: Arc::default() };
        self.change(|providers| {
            for other in providers.iter() {
                new.prefix.ensure_apart_from(&other.prefix)?;
            }
            providers.push(new.clone());
            Ok(self)
        })
    }

    /// Takes the provider under `prefix` out and returns it, as it is.
    ///
    /// Calls that are under way on it run to their end.
    pub fn remove(&self, prefix: &str) -> Option<Arc<dyn Provider>> {
        self.change(|providers| {
            let place = providers.iter().position(|it| it.prefix.as_str() == prefix)?;
            Some(providers.remove(place).provider)
        })
    }

    /// The providers of this moment, in the order in which they were added.
    pub fn providers(&self) -> Vec<Registered> {
        self.snapshot().to_vec()
    }

    /// How many providers there are.
    pub fn len(&self) -> usize {
        self.snapshot().len()
    }

    /// Whether there are no providers.
    pub fn is_empty(&self) -> bool {
        self.snapshot().is_empty()
    }

    /// Whether a provider is published under `prefix`, whatever its separator.
    pub fn contains(&self, prefix: &str) -> bool {
        self.snapshot().iter().any(|it| it.prefix.as_str() == prefix)
    }

    fn snapshot(&self) -> Arc<Vec<Registered>> {
        Arc::clone(&self.providers.lock().unwrap_or_else(PoisonError::into_inner))
    }

    fn change<T>(&self, change: impl FnOnce(&mut Vec<Registered>) -> T) -> T {
        let mut providers = self.providers.lock().unwrap_or_else(PoisonError::into_inner);
        change(Arc::make_mut(&mut providers))
    }
}

#[async_trait]
impl Provider for Registry {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let mut published = Vec::new();
        for Registered { prefix, provider, latest } in self.snapshot().iter() {
            let turn = latest.begin();
            let listing = async { provider.tools_for_llm().await };
            let tools = contain(listing).await.map_err(|panicked| {
                ProviderError::new(format!("the provider under the prefix '{prefix}' {panicked}"))
            })??;
            let listing = latest.get().next(tools, prefix.tag());
            published.extend(listing.shown());
            turn.end(listing);
        }
        Ok(published)
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let providers = self.snapshot();
        // The results with the place of their call.
        let mut results = Vec::with_capacity(calls.len());
        // In registration order, as the places of providers are.
        let mut batches: BTreeMap<usize, (Vec<usize>, Vec<ToolCall>)> = BTreeMap::new();
        for (place, mut call) in calls.into_iter().enumerate() {
            match route(providers.iter().map(|it| it.prefix.tag()), &call.name) {
                Some((owner, name)) => {
                    call.name = name.to_owned();
                    let (places, batch) = batches.entry(owner).or_default();
                    places.push(place);
                    batch.push(call);
                }
                None => results.push((place, unroutable(call))),
            }
        }
        for (owner, (places, batch)) in batches {
            if let Some(Registered { prefix, provider, .. }) = providers.get(owner) {
                let who = format!("The provider under the prefix '{prefix}'");
                let answers = execute_contained(provider, &who, batch).await;
                results.extend(places.into_iter().zip(answers));
            }
        }
        results.sort_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

impl fmt::Debug for Registry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.snapshot().iter()).finish()
    }
}

impl fmt::Debug for Registered {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.prefix, f)
    }
}

fn unroutable(call: ToolCall) -> ToolResult {
    let why = match &*call.name {
        "" => "Malformed tool call: it names no tool; call one of the listed tools".to_owned(),
        name => format!(
            "Unknown tool: '{name}'. No registered provider owns that prefix; call one of the \
             listed tools"
        ),
    };
    ToolResult::not_sent(call.id, why)
}
