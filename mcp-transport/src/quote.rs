//! What a peer wrote, as a log should show it.

/// A line as a log should show it: text, trimmed, at most 120 characters.
pub(crate) fn quote(line: &[u8]) -> String {
    // Four bytes are the longest character.
    let text = String::from_utf8_lossy(&line[..line.len().min(4 * QUOTED)]);
    let text = text.trim();
    if text.chars().count() <= QUOTED {
        return text.to_owned();
    }
    text.chars().take(QUOTED - 3).chain("...".chars()).collect()
}

const QUOTED: usize = 120;
