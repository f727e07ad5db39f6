//! A request in, an answer out.

use serde_json::value::RawValue;

use crate::catalogue;
use crate::message::{BigArguments, CallParams, EchoArguments, Incoming, ListParams};
use crate::text::BigText;

/// What the server offers, and what it keeps between requests.
#[derive(Debug, Default)]
pub struct Server {
    /// The number of tools that a listing has.
    pub tools: usize,
    /// Tools in a page; 0 is all of them.
    pub page: usize,
    big: BigText,
}

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The answer was appended, without a line end.
    Written {
        /// Whether it was a handshake, which opens a session over HTTP.
        opens_session: bool,
    },
    /// It was a notification.
    Nothing,
}

impl Server {
    /// A server with `tools` tools, listed `page` at a time (0 is all at once).
    pub fn new(tools: usize, page: usize) -> Self {
        Self { tools, page, big: BigText::default() }
    }

    /// Appends the answer to `message`, if there is one.
    pub fn answer(&mut self, message: &[u8], out: &mut Vec<u8>) -> Answer {
        let Ok(message) = serde_json::from_slice::<Incoming<'_>>(message) else {
            out.extend_from_slice(UNREADABLE);
            return WRITTEN;
        };
        let (Some(id), Some(method)) = (message.id, message.method.as_deref()) else {
            return Answer::Nothing;
        };
        let params = message.params.map_or("{}", RawValue::get);
        let is_modern = params.contains("io.modelcontextprotocol/protocolVersion");
        extend(out, &[r#"{"jsonrpc":"2.0","id":"#, id.get(), ","]);
        match method {
            "tools/call" => self.call(params, is_modern, out),
            "tools/list" => self.list(params, is_modern, out),
            "server/discover" => extend(out, &[DISCOVERED]),
            "initialize" => extend(out, &[INITIALIZED]),
            "ping" => extend(out, &[r#""result":{}"#]),
            _ => extend(out, &[r#""error":{"code":-32601,"message":"Method not found"}"#]),
        }
        out.push(b'}');
        Answer::Written { opens_session: method == "initialize" }
    }

    fn call(&mut self, params: &str, is_modern: bool, out: &mut Vec<u8>) {
        let call: CallParams<'_> = serde_json::from_str(params).unwrap_or_default();
        let arguments = call.arguments.map_or("{}", RawValue::get);
        match &*call.name {
            "echo" => match serde_json::from_str::<EchoArguments<'_>>(arguments) {
                Ok(EchoArguments { text }) => {
                    extend(out, &[TEXT, text.get()]);
                    end_result(out, is_modern);
                }
                Err(_) => extend(out, &[INVALID]),
            },
            "big" => match serde_json::from_str::<BigArguments>(arguments) {
                Ok(BigArguments { bytes }) => {
                    let text = self.big.of(bytes);
                    out.reserve(text.len() + 128);
                    extend(out, &[TEXT, "\""]);
                    out.extend_from_slice(text);
                    out.push(b'"');
                    end_result(out, is_modern);
                }
                Err(_) => extend(out, &[INVALID]),
            },
            name if name.starts_with("tool_") => {
                extend(out, &[TEXT, r#""ok""#]);
                end_result(out, is_modern);
            }
            _ => extend(out, &[r#""error":{"code":-32602,"message":"Unknown tool"}"#]),
        }
    }

    fn list(&self, params: &str, is_modern: bool, out: &mut Vec<u8>) {
        let start = serde_json::from_str::<ListParams<'_>>(params).unwrap_or_default().start();
        let page = if self.page == 0 { self.tools } else { self.page };
        let end = start.saturating_add(page).min(self.tools);
        extend(out, &[r#""result":{"tools":["#]);
        catalogue::write(out, start, end);
        out.push(b']');
        if end < self.tools {
            extend(out, &[r#","nextCursor":""#, &end.to_string(), "\""]);
        }
        if is_modern {
            // Nothing is kept: every listing is measured.
            extend(out, &[r#","resultType":"complete","ttlMs":0,"cacheScope":"public""#]);
        }
        out.push(b'}');
    }
}

fn end_result(out: &mut Vec<u8>, is_modern: bool) {
    extend(out, &[r#"}],"isError":false"#]);
    if is_modern {
        extend(out, &[r#","resultType":"complete""#]);
    }
    out.push(b'}');
}

fn extend(out: &mut Vec<u8>, parts: &[&str]) {
    for part in parts {
        out.extend_from_slice(part.as_bytes());
    }
}

const WRITTEN: Answer = Answer::Written { opens_session: false };

const UNREADABLE: &[u8] =
    br#"{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"Parse error"}}"#;

const INVALID: &str = r#""error":{"code":-32602,"message":"Invalid arguments"}"#;

const TEXT: &str = r#""result":{"content":[{"type":"text","text":"#;

const DISCOVERED: &str = concat!(
    r#""result":{"resultType":"complete","supportedVersions":["2026-07-28"],"#,
    r#""capabilities":{"tools":{}},"ttlMs":0,"cacheScope":"public","#,
    r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"echo-server","version":"0.0.0"}}}"#
);

const INITIALIZED: &str = concat!(
    r#""result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"#,
    r#""serverInfo":{"name":"echo-server","version":"0.0.0"}}"#
);
