//! The table of pending requests.

use std::collections::hash_map::Entry;
use std::collections::{BTreeMap, HashMap};
use std::hash::Hash;
use std::time::Instant;

use crate::RegisterError;

/// The requests of one connection that wait for an answer, by id.
///
/// `T` is whatever the caller wants back when the answer comes: a channel, a waker, the method
/// beside it, or in a test, a string.  `R` is why the connection ended, for those who ask later.
///
/// Ids match as `Eq` says.  An id type that tells the number 1 from the string `"1"`, as
/// JSON-RPC does, makes the table do so too.
#[derive(Debug)]
pub struct Correlator<Id, T, R = ()> {
    pending: HashMap<Id, Pending<T>>,
    /// The deadlines of what is pending, and of nothing else.
    deadlines: BTreeMap<(Instant, Registration), Id>,
    registered: Registration,
    retired: Option<R>,
}

impl<Id, T, R> Correlator<Id, T, R> {
    /// An empty table.
    pub fn new() -> Self {
        Self { pending: HashMap::new(), deadlines: BTreeMap::new(), registered: 0, retired: None }
    }

    /// The earliest deadline: when [`handle_timeout`](Self::handle_timeout) next has work to do.
    ///
    /// Ask again after every call that takes the table by `&mut`.
    pub fn poll_timeout(&self) -> Option<Instant> {
        self.deadlines.first_key_value().map(|(&(at, _), _)| at)
    }

    /// Whether the table was retired.
    pub fn is_retired(&self) -> bool {
        self.retired.is_some()
    }

    /// The reason the table was retired for; `None` while it is open.
    pub fn reason(&self) -> Option<&R> {
        self.retired.as_ref()
    }

    /// How many requests are waiting.
    pub fn len(&self) -> usize {
        self.pending.len()
    }

    /// Whether no request is waiting.
    pub fn is_empty(&self) -> bool {
        self.pending.is_empty()
    }

    /// The ids that are waiting, the longest waiting first.
    pub fn ids(&self) -> Vec<&Id> {
        let mut ids: Vec<_> = self.pending.iter().collect();
        ids.sort_unstable_by_key(|(_, pending)| pending.registration);
        ids.into_iter().map(|(id, _)| id).collect()
    }
}

impl<Id: Clone + Eq + Hash, T, R> Correlator<Id, T, R> {
    /// Waits for an answer to `id`, until `deadline` if there is one.
    ///
    /// # Errors
    ///
    /// Fails when the table is retired, and when `id` is still waiting.  The waiter comes back.
    pub fn register(
        &mut self,
        id: Id,
        waiter: T,
        deadline: Option<Instant>,
    ) -> Result<(), RegisterError<T, R>>
    where
        R: Clone,
    {
        if let Some(reason) = &self.retired {
            return Err(RegisterError::Retired { waiter, reason: reason.clone() });
        }
        let vacant = match self.pending.entry(id) {
            Entry::Occupied(_) => return Err(RegisterError::InFlight { waiter }),
            Entry::Vacant(vacant) => vacant,
        };
        let registration = self.registered;
        self.registered += 1;
        if let Some(at) = deadline {
            self.deadlines.insert((at, registration), vacant.key().clone());
        }
        vacant.insert(Pending { waiter, deadline, registration });
        Ok(())
    }

    /// Takes the waiter of `id`; `None` if nobody waits for it, or no longer.
    ///
    /// This is how an answer arrives, and also how a request is cancelled or rejected: what
    /// becomes of the waiter is the caller's business, once, because it is gone from the table.
    pub fn resolve(&mut self, id: &Id) -> Option<T> {
        let pending = self.pending.remove(id)?;
        if let Some(at) = pending.deadline {
            self.deadlines.remove(&(at, pending.registration));
        }
        Some(pending.waiter)
    }

    /// Takes every waiter whose deadline has come, the earliest deadline first.
    ///
    /// A deadline has come *at* its instant.  It belongs to one registration: an id that was
    /// answered and registered again is not hit by its earlier deadline.
    #[must_use = "the waiters are gone from the table"]
    pub fn handle_timeout(&mut self, now: Instant) -> Vec<(Id, T)> {
        let mut due = Vec::new();
        while let Some(first) = self.deadlines.first_entry().filter(|it| it.key().0 <= now) {
            let id = first.remove();
            due.extend(self.pending.remove(&id).map(|pending| (id, pending.waiter)));
        }
        due
    }

    /// Takes every waiter, the longest waiting first, and stays open.
    #[must_use = "the waiters are gone from the table"]
    pub fn drain(&mut self) -> Vec<(Id, T)> {
        self.deadlines.clear();
        let mut all: Vec<_> = self.pending.drain().collect();
        all.sort_unstable_by_key(|(_, pending)| pending.registration);
        all.into_iter().map(|(id, pending)| (id, pending.waiter)).collect()
    }

    /// Takes every waiter, the longest waiting first, and takes no new one in, for ever.
    ///
    /// The first reason is the one that is kept.
    #[must_use = "the waiters are gone from the table"]
    pub fn retire(&mut self, reason: R) -> Vec<(Id, T)> {
        self.retired.get_or_insert(reason);
        self.drain()
    }

    /// The waiter of `id`, left where it is.
    pub fn get(&self, id: &Id) -> Option<&T> {
        self.pending.get(id).map(|pending| &pending.waiter)
    }

    /// Whether `id` is waiting.
    pub fn contains(&self, id: &Id) -> bool {
        self.pending.contains_key(id)
    }
}

impl<Id, T, R> Default for Correlator<Id, T, R> {
    fn default() -> Self {
        Self::new()
    }
}

#[derive(Debug)]
struct Pending<T> {
    waiter: T,
    deadline: Option<Instant>,
    registration: Registration,
}

/// Counts registrations, so that equal deadlines and equal ids can be told apart.
type Registration = u64;
