//! Where requests go.

use std::net::IpAddr;

use http::Uri;

/// The address of a chat endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Endpoint {
    uri: Uri,
    host: String,
}

impl Endpoint {
    /// Reads the base address, or that of the endpoint itself.
    pub(crate) fn parse(url: &str) -> Result<Self, InvalidEndpoint> {
        let invalid = |reason: &'static str| InvalidEndpoint::Url { reason };
        // Read as text: the type for it drops what it does not send.
        if url.contains('#') || url.contains('?') {
            return Err(invalid("it has a query or a fragment; give the base address alone"));
        }
        let base = url.trim_end_matches('/');
        let whole = match base.ends_with(PATH) {
            true => base.to_owned(),
            false => format!("{base}{PATH}"),
        };
        let uri: Uri = whole.parse().map_err(|_| invalid("it is no address"))?;
        if !matches!(uri.scheme_str(), Some("http" | "https")) {
            return Err(invalid("it does not begin with http:// or https://"));
        }
        let authority = uri.authority().ok_or_else(|| invalid("it names no host"))?;
        if authority.as_str().contains('@') {
            return Err(invalid("it carries a login; give the key with `key`"));
        }
        let host = authority.host().to_owned();
        if host.is_empty() {
            return Err(invalid("it names no host"));
        }
        Ok(Self { uri, host })
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }

    pub(crate) fn host(&self) -> &str {
        &self.host
    }

    pub(crate) fn is_tls(uri: &Uri) -> bool {
        uri.scheme_str() == Some("https")
    }

    /// Whether nobody on the way can read what is sent.
    pub(crate) fn is_private(&self) -> bool {
        let bare = self.host.trim_start_matches('[').trim_end_matches(']');
        let is_here = bare.eq_ignore_ascii_case("localhost")
            || bare.parse::<IpAddr>().is_ok_and(|it| it.is_loopback());
        is_here || Self::is_tls(&self.uri)
    }
}

/// An endpoint cannot be used as it is described.  No secret is in the message.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidEndpoint {
    /// A key would be sent in the clear.
    #[error("a key for {host:?} would go over the network in the clear; use https")]
    Clear {
        /// Where it would go.
        host: String,
    },
    /// The key cannot stand in a header.
    #[error("the key has characters that no key has")]
    Key,
    /// The address is none.
    #[error("the address of the chat endpoint cannot be used: {reason}")]
    Url {
        /// Why.
        reason: &'static str,
    },
}

const PATH: &str = "/chat/completions";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_endpoint_is_a_base_address_and_a_path() {
        let cases = [
            ("https://api.test/v1", Some("https://api.test/v1/chat/completions")),
            ("https://api.test/v1/", Some("https://api.test/v1/chat/completions")),
            ("https://api.test/v1/chat/completions", Some("https://api.test/v1/chat/completions")),
            ("http://[::1]:8080", Some("http://[::1]:8080/chat/completions")),
            ("https://user:secret@api.test/v1", None),
            ("https://api.test/v1?key=secret", None),
            ("https://api.test/v1#x", None),
            ("ftp://api.test", None),
            ("api.test/v1", None),
            ("/v1", None),
            ("https://", None),
            ("", None),
        ];
        for (url, expected) in cases {
            let read = Endpoint::parse(url);
            assert_eq!(
                read.as_ref().ok().map(|it| it.uri().to_string()).as_deref(),
                expected,
                "{url}"
            );
            assert!(!format!("{read:?}").contains("secret"), "{url}");
        }
    }

    #[test]
    fn a_key_goes_over_tls_or_stays_on_this_machine() {
        let cases = [
            ("https://api.test", true),
            ("http://localhost:1", true),
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9:1", true),
            ("http://[::1]:1", true),
            ("http://api.test", false),
            ("http://10.0.0.1", false),
            ("http://localhost.evil.test", false),
            ("http://127.0.0.1.evil.test", false),
            ("http://0.0.0.0", false),
        ];
        for (url, expected) in cases {
            assert_eq!(Endpoint::parse(url).unwrap().is_private(), expected, "{url}");
        }
    }
}
