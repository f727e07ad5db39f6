//! The pooled connections to one server, and one request on them.

use std::error::Error;
use std::fmt;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use http::header::PROXY_AUTHORIZATION;
use http::{HeaderMap, HeaderValue, Method, Request, Response, Uri};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper_util::client::legacy;
use hyper_util::rt::{TokioExecutor, TokioTimer};

use crate::http::connector::Connector;
use crate::http::proxy::Route;
use crate::http::tls::{self, Roots};
use crate::task::lock;

type Pool = legacy::Client<Connector, Full<Bytes>>;

/// How to connect.
#[derive(Clone, Debug)]
pub(crate) struct Connecting {
    pub(crate) route: Route,
    pub(crate) roots: Roots,
    pub(crate) budget: Duration,
    pub(crate) http2_prior_knowledge: bool,
}

/// The connections to one server.  None is made before it is needed.
pub(crate) struct HttpClient {
    server: Uri,
    connecting: Connecting,
    proxy_authorization: Option<HeaderValue>,
    state: Mutex<State>,
}

enum State {
    Unused,
    Open(Arc<Pool>),
    Closed,
}

/// Why there is no response, and whether the request may have arrived all the same.
#[derive(Debug)]
pub(crate) struct NoResponse {
    pub(crate) is_sent: bool,
    pub(crate) cause: String,
}

impl HttpClient {
    pub(crate) fn new(server: Uri, connecting: Connecting) -> Self {
        let proxy_authorization = connecting.route.authorization().cloned();
        Self { server, connecting, proxy_authorization, state: Mutex::new(State::Unused) }
    }

    /// Sends a request and waits for the head of the response.
    pub(crate) async fn send(
        &self,
        method: Method,
        uri: Uri,
        headers: HeaderMap,
        body: Bytes,
    ) -> Result<Response<Incoming>, NoResponse> {
        let pool = self.pool().await?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = method;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        if let Some(authorization) = &self.proxy_authorization {
            request.headers_mut().insert(PROXY_AUTHORIZATION, authorization.clone());
        }
        pool.request(request).await.map_err(|error| NoResponse {
            // A connection that was idle and turned out to be dead has been replaced by then.
            is_sent: !error.is_connect(),
            cause: cause(&error),
        })
    }

    /// Makes no more connections, and closes those that nobody uses.
    pub(crate) fn close(&self) {
        let state = std::mem::replace(&mut *lock(&self.state), State::Closed);
        drop(state);
    }

    async fn pool(&self) -> Result<Arc<Pool>, NoResponse> {
        match &*lock(&self.state) {
            State::Open(pool) => return Ok(Arc::clone(pool)),
            State::Closed => return Err(NoResponse::closed()),
            State::Unused => (),
        }
        let pool = self.make_pool().await.map_err(|cause| NoResponse { is_sent: false, cause })?;
        let mut state = lock(&self.state);
        match &*state {
            // Somebody else was faster.
            State::Open(pool) => Ok(Arc::clone(pool)),
            State::Closed => Err(NoResponse::closed()),
            State::Unused => {
                let pool = Arc::new(pool);
                *state = State::Open(Arc::clone(&pool));
                Ok(pool)
            }
        }
    }

    async fn make_pool(&self) -> Result<Pool, String> {
        let Connecting { route, roots, budget, http2_prior_knowledge } = self.connecting.clone();
        let tls = if self.server.scheme_str() == Some("https") || route.has_tls() {
            // Reading the system's certificates takes milliseconds.
            let config = tokio::task::spawn_blocking(move || roots.config()).await;
            config.map_err(|error| error.to_string())??
        } else {
            tls::without()?
        };
        let alpn: &[&[u8]] = if http2_prior_knowledge { &[b"h2"] } else { &[b"h2", b"http/1.1"] };
        let connector = Connector::new(route, &tls, alpn, budget);
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .pool_max_idle_per_host(IDLE_CONNECTIONS)
            .http1_max_buf_size(HEAD)
            .http2_max_header_list_size(HEAD as u32)
            .http2_only(http2_prior_knowledge);
        Ok(builder.build(connector))
    }
}

impl fmt::Debug for HttpClient {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpClient").field("route", &self.connecting.route).finish_non_exhaustive()
    }
}

impl NoResponse {
    fn closed() -> Self {
        Self { is_sent: false, cause: "the connection is closed".to_owned() }
    }
}

/// What went wrong, from the outside in.
pub(crate) fn cause(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = match error.downcast_ref::<hyper::Error>() {
            // Only a build that serves as well has a method for this.
            Some(error) if error.is_parse() && error.to_string().contains("too large") => {
                format!("the head of the response is larger than the limit of {HEAD} bytes")
            }
            _ => error.to_string(),
        };
        // The outermost says only that something failed, and many repeat what is inside.
        if !text.starts_with("client error (") && !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        next = error.source();
    }
    parts.join(": ")
}

/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(90);
/// How many of them are kept: each above would be made anew for every call of a burst.
const IDLE_CONNECTIONS: usize = 4_096;
/// The largest head of a response, in bytes.
const HEAD: usize = 256 << 10;
