//! Text as a person should see it, with nothing hidden in it.

use std::fmt::Write;

/// Writes `text` so that nothing in it hides: what is invisible, or moves what is visible, is
/// spelled out, and long runs of blanks are counted.
///
/// Escaped are control characters, marks that turn the direction of text, characters without
/// width or without a glyph, and private ones: `\u{202e}`.  A run of more than eight blanks
/// becomes `[40 blanks]`.
///
/// ```
/// use mcp_policy::display_text;
///
/// assert_eq!(display_text("rm -rf\u{2066} ./x\n"), "rm -rf\\u{2066} ./x\\n");
/// ```
pub fn display_text(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        if is_blank(letter) {
            let mut count = 1;
            while letters.next_if(|it| *it == letter).is_some() {
                count += 1;
            }
            write_blanks(&mut out, letter, count);
        } else if letter == '\\' || is_hidden(letter) {
            out.extend(letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    out
}

fn write_blanks(out: &mut String, letter: char, count: usize) {
    if count > MAX_BLANKS {
        let name = if letter == '\t' { "tabs" } else { "blanks" };
        // Writing into a string cannot fail.
        let _ = write!(out, "[{count} {name}]");
        return;
    }
    (0..count).for_each(|_| match letter {
        '\t' => out.push_str("\\t"),
        letter => out.push(letter),
    });
}

fn is_blank(letter: char) -> bool {
    letter == ' ' || letter == '\t'
}

/// Whether a letter shows nothing, or changes how others are shown.
fn is_hidden(letter: char) -> bool {
    letter.is_control()
        || (letter.is_whitespace() && letter != ' ')
        || HIDDEN.iter().any(|(first, last)| (*first..=*last).contains(&letter))
}

const MAX_BLANKS: usize = 8;

/// Format characters, fillers, variation selectors, tags, private use and noncharacters.
const HIDDEN: &[(char, char)] = &[
    ('\u{ad}', '\u{ad}'),
    ('\u{34f}', '\u{34f}'),
    ('\u{600}', '\u{605}'),
    ('\u{61c}', '\u{61c}'),
    ('\u{6dd}', '\u{6dd}'),
    ('\u{70f}', '\u{70f}'),
    ('\u{890}', '\u{891}'),
    ('\u{8e2}', '\u{8e2}'),
    ('\u{115f}', '\u{1160}'),
    ('\u{17b4}', '\u{17b5}'),
    ('\u{180b}', '\u{180f}'),
    ('\u{200b}', '\u{200f}'),
    ('\u{2028}', '\u{202e}'),
    ('\u{2060}', '\u{206f}'),
    ('\u{2800}', '\u{2800}'),
    ('\u{3164}', '\u{3164}'),
    ('\u{e000}', '\u{f8ff}'),
    ('\u{fdd0}', '\u{fdef}'),
    ('\u{fe00}', '\u{fe0f}'),
    ('\u{feff}', '\u{feff}'),
    ('\u{ffa0}', '\u{ffa0}'),
    ('\u{fff0}', '\u{fffb}'),
    ('\u{110bd}', '\u{110bd}'),
    ('\u{110cd}', '\u{110cd}'),
    ('\u{13430}', '\u{1345f}'),
    ('\u{1bca0}', '\u{1bca3}'),
    ('\u{1d173}', '\u{1d17a}'),
    ('\u{e0000}', '\u{e0fff}'),
    ('\u{f0000}', '\u{10ffff}'),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_hides_is_spelled_out() {
        // S93
        let cases = [
            ("plain text, ü 漢 🦀", "plain text, ü 漢 🦀"),
            ("rm -rf\u{2066} ./x\u{2069}", "rm -rf\\u{2066} ./x\\u{2069}"),
            ("a\u{202e}b\u{200b}c\u{feff}", "a\\u{202e}b\\u{200b}c\\u{feff}"),
            ("a\nb\r\u{1b}[2K\0", "a\\nb\\r\\u{1b}[2K\\u{0}"),
            ("a\\u{202e}", "a\\\\u{202e}"),
            ("a        b", "a        b"),
            ("a         b", "a[9 blanks]b"),
            ("a\tb", "a\\tb"),
            ("\u{a0}\u{3000}\u{e0041}\u{f8ff}", "\\u{a0}\\u{3000}\\u{e0041}\\u{f8ff}"),
        ];
        for (text, expected) in cases {
            assert_eq!(display_text(text), expected, "{text:?}");
        }
        let tabs = format!("ls{}; rm -rf ~", "\t".repeat(300));
        assert_eq!(display_text(&tabs), "ls[300 tabs]; rm -rf ~");
    }
}
