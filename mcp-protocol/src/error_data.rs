//! The `data` of the errors that a client can do something about.

use crate::object::object;
use crate::{ClientCapabilities, ElicitUrlParams};

object! {
    /// The data of error −32022: which versions there are (2026-07-28).
    #[derive(Default)]
    pub struct UnsupportedProtocolVersion {
        /// The versions that the server speaks; pick one and ask again.
        pub supported: Vec<String> => "supported" or default,
        /// The version of the request.
        pub requested: Option<String> => "requested",
    }
}

object! {
    /// The data of error −32021: what the client would have to declare (2026-07-28).
    #[derive(Default)]
    pub struct MissingRequiredClientCapability {
        /// The capabilities that the request needs.
        pub required_capabilities: ClientCapabilities => "requiredCapabilities" or default,
    }
}

object! {
    /// The data of error −32042: what the user must do before the request can work (2025-11-25
    /// only).
    #[derive(Default)]
    pub struct UrlElicitationRequired {
        /// The addresses to lead the user to.
        pub elicitations: Vec<ElicitUrlParams> => "elicitations" or default,
    }
}
