//! A server that is reached over HTTP, in either era.

mod answered;
mod authorizer;
mod backoff;
mod body;
mod challenge;
mod client;
mod connection;
mod connector;
mod endpoint;
mod events;
mod exchange;
mod fallback;
mod metadata;
mod proxy;
mod redirect;
mod session;
mod standalone;
mod stream;
mod target;
mod tls;
mod transport;
mod value;

use std::fmt;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use async_trait::async_trait;
use http::header::USER_AGENT;
use http::{HeaderMap, HeaderValue};
use tokio::runtime::Handle;

pub use crate::http::authorizer::{Authorizer, Credentials, Refused};
use crate::http::client::{Connecting, HttpClient};
use crate::http::connection::Connection;
use crate::http::endpoint::Endpoint;
use crate::http::proxy::{Proxy, Route};
use crate::http::target::Target;
use crate::http::tls::Roots;
use crate::http::transport::HttpTransport;
use crate::{Connect, Handler, Limits, Transport, TransportError};

/// The URL of a server, and how to reach it.
///
/// Connecting sends nothing: a client's first message does, and finds out which era the server
/// speaks.  A server that knows only HTTP with SSE, of `2024-11-05`, is spoken to so.
///
/// ```
/// # fn main() -> Result<(), mcp_transport::InvalidHttp> {
/// use mcp_transport::Http;
///
/// let server = Http::new("https://example.com/mcp")?.header("X-Team", "blue")?;
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct Http {
    target: Arc<Target>,
    headers: Arc<HeaderMap>,
    authorizer: Option<Arc<dyn Authorizer>>,
    connect_timeout: Duration,
    read_timeout: Option<Duration>,
    http2_prior_knowledge: bool,
    proxy: Proxy,
    roots: Roots,
    limits: Limits,
}

/// A setting that cannot work.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("{setting}: {reason}")]
pub struct InvalidHttp {
    /// The setting.
    pub setting: &'static str,
    /// Why not, and what would do.  No value of a header is in it.
    pub reason: String,
}

impl Http {
    /// A server that is reached at `url`, which may have a query but holds no credentials.
    ///
    /// # Errors
    ///
    /// Fails where this is no URL of `http` or `https`.
    pub fn new(url: impl AsRef<str>) -> Result<Self, InvalidHttp> {
        let target = Target::parse(url.as_ref()).map_err(invalid("url"))?;
        Ok(Self {
            target: Arc::new(target),
            headers: Arc::clone(&HEADERS),
            authorizer: None,
            connect_timeout: Duration::from_secs(30),
            read_timeout: None,
            http2_prior_knowledge: false,
            proxy: Proxy::Environment,
            roots: Roots::default(),
            limits: Limits::default(),
        })
    }

    /// Adds a header to every request.  Its value may be a secret: it is never shown, and goes
    /// to the server's own origin only.
    ///
    /// # Errors
    ///
    /// Fails where a header cannot hold this, and where the header is one that the transport
    /// writes itself.
    pub fn header(
        mut self,
        name: impl AsRef<str>,
        value: impl AsRef<str>,
    ) -> Result<Self, InvalidHttp> {
        let header = metadata::custom([(name.as_ref(), value.as_ref())]);
        let headers = Arc::make_mut(&mut self.headers);
        for (name, value) in header.map_err(invalid("header"))? {
            // Only the name this crate goes by is replaced; the map gives every header its name.
            match name {
                Some(name) if name == USER_AGENT => _ = headers.insert(name, value),
                Some(name) => _ = headers.append(name, value),
                None => (),
            }
        }
        Ok(self)
    }

    /// What the client calls itself to HTTP servers and what stands between.  By default it is
    /// named after this crate.
    ///
    /// # Errors
    ///
    /// Fails where a header cannot hold this.
    pub fn user_agent(self, name: impl AsRef<str>) -> Result<Self, InvalidHttp> {
        self.header("user-agent", name)
    }

    /// Asks for credentials before every request, and about every refusal.
    #[must_use]
    pub fn authorizer(mut self, authorizer: impl Authorizer + 'static) -> Self {
        self.authorizer = Some(Arc::new(authorizer));
        self
    }

