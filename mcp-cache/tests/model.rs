//! Random operations, against a list that does the same slowly.

#![allow(clippy::disallowed_methods, reason = "a life needs an instant to start from")]

use std::time::{Duration, Instant};

use mcp_cache::{
    Cache, CacheHint, CacheScope, Fetched, Key, Limits, Mark, Partition, Provenance, Refusal,
};
use proptest::prelude::*;

const LIMITS: Limits = Limits { entries: 4, bytes: 40 };

/// A server, an authorization or none, a method and a parameter or none.
type Asked = (u8, Option<u8>, u8, Option<u8>);

#[derive(Clone, Debug)]
enum Operation {
    Insert { asked: Asked, bytes: usize, ttl: u64, public: bool, late_by: usize, input: bool },
    Get(Asked),
    Invalidate(Asked),
    InvalidateMethod(Asked),
    PurgeExpired,
    ClearPartition(Asked),
    Clear,
    Wait(u64),
}

fn operation() -> impl Strategy<Value = Operation> {
    let asked = || (0u8..2, prop::option::of(0u8..2), 0u8..2, prop::option::of(0u8..2));
    let insert =
        (asked(), 0usize..45, 1u64..9, any::<bool>(), 0usize..3, prop::bool::weighted(0.1));
    prop_oneof![
        12 => insert.prop_map(|(asked, bytes, ttl, public, late_by, input)| {
            Operation::Insert { asked, bytes: bytes / 3, ttl, public, late_by, input }
        }),
        12 => asked().prop_map(Operation::Get),
        2 => asked().prop_map(Operation::Invalidate),
        1 => asked().prop_map(Operation::InvalidateMethod),
        1 => Just(Operation::PurgeExpired),
        1 => asked().prop_map(Operation::ClearPartition),
        1 => Just(Operation::Clear),
        4 => (1u64..4).prop_map(Operation::Wait),
    ]
}

fn partition(&(server, authorization, ..): &Asked) -> Partition {
    let partition = Partition::new(["s", "t"][usize::from(server)]);
    match authorization {
        Some(it) => partition.authorized_as(["ann", "bob"][usize::from(it)]),
        None => partition,
    }
}

fn key(asked: &Asked) -> Key {
    let key = Key::new(&partition(asked), method(asked));
    match asked.3 {
        Some(it) => key.param("p", ["x", "y"][usize::from(it)]),
        None => key,
    }
}

fn method(asked: &Asked) -> &'static str {
    ["m", "n"][usize::from(asked.2)]
}

struct Kept {
    asked: Asked,
    public: bool,
    value: usize,
    bytes: usize,
    expires: u64,
}

impl Kept {
    fn is_readable_by(&self, (server, authorization, ..): &Asked) -> bool {
        self.asked.0 == *server && (self.public || self.asked.1 == *authorization)
    }

    fn answers(&self, asked: &Asked) -> bool {
        self.is_readable_by(asked) && (self.asked.2, self.asked.3) == (asked.2, asked.3)
    }
}

/// What is kept, the least recently used first, and all that was ever invalidated.
#[derive(Default)]
struct Model {
    kept: Vec<Kept>,
    /// A server and a method, or everything.
    invalidated: Vec<Option<(u8, u8)>>,
}

impl Model {
    fn remove(&mut self, unwanted: impl Fn(&Kept) -> bool) -> usize {
        let before = self.kept.len();
        self.kept.retain(|kept| !unwanted(kept));
        before - self.kept.len()
    }

    fn get(&mut self, asked: &Asked, now: u64) -> Option<usize> {
        for public in [false, true] {
            let Some(found) =
                self.kept.iter().position(|it| it.public == public && it.answers(asked))
            else {
                continue;
            };
            let kept = self.kept.remove(found);
            if kept.expires > now {
                let value = kept.value;
                self.kept.push(kept);
                return Some(value);
            }
        }
        None
    }

