//! A case played over HTTP, on a port of the loopback interface.

use std::fmt::Write as _;
use std::io::{self, BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::thread;

use serde_json::{Value, json};

use crate::script_server::case::Case;
use crate::script_server::{filled, play_common, unknown};

/// Plays `case` until stdin closes.
pub(super) fn serve(case: Case) -> io::Result<()> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let mut out = io::stdout();
    writeln!(out, "listening {}", listener.local_addr()?.port())?;
    out.flush()?;
    thread::spawn(|| {
        // The parent's end of our stdin closes with the parent.
        let _ = io::copy(&mut io::stdin(), &mut io::sink());
        std::process::exit(0);
    });
    let case = Arc::new(case);
    for stream in listener.incoming().flatten() {
        let case = Arc::clone(&case);
        thread::spawn(move || {
            if let Err(error) = serve_connection(&case, &stream) {
                // A client that hangs up is not worth a word; a broken script is.
                if error.kind() == io::ErrorKind::Other {
                    let _ = writeln!(io::stderr(), "script-server: {error}");
                    std::process::exit(2);
                }
            }
        });
    }
    Ok(())
}

fn serve_connection(case: &Case, stream: &TcpStream) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = Request::read(&mut reader)? {
        let message: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        case.arrived(&request.describe(), &message);
        let mut exchange = Exchange { case, out: stream, message: &message };
        match case.actions(&request.key(&message)) {
            Some(actions) => {
                for action in &actions {
                    if play_common(action) {
                        continue;
                    } else if action["default"] == true {
                        exchange.respond_well(&request.method)?;
                    } else if action["status"].is_u64() {
                        exchange.respond(action)?;
                    } else {
                        return Err(unknown(action));
                    }
                }
            }
            None => exchange.respond_well(&request.method)?,
        }
    }
    Ok(())
}

struct Request {
    method: String,
    path: String,
    head: String,
    body: Vec<u8>,
}

impl Request {
    /// Reads the next request, or nothing where the client has hung up.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut head = String::new();
        loop {
            let start = head.len();
            if reader.read_line(&mut head)? == 0 {
                return Ok(None);
            }
            if &head[start..] == "\r\n" {
                break;
            }
        }
        let mut first = head.split(' ').map(str::to_owned);
        let method = first.next().unwrap_or_default();
        let path = first.next().unwrap_or_default();
        let mut request = Self { method, path, head, body: Vec::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok());
        request.body = vec![0; length.unwrap_or(0)];
        reader.read_exact(&mut request.body)?;
        Ok(Some(request))
    }

    fn header(&self, name: &str) -> Option<&str> {
        self.head.lines().skip(1).find_map(|line| {
            let (found, value) = line.split_once(':')?;
            found.eq_ignore_ascii_case(name).then(|| value.trim())
        })
    }

    fn key(&self, message: &Value) -> String {
        let key = match &*self.method {
            "POST" => message["method"].as_str().unwrap_or_default(),
            method => method,
        };
        if self.path == "/mcp" { key.to_owned() } else { format!("{} {key}", self.path) }
    }

    /// The request as one line of the log.
    fn describe(&self) -> String {
        format!(
            "{} {} session={:?} version={:?} last-event-id={:?} {}",
            self.method,
            self.path,
            self.header("mcp-session-id"),
            self.header("mcp-protocol-version"),
            self.header("last-event-id"),
            String::from_utf8_lossy(&self.body),
        )
    }
}

struct Exchange<'a> {
    case: &'a Case,
    out: &'a TcpStream,
    message: &'a Value,
}

impl Exchange<'_> {
    fn respond_well(&mut self, method: &str) -> io::Result<()> {
        let json_type = json!({ "content-type": "application/json" });
        let response = match (method, self.case.default_answer(self.message)) {
            ("POST", Some(answer)) => {
                json!({ "status": 200, "headers": json_type, "body": answer })
            }
            ("POST", None) => json!({ "status": 202 }),
            ("DELETE", _) => json!({ "status": 200 }),
            _ => json!({ "status": 405 }),
        };
        self.respond(&response)
    }

    fn respond(&mut self, action: &Value) -> io::Result<()> {
        let mut head = format!("HTTP/1.1 {} x\r\n", action["status"]);
        for (name, value) in action["headers"].as_object().into_iter().flatten() {
            // Writing into a string cannot fail.
            let _ = write!(head, "{name}: {}\r\n", self.text(value));
        }
        let Some(chunks) = action["chunks"].as_array() else {
            let id = self.message.get("id").unwrap_or(&Value::Null);
            let body = filled(&action["fill"], id).unwrap_or_else(|| self.text(&action["body"]));
            let length = body.len();
            return self.put(&format!("{head}content-length: {length}\r\n\r\n{body}"));
        };
        self.put(&format!("{head}transfer-encoding: chunked\r\n\r\n"))?;
        for chunk in chunks {
            if !play_common(chunk) {
                let chunk = self.text(chunk);
                self.put(&format!("{:x}\r\n{chunk}\r\n", chunk.len()))?;
            }
        }
        if action["open"] == true { Ok(()) } else { self.put("0\r\n\r\n") }
    }

    fn text(&self, text: &Value) -> String {
        let id = self.message.get("id").unwrap_or(&Value::Null);
        self.case.expand(text.as_str().unwrap_or_default(), id)
    }

    fn put(&mut self, text: &str) -> io::Result<()> {
        self.out.write_all(text.as_bytes())
    }
}
