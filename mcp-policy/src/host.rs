//! The host of a URL, read strictly, and the patterns that rules match it with.
//!
//! Whatever two programs might read as two hosts is no host here.  Only the text is looked at:
//! where a name resolves to, and where a server redirects to, is not seen.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::str::FromStr;

use serde::Serialize;

use crate::site::Scheme;

/// A host: a name, or an address.
///
/// Names are in lower case and have no dot at their end.  An IPv4 address that is written as an
/// IPv6 one (`::ffff:127.0.0.1`) is the IPv4 address.
#[allow(clippy::exhaustive_enums, reason = "a name or an address")]
#[derive(Clone, Debug, Eq, Hash, PartialEq)]
pub enum Host {
    /// A name in lower case, such as `docs.rs`.
    Name(String),
    /// An address, whatever it was written like.
    Address(IpAddr),
}

impl Host {
    /// Reads the host of an `http` or `https` URL.
    ///
    /// ```
    /// use mcp_policy::Host;
    ///
    /// assert_eq!(Host::of_url("https://Docs.rs:443/x").unwrap().to_string(), "docs.rs");
    /// assert!(Host::of_url("https://docs.rs@evil.example/").is_err());
    /// ```
    ///
    /// # Errors
    ///
    /// Fails where another program might read another host, or none.
    pub fn of_url(url: &str) -> Result<Self, UnreadableUrl> {
        Self::split_url(url).map(|(_, host, _)| host)
    }

    /// The scheme, the host, and what follows it: nothing, or a colon and digits.
    pub(crate) fn split_url(url: &str) -> Result<(Scheme, Self, &str), UnreadableUrl> {
        if url.is_empty() {
            return Err(UnreadableUrl::Empty);
        }
        if url.chars().any(|it| it <= ' ' || it == '\u{7f}') {
            return Err(UnreadableUrl::Blank);
        }
        let (scheme, rest) = after_scheme(url).ok_or(UnreadableUrl::Scheme)?;
        let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
        let authority = rest.get(..end).unwrap_or_default();
        if authority.is_empty() {
            return Err(UnreadableUrl::NoHost);
        }
        if authority.contains('@') {
            return Err(UnreadableUrl::UserInfo);
        }
        if let Some(inside) = authority.strip_prefix('[') {
            let (address, port) = inside.split_once(']').ok_or(UnreadableUrl::Brackets)?;
            check_port(port)?;
            let address = address.parse::<Ipv6Addr>().map_err(|_| UnreadableUrl::Brackets)?;
            return Ok((scheme, Self::address(IpAddr::V6(address)), port));
        }
        let (name, port) = match authority.split_once(':') {
            Some((name, _)) => (name, authority.get(name.len()..).unwrap_or_default()),
            None => (authority, ""),
        };
        check_port(port)?;
        Ok((scheme, Self::named(name.strip_suffix('.').unwrap_or(name))?, port))
    }

    /// Reads a host as it stands between `//` and `/`, without a port.
    fn named(text: &str) -> Result<Self, UnreadableUrl> {
        if text.is_empty() {
            return Err(UnreadableUrl::NoHost);
        }
        if !text.is_ascii() {
            return Err(UnreadableUrl::NotAscii);
        }
        let is_letter = |it: u8| it.is_ascii_alphanumeric() || b"-_".contains(&it);
        let is_label = |label: &str| !label.is_empty() && label.bytes().all(is_letter);
        if !text.split('.').all(is_label) {
            return Err(UnreadableUrl::Letters);
        }
        let last = text.rsplit('.').next().unwrap_or_default();
        if is_number(last) {
            // Rust reads four plain decimal numbers and nothing else.
            let address = text.parse::<Ipv4Addr>().map_err(|_| UnreadableUrl::Numeric)?;
            return Ok(Self::address(IpAddr::V4(address)));
        }
        if !text.bytes().any(|it| it.is_ascii_alphanumeric()) {
            return Err(UnreadableUrl::Letters);
        }
        Ok(Self::Name(text.to_ascii_lowercase()))
    }

    /// The IPv4 address inside an IPv6 one that gateways translate, or that old programs do.
    pub(crate) fn embedded(&self) -> Option<Self> {
        let Self::Address(IpAddr::V6(address)) = self else { return None };
        let [.., c, d] = address.segments();
        let (high, low) = match address.segments() {
            // Compatible (`::127.0.0.1`), translated, and behind a NAT64.
            [0, 0, 0, 0, 0, 0, ..] | [0, 0, 0, 0, 0xffff, 0, ..] | [0x64, 0xff9b, ..] => (c, d),
            // 6to4.
            [0x2002, high, low, ..] => (high, low),
            _ => return None,
        };
        Some(Self::Address(IpAddr::V4(Ipv4Addr::from(u32::from(high) << 16 | u32::from(low)))))
    }

    fn address(address: IpAddr) -> Self {
        Self::Address(address.to_canonical())
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Name(name) => f.write_str(name),
            Self::Address(address) => write!(f, "{address}"),
        }
    }
}