    fn insert(&mut self, new: Kept, mark: usize, input: bool, now: u64) -> Result<(), Refusal> {
        if input {
            return Err(Refusal::AfterInput);
        }
        let about = |it: &Option<_>| it.is_none_or(|it| it == (new.asked.0, new.asked.2));
        if self.invalidated[mark..].iter().any(about) {
            return Err(Refusal::Outdated);
        }
        if new.bytes > LIMITS.bytes {
            return Err(Refusal::TooLarge { bytes: new.bytes, limit: LIMITS.bytes });
        }
        self.remove(|it| it.answers(&new.asked));
        let full = |kept: &[Kept]| {
            kept.len() == LIMITS.entries
                || kept.iter().map(|it| it.bytes).sum::<usize>() + new.bytes > LIMITS.bytes
        };
        if full(&self.kept) {
            self.remove(|it| it.expires <= now);
        }
        while full(&self.kept) {
            self.kept.remove(0);
        }
        self.kept.push(new);
        Ok(())
    }
}

proptest! {
    #[test]
    fn the_cache_does_what_the_list_does(operations in prop::collection::vec(operation(), 0..80)) {
        let start = Instant::now();
        let mut cache = Cache::new(LIMITS);
        let mut model = Model::default();
        let mut now = 0;
        // The marks a caller may still hold, with how much had been invalidated by then.
        let mut marks: Vec<(Mark, usize)> = vec![];
        for (value, operation) in operations.into_iter().enumerate() {
            let at = start + Duration::from_secs(now);
            marks.push((cache.mark(), model.invalidated.len()));
            match operation {
                Operation::Insert { asked, bytes, ttl, public, late_by, input } => {
                    let (mark, known) = marks[marks.len().saturating_sub(late_by * 4 + 1)];
                    let scope = if public { CacheScope::Public } else { CacheScope::Private };
                    let hint = CacheHint::new(Duration::from_secs(ttl), scope).unwrap();
                    let provenance =
                        if input { Provenance::AfterInput } else { Provenance::Request(mark) };
                    let key_bytes = if asked.3.is_some() { 3 } else { 1 };
                    // Now and then one that cannot fit.
                    let bytes = if bytes == 14 { 40 } else { bytes };
                    let kept =
                        Kept { asked, public, value, bytes: bytes + key_bytes, expires: now + ttl };
                    let fetched = Fetched { value, bytes, hint, provenance };
                    prop_assert_eq!(
                        cache.insert(&key(&asked), fetched, at),
                        model.insert(kept, known, input, now)
                    );
                }
                Operation::Get(asked) => {
                    let scope = cache.scope_of(&key(&asked), at);
                    let found = cache.get(&key(&asked), at).copied();
                    prop_assert_eq!(found, model.get(&asked, now));
                    prop_assert_eq!(scope.is_some(), found.is_some());
                    let public = found.map(|value| model.kept.iter().any(|it| it.value == value && it.public));
                    prop_assert_eq!(scope.map(|scope| scope == CacheScope::Public), public);
                }
                Operation::Invalidate(asked) => {
                    model.invalidated.push(Some((asked.0, asked.2)));
                    prop_assert_eq!(
                        cache.invalidate(&key(&asked)),
                        model.remove(|it| it.answers(&asked)) > 0
                    );
                }
                Operation::InvalidateMethod(asked) => {
                    model.invalidated.push(Some((asked.0, asked.2)));
                    prop_assert_eq!(
                        cache.invalidate_method(&partition(&asked), method(&asked)),
                        model.remove(|it| it.is_readable_by(&asked) && it.asked.2 == asked.2)
                    );
                }
                Operation::PurgeExpired => prop_assert_eq!(
                    cache.purge_expired(at),
                    model.remove(|it| it.expires <= now)
                ),
                Operation::ClearPartition(asked) => {
                    model.invalidated.push(None);
                    prop_assert_eq!(
                        cache.clear_partition(&partition(&asked)),
                        model.remove(|it| (it.asked.0, it.asked.1) == (asked.0, asked.1))
                    );
                }
                Operation::Clear => {
                    model.invalidated.push(None);
                    prop_assert_eq!(cache.clear(), model.remove(|_| true));
                }
                Operation::Wait(seconds) => now += seconds,
            }
            let mut keys: Vec<_> = model.kept.iter().map(|it| key(&it.asked)).collect();
            keys.sort_unstable();
            prop_assert_eq!(cache.keys(), keys);
            prop_assert_eq!(cache.len(), model.kept.len());
            prop_assert_eq!(cache.bytes(), model.kept.iter().map(|it| it.bytes).sum::<usize>());
            prop_assert!(cache.len() <= LIMITS.entries && cache.bytes() <= LIMITS.bytes);
        }
    }
}
