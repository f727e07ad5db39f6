//! Brace expansion, which bash does to the text of a word before it knows anything else about it.
//!
//! The text has quotes that end at the next one, however deep, and `$(…)`, `<(…)` and `>(…)` as units.

use std::ops::Range;

use crate::commands::Cause;
use crate::commands::shell::Parser;
use crate::commands::shell::frame::State;

impl Parser<'_> {
    /// Looks at the word that ends here as a whole: its braces may not be what they seem.
    pub(super) fn check_braces(&mut self) {
        let builder = self.word();
        if !builder.may_expand_braces() {
            return;
        }
        let (start, tricky, array) = (builder.source, builder.is_tricky(), builder.is_array());
        let list = self.list();
        let condition = matches!(list.state, State::Condition | State::CaseWord | State::CaseIn);
        if condition && list.redirect.is_none() {
            return;
        }
        let word = self.between(start, self.at).trim_end_matches([' ', '\t']);
        self.reader.steps += word.len();
        if !has_braces(word) {
            return;
        }
        // A dollar at the end of a piece opens what comes after the braces.
        let opens = word.contains("$,") || word.contains("$}");
        let found = if array { Some(Vec::new()) } else { self.expansions(word) };
        let expands = array || found.as_ref().is_none_or(|found| !found.is_empty());
        if expands || tricky {
            self.diverge();
        }
        if !self.is_bash() {
            return;
        }
        if tricky || found.is_none() || (expands && opens) {
            self.unknown(Cause::Brace);
        }
        let found = found.unwrap_or_default();
        if !array && (self.word().expansions(start) != found || takes_apart(word, &found)) {
            self.word().tangle();
        }
    }

    fn expansions(&mut self, word: &str) -> Option<Vec<Range<usize>>> {
        let mut text = Text { bytes: word.as_bytes(), left: MAX_STEPS + 8 * word.len() };
        let before = text.left;
        let found = text.expansions();
        self.reader.steps += before - text.left;
        found
    }
}

/// Whether there may be something to expand.
fn has_braces(word: &str) -> bool {
    let bytes = word.as_bytes();
    let open = |(at, byte): (usize, &u8)| {
        let before = |back: usize| at.checked_sub(back).and_then(|at| bytes.get(at));
        *byte == b'{' && (before(1) != Some(&b'$') || before(2) == Some(&b'\\'))
    };
    word.contains('}')
        // A joined line may stand between the dots.
        && (word.contains(',') || word.contains("..") || word.contains(".\\\n"))
        && bytes.iter().enumerate().any(open)
}

/// Whether what stands beside the braces, or in them, means something else without them.
fn takes_apart(word: &str, found: &[Range<usize>]) -> bool {
    found.iter().any(|range| {
        let inside = word.get(range.clone()).unwrap_or("");
        let before = word.get(..range.start).unwrap_or("");
        let name = before.trim_end_matches(|it: char| it.is_ascii_alphanumeric() || it == '_');
        let home = before.rsplit('~').next().is_some_and(|it| !it.contains('/'));
        let after = word.get(range.end..).unwrap_or("");
        inside.contains(['[', ']', '~'])
            || after.contains('~')
            || name.ends_with('$')
            || (before.contains('~') && home)
    })
}

#[derive(Debug)]
struct Text<'t> {
    bytes: &'t [u8],
    /// How many bytes may still be looked at.
    left: usize,
}

