//! The connection of a scripted server.

use std::future::pending;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{mpsc, watch};

use crate::RpcError;
use crate::scripted_server::script::{Answer, Move, Script};

/// One end of the pipe, and what is known about it.
pub(super) struct Peer {
    script: Mutex<Script>,
    out: mpsc::UnboundedSender<Option<Vec<u8>>>,
    /// Counts what happened, so that waiting for something needs no clock.
    events: watch::Sender<usize>,
}

impl Peer {
    pub(super) fn start(
        reader: impl AsyncRead + Send + Unpin + 'static,
        writer: impl AsyncWrite + Send + Unpin + 'static,
    ) -> Arc<Self> {
        let (out, lines) = mpsc::unbounded_channel();
        let peer = Self { script: Mutex::default(), out, events: watch::Sender::new(0) };
        let peer = Arc::new(peer);
        tokio::spawn(Arc::clone(&peer).serve(reader, writer, lines));
        peer
    }

    pub(super) fn script(&self) -> MutexGuard<'_, Script> {
        self.script.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn write(&self, bytes: Vec<u8>) {
        // A client that has hung up reads nothing.
        let _ = self.out.send(Some(bytes));
    }

    pub(super) fn hang_up(&self) {
        let _ = self.out.send(None);
    }

    pub(super) async fn until(&self, condition: impl Fn(&Script) -> bool) {
        let mut events = self.events.subscribe();
        // The sender lives in `self`, so waiting cannot fail.
        let _ = events.wait_for(|_| condition(&self.script())).await;
    }

    /// Writes until either end hangs up; then both halves of the pipe are dropped.
    async fn serve(
        self: Arc<Self>,
        reader: impl AsyncRead + Unpin,
        mut writer: impl AsyncWrite + Unpin,
        mut lines: mpsc::UnboundedReceiver<Option<Vec<u8>>>,
    ) {
        let reading = async {
            self.read(reader).await;
            // What was said before the client hung up is still written.
            self.hang_up();
            self.ended();
            pending::<()>().await;
        };
        let writing = async {
            while let Some(Some(bytes)) = lines.recv().await {
                let written = writer.write_all(&bytes).await;
                if written.is_err() || writer.flush().await.is_err() {
                    break;
                }
            }
        };
        tokio::select! {
            () = writing => {}
            () = reading => {}
        }
        self.ended();
    }

    async fn read(self: &Arc<Self>, reader: impl AsyncRead + Unpin) {
        let mut reader = BufReader::new(reader);
        let mut line = Vec::new();
        while reader.read_until(b'\n', &mut line).await.is_ok_and(|read| read > 0) {
            let text = String::from_utf8_lossy(&line);
            self.receive(text.trim_end_matches(['\n', '\r']));
            line.clear();
        }
    }

    fn receive(self: &Arc<Self>, line: &str) {
        let message: Value = serde_json::from_str(line).unwrap_or_default();
        let next = {
            let mut script = self.script();
            script.lines.push(line.to_owned());
            if message.get("method").is_none() {
                settle(&mut script, &message);
            }
            script.next_move(&message)
        };
        self.happened();
        let Some(Move { before, latch, answer }) = next else { return };
        before.into_iter().for_each(|line| self.write(line.into_bytes()));
        let id = message["id"].clone();
        match latch {
            None => self.play(answer, &id),
            Some(latch) => {
                let peer = Arc::clone(self);
                tokio::spawn(async move {
                    latch.opened().await;
                    peer.play(answer, &id);
                });
            }
        }
    }

    fn play(&self, answer: Answer, id: &Value) {
        match answer {
            Answer::HangUp => self.hang_up(),
            // A notification has no answer, whatever is scripted for it.
            answer if id.is_null() && !matches!(answer, Answer::Raw(_)) => drop(answer),
            answer => answer.bytes(id).into_iter().for_each(|bytes| self.write(bytes)),
        }
    }

    fn ended(&self) {
        {
            let mut script = self.script();
            script.is_ended = true;
            script.waiting.clear();
        }
        self.happened();
    }

    fn happened(&self) {
        self.events.send_modify(|events| *events += 1);
    }
}

/// Hands the client's answer to whoever waits for it.
fn settle(script: &mut Script, message: &Value) {
    let Some(waiting) = script.waiting.remove(&message["id"].to_string()) else { return };
    let answer = match message.get("error") {
        Some(error) => Err(RpcError::new(
            error["code"].as_i64().unwrap_or_default(),
            error["message"].as_str().unwrap_or_default(),
        )),
        None => Ok(message["result"].clone()),
    };
    // Whoever asked may have stopped waiting.
    let _ = waiting.send(answer);
}
