//! Somebody who has credentials for requests.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::Pin;
use std::task::Poll;

use async_trait::async_trait;
use http::{HeaderMap, HeaderName, HeaderValue};

use crate::HttpFailure;

/// Gives requests their credentials, and finds better ones when a server refuses those.
///
/// It is asked before every request, also for each attempt of one, so it should answer from what
/// it holds.  What it gives goes to the server's own origin and nowhere else.
///
/// ```
/// use mcp_transport::{Authorizer, Credentials};
///
/// struct Token(String);
///
/// #[async_trait::async_trait]
/// impl Authorizer for Token {
///     async fn credentials(&self, _url: &str) -> Result<Credentials, String> {
///         Ok(Credentials::bearer(&self.0))
///     }
/// }
/// ```
#[async_trait]
pub trait Authorizer: Send + Sync {
    /// The headers to send with a request to `url`, which has no query; none is fine.
    ///
    /// # Errors
    ///
    /// Fails where the request must not be sent; the text says why, and what to do.
    async fn credentials(&self, url: &str) -> Result<Credentials, String>;

    /// The server answered with 401 or 403 to a request that was sent with `credentials`.
    ///
    /// Whether to ask [`credentials`](Self::credentials) again and to send the request once more.
    /// That happens at most once for each of the two statuses: a token is fetched, and its scope
    /// is widened.
    async fn refused(&self, failure: &HttpFailure, credentials: &Credentials) -> Refused {
        let _ = (failure, credentials);
        Refused::GiveUp
    }
}

/// What to do about a request that was refused.
#[allow(clippy::exhaustive_enums, reason = "there is no third way")]
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refused {
    /// The caller is told of the refusal.
    GiveUp,
    /// The request is sent once more, with new credentials.
    Retry,
}

/// Headers that carry secrets.
#[derive(Clone, Default, Eq, PartialEq)]
pub struct Credentials(Vec<(String, String)>);

impl Credentials {
    /// No headers at all.
    pub fn none() -> Self {
        Self::default()
    }

    /// A bearer token (RFC 6750, section 2.1).
    pub fn bearer(token: &str) -> Self {
        Self::none().header("authorization", format!("Bearer {token}"))
    }

    /// Adds a header.
    #[must_use]
    pub fn header(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.0.push((name.into(), value.into()));
        self
    }

    /// The headers, in the order they were added.
    pub fn headers(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value.as_str()))
    }

    /// Puts the headers over others.
    pub(crate) fn apply(&self, headers: &mut HeaderMap) -> Result<(), String> {
        for (name, value) in self.headers() {
            let unusable = |what| format!("the authorizer gave a header {what}");
            let name = HeaderName::from_bytes(name.as_bytes())
                .map_err(|_| unusable("whose name is no token"))?;
            let mut value = HeaderValue::from_str(value)
                .map_err(|_| unusable("whose value contains control characters"))?;
            value.set_sensitive(true);
            headers.insert(name, value);
        }
        Ok(())
    }
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.0.iter().map(|(name, _)| name)).finish()
    }
}

/// Runs somebody else's future; nothing where it panics.
pub(crate) async fn contained<T>(
    mut future: Pin<Box<dyn Future<Output = T> + Send + '_>>,
) -> Option<T> {
    std::future::poll_fn(move |context| {
        match catch_unwind(AssertUnwindSafe(|| future.as_mut().poll(context))) {
            Ok(Poll::Pending) => Poll::Pending,
            Ok(Poll::Ready(value)) => Poll::Ready(Some(value)),
            // The panic hook has reported it.
            Err(_) => Poll::Ready(None),
        }
    })
    .await
}
