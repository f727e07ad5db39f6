//! What a server answers to `server/discover` (2026-07-28).

use serde::Deserialize;

use crate::object::object;
use crate::{
    CacheScope, Implementation, JsonObject, META_SERVER_INFO, ResultType, ServerCapabilities,
};

object! {
    /// The versions and capabilities of a server.
    #[derive(Default)]
    pub struct DiscoverResult {
        /// Whether this is the whole answer.
        pub result_type: Option<ResultType> => "resultType",
        /// The protocol versions that the server speaks; empty if it named none.
        pub supported_versions: Vec<String> => "supportedVersions" or default,
        /// What the server can do.
        pub capabilities: ServerCapabilities => "capabilities" or default,
        /// Advice on using the server, for a model to read.
        pub instructions: Option<String> => "instructions",
        /// How many milliseconds the answer may be kept.
        pub ttl_ms: Option<f64> => "ttlMs",
        /// With whom the answer may be shared.
        pub cache_scope: Option<CacheScope> => "cacheScope",
        /// Metadata, the server's own name among it.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl DiscoverResult {
    /// Returns what the server says it is: `_meta["io.modelcontextprotocol/serverInfo"]`.
    pub fn server_info(&self) -> Option<Implementation> {
        Implementation::deserialize(self.meta.as_ref()?.get(META_SERVER_INFO)?).ok()
    }
}
