//! What the suite asks for: its environment variables, and the address behind the command.

use std::time::Duration;

use mcp_client::protocol::{
    CreateMessageResult, ElicitAction, ElicitParams, ElicitResult, Era, Implementation,
    ListRootsResult, ProtocolVersion, Root, TextContent,
};
use mcp_client::{Asked, BoxError, Client, Http};
use serde_json::Value;

use super::form;

/// One run of one scenario.
#[derive(Debug)]
pub(crate) struct Setup {
    pub(crate) scenario: String,
    /// The revision that the mock server speaks.
    pub(crate) version: ProtocolVersion,
    /// What the scenario gives its client to work with; null where it gives nothing.
    pub(crate) context: Value,
    pub(crate) url: String,
}

impl Setup {
    pub(crate) fn read(
        args: impl Iterator<Item = String>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Self, String> {
        let needed = |name| variable(name).ok_or_else(|| format!("the suite sets no {name}"));
        let context = match variable("MCP_CONFORMANCE_CONTEXT") {
            Some(text) => serde_json::from_str(&text)
                .map_err(|error| format!("MCP_CONFORMANCE_CONTEXT is no JSON: {error}"))?,
            None => Value::Null,
        };
        Ok(Self {
            scenario: needed("MCP_CONFORMANCE_SCENARIO")?,
            version: needed("MCP_CONFORMANCE_PROTOCOL_VERSION")?.into(),
            context,
            url: args.last().ok_or("the suite names no server")?,
        })
    }

    /// A client that speaks the revision of the run, with every hook set.
    pub(crate) fn client(&self) -> Result<Client, BoxError> {
        let builder = Client::builder(Http::new(&self.url)?)
            .client_info(Implementation::new("conformance-client", env!("CARGO_PKG_VERSION")))
            .request_timeout(Duration::from_secs(15))
            .on_elicit(|asked: Asked<ElicitParams>| async move { Ok(fill_in(&asked.params)) })
            .on_sample(|_: Asked<_>| async {
                Ok(CreateMessageResult::new("none", TextContent::new("a sample")))
            })
            .on_list_roots(|_: Asked<()>| async {
                Ok(ListRootsResult::from(vec![Root::new("file:///conformance")]))
            });
        // The mock servers speak one revision and count every message, so nobody is asked.
        let builder = match self.version.is_legacy() {
            true => builder.era(Era::Legacy),
            false => builder.era(Era::Modern).protocol_versions([self.version.clone()]),
        };
        Ok(builder.build()?)
    }
}

/// A user who leaves a form as it is shown.
fn fill_in(params: &ElicitParams) -> ElicitResult {
    match params {
        ElicitParams::Form(form) => {
            let schema = form.requested_schema.clone().into();
            ElicitResult::accept(form::filled_in(&schema))
        }
        _ => ElicitAction::Decline.into(),
    }
}
