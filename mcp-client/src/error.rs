//! Everything that can go wrong with a server, in one type.

use std::sync::Arc;
use std::time::Duration;

use mcp_protocol::{ErrorCode, ErrorObject};
use mcp_provider::Delivery;
use mcp_transport::{Failure, HttpFailure, ServerGone, TransportError};
use serde_json::Value;

/// Why a request got no result.
///
/// A tool that fails is not in here: that is a result.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The caller gave it up.
    #[error("{method} was cancelled")]
    Cancelled {
        /// The request.
        method: String,
    },
    /// An HTTP server answered with a status that is no success, and with no message of the
    /// protocol: it may want credentials, or be no such server at all.
    #[error("{failure}")]
    Http {
        /// The status, and what the server asks for.
        failure: Arc<HttpFailure>,
        /// Whether the request may have taken effect all the same.
        delivery: Delivery,
    },
    /// The server kept asking for input beyond the budget of rounds.
    #[error("{method} still needs input after {rounds} rounds (raise `max_input_rounds`)")]
    InputLoopExceeded {
        /// How many times input was given.
        rounds: usize,
        /// The request.
        method: String,
    },
    /// A setting that cannot work.
    #[error(transparent)]
    InvalidOption(#[from] InvalidOption),
    /// The server answered with an error, or broke the protocol.
    #[error("{detail}{}", .code.map(|code| format!(" (code {code})")).unwrap_or_default())]
    Protocol {
        /// What happened, in the server's words if it is the server's error.
        detail: String,
        /// The code of the server's error; nothing if it gave none, or if it is not its error.
        code: Option<ErrorCode>,
        /// What the server's error carries besides, verbatim.
        data: Option<Box<Value>>,
        /// Whether the request may have taken effect all the same.
        delivery: Delivery,
    },
    /// The server's process ended, or the connection to it did.
    #[error("{gone}")]
    ServerGone {
        /// What is known about the end.
        gone: Arc<ServerGone>,
        /// Whether the request may have reached the server before that.
        is_sent: bool,
    },
    /// The server ended the session, and the new session as well if there was one.
    #[error("the server has ended the session")]
    SessionExpired {
        /// Whether the request may have run before that; if not, the server did nothing with it.
        is_sent: bool,
    },
    /// The server could not be started.
    #[error("{error}")]
    SpawnFailed {
        /// The command, and why not.
        error: TransportError,
    },
    /// The server took too long.  The connection goes on; a late answer is dropped.
    #[error("timed out after {seconds}s ({method}{})", .id.map(|id| format!(", id {id}")).unwrap_or_default())]
    Timeout {
        /// The budget.
        seconds: f64,
        /// The request.
        method: String,
        /// Its id.
        id: Option<u64>,
        /// Whether it may have reached the server: not if it was the connection that took too long.
        is_sent: bool,
    },
    /// The connection was closed on this side.
    #[error("the connection is closed")]
    TransportClosed {
        /// Whether the request may have reached the server before that.
        is_sent: bool,
    },
    /// Client and server have no version of the protocol in common.
    #[error("no protocol version in common: asked for {requested}, the server speaks {}", list(.supported))]
    UnsupportedVersion {
        /// The version asked for last.
        requested: String,
        /// The versions that the server named.
        supported: Vec<String>,
    },
}

// Whoever returns it is warned by clippy from 128 bytes on.
const _: () = assert!(size_of::<Error>() < 128);

impl Error {
    /// What is known about the request: whether it was answered, never left, or may have run.
    pub fn delivery(&self) -> Delivery {
        match self {
            Self::Cancelled { .. }
            | Self::ServerGone { is_sent: true, .. }
            | Self::SessionExpired { is_sent: true }
            | Self::Timeout { is_sent: true, .. }
            | Self::TransportClosed { is_sent: true } => Delivery::Unknown,
            Self::InputLoopExceeded { .. } => Delivery::Answered,
            Self::Http { delivery, .. } | Self::Protocol { delivery, .. } => *delivery,
            Self::InvalidOption(_)
            | Self::ServerGone { .. }
            | Self::SessionExpired { .. }
            | Self::SpawnFailed { .. }
            | Self::Timeout { .. }
            | Self::TransportClosed { .. }
            | Self::UnsupportedVersion { .. } => Delivery::NotSent,
        }
    }

    /// The code of the server's error, if this is one.
    pub fn code(&self) -> Option<ErrorCode> {
        match self {
            Self::Protocol { code, .. } => *code,
            _ => None,
        }
    }

