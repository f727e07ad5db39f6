//! Leases that a call is under way on.

use std::collections::BTreeSet;

use mcp_provider::location::Place;

use crate::ledger::{Generation, Ledger};
use crate::{Holder, Moment, PinId};

/// A call that is under way.
#[derive(Debug)]
pub(super) struct Pin {
    pub(super) holder: Holder,
    pub(super) since: Moment,
    pub(super) generations: BTreeSet<Generation>,
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

impl Ledger {
    /// Keeps the leases of `holder` that cover `places` until the pin is taken out, even if they
    /// come to their end or are given back before that.
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
        let mut generations = BTreeSet::new();
        for place in places {
            let mut touching = self.touching(place);
            let covering = touching.find(|(_, held)| {
                held.holder == *holder
                    && held.is_live(self.now)
                    && place.under(&held.place).allows()
            });
            let covering = covering.map(|(generation, _)| generation);
            generations
                .insert(covering.ok_or_else(|| PinRefusal::NotHeld { place: place.clone() })?);
        }
        if generations.is_empty() {
            return Err(PinRefusal::NoPaths);
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
        Ok(id)
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
