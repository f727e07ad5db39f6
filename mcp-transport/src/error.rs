//! Why a request got no result.

use std::fmt;
use std::sync::Arc;

use mcp_protocol::ErrorObject;

use crate::HttpFailure;

/// Why a request got no result.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum TransportError {
    /// The connection was closed on this side.
    #[error("the connection is closed")]
    Closed,
    /// An HTTP server answered with a status that is no success, and with no message.
    #[error("{0}")]
    Http(Arc<HttpFailure>),
    /// What came instead of an answer cannot be used.
    #[error("{0}")]
    Protocol(String),
    /// The server answered with an error.
    #[error("{0}")]
    Rpc(ErrorObject),
    /// The server answered with an error and could not say what, while one request waited alone.
    /// It is probably that one's; if it is an earlier one's, the request may run all the same.
    #[error("{0}")]
    Unattributed(ErrorObject),
    /// The server's process ended, or the connection to it did.
    #[error("{0}")]
    ServerGone(Arc<ServerGone>),
    /// The server no longer knows the session, and so did nothing with the request
    /// (`basic/transports` of `2025-11-25`).  A new connection opens another session.
    #[error("the server has ended the session")]
    SessionExpired,
    /// The server could not be started.
    #[error("could not start {}: {detail}", command_line(.command, .args))]
    SpawnFailed {
        /// The command, as it was given.
        command: String,
        /// Its arguments.
        args: Vec<String>,
        /// What the system says about it, or which of the settings is wrong.
        detail: String,
    },
}

/// A request that got no result, and whether it may have reached the server.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// Why there is no result.
    pub error: TransportError,
    /// Whether the request may have reached the server.  If not, it certainly did not run.
    pub is_sent: bool,
}

impl Failure {
    /// A request that never left.
    pub fn before_sending(error: TransportError) -> Self {
        Self { error, is_sent: false }
    }

    /// A request that may have arrived.
    pub fn after_sending(error: TransportError) -> Self {
        Self { error, is_sent: true }
    }
}

/// The end of a server.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct ServerGone {
    /// What was started or connected to.
    pub command: String,
    /// The exit code, if the process ended by itself.
    pub exit_code: Option<i32>,
    /// The signal, if one ended the process.
    pub signal: Option<i32>,
    /// The last lines of the error output, joined by line feeds.  A server that is set up wrongly
    /// usually says so here and nowhere else.
    pub stderr_tail: String,
}

impl fmt::Display for ServerGone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the server {:?} ", self.command)?;
        match (self.signal, self.exit_code) {
            (Some(signal), _) => write!(f, "was killed by signal {signal}")?,
            (None, Some(code)) => write!(f, "exited with code {code}")?,
            (None, None) => f.write_str("is gone")?,
        }
        match self.stderr_tail.trim() {
            "" => Ok(()),
            tail => write!(f, "; its last words were: {tail}"),
        }
    }
}

fn command_line(command: &str, args: &[String]) -> String {
    args.iter().fold(command.to_owned(), |line, arg| line + " " + arg)
}
