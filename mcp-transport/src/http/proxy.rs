//! The way to a server: straight, or through the proxy that the environment names.

use std::fmt;

use http::{HeaderValue, Uri};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};

/// Which proxy to use.
#[derive(Clone)]
pub(crate) enum Proxy {
    /// The one that the environment names.
    Environment,
    None,
    /// This one, for every server.
    This(Intercept),
}

impl Proxy {
    /// Reads the URL of a proxy.
    ///
    /// # Errors
    ///
    /// Fails, with a sentence that does not show it, where this is none.
    pub(crate) fn parse(url: &str) -> Result<Self, String> {
        let reason = "give the URL of a proxy, such as http://proxy.example:3128 or \
                      socks5h://localhost:1080";
        let any = Uri::from_static("https://server.invalid/");
        let intercept = Matcher::builder().all(url).build().intercept(&any).ok_or(reason)?;
        match intercept.uri().scheme_str() {
            Some("http" | "https" | "socks4" | "socks4a" | "socks5" | "socks5h") => {
                Ok(Self::This(intercept))
            }
            _ => Err(reason.to_owned()),
        }
    }
}

/// The way that every connection to one server takes.
#[derive(Clone)]
pub(crate) enum Route {
    Direct,
    /// The proxy reads the requests and passes them on.
    Forward {
        proxy: Uri,
        authorization: Option<HeaderValue>,
    },
    /// The proxy passes on bytes that it cannot read.
    Tunnel {
        proxy: Uri,
        authorization: Option<HeaderValue>,
    },
    Socks4 {
        proxy: Uri,
        local_dns: bool,
    },
    Socks5 {
        proxy: Uri,
        local_dns: bool,
        login: Option<(String, String)>,
    },
}

impl Route {
    /// The way to a server.
    pub(crate) fn new(proxy: &Proxy, server: &Uri) -> Self {
        match proxy {
            Proxy::Environment => Self::by(&Matcher::from_env(), server),
            Proxy::None => Self::Direct,
            Proxy::This(intercept) => Self::through(intercept, server),
        }
    }

    fn by(matcher: &Matcher, server: &Uri) -> Self {
        match matcher.intercept(server) {
            Some(intercept) => Self::through(&intercept, server),
            None => Self::Direct,
        }
    }

    fn through(intercept: &Intercept, server: &Uri) -> Self {
        let proxy = intercept.uri().clone();
        let authorization = intercept.basic_auth().cloned().map(|mut value| {
            value.set_sensitive(true);
            value
        });
        let login = intercept.raw_auth().map(|(user, pass)| (user.to_owned(), pass.to_owned()));
        match proxy.scheme_str() {
            Some("socks4") => Self::Socks4 { proxy, local_dns: true },
            Some("socks4a") => Self::Socks4 { proxy, local_dns: false },
            Some("socks5") => Self::Socks5 { proxy, local_dns: true, login },
            Some("socks5h") => Self::Socks5 { proxy, local_dns: false, login },
            _ if server.scheme_str() == Some("https") => Self::Tunnel { proxy, authorization },
            _ => Self::Forward { proxy, authorization },
        }
    }

    /// What every request says to a proxy that reads it.
    pub(crate) fn authorization(&self) -> Option<&HeaderValue> {
        match self {
            Self::Forward { authorization, .. } => authorization.as_ref(),
            _ => None,
        }
    }

    /// Whether TLS is spoken with the proxy itself.
    pub(crate) fn has_tls(&self) -> bool {
        match self {
            Self::Direct | Self::Socks4 { .. } | Self::Socks5 { .. } => false,
            Self::Forward { proxy, .. } | Self::Tunnel { proxy, .. } => {
                proxy.scheme_str() == Some("https")
            }
        }
    }
}

impl fmt::Debug for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the login.
        let (name, proxy) = match self {
            Self::Direct => return f.write_str("Direct"),
            Self::Forward { proxy, .. } => ("Forward", proxy),
            Self::Tunnel { proxy, .. } => ("Tunnel", proxy),
            Self::Socks4 { proxy, .. } => ("Socks4", proxy),
            Self::Socks5 { proxy, .. } => ("Socks5", proxy),
        };
        f.debug_tuple(name).field(&proxy.host()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn route(proxy: &str, server: &str) -> Route {
        let matcher = Matcher::builder().all(proxy).no("internal.test,10.0.0.0/8").build();
        Route::by(&matcher, &server.parse().unwrap())
    }

    #[test]
    fn the_scheme_of_the_proxy_and_of_the_server_say_how() {
        let cases = [
            (
                "http://user:secret@proxy.test:3128",
                "http://a.test/mcp",
                "Forward(Some(\"proxy.test\"))",
            ),
            (
                "http://user:secret@proxy.test:3128",
                "https://a.test/mcp",
                "Tunnel(Some(\"proxy.test\"))",
            ),
            ("socks4://proxy.test", "https://a.test/mcp", "Socks4(Some(\"proxy.test\"))"),
            (
                "socks5h://user:secret@proxy.test",
                "http://a.test/mcp",
                "Socks5(Some(\"proxy.test\"))",
            ),
            ("http://proxy.test", "http://internal.test/mcp", "Direct"),
            ("http://proxy.test", "https://10.1.2.3/mcp", "Direct"),
            ("", "https://a.test/mcp", "Direct"),
        ];
        for (proxy, server, expected) in cases {
            assert_eq!(format!("{:?}", route(proxy, server)), expected, "{proxy} {server}");
        }
    }

    #[test]
    fn only_a_proxy_that_reads_requests_is_told_the_login_in_them() {
        let forward = route("http://user:secret@proxy.test", "http://a.test/");
        assert_eq!(forward.authorization().unwrap(), "Basic dXNlcjpzZWNyZXQ=");
        assert!(forward.authorization().unwrap().is_sensitive());
        let tunnel = route("https://user:secret@proxy.test", "https://a.test/");
        assert!(tunnel.authorization().is_none() && tunnel.has_tls() && !forward.has_tls());
    }

    #[test]
    fn names_are_looked_up_where_the_scheme_says() {
        let local = |proxy| match route(proxy, "http://a.test/") {
            Route::Socks4 { local_dns, .. } | Route::Socks5 { local_dns, .. } => local_dns,
            _ => panic!("{proxy} is no SOCKS proxy"),
        };
        assert!(local("socks4://p") && local("socks5://p"));
        assert!(!local("socks4a://p") && !local("socks5h://p"));
    }
}
