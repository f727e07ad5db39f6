//! One request on a kept connection, and its answer up to a limit.

use std::error::Error;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use bytes::{Bytes, BytesMut};
use http::header::CONTENT_LENGTH;
use http::{HeaderMap, Method, Request, StatusCode, Uri};
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper_rustls::HttpsConnector;
use hyper_util::client::legacy;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioTimer};
use rustls::crypto::ring;
use rustls::{ClientConfig, RootCertStore};

use crate::http::endpoint::Endpoint;
use crate::llm::model::ModelError;

type Pool = legacy::Client<HttpsConnector<HttpConnector>, Full<Bytes>>;

/// The connections to one endpoint.  None is made before it is needed.
#[derive(Default)]
pub(crate) struct Client(Mutex<Option<Pool>>);

/// What came back.
pub(crate) struct Received {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
}

impl Client {
    /// Sends `body` and reads the answer, `limit` bytes of it at most.
    pub(crate) async fn post(
        &self,
        uri: Uri,
        headers: HeaderMap,
        body: Bytes,
        limit: usize,
    ) -> Result<Received, ModelError> {
        let pool = self.pool(&uri).await?;
        let mut request = Request::new(Full::new(body));
        *request.method_mut() = Method::POST;
        *request.uri_mut() = uri;
        *request.headers_mut() = headers;
        let answer = pool.request(request).await.map_err(|error| unreachable(&error))?;
        let (head, body) = answer.into_parts();
        // An error's text is only quoted from.
        let is_success = head.status.is_success();
        let body =
            if is_success { whole(&head.headers, body, limit).await? } else { start(body).await };
        Ok(Received { status: head.status, headers: head.headers, body })
    }

    async fn pool(&self, uri: &Uri) -> Result<Pool, ModelError> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(pool) = kept {
            return Ok(pool);
        }
        let is_tls = Endpoint::is_tls(uri);
        // Reading the system's certificates takes milliseconds.
        let config = tokio::task::spawn_blocking(move || tls(is_tls)).await;
        let config = config.map_err(|error| unreachable(&error))?;
        let config = config.map_err(|cause| ModelError::Unreachable { cause })?;
        let mut tcp = HttpConnector::new();
        tcp.enforce_http(false);
        tcp.set_nodelay(true);
        let mut builder = legacy::Client::builder(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .pool_timer(TokioTimer::new())
            .pool_idle_timeout(IDLE)
            .http1_max_buf_size(HEAD)
            .http2_max_header_list_size(HEAD as u32);
        let https = hyper_rustls::HttpsConnectorBuilder::new()
            .with_tls_config(config)
            .https_or_http()
            .enable_http1()
            .enable_http2()
            .wrap_connector(tcp);
        let pool: Pool = builder.build(https);
        // Two that were first at the same time share the one that was put there first.
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(kept.get_or_insert(pool).clone())
    }
}

/// The whole body, or an error where it is too large.
async fn whole(headers: &HeaderMap, mut body: Incoming, limit: usize) -> Result<Bytes, ModelError> {
    let declared = headers.get(CONTENT_LENGTH).and_then(|it| it.to_str().ok()?.parse::<u64>().ok());
    if declared.is_some_and(|it| it > limit as u64) {
        return Err(ModelError::TooLarge { limit });
    }
    let mut read = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ModelError::Truncated { why: cause(&error) })?;
        let Ok(data) = frame.into_data() else { continue };
        if data.len() > limit - read.len() {
            return Err(ModelError::TooLarge { limit });
        }
        read.extend_from_slice(&data);
    }
    Ok(read.freeze())
}

/// The beginning of a body, as far as it comes.
async fn start(mut body: Incoming) -> Bytes {
    let mut read = BytesMut::new();
    while let Some(Ok(frame)) = body.frame().await {
        if let Ok(data) = frame.into_data() {
            let room = ERROR_BODY - read.len();
            read.extend_from_slice(data.get(..room).unwrap_or(&data));
        }
        if read.len() >= ERROR_BODY {
            break;
        }
    }
    read.freeze()
}

/// What a TLS handshake needs; without TLS nothing is trusted, and nothing is read.
fn tls(is_needed: bool) -> Result<ClientConfig, String> {
    let roots = if is_needed { system() } else { Arc::new(RootCertStore::empty()) };
    if is_needed && roots.is_empty() {
        return Err("this machine trusts no certificate authority (install its CA certificates, \
                    or set SSL_CERT_FILE)"
            .to_owned());
    }
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| error.to_string())?;
    Ok(builder.with_root_certificates(roots).with_no_client_auth())
}

/// The authorities that the system trusts; what cannot be read of them is left out.
fn system() -> Arc<RootCertStore> {
    static SYSTEM: OnceLock<Arc<RootCertStore>> = OnceLock::new();
    let load = || {
        let mut store = RootCertStore::empty();
        store.add_parsable_certificates(rustls_native_certs::load_native_certs().certs);
        Arc::new(store)
    };
    Arc::clone(SYSTEM.get_or_init(load))
}

fn unreachable(error: &(dyn Error + 'static)) -> ModelError {
    ModelError::Unreachable { cause: cause(error) }
}

/// What went wrong, from the outside in, each thing once.
fn cause(error: &(dyn Error + 'static)) -> String {
    let mut parts: Vec<String> = Vec::new();
    let mut next = Some(error);
    while let Some(error) = next {
        let text = error.to_string();
        if !parts.iter().any(|part| part.contains(&text)) {
            parts.push(text);
        }
        next = error.source();
    }
    parts.join(": ")
}

/// How long a connection that nobody uses is kept.
const IDLE: Duration = Duration::from_secs(90);
/// The largest head of an answer, in bytes.
const HEAD: usize = 64 << 10;
/// How much of an error's text is read, in bytes.
const ERROR_BODY: usize = 4 << 10;
