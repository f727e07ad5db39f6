//! The numbers that errors carry.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The code of a JSON-RPC error.
///
/// Codes from −32000 to −32019 belong to implementations, and mean nothing across them.
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct ErrorCode(pub i64);

impl ErrorCode {
    /// The text was not JSON.
    pub const PARSE_ERROR: Self = Self(-32700);
    /// The JSON was not a request.
    pub const INVALID_REQUEST: Self = Self(-32600);
    /// The method does not exist, or is not offered.
    pub const METHOD_NOT_FOUND: Self = Self(-32601);
    /// The parameters do not fit the method; in the modern era also an unknown resource.
    pub const INVALID_PARAMS: Self = Self(-32602);
    /// Something broke on the other side.
    pub const INTERNAL_ERROR: Self = Self(-32603);
    /// Headers and body of an HTTP request disagree.  Modern servers only.
    pub const HEADER_MISMATCH: Self = Self(-32020);
    /// The request needs a capability that the client did not declare.  Modern servers only.
    pub const MISSING_REQUIRED_CLIENT_CAPABILITY: Self = Self(-32021);
    /// The server does not speak the version of the request.  Modern servers only.
    pub const UNSUPPORTED_PROTOCOL_VERSION: Self = Self(-32022);
    /// There is no such resource, in the words of the legacy era.
    pub const LEGACY_RESOURCE_NOT_FOUND: Self = Self(-32002);
    /// The user has to visit a URL first, in the words of `2025-11-25`.
    pub const LEGACY_URL_ELICITATION_REQUIRED: Self = Self(-32042);

    /// Whether only a modern server sends this code.
    pub fn is_modern(self) -> bool {
        matches!(
            self,
            Self::HEADER_MISMATCH
                | Self::MISSING_REQUIRED_CLIENT_CAPABILITY
                | Self::UNSUPPORTED_PROTOCOL_VERSION
        )
    }
}

impl fmt::Display for ErrorCode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}
