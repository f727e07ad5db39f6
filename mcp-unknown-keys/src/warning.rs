//! What a host is told.

use std::fmt;

use mcp_provider::CallId;

/// A call carried arguments that its tool does not declare.
///
/// It prints as one line, with what the model wrote in quotes and escaped.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Warning {
    /// The tool that was called.
    pub tool: String,
    /// The names that are reported now, for the first time, sorted.
    pub unknown_keys: Vec<UnknownKey>,
    /// Every name the tool declares, sorted.
    pub declared_keys: Vec<String>,
    /// The id of the call.
    pub call_id: CallId,
}

/// A name that a tool does not declare.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct UnknownKey {
    /// The name as the model wrote it.
    pub name: String,
    /// The declared name that is nearest, if one is near.
    pub did_you_mean: Option<String>,
}

impl fmt::Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} was called with undeclared arguments: ", self.tool)?;
        for (place, key) in self.unknown_keys.iter().enumerate() {
            write!(f, "{}{key}", separator(place))?;
        }
        f.write_str("; it declares ")?;
        for (place, key) in self.declared_keys.iter().enumerate() {
            write!(f, "{}{key:?}", separator(place))?;
        }
        Ok(())
    }
}

impl fmt::Display for UnknownKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.name)?;
        match &self.did_you_mean {
            Some(near) => write!(f, " (did you mean {near:?}?)"),
            None => Ok(()),
        }
    }
}

fn separator(place: usize) -> &'static str {
    if place == 0 { "" } else { ", " }
}
