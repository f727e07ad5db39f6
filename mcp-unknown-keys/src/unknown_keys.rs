//! The provider that compares calls with declarations, and changes neither.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt;
use std::io::Write;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_provider::{
    JsonObject, Latest, Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, shield,
};

use crate::Warning;
use crate::audit::{compare, unknown_key};
use crate::declared::properties;
use crate::patterns::Patterns;

/// A provider that reports arguments which its tools never declared.
///
/// Calls, results and declarations pass as they are, and so does a panic underneath.  The tools
/// of the latest listing are the ones whose calls are audited; before the first there are none.
pub struct UnknownKeys<P> {
    inner: P,
    on_warning: Box<dyn Fn(&Warning) + Send + Sync>,
    latest: Latest<Listing>,
    /// The pairs of tool and name that were reported.
    said: Mutex<HashSet<(String, String)>>,
}

#[derive(Default)]
struct Listing {
    tools: Vec<ToolDeclaration>,
    /// The place of each name; nothing where two tools share it, and nobody knows which is called.
    places: HashMap<String, Option<usize>>,
    patterns: Patterns,
}

impl<P> UnknownKeys<P> {
    /// Audits the calls that `inner` gets, and writes each warning to standard error.
    pub fn new(inner: P) -> Self {
        Self {
            inner,
            on_warning: Box::new(print),
            latest: Latest::default(),
            said: Mutex::default(),
        }
    }

    /// Hands each warning to `tell` instead, before the calls run.
    ///
    /// A panic in `tell` changes nothing.
    #[must_use]
    pub fn on_warning(mut self, tell: impl Fn(&Warning) + Send + Sync + 'static) -> Self {
        self.on_warning = Box::new(tell);
        self
    }

    /// The tools whose calls are audited at this moment, sorted.
    pub fn audited_tools(&self) -> Vec<String> {
        let listing = self.latest.get();
        let names = listing.places.keys().filter(|name| listing.schema(name).is_some());
        let mut names: Vec<String> = names.cloned().collect();
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

    fn audit(&self, listing: &Listing, call: &ToolCall) -> Option<Warning> {
        let schema = listing.schema(&call.name)?;
        let arguments = call.arguments.as_object().ok()?;
        let (declared, mut unknown) = compare(schema, arguments, &listing.patterns)?;
        self.keep_new(&call.name, &mut unknown);
        if unknown.is_empty() {
            return None;
        }
        let unknown = unknown.into_iter();
        Some(Warning {
            tool: call.name.clone(),
            unknown_keys: unknown.map(|name| unknown_key(&declared, arguments, name)).collect(),
            declared_keys: declared.names.iter().map(|&name| name.to_owned()).collect(),
            call_id: call.id.clone(),
        })
    }

    /// Leaves those of `names` that were never reported for `tool`, and counts them as reported.
    fn keep_new(&self, tool: &str, names: &mut BTreeSet<&str>) {
        let mut said = self.said.lock().unwrap_or_else(PoisonError::into_inner);
        names.retain(|name| {
            said.len() < MOST_SAID && said.insert((tool.to_owned(), (*name).to_owned()))
        });
    }
}

#[async_trait]
impl<P: Provider> Provider for UnknownKeys<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let turn = self.latest.begin();
        let tools = self.inner.tools_for_llm().await?;
        let last = self.latest.get();
        turn.end(if last.is_of(&tools) { last } else { Arc::new(Listing::new(tools.clone())) });
        Ok(tools)
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let listing = self.latest.get();
        for warning in calls.iter().filter_map(|call| self.audit(&listing, call)) {
            // Whatever the host's code does, the calls run.
            let _ = shield(|| (self.on_warning)(&warning));
        }
        self.inner.execute_tool_calls(calls).await
    }
}

impl<P: fmt::Debug> fmt::Debug for UnknownKeys<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("UnknownKeys")
            .field("inner", &self.inner)
            .field("audited", &self.audited_tools())
            .finish_non_exhaustive()
    }
}

impl Listing {
    fn new(tools: Vec<ToolDeclaration>) -> Self {
        let mut places = HashMap::new();
        for (place, tool) in tools.iter().enumerate() {
            if let Some(name) = tool.name() {
                let is_first = !places.contains_key(name);
                places.insert(name.to_owned(), is_first.then_some(place));
            }
        }
        Self { tools, places, patterns: Patterns::default() }
    }

    /// Whether this is the listing of the very same declarations.
    fn is_of(&self, tools: &[ToolDeclaration]) -> bool {
        self.tools.len() == tools.len()
            && self.tools.iter().zip(tools).all(|(this, other)| this.is_same(other))
    }

    /// The schema of a tool, if it declares anything.  It is read when somebody first asks.
    fn schema(&self, name: &str) -> Option<&JsonObject> {
        let place = (*self.places.get(name)?)?;
        self.tools.get(place)?.parameters()?.as_object().filter(|it| properties(it).is_some())
    }
}

/// How many pairs are reported at most: a model may invent names without an end.
const MOST_SAID: usize = 4_096;

fn print(warning: &Warning) {
    // Where standard error is closed, nobody is there to be told.
    let _ = writeln!(std::io::stderr(), "{warning}");
}