/// Why the host of a URL cannot be told.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq, Serialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum UnreadableUrl {
    /// It holds a blank, a line break or another control character.
    #[error("the URL holds a blank or a control character")]
    Blank,
    /// Its brackets hold no IPv6 address.
    #[error("the brackets of the URL hold no IPv6 address")]
    Brackets,
    /// It is empty.
    #[error("the URL is empty")]
    Empty,
    /// Its host holds a letter that no host has, an empty label, or a percent-encoded one.
    #[error(
        "the host of the URL holds something other than letters, digits, '-', '_' and single dots"
    )]
    Letters,
    /// It names no host.
    #[error("the URL names no host")]
    NoHost,
    /// Its host holds letters beyond ASCII, which programs spell in different ways.
    #[error("the host of the URL holds letters beyond ASCII; write it in its 'xn--' form")]
    NotAscii,
    /// It is not a string.
    #[error("the URL is not a string")]
    NotText,
    /// Its host is an address in disguise, such as `127.1` or `0x7f000001`.
    #[error("the host of the URL is a number that some programs read as an address")]
    Numeric,
    /// Its port is not a number.
    #[error("the port of the URL is not a number")]
    Port,
    /// It does not begin with `http://` or `https://`.
    #[error("the URL does not begin with 'http://' or 'https://'")]
    Scheme,
    /// It carries a user name, which is often taken for the host.
    #[error("the URL holds an '@' before its path")]
    UserInfo,
}

/// A host, or all hosts below one: `docs.rs`, `*.docs.rs`, `127.0.0.1`, `::1`.
///
/// `*.docs.rs` is for `a.docs.rs` and `a.b.docs.rs`, and neither for `docs.rs` nor for
/// `evildocs.rs`.  Addresses are compared as numbers.
#[derive(Clone, Eq, PartialEq)]
pub struct HostPattern {
    text: String,
    host: Host,
    is_exact: bool,
}

impl HostPattern {
    /// Reads a pattern.
    ///
    /// # Errors
    ///
    /// Fails where it is not a host, perhaps after `*.`, or would cover a whole top-level domain.
    pub fn parse(text: &str) -> Result<Self, InvalidHostPattern> {
        let invalid = || InvalidHostPattern { pattern: text.to_owned() };
        let (rest, is_exact) = match text.strip_prefix("*.") {
            Some(rest) => (rest, false),
            None => (text, true),
        };
        let host = match rest.parse::<Ipv6Addr>() {
            Ok(address) => Host::address(IpAddr::V6(address)),
            Err(_) => Host::named(rest).map_err(|_| invalid())?,
        };
        let is_plain = |it: &str| !it.starts_with('-') && !it.ends_with('-');
        let fits = match &host {
            Host::Name(name) => (is_exact || name.contains('.')) && name.split('.').all(is_plain),
            Host::Address(_) => is_exact,
        };
        if fits { Ok(Self { text: text.to_owned(), host, is_exact }) } else { Err(invalid()) }
    }

    /// Whether `host` is meant.
    pub fn matches(&self, host: &Host) -> bool {
        match (host, &self.host) {
            (host, own) if self.is_exact => host == own,
            (Host::Name(host), Host::Name(own)) => {
                host.strip_suffix(&**own).is_some_and(|rest| rest.ends_with('.') && rest.len() > 1)
            }
            _ => false,
        }
    }

    /// The pattern as written.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Whether it names one host only, and how long that name is.
    pub(crate) fn specificity(&self) -> (bool, usize) {
        (self.is_exact, self.text.trim_start_matches("*.").len())
    }
}

impl FromStr for HostPattern {
    type Err = InvalidHostPattern;

    fn from_str(text: &str) -> Result<Self, InvalidHostPattern> {
        Self::parse(text)
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.text, f)
    }
}

/// A text is not a pattern of hosts.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the host {pattern:?} must be a host name or address, without scheme, port or path, or '*.' \
     and a name of two labels or more, such as \"*.docs.rs\""
)]
pub struct InvalidHostPattern {
    pattern: String,
}

/// What follows `http://` or `https://`.
fn after_scheme(url: &str) -> Option<(Scheme, &str)> {
    let schemes = [("http://", Scheme::Http), ("https://", Scheme::Https)];
    schemes.into_iter().find_map(|(start, scheme)| {
        let rest = url.get(start.len()..)?;
        url.get(..start.len())?.eq_ignore_ascii_case(start).then_some((scheme, rest))
    })
}

/// Checks what follows the host: nothing, or a colon and digits.
fn check_port(text: &str) -> Result<(), UnreadableUrl> {
    match text.strip_prefix(':') {
        None if text.is_empty() => Ok(()),
        Some(port) if port.bytes().all(|it| it.is_ascii_digit()) => Ok(()),
        _ => Err(UnreadableUrl::Port),
    }
}

/// Whether some programs read `label` as a number: then the whole host is an address to them.
fn is_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hex {
        Some(digits) => digits.bytes().all(|it| it.is_ascii_hexdigit()),
        None => label.bytes().all(|it| it.is_ascii_digit()),
    }
}
