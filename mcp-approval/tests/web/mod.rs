//! An HTTP server made of sockets that says what a test tells it to.
#![allow(dead_code, reason = "each test file uses a part")]
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use serde_json::json;
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A request as the server saw it.
#[derive(Clone, Debug)]
pub(crate) struct Seen {
    /// Which connection it came on, from 0.
    pub(crate) connection: usize,
    pub(crate) line: String,
    headers: Vec<(String, String)>,
    pub(crate) body: String,
}

impl Seen {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(it, _)| it == name).map(|(_, value)| value.as_str())
    }
}

/// What the server writes, to the byte.
#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// This; then the next request of the connection is read, or the connection ends.
    Whole(String),
    /// This, and then that for ever.
    Endless(String, String),
    /// This, and then nothing, until the client hangs up.
    Stay(String),
}

#[derive(Clone, Debug, Default)]
struct State {
    seen: Vec<Seen>,
    answered: usize,
    hung_up: usize,
}

/// A server on a port of its own.  It ends when this is dropped.
pub(crate) struct Web {
    port: u16,
    state: Arc<watch::Sender<State>>,
    _serving: JoinSet<()>,
}

impl Web {
    pub(crate) async fn start(bodies: Vec<Body>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::new(watch::Sender::new(State::default()));
        let (shared, bodies) = (Arc::clone(&state), Arc::new(Mutex::new(VecDeque::from(bodies))));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            for connection in 0.. {
                let Ok((stream, _)) = listener.accept().await else { break };
                let (state, bodies) = (Arc::clone(&shared), Arc::clone(&bodies));
                connections.spawn(async move {
                    // A client that hangs up is not worth a word.
                    let _ = serve(stream, connection, &state, &bodies).await;
                    state.send_modify(|it| it.hung_up += 1);
                });
            }
        });
        Self { port, state, _serving: serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/v1", self.port)
    }

    pub(crate) fn seen(&self) -> Vec<Seen> {
        self.state.borrow().seen.clone()
    }

    pub(crate) async fn until_answered(&self, times: usize) {
        self.state.subscribe().wait_for(|it| it.answered >= times).await.unwrap();
    }

    pub(crate) async fn until_hung_up(&self, times: usize) {
        self.state.subscribe().wait_for(|it| it.hung_up >= times).await.unwrap();
    }
}

async fn serve(
    stream: TcpStream,
    connection: usize,
    state: &watch::Sender<State>,
    bodies: &Mutex<VecDeque<Body>>,
) -> std::io::Result<()> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut line = String::new();
        if stream.read_line(&mut line).await? == 0 {
            return Ok(());
        }
        let mut headers = Vec::new();
        loop {
            let mut header = String::new();
            stream.read_line(&mut header).await?;
            let Some((name, value)) = header.trim_end().split_once(": ") else { break };
            headers.push((name.to_ascii_lowercase(), value.to_owned()));
        }
        let length = headers.iter().find(|(name, _)| name == "content-length");
        let length = length.and_then(|(_, it)| it.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        stream.read_exact(&mut body).await?;
        let (line, body) = (line.trim_end().to_owned(), String::from_utf8(body).unwrap());
        state.send_modify(|it| it.seen.push(Seen { connection, line, headers, body }));
        let Some(next) = bodies.lock().unwrap().pop_front() else { return Ok(()) };
        let is_last = bodies.lock().unwrap().is_empty();
        match next {
            Body::Whole(text) => {
                stream.write_all(text.as_bytes()).await?;
                state.send_modify(|it| it.answered += 1);
                if is_last {
                    return Ok(());
                }
            }
            Body::Endless(start, rest) => {
                stream.write_all(start.as_bytes()).await?;
                loop {
                    stream.write_all(rest.as_bytes()).await?;
                }
            }
            Body::Stay(start) => {
                stream.write_all(start.as_bytes()).await?;
                state.send_modify(|it| it.answered += 1);
                while stream.read_u8().await.is_ok() {}
                return Ok(());
            }
        }
    }
}

/// A chat completion with this text.
pub(crate) fn completion(text: &str) -> String {
    let message = json!({ "role": "assistant", "content": text, "refusal": null });
    json!({
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "judge-1",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }],
        "usage": { "total_tokens": 1 },
    })
    .to_string()
}
