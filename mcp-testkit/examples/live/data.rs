//! `live/peers.json`: what is expected of each peer.  `live/README.md` explains every member.

mod peer;
mod steps;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;

pub(crate) use self::peer::{
    CacheFacts, ConnectFails, How, Peer, PeerEra, Roots, Run, ServerFacts, Setup, Tools, Wire,
};
pub(crate) use self::steps::{
    Action, Answer, Bare, Expect, Log, Over, Progress, Simple, Step, Subscribe, What,
};

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Data {
    #[serde(rename = "about")]
    _about: Vec<String>,
    pub(crate) oddities: BTreeMap<u32, String>,
    /// Placeholders and all; [`Peer`] is what each is read into.
    pub(crate) peers: Vec<Value>,
    pub(crate) custom: Vec<Custom>,
    pub(crate) later: Vec<Later>,
}

/// A check that needs code of its own.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Custom {
    pub(crate) name: String,
    pub(crate) oddities: BTreeSet<u32>,
    #[serde(rename = "text")]
    _text: String,
}

/// A step that waits for something the client cannot do yet.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Later {
    pub(crate) peer: String,
    pub(crate) era: PeerEra,
    pub(crate) method: String,
    #[serde(rename = "text")]
    _text: String,
}

impl Data {
    /// Reads the file, down to the last step.
    pub(crate) fn load(path: &Path) -> Result<Self, String> {
        let wrong = |error: String| format!("{}: {error}", path.display());
        let text = std::fs::read_to_string(path).map_err(|error| wrong(error.to_string()))?;
        let mut data: Self =
            serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
        data.peers = spelled_out(&data.peers).map_err(wrong)?;
        for peer in &data.peers {
            Peer::read(peer.clone()).map_err(wrong)?;
        }
        Ok(data)
    }
}

/// The peers, each with all that it takes over from the one it is `like`.
fn spelled_out(peers: &[Value]) -> Result<Vec<Value>, String> {
    peers.iter().map(|peer| spell_out(peer, peers)).collect()
}

fn spell_out(peer: &Value, peers: &[Value]) -> Result<Value, String> {
    let Some(like) = peer.get("like").and_then(Value::as_str) else { return Ok(peer.clone()) };
    let base = peers.iter().find(|it| name_of(it) == like && it.get("like").is_none());
    let (Some(Value::Object(base)), Value::Object(own)) = (base, peer) else {
        return Err(format!("{} is like {like:?}, of which there is none", name_of(peer)));
    };
    let mut whole = base.clone();
    for (name, value) in own.iter().filter(|(name, _)| *name != "like") {
        match (whole.get_mut("steps"), &**name, value) {
            (Some(Value::Array(steps)), "more_steps", Value::Array(more)) => {
                steps.extend_from_slice(more);
            }
            _ => {
                whole.insert(name.clone(), value.clone());
            }
        }
    }
    Ok(whole.into())
}

/// The name of a peer that was not read yet.
pub(crate) fn name_of(peer: &Value) -> &str {
    peer.get("name").and_then(Value::as_str).unwrap_or("(a peer without a name)")
}
