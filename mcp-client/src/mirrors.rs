//! What a listing of tools says about parameters that calls repeat in headers.

use std::collections::HashMap;
use std::hash::{BuildHasher, RandomState};

use mcp_protocol::{MirroredParams, Tool};
use serde_json::value::RawValue;

/// How the tools of one listing are called on a transport that mirrors parameters: all that is
/// kept of them for that.
#[derive(Debug, Default)]
pub(crate) struct Mirrors {
    /// What calls of these tools repeat in headers; most repeat nothing.
    params: HashMap<String, MirroredParams>,
    /// The tools that were left out, and why each was.
    left_out: HashMap<String, String>,
    listed: Names,
}

impl Mirrors {
    /// Judges `tools`, takes those out whose schemas ask for headers in a way that must not be
    /// followed, and says so of each.
    pub(crate) fn judge(tools: &mut Vec<Tool>) -> (Self, Vec<String>) {
        let (mut params, mut left_out, mut omissions) =
            <(HashMap<_, _>, HashMap<_, _>, Vec<_>)>::default();
        tools.retain(|tool| match MirroredParams::of(&tool.input_schema) {
            Ok(mirrored) => {
                if !mirrored.is_empty() {
                    params.insert(tool.name.clone(), mirrored);
                }
                true
            }
            Err(fault) => {
                omissions.push(format!("left the tool {:?} out: {fault}", tool.name));
                left_out.insert(tool.name.clone(), fault.to_string());
                false
            }
        });
        let listed = tools.iter().map(|tool| &*tool.name).collect();
        (Self { params, left_out, listed }, omissions)
    }

    /// The headers of a call, or why it cannot be made.
    pub(crate) fn headers(
        &self,
        name: &str,
        arguments: &RawValue,
    ) -> Result<Vec<(String, String)>, String> {
        match (self.params.get(name), self.left_out.get(name)) {
            (Some(params), _) => params.values(arguments).map_err(|unfit| unfit.to_string()),
            (None, Some(fault)) if !self.listed.contains(name) => {
                Err(format!("the tool {name:?} cannot be called: {fault}"))
            }
            (None, _) => Ok(Vec::new()),
        }
    }

    /// Whether this listing named the tool, for better or worse.
    pub(crate) fn has_judged(&self, name: &str) -> bool {
        self.listed.contains(name) || self.left_out.contains_key(name)
    }
}

/// A set of names that keeps a hash of each, in order.
///
/// A name that is taken for another is sent without headers, and a server that wants some refuses
/// it before it begins: then the tools are listed anew.
#[derive(Debug, Default)]
struct Names {
    hashes: Box<[u64]>,
    state: RandomState,
}

impl Names {
    fn contains(&self, name: &str) -> bool {
        self.hashes.binary_search(&self.state.hash_one(name)).is_ok()
    }
}

impl<'a> FromIterator<&'a str> for Names {
    fn from_iter<I: IntoIterator<Item = &'a str>>(names: I) -> Self {
        let state = RandomState::new();
        let mut hashes: Box<[u64]> = names.into_iter().map(|name| state.hash_one(name)).collect();
        hashes.sort_unstable();
        Self { hashes, state }
    }
}
