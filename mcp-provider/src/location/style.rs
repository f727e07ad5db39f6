//! How the disk behind a tool reads names.

use crate::location::Under;

/// How the disk behind a tool reads the names of files.
///
/// Names are compared code point by code point in every style: no style knows that a
/// composed letter and its decomposed spelling may name one file.
#[non_exhaustive]
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub enum PathStyle {
    /// Every difference counts, and only `/` separates.
    #[default]
    Posix,
    /// As [`Posix`](Self::Posix), but `A` and `a` are the same letter: a Mac's disk.
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
            ("secrets", "secrets", Yes, Yes),
            ("secrets", "SeCrets", No, Yes),
            ("secrets", "secret", No, No),
            ("café", "CAFÉ", No, Unknown),
            ("secrets", "\u{17f}ecrets", No, Unknown),
            ("keys", "\u{212a}eys", No, Unknown),
            ("straße", "STRASSE", No, Unknown),
            ("café", "cafe\u{301}", No, No),
        ];
        for (one, other, posix, folding) in cases {
            for (style, expected) in [
                (PathStyle::Posix, posix),
                (PathStyle::CaseInsensitive, folding),
                (PathStyle::Windows, folding),
            ] {
                assert_eq!(style.same(one, other), expected, "{one:?} {other:?} {style:?}");
                assert_eq!(style.same(other, one), expected, "{other:?} {one:?} {style:?}");
            }
        }
    }
}
