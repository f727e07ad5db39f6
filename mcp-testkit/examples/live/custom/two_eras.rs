//! A process that serves both eras to the same connection.

use std::collections::BTreeSet;
use std::sync::Arc;

use async_trait::async_trait;
use mcp_client::Client;
use mcp_client::protocol::{
    self, ClientCapabilities, Dialect, Era, Implementation, InitializeParams, JsonObject,
    ProtocolVersion, RequestId, method,
};
use mcp_transport::{Answer, Connect, Failure, Handler, Outgoing, Transport, TransportError};
use serde_json::{Value, json};

use crate::checks::Checks;
use crate::expect;
use crate::journal::{Entry, Journal, Outcome};
use crate::places::Places;
use crate::report::Report;
use crate::run::Started;
use crate::tap::Tap;

pub(crate) const PEER: &str = "ts-modern";

pub(crate) async fn judge(
    report: &mut Report,
    oddities: &BTreeSet<u32>,
    peer: &Value,
    places: &Places,
    journal: &Arc<Journal>,
) {
    report.skipped = places.missing(peer);
    if report.skipped.is_some() {
        return;
    }
    let started = match Started::new(peer, places, journal).await {
        Ok(started) => started,
        Err(error) => return report.fail("before the start", "that it can start", &error),
    };
    let warned = Arc::clone(journal);
    let client = Client::builder(Intruder(Arc::clone(&started.tap)))
        .on_warning(move |text| warned.write(Entry::Warned(text.to_owned())))
        .build();
    match client {
        Ok(client) => {
            let checks = check(report, &client, journal).await;
            client.close().await;
            report.judge("a result without resultType", oddities, checks);
        }
        Err(error) => report.fail("building the client", "a client", &error.to_string()),
    }
    started.left(report).await;
}

async fn check(report: &mut Report, client: &Client, journal: &Journal) -> Checks {
    let mut checks = Checks::default();
    match client.server().await {
        Ok(server) => {
            report.version = server.protocol_version.to_string();
            checks.equal("era", &server.era, &Era::Modern);
        }
        Err(error) => checks.holds("connecting", false, "a connection", &error.to_string()),
    }
    let handshake = journal.last_outcome(0, method::INITIALIZE);
    let is_open =
        matches!(&handshake, Some(Outcome::Result(it)) if it["protocolVersion"] == LEGACY);
    checks.holds("the intruder's handshake", is_open, "that it succeeds", &handshake);
    let outcome = client.call_tool("echo", json!({ "text": "hé" })).await;
    let text = outcome.map(|result| expect::text_of(&result.content));
    checks.equal("the answer", &text, &Ok("hé".to_owned()));
    let expect = crate::data::Expect {
        missing: vec!["resultType".to_owned()],
        ..crate::data::Expect::default()
    };
    expect::wire(&mut checks, &expect, (journal, 0), method::CALL_TOOL);
    checks
}

const LEGACY: &str = "2025-11-25";

/// Connects, and opens a legacy session as soon as the client has found the server modern.
#[derive(Debug)]
struct Intruder(Arc<Tap>);

#[async_trait]
impl Connect for Intruder {
    async fn connect(
        &self,
        handler: Arc<dyn Handler>,
    ) -> Result<Arc<dyn Transport>, TransportError> {
        Ok(Arc::new(Intruded(self.0.connect(handler).await?)))
    }

    fn is_local(&self) -> bool {
        self.0.is_local()
    }
}

#[derive(Debug)]
struct Intruded(Arc<dyn Transport>);

impl Intruded {
    async fn shake_hands(&self) -> Result<(), Failure> {
        let unwritable = |error: serde_json::Error| {
            Failure::before_sending(TransportError::Protocol(error.to_string()))
        };
        let id = 1_000_000; // far from the ids of the client
        let params = InitializeParams::new(
            ProtocolVersion::V2025_11_25.as_str(),
            ClientCapabilities::default(),
            Implementation::new("intruder", "0"),
        );
        let body = Dialect::Legacy
            .request(&RequestId::from(id), method::INITIALIZE, Some(&params), None)
            .map_err(unwritable)?;
        self.0.request(Outgoing::request(id, method::INITIALIZE, body)).await?;
        let body = protocol::notification::<JsonObject>(method::INITIALIZED, None);
        let body = body.map_err(unwritable)?;
        self.0.notify(Outgoing::notification(method::INITIALIZED, body)).await;
        Ok(())
    }
}

#[async_trait]
impl Transport for Intruded {
    async fn request(&self, request: Outgoing) -> Result<Answer, Failure> {
        let is_probe = request.method == method::DISCOVER;
        let answer = self.0.request(request).await?;
        if is_probe {
            self.shake_hands().await?;
        }
        Ok(answer)
    }

    async fn notify(&self, message: Outgoing) {
        self.0.notify(message).await;
    }

    async fn close(&self) {
        self.0.close().await;
    }

    async fn ended(&self) -> TransportError {
        self.0.ended().await
    }

    fn is_alive(&self) -> bool {
        self.0.is_alive()
    }

    fn stderr_tail(&self) -> String {
        self.0.stderr_tail()
    }
}
