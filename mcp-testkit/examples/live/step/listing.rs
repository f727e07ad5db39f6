//! Steps that list what a server has.

use std::fmt;

use mcp_client::Error;
use mcp_client::protocol::{ServerCapabilities, method};

use crate::checks::Checks;
use crate::data::{What, Wire};
use crate::stage::Stage;

pub(crate) struct Expect<'a> {
    pub(crate) count: usize,
    pub(crate) has: Option<&'a str>,
    pub(crate) declared: Option<bool>,
    /// What the server answers, whatever the client makes of it.
    pub(crate) wire: Option<&'a Wire>,
}

pub(crate) async fn list(stage: &Stage, what: What, refresh: bool, expect: &Expect<'_>) -> Checks {
    let mut checks = Checks::default();
    if let Some(declared) = expect.declared {
        let found = stage.client.capabilities().await.map(|it| what.is_declared_in(&it));
        checks.equal("declared", &found, &Ok(declared));
    }
    let mark = stage.journal.mark();
    match names(stage, what, refresh).await {
        Ok(names) => {
            let expected = format!("{} of them", expect.count);
            checks.holds("entries", names.len() == expect.count, &expected, &names);
            if let Some(name) = expect.has {
                let has = names.iter().any(|found| found == name);
                checks.holds("entries", has, &format!("{name:?} among them"), &names);
            }
        }
        Err(error) => checks.holds("the answer", false, "a list", &error.to_string()),
    }
    if let Some(wire) = expect.wire {
        let outcome = stage.journal.last_outcome(mark, what.method());
        let matches = outcome.as_ref().is_some_and(|outcome| outcome.matches(wire));
        checks.holds("on the wire", matches, &format!("{wire:?}"), &outcome);
    }
    checks
}

async fn names(stage: &Stage, what: What, refresh: bool) -> Result<Vec<String>, Error> {
    macro_rules! names {
        ($list:ident) => {{
            let listing = stage.client.$list();
            let listing = if refresh { listing.refresh() } else { listing };
            Ok(listing.await?.iter().map(|entry| entry.name.clone()).collect())
        }};
    }
    match what {
        What::Tools => names!(list_tools),
        What::Resources => names!(list_resources),
        What::ResourceTemplates => names!(list_resource_templates),
        What::Prompts => names!(list_prompts),
    }
}

impl What {
    fn method(self) -> &'static str {
        match self {
            Self::Tools => method::LIST_TOOLS,
            Self::Resources => method::LIST_RESOURCES,
            Self::ResourceTemplates => method::LIST_RESOURCE_TEMPLATES,
            Self::Prompts => method::LIST_PROMPTS,
        }
    }

    fn is_declared_in(self, capabilities: &ServerCapabilities) -> bool {
        match self {
            Self::Tools => capabilities.tools.is_some(),
            Self::Resources | Self::ResourceTemplates => capabilities.resources.is_some(),
            Self::Prompts => capabilities.prompts.is_some(),
        }
    }
}

impl fmt::Display for What {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tools => "tools",
            Self::Resources => "resources",
            Self::ResourceTemplates => "resource templates",
            Self::Prompts => "prompts",
        })
    }
}
