//! The cache.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;

use crate::entries::{Entries, Entry};
use crate::key::Slot;
use crate::{CacheScope, Fetched, Key, Mark, Partition, Provenance, Refusal};

/// Keeps results for as long as the server said, within [`Limits`].
///
/// One cache may serve many connections: what belongs together is decided by the [`Partition`]
/// of each [`Key`].
#[derive(Debug)]
pub struct Cache<V> {
    limits: Limits,
    entries: Entries<V>,
    /// How often anything was invalidated; a [`Mark`] is one reading of it.
    invalidations: u64,
    /// When a method of a server was last invalidated, where that is later than `cleared`.
    invalidated: HashMap<Arc<str>, HashMap<String, u64>>,
    /// When entries were last cleared away.
    cleared: u64,
}

impl<V> Cache<V> {
    /// An empty cache.
    pub fn new(limits: Limits) -> Self {
        Self {
            limits,
            entries: Entries::new(),
            invalidations: 0,
            invalidated: HashMap::new(),
            cleared: 0,
        }
    }

    /// A mark to take before a request is sent, and to give back with its result.
    ///
    /// It is how the cache knows that a result was overtaken by an invalidation.
    pub fn mark(&self) -> Mark {
        Mark(self.invalidations)
    }

    /// The result kept for `key`, if it is still alive; a dead one is dropped.
    pub fn get(&mut self, key: &Key, now: Instant) -> Option<&V> {
        for slot in [key.private(), key.public()] {
            match self.entries.get(&slot).map(|entry| entry.is_dead(now)) {
                Some(false) => return self.entries.touch(&slot).map(|entry| &entry.value),
                Some(true) => drop(self.entries.remove(&slot)),
                None => (),
            }
        }
        None
    }

    /// Keeps a result from `now` on, in place of what was kept for `key`.
    ///
    /// Where room is short, dead entries make it first, and then those that were not used for
    /// the longest time.
    ///
    /// # Errors
    ///
    /// Fails when the result may not be kept, or cannot; the cache is then as it was.
    pub fn insert(&mut self, key: &Key, fetched: Fetched<V>, now: Instant) -> Result<(), Refusal> {
        let Provenance::Request(mark) = fetched.provenance else {
            return Err(Refusal::AfterInput);
        };
        if mark.0 < self.last_invalidated(key) {
            return Err(Refusal::Outdated);
        }
        let Limits { entries, bytes: limit } = self.limits;
        if entries == 0 {
            return Err(Refusal::Disabled);
        }
        let bytes = fetched.bytes.saturating_add(key.len());
        if bytes > limit {
            return Err(Refusal::TooLarge { bytes, limit });
        }
        self.evict(key);
        if !self.has_room(bytes) {
            self.purge_expired(now);
        }
        while !self.has_room(bytes) && self.entries.remove_oldest().is_some() {}
        let slot = match fetched.hint.scope() {
            CacheScope::Private => key.private(),
            CacheScope::Public => key.public(),
        };
        let expires = now.checked_add(fetched.hint.ttl());
        let owner = key.partition().clone();
        self.entries.add(slot, Entry { value: fetched.value, bytes, expires, owner });
        Ok(())
    }

    /// Drops what is kept for `key`, and says whether there was anything.
    ///
    /// This is for a resource that was updated, and for a reader who wants a fresh result.  What
    /// is under way for this method of this server, by a mark from before, will not be kept.
    pub fn invalidate(&mut self, key: &Key) -> bool {
        self.note_invalidation(key.partition(), key.method());
        self.evict(key)
    }

    /// Drops what is kept for a method whatever its parameters, and returns how many it was.
    ///
    /// This is for a list that changed: all its pages go.  Public results go for everyone, and
    /// private ones for the authorization of `partition`.  What is under way, by a mark from
    /// before, will not be kept.
    pub fn invalidate_method(&mut self, partition: &Partition, method: &str) -> usize {
        self.note_invalidation(partition, method);
        self.entries.remove_if(|slot, _| slot.method() == method && slot.is_readable_by(partition))
    }

