//! The contract between a client and the wire under it.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use async_trait::async_trait;
use bytes::Bytes;
use mcp_protocol::{Notification, ProtocolVersion, Request, method};
use serde::Deserialize;

use crate::{Failure, TransportError};

/// One connection to a server.
///
/// # Contract
///
/// * The client owns the ids of its requests; a transport never renumbers.
/// * Every request settles: with its answer, with the server's error, or with the reason why
///   there will be none.  A transport has no timeouts of its own.
/// * Dropping the future of [`request`](Self::request) abandons the request, and the server is
///   told.
/// * What the server says of its own accord goes to the [`Handler`] given at construction, in
///   the order it came; a notification that came before an answer is handed over before the
///   answer is.
#[async_trait]
pub trait Transport: fmt::Debug + Send + Sync {
    /// Sends a request and waits for its answer.
    ///
    /// # Errors
    ///
    /// Fails when no result came, and says whether the request may have reached the server.
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure>;

    /// Sends a message that has no answer.  On a dead connection nothing happens.
    async fn notify(&self, message: Outgoing);

    /// Closes the connection and waits until it is closed.  Whoever still waits for an answer
    /// is told [`TransportError::Closed`].  Closing twice does nothing more.
    async fn close(&self);

    /// Waits until the connection has ended, and says how.  For ever, where it cannot be told.
    async fn ended(&self) -> TransportError {
        std::future::pending().await
    }

    /// Whether the connection is believed to work.
    fn is_alive(&self) -> bool;

    /// Whether parameters of tool calls are repeated in headers, so that servers expect
    /// [`Outgoing::mirrored`] where a tool's schema asks for it.
    fn mirrors_parameters(&self) -> bool {
        false
    }

    /// The last words that the server wrote to its error output, if it has one.
    fn stderr_tail(&self) -> String {
        String::new()
    }
}

/// How to make a connection, and to make it again.
///
/// A client that finds out that a server has to be spoken to differently from the first message
/// on needs a second connection; so this is a recipe and not a connection.
#[async_trait]
pub trait Connect: fmt::Debug + Send + Sync {
    /// Makes a connection that hands what the server says to `handler`.
    ///
    /// # Errors
    ///
    /// Fails when there is nobody to connect to.
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError>;

    /// Whether the server is one that this process started, rather than one it reached.
    fn is_local(&self) -> bool {
        false
    }
}

#[async_trait]
impl<C: Connect + ?Sized> Connect for Arc<C> {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        (**self).connect(handler).await
    }

    fn is_local(&self) -> bool {
        (**self).is_local()
    }
}

/// Receives what the server says of its own accord.
///
/// All of it is called by the task that reads the connection: an answer behind it waits until it
/// returns.  Do little, and never wait for the connection in it.
pub trait Handler: Send + Sync {
    /// The server tells something.
    fn notification(&self, notification: Notification<'_>);

    /// The server asks something.  The answer, if there is to be one, is sent as
    /// [`Outgoing::response`].
    fn request(&self, request: Request<'_>);

    /// Something was wrong that needs nobody's decision: one line for a log.
    fn warning(&self, warning: &str);
}

/// A message on its way out: its JSON, and what a transport has to know about it.
#[non_exhaustive]
#[derive(Clone, Debug)]
pub struct Outgoing {
    /// The message as JSON text on one line, without a line end.
    pub body: Vec<u8>,
    /// The id, if it is a request.
    pub id: Option<u64>,
    /// The method; empty for an answer to the server.
    pub method: Cow<'static, str>,
    /// What the request names: a tool, a prompt, the URI of a resource.
    pub name: Option<String>,
    /// The modern version that the message is stamped with; nothing in the legacy era.
    pub version: Option<ProtocolVersion>,
    /// Parameters to repeat in headers: the name of each as its schema gives it, without any
    /// prefix, and its value as text, not yet encoded.
    pub mirrored: Vec<(String, String)>,
}

impl Outgoing {
    /// A request.
    pub fn request(id: u64, method: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        Self { id: Some(id), ..Self::notification(method, body) }
    }

    /// A notification.
    pub fn notification(method: impl Into<Cow<'static, str>>, body: Vec<u8>) -> Self {
        let (id, name, version, mirrored) = (None, None, None, Vec::new());
        Self { body, id, method: method.into(), name, version, mirrored }
    }

    /// An answer to a request of the server.
    pub fn response(body: Vec<u8>) -> Self {
        Self::notification("", body)
    }

    /// Whether the server should hear that nobody waits any more.
    ///
    /// A handshake must not be cancelled (`basic/utilities/cancellation` of `2025-11-25`).
    pub fn is_cancellable(&self) -> bool {
        self.id.is_some() && self.method != method::INITIALIZE
    }
}

/// The result of a request, as the JSON text that came: a slice of what was read.
#[derive(Clone, Debug)]
pub struct Answer(Bytes);

impl Answer {
    /// An answer from the JSON text of a result.
    pub fn new(result: impl Into<Bytes>) -> Self {
        Self(result.into())
    }

    /// The JSON text.
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// Reads the result into the type that was asked for.
    ///
    /// # Errors
    ///
    /// Fails where the text does not fit the type.
    pub fn decode<'a, T: Deserialize<'a>>(&'a self) -> Result<T, serde_json::Error> {
        serde_json::from_slice(&self.0)
    }
}
