//! Whether a call that changes something may go on.

use mcp_provider::location::Place;

use crate::{Conflict, Cover, words};

/// What a call names, and whose it is.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Named<'call> {
    /// A place.
    Place(&'call Place, &'call Cover),
    /// Something that nobody can read as a place, as a sentence shows it.
    Unreadable(&'call str),
}

/// Whether a call may go on.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Judgement {
    /// It may, while its own leases are kept.
    Forward { warning: Option<String> },
    /// It may not, and why.
    Refuse(String),
}

/// Judges a call to `tool` that names these places.
///
/// Whoever else holds a place is always in the way.  The rest depends on whether other agents are
/// live: then every place has to be covered by a lease of one's own.
pub(crate) fn judge(tool: &str, named: &[Named<'_>], is_strict: bool) -> Judgement {
    let conflicts: Vec<Conflict> = named.iter().filter_map(Named::conflict).collect();
    if !conflicts.is_empty() {
        return Judgement::Refuse(words::taken(tool, &conflicts));
    }
    let unjudged: Vec<String> = named.iter().filter_map(Named::unjudged).collect();
    let is_unjudged = named.is_empty() || !unjudged.is_empty();
    if is_unjudged && is_strict {
        return Judgement::Refuse(words::unjudged(tool, &unjudged));
    }
    let free: Vec<&Place> = named.iter().filter_map(Named::free).collect();
    if is_strict && !free.is_empty() {
        return Judgement::Refuse(words::unclaimed(tool, &free));
    }
    Judgement::Forward { warning: is_unjudged.then(|| words::warning(&unjudged)) }
}

impl Named<'_> {
    fn conflict(&self) -> Option<Conflict> {
        match self {
            Self::Place(place, cover) => cover.conflict(place),
            Self::Unreadable(_) => None,
        }
    }

    fn free(&self) -> Option<&Place> {
        match self {
            Self::Place(place, Cover::Free) => Some(place),
            Self::Place(..) | Self::Unreadable(_) => None,
        }
    }

    fn unjudged(&self) -> Option<String> {
        match self {
            Self::Unreadable(text) => Some((*text).to_owned()),
            Self::Place(place, Cover::Unknown { leased, holder }) => {
                Some(format!("'{place}' (it may be in '{leased}', which {holder} holds)"))
            }
            Self::Place(..) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use mcp_provider::location::PathStyle;

    use super::*;
    use crate::Holder;

    #[test]
    fn what_others_hold_is_always_refused_and_the_rest_by_strictness() {
        // L-CHK-3 to L-CHK-7
        let place = |text| Place::parse(text, PathStyle::Posix).unwrap();
        let holder = || Holder::new("r1").unwrap();
        let held_for = Duration::from_millis(7_900);
        let own = (place("/a"), Cover::Own { leased: place("/a"), held_for });
        let other = (place("/b"), Cover::Other { leased: place("/b"), holder: holder(), held_for });
        let free = (place("/c"), Cover::Free);
        let unknown = (place("/d"), Cover::Unknown { leased: place("d"), holder: holder() });
        let [own, other, free, unknown] =
            [&own, &other, &free, &unknown].map(|(place, cover)| Named::Place(place, cover));
        let odd = Named::Unreadable("\"../e\"");
        let cases: &[(&[Named<'_>], &str, &str)] = &[
            // The places, the lenient verdict, the strict one: warned or not, or why not.
            (&[], "warned", "cannot tell where it points"),
            (&[own], "", ""),
            (&[free], "", "another agent is live, and you hold no lock on /c"),
            (&[own, free], "", "no lock on /c"),
            (&[other], "'/b' is locked by r1, held for 7s", "locked by r1, held for 7s"),
            (&[own, other, odd], "locked by r1", "locked by r1"),
            (&[odd], "warned", "cannot tell where \"../e\" points"),
            (&[own, odd], "warned", "cannot tell where"),
            (&[unknown], "warned", "'/d' (it may be in 'd', which r1 holds)"),
        ];
        for (named, lenient, strict) in cases {
            for (is_strict, expected) in [(false, lenient), (true, strict)] {
                match judge("fs_write", named, is_strict) {
                    Judgement::Refuse(why) => {
                        assert!(why.contains(expected), "{expected}: {why}");
                        assert!(!expected.is_empty(), "{why}");
                    }
                    Judgement::Forward { warning } => {
                        let found = if warning.is_some() { "warned" } else { "" };
                        assert_eq!(found, *expected, "{named:?} {is_strict}");
                        if let Some(warning) = warning {
                            assert!(warning.contains("did not check"), "{warning}");
                        }
                    }
                }
            }
        }
    }
}