    /// Drops every entry whose time is over, and returns how many it was.
    pub fn purge_expired(&mut self, now: Instant) -> usize {
        self.entries.remove_if(|_, entry| entry.is_dead(now))
    }

    /// Drops what was inserted for `partition`, and returns how many entries it was.
    ///
    /// This is for a connection that closes.  Entries that others inserted stay, even those
    /// that this partition may read.  What is under way, by a mark from before, will not be kept.
    pub fn clear_partition(&mut self, partition: &Partition) -> usize {
        self.invalidated.remove(partition.server());
        self.note_clearing();
        self.entries.remove_if(|_, entry| entry.owner == *partition)
    }

    /// Drops everything, and returns how many entries it was.
    pub fn clear(&mut self) -> usize {
        self.invalidated.clear();
        self.note_clearing();
        std::mem::replace(&mut self.entries, Entries::new()).len()
    }

    /// Who may be given the result kept for `key`; `None` where none is alive.  It drops nothing.
    pub fn scope_of(&self, key: &Key, now: Instant) -> Option<CacheScope> {
        let alive = |slot: &Slot| self.entries.get(slot).is_some_and(|it| !it.is_dead(now));
        let slot = [key.private(), key.public()].into_iter().find(alive)?;
        Some(if slot.is_public() { CacheScope::Public } else { CacheScope::Private })
    }

    /// The key of each entry as it was inserted, dead ones included, in order.
    pub fn keys(&self) -> Vec<Key> {
        let mut keys: Vec<_> =
            self.entries.iter().map(|(slot, entry)| slot.key(&entry.owner)).collect();
        keys.sort_unstable();
        keys
    }

    /// How many entries there are, dead ones included.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there is no entry.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// What the entries take, keys included: never more than the limit.
    pub fn bytes(&self) -> usize {
        self.entries.bytes()
    }

    fn evict(&mut self, key: &Key) -> bool {
        let private = self.entries.remove(&key.private());
        let public = self.entries.remove(&key.public());
        private.is_some() || public.is_some()
    }

    fn has_room(&self, bytes: usize) -> bool {
        self.entries.len() < self.limits.entries
            && self.entries.bytes() <= self.limits.bytes - bytes
    }

    fn note_invalidation(&mut self, partition: &Partition, method: &str) {
        self.invalidations += 1;
        let methods = self.invalidated.entry(partition.server().into()).or_default();
        methods.insert(method.to_owned(), self.invalidations);
    }

    /// What is under way when entries are cleared is not kept, whoever asked for it.
    fn note_clearing(&mut self) {
        self.invalidations += 1;
        self.cleared = self.invalidations;
    }

    fn last_invalidated(&self, key: &Key) -> u64 {
        let methods = self.invalidated.get(key.partition().server());
        let method = methods.and_then(|methods| methods.get(key.method()));
        method.map_or(self.cleared, |&last| last.max(self.cleared))
    }
}

impl<V> Default for Cache<V> {
    fn default() -> Self {
        Self::new(Limits::default())
    }
}

/// How much a cache may hold.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct Limits {
    /// How many entries; 1,024 by default, and with none the cache keeps nothing.
    pub entries: usize,
    /// How many bytes, keys included; 64 MiB by default.
    pub bytes: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self { entries: 1024, bytes: 64 << 20 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_that_is_closed_leaves_nothing_behind() {
        let mut cache = Cache::<()>::default();
        for server in ["a", "b"] {
            cache.invalidate_method(&Partition::new(server), "tools/list");
        }
        cache.clear_partition(&Partition::new("a"));
        assert_eq!(cache.invalidated.len(), 1);
        cache.clear();
        assert_eq!(cache.invalidated.len(), 0);
    }
}
