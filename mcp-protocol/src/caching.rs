//! How long an answer may be kept, and by whom (2026-07-28).

use serde_json::Value;

use crate::JsonObject;
use crate::words::words;

words! {
    /// With whom an answer may be shared.
    pub enum CacheScope {
        /// With anyone.
        Public = "public",
        /// Only within the authorization that it was given to.
        Private = "private",
    }
}

/// What a result says about keeping it.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CacheHint {
    /// How many milliseconds it may be kept; absent, zero and less mean not at all.
    pub ttl_ms: Option<f64>,
    /// With whom it may be shared; absent means [`CacheScope::Private`].
    pub cache_scope: Option<CacheScope>,
}

impl CacheHint {
    /// Reads the hint of a raw result; members of another type count as absent.
    pub fn of(result: &JsonObject) -> Self {
        let scope = result.get("cacheScope").and_then(Value::as_str);
        Self {
            ttl_ms: result.get("ttlMs").and_then(Value::as_f64),
            cache_scope: scope.and_then(CacheScope::from_word),
        }
    }
}

macro_rules! cacheable {
    ($($result:ident)*) => {
        $(impl crate::$result {
            /// Returns what the result says about keeping it.
            pub fn cache_hint(&self) -> CacheHint {
                CacheHint { ttl_ms: self.ttl_ms, cache_scope: self.cache_scope }
            }
        })*
    };
}

cacheable! {
    DiscoverResult ListPromptsResult ListResourceTemplatesResult ListResourcesResult
    ListToolsResult ReadResourceResult
}
