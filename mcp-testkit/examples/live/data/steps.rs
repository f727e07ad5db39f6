//! The steps of a peer.

use std::collections::{BTreeMap, BTreeSet};

use mcp_client::protocol::{JsonObject, LoggingLevel, SubscriptionFilter};
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::{CacheFacts, PeerEra};

/// A step, and the run it is for.
#[derive(Debug, Deserialize)]
#[serde(try_from = "JsonObject")]
pub(crate) struct Step {
    pub(crate) only: Option<PeerEra>,
    pub(crate) over: Option<Over>,
    pub(crate) oddities: BTreeSet<u32>,
    pub(crate) action: Action,
}

impl TryFrom<JsonObject> for Step {
    type Error = String;

    fn try_from(mut step: JsonObject) -> Result<Self, String> {
        let whole = Value::from(step.clone());
        let only = step.shift_remove("only").unwrap_or_default();
        let over = step.shift_remove("over").unwrap_or_default();
        let oddities = step.shift_remove("oddities").unwrap_or_else(|| Vec::<u32>::new().into());
        step.shift_remove("note");
        let read = || -> Result<Self, serde_json::Error> {
            Ok(Self {
                only: serde_json::from_value(only)?,
                over: serde_json::from_value(over)?,
                oddities: serde_json::from_value(oddities)?,
                action: serde_json::from_value(step.into())?,
            })
        };
        read().map_err(|error| format!("{error} in the step {whole}"))
    }
}

/// How a peer is reached.
#[derive(Clone, Copy, Debug, Deserialize, Eq, PartialEq)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Over {
    Http,
    Stdio,
}

#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case", deny_unknown_fields)]
pub(crate) enum Action {
    Call {
        tool: String,
        arguments: JsonObject,
        #[serde(default)]
        answers: Vec<Answer>,
        sample: Option<String>,
        log_level: Option<LoggingLevel>,
        #[serde(default)]
        eventually: bool,
        #[serde(default)]
        in_flight: bool,
        #[serde(default)]
        expect: Box<Expect>,
    },
    Cancel {
        tool: String,
        arguments: JsonObject,
        after_ms: u64,
        then: Option<Simple>,
    },
    Overlap {
        slow: Simple,
        fast: Simple,
    },
    List {
        what: What,
        count: usize,
        has: Option<String>,
        #[serde(default)]
        refresh: bool,
        declared: Option<bool>,
        wire: Option<super::Wire>,
    },
    ReadResource {
        uri: String,
        expect: Box<Expect>,
    },
    GetPrompt {
        name: String,
        arguments: JsonObject,
        expect: Box<Expect>,
    },
    Complete {
        prompt: String,
        argument: String,
        value: String,
        expect: Box<Expect>,
    },
    AwaitQuestion {
        method: String,
        id: Option<i64>,
    },
    Notified {
        method: String,
        at_least: usize,
    },
    /// Kills an HTTP server, in the middle of a call if there is one, and starts it again.
    Restart {
        during: Option<Bare>,
    },
    /// Sees how many connections there were so far.
    Connections {
        count: usize,
    },
    /// Subscribes to changes, makes some, and ends it.
    Subscribe(Box<Subscribe>),
    Stderr {
        contains: String,
    },
    Junk {
        lines: usize,
        first: String,
    },
}

/// A call that answers one text.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Simple {
    pub(crate) tool: String,
    pub(crate) arguments: JsonObject,
    pub(crate) text: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Subscribe {
    pub(crate) filter: SubscriptionFilter,
    /// The part of the filter that the server does not honor.
    #[serde(default)]
    pub(crate) missing: SubscriptionFilter,
    /// Whether the server honors none of it.
    #[serde(default)]
    pub(crate) refused: bool,
    /// Whether the server goes away and comes back meanwhile.
    #[serde(default)]
    pub(crate) restart: bool,
    /// Calls that change something.
    #[serde(default)]
    pub(crate) calls: Vec<Bare>,
    /// What is told of: methods, with the URI behind a space where there is one.
    #[serde(default)]
    pub(crate) hears: Vec<String>,
}

/// A call of whose answer nothing is expected.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Bare {
    pub(crate) tool: String,
    pub(crate) arguments: JsonObject,
}

#[derive(Clone, Copy, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum What {
    Tools,
    Resources,
    ResourceTemplates,
    Prompts,
}

/// Our answer to a question of the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Answer {
    Accept(Option<JsonObject>),
    Decline,
}

/// What is expected of an answer; a member that is not there expects nothing.
#[derive(Debug, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub(crate) struct Expect {
    pub(crate) text: Option<String>,
    pub(crate) text_contains: Option<String>,
    /// Where it is there and null, the client is to find none.
    #[serde(deserialize_with = "present")]
    pub(crate) structured: Option<Value>,
    pub(crate) structured_has: BTreeMap<String, Value>,
    pub(crate) is_error: bool,
    pub(crate) error: Option<i64>,
    pub(crate) content_blocks: Option<usize>,
    pub(crate) missing: Vec<String>,
    pub(crate) wire: JsonObject,
    pub(crate) asked: Option<Vec<String>>,
    pub(crate) asked_url: Option<String>,
    pub(crate) progress: Option<Progress>,
    pub(crate) logs: Option<Vec<Log>>,
    pub(crate) cache: Option<CacheFacts>,
    pub(crate) values: Option<Vec<String>>,
    #[serde(rename = "note")]
    pub(crate) _note: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Progress {
    pub(crate) values: Vec<f64>,
    pub(crate) total: f64,
    pub(crate) last_message: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub(crate) struct Log {
    pub(crate) level: LoggingLevel,
    pub(crate) logger: Option<String>,
    pub(crate) data: Value,
}

fn present<'de, D: Deserializer<'de>>(value: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(value).map(Some)
}
