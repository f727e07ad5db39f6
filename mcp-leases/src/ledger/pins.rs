//! Leases that a call is under way on.

use mcp_provider::location::Place;

use crate::ledger::{Cover, Generation, Ledger};
use crate::{Holder, Moment, PinId};

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Pin {
    pub(super) holder: Holder,
    pub(super) since: Moment,
    /// Sorted, each once.
    pub(super) generations: Vec<Generation>,
}

/// Why a pin is refused.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum PinRefusal {
    /// It names no path.
    NoPaths,
    /// The holder has no lease that covers the path.
    NotHeld {
        /// The path.
        place: Place,
    },
}

/// Whose the places of a call are, and what is kept for it.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Admission {
    /// Whose each place is, in the order in which they were asked about; the guesses come last.
    pub covers: Vec<Cover>,
    /// What keeps the leases that the call runs under; nothing, where none of the places is the
    /// holder's own.
    pub pin: Option<PinId>,
}

impl Admission {
    /// An answer with these covers, and a pin if something is kept.
    pub fn new(covers: Vec<Cover>, pin: Option<PinId>) -> Self {
        Self { covers, pin }
    }
}

impl Ledger {
    /// Keeps the leases of `holder` that cover `places` until the pin is taken out, even if they
    /// come to their end or are given back before that.
    ///
    /// It is for a host that changes files itself.  What a layer forwards is
    /// [admitted](Self::admit).
    ///
    /// # Errors
    ///
    /// Fails, and keeps nothing, where one of the places is not covered.
    pub fn pin(
        &mut self,
        now: Moment,
        holder: &Holder,
        places: &[Place],
    ) -> Result<PinId, PinRefusal> {
        self.advance(now);
        let mut generations = Vec::new();
        for place in places {
            let mut touching = self.touching(place);
            let covering = touching.find(|(_, held)| {
                held.holder == *holder
                    && held.is_live(self.now)
                    && place.under(&held.place).allows()
            });
            let covering = covering.map(|(generation, _)| generation);
            generations.push(covering.ok_or_else(|| PinRefusal::NotHeld { place: place.clone() })?);
        }
        self.keep(holder, generations).ok_or(PinRefusal::NoPaths)
    }

    /// Says whose each of `places` and of `guesses` is, seen by `holder`, and keeps the leases that
    /// cover its own among `places` until the pin is taken out.
    pub fn admit(
        &mut self,
        now: Moment,
        holder: &Holder,
        places: &[Place],
        guesses: &[Place],
    ) -> Admission {
        self.advance(now);
        let mut covers = Vec::with_capacity(places.len() + guesses.len());
        let mut generations = Vec::new();
        for place in places {
            let (cover, own) = self.cover(holder, place);
            covers.push(cover);
            generations.extend(own);
        }
        covers.extend(guesses.iter().map(|place| self.cover(holder, place).0));
        Admission { covers, pin: self.keep(holder, generations) }
    }

    /// Keeps these leases, if there are any.
    fn keep(&mut self, holder: &Holder, mut generations: Vec<Generation>) -> Option<PinId> {
        generations.sort_unstable();
        generations.dedup();
        if generations.is_empty() {
            return None;
        }
        for generation in &generations {
            if let Some(held) = self.leases.get_mut(generation) {
                held.pins += 1;
                self.ends.remove(&(held.expires_at(), *generation));
            }
        }
        self.counts.pins += 1;
        let id = PinId::new(self.counts.pins);
        self.pins.insert(id, Pin { holder: holder.clone(), since: self.now, generations });
        Some(id)
    }

    /// Takes a pin out, and says whether it was there.
    pub fn unpin(&mut self, now: Moment, pin: PinId) -> bool {
        let gone = self.pins.remove(&pin);
        let mut freed = Vec::new();
        for generation in gone.iter().flat_map(|pin| &pin.generations) {
            let Some(held) = self.leases.get_mut(generation) else { continue };
            held.pins = held.pins.saturating_sub(1);
            match held.pins {
                0 if held.is_pending => freed.extend(self.remove(*generation)),
                0 => {
                    self.ends.insert((held.expires_at(), *generation));
                }
                _ => {}
            }
        }
        self.advance_with(now, freed);
        gone.is_some()
    }
}
