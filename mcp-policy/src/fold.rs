//! Names that some disks take for the same.

/// Adds `name` to `out` as a forgiving disk would compare it: in lower case, without characters
/// that are not seen, without what Windows drops at the end, and without a stream's name.
pub(crate) fn fold_into(out: &mut String, name: &str) {
    let is_plain = |it: u8| it.is_ascii() && it != b':';
    if name.bytes().all(is_plain) && !name.ends_with(['.', ' ']) {
        out.extend(name.chars().map(|it| it.to_ascii_lowercase()));
        return;
    }
    let name = name.split_once("::").map_or(name, |(name, _)| name);
    let trimmed = name.trim_end_matches(['.', ' ']);
    let name = if trimmed.is_empty() { name } else { trimmed };
    out.extend(name.chars().filter(|it| !is_unseen(*it)).flat_map(char::to_lowercase));
}

/// Whether the two names may be one.
pub(crate) fn is_same_folded(one: &str, other: &str) -> bool {
    let folded = |name: &str| {
        let mut out = String::with_capacity(name.len());
        fold_into(&mut out, name);
        out
    };
    one == other || folded(one) == folded(other)
}

/// What HFS+ ignores in a name.
fn is_unseen(letter: char) -> bool {
    matches!(letter, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_some_disk_takes_for_one_are_the_same() {
        let cases = [
            (".git", ".GIT", true),
            (".git", ".git.", true),
            (".git", ".git ", true),
            (".git", ".g\u{200d}it", true),
            ("secrets", "secrets::$DATA", true),
            ("é", "É", true),
            (".", ".", true),
            ("..a", "..A", true),
            (".git", ".gitx", false),
            (".git", ".gi", false),
            (".git", ". git", false),
            ("...", "..", false),
        ];
        for (one, other, expected) in cases {
            assert_eq!(is_same_folded(one, other), expected, "{one:?} {other:?}");
            assert_eq!(is_same_folded(other, one), expected, "{other:?} {one:?}");
        }
    }
}
