//! Whose a path is.

use std::time::Duration;

use mcp_provider::location::{Place, Under};

use crate::ledger::{Generation, Ledger, Touched};
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
        self.cover(holder, place).0
    }

    /// Whose `place` is, and of one's own the number of the lease.
    pub(super) fn cover(&self, holder: &Holder, place: &Place) -> (Cover, Option<Generation>) {
        let (mut own, mut unknown) = (None, None);
        for Touched { generation, held, inside, around } in self.touched(place) {
            let held_for = self.now.since(held.acquired_at);
            let leased = || held.place.clone();
            if held.holder == *holder {
                if inside == Under::Yes && held.is_live(self.now) && own.is_none() {
                    own = Some((Cover::Own { leased: leased(), held_for }, Some(generation)));
                }
            } else if inside == Under::Yes || around == Under::Yes {
                let holder = held.holder.clone();
                return (Cover::Other { leased: leased(), holder, held_for }, None);
            } else if unknown.is_none() {
                let holder = held.holder.clone();
                unknown = Some((Cover::Unknown { leased: leased(), holder }, None));
            }
        }
        own.or(unknown).unwrap_or((Cover::Free, None))
    }
}
