//! An HTTP server made of sockets that says what a test tells it to.

#![allow(dead_code, reason = "each test file needs a part of it")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::{Arc, Mutex};

use mcp_transport::{Connect, Handler, Http, Notification, Outgoing, Request, Transport};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::TcpListener;
use tokio::sync::watch;
use tokio::task::JoinSet;

/// One request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Which connection it came on, from 0.
    pub(crate) connection: usize,
    pub(crate) verb: String,
    pub(crate) path: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Value,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }

    /// The method of the message, or of HTTP where there is no message.
    pub(crate) fn what(&self) -> &str {
        self.body["method"].as_str().unwrap_or(&self.verb)
    }
}

/// What the server does about a request.
#[derive(Clone, Debug)]
pub(crate) enum Reply {
    /// Answers with a status, headers (each with its line end) and a body.
    Whole(u16, &'static str, String),
    /// Streams these bytes, and ends the stream, cuts the connection or keeps it open.
    Stream(String, Then),
    /// Writes these bytes, and then waits until the client hangs up.
    RawThenStay(String),
    /// Hangs up without a word.
    HangUp,
}

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) enum Then {
    End,
    Cut,
    Stay,
}

impl Reply {
    pub(crate) fn result(seen: &Seen, result: &Value) -> Self {
        Self::Whole(200, JSON, message(&seen.body["id"], result))
    }

    pub(crate) fn accepted() -> Self {
        Self::Whole(202, "", String::new())
    }

    pub(crate) fn status(status: u16) -> Self {
        Self::Whole(status, "", String::new())
    }
}

pub(crate) const JSON: &str = "content-type: application/json\r\n";

/// A response to the request `id`.
pub(crate) fn message(id: &Value, result: &Value) -> String {
    json!({ "jsonrpc": "2.0", "id": id, "result": result }).to_string()
}

/// A message as an event.
pub(crate) fn event(message: &str) -> String {
    format!("data: {message}\n\n")
}

/// A server on a port of its own.  It ends when this is dropped.
pub(crate) struct Web {
    pub(crate) port: u16,
    state: Arc<watch::Sender<State>>,
    _serving: JoinSet<()>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) seen: Vec<Seen>,
    /// How many streams that were kept open the client has closed.
    pub(crate) closed: usize,
}

impl Web {
    pub(crate) async fn start(reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static) -> Self {
        Self::on(TcpListener::bind("127.0.0.1:0").await.unwrap(), reply)
    }

    pub(crate) fn on(
        listener: TcpListener,
        reply: impl Fn(&Seen) -> Reply + Send + Sync + 'static,
    ) -> Self {
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(watch::Sender::new(State::default()));
        let (shared, reply) = (Arc::clone(&state), Arc::new(reply));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            let mut connection = 0;
            while let Ok((stream, _)) = listener.accept().await {
                // Small pieces must not wait for each other.
                stream.set_nodelay(true).unwrap();
                let (state, reply) = (Arc::clone(&shared), Arc::clone(&reply));
                connections.spawn(async move {
                    // A client that hangs up is not worth a word.
                    let _ = serve(stream, connection, &state, &*reply).await;
                });
                connection += 1;
            }
        });
        Self { port, state, _serving: serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.borrow().seen.clone()
    }

    /// What was asked for, in order.
    pub(crate) fn asked(&self) -> Vec<String> {
        self.seen().iter().map(|it| it.what().to_owned()).collect()
    }

    /// Waits until something is so.
    pub(crate) async fn until(&self, is_so: impl FnMut(&State) -> bool) -> State {
        self.state.subscribe().wait_for(is_so).await.unwrap().clone()
    }
}

/// Serves one connection, whatever it is made of.
pub(crate) async fn serve(
    stream: impl AsyncRead + AsyncWrite + Unpin,
    connection: usize,
    state: &watch::Sender<State>,
    reply: &(dyn Fn(&Seen) -> Reply + Send + Sync),
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    while let Some(seen) = read(&mut stream, connection).await? {
        state.send_modify(|state| state.seen.push(seen.clone()));
        match reply(&seen) {
            Reply::Whole(status, headers, body) => {
                let length = body.len();
                let text = format!(
                    "HTTP/1.1 {status} x\r\n{headers}content-length: {length}\r\n\r\n{body}"
                );
                stream.write_all(text.as_bytes()).await?;
            }
            Reply::Stream(bytes, then) => {
                let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
                stream.write_all(head.as_bytes()).await?;
                if !bytes.is_empty() {
                    let chunk = format!("{:x}\r\n{bytes}\r\n", bytes.len());
                    stream.write_all(chunk.as_bytes()).await?;
                }
                match then {
                    Then::End => stream.write_all(b"0\r\n\r\n").await?,
                    Then::Cut => return Ok(()),
                    Then::Stay => return stay(&mut stream, state).await,
                }
            }
            Reply::RawThenStay(bytes) => {
                // A client that hangs up early is waited for no longer.
                let _ = stream.write_all(bytes.as_bytes()).await;
                return stay(&mut stream, state).await;
            }
            Reply::HangUp => return Ok(()),
        }
        stream.flush().await?;
    }
    Ok(())
}

