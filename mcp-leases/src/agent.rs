//! What a layer knows of the agent that it is for.

use std::sync::Arc;
use std::time::Duration;

use mcp_provider::location::{Locations, Place, ToolPattern};
use mcp_provider::{Delivery, ToolResult, shield};

use crate::asked::Asked;
use crate::guess::Glance;
use crate::judge::{Judgement, Named, judge};
use crate::lock::Hooks;
use crate::words::{self, PATTERN, RELATIVE};
use crate::{Admission, Cover, Holder, LeaseStore, PinId, StoreError};

/// One agent: its name, what it shares with others, and how its calls are read.
pub(crate) struct Agent {
    pub(crate) store: Arc<dyn LeaseStore>,
    pub(crate) holder: Holder,
    pub(crate) locations: Locations,
    pub(crate) glance: Glance,
    pub(crate) enforced: Vec<ToolPattern>,
    pub(crate) concurrent: Option<Box<Concurrent>>,
    pub(crate) default_ttl: Option<Duration>,
    pub(crate) hooks: Hooks,
}

/// How many agents are live, if the host can tell.
pub(crate) type Concurrent = dyn Fn() -> Option<usize> + Send + Sync;

/// A call that may go on, and what is kept for it until this is dropped.
pub(crate) struct Admitted {
    pub(crate) warning: Option<String>,
    pub(crate) pin: Option<Pinned>,
}

/// A pin that is taken out when this is dropped.
pub(crate) struct Pinned {
    store: Arc<dyn LeaseStore>,
    pin: PinId,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        // The answer to the call is worth more than what a store has to say here.
        let _ = shield(|| self.store.unpin(self.pin));
    }
}

impl Agent {
    /// Whether every change has to be covered by a lease: when others are live, or nobody can tell.
    pub(crate) fn is_strict(&self) -> bool {
        let Some(concurrent) = &self.concurrent else { return false };
        shield(concurrent).ok().flatten().is_none_or(|live| live > 1)
    }

    pub(crate) fn enforces(&self, tool: &str) -> bool {
        self.enforced.iter().any(|pattern| pattern.matches(tool))
    }

    /// Judges a call to an enforced tool, and keeps the leases that it runs under.
    ///
    /// # Errors
    ///
    /// Fails where it may not run, with a sentence for the model that made it.
    pub(crate) async fn admit(
        &self,
        asked: &Asked<'_>,
        is_strict: bool,
    ) -> Result<Admitted, String> {
        let Asked { tool, targets, .. } = asked;
        if self.locations.params().names(tool).next().is_none() {
            // The host says that it points nowhere.
            return Ok(Admitted { warning: None, pin: None });
        }
        let failed = |error: StoreError| words::store_failed(tool, &error);
        // Other arguments may be places too.  They are looked at for what others hold only: text
        // that looks like a path is no reason to ask for a lock.
        let guesses = asked.guesses(&self.locations, &self.glance);
        let (covers, pin) = self.ask(&targets.places, &guesses).await.map_err(failed)?;
        let (own, guessed) = covers.split_at_checked(targets.places.len()).unwrap_or_default();
        let places = targets.places.iter().zip(own);
        let unreadable = targets.named.iter().filter_map(|it| it.place.as_ref().err());
        let guessed = guesses.iter().zip(guessed);
        let guessed = guessed.filter(|(_, cover)| matches!(cover, Cover::Other { .. }));
        let named: Vec<Named<'_>> = places
            .map(|(place, cover)| Named::Place(place, cover))
            .chain(unreadable.map(|it| Named::Unreadable(it)))
            .chain(guessed.map(|(place, cover)| Named::Place(place, cover)))
            .collect();
        match judge(tool, &named, is_strict) {
            Judgement::Forward { warning } => Ok(Admitted { warning, pin }),
            Judgement::Refuse(why) => Err(why),
        }
    }

    /// Whose these places are, and what keeps one's own.
    async fn ask(
        &self,
        places: &[Place],
        guesses: &[Place],
    ) -> Result<(Vec<Cover>, Option<Pinned>), StoreError> {
        if places.is_empty() && guesses.is_empty() {
            return Ok((Vec::new(), None));
        }
        let Admission { covers, pin } = self.store.admit(&self.holder, places, guesses).await?;
        let pin = pin.map(|pin| Pinned { store: Arc::clone(&self.store), pin });
        if covers.len() != places.len() + guesses.len() {
            return Err(StoreError::new(
                "it answered about another number of paths than it was asked",
            ));
        }
        let mut own = covers.iter().take(places.len());
        if pin.is_none() && own.any(|cover| matches!(cover, Cover::Own { .. })) {
            return Err(StoreError::new("it keeps nothing of what it says is held"));
        }
        Ok((covers, pin))
    }

    /// Notes a change that was made, or may have been.
    pub(crate) fn note(&self, asked: &Asked<'_>, result: &ToolResult) {
        let may_have_run = match result.delivery {
            Delivery::Answered => !result.is_error,
            Delivery::NotSent => false,
            Delivery::Unknown => true,
        };
        if may_have_run && self.enforces(&asked.tool) {
            self.store.wrote(&self.holder, &asked.targets.places);
        }
    }

    /// The places that a model wants to lock, and what cannot be locked, with the reason.
    pub(crate) fn lock_places(
        &self,
        tool: &str,
        paths: &[String],
    ) -> (Vec<Place>, Vec<(String, String)>) {
        let (mut places, mut unreadable) = (Vec::new(), Vec::new());
        for path in paths {
            let problem = match self.locations.place(tool, path) {
                _ if path.len() > LONGEST => format!("it is longer than {LONGEST} bytes"),
                Ok(_) if path.contains('*') => PATTERN.to_owned(),
                Ok(place) if !place.is_absolute() && self.knows_a_root() => RELATIVE.to_owned(),
                Ok(place) => {
                    places.push(place);
                    continue;
                }
                Err(why) => why.to_string(),
            };
            unreadable.push((words::quoted(path), problem));
        }
        (places, unreadable)
    }

    /// Whether a tool that is enforced has a root.
    fn knows_a_root(&self) -> bool {
        let mut beginnings = self.enforced.iter().map(ToString::to_string);
        beginnings.any(|it| self.locations.roots().get(it.trim_end_matches('*')).is_some())
    }
}

/// The longest path that can be locked, in bytes: the longest that common systems know.
const LONGEST: usize = 4_096;