    /// How long making a connection may take: looking up the name, the proxy and TLS included.
    /// 30 seconds by default.
    ///
    /// # Errors
    ///
    /// Fails where it is zero.
    pub fn connect_timeout(mut self, timeout: Duration) -> Result<Self, InvalidHttp> {
        if timeout.is_zero() {
            return Err(invalid("connect_timeout")("no connection is made in no time".to_owned()));
        }
        self.connect_timeout = timeout;
        Ok(self)
    }

    /// How long nothing at all may come from a server that owes an answer; zero means for ever,
    /// which is the default.  A request's own timeout belongs to the client, and a stream on which
    /// nothing is due may be silent.
    #[must_use]
    pub fn read_timeout(mut self, timeout: Duration) -> Self {
        self.read_timeout = Some(timeout).filter(|timeout| !timeout.is_zero());
        self
    }

    /// Speaks HTTP/2 from the first byte.  By default HTTP/1.1 is spoken unless a server offers
    /// HTTP/2 in the TLS handshake.
    #[must_use]
    pub fn http2_prior_knowledge(mut self) -> Self {
        self.http2_prior_knowledge = true;
        self
    }

    /// Goes through this proxy, such as `http://proxy.example:3128` or `socks5h://localhost:1080`.
    /// By default the variables `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY` and `NO_PROXY` decide.
    ///
    /// # Errors
    ///
    /// Fails where this is no URL of a proxy.
    pub fn proxy(mut self, url: impl AsRef<str>) -> Result<Self, InvalidHttp> {
        self.proxy = Proxy::parse(url.as_ref()).map_err(invalid("proxy"))?;
        Ok(self)
    }

    /// Goes through no proxy, whatever the environment says.
    #[must_use]
    pub fn no_proxy(mut self) -> Self {
        self.proxy = Proxy::None;
        self
    }

    /// Trusts the certificate authorities in this PEM text, beside those that the system trusts.
    ///
    /// # Errors
    ///
    /// Fails where there is no certificate in it.
    pub fn root_certificates(mut self, pem: impl AsRef<[u8]>) -> Result<Self, InvalidHttp> {
        self.roots.add(pem.as_ref()).map_err(invalid("root_certificates"))?;
        Ok(self)
    }

    /// Trusts only what [`root_certificates`](Self::root_certificates) names.
    #[must_use]
    pub fn without_system_roots(mut self) -> Self {
        self.roots.without_system = true;
        self
    }

    /// How much the server may send.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.limits = limits;
        self
    }

    /// The origin that is asked, such as `https://example.com`: a scheme, a host, and a port that
    /// is not the scheme's own.
    pub fn origin(&self) -> String {
        self.target.origin().to_string()
    }
}

#[async_trait]
impl Connect for Http {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        let runtime = Handle::try_current().map_err(|error| {
            TransportError::Protocol(format!("a connection over HTTP needs a runtime: {error}"))
        })?;
        let server = self.target.uri().clone();
        let connecting = Connecting {
            route: Route::new(&self.proxy, &server),
            roots: self.roots.clone(),
            budget: self.connect_timeout,
            http2_prior_knowledge: self.http2_prior_knowledge,
        };
        let endpoint = Endpoint {
            target: Arc::clone(&self.target),
            client: HttpClient::new(server, connecting),
            headers: Arc::clone(&self.headers),
            authorizer: self.authorizer.clone(),
            handler,
            limits: self.limits,
            read_timeout: self.read_timeout,
        };
        Ok(Arc::new(HttpTransport::new(Connection::new(endpoint, runtime))))
    }
}

impl fmt::Debug for Http {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Values of headers are often secrets, so only the names are shown.
        let names: Vec<_> = self.headers.keys().collect();
        f.debug_struct("Http")
            .field("url", &format_args!("{}", self.target))
            .field("headers", &names)
            .field("has_authorizer", &self.authorizer.is_some())
            .finish_non_exhaustive()
    }
}

fn invalid(setting: &'static str) -> impl Fn(String) -> InvalidHttp {
    move |reason| InvalidHttp { setting, reason }
}

/// Most clients send no others, and share them.
static HEADERS: LazyLock<Arc<HeaderMap>> = LazyLock::new(|| {
    let name = (USER_AGENT, HeaderValue::from_static(NAME));
    Arc::new(HeaderMap::from_iter([name]))
});

const NAME: &str = concat!("mcp-transport/", env!("CARGO_PKG_VERSION"));
