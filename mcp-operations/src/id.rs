//! The name of an operation.

use std::fmt;
use std::hash::{BuildHasher, RandomState};

use serde::{Deserialize, Serialize};

/// The name of an operation, which its journal lines carry: a UUID, where nobody chose another.
///
/// While a call is under way, its [extensions](mcp_provider::Extensions) hold the name of its
/// operation, for whoever is called on the way.
#[derive(Clone, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize)]
#[serde(transparent)]
pub struct OperationId(String);

impl OperationId {
    /// A new name, different from all others: a random UUID of version 4.
    pub fn random() -> Self {
        // The keys of the standard library's hasher come from the system's source of randomness.
        let half = || u128::from(RandomState::new().hash_one(Self::WORD));
        let bits = (half() << 64) | half();
        let bits = (bits & !(0xf << 76) & !(0x3 << 62)) | (0x4 << 76) | (0x2 << 62);
        let mut id = String::with_capacity(36);
        for (place, byte) in bits.to_be_bytes().into_iter().enumerate() {
            if matches!(place, 4 | 6 | 8 | 10) {
                id.push('-');
            }
            let digits = [byte >> 4, byte & 0xf];
            id.extend(digits.into_iter().filter_map(|it| char::from_digit(it.into(), 16)));
        }
        Self(id)
    }

    /// The name as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    const WORD: &str = "operation";
}

impl<T: Into<String>> From<T> for OperationId {
    fn from(id: T) -> Self {
        Self(id.into())
    }
}

impl fmt::Display for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for OperationId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn random_names_are_uuids_of_version_4_and_all_different() {
        let ids: HashSet<_> = (0..1_000).map(|_| OperationId::random()).collect();
        assert_eq!(ids.len(), 1_000);
        for id in ids {
            let parts: Vec<&str> = id.as_str().split('-').collect();
            assert_eq!(parts.iter().map(|it| it.len()).collect::<Vec<_>>(), [8, 4, 4, 4, 12]);
            assert!(parts.concat().bytes().all(|it| it.is_ascii_hexdigit()), "{id}");
            assert!(parts[2].starts_with('4') && parts[3].starts_with(['8', '9', 'a', 'b']));
        }
    }
}
