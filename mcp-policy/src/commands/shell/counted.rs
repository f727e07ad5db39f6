//! Where bash ends what begins like arithmetic, before it has read any of it.
//!
//! For `$((` and `((`, bash 5.2 looks for the parenthesis that closes it and knows only quotes and
//! backslashes on the way: `${x:-)}`, a `case`, a comment or a here-document are text to it.

use crate::commands::Cause;
use crate::commands::shell::Parser;

impl Parser<'_> {
    /// Whether bash, which counts from `start`, finds the `)` at `end` first.
    pub(super) fn counts_to(&mut self, start: usize, end: usize) -> bool {
        self.count(self.between(start, end + 1)) == Some(end.saturating_sub(start))
    }

    /// Whether what began like arithmetic at `start` is certainly read as commands by bash, which
    /// counts from there.
    ///
    /// Two `)` beside each other make it arithmetic.  With a here-document in it, bash looks for the
    /// body behind all that it has counted.
    pub(super) fn counts_as_commands(&mut self, start: usize) -> bool {
        let rest = self.text.get(start..).unwrap_or("");
        let Some(end) = self.count(rest) else { return false };
        let is_arithmetic = rest.as_bytes().get(end + 1) == Some(&b')');
        !is_arithmetic && rest.get(..end).is_some_and(|it| !it.contains("<<"))
    }

    fn count(&mut self, text: &str) -> Option<usize> {
        let end = unpaired(text.as_bytes());
        // Paid for by what was looked at: it is looked at again for each that it lies in.
        if !self.reader.spend(end.unwrap_or(text.len())) {
            self.stop(Cause::TooLarge);
        }
        end
    }
}

/// The first `)` without another half, if that is certain.
fn unpaired(text: &[u8]) -> Option<usize> {
    let (mut at, mut depth) = (0, 0_usize);
    loop {
        match text.get(at)? {
            b'\\' => at += 1,
            b'(' => depth += 1,
            b')' if depth == 0 => return Some(at),
            b')' => depth -= 1,
            b'\'' => {
                let is_escaped = at.checked_sub(1).and_then(|it| text.get(it)) == Some(&b'$');
                at = quote_end(text, at, is_escaped)?;
            }
            b'"' | b'`' => at = quote_end(text, at, true)?,
            _ => (),
        }
        at += 1;
    }
}

/// The quote that closes the one at `start`, if nothing in between may have quotes of its own.
fn quote_end(text: &[u8], start: usize, has_escapes: bool) -> Option<usize> {
    let quote = *text.get(start)?;
    let mut at = start + 1;
    loop {
        match *text.get(at)? {
            byte if byte == quote => return Some(at),
            b'\\' if has_escapes => at += 1,
            b'`' if quote == b'"' => return None,
            b'$' if quote == b'"' && matches!(text.get(at + 1), Some(b'(' | b'{' | b'[')) => {
                return None;
            }
            _ => (),
        }
        at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parentheses_are_counted_as_bash_counts_them() {
        let cases: &[(&str, Option<&str>)] = &[
            ("a) b)", Some(") b)")),
            ("(a) b) c)", Some(") c)")),
            ("${x:-)} )", Some(")} )")),
            ("# ) \n)", Some(") \n)")),
            (r"\) )", Some(")")),
            ("')' \")\" `)` )", Some(")")),
            (r"$'\')' )", Some(")")),
            (r"'\' )", Some(")")),
            (r#""\")" )"#, Some(")")),
            ("\"$x)\" )", Some(")")),
            ("\"$(a)\" )", None),
            ("\"${a}\" )", None),
            ("\"`a`\" )", None),
            ("(a", None),
            ("'a)", None),
            ("\\", None),
        ];
        for (text, rest) in cases {
            let found = unpaired(text.as_bytes()).map(|at| &text[at..]);
            assert_eq!(found, *rest, "{text}");
        }
    }
}
