//! What a client is asked to do.

use std::error::Error;
use std::path::PathBuf;

/// Why a measurement came to nothing.
pub type Failure = Box<dyn Error + Send + Sync>;

/// A connected client.  What it hands over is owned, and no cache answers for the server.
pub trait Client: Send + Sync + 'static {
    /// Calls the tool `echo`; the bytes of the text that came back.
    fn echo(&self, text: &str) -> impl Future<Output = Result<usize, Failure>> + Send;

    /// Calls the tool `big`; the bytes of the text that came back.
    fn big(&self, bytes: usize) -> impl Future<Output = Result<usize, Failure>> + Send;

    /// Lists every tool, of all pages; how many there are.
    fn list_tools(&self) -> impl Future<Output = Result<usize, Failure>> + Send;

    /// Ends the connection, and waits for that.
    fn close(self) -> impl Future<Output = ()> + Send;
}

/// How a client comes to be.
pub trait Connector: Send + Sync + 'static {
    /// What it connects.
    type Client: Client;

    /// Connects, and settles on the version of the protocol.
    fn connect(
        &self,
        target: &Target,
        era: Era,
    ) -> impl Future<Output = Result<Self::Client, Failure>> + Send;
}

/// Which of its versions the client should speak.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Era {
    /// 2025-11-25, after a handshake.
    Legacy,
    /// 2026-07-28, after a discovery.
    Modern,
}

/// Where the server is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// A program to start.
    Stdio {
        /// The program.
        program: PathBuf,
        /// Its arguments.
        args: Vec<String>,
    },
    /// An endpoint.
    Http {
        /// Its address.
        url: String,
    },
}
