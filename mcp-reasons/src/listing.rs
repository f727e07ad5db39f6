//! What became of each tool of a listing.

use std::collections::HashSet;
use std::sync::Arc;

use mcp_provider::{Parameters, ProviderError, ToolDeclaration, shield};

use crate::options::{Collision, Guidance};
use crate::schema::{LeftAlone, augment_text};

/// A tool that should give reasons has, or may have, a parameter `reason` of its own.
///
/// It is the cause of a listing that failed under [`Collision::Error`].
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the tool {tool:?} has, or may have, a parameter `reason` of its own; leave it out of the \
     tools that give reasons, or let collisions be left alone"
)]
pub struct CollisionError {
    tool: String,
}

impl CollisionError {
    /// The name of the tool.
    pub fn tool(&self) -> &str {
        &self.tool
    }
}

/// What the host chose.
#[derive(Default)]
pub(crate) struct Choices {
    pub(crate) wanted: Option<Box<Wanted>>,
    pub(crate) collision: Collision,
    pub(crate) guidance: Guidance,
}

/// Says whether a tool should give reasons.
pub(crate) type Wanted = dyn Fn(&ToolDeclaration) -> bool + Send + Sync;

/// The tools of one listing, as they came and as they are shown.
#[derive(Default)]
pub(crate) struct Listing {
    entries: Vec<Entry>,
    augmented: Arc<HashSet<String>>,
}

struct Entry {
    came: ToolDeclaration,
    shown: ToolDeclaration,
    fate: Fate,
}

#[derive(Clone, Copy, Eq, PartialEq)]
enum Fate {
    Augmented,
    LeftAlone(LeftAlone),
    NotWanted,
}

impl Listing {
    /// Prepares the listing after this one; a tool that did not change is not read again.
    pub(crate) fn next(
        self: Arc<Self>,
        tools: Vec<ToolDeclaration>,
        choices: &Choices,
    ) -> Result<Arc<Self>, ProviderError> {
        // Where nobody is asked about each tool, and none can be wrong.
        let is_free = choices.wanted.is_none() && choices.collision == Collision::LeaveAlone;
        if is_free && self.is_of(&tools) {
            return Ok(self);
        }
        let mut entries = Vec::with_capacity(tools.len());
        let mut is_new = tools.len() != self.entries.len();
        for (place, came) in tools.into_iter().enumerate() {
            let last = self.entries.get(place).filter(|last| last.came.is_same(&came));
            let is_wanted = choices.want(&came)?;
            let entry = match last {
                Some(last) if is_wanted == (last.fate != Fate::NotWanted) => last.again(),
                _ => {
                    is_new = true;
                    Entry::new(came, is_wanted, choices.guidance)
                }
            };
            if let (Fate::LeftAlone(LeftAlone::Collision), Collision::Error, Some(tool)) =
                (entry.fate, choices.collision, entry.came.name())
            {
                return Err(ProviderError::new(CollisionError { tool: tool.to_owned() }));
            }
            entries.push(entry);
        }
        let augmented =
            if is_new { Arc::new(names(&entries)) } else { Arc::clone(&self.augmented) };
        Ok(Arc::new(Self { entries, augmented }))
    }

    /// Whether this is the listing of the very same declarations, all of them wanted.
    fn is_of(&self, tools: &[ToolDeclaration]) -> bool {
        let is_again = |(entry, tool): (&Entry, &ToolDeclaration)| {
            entry.came.is_same(tool) && entry.fate != Fate::NotWanted
        };
        self.entries.len() == tools.len() && self.entries.iter().zip(tools).all(is_again)
    }

    /// The declarations for the model.
    pub(crate) fn shown(&self) -> Vec<ToolDeclaration> {
        self.entries.iter().map(|entry| entry.shown.clone()).collect()
    }

    /// The tools whose calls are stripped.
    pub(crate) fn augmented(&self) -> &Arc<HashSet<String>> {
        &self.augmented
    }
}

impl Choices {
    fn want(&self, tool: &ToolDeclaration) -> Result<bool, ProviderError> {
        let Some(wanted) = self.wanted.as_ref().filter(|_| tool.parameters().is_some()) else {
            return Ok(true);
        };
        shield(|| wanted(tool)).map_err(|panicked| {
            ProviderError::new(format!("the choice of tools that give reasons {panicked}"))
        })
    }
}

impl Entry {
    fn new(came: ToolDeclaration, is_wanted: bool, guidance: Guidance) -> Self {
        if !is_wanted {
            return Self { shown: came.clone(), came, fate: Fate::NotWanted };
        }
        let parameters = came.parameters().map(Parameters::to_raw);
        let parameters = parameters
            .ok_or(LeftAlone::Unreadable)
            .and_then(|raw| augment_text(&raw, guidance))
            .and_then(|raw| Parameters::from_raw(raw).ok_or(LeftAlone::Unreadable));
        match parameters {
            Ok(parameters) => {
                Self { shown: came.with_parameters(parameters), came, fate: Fate::Augmented }
            }
            Err(why) => Self { shown: came.clone(), came, fate: Fate::LeftAlone(why) },
        }
    }

    fn again(&self) -> Self {
        Self { came: self.came.clone(), shown: self.shown.clone(), fate: self.fate }
    }
}

/// The names that were augmented wherever they are listed.
///
/// Where two tools share a name, nobody knows which of them gets the call: when in doubt, its
/// arguments stay.
fn names(entries: &[Entry]) -> HashSet<String> {
    let of = |is_augmented: bool| {
        let chosen = move |it: &&Entry| (it.fate == Fate::Augmented) == is_augmented;
        entries.iter().filter(chosen).filter_map(|entry| entry.came.name())
    };
    let others: HashSet<&str> = of(false).collect();
    of(true).filter(|name| !others.contains(name)).map(str::to_owned).collect()
}
