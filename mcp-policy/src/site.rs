//! Where a URL leads: its scheme, its host, its port.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::host::{Host, HostPattern, UnreadableUrl};
use crate::rule::Rule;
use crate::truth::Truth;

/// How a site is talked to.
#[allow(clippy::exhaustive_enums, reason = "the two that hosts are read from")]
#[derive(Clone, Copy, Debug, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Scheme {
    /// In the open.
    Http,
    /// Encrypted, with the host's certificate checked.
    Https,
}

impl fmt::Display for Scheme {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Http => "http",
            Self::Https => "https",
        })
    }
}

/// What a URL is on.
#[derive(Clone, Debug)]
pub(crate) struct Site {
    /// Nothing where the URL has none and the tool completes it.
    pub(crate) scheme: Option<Scheme>,
    pub(crate) host: Host,
    /// As written, or the usual one of the scheme; nothing where it is no port.
    pub(crate) port: Option<u16>,
}

impl Site {
    /// Reads a whole URL.
    pub(crate) fn of_url(url: &str) -> Result<Self, UnreadableUrl> {
        let (scheme, host, port) = Host::split_url(url)?;
        let port = match (port, scheme) {
            ("" | ":", Scheme::Http) => Some(80),
            ("" | ":", Scheme::Https) => Some(443),
            (port, _) => port.strip_prefix(':').and_then(|it| it.parse().ok()),
        };
        Ok(Self { scheme: Some(scheme), host, port })
    }

    /// Reads a host that a tool completes to a URL: `docs.rs`, `//docs.rs/x`, `docs.rs:3128`.
    pub(crate) fn of_authority(text: &str) -> Result<Self, UnreadableUrl> {
        let url = format!("http://{}", text.trim_start_matches('/'));
        let (_, host, port) = Host::split_url(&url)?;
        let port = port.strip_prefix(':').and_then(|it| it.parse().ok());
        Ok(Self { scheme: None, host, port })
    }

    /// Whether it is one that the rule speaks about.
    pub(crate) fn is_meant(&self, rule: &Rule) -> Truth {
        let host = rule.host.as_ref().map_or(Truth::Yes, |it| self.is_on(it, rule));
        let same = |wanted: bool, found: Option<bool>| match (wanted, found) {
            (false, _) => Truth::Yes,
            (true, Some(is_same)) => is_same.into(),
            (true, None) => Truth::Unknown,
        };
        let scheme = same(rule.scheme.is_some(), self.scheme.map(|it| Some(it) == rule.scheme));
        let port = same(rule.port.is_some(), self.port.map(|it| Some(it) == rule.port));
        host.and(scheme).and(port)
    }

    fn is_on(&self, pattern: &HostPattern, rule: &Rule) -> Truth {
        match (pattern.matches(&self.host), self.host.embedded()) {
            // Whoever translates the address reaches the one inside.
            (false, Some(inside)) if !rule.allows() && pattern.matches(&inside) => Truth::Unknown,
            (is_on, _) => is_on.into(),
        }
    }
}
