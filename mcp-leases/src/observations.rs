//! What an agent has seen of each path, as long as there is room.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Mutex, MutexGuard, PoisonError};

use mcp_provider::location::Place;

/// What was seen of each path last.  Of more paths than there is room for, the oldest are forgotten.
#[derive(Debug)]
pub(crate) struct Observations<T>(Mutex<Seen<T>>);

#[derive(Debug)]
struct Seen<T> {
    count: u64,
    by_place: HashMap<Place, (u64, T)>,
    by_age: BTreeMap<u64, Place>,
}

impl<T: Clone> Observations<T> {
    pub(crate) fn get(&self, place: &Place) -> Option<T> {
        self.seen().by_place.get(place).map(|(_, it)| it.clone())
    }

    pub(crate) fn remember(&self, place: Place, what: T) {
        let mut seen = self.seen();
        seen.forget(&place);
        seen.count += 1;
        let age = seen.count;
        seen.by_age.insert(age, place.clone());
        seen.by_place.insert(place, (age, what));
        let is_full = seen.by_place.len() > MOST;
        if let Some((_, oldest)) = is_full.then(|| seen.by_age.pop_first()).flatten() {
            seen.by_place.remove(&oldest);
        }
    }

    pub(crate) fn forget(&self, place: &Place) {
        self.seen().forget(place);
    }

    fn seen(&self) -> MutexGuard<'_, Seen<T>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Seen<T> {
    fn forget(&mut self, place: &Place) {
        // A provider that tells no revisions leaves it empty, and hashing a path takes its time.
        let gone = if self.by_place.is_empty() { None } else { self.by_place.remove(place) };
        if let Some((age, _)) = gone {
            self.by_age.remove(&age);
        }
    }
}

impl<T> Default for Observations<T> {
    fn default() -> Self {
        let (by_place, by_age) = (HashMap::new(), BTreeMap::new());
        Self(Mutex::new(Seen { count: 0, by_place, by_age }))
    }
}

/// How many paths are remembered for one agent.
const MOST: usize = 4_096;

#[cfg(test)]
mod tests {
    use mcp_provider::location::PathStyle;

    use super::*;

    #[test]
    fn the_oldest_is_forgotten_and_what_is_seen_again_is_young() {
        let place = |number: usize| Place::parse(&format!("/{number}"), PathStyle::Posix).unwrap();
        let seen = Observations::default();
        for number in 0..MOST {
            seen.remember(place(number), number);
        }
        seen.remember(place(0), 0);
        seen.remember(place(MOST), MOST);
        assert_eq!(seen.get(&place(0)), Some(0));
        assert_eq!(seen.get(&place(1)), None);
        assert_eq!(seen.seen().by_age.len(), MOST);
        seen.forget(&place(0));
        assert_eq!((seen.get(&place(0)), seen.seen().by_age.len()), (None, MOST - 1));
    }
}
