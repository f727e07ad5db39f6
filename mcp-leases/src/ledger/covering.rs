//! Whose a path is.

use std::time::Duration;

use mcp_provider::location::{Place, Under};

use crate::ledger::Ledger;
use crate::{Conflict, Holder, Moment};

/// Whose a path is, seen by one holder.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Cover {
    /// Nobody's.
    Free,
    /// Another's: a lease of somebody else holds it, or something in it.
    Other {
        /// The path that is held.
        leased: Place,
        /// Who holds it.
        holder: Holder,
        /// How long it has been held.
        held_for: Duration,
    },
    /// One's own: a lease of the holder covers it.
    Own {
        /// The path that is held.
        leased: Place,
        /// How long it has been held.
        held_for: Duration,
    },
    /// Nobody can tell: a lease of somebody else cannot be compared with it.
    Unknown {
        /// The path that is held.
        leased: Place,
        /// Who holds it.
        holder: Holder,
    },
}

impl Cover {
    /// What is in the way of who wants `place`, if somebody else certainly holds it.
    pub(crate) fn conflict(&self, place: &Place) -> Option<Conflict> {
        let Self::Other { leased, holder, held_for } = self else { return None };
        let (place, leased, holder) = (place.clone(), leased.clone(), holder.clone());
        Some(Conflict { place, leased, holder, held_for: *held_for })
    }
}

impl Ledger {
    /// Says whose `place` is, seen by `holder`.
    ///
    /// Another's certain lease counts before one's own, and one's own before another's that cannot
    /// be compared.
    pub fn covering(&mut self, now: Moment, holder: &Holder, place: &Place) -> Cover {
        self.advance(now);
        let (mut own, mut unknown) = (None, None);
        for (_, held) in self.touching(place) {
            let (inside, around) = (place.under(&held.place), held.place.under(place));
            let held_for = self.now.since(held.acquired_at);
            let leased = || held.place.clone();
            if held.holder == *holder {
                if inside == Under::Yes && held.is_live(self.now) && own.is_none() {
                    own = Some(Cover::Own { leased: leased(), held_for });
                }
            } else if inside == Under::Yes || around == Under::Yes {
                return Cover::Other { leased: leased(), holder: held.holder.clone(), held_for };
            } else if unknown.is_none() {
                unknown = Some(Cover::Unknown { leased: leased(), holder: held.holder.clone() });
            }
        }
        own.or(unknown).unwrap_or(Cover::Free)
    }
}
