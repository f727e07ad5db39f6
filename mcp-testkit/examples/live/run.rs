//! One start of one peer, from its folder to its end.

mod closing;
mod dying;
mod opening;

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use mcp_client::protocol::Era;
use mcp_client::{Client, ClientBuilder, Http, Stdio};
use serde_json::Value;
use tokio::task::{JoinSet, spawn_blocking};

use crate::answers::{Answers, with_hooks};
use crate::data::{How, Peer, PeerEra};
use crate::folder::{Folder, prepare};
use crate::journal::{Entry, Journal};
use crate::places::Places;
use crate::process::{Process, free_port};
use crate::processes::Mark;
use crate::report::Report;
use crate::stage::{SOON, Stage};
use crate::step;
use crate::tap::Tap;

/// What is started, and what is known about it.
pub(crate) struct Started {
    pub(crate) peer: Peer,
    /// Removed at the end.
    _folder: Folder,
    pub(crate) mark: Mark,
    pub(crate) journal: Arc<Journal>,
    pub(crate) tap: Arc<Tap>,
    /// The server's process, where it is not the client that starts it.
    pub(crate) process: Option<Arc<Process>>,
}

impl Started {
    /// Reads a peer's entry and prepares its folder.  The process itself comes with the first
    /// request over stdio, and here over HTTP.
    pub(crate) async fn new(
        peer: &Value,
        places: &Places,
        journal: &Arc<Journal>,
    ) -> Result<Self, String> {
        let (folder, port) = (Folder::new()?, free_port()?);
        let mut peer = Peer::read(places.fill_in(peer, folder.path(), port))?;
        let setup = std::mem::take(&mut peer.setup);
        let prepared = spawn_blocking(move || prepare(&setup)).await;
        prepared.map_err(|error| error.to_string())??;
        let mark = Mark::new();
        let (tap, process) = match &peer.http {
            Some(url) => {
                let process = Process::new(&peer, (port, folder.path()), &mark, journal);
                process.start().await?;
                let http = Http::new(url).map_err(|error| error.to_string())?;
                (Tap::http(http, journal), Some(Arc::new(process)))
            }
            None => (Tap::stdio(mark.put_on(command(&peer, folder.path())), journal), None),
        };
        let (journal, tap) = (Arc::clone(journal), Arc::new(tap));
        Ok(Self { peer, _folder: folder, mark, journal, tap, process })
    }

    /// A client with the hooks that the peer's entry asks for.
    pub(crate) fn client(&self, answers: &Arc<Answers>) -> ClientBuilder {
        let (log, warning) = (Arc::clone(&self.journal), Arc::clone(&self.journal));
        let builder = Client::builder(Arc::clone(&self.tap))
            .request_timeout(PATIENCE)
            .probe_timeout(PATIENCE)
            .on_log(move |message| log.write(Entry::Logged(message)))
            .on_warning(move |text| warning.write(Entry::Warned(text.to_owned())));
        with_hooks(builder, &self.peer, answers, &self.journal)
    }

    /// Sees that nothing is left of the peer.
    pub(crate) async fn left(&self, report: &mut Report) {
        if let Some(process) = &self.process {
            // Where it has ended before, a step has failed already.
            let _ = process.end().await;
        }
        if let Some(left) = self.mark.left_after(SOON).await {
            report.check("no process left", |checks| {
                checks.equal("processes", &left, &Vec::new());
            });
        }
    }
}

/// Plays a run of a peer, and reports on it.
pub(crate) async fn play(
    report: &mut Report,
    (peer, run): (&Value, usize),
    places: &Places,
    journal: &Arc<Journal>,
) {
    match Started::new(peer, places, journal).await {
        Ok(started) => {
            play_started(report, &started, run).await;
            started.left(report).await;
        }
        Err(error) => report.fail("before the start", "that it can start", &error),
    }
}

async fn play_started(report: &mut Report, started: &Started, run: usize) {
    let (peer, run) = (&started.peer, &started.peer.runs[run]);
    let answers = Arc::new(Answers::default());
    let mut builder = started.client(&answers);
    if run.forced {
        builder = builder.era(Era::Legacy);
    }
    if run.impatient {
        builder = builder.probe_timeout(Duration::from_millis(1));
    }
    let client = match builder.build() {
        Ok(client) => client,
        Err(error) => return report.fail("building the client", "a client", &error.to_string()),
    };
    let _listening = listen(&client, &started.journal);
    if let Some(expect) = &peer.connect_fails {
        return dying::see(report, started, &client, run, expect).await;
    }
    let server = match client.server().await {
        Ok(server) => server,
        Err(error) => {
            report.fail("connecting", "a connection", &error.to_string());
            return client.close().await;
        }
    };
    let journal = Arc::clone(&started.journal);
    let (process, running) = (started.process.clone(), Mutex::default());
    let stage = Stage { client, era: server.era, journal, answers, process, running };
    opening::judge(report, peer, run, &server, &stage).await;
    for step in &peer.steps {
        let is_for_era = step.only.is_none_or(|era| era == PeerEra::from(stage.era));
        if is_for_era && step.over.is_none_or(|over| over == stage.over()) {
            let checks = step::play(&step.action, &stage).await;
            report.judge(&step.action.to_string(), &step.oddities, checks);
        }
    }
    closing::judge(report, started, stage).await;
}

/// Writes every notification down, until the client is closed or this is dropped.
fn listen(client: &Client, journal: &Arc<Journal>) -> JoinSet<()> {
    let mut notifications = client.notifications();
    let journal = Arc::clone(journal);
    let mut listening = JoinSet::new();
    listening.spawn(async move {
        while let Some(notification) = notifications.next().await {
            journal.write(Entry::Notified { method: notification.method });
        }
    });
    listening
}

fn command(peer: &Peer, folder: &Path) -> Stdio {
    let stdio = Stdio::new(&peer.command).args(&peer.args).current_dir(folder);
    let stdio = stdio.kill_grace(grace(peer)).stderr_lines(500);
    peer.env.iter().fold(stdio, |stdio, (name, value)| stdio.env(name, value))
}

/// How long a peer may take over an answer.  None leaves the probe without one, so this costs
/// nothing, and on a busy machine some need more than ten seconds to start.
const PATIENCE: Duration = Duration::from_secs(30);

/// How long a peer has to exit after its input has ended, and again after SIGTERM.
pub(crate) fn grace(peer: &Peer) -> Duration {
    match peer.close.as_ref().map(|close| close.how) {
        Some(How::Sigterm | How::Sigkill) => Duration::from_secs(5),
        // It goes by itself, and so this costs nothing either.
        Some(How::Stdin) | None => PATIENCE,
    }
}
