//! A peer that is dead before it has answered anything.

use std::time::{Duration, Instant};

use mcp_client::{Client, Error};
use mcp_transport::Transport;

use crate::checks::Checks;
use crate::data::{ConnectFails, Run};
use crate::report::Report;
use crate::run::opening::probe;
use crate::run::{Started, closing};

pub(crate) async fn see(
    report: &mut Report,
    peer: &Started,
    client: &Client,
    run: &Run,
    expect: &ConnectFails,
) {
    let mut checks = Checks::default();
    let start = Instant::now();
    let outcome = client.server().await;
    let (took, limit) = (start.elapsed(), Duration::from_millis(expect.within_ms));
    checks.holds("time", took < limit, &format!("less than {limit:?}"), &took);
    probe(&mut checks, run.probe.as_ref(), &peer.journal);
    // It is started a second time for a handshake, and dies of that as well.
    checks.equal("processes started", &peer.journal.connections(), &2);
    match &outcome {
        Err(error @ Error::ServerGone { gone, .. }) => {
            checks.equal("exit code", &gone.exit_code, &Some(expect.exit_code));
            let tail = error.stderr_tail().unwrap_or_default();
            checks.contains("stderr", tail, &expect.stderr_contains);
            checks.contains("the error", &error.to_string(), &expect.stderr_contains);
        }
        other => checks.holds("connecting", false, "that the server is gone", other),
    }
    if let Some(transport) = peer.tap.last() {
        // It is dead already; this waits until its status is known.
        transport.close().await;
    }
    report.exit = peer.tap.last().as_deref().map_or_else(String::new, closing::describe);
    client.close().await;
    report.judge("the death", &expect.oddities, checks);
}
