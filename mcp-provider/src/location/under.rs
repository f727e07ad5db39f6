//! Whether something lies inside a directory: yes, no, or nobody can tell.

/// Whether a place lies inside a directory, as far as its spelling tells.
///
/// It is never a `bool`: read it with [`allows`](Self::allows) where a yes gives something
/// away, and with [`forbids`](Self::forbids) where a yes protects something.  What is not
/// known then always falls on the safe side.
#[allow(clippy::exhaustive_enums, reason = "yes, no, or not known")]
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Under {
    /// It is inside, or is the directory itself.
    Yes,
    /// It is outside.
    No,
    /// Its spelling does not tell.
    Unknown,
}

impl Under {
    /// Whether a permission for the directory covers the place: yes only.
    #[must_use]
    pub fn allows(self) -> bool {
        self == Self::Yes
    }

    /// Whether a prohibition of the directory covers the place: yes, and unknown.
    #[must_use]
    pub fn forbids(self) -> bool {
        self != Self::No
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_known_is_never_allowed_and_always_forbidden() {
        for (under, allows, forbids) in
            [(Under::Yes, true, true), (Under::No, false, false), (Under::Unknown, false, true)]
        {
            assert_eq!((under.allows(), under.forbids()), (allows, forbids), "{under:?}");
        }
    }
}
