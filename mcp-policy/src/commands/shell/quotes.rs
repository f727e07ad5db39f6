//! Quotes, and the bodies of here-documents.

use crate::commands::shell::frame::Frame;
use crate::commands::shell::{Parser, ansi_c};
use crate::commands::{Cause, Part};

impl Parser<'_> {
    /// At a backslash outside quotes.
    pub(super) fn backslash(&mut self) {
        match self.byte(1) {
            Some(b'\n') => {
                self.at += 2;
                self.word().join();
            }
            None => {
                // Some shells drop it.
                self.unknown(Cause::Unterminated);
                self.word().push("\\");
                self.at += 1;
            }
            Some(_) => {
                self.at += 1;
                self.word().quote();
                self.take_char();
            }
        }
    }

    /// At a `'` outside double quotes.
    pub(super) fn single(&mut self) {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or(&[]);
        let Some(length) = rest.iter().position(|byte| *byte == b'\'') else {
            self.at = self.text.len();
            self.stop(Cause::Unterminated);
            return;
        };
        self.reader.steps += length;
        let text = self.between(start, start + length);
        self.word().quote();
        self.word().push(text);
        self.at = start + length + 1;
    }

    /// At a `"`.
    pub(super) fn double(&mut self) {
        self.at += 1;
        self.word().quote();
        self.push(Frame::Double);
    }

    pub(super) fn in_double(&mut self) {
        let end = self.run_end(|byte| !matches!(byte, b'"' | b'\\' | b'$' | b'`'));
        if end > self.at {
            let text = self.between(self.at, end);
            self.word().push(text);
            self.at = end;
            return;
        }
        match self.byte(0) {
            Some(b'"') => {
                self.at += 1;
                self.stack.pop();
            }
            Some(b'\\') => self.backslash_in_quotes(b"$`\"\\"),
            Some(b'$') => self.dollar(true),
            _ => self.backquote(true),
        }
    }

    /// The body of a here-document with a bare delimiter: expanded, and no quotes mean anything.
    pub(super) fn in_body(&mut self) {
        self.at = self.run_end(|byte| !matches!(byte, b'\\' | b'$' | b'`'));
        match self.byte(0) {
            Some(b'\\') => self.backslash_in_quotes(b"$`\\"),
            Some(b'$') => self.dollar(true),
            Some(_) => self.backquote(true),
            None => (),
        }
    }

    /// At a backslash that keeps its place unless one of `escaped`, or a line end, follows.
    fn backslash_in_quotes(&mut self, escaped: &[u8]) {
        match self.byte(1) {
            Some(b'\n') => self.at += 2,
            Some(byte) if escaped.contains(&byte) => {
                self.at += 1;
                self.take_char();
            }
            _ => {
                self.word().push("\\");
                self.at += 1;
            }
        }
    }

    /// At `$'` outside double quotes, in bash.
    pub(super) fn escaped(&mut self) {
        let start = self.at + 2;
        let Some((text, length)) = ansi_c::unescape(self.text.get(start..).unwrap_or("")) else {
            self.at = self.text.len();
            self.stop(Cause::Unterminated);
            return;
        };
        self.word().quote();
        match text {
            Some(text) => self.word().push(&text),
            None => self.word().gap(Part::Unreadable(Cause::Escape), false),
        }
        self.at = start + length;
    }
}
