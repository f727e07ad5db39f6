//! The folders that a client lets a server work in: `roots/list`.

use crate::object::object;
use crate::{Extra, JsonObject};

object! {
    /// A folder or file that a server may work with.
    pub struct Root {
        /// Its address, which begins with `file://`.
        pub uri: String => "uri",
        /// A name to show.
        pub name: Option<String> => "name",
        /// Metadata.
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl Root {
    /// Creates a root at `uri`.
    pub fn new(uri: impl Into<String>) -> Self {
        Self { uri: uri.into(), name: None, meta: None, extra: Extra::default() }
    }
}

object! {
    /// What a client answers to `roots/list`.
    #[derive(Default)]
    pub struct ListRootsResult {
        /// The roots.
        pub roots: Vec<Root> => "roots" or default,
        /// Metadata (2025-11-25 and before).
        pub meta: Option<Box<JsonObject>> => "_meta",
    }
}

impl From<Vec<Root>> for ListRootsResult {
    fn from(roots: Vec<Root>) -> Self {
        Self { roots, ..Self::default() }
    }
}
