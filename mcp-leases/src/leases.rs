//! The layer.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use mcp_provider::location::{InvalidToolPattern, Locations, ToolPattern};
use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, contain};

use crate::agent::Agent;
use crate::batch::Batch;
use crate::fence::{Fence, Memory};
use crate::guess::Glance;
use crate::limits::InvalidLimits;
use crate::lock::{Hooks, declarations};
use crate::words::{LOCK_ACQUIRE, LOCK_RELEASE};
use crate::{Holder, LeaseStore};

/// A provider in which one agent's changes keep off what other agents hold.
///
/// There is one for each agent, and all of a workspace share one table.  It publishes
/// [`LOCK_ACQUIRE`] and [`LOCK_RELEASE`], answers them itself, and judges the calls of the tools
/// that change things.
///
/// In one batch, claims come before the calls they are for, and a release after those it follows.
pub struct Leases<P> {
    inner: P,
    agent: Agent,
    memory: Memory,
    /// The two tools, made once.
    tools: [ToolDeclaration; 2],
    is_publishing: bool,
}

impl<P> Leases<P> {
    /// Keeps the calls of the agent `holder` off what others hold in `store`.
    pub fn new(inner: P, store: impl LeaseStore, holder: Holder) -> Self {
        Self::shared(inner, Arc::new(store), holder)
    }

    /// As [`new`](Self::new), with a store that is behind a pointer already.
    pub fn shared(inner: P, store: Arc<dyn LeaseStore>, holder: Holder) -> Self {
        let enforced = ENFORCED.iter().filter_map(|it| ToolPattern::parse(it).ok()).collect();
        let agent = Agent {
            store,
            holder,
            locations: Locations::default(),
            glance: Glance::default(),
            enforced,
            concurrent: None,
            default_ttl: None,
            hooks: Hooks::default(),
        };
        let (memory, tools) = (Memory::new(&Fence::default()), declarations());
        Self { inner, agent, memory, tools, is_publishing: true }
    }

    /// Sets where the calls point; by default `path`, `from` and `to`, and no roots.
    ///
    /// The paths of [`LOCK_ACQUIRE`] start from its own root: give `lock` the root that the files
    /// have, such as `[("fs", "/srv/repo"), ("lock", "/srv/repo")]`.
    #[must_use]
    pub fn locations(mut self, locations: Locations) -> Self {
        self.agent.locations = locations;
        self
    }

    /// Sets which tools change things; by default `fs_write`, `fs_edit`, `fs_mkdir`, `fs_move` and
    /// `fs_delete`.
    ///
    /// The names are those at this layer's height, and may end in `*`.  Other tools are never kept
    /// off anything: a shell can write wherever it likes.
    ///
    /// # Errors
    ///
    /// Fails at the first that is no pattern of tool names.
    pub fn enforce<T: AsRef<str>>(
        mut self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidToolPattern> {
        let tools = tools.into_iter().map(|it| ToolPattern::parse(it.as_ref()));
        self.agent.enforced = tools.collect::<Result<_, _>>()?;
        Ok(self)
    }

    /// Sets who is asked, once for each batch, how many agents are live.
    ///
    /// With more than one, a change has to be covered by a lease of its agent.  Where nobody can
    /// tell, which is what `None` says, or the callback panics, there may be more.  Without it there
    /// are never.
    #[must_use]
    pub fn concurrent(
        mut self,
        concurrent: impl Fn() -> Option<usize> + Send + Sync + 'static,
    ) -> Self {
        self.agent.concurrent = Some(Box::new(concurrent));
        self
    }

    /// Sets whether the two tools are listed; by default they are.  They are answered either way.
    #[must_use]
    pub fn publish(mut self, is_publishing: bool) -> Self {
        self.is_publishing = is_publishing;
        self
    }

    /// Sets how long a lease lasts that was not given a time; by default as the store says.
    ///
    /// # Errors
    ///
    /// Fails where that is no time.
    pub fn default_ttl(mut self, ttl: Duration) -> Result<Self, InvalidLimits> {
        self.agent.store.limits().with_default_ttl(ttl).check()?;
        self.agent.default_ttl = Some(ttl);
        Ok(self)
    }

    /// Sets what is called when a wait begins: never for what is granted or refused at once.
    #[must_use]
    pub fn on_wait_begin(mut self, begin: impl Fn() + Send + Sync + 'static) -> Self {
        self.agent.hooks.begin = Some(Arc::new(begin));
        self
    }

    /// Sets what is called when a wait that began is over, also where it was dropped.
    #[must_use]
    pub fn on_wait_end(mut self, end: impl Fn() + Send + Sync + 'static) -> Self {
        self.agent.hooks.end = Some(Arc::new(end));
        self
    }

    /// Sets who is asked, once a second while a claim waits, whether its run was cancelled.
    ///
    /// Where it panics, the wait goes on.  A host that drops the batch needs none.
    #[must_use]
    pub fn cancelled(mut self, cancelled: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        self.agent.hooks.cancelled = Some(Arc::new(cancelled));
        self
    }

    /// Sets how a write is kept from throwing away a change that its agent has not seen; by default
    /// [`Fence::Revisions`].
    #[must_use]
    #[allow(clippy::needless_pass_by_value, reason = "a setting is handed over")]
    pub fn fence(mut self, fence: Fence) -> Self {
        self.memory = Memory::new(&fence);
        self
    }

    /// Who the agent is.
    pub fn holder(&self) -> &Holder {
        &self.agent.holder
    }

    /// The tools that change things.
    pub fn enforced_tools(&self) -> &[ToolPattern] {
        &self.agent.enforced
    }

    /// The provider underneath.
    pub fn get_ref(&self) -> &P {
        &self.inner
    }

    /// Takes the layer off.
    pub fn into_inner(self) -> P {
        self.inner
    }
}

#[async_trait]
impl<P: Provider> Provider for Leases<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let tools = contain(async { self.inner.tools_for_llm().await });
        let mut tools = tools
            .await
            .map_err(|panicked| ProviderError::new(format!("the tool provider {panicked}")))??;
        tools.retain(|tool| !matches!(tool.name(), Some(LOCK_ACQUIRE | LOCK_RELEASE)));
        if self.is_publishing {
            tools.extend(self.tools.iter().cloned());
        }
        Ok(tools)
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        if calls.is_empty() {
            return Vec::new();
        }
        let Self { inner, agent, memory, .. } = self;
        let is_strict = agent.is_strict();
        Batch { inner, agent, memory, is_strict }.run(calls).await
    }
}

impl<P: fmt::Debug> fmt::Debug for Leases<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Leases")
            .field("inner", &self.inner)
            .field("holder", &self.agent.holder)
            .field("enforced", &self.agent.enforced)
            .finish_non_exhaustive()
    }
}

const ENFORCED: &[&str] = &["fs_write", "fs_edit", "fs_mkdir", "fs_move", "fs_delete"];
