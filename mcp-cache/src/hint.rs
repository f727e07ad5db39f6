//! What a server says about keeping a result.

use std::time::Duration;

/// Who may be given a kept result.
#[allow(
    clippy::exhaustive_enums,
    reason = "the protocol defines these two, and an unknown word is Private"
)]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum CacheScope {
    /// Whoever asked, under the same authorization.
    Private,
    /// Everyone who asks the same server.
    Public,
}

impl CacheScope {
    /// Reads a `cacheScope`; anything but the word `public` is private.
    pub fn from_word(word: Option<&str>) -> Self {
        match word {
            Some("public") => Self::Public,
            _ => Self::Private,
        }
    }
}

/// A server's permission to keep a result for a while.
///
/// There is none for a while of nothing, and a result without a hint cannot be kept.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub struct CacheHint {
    ttl: Duration,
    scope: CacheScope,
}

impl CacheHint {
    /// A permission for `ttl`; `None` if that is zero.
    pub fn new(ttl: Duration, scope: CacheScope) -> Option<Self> {
        (!ttl.is_zero()).then_some(Self { ttl, scope })
    }

    /// Reads a `ttlMs` that is a JSON number, and a `cacheScope` that is a JSON string.
    ///
    /// Pass `None` for a member that is absent or of any other type.  `None` comes back where
    /// there is no number above zero.  A time too long to count is as long as can be counted.
    pub fn from_millis(ttl_ms: Option<f64>, scope: Option<&str>) -> Option<Self> {
        let seconds = ttl_ms.filter(|&millis| millis > 0.0)? / 1000.0;
        let ttl = Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX);
        Self::new(ttl, CacheScope::from_word(scope))
    }

    /// How long the result may be kept, counted from its arrival.
    pub fn ttl(&self) -> Duration {
        self.ttl
    }

    /// Who may be given the result.
    pub fn scope(&self) -> CacheScope {
        self.scope
    }
}
