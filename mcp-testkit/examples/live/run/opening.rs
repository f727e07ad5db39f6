//! What is known once a peer is connected: its era and version, its name, its tools.

use mcp_client::Server;
use mcp_client::protocol::{Era, META_SERVER_INFO, method};
use serde_json::Value;

use crate::checks::Checks;
use crate::data::{Peer, PeerEra, Run, ServerFacts, Tools, Wire};
use crate::expect;
use crate::journal::Journal;
use crate::report::Report;
use crate::stage::Stage;

pub(crate) async fn judge(
    report: &mut Report,
    peer: &Peer,
    run: &Run,
    server: &Server,
    stage: &Stage,
) {
    report.version = server.protocol_version.to_string();
    report.judge("the era and the version", &run.oddities, era(run, server, &stage.journal));
    if let Some(facts) = &peer.server {
        report.judge("the server's name", &facts.oddities, name(facts, server));
    }
    if let Some(facts) = &peer.tools {
        let (count, checks) = tools(facts, stage).await;
        report.tools = Some(count);
        report.judge("tools", &[].into(), checks);
    }
}

fn era(run: &Run, server: &Server, journal: &Journal) -> Checks {
    let mut checks = Checks::default();
    checks.equal("era", &PeerEra::from(server.era), &run.era);
    checks.equal("version", server.protocol_version.as_str(), &*run.version);
    probe(&mut checks, run.probe.as_ref(), journal);
    let asked = (journal.sent(0, method::DISCOVER), journal.sent(0, method::INITIALIZE));
    let is_greeted = run.era == PeerEra::Legacy || run.impatient;
    let expected = (usize::from(!run.forced), usize::from(is_greeted));
    checks.equal("discover and initialize, as often as sent", &asked, &expected);
    checks.equal("connections", &journal.connections(), &run.connections);
    let capabilities = serde_json::to_value(&server.capabilities).unwrap_or_default();
    for (pointer, value) in &run.capabilities {
        let what = format!("capabilities {pointer}");
        checks.equal(&what, &capabilities.pointer(pointer), &Some(value));
    }
    checks
}

pub(crate) fn probe(checks: &mut Checks, expected: Option<&Wire>, journal: &Journal) {
    if let Some(expected) = expected {
        let found = journal.last_outcome(0, method::DISCOVER);
        let matches = found.as_ref().is_some_and(|found| found.matches(expected));
        checks.holds("the answer to the probe", matches, &format!("{expected:?}"), &found);
    }
}

/// The name and the version, and that they come from the place that each era has for them.
fn name(facts: &ServerFacts, server: &Server) -> Checks {
    let mut checks = Checks::default();
    checks.equal("name", &server.info.name, &facts.name);
    checks.equal("version", &server.info.version, &facts.version);
    let document: Value = server.document.parse().unwrap_or_default();
    let place = match server.era {
        Era::Modern => &document["_meta"][META_SERVER_INFO],
        Era::Legacy => &document["serverInfo"],
    };
    let name = place["name"].as_str();
    checks.equal("name, where this era keeps it", &name, &Some(&*facts.name));
    checks
}

/// Lists the tools; in the modern era a second time without asking, if they may be kept.
async fn tools(facts: &Tools, stage: &Stage) -> (usize, Checks) {
    let mut checks = Checks::default();
    let mark = stage.journal.mark();
    let tools = match stage.client.list_tools().await {
        Ok(tools) => tools,
        Err(error) => {
            checks.holds("the answer", false, "a list", &error.to_string());
            return (0, checks);
        }
    };
    let names: Vec<_> = tools.iter().map(|tool| &tool.name).collect();
    let expected = format!("{} of them", facts.count);
    checks.holds("tools", names.len() == facts.count, &expected, &names);
    for name in &facts.names {
        checks.holds("tools", names.contains(&name), &format!("{name:?} among them"), &names);
    }
    if let Some(cache) = &facts.cache {
        let is_modern = stage.era == Era::Modern;
        if is_modern {
            expect::cache(&mut checks, cache, (&stage.journal, mark), method::LIST_TOOLS);
        }
        checks.equal("the second time", &stage.client.list_tools().await, &Ok(tools.clone()));
        let sent = stage.journal.sent(mark, method::LIST_TOOLS);
        checks.equal("requests on the wire", &sent, &if is_modern { 1 } else { 2 });
    }
    (tools.len(), checks)
}