/// Says nothing more, until the client hangs up.
async fn stay(
    stream: &mut (impl AsyncRead + AsyncWrite + Unpin),
    state: &watch::Sender<State>,
) -> std::io::Result<()> {
    // Broken or ended, it is over.
    let _ = stream.flush().await;
    let _ = stream.read_u8().await;
    state.send_modify(|state| state.closed += 1);
    Ok(())
}

/// Reads one request; nothing where the client has hung up.
pub(crate) async fn read(
    stream: &mut (impl AsyncBufReadExt + Unpin),
    connection: usize,
) -> std::io::Result<Option<Seen>> {
    let mut lines = Vec::new();
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(None);
        }
        match line.trim_end() {
            "" => break,
            line => lines.push(line.to_owned()),
        }
    }
    let mut first = lines[0].split(' ').map(str::to_owned);
    let (verb, path) = (first.next().unwrap(), first.next().unwrap());
    let headers: Vec<(String, String)> = lines[1..]
        .iter()
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect();
    let length = headers.iter().find(|(name, _)| name == "content-length");
    let mut body = vec![0; length.map_or(0, |(_, value)| value.parse().unwrap())];
    stream.read_exact(&mut body).await?;
    let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
    Ok(Some(Seen { connection, verb, path, headers, body }))
}

/// What the transport handed up: notifications, requests and warnings, each as text.
#[derive(Clone, Debug, Default)]
pub(crate) struct Told(pub(crate) Arc<Mutex<Vec<String>>>);

impl Told {
    pub(crate) fn all(&self) -> Vec<String> {
        self.0.lock().unwrap().clone()
    }

    /// Waits until so much was told.
    pub(crate) async fn until(&self, count: usize) {
        while self.all().len() < count {
            tokio::task::yield_now().await;
        }
    }
}

impl Handler for Told {
    fn notification(&self, notification: Notification<'_>) {
        self.0.lock().unwrap().push(format!("notification {}", notification.method));
    }

    fn request(&self, request: Request<'_>) {
        self.0.lock().unwrap().push(format!("request {}", request.method));
    }

    fn warning(&self, warning: &str) {
        self.0.lock().unwrap().push(format!("warning {warning}"));
    }
}

/// A connection to `http`, and what it is told.
pub(crate) async fn connect(http: Http) -> (Arc<dyn Transport>, Told) {
    let told = Told::default();
    (http.no_proxy().connect(Arc::new(told.clone())).await.unwrap(), told)
}

pub(crate) async fn connect_to(web: &Web) -> (Arc<dyn Transport>, Told) {
    connect(Http::new(web.url()).unwrap()).await
}

/// A request of the modern era.
pub(crate) fn modern(id: u64, method: &'static str) -> Outgoing {
    let mut request = legacy(id, method);
    request.version = Some("2026-07-28".into());
    request
}

/// A request of the legacy era.
pub(crate) fn legacy(id: u64, method: &'static str) -> Outgoing {
    let body = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": {} });
    Outgoing::request(id, method, body.to_string().into_bytes())
}

pub(crate) fn notice(method: &'static str) -> Outgoing {
    let body = json!({ "jsonrpc": "2.0", "method": method });
    Outgoing::notification(method, body.to_string().into_bytes())
}

/// The answer to `initialize`.
pub(crate) fn initialized() -> Value {
    json!({ "protocolVersion": "2025-06-18", "capabilities": {}, "serverInfo": { "name": "s", "version": "1" } })
}

/// Opens a session.
pub(crate) async fn greet(transport: &Arc<dyn Transport>) {
    transport.request(legacy(1, "initialize")).await.unwrap();
    transport.notify(notice("notifications/initialized")).await;
}

pub(crate) fn text(answer: &mcp_transport::Answer) -> &str {
    std::str::from_utf8(answer.as_bytes()).unwrap()
}

/// While this is held a paused clock stands still, however long a socket takes.
pub(crate) fn still() -> std::sync::mpsc::Sender<()> {
    let (held, holding) = std::sync::mpsc::channel();
    // A clock does not run on while something blocks.
    tokio::task::spawn_blocking(move || holding.recv());
    held
}
