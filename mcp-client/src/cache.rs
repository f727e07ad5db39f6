//! Results that the server allows to keep, under the keys of this client.

use std::any::Any;
use std::fmt;
use std::sync::{Arc, Mutex};

use mcp_cache::{Cache, CacheHint, Fetched, Key, Mark, Partition, Provenance};
use mcp_protocol as protocol;
use mcp_protocol::method;
use tokio::time::Instant;

use crate::CacheLimits;
use crate::lock::lock;

/// Keeps results for as long as the server said; shared by cloning.
///
/// Several clients may share one.  Each keeps its entries apart from those of every other, and
/// closing a client drops its own entries only.
#[derive(Clone, Default)]
pub struct ResultCache(Arc<Mutex<Cache<Kept>>>);

type Kept = Arc<dyn Any + Send + Sync>;

impl ResultCache {
    /// A cache that holds at most so much.
    pub fn new(limits: CacheLimits) -> Self {
        Self(Arc::new(Mutex::new(Cache::new(limits))))
    }

    /// How many results are kept, dead ones included.
    pub fn len(&self) -> usize {
        lock(&self.0).len()
    }

    /// Whether nothing is kept.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    pub(crate) fn get<T: Send + Sync + 'static>(&self, key: &Key) -> Option<Arc<T>> {
        let kept = lock(&self.0).get(key, now())?.clone();
        kept.downcast().ok()
    }

    /// A mark to take before asking the server; see [`Cache::mark`].
    pub(crate) fn mark(&self) -> Mark {
        lock(&self.0).mark()
    }

    /// Keeps a result, if its hint allows it.
    pub(crate) fn put<T: Send + Sync + 'static>(
        &self,
        key: &Key,
        value: Arc<T>,
        (bytes, hint): (usize, protocol::CacheHint),
        provenance: Provenance,
    ) {
        if let Some(hint) = read_hint(hint) {
            let fetched = Fetched { value: value as Kept, bytes, hint, provenance };
            // A result that cannot be kept is simply asked for again.
            let _ = lock(&self.0).insert(key, fetched, now());
        }
    }

    pub(crate) fn evict(&self, key: &Key) {
        lock(&self.0).invalidate(key);
    }

    pub(crate) fn invalidate_method(&self, partition: &Partition, method: &str) {
        lock(&self.0).invalidate_method(partition, method);
    }

    pub(crate) fn invalidate_resource(&self, partition: &Partition, uri: &str) {
        lock(&self.0).invalidate(&read_key(partition, uri));
    }

    pub(crate) fn clear(&self, partition: &Partition) {
        lock(&self.0).clear_partition(partition);
    }
}

/// The key of what a read of `uri` returns.
pub(crate) fn read_key(partition: &Partition, uri: &str) -> Key {
    Key::new(partition, method::READ_RESOURCE).param("uri", uri)
}

/// The shortest time and the narrowest scope that any page of a listing allows.
pub(crate) fn narrower(
    this: protocol::CacheHint,
    that: protocol::CacheHint,
) -> protocol::CacheHint {
    let mut hint = protocol::CacheHint::default();
    hint.ttl_ms = match (this.ttl_ms, that.ttl_ms) {
        (Some(this), Some(that)) => Some(this.min(that)),
        _ => None,
    };
    let is_public = [this, that].iter().all(|it| it.cache_scope == Some(PUBLIC));
    hint.cache_scope = is_public.then_some(PUBLIC);
    hint
}

const PUBLIC: protocol::CacheScope = protocol::CacheScope::Public;

fn read_hint(hint: protocol::CacheHint) -> Option<CacheHint> {
    CacheHint::from_millis(hint.ttl_ms, hint.cache_scope.map(protocol::CacheScope::as_str))
}

fn now() -> std::time::Instant {
    // By tokio's clock, which tests can stop.
    Instant::now().into_std()
}

impl fmt::Debug for ResultCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResultCache").field("len", &self.len()).finish()
    }
}
