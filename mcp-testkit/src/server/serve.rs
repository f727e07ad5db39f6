//! The loop that reads a connection's lines and writes its answers.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{
    AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, DuplexStream, duplex, split,
};
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::server::connection::Connection;
use crate::{ServeEra, Server};

/// Serves one connection until its reader ends, one JSON-RPC message a line.
///
/// What is running then has two more seconds.
///
/// # Errors
///
/// Fails when reading fails.
pub async fn serve<R, W>(
    server: impl Into<Arc<Server>>,
    era: ServeEra,
    reader: R,
    writer: W,
) -> io::Result<()>
where
    R: AsyncRead + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let (out, lines) = mpsc::unbounded_channel();
    let mut writing = tokio::spawn(write(writer, lines));
    let connection = Connection::new(server.into(), era, out);
    let mut running = JoinSet::new();
    let reading = read(reader, &connection, &mut running);
    let ended = tokio::select! {
        ended = reading => ended,
        // Nobody reads what is written any more.
        _ = &mut writing => return Ok(()),
    };
    connection.hang_up();
    let _ = timeout(GRACE, async { while running.join_next().await.is_some() {} }).await;
    running.abort_all();
    connection.close();
    let _ = writing.await;
    ended
}

/// Serves one connection in a task of its own, and returns the client's end of it.
///
/// Dropping that end stops the server.
pub fn connect(server: impl Into<Arc<Server>>, era: ServeEra) -> DuplexStream {
    let (client, ours) = duplex(PIPE_SIZE);
    let (reader, writer) = split(ours);
    let server = server.into();
    tokio::spawn(async move { serve(server, era, reader, writer).await });
    client
}

async fn read(
    reader: impl AsyncRead + Unpin,
    connection: &Arc<Connection>,
    running: &mut JoinSet<()>,
) -> io::Result<()> {
    let mut reader = BufReader::new(reader);
    let mut line = Vec::new();
    while reader.read_until(b'\n', &mut line).await? > 0 {
        while running.try_join_next().is_some() {}
        if !line.trim_ascii().is_empty() {
            connection.receive(&line, running);
        }
        line.clear();
    }
    Ok(())
}

async fn write(
    mut writer: impl AsyncWrite + Unpin,
    mut lines: mpsc::UnboundedReceiver<Option<String>>,
) -> io::Result<()> {
    while let Some(Some(mut line)) = lines.recv().await {
        line.push('\n');
        writer.write_all(line.as_bytes()).await?;
        writer.flush().await?;
    }
    writer.shutdown().await
}

const GRACE: Duration = Duration::from_secs(2);
const PIPE_SIZE: usize = 1 << 20;
