//! The process of a server that is reached over HTTP.

use std::net::{Ipv4Addr, TcpListener};
use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncBufReadExt, AsyncRead, BufReader};
use tokio::net::TcpStream;
use tokio::process::{Child, Command};
use tokio::sync::Mutex;
use tokio::time::{Instant, interval};

use crate::data::Peer;
use crate::journal::{Entry, Journal};
use crate::processes::Mark;

#[derive(Debug)]
pub(crate) struct Process {
    command: Mutex<Command>,
    child: Mutex<Option<Child>>,
    port: u16,
    journal: Arc<Journal>,
}

impl Process {
    pub(crate) fn new(
        peer: &Peer,
        (port, folder): (u16, &Path),
        mark: &Mark,
        journal: &Arc<Journal>,
    ) -> Self {
        let mut command = Command::new(&peer.command);
        command.args(&peer.args).envs(&peer.env).envs([mark.variable()]).current_dir(folder);
        command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        let (command, journal) = (Mutex::new(command), Arc::clone(journal));
        Self { command, child: Mutex::default(), port, journal }
    }

    /// Starts it, and waits until it takes connections.
    pub(crate) async fn start(&self) -> Result<(), String> {
        let mut child = self.command.lock().await.spawn().map_err(|error| error.to_string())?;
        self.note(child.stdout.take());
        self.note(child.stderr.take());
        let (deadline, mut look) = (Instant::now() + PATIENCE, interval(Duration::from_millis(20)));
        loop {
            look.tick().await;
            if TcpStream::connect((Ipv4Addr::LOCALHOST, self.port)).await.is_ok() {
                *self.child.lock().await = Some(child);
                return Ok(());
            }
            if let Ok(Some(status)) = child.try_wait() {
                return Err(format!("the server ended at the start: {status}"));
            }
            if Instant::now() >= deadline {
                return Err(format!("the server does not listen after {PATIENCE:?}"));
            }
        }
    }

    /// Kills it, and waits until it is gone.
    pub(crate) async fn end(&self) -> Result<(), String> {
        match self.child.lock().await.take() {
            Some(mut child) => child.kill().await.map_err(|error| error.to_string()),
            None => Err("it does not run".to_owned()),
        }
    }

    /// Writes down what it says.
    fn note(&self, output: Option<impl AsyncRead + Send + Unpin + 'static>) {
        let (Some(output), journal) = (output, Arc::clone(&self.journal)) else { return };
        tokio::spawn(async move {
            let mut lines = BufReader::new(output).lines();
            while let Ok(Some(line)) = lines.next_line().await {
                journal.write(Entry::Wrote(line));
            }
        });
    }
}

/// A port that nobody listens on at the moment.
pub(crate) fn free_port() -> Result<u16, String> {
    let address = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).and_then(|it| it.local_addr());
    address.map(|address| address.port()).map_err(|error| format!("no free port: {error}"))
}

/// How long a server may take to start, on a busy machine.
const PATIENCE: Duration = Duration::from_secs(30);
