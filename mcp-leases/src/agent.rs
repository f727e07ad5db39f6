//! What a layer knows of the agent that it is for.

use std::sync::Arc;
use std::time::Duration;

use mcp_provider::location::{Locations, Place, ToolPattern};
use mcp_provider::{Delivery, ToolResult, shield};

use crate::asked::Asked;
use crate::judge::{Judgement, Named, judge};
use crate::lock::Hooks;
use crate::words::{self, PATTERN, RELATIVE};
use crate::{Cover, Holder, LeaseStore, PinId, PinRefusal};

/// One agent: its name, what it shares with others, and how its calls are read.
pub(crate) struct Agent {
    pub(crate) store: Arc<dyn LeaseStore>,
    pub(crate) holder: Holder,
    pub(crate) locations: Locations,
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
        self.store.unpin(self.pin);
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
    pub(crate) async fn admit(&self, asked: &Asked, is_strict: bool) -> Result<Admitted, String> {
        let call = &asked.call;
        if self.locations.params().names(&call.name).next().is_none() {
            // The host says that it points nowhere.
            return Ok(Admitted { warning: None, pin: None });
        }
        let failed = |error| words::store_failed(&call.name, &error);
        let named = self.named(asked).await.map_err(failed)?;
        let (pins, warning) = match judge(&call.name, &named, is_strict) {
            Judgement::Forward { pins, warning } => (pins, warning),
            Judgement::Refuse(why) => return Err(why),
        };
        if pins.is_empty() {
            return Ok(Admitted { warning, pin: None });
        }
        match self.store.pin(&self.holder, &pins).await.map_err(failed)? {
            Ok(pin) => {
                let pin = Some(Pinned { store: Arc::clone(&self.store), pin });
                Ok(Admitted { warning, pin })
            }
            Err(PinRefusal::NotHeld { place }) => Err(words::lost(&call.name, &place)),
            Err(PinRefusal::NoPaths) => Ok(Admitted { warning, pin: None }),
        }
    }

    /// Notes a change that was made, or may have been.
    pub(crate) fn note(&self, asked: &Asked, result: &ToolResult) {
        let may_have_run = match result.delivery {
            Delivery::Answered => !result.is_error,
            Delivery::NotSent => false,
            Delivery::Unknown => true,
        };
        if may_have_run && self.enforces(&asked.call.name) {
            let places: Vec<Place> = asked.places().cloned().collect();
            self.store.wrote(&self.holder, &places);
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

    /// What a call names, and whose it is.
    async fn named(&self, asked: &Asked) -> Result<Vec<Named>, crate::StoreError> {
        let call = &asked.call;
        let mut places: Vec<Place> = asked.places().cloned().collect();
        let count = places.len();
        // Other arguments may be places too.  They are looked at for what others hold only: text
        // that looks like a path is no reason to ask for a lock.
        if let Ok(arguments) = call.arguments.as_object() {
            let guessed = self.locations.unlisted(&call.name, arguments);
            places.extend(guessed.into_iter().filter_map(|it| it.place.ok()));
        }
        let mut covers = if places.is_empty() {
            Vec::new()
        } else {
            self.store.covering(&self.holder, &places).await?
        };
        if covers.len() != places.len() {
            return Err(crate::StoreError::new("it answered about fewer paths than it was asked"));
        }
        let guessed = places.drain(count..).zip(covers.drain(count..));
        let guessed = guessed.filter(|(_, cover)| matches!(cover, Cover::Other { .. }));
        let guessed: Vec<Named> = guessed.map(|(place, it)| Named::Place(place, it)).collect();
        let mut named: Vec<Named> =
            places.into_iter().zip(covers).map(|(place, it)| Named::Place(place, it)).collect();
        let unreadable = asked.targets.iter().filter_map(|it| it.place.as_ref().err());
        named.extend(unreadable.map(|it| Named::Unreadable(it.clone())));
        named.extend(guessed);
        Ok(named)
    }

    /// Whether a tool that is enforced has a root.
    fn knows_a_root(&self) -> bool {
        let mut beginnings = self.enforced.iter().map(ToString::to_string);
        beginnings.any(|it| self.locations.roots().get(it.trim_end_matches('*')).is_some())
    }
}

/// The longest path that can be locked, in bytes: the longest that common systems know.
const LONGEST: usize = 4_096;
