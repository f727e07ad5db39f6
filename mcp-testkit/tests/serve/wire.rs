//! A client that knows nothing but lines.

use std::sync::Arc;

use mcp_testkit::{ServeEra, Server, connect};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split,
};

pub(crate) struct Wire {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    writer: WriteHalf<DuplexStream>,
    meta: Option<Value>,
    last_id: u64,
    /// What came that was no answer to what was asked.
    pub(crate) others: Vec<Value>,
}

impl Wire {
    pub(crate) fn new(server: impl Into<Arc<Server>>, era: ServeEra) -> Self {
        let (reader, writer) = split(connect(server, era));
        let lines = BufReader::new(reader).lines();
        Self { lines, writer, meta: None, last_id: 0, others: Vec::new() }
    }

    /// A client that stamps every request as modern, and declares `capabilities`.
    pub(crate) fn modern(server: impl Into<Arc<Server>>, capabilities: Value) -> Self {
        let mut wire = Self::new(server, ServeEra::Both);
        wire.meta = Some(json!({
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": capabilities,
        }));
        wire
    }

    /// A client that has shaken hands, and declared `capabilities`.
    pub(crate) async fn legacy(server: impl Into<Arc<Server>>, capabilities: Value) -> Self {
        let mut wire = Self::new(server, ServeEra::Both);
        let params = json!({
            "protocolVersion": "2025-11-25",
            "capabilities": capabilities,
            "clientInfo": { "name": "wire", "version": "1" },
        });
        let answer = wire.request("initialize", params).await;
        assert_eq!(answer["result"]["protocolVersion"], "2025-11-25");
        wire.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" })).await;
        wire
    }

    /// Sets a member of the `_meta` of the requests to come.
    pub(crate) fn stamp(&mut self, key: &str, value: Value) {
        self.meta.get_or_insert_with(|| json!({}))[key] = value;
    }

    pub(crate) async fn send(&mut self, message: &Value) {
        self.send_line(&message.to_string()).await;
    }

    pub(crate) async fn send_line(&mut self, line: &str) {
        self.writer.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    /// The next message, whatever it is.
    pub(crate) async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap();
        let line = line.unwrap_or_else(|| panic!("the server hung up"));
        serde_json::from_str(&line).unwrap_or(Value::String(line))
    }

    /// Sends a request and returns its id.
    pub(crate) async fn start(&mut self, method: &str, mut params: Value) -> u64 {
        self.last_id += 1;
        if let Some(meta) = &self.meta {
            params["_meta"] = meta.clone();
        }
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params })).await;
        id
    }

    /// The answer to the request `id`.
    pub(crate) async fn answer(&mut self, id: u64) -> Value {
        loop {
            let message = self.next().await;
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
            self.others.push(message);
        }
    }

    /// Sends a request and returns its answer.
    pub(crate) async fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.start(method, params).await;
        self.answer(id).await
    }

    /// Calls a tool and returns the answer.
    pub(crate) async fn call(&mut self, name: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({ "name": name, "arguments": arguments })).await
    }

    /// Hangs up, and returns everything that still comes.
    pub(crate) async fn end(mut self) -> Vec<Value> {
        self.writer.shutdown().await.unwrap();
        let mut rest = Vec::new();
        while let Some(line) = self.lines.next_line().await.unwrap() {
            rest.push(serde_json::from_str(&line).unwrap());
        }
        rest
    }
}

/// The text of a tool's answer.
pub(crate) fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}