impl Text<'_> {
    /// The outermost braces that expand; `None` if that is not certain.
    fn expansions(&mut self) -> Option<Vec<Range<usize>>> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(open) = self.find(at, b'{')? {
            match self.find(open + 1, b'}')? {
                Some(close) => {
                    found.push(open..close + 1);
                    at = close + 1;
                }
                None => at = open + 1,
            }
        }
        Some(found)
    }

    /// The next `{`, or the `}` that closes a list or a sequence.
    fn find(&mut self, start: usize, wanted: u8) -> Option<Option<usize>> {
        let mut at = start;
        let (mut level, mut separators, mut quote) = (0usize, usize::from(wanted == b'{'), None);
        while let Some(byte) = self.byte(at) {
            self.left = self.left.checked_sub(1)?;
            let next = self.byte(at + 1);
            if byte == b'\\' && quote != Some(b'\'') {
                // Continued lines are joined before; what then touches is not looked for.
                if next == Some(b'\n') {
                    return None;
                }
                at += 2;
                continue;
            }
            if byte == b'$' && next == Some(b'{') && quote != Some(b'\'') {
                level += usize::from(quote.is_none());
                at += 2;
                continue;
            }
            let outside = quote.is_none();
            let opens = next == Some(b'(')
                && ((byte == b'$' && (outside || quote == Some(b'"')))
                    || (outside && matches!(byte, b'<' | b'>')));
            if opens {
                at = self.over_substitution(at + 2)?;
                continue;
            }
            if byte == b'$' && next == Some(b'\'') && outside {
                at = self.over_escaped(at + 2)?;
                continue;
            }
            if let Some(open) = quote {
                quote = quote.filter(|_| byte != open);
                at += 1;
                continue;
            }
            if matches!(byte, b'"' | b'\'' | b'`') {
                quote = Some(byte);
                at += 1;
                continue;
            }
            if byte == wanted && level == 0 && separators > 0 {
                let before = at.checked_sub(1).and_then(|at| self.byte(at));
                let alone =
                    byte == b'{' && is_blank(before) && (is_blank(next) || next == Some(b'}'));
                if !alone {
                    return Some(Some(at));
                }
                at += 1;
                continue;
            }
            match byte {
                b'{' => level += 1,
                b'}' => level = level.saturating_sub(1),
                b',' if level == 0 => separators += 1,
                b'.' if level == 0 && next == Some(b'.') && self.byte(at + 2) != Some(wanted) => {
                    separators += 1;
                }
                _ => (),
            }
            at += 1;
        }
        Some(None)
    }

    /// Where `$'…'` ends, from the inside of it.
    fn over_escaped(&mut self, start: usize) -> Option<usize> {
        let mut at = start;
        loop {
            self.left = self.left.checked_sub(1)?;
            match self.byte(at)? {
                b'\'' => return Some(at + 1),
                b'\\' => at += 2,
                _ => at += 1,
            }
        }
    }

    /// Where a substitution ends, from the inside of it; `None` if it is not of the simplest kind.
    fn over_substitution(&mut self, start: usize) -> Option<usize> {
        let mut at = start;
        let mut open = vec![b')'];
        while let Some(end) = open.last().copied() {
            self.left = self.left.checked_sub(1)?;
            let byte = self.byte(at)?;
            let next = self.byte(at + 1);
            let quoted = end == b'"';
            match byte {
                b'\\' => at += 1,
                _ if byte == end => drop(open.pop()),
                b'\'' if !quoted => {
                    at += 1;
                    while self.byte(at)? != b'\'' {
                        self.left = self.left.checked_sub(1)?;
                        at += 1;
                    }
                }
                b'"' => open.push(b'"'),
                b'$' if next == Some(b'(') => {
                    at += 1;
                    open.push(b')');
                }
                b'(' if !quoted => open.push(b')'),
                // A pattern of a `case`, a comment, a here-document, a quote in quotes.
                b'`' | b'#' | b';' | b'\n' => return None,
                b'$' if next == Some(b'{') => {
                    at += 2;
                    while self.byte(at)? != b'}' {
                        self.byte(at).filter(|it| it.is_ascii_alphanumeric() || *it == b'_')?;
                        self.left = self.left.checked_sub(1)?;
                        at += 1;
                    }
                }
                b'<' if next == Some(b'<') => return None,
                _ => (),
            }
            at += 1;
        }
        Some(at)
    }

    fn byte(&self, at: usize) -> Option<u8> {
        self.bytes.get(at).copied()
    }
}

fn is_blank(byte: Option<u8>) -> bool {
    matches!(byte, None | Some(b' ' | b'\t' | b'\n'))
}

/// For words in which the braces are many and do not match.
const MAX_STEPS: usize = 4096;

/// Whether `text` counts from one number to another: `{1..10`.
pub(super) fn is_sequence(text: &str) -> bool {
    let digits = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_digit());
    let bounds = text.strip_prefix('{').and_then(|it| it.split_once(".."));
    bounds.is_some_and(|(from, to)| digits(from) && digits(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_expand_as_they_do_in_bash() {
        let cases: &[(&str, Option<&[&str]>)] = &[
            ("a", Some(&[])),
            ("{a,b}c", Some(&["{a,b}"])),
            ("x{1..2}{3,4}", Some(&["{1..2}", "{3,4}"])),
            ("{a,{b,c}}", Some(&["{a,{b,c}}"])),
            ("{{a,b}}", Some(&["{a,b}"])),
            ("{a,b", Some(&[])),
            ("{a}", Some(&[])),
            ("{}", Some(&[])),
            ("{},a}", Some(&[])),
            ("x{},a}", Some(&["{},a}"])),
            ("{a},b}", Some(&["{a},b}"])),
            ("{a..}", Some(&[])),
            ("@{u}..@{1}", Some(&[])),
            ("{\"a,b\"}", Some(&[])),
            ("{a..b\",\"}", Some(&["{a..b\",\"}"])),
            ("${x,y}{a,b}", Some(&["{a,b}"])),
            ("{${x,y}}", Some(&[])),
            ("{,$}a", Some(&["{,$}"])),
            ("{,{,$}}", Some(&["{,{,$}}"])),
            ("\"${x:-\"{a,b}\"}\"", Some(&["{a,b}"])),
            ("\"$(a \"{b,c}\" d)\"", Some(&[])),
            ("$(a $(b \"c d)\")){e,f}", Some(&["{e,f}"])),
            ("$(a;b){c,d}", None),
            ("$(a \"${b}\"){c,d}", Some(&["{c,d}"])),
            ("$(a \"${b-\"}\"){c,d}", None),
            ("$'\\'{a,b}'", Some(&[])),
            ("\\{a,b}", Some(&[])),
            ("{a\\,b}", Some(&[])),
            ("'{a,b}'", Some(&[])),
            ("{a,\\\nb}", None),
        ];
        for (word, expected) in cases {
            let mut text = Text { bytes: word.as_bytes(), left: MAX_STEPS };
            let found = text.expansions();
            let found: Option<Vec<&str>> =
                found.map(|it| it.into_iter().map(|range| &word[range]).collect());
            assert_eq!(found.as_deref(), *expected, "{word}");
        }
    }
}