    /// Whether the server says that there is no such resource.
    ///
    /// Modern servers say `-32602`, older ones `-32002`; ask only about reads.
    pub fn is_resource_not_found(&self) -> bool {
        let codes = [ErrorCode::INVALID_PARAMS, ErrorCode::LEGACY_RESOURCE_NOT_FOUND];
        self.code().is_some_and(|code| codes.contains(&code))
    }

    /// The last words that the server wrote to its error output, if it is gone.
    pub fn stderr_tail(&self) -> Option<&str> {
        match self {
            Self::ServerGone { gone, .. } => Some(&gone.stderr_tail),
            _ => None,
        }
    }

    /// A server that breaks the protocol; its answer may still mean that the request ran.
    pub(crate) fn protocol(detail: impl Into<String>) -> Self {
        let (detail, delivery) = (detail.into(), Delivery::Unknown);
        Self::Protocol { detail, code: None, data: None, delivery }
    }

    /// A request that cannot be made.
    pub(crate) fn refused(detail: impl Into<String>) -> Self {
        let (detail, delivery) = (detail.into(), Delivery::NotSent);
        Self::Protocol { detail, code: None, data: None, delivery }
    }

    pub(crate) fn timeout(method: &str, id: u64, budget: Option<Duration>) -> Self {
        Self::Timeout {
            seconds: budget.unwrap_or_default().as_secs_f64(),
            method: method.to_owned(),
            id: Some(id),
            is_sent: true,
        }
    }

    /// The same error as the reason why there was no connection to send a request on.
    pub(crate) fn before_sending(mut self) -> Self {
        match &mut self {
            Self::Http { delivery, .. } | Self::Protocol { delivery, .. } => {
                *delivery = Delivery::NotSent;
            }
            Self::ServerGone { is_sent, .. }
            | Self::SessionExpired { is_sent }
            | Self::Timeout { is_sent, .. }
            | Self::TransportClosed { is_sent } => *is_sent = false,
            Self::Cancelled { .. }
            | Self::InputLoopExceeded { .. }
            | Self::InvalidOption(_)
            | Self::SpawnFailed { .. }
            | Self::UnsupportedVersion { .. } => (),
        }
        self
    }

    /// The same error of a later round of a request whose first round has arrived.
    pub(crate) fn after_rounds(mut self) -> Self {
        match &mut self {
            Self::Protocol { delivery, .. } if *delivery == Delivery::NotSent => {
                *delivery = Delivery::Unknown;
            }
            Self::ServerGone { is_sent, .. }
            | Self::SessionExpired { is_sent }
            | Self::Timeout { is_sent, .. }
            | Self::TransportClosed { is_sent } => *is_sent = true,
            _ => (),
        }
        self
    }

    pub(crate) fn rpc(error: ErrorObject) -> Self {
        let delivery = Delivery::Answered;
        Self::Protocol { detail: error.message, code: error.code, data: error.data, delivery }
    }
}

impl From<Failure> for Error {
    fn from(failure: Failure) -> Self {
        let is_sent = failure.is_sent;
        match failure.error {
            TransportError::Rpc(error) => Self::rpc(error),
            TransportError::ServerGone(gone) => Self::ServerGone { gone, is_sent },
            TransportError::SessionExpired => Self::SessionExpired { is_sent },
            error @ TransportError::SpawnFailed { .. } => Self::SpawnFailed { error },
            TransportError::Closed => Self::TransportClosed { is_sent },
            TransportError::Http(failure) => {
                let delivery = match failure.is_refusal() {
                    true => Delivery::Answered,
                    false if is_sent => Delivery::Unknown,
                    false => Delivery::NotSent,
                };
                Self::Http { failure, delivery }
            }
            TransportError::Unattributed(error) => Self::Protocol {
                detail: error.message,
                code: error.code,
                data: error.data,
                delivery: Delivery::Unknown,
            },
            error => Self::Protocol {
                detail: error.to_string(),
                code: None,
                data: None,
                delivery: if is_sent { Delivery::Unknown } else { Delivery::NotSent },
            },
        }
    }
}

fn list(versions: &[String]) -> String {
    if versions.is_empty() { "none that it names".to_owned() } else { versions.join(", ") }
}

/// A setting of a client that cannot work.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{option}: {reason}")]
pub struct InvalidOption {
    /// The setting.
    pub option: &'static str,
    /// What is wrong with it.
    pub reason: String,
}

impl InvalidOption {
    pub(crate) fn new(option: &'static str, reason: impl Into<String>) -> Self {
        Self { option, reason: reason.into() }
    }
}
