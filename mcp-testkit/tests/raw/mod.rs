//! An HTTP server, made of sockets, that is well-behaved but for the calls of tools.

use std::sync::{Arc, Mutex, PoisonError};

use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;

/// A modern server at `/mcp` of a port of the loopback interface.
pub(crate) struct RawServer {
    port: u16,
    /// Everything that was asked: the method, and the head of the request.
    asked: Arc<Mutex<Vec<(String, String)>>>,
    /// How many tool calls are over, and what each came to.
    over: watch::Receiver<Vec<usize>>,
    _serving: JoinSet<()>,
}

impl RawServer {
    /// Answers a call of a tool with `respond`, which gets the connection and the id of the call,
    /// and returns what the test wants to know.
    pub(crate) async fn start<F, R>(respond: F) -> Self
    where
        F: Fn(TcpStream, Value) -> R + Clone + Send + Sync + 'static,
        R: Future<Output = usize> + Send + 'static,
    {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let asked = Arc::<Mutex<Vec<_>>>::default();
        let (tell, over) = watch::channel(Vec::new());
        let (tell, log) = (Arc::new(tell), Arc::clone(&asked));
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let (respond, tell, log) = (respond.clone(), Arc::clone(&tell), Arc::clone(&log));
                connections.spawn(async move {
                    // A client that hangs up is not worth a word.
                    if let Ok(Some((stream, id))) = serve(stream, &log).await {
                        let outcome = respond(stream, id).await;
                        tell.send_modify(|over| over.push(outcome));
                    }
                });
            }
        });
        Self { port, asked, over, _serving: serving }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://127.0.0.1:{}/mcp", self.port)
    }

    /// Everything that was asked: the method, and the head of the request.
    pub(crate) fn asked(&self) -> Vec<(String, String)> {
        self.asked.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits until a tool call is over for this side, and returns what it came to.
    pub(crate) async fn over(&mut self) -> usize {
        self.over.wait_for(|over| !over.is_empty()).await.unwrap()[0]
    }
}

/// Serves a connection up to the first tool call on it.
async fn serve(
    stream: TcpStream,
    log: &Mutex<Vec<(String, String)>>,
) -> std::io::Result<Option<(TcpStream, Value)>> {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            if stream.read_line(&mut head).await? == 0 {
                return Ok(None);
            }
        }
        let length = head.lines().find_map(|line| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
        });
        let mut body = vec![0; length.unwrap_or(0)];
        stream.read_exact(&mut body).await?;
        let message: Value = serde_json::from_slice(&body).unwrap_or_default();
        let method = message["method"].as_str().unwrap_or_default().to_owned();
        log.lock().unwrap_or_else(PoisonError::into_inner).push((method.clone(), head));
        if method == "tools/call" {
            return Ok(Some((stream.into_inner(), message["id"].clone())));
        }
        stream.write_all(&json_response(&well_behaved(&method, &message["id"]))).await?;
    }
}

fn well_behaved(method: &str, id: &Value) -> Value {
    let result = match method {
        "server/discover" => json!({
            "supportedVersions": ["2026-07-28"],
            "capabilities": { "tools": {} },
            "resultType": "complete",
        }),
        _ => json!({
            "tools": [{ "name": "echo", "inputSchema": { "type": "object" } }],
            "resultType": "complete",
        }),
    };
    json!({ "jsonrpc": "2.0", "id": id, "result": result })
}

/// A whole response with this body.
pub(crate) fn json_response(body: &Value) -> Vec<u8> {
    let (body, kind) = (body.to_string(), "application/json");
    let length = body.len();
    format!("HTTP/1.1 200 x\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n{body}")
        .into()
}
