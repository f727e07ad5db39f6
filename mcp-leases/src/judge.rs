//! Whether a call that changes something may go on.

use mcp_provider::location::Place;

use crate::{Conflict, Cover, words};

/// What a call names, and whose it is.
#[derive(Clone, Debug)]
pub(crate) enum Named {
    /// A place.
    Place(Place, Cover),
    /// Something that nobody can read as a place, as a sentence shows it.
    Unreadable(String),
}

/// Whether a call may go on.
#[derive(Debug, Eq, PartialEq)]
pub(crate) enum Judgement {
    /// It may, while these are kept.
    Forward { pins: Vec<Place>, warning: Option<String> },
    /// It may not, and why.
    Refuse(String),
}

/// Judges a call to `tool` that names these places.
///
/// Whoever else holds a place is always in the way.  The rest depends on whether other agents are
/// live: then every place has to be covered by a lease of one's own.
pub(crate) fn judge(tool: &str, named: &[Named], is_strict: bool) -> Judgement {
    let conflicts: Vec<Conflict> = named.iter().filter_map(Named::conflict).collect();
    if !conflicts.is_empty() {
        return Judgement::Refuse(words::taken(tool, &conflicts));
    }
    let unjudged: Vec<String> = named.iter().filter_map(Named::unjudged).collect();
    let is_unjudged = named.is_empty() || !unjudged.is_empty();
    if is_unjudged && is_strict {
        return Judgement::Refuse(words::unjudged(tool, &unjudged));
    }
    let of = |wanted: fn(&Cover) -> bool| -> Vec<Place> {
        let places = named.iter().filter_map(|it| match it {
            Named::Place(place, cover) if wanted(cover) => Some(place.clone()),
            Named::Place(..) | Named::Unreadable(_) => None,
        });
        places.collect()
    };
    let free = of(|cover| matches!(cover, Cover::Free));
    if is_strict && !free.is_empty() {
        return Judgement::Refuse(words::unclaimed(tool, &free));
    }
    let warning = is_unjudged.then(|| words::warning(&unjudged));
    Judgement::Forward { pins: of(|cover| matches!(cover, Cover::Own { .. })), warning }
}

impl Named {
    fn conflict(&self) -> Option<Conflict> {
        match self {
            Self::Place(place, cover) => cover.conflict(place),
            Self::Unreadable(_) => None,
        }
    }

    fn unjudged(&self) -> Option<String> {
        match self {
            Self::Unreadable(text) => Some(text.clone()),
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
        let own = Named::Place(place("/a"), Cover::Own { leased: place("/a"), held_for });
        let other = Named::Place(
            place("/b"),
            Cover::Other { leased: place("/b"), holder: holder(), held_for },
        );
        let free = Named::Place(place("/c"), Cover::Free);
        let unknown =
            Named::Place(place("/d"), Cover::Unknown { leased: place("d"), holder: holder() });
        let odd = Named::Unreadable("\"../e\"".to_owned());
        let cases: &[(&[&Named], &str, &str)] = &[
            // The places, the lenient verdict, the strict one: what is pinned, or why not.
            (&[], "warned", "cannot tell where it points"),
            (&[&own], "/a", "/a"),
            (&[&free], "", "another agent is live, and you hold no lock on /c"),
            (&[&own, &free], "/a", "no lock on /c"),
            (&[&other], "'/b' is locked by r1, held for 7s", "locked by r1, held for 7s"),
            (&[&own, &other, &odd], "locked by r1", "locked by r1"),
            (&[&odd], "warned", "cannot tell where \"../e\" points"),
            (&[&own, &odd], "/a warned", "cannot tell where"),
            (&[&unknown], "warned", "'/d' (it may be in 'd', which r1 holds)"),
        ];
        for (named, lenient, strict) in cases {
            let named: Vec<Named> = named.iter().map(|it| (*it).clone()).collect();
            for (is_strict, expected) in [(false, lenient), (true, strict)] {
                match judge("fs_write", &named, is_strict) {
                    Judgement::Refuse(why) => {
                        assert!(why.contains(*expected), "{expected}: {why}");
                        assert!(!expected.is_empty(), "{why}");
                    }
                    Judgement::Forward { pins, warning } => {
                        let pins: Vec<String> = pins.iter().map(Place::to_string).collect();
                        let mut found = pins.join(" ");
                        if let Some(warning) = warning {
                            assert!(warning.contains("did not check"), "{warning}");
                            found = format!("{found} warned").trim().to_owned();
                        }
                        assert_eq!(found, **expected, "{named:?} {is_strict}");
                    }
                }
            }
        }
    }
}
