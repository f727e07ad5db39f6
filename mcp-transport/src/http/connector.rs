//! How a connection is made: directly or through a proxy, with TLS or without.

use std::fmt;
use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use http::Uri;
use hyper_rustls::{HttpsConnector, MaybeHttpsStream};
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV4, SocksV5, Tunnel};
use rustls::ClientConfig;
use tokio::time::timeout;
use tower_service::Service;

use crate::http::proxy::Route;
use crate::http::stream::{Lean, Stream};

type BoxError = Box<dyn std::error::Error + Send + Sync>;
type Connecting<T> = Pin<Box<dyn Future<Output = Result<T, BoxError>> + Send>>;

/// Connects to the server, within a budget.
#[derive(Clone, Debug)]
pub(crate) struct Connector {
    inner: HttpsConnector<Routed>,
    budget: Duration,
}

impl Connector {
    /// `alpn` is what is offered in a TLS handshake with the server.
    pub(crate) fn new(route: Route, tls: &ClientConfig, alpn: &[&[u8]], budget: Duration) -> Self {
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        tcp.set_keepalive(Some(KEEPALIVE));
        let mut to_server = tls.clone();
        to_server.alpn_protocols = alpn.iter().map(|it| it.to_vec()).collect();
        let to_proxy = HttpsConnector::from((tcp.clone(), tls.clone()));
        let routed = Routed { tcp, to_proxy, route: Arc::new(route) };
        Self { inner: HttpsConnector::from((routed, to_server)), budget }
    }
}

impl Service<Uri> for Connector {
    type Response = Lean<Stream>;
    type Error = BoxError;
    type Future = Connecting<Self::Response>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.inner.poll_ready(context)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let (connecting, budget) = (self.inner.call(server), self.budget);
        Box::pin(async move {
            let connected = timeout(budget, connecting).await.unwrap_or_else(|_| {
                let budget = humane(budget);
                let detail = format!(
                    "there was no connection within {budget} (raise `Http::connect_timeout`)"
                );
                Err(io::Error::new(io::ErrorKind::TimedOut, detail).into())
            });
            connected.map(Lean::from)
        })
    }
}

/// A span of time as a person would write it.
pub(crate) fn humane(span: Duration) -> String {
    if span.subsec_nanos() == 0 {
        format!("{} s", span.as_secs())
    } else {
        format!("{} ms", span.as_millis())
    }
}

/// Makes the connection that TLS, if there is any, is spoken over.
#[derive(Clone)]
struct Routed {
    tcp: HttpConnector,
    to_proxy: HttpsConnector<HttpConnector>,
    route: Arc<Route>,
}

impl Service<Uri> for Routed {
    type Response = Stream;
    type Error = BoxError;
    type Future = Connecting<Stream>;

    fn poll_ready(&mut self, context: &mut Context<'_>) -> Poll<Result<(), BoxError>> {
        self.tcp.poll_ready(context).map_err(Into::into)
    }

    fn call(&mut self, server: Uri) -> Self::Future {
        let (mut tcp, mut to_proxy) = (self.tcp.clone(), self.to_proxy.clone());
        let route = Arc::clone(&self.route);
        Box::pin(async move {
            let io = match &*route {
                Route::Direct => MaybeHttpsStream::Http(tcp.call(server).await?),
                Route::Forward { proxy, .. } => to_proxy.call(proxy.clone()).await?,
                Route::Tunnel { proxy, authorization } => {
                    let mut tunnel = Tunnel::new(proxy.clone(), to_proxy);
                    if let Some(authorization) = authorization {
                        tunnel = tunnel.with_auth(authorization.clone());
                    }
                    tunnel.call(server).await?
                }
                Route::Socks4 { proxy, local_dns } => {
                    let socks = SocksV4::new(proxy.clone(), tcp).local_dns(*local_dns);
                    MaybeHttpsStream::Http({ socks }.call(server).await?)
                }
                Route::Socks5 { proxy, local_dns, login } => {
                    let mut socks = SocksV5::new(proxy.clone(), tcp).local_dns(*local_dns);
                    if let Some((user, password)) = login {
                        socks = socks.with_auth(user.clone(), password.clone());
                    }
                    MaybeHttpsStream::Http(socks.call(server).await?)
                }
            };
            Ok(Stream { io: io.into(), is_forwarded: matches!(&*route, Route::Forward { .. }) })
        })
    }
}

impl fmt::Debug for Routed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Routed").field("route", &self.route).finish_non_exhaustive()
    }
}

/// After this long without a word the system asks whether the other end is still there.
const KEEPALIVE: Duration = Duration::from_secs(60);
