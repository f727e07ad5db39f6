//! Where requests go.

use std::fmt;
use std::net::Ipv6Addr;

use fluent_uri::component::Authority;
use fluent_uri::{Uri, UriRef};
use http::uri::Scheme;

/// The URL of an endpoint, kept as it was given.
///
/// Displayed without its query, which may hold secrets.
#[derive(Clone, Debug)]
pub(crate) struct Target {
    text: Uri<String>,
    uri: http::Uri,
    origin: Origin,
}

impl Target {
    /// Reads an absolute URL.
    ///
    /// # Errors
    ///
    /// Fails, with a sentence about it, where this is no URL of `http` or `https`, or one that
    /// holds credentials.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.is_empty() {
            return Err("the URL is empty: give one such as https://example.com/mcp".to_owned());
        }
        if ["http://", "https://"].iter().all(|prefix| !starts_with(text, prefix)) {
            return Err("the URL must start with http:// or https://".to_owned());
        }
        let uri = Uri::parse(text.to_owned()).map_err(|(error, _)| no_url(&error))?;
        Self::new(uri)
    }

    /// The URL as it was given.
    pub(crate) fn as_str(&self) -> &str {
        self.text.as_str()
    }

    /// What is asked for: the URL without its fragment.
    pub(crate) fn uri(&self) -> &http::Uri {
        &self.uri
    }

    /// Who is asked.
    pub(crate) fn origin(&self) -> &Origin {
        &self.origin
    }

    /// Whether the same server is asked, so that it may see the same credentials.
    pub(crate) fn same_origin(&self, other: &Self) -> bool {
        self.origin == other.origin
    }

    /// The URL that a reference points to when it is found here (RFC 3986, section 5).
    ///
    /// It may be of any origin: whoever sends credentials there has to ask
    /// [`same_origin`](Self::same_origin) first.
    ///
    /// # Errors
    ///
    /// Fails like [`parse`](Self::parse), with a sentence about the URL.
    pub(crate) fn resolve(&self, reference: &str) -> Result<Self, String> {
        let reference = UriRef::parse(reference.trim_ascii()).map_err(|error| no_url(&error))?;
        let base = self.text.strip_fragment();
        let uri = reference.resolve_against(&base).map_err(|error| format!("the URL: {error}"))?;
        Self::new(uri)
    }

    fn new(text: Uri<String>) -> Result<Self, String> {
        let scheme = match text.scheme().as_str() {
            scheme if scheme.eq_ignore_ascii_case("https") => Scheme::HTTPS,
            scheme if scheme.eq_ignore_ascii_case("http") => Scheme::HTTP,
            _ => return Err("the URL must start with http:// or https://".to_owned()),
        };
        let authority = text.authority().filter(|authority| !authority.host().is_empty());
        let authority = authority.ok_or("the URL names no host")?;
        if authority.has_userinfo() {
            return Err("the URL holds a user name: credentials belong into a header such as \
                        Authorization, not into the URL"
                .to_owned());
        }
        let origin = Origin::new(scheme.clone(), &authority)?;
        let query = text.query().map(|query| format!("?{query}")).unwrap_or_default();
        let uri = http::Uri::builder()
            .scheme(scheme)
            .authority(match authority.port().filter(|port| !port.is_empty()) {
                Some(_) => format!("{}:{}", authority.host(), origin.port),
                None => authority.host().to_owned(),
            })
            .path_and_query(match text.path().as_str() {
                "" => format!("/{query}"),
                path => format!("{path}{query}"),
            })
            .build()
            .map_err(|error| format!("the URL cannot be asked for: {error}"))?;
        // The connection goes where the second reading says: it must be where the first does.
        if uri.host() != Some(authority.host()) {
            return Err("the host of the URL cannot be read in one way only".to_owned());
        }
        Ok(Self { text, uri, origin })
    }
}

impl fmt::Display for Target {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = self.as_str();
        f.write_str(text.split(['?', '#']).next().unwrap_or(text))
    }
}

/// A server: a scheme, a host and a port (RFC 6454).
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Origin {
    scheme: Scheme,
    /// In lower case, and an IPv6 address in its one canonical spelling.
    host: String,
    port: u16,
}

impl Origin {
    fn new(scheme: Scheme, authority: &Authority<'_>) -> Result<Self, String> {
        let host = authority.host();
        let host = match host.strip_prefix('[').and_then(|host| host.strip_suffix(']')) {
            Some(address) => match address.parse::<Ipv6Addr>() {
                Ok(address) => format!("[{address}]"),
                Err(_) => return Err(format!("the host {host} of the URL is no IPv6 address")),
            },
            None if host.contains('%') => {
                return Err(format!(
                    "the host {host:?} of the URL is percent-encoded: write it out, and a name \
                     beyond ASCII in Punycode"
                ));
            }
            None => host.to_ascii_lowercase(),
        };
        let default = default_port(&scheme);
        let port = authority.port().map_or("", |port| port.as_str());
        let port = match port.parse() {
            Ok(port) => port,
            Err(_) if port.is_empty() => default,
            Err(_) => return Err(format!("the port {port} of the URL is beyond 65535")),
        };
        Ok(Self { scheme, host, port })
    }
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}://{}", self.scheme, self.host)?;
        if self.port == default_port(&self.scheme) {
            return Ok(());
        }
        write!(f, ":{}", self.port)
    }
}

fn default_port(scheme: &Scheme) -> u16 {
    if *scheme == Scheme::HTTPS { 443 } else { 80 }
}

fn starts_with(text: &str, prefix: &str) -> bool {
    text.get(..prefix.len()).is_some_and(|start| start.eq_ignore_ascii_case(prefix))
}

fn no_url(error: &fluent_uri::ParseError) -> String {
    format!(
        "the URL cannot be read ({error}): characters that a URL does not have are written with \
         a percent sign, a space as %20"
    )
}

#[cfg(test)]
mod tests;
