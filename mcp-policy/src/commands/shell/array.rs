//! Arrays: `name=(…)`.

use crate::commands::Cause;
use crate::commands::shell::Parser;
use crate::commands::shell::frame::{ArithmeticKind, Frame};
use crate::commands::shell::list::is_plain;

impl Parser<'_> {
    /// Inside `name=(…)`.
    pub(super) fn in_array(&mut self, fresh: bool) {
        let end = self.run_end(is_plain);
        if end > self.at {
            if fresh && self.byte(0) == Some(b'#') {
                self.at = self.run_end(|byte| byte != b'\n');
                return;
            }
            self.at = end;
            return self.set_array(false);
        }
        let next = self.byte(1);
        match self.byte(0) {
            Some(b' ' | b'\t' | b'\n') => {
                self.at += 1;
                return self.set_array(true);
            }
            Some(b')') => {
                self.at += 1;
                self.stack.pop();
                self.word().reveal();
                return;
            }
            Some(b'\\') if next == Some(b'\n') => {
                self.at += 2;
                return;
            }
            _ => (),
        }
        self.set_array(false);
        match self.byte(0) {
            Some(b'\\') => {
                if self.level() > 0 {
                    // bash 5.2 reads the list in a substitution twice, the second time without it.
                    self.unknown(Cause::Quoting);
                }
                self.skip_escaped();
            }
            Some(b'\'') => self.single(),
            Some(b'"') => self.double(),
            Some(b'$') => self.dollar(false),
            Some(b'`') => self.backquote(false),
            Some(b'<' | b'>') if next == Some(b'(') => self.substitution(2, false, true),
            // At the beginning of an element only it is a subscript.
            Some(b'[') if fresh => {
                // A subscript may hold blanks and quotes of its own.
                self.arithmetic(ArithmeticKind::Subscript, 1, false);
            }
            Some(b'<' | b'>' | b'(' | b';' | b'&' | b'|') => self.stop(Cause::Syntax),
            _ => self.at += 1,
        }
    }

    fn set_array(&mut self, value: bool) {
        if let Some(Frame::Array { fresh }) = self.stack.last_mut() {
            *fresh = value;
        }
    }
}
