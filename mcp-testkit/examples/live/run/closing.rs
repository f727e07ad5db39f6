//! The end of a peer.

use std::sync::PoisonError;
use std::time::Instant;

use mcp_client::Error;
use mcp_client::protocol::{Era, ErrorCode};
use mcp_transport::StdioTransport;

use crate::checks::Checks;
use crate::data::{Action, How};
use crate::journal::Entry;
use crate::report::Report;
use crate::run::{Started, grace};
use crate::stage::{Running, SOON, Stage};
use crate::step::is_about_junk;

/// Closes the client, and sees how the server and the calls under way end.
pub(crate) async fn judge(report: &mut Report, started: &Started, stage: Stage) {
    let mut checks = Checks::default();
    let Stage { client, running, era, .. } = stage;
    let start = Instant::now();
    client.close().await;
    let took = start.elapsed();
    for Running { call, ends_with } in running.into_inner().unwrap_or_else(PoisonError::into_inner)
    {
        end_of_call(&mut checks, &call.await, ends_with);
    }
    checks.equal("is alive", &client.is_alive(), &false);
    let late = client.list_tools().await;
    let is_closed = matches!(late, Err(Error::TransportClosed { is_sent: false }));
    checks.holds("a late call", is_closed, "that the connection is closed", &late);
    let transport = started.tap.last();
    report.exit = transport.as_deref().map_or_else(String::new, describe);
    if let (Some(expect), Some(transport)) = (&started.peer.close, transport) {
        checks.equal("ended by", &how(&transport, took < grace(&started.peer)), &expect.how);
        if expect.code.is_some() {
            checks.equal("exit code", &transport.exit_code(), &expect.code);
        }
    }
    if let (Some(text), Era::Legacy) = (&started.peer.session_end, era) {
        let said = |entry: &Entry| match entry {
            Entry::Wrote(line) => line.contains(text).then(|| line.clone()),
            _ => None,
        };
        let lines = started.journal.wait_for(1, SOON, said).await;
        checks.holds("the session", lines.len() == 1, &format!("its end: {text:?}"), &lines);
    }
    let oddities = started.peer.close.as_ref().map(|close| close.oddities.clone());
    checks.equal("warnings", &warnings(started), &Vec::new());
    report.judge("the end", &oddities.unwrap_or_default(), checks);
}

/// The end of a call that was under way: the server's own word, or the client's.
fn end_of_call<T: std::fmt::Debug>(
    checks: &mut Checks,
    outcome: &Result<T, Error>,
    ends_with: Option<i64>,
) {
    let (holds, expected) = match ends_with {
        Some(code) => (
            matches!(outcome, Err(error) if error.code() == Some(ErrorCode(code))),
            format!("an error with code {code}"),
        ),
        None => (
            matches!(outcome, Err(Error::TransportClosed { is_sent: true })),
            "that the connection is closed".to_owned(),
        ),
    };
    checks.holds("a call under way", holds, &expected, outcome);
}

/// What the client warned about, but for the junk that a step counts.
fn warnings(started: &Started) -> Vec<String> {
    let expects_junk =
        started.peer.steps.iter().any(|step| matches!(step.action, Action::Junk { .. }));
    started.journal.all(|entry| match entry {
        Entry::Warned(warning) if !(expects_junk && is_about_junk(warning)) => {
            Some(warning.clone())
        }
        _ => None,
    })
}

/// What the process ended by, to judge by its status and the time it took.
fn how(transport: &StdioTransport, was_within_grace: bool) -> How {
    match transport.signal() {
        Some(9) => How::Sigkill,
        None if was_within_grace => How::Stdin,
        _ => How::Sigterm,
    }
}

pub(crate) fn describe(transport: &StdioTransport) -> String {
    match (transport.exit_code(), transport.signal()) {
        (Some(code), _) => format!("code {code}"),
        (None, Some(signal)) => format!("signal {signal}"),
        (None, None) => "unknown".to_owned(),
    }
}
