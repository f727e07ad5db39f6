//! A provider that does what a test says, and remembers what it was asked.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use async_trait::async_trait;
use mcp_provider::{Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult};
use tokio::sync::watch;

use crate::Reply;

/// A provider that does what a test says, and remembers what it was asked.
///
/// A call is answered by the next reply queued for its tool, else by the fallback, else by
/// `<name> ran`.  Clones are the same provider.
///
/// ```
/// use mcp_provider::{Provider, ToolCall, ToolResult};
/// use mcp_testkit::{Reply, Scripted};
///
/// # tokio::runtime::Builder::new_current_thread().build().unwrap().block_on(async {
/// let files = Scripted::tools(["read", "write"])
///     .reply("read", "the contents")
///     .reply("read", Reply::error("no such file"));
///
/// let results = files.execute_tool_calls(vec![ToolCall::new("1", "read", "{}")]).await;
///
/// assert_eq!(results, [ToolResult::ok("1", "the contents")]);
/// assert_eq!(files.called(), ["read"]);
/// # });
/// ```
#[derive(Clone)]
pub struct Scripted(Arc<Inner>);

struct Inner {
    state: Mutex<State>,
    started: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    tools: Vec<ToolDeclaration>,
    failures: VecDeque<String>,
    replies: HashMap<String, VecDeque<Reply>>,
    fallback: Option<Fallback>,
    batches: Vec<Vec<ToolCall>>,
    listings: usize,
    dropped: usize,
}

type Fallback = Arc<dyn Fn(&ToolCall) -> ToolResult + Send + Sync>;

impl Scripted {
    /// A provider that declares `tools`.
    pub fn new(tools: impl IntoIterator<Item = ToolDeclaration>) -> Self {
        let state = State { tools: tools.into_iter().collect(), ..State::default() };
        Self(Arc::new(Inner { state: Mutex::new(state), started: watch::Sender::new(0) }))
    }

    /// A provider that declares tools of these names, which take anything.
    pub fn tools<'a>(names: impl IntoIterator<Item = &'a str>) -> Self {
        Self::new(names.into_iter().map(ToolDeclaration::new))
    }

    /// Queues a reply for a call to `tool`.
    #[must_use]
    pub fn reply(self, tool: &str, reply: impl Into<Reply>) -> Self {
        self.state().replies.entry(tool.to_owned()).or_default().push_back(reply.into());
        self
    }

    /// Computes the reply to every call that has none queued.
    #[must_use]
    pub fn otherwise(
        self,
        reply: impl Fn(&ToolCall) -> ToolResult + Send + Sync + 'static,
    ) -> Self {
        self.state().fallback = Some(Arc::new(reply));
        self
    }

    /// Makes the next listing fail; told twice, the next two.
    #[must_use]
    pub fn failing_listing(self, message: &str) -> Self {
        self.state().failures.push_back(message.to_owned());
        self
    }

    /// Declares other tools from now on.
    pub fn declare(&self, tools: impl IntoIterator<Item = ToolDeclaration>) {
        self.state().tools = tools.into_iter().collect();
    }

    /// Every batch received so far, in order.
    pub fn batches(&self) -> Vec<Vec<ToolCall>> {
        self.state().batches.clone()
    }

    /// Every call received so far, in order.
    pub fn calls(&self) -> Vec<ToolCall> {
        self.batches().into_iter().flatten().collect()
    }

    /// The name of every tool called so far, in order.
    pub fn called(&self) -> Vec<String> {
        self.calls().into_iter().map(|call| call.name).collect()
    }

    /// How often the tools were listed.
    pub fn listings(&self) -> usize {
        self.state().listings
    }

    /// How many batches were dropped before their end.
    pub fn dropped(&self) -> usize {
        self.state().dropped
    }

    /// Waits until this many calls have started to run.
    pub async fn until_started(&self, calls: usize) {
        // The sender lives in `self`, so waiting cannot fail.
        let _ = self.0.started.subscribe().wait_for(|started| *started >= calls).await;
    }

    /// The tools that were never called as often as replies were queued for them.
    pub fn unused(&self) -> Vec<String> {
        let state = self.state();
        let unused = state.replies.iter().filter(|(_, replies)| !replies.is_empty());
        let mut names: Vec<String> = unused.map(|(name, _)| name.clone()).collect();
        names.sort_unstable();
        names
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(&self, call: ToolCall) -> Option<ToolResult> {
        self.0.started.send_modify(|started| *started += 1);
        let (reply, fallback) = {
            let mut state = self.state();
            let reply = state.replies.get_mut(&call.name).and_then(VecDeque::pop_front);
            (reply, state.fallback.clone())
        };
        match (reply, fallback) {
            (Some(reply), _) => reply.play(call).await,
            (None, Some(fallback)) => Some(fallback(&call)),
            (None, None) => Some(ToolResult::ok(call.id, format!("{} ran", call.name))),
        }
    }
}

#[async_trait]
impl Provider for Scripted {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let mut state = self.state();
        state.listings += 1;
        match state.failures.pop_front() {
            Some(message) => Err(ProviderError::new(message)),
            None => Ok(state.tools.clone()),
        }
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        self.state().batches.push(calls.clone());
        let batch = Batch { provider: self, is_finished: false };
        let mut results = Vec::with_capacity(calls.len());
        for call in calls {
            results.extend(self.run(call).await);
        }
        batch.finish();
        results
    }
}

impl fmt::Debug for Scripted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Scripted").field("called", &self.called()).finish_non_exhaustive()
    }
}

/// Notices when a batch is dropped before its end.
struct Batch<'a> {
    provider: &'a Scripted,
    is_finished: bool,
}

impl Batch<'_> {
    fn finish(mut self) {
        self.is_finished = true;
    }
}

impl Drop for Batch<'_> {
    fn drop(&mut self) {
        if !self.is_finished {
            self.provider.state().dropped += 1;
        }
    }
}
