//! What lies under the messages: TLS, HTTP/2, and proxies.
#![cfg(feature = "http")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

mod web;

use std::convert::Infallible;
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::service::service_fn;
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use mcp_transport::{Connect, Http, Transport, TransportError};
use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::{PrivateKeyDer, PrivatePkcs8KeyDer};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, copy_bidirectional};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;

use crate::web::{Told, modern, text};

/// A server that answers every request with the version of HTTP it came in.
async fn answer(stream: impl AsyncRead + AsyncWrite + Send + Unpin + 'static) {
    let service = service_fn(|request: hyper::Request<hyper::body::Incoming>| async {
        let version = format!("{:?}", request.version());
        let body = request.into_body().collect().await.unwrap().to_bytes();
        let id = serde_json::from_slice::<Value>(&body).unwrap()["id"].clone();
        let answer = json!({ "jsonrpc": "2.0", "id": id, "result": { "version": version } });
        let mut response = hyper::Response::new(Full::new(Bytes::from(answer.to_string())));
        response.headers_mut().insert("content-type", "application/json".parse().unwrap());
        Ok::<_, Infallible>(response)
    });
    // A client that hangs up, or does not like the certificate, is not worth a word.
    let _ =
        Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

/// A server with a certificate of its own for `localhost`, and that certificate as PEM.
async fn secure(protocols: &[&str]) -> (u16, String, JoinSet<()>) {
    let made = rcgen::generate_simple_self_signed(vec!["localhost".to_owned()]).unwrap();
    let key = PrivateKeyDer::from(PrivatePkcs8KeyDer::from(made.signing_key.serialize_der()));
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .unwrap();
    let certificates = vec![made.cert.der().clone()];
    let mut config = config.with_no_client_auth().with_single_cert(certificates, key).unwrap();
    config.alpn_protocols = protocols.iter().map(|it| it.as_bytes().to_vec()).collect();
    let (acceptor, pem) = (TlsAcceptor::from(Arc::new(config)), made.cert.pem());
    let (port, serving) = listen(move |stream| {
        let acceptor = acceptor.clone();
        async move {
            if let Ok(stream) = acceptor.accept(stream).await {
                answer(stream).await;
            }
        }
    })
    .await;
    (port, pem, serving)
}

/// Serves every connection to a port of its own.
async fn listen<F: Future<Output = ()> + Send + 'static>(
    serve: impl Fn(TcpStream) -> F + Send + 'static,
) -> (u16, JoinSet<()>) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let mut serving = JoinSet::new();
    serving.spawn(async move {
        let mut connections = JoinSet::new();
        while let Ok((stream, _)) = listener.accept().await {
            connections.spawn(serve(stream));
        }
    });
    (port, serving)
}

async fn connect(http: Http) -> Arc<dyn Transport> {
    http.connect(Arc::new(Told::default())).await.unwrap()
}

async fn version(http: Http) -> String {
    let answer = connect(http).await.request(modern(1, "ping")).await.unwrap();
    text(&answer).to_owned()
}

fn trusting(port: u16, pem: &str) -> Http {
    let http = Http::new(format!("https://localhost:{port}/mcp")).unwrap();
    http.root_certificates(pem).unwrap().without_system_roots()
}

#[tokio::test]
async fn tls_speaks_what_both_sides_speak() {
    for (protocols, expected) in
        [(&["h2", "http/1.1"][..], "HTTP/2.0"), (&["http/1.1"], "HTTP/1.1"), (&[], "HTTP/1.1")]
    {
        let (port, pem, _serving) = secure(protocols).await;
        let spoken = version(trusting(port, &pem).no_proxy()).await;
        assert_eq!(spoken, format!(r#"{{"version":"{expected}"}}"#), "{protocols:?}");
    }
}

#[tokio::test]
async fn http_2_can_be_known_beforehand() {
    let (port, _serving) = listen(answer).await;
    let http = || Http::new(format!("http://127.0.0.1:{port}/")).unwrap().no_proxy();
    assert_eq!(version(http()).await, r#"{"version":"HTTP/1.1"}"#);
    assert_eq!(version(http().http2_prior_knowledge()).await, r#"{"version":"HTTP/2.0"}"#);
}

/// A certificate that nobody vouches for, or that is another's, is told as such; nothing is sent.
#[tokio::test]
async fn a_certificate_that_cannot_be_trusted_is_an_error() {
    let (port, pem, _serving) = secure(&[]).await;
    let (_, other, _) = secure(&[]).await;
    let by_address = Http::new(format!("https://127.0.0.1:{port}/")).unwrap();
    for http in
        [trusting(port, &other), by_address.root_certificates(&pem).unwrap().without_system_roots()]
    {
        let failure = connect(http.no_proxy()).await.request(modern(1, "ping")).await.unwrap_err();
        assert!(matches!(failure.error, TransportError::ServerGone(_)), "{failure:?}");
        assert!(!failure.is_sent && failure.to_string().contains("certificate"), "{failure}");
    }
    assert!(Http::new("https://h/").unwrap().root_certificates("no PEM").is_err());
}

/// A proxy for TLS sees where a connection goes, and its own credentials, and nothing else.
#[tokio::test]
async fn a_proxy_passes_on_what_it_cannot_read() {
    let (port, pem, _serving) = secure(&["h2"]).await;
    let heads = Arc::new(Mutex::new(Vec::new()));
    let seen = Arc::clone(&heads);
    let (proxy, _proxying) = listen(move |mut stream| {
        let seen = Arc::clone(&seen);
        async move {
            let mut head = Vec::new();
            while !head.ends_with(b"\r\n\r\n") {
                head.push(stream.read_u8().await.unwrap());
            }
            seen.lock().unwrap().push(String::from_utf8(head).unwrap());
            let mut server = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
            stream.write_all(b"HTTP/1.1 200 OK\r\n\r\n").await.unwrap();
            // Either end may hang up at any time.
            let _ = copy_bidirectional(&mut stream, &mut server).await;
        }
    })
    .await;
    let http = trusting(port, &pem).header("Authorization", "Bearer secret").unwrap();
    let http = http.proxy(format!("http://me:word@127.0.0.1:{proxy}")).unwrap();
    assert_eq!(version(http).await, r#"{"version":"HTTP/2.0"}"#);
    let heads = heads.lock().unwrap().clone();
    assert_eq!(heads.len(), 1);
    assert!(heads[0].starts_with(&format!("CONNECT localhost:{port} HTTP/1.1\r\n")), "{heads:?}");
    // me:word
    assert!(
        heads[0].to_lowercase().contains("proxy-authorization: basic bwu6d29yza=="),
        "{heads:?}"
    );
    assert!(!heads[0].contains("secret"), "{heads:?}");
}

/// Without TLS the proxy is asked for the whole URL.
#[tokio::test]
async fn a_proxy_is_asked_for_what_it_can_read() {
    let web = web::Web::start(|seen| web::Reply::result(seen, &json!({ "path": seen.path }))).await;
    let http = Http::new("http://server.invalid/mcp").unwrap();
    let http = http.proxy(format!("http://127.0.0.1:{}", web.port)).unwrap();
    assert_eq!(version(http).await, r#"{"path":"http://server.invalid/mcp"}"#);
}
