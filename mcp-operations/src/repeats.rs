//! The guard against a model that makes the same call for ever.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_provider::location::{InvalidToolPattern, ToolPattern};
use sha2::{Digest as _, Sha256};

use crate::Proposal;

/// How often a model may make the same call: the same tool with the same canonical arguments.
///
/// Every call that went out counts, also one whose outcome is unknown; an abandoned one does not.
/// A batch counts against itself, too, and is refused whole where one of its calls is too many.
///
/// ```
/// use mcp_operations::RepeatGuard;
///
/// let guard = RepeatGuard::default().at_most(10).exempt(["lock_acquire", "job_*"])?;
/// # Ok::<(), mcp_provider::location::InvalidToolPattern>(())
/// ```
#[derive(Clone, Debug)]
pub struct RepeatGuard {
    most: usize,
    exempt: Vec<ToolPattern>,
}

impl RepeatGuard {
    /// How often a call may be made, if nobody says otherwise: enough for what is polled.
    pub const AT_MOST: usize = 30;

    /// Sets how often; by default [`AT_MOST`](Self::AT_MOST).  Nothing runs at 0.
    #[must_use]
    pub fn at_most(mut self, most: usize) -> Self {
        self.most = most;
        self
    }

    /// Sets which tools are not counted at all; by default none.
    ///
    /// # Errors
    ///
    /// Fails at the first that is no pattern of tool names.
    pub fn exempt<T: AsRef<str>>(
        mut self,
        tools: impl IntoIterator<Item = T>,
    ) -> Result<Self, InvalidToolPattern> {
        let tools = tools.into_iter().map(|it| ToolPattern::parse(it.as_ref()));
        self.exempt = tools.collect::<Result<_, _>>()?;
        Ok(self)
    }
}

impl Default for RepeatGuard {
    fn default() -> Self {
        Self { most: Self::AT_MOST, exempt: Vec::new() }
    }
}

/// How often each call was made.
pub(crate) struct Repeats {
    guard: RepeatGuard,
    counts: Mutex<HashMap<Key, usize>>,
}

/// A call was made too often.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct TooMany {
    pub(crate) tool: String,
    pub(crate) count: usize,
    pub(crate) most: usize,
}

type Key = [u8; 32];

impl Repeats {
    pub(crate) fn new(guard: RepeatGuard) -> Self {
        Self { guard, counts: Mutex::default() }
    }

    /// Counts a whole batch, or none of it.
    pub(crate) fn reserve<'a>(
        &self,
        batch: impl Iterator<Item = &'a Proposal>,
    ) -> Result<(), TooMany> {
        let counted: Vec<(Key, &Proposal)> =
            batch.filter(|it| self.counts_for(it)).map(|it| (key(it), it)).collect();
        let mut counts = self.counts();
        let mut added = HashMap::<Key, usize>::new();
        for (key, proposal) in &counted {
            let added = added.entry(*key).or_default();
            *added += 1;
            let count = counts.get(key).copied().unwrap_or_default().saturating_add(*added);
            if count > self.guard.most {
                let (tool, most) = (proposal.tool.clone(), self.guard.most);
                return Err(TooMany { tool, count, most });
            }
        }
        for (key, added) in added {
            *counts.entry(key).or_default() += added;
        }
        make_room(&mut counts);
        Ok(())
    }

    /// Takes a call that did not run out of the count.
    pub(crate) fn release(&self, proposal: &Proposal) {
        if self.counts_for(proposal)
            && let Some(count) = self.counts().get_mut(&key(proposal))
        {
            *count = count.saturating_sub(1);
        }
    }

    /// Forgets all calls.
    pub(crate) fn clear(&self) {
        self.counts().clear();
    }

    fn counts_for(&self, proposal: &Proposal) -> bool {
        !self.guard.exempt.iter().any(|pattern| pattern.matches(&proposal.tool))
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Key, usize>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn key(proposal: &Proposal) -> Key {
    Sha256::digest(proposal.signature()).into()
}

/// Forgets what was called least often where there is too much to remember.
fn make_room(counts: &mut HashMap<Key, usize>) {
    let mut few = 1_usize;
    while counts.len() > MAX_SIGNATURES {
        counts.retain(|_, count| *count > few);
        few = few.saturating_mul(2);
    }
}

/// How many different calls are remembered.
const MAX_SIGNATURES: usize = 65_536;
