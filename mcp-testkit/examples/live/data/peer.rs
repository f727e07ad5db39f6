//! One peer, and everything about it but its steps.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mcp_client::protocol::Era;
use serde::Deserialize;
use serde_json::Value;

use super::{Step, name_of};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Peer {
    #[serde(rename = "name")]
    _name: String,
    pub(crate) command: String,
    pub(crate) args: Vec<String>,
    #[serde(default)]
    pub(crate) env: BTreeMap<String, String>,
    /// Where it is reached, if not over the pipes of its process.
    pub(crate) http: Option<String>,
    #[serde(default)]
    pub(crate) setup: Vec<Setup>,
    #[serde(default)]
    pub(crate) client: Hooks,
    pub(crate) runs: Vec<Run>,
    pub(crate) server: Option<ServerFacts>,
    pub(crate) tools: Option<Tools>,
    #[serde(default)]
    pub(crate) steps: Vec<Step>,
    pub(crate) close: Option<Close>,
    /// What an HTTP server prints when a client ends its session.
    pub(crate) session_end: Option<String>,
    pub(crate) connect_fails: Option<ConnectFails>,
}

impl Peer {
    pub(crate) fn read(peer: Value) -> Result<Self, String> {
        let name = name_of(&peer).to_owned();
        serde_json::from_value(peer).map_err(|error| format!("the peer {name}: {error}"))
    }
}

#[derive(Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Setup {
    Mkdir { mkdir: String },
    Write { write: String, text: String },
    Run { run: Vec<String> },
}

/// The hooks of the client.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Hooks {
    pub(crate) roots: Option<Roots>,
    #[serde(default)]
    pub(crate) elicitation: bool,
    #[serde(default)]
    pub(crate) sampling: bool,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub(crate) enum Roots {
    Uris(Vec<String>),
    Word(Never),
}

#[derive(Clone, Debug, Deserialize)]
pub(crate) enum Never {
    #[serde(rename = "never answers")]
    Answers,
}

/// One start of a peer.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Run {
    pub(crate) era: PeerEra,
    #[serde(default)]
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) forced: bool,
    #[serde(default)]
    pub(crate) impatient: bool,
    pub(crate) probe: Option<Wire>,
    /// How many connections it takes to find that out.
    #[serde(default = "one")]
    pub(crate) connections: usize,
    #[serde(default)]
    pub(crate) capabilities: BTreeMap<String, Value>,
    #[serde(default)]
    pub(crate) oddities: BTreeSet<u32>,
}

#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum PeerEra {
    Legacy,
    Modern,
    None,
}

impl From<Era> for PeerEra {
    fn from(era: Era) -> Self {
        match era {
            Era::Legacy => Self::Legacy,
            Era::Modern => Self::Modern,
        }
    }
}

impl fmt::Display for PeerEra {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
            Self::None => "none",
        })
    }
}

fn one() -> usize {
    1
}

/// What came back for a request: a result, an error of this code, an HTTP status without a message
/// of the protocol, the end of the process.
#[derive(Clone, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Wire {
    Ok,
    Error(i64),
    Status(u16),
    Eof,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ServerFacts {
    pub(crate) name: String,
    pub(crate) version: String,
    #[serde(default)]
    pub(crate) oddities: BTreeSet<u32>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Tools {
    pub(crate) count: usize,
    pub(crate) names: Vec<String>,
    pub(crate) cache: Option<CacheFacts>,
}

/// How long a result may be kept, and by whom.
#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct CacheFacts {
    pub(crate) ttl_ms: f64,
    pub(crate) scope: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Close {
    pub(crate) how: How,
    pub(crate) code: Option<i32>,
    #[serde(default)]
    pub(crate) oddities: BTreeSet<u32>,
    #[serde(default, rename = "note")]
    _note: String,
}

/// What it took to end a process.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum How {
    Stdin,
    Sigterm,
    Sigkill,
}

/// A server that dies at the start.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ConnectFails {
    pub(crate) within_ms: u64,
    pub(crate) exit_code: i32,
    pub(crate) stderr_contains: String,
    #[serde(default)]
    pub(crate) oddities: BTreeSet<u32>,
    #[serde(default, rename = "note")]
    _note: String,
}
