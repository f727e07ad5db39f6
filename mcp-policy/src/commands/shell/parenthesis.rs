//! Opening parentheses: of subshells, arithmetic, functions, patterns and arrays.

use crate::commands::reader::Dialect;
use crate::commands::shell::Parser;
use crate::commands::shell::frame::{ArithmeticKind, Frame, ListKind, State};
use crate::commands::{Cause, Part};

impl Parser<'_> {
    /// At a `(`.
    pub(super) fn open_paren(&mut self) {
        let state = self.list().state;
        let started = self.word().started();
        if started && self.dialect == Dialect::Zsh && self.byte(1) != Some(b')') {
            // It may qualify a pattern, with code.
            self.unknown(Cause::Syntax);
        }
        if state == State::Condition {
            if started && self.after_match() {
                // A group of a regular expression.
                return self.pattern();
            }
            if started && !self.word().ends_with(b"?*+@!") {
                self.end_word();
                self.at += 1;
                return;
            }
            if started {
                return self.pattern();
            }
            if self.after_match() {
                return self.pattern();
            }
            self.at += 1;
            return;
        }
        if !started && self.list().redirect.is_some() {
            return self.stop(Cause::Syntax);
        }
        let array = started && self.word().awaits_value();
        if array {
            self.diverge();
            if state == State::Words && self.is_bash() && !self.declares() {
                // Only after `coproc`, and there it is no list.
                self.unknown(Cause::Syntax);
            }
        }
        if array && self.is_bash() {
            let name = self.word().bare().unwrap_or("").trim_end_matches(['+', '=']).to_owned();
            self.reader.numbers.array(&name);
            self.at += 1;
            self.word().array();
            self.push(Frame::Array { fresh: true });
            return;
        }
        let negation = state == State::Start && self.word().bare() == Some("!");
        if started && !negation && self.word().ends_with(b"?*+@!") {
            self.diverge();
            if self.is_bash() {
                return self.pattern();
            }
        }
        if started {
            self.end_word();
        }
        self.paren_between_words();
    }

    fn paren_between_words(&mut self) {
        let double = self.byte(1) == Some(b'(');
        if self.joins(1) == Some(b'(') {
            self.unknown(Cause::Quoting);
        }
        let empty = self.list().simple.is_empty() && self.list().redirect.is_none();
        let name = self.is_function_name();
        let bash = self.is_bash();
        match self.list().state {
            State::Start if empty => {
                if double {
                    self.diverge();
                }
                if double && self.is_bash() {
                    self.arithmetic(ArithmeticKind::Command, 2, false);
                } else {
                    self.at += 1;
                    self.push_list(ListKind::Subshell);
                }
            }
            State::Words if name => {
                self.at += 1;
                self.list().state = State::FunctionClose;
            }
            State::FunctionParens => {
                self.at += 1;
                self.list().state = State::FunctionClose;
            }
            State::ForName if double => {
                self.diverge();
                if bash {
                    self.arithmetic(ArithmeticKind::For, 2, false);
                } else {
                    self.stop(Cause::Syntax);
                }
            }
            State::CasePattern { open: false } => {
                self.at += 1;
                self.list().state = State::CasePattern { open: true };
            }
            _ => self.stop(Cause::Syntax),
        }
    }

    /// At the `(` of an extended pattern.
    fn pattern(&mut self) {
        let start = self.at;
        self.at += 1;
        self.word().gap(Part::Glob("()".to_owned()), true);
        self.word().hide();
        self.push(Frame::Pattern { start, parens: 0 });
    }

    pub(super) fn in_pattern(&mut self, start: usize, parens: usize) {
        self.at = self.run_end(|byte| {
            !matches!(byte, b'(' | b')' | b'\\' | b'\'' | b'"' | b'$' | b'`' | b'<' | b'>')
        });
        match self.byte(0) {
            Some(b'\\') => self.skip_escaped(),
            Some(b'\'') => self.single(),
            Some(b'"') => self.double(),
            Some(b'$') => self.dollar(false),
            Some(b'`') => self.backquote(false),
            Some(b'(') => {
                self.at += 1;
                self.set_pattern(start, parens + 1);
            }
            Some(b')') => {
                self.at += 1;
                if parens > 0 {
                    return self.set_pattern(start, parens - 1);
                }
                self.stack.pop();
                self.word().reveal();
            }
            Some(_) if self.byte(1) == Some(b'(') => self.substitution(2, false, true),
            Some(_) => self.at += 1,
            None => (),
        }
    }

    fn set_pattern(&mut self, start: usize, parens: usize) {
        if let Some(frame @ Frame::Pattern { .. }) = self.stack.last_mut() {
            *frame = Frame::Pattern { start, parens };
        }
    }
}
