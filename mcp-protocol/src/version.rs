//! Protocol versions, and the two eras they fall into.

use std::borrow::Cow;
use std::fmt;

use serde::{Deserialize, Serialize};

/// The two incompatible generations of the protocol.
#[allow(clippy::exhaustive_enums, reason = "the specification knows these two")]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Era {
    /// `2025-11-25` and earlier: a handshake opens a session.
    Legacy,
    /// `2026-07-28`: stateless, every request says what it needs.
    Modern,
}

impl fmt::Display for Era {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        })
    }
}

/// A revision of the protocol, by its date.
///
/// Any text is a version: a server may name one that is newer than this crate.
#[derive(Clone, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct ProtocolVersion(Cow<'static, str>);

impl ProtocolVersion {
    /// The first public revision.
    pub const V2024_11_05: Self = Self(Cow::Borrowed("2024-11-05"));
    /// Streamable HTTP, tool annotations, batches.
    pub const V2025_03_26: Self = Self(Cow::Borrowed("2025-03-26"));
    /// Elicitation, structured content; no batches.
    pub const V2025_06_18: Self = Self(Cow::Borrowed("2025-06-18"));
    /// The last revision with a handshake.
    pub const V2025_11_25: Self = Self(Cow::Borrowed("2025-11-25"));
    /// The first revision without one.
    pub const V2026_07_28: Self = Self(Cow::Borrowed("2026-07-28"));

    /// The revisions of the legacy era, newest first.
    pub const LEGACY: [Self; 4] =
        [Self::V2025_11_25, Self::V2025_06_18, Self::V2025_03_26, Self::V2024_11_05];

    /// The revisions of the modern era, newest first.
    pub const MODERN: [Self; 1] = [Self::V2026_07_28];

    /// Whether this is a revision that is reached by handshake.
    pub fn is_legacy(&self) -> bool {
        Self::LEGACY.contains(self)
    }

    /// The date, as it stands on the wire.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl From<&str> for ProtocolVersion {
    fn from(text: &str) -> Self {
        Self(Cow::Owned(text.to_owned()))
    }
}

impl From<String> for ProtocolVersion {
    fn from(text: String) -> Self {
        Self(Cow::Owned(text))
    }
}

impl fmt::Display for ProtocolVersion {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
