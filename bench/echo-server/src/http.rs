//! Streamable HTTP, on this machine.

use std::convert::Infallible;
use std::io::{self, Read, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use bytes::Bytes;
use http_body_util::{BodyExt, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};

use crate::answer::{Answer, Server};

/// Answers `POST /mcp` until standard input ends; `/raw` answers with what was sent.
///
/// Prints `listening PORT` first.  Answers are `text/event-stream` if `as_events`, else
/// `application/json`.
///
/// # Errors
///
/// There is no port to listen at.
pub fn serve(server: Server, as_events: bool) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await?;
        println!("listening {}", listener.local_addr()?.port());
        io::stdout().flush()?;
        std::thread::spawn(exit_with_parent);
        let state =
            Arc::new(State { server: Mutex::new(server), as_events, sessions: AtomicU64::new(0) });
        loop {
            let (stream, _) = listener.accept().await?;
            stream.set_nodelay(true)?;
            tokio::spawn(connection(stream, Arc::clone(&state)));
        }
    })
}

/// Ends this process when the one that started it closes its end of our input.
fn exit_with_parent() {
    let mut sink = [0; 64];
    while matches!(io::stdin().read(&mut sink), Ok(length) if length > 0) {}
    std::process::exit(0);
}

struct State {
    server: Mutex<Server>,
    as_events: bool,
    sessions: AtomicU64,
}

async fn connection(stream: TcpStream, state: Arc<State>) {
    let service = service_fn(move |request| respond(Arc::clone(&state), request));
    // A client that hangs up is no news.
    let _ = hyper::server::conn::http1::Builder::new()
        .serve_connection(TokioIo::new(stream), service)
        .await;
}

async fn respond(
    state: Arc<State>,
    request: Request<Incoming>,
) -> Result<Response<Full<Bytes>>, Infallible> {
    let path = request.uri().path();
    let (is_raw, is_mcp) = (path == "/raw", path == "/mcp");
    match *request.method() {
        Method::POST if is_raw || is_mcp => (),
        Method::DELETE if is_mcp => return Ok(empty(StatusCode::OK)),
        _ if is_mcp => return Ok(empty(StatusCode::METHOD_NOT_ALLOWED)),
        _ => return Ok(empty(StatusCode::NOT_FOUND)),
    }
    let Ok(body) = request.into_body().collect().await else {
        return Ok(empty(StatusCode::BAD_REQUEST));
    };
    let body = body.to_bytes();
    if is_raw {
        return Ok(Response::new(Full::new(body)));
    }
    let mut out = Vec::with_capacity(512);
    if state.as_events {
        out.extend_from_slice(b"event: message\ndata: ");
    }
    let answer = {
        let mut server = state.server.lock().unwrap_or_else(PoisonError::into_inner);
        server.answer(&body, &mut out)
    };
    let Answer::Written { opens_session } = answer else {
        return Ok(empty(StatusCode::ACCEPTED));
    };
    let mut content_type = "application/json";
    if state.as_events {
        content_type = "text/event-stream";
        out.extend_from_slice(b"\n\n");
    }
    let mut response = Response::new(Full::new(Bytes::from(out)));
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    if opens_session {
        let session = state.sessions.fetch_add(1, Ordering::Relaxed);
        let name = HeaderName::from_static("mcp-session-id");
        response.headers_mut().insert(name, HeaderValue::from(session));
    }
    Ok(response)
}

fn empty(status: StatusCode) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::default());
    *response.status_mut() = status;
    response
}
