//! How the disk behind a tool reads names.

use crate::location::Under;

/// How the disk behind a tool reads the names of files.
///
/// Names are compared code point by code point, never normalised.  Where the disk may normalise
/// them, two different spellings that could be one name are [`Under::Unknown`].
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum PathStyle {
    /// Every difference counts, and only `/` separates.
    #[default]
    Posix,
    /// As [`Posix`](Self::Posix), but `A` and `a` are the same letter, and a composed letter and
    /// its decomposed spelling may be: a Mac's disk.
    CaseInsensitive,
    /// Drives, `\` beside `/`, no difference between `A` and `a`, and names that Windows
    /// reads otherwise than written are unreadable.
    Windows,
}

impl PathStyle {
    /// Whether two segments name the same thing.
    pub(super) fn same(self, one: &str, other: &str) -> Under {
        match self {
            _ if one == other => Under::Yes,
            Self::Posix => Under::No,
            Self::CaseInsensitive | Self::Windows if one.eq_ignore_ascii_case(other) => Under::Yes,
            // Beyond ASCII each disk has a table of its own for what is the same letter.
            Self::CaseInsensitive | Self::Windows if folded(one).eq(folded(other)) => {
                Under::Unknown
            }
            // What is ASCII has one spelling.
            Self::CaseInsensitive if !one.is_ascii() && !other.is_ascii() => Under::Unknown,
            Self::CaseInsensitive | Self::Windows => Under::No,
        }
    }
}

fn folded(text: &str) -> impl Iterator<Item = char> {
    text.chars().flat_map(char::to_uppercase).flat_map(char::to_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_disks_know_two_cases_of_one_letter() {
        use Under::{No, Unknown, Yes};
        let cases = [
            ("secrets", "secrets", Yes, Yes, Yes),
            ("secrets", "SeCrets", No, Yes, Yes),
            ("secrets", "secret", No, No, No),
            ("café", "CAFÉ", No, Unknown, Unknown),
            ("secrets", "\u{17f}ecrets", No, Unknown, Unknown),
            ("keys", "\u{212a}eys", No, Unknown, Unknown),
            ("straße", "STRASSE", No, Unknown, Unknown),
            ("café", "cafe\u{301}", No, Unknown, No),
            ("café", "cafe", No, No, No),
        ];
        for (one, other, posix, mac, windows) in cases {
            for (style, expected) in [
                (PathStyle::Posix, posix),
                (PathStyle::CaseInsensitive, mac),
                (PathStyle::Windows, windows),
            ] {
                assert_eq!(style.same(one, other), expected, "{one:?} {other:?} {style:?}");
                assert_eq!(style.same(other, one), expected, "{other:?} {one:?} {style:?}");
            }
        }
    }
}
