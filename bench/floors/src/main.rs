//! The same bytes without looking at them: what no client on tokio can beat.
//!
//! Over stdio a request goes through two pipes and back; over HTTP it goes over one connection of
//! hyper's.  The server writes back what it reads.  There is no JSON, and one call at a time.

use std::process::{ExitCode, Stdio};

use bytes::Bytes;
use harness::{Client, Connector, Era, Failure, Target};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::process::{Child, ChildStdin, ChildStdout, Command};
use tokio::sync::Mutex;

fn main() -> ExitCode {
    harness::main(ConnectFloor, None)
}

struct ConnectFloor;

enum Floor {
    Pipes(Box<Mutex<Pipes>>),
    Http(Mutex<SendRequest<Full<Bytes>>>, String),
}

struct Pipes {
    child: Child,
    input: ChildStdin,
    output: ChildStdout,
    read: Vec<u8>,
}

impl Connector for ConnectFloor {
    type Client = Floor;

    async fn connect(&self, target: &Target, _: Era) -> Result<Floor, Failure> {
        match target {
            Target::Stdio { program, .. } => {
                let mut command = Command::new(program);
                command.arg("pipe").stdin(Stdio::piped()).stdout(Stdio::piped());
                let mut child = command.kill_on_drop(true).spawn()?;
                let input = child.stdin.take().ok_or("the child has no input")?;
                let output = child.stdout.take().ok_or("the child has no output")?;
                let pipes = Pipes { child, input, output, read: vec![0; 1 << 16] };
                Ok(Floor::Pipes(Box::new(Mutex::new(pipes))))
            }
            Target::Http { url } => {
                let host = url.trim_start_matches("http://").trim_end_matches("/mcp");
                let stream = TcpStream::connect(host).await?;
                stream.set_nodelay(true)?;
                let (sender, connection) = handshake(TokioIo::new(stream)).await?;
                tokio::spawn(connection);
                Ok(Floor::Http(Mutex::new(sender), host.to_owned()))
            }
        }
    }
}

impl Client for Floor {
    async fn echo(&self, text: &str) -> Result<usize, Failure> {
        let message = message(text);
        let length = message.len();
        let echoed = match self {
            Self::Pipes(pipes) => {
                let mut pipes = pipes.lock().await;
                let pipes = &mut *pipes;
                pipes.input.write_all(message.as_bytes()).await?;
                let mut echoed = 0;
                while echoed < length {
                    match pipes.output.read(&mut pipes.read).await? {
                        0 => return Err("the server is gone".into()),
                        read => echoed += read,
                    }
                }
                echoed
            }
            Self::Http(sender, host) => {
                let mut sender = sender.lock().await;
                sender.ready().await?;
                let request = Request::post("/raw")
                    .header("host", host)
                    .header("content-type", "application/json")
                    .body(Full::new(Bytes::from(message)))?;
                let response = sender.send_request(request).await?;
                response.into_body().collect().await?.to_bytes().len()
            }
        };
        if echoed == length { Ok(text.len()) } else { Err("something else came back".into()) }
    }

    async fn big(&self, _: usize) -> Result<usize, Failure> {
        Err("a floor only echoes".into())
    }

    async fn list_tools(&self) -> Result<usize, Failure> {
        Err("a floor only echoes".into())
    }

    async fn close(self) {
        if let Self::Pipes(pipes) = self {
            let Pipes { mut child, input, .. } = pipes.into_inner();
            drop(input);
            // Whatever becomes of it, it was measured.
            let _ = child.wait().await;
        }
    }
}

/// A call of the length that clients send.
fn message(text: &str) -> String {
    format!(
        concat!(
            r#"{{"jsonrpc":"2.0","id":1234,"method":"tools/call","params":{{"name":"echo","#,
            r#""arguments":{{"text":"{text}"}},"_meta":{{"#,
            r#""io.modelcontextprotocol/protocolVersion":"2026-07-28","#,
            r#""io.modelcontextprotocol/clientInfo":{{"name":"floor","version":"0.0.0"}},"#,
            r#""io.modelcontextprotocol/clientCapabilities":{{}}}}}}}}"#
        ),
        text = text
    )
}
