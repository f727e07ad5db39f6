//! What an HTTP server said instead of a message of the protocol.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

/// An answer whose status is no success and whose body is no message of the protocol.
///
/// Neither the request's credentials nor those that the server may echo are in it: only what is
/// listed here.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct HttpFailure {
    /// What was asked: the URL without its query, which may hold secrets.
    pub url: String,
    /// The status, such as 401.
    pub status: u16,
    /// The challenges of the `WWW-Authenticate` headers, in the order they came.
    pub challenges: Vec<Challenge>,
    /// How long the server asks to be left alone (`Retry-After`).
    pub retry_after: Option<Duration>,
    /// The first line of the body, cut at 200 characters; empty where there is none to read.
    pub detail: String,
}

impl HttpFailure {
    /// Whether the request certainly had no effect: the server refused it as it stood.
    ///
    /// Of a status of 5xx and of 408 nothing is certain: a gateway says so of a server that may
    /// still be working.
    pub fn is_refusal(&self) -> bool {
        (400..500).contains(&self.status) && self.status != 408
    }
}

impl fmt::Display for HttpFailure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { url, status, .. } = self;
        write!(f, "{url} answered with the HTTP status {status}")?;
        if let Some(challenge) = self.challenges.first() {
            write!(f, " and asks for {} credentials", challenge.scheme)?;
            if let Some(error) = challenge.param("error") {
                write!(f, " ({error})")?;
            }
        }
        if let Some(after) = self.retry_after {
            write!(f, "; it may be asked again in {}s", after.as_secs())?;
        }
        match self.detail.as_str() {
            "" => Ok(()),
            detail => write!(f, ": {detail}"),
        }
    }
}

/// One challenge of a `WWW-Authenticate` header (RFC 9110, section 11.6.1).
#[non_exhaustive]
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Challenge {
    /// The scheme as it was written, such as `Bearer`; compared without regard to case.
    pub scheme: String,
    /// The one value of a challenge that has no parameters, such as that of `Negotiate`.
    pub token: Option<String>,
    /// The parameters by their names in lower case.  Of a repeated one the first counts.
    pub params: BTreeMap<String, String>,
}

impl Challenge {
    /// A challenge of this scheme, without parameters.
    pub fn new(scheme: impl Into<String>) -> Self {
        Self { scheme: scheme.into(), ..Self::default() }
    }

    /// The value of a parameter, whose name is given in lower case.
    pub fn param(&self, name: &str) -> Option<&str> {
        self.params.get(name).map(String::as_str)
    }
}
