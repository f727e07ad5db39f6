//! Who wrote last, for the one who finds a file changed.

use std::collections::VecDeque;
use std::time::Duration;

use mcp_provider::location::Place;

use crate::ledger::{Ledger, same};
use crate::{Holder, Moment};

/// Who wrote to a path.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Writer {
    /// Who it was.
    pub holder: Holder,
    /// How long ago.
    pub ago: Duration,
}

/// The latest writes, the last of them at the end.
#[derive(Debug, Default)]
pub(super) struct Writes(VecDeque<(Moment, Holder, Place)>);

impl Ledger {
    /// Notes that `holder` has written to `places`, or may have.
    pub fn wrote(&mut self, now: Moment, holder: &Holder, places: &[Place]) {
        self.advance(now);
        let Writes(writes) = &mut self.writes;
        for place in places {
            if let Some((when, by, it)) = writes.back_mut()
                && by == holder
                && same(it, place)
            {
                *when = self.now;
                continue;
            }
            writes.retain(|(_, by, it)| by != holder || !same(it, place));
            writes.push_back((self.now, holder.clone(), place.clone()));
        }
        let surplus = writes.len().saturating_sub(MOST);
        writes.drain(..surplus);
    }

    /// Who other than `holder` wrote last to `place`, to something in it, or to what it is in.
    pub fn last_writer(&mut self, now: Moment, holder: &Holder, place: &Place) -> Option<Writer> {
        self.advance(now);
        let Writes(writes) = &self.writes;
        let mut others = writes.iter().rev().filter(|(_, by, _)| by != holder);
        let touches = |it: &Place| it.under(place).allows() || place.under(it).allows();
        let (when, by, _) = others.find(|(_, _, it)| touches(it))?;
        Some(Writer { holder: by.clone(), ago: self.now.since(*when) })
    }
}

/// How many writes are remembered: enough to name a culprit, and no log.
const MOST: usize = 256;
