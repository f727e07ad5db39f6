//! Brackets in patterns: `[…]`.

/// Whether a `]` after this ends the bracket that it begins with.
pub(super) fn ends(inside: &str) -> bool {
    let rest = inside.strip_prefix('[').unwrap_or(inside);
    // Right at the beginning it is a letter like others.
    let is_first = rest.strip_prefix(['!', '^']).unwrap_or(rest).is_empty();
    !is_first && !ends_class(inside)
}

/// Whether what the bracket begins with may come to nothing, so that a `]` after it is a letter.
pub(super) fn may_be_empty(inside: &str) -> bool {
    let rest = inside.trim_start_matches(['[', '!', '^']);
    rest.starts_with(['\'', '"', '$', '`', '\\'])
}

/// Whether a `]` after this closes a class of letters, such as `[:alpha:]`, and not the bracket around it.
fn ends_class(inside: &str) -> bool {
    let Some(mark @ (b':' | b'.' | b'=')) = inside.bytes().next_back() else { return false };
    let mut before = inside.bytes().rev().take(LONGEST_CLASS).skip(1);
    let mut named = false;
    // The bracket around it stands before it.
    while let Some(byte) = before.next() {
        if byte == mark {
            return named && before.next() == Some(b'[') && before.next().is_some();
        }
        if !byte.is_ascii_alphanumeric() {
            return false;
        }
        named = true;
    }
    false
}

/// Whether a class is open at the end, so that this need not be that of the bracket.
pub(super) fn leaves_class(inside: &str) -> bool {
    let ends = [("[:", ":]"), ("[.", ".]"), ("[=", "=]")];
    ends.iter().any(|(open, close)| inside.matches(open).count() > inside.matches(close).count())
}

const LONGEST_CLASS: usize = 24;
