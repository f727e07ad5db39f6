//! Who holds leases.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

/// The name of an agent, as other agents and their models read it.
///
/// It is made of ASCII letters, digits, `-`, `_` and `.`, and of 64 characters at most: it stands
/// in sentences that other models read, and must not be able to speak there.  Cloning is cheap.
#[derive(Clone, Eq, Hash, Ord, PartialEq, PartialOrd)]
pub struct Holder(Arc<str>);

impl Holder {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// Fails where it is empty, too long, or holds any other character.
    pub fn new(name: &str) -> Result<Self, InvalidHolder> {
        let is_known = |it: u8| it.is_ascii_alphanumeric() || b"-_.".contains(&it);
        if name.is_empty() || name.len() > LONGEST || !name.bytes().all(is_known) {
            let name = name.chars().take(LONGEST).collect();
            return Err(InvalidHolder { name });
        }
        Ok(Self(name.into()))
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl FromStr for Holder {
    type Err = InvalidHolder;

    fn from_str(name: &str) -> Result<Self, InvalidHolder> {
        Self::new(name)
    }
}

impl fmt::Display for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for Holder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

/// A text is not the name of a holder.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(
    "the holder {name:?} must be named by 1 to 64 ASCII letters, digits, '-', '_' or '.', such as \
     \"agent-7\""
)]
pub struct InvalidHolder {
    name: String,
}

const LONGEST: usize = 64;
