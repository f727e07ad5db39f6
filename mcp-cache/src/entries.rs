//! Entries, and the order in which they were used.

use std::collections::{BTreeMap, HashMap};
use std::time::Instant;

use crate::key::{Partition, Slot};

/// One kept result.
#[derive(Debug)]
pub(crate) struct Entry<V> {
    pub(crate) value: V,
    pub(crate) bytes: usize,
    /// `None` where that is later than an instant can be.
    pub(crate) expires: Option<Instant>,
    /// Who put it here.
    pub(crate) owner: Partition,
}

impl<V> Entry<V> {
    /// Whether it is dead, as it is *at* its last moment.
    pub(crate) fn is_dead(&self, now: Instant) -> bool {
        self.expires.is_some_and(|expires| now >= expires)
    }
}

/// The kept results, what they weigh, and which was used last.
#[derive(Debug)]
pub(crate) struct Entries<V> {
    by_slot: HashMap<Slot, (Use, Entry<V>)>,
    by_use: BTreeMap<Use, Slot>,
    uses: Use,
    bytes: usize,
}

impl<V> Entries<V> {
    pub(crate) fn new() -> Self {
        Self { by_slot: HashMap::new(), by_use: BTreeMap::new(), uses: 0, bytes: 0 }
    }

    /// Adds an entry, as the last used; the slot must be free.
    pub(crate) fn add(&mut self, slot: Slot, entry: Entry<V>) {
        let used = self.next_use();
        self.bytes += entry.bytes;
        self.by_use.insert(used, slot.clone());
        self.by_slot.insert(slot, (used, entry));
    }

    /// Gives an entry out, which makes it the last used.
    pub(crate) fn touch(&mut self, slot: &Slot) -> Option<&Entry<V>> {
        let now = self.next_use();
        let (used, entry) = self.by_slot.get_mut(slot)?;
        if let Some(slot) = self.by_use.remove(used) {
            self.by_use.insert(now, slot);
        }
        *used = now;
        Some(entry)
    }

    pub(crate) fn remove(&mut self, slot: &Slot) -> Option<Entry<V>> {
        let (used, entry) = self.by_slot.remove(slot)?;
        self.by_use.remove(&used);
        self.bytes -= entry.bytes;
        Some(entry)
    }

    /// Removes what was not used for the longest time.
    pub(crate) fn remove_oldest(&mut self) -> Option<Entry<V>> {
        let (_, slot) = self.by_use.first_key_value()?;
        self.remove(&slot.clone())
    }

    /// Removes every entry that is `wanted`, and returns how many.
    pub(crate) fn remove_if(&mut self, wanted: impl Fn(&Slot, &Entry<V>) -> bool) -> usize {
        let before = self.len();
        self.by_slot.retain(|slot, (used, entry)| {
            let remove = wanted(slot, entry);
            if remove {
                self.by_use.remove(used);
                self.bytes -= entry.bytes;
            }
            !remove
        });
        before - self.len()
    }

    pub(crate) fn get(&self, slot: &Slot) -> Option<&Entry<V>> {
        self.by_slot.get(slot).map(|(_, entry)| entry)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&Slot, &Entry<V>)> {
        self.by_slot.iter().map(|(slot, (_, entry))| (slot, entry))
    }

    pub(crate) fn len(&self) -> usize {
        self.by_slot.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    fn next_use(&mut self) -> Use {
        self.uses += 1;
        self.uses
    }
}

/// Counts uses; a greater one is a later one.
type Use = u64;
