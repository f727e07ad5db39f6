//! Arithmetic, and everything else that the shell evaluates as it.

use crate::commands::shell::Parser;
use crate::commands::shell::frame::{Arithmetic, ArithmeticKind, Frame, ListKind, State};
use crate::commands::{Cause, Part, numbers};

impl Parser<'_> {
    /// At something that is arithmetic, if it ends like it; its opening is `skip` bytes long.
    pub(super) fn arithmetic(&mut self, kind: ArithmeticKind, skip: usize, quoted: bool) {
        let mark = self.mark();
        self.at += skip;
        if matches!(kind, ArithmeticKind::Expansion | ArithmeticKind::Bracket) {
            self.word().gap(Part::Unreadable(Cause::Number), !quoted);
        }
        self.word().hide();
        let start = self.at;
        let frame = Arithmetic { kind, start, quoted, parens: 0, fed: false, mark };
        self.push(Frame::Arithmetic(frame));
    }

    pub(super) fn in_arithmetic(&mut self) {
        self.at = self.run_end(|byte| {
            !matches!(
                byte,
                b'(' | b')' | b'[' | b']' | b'\\' | b'\'' | b'"' | b'$' | b'`' | b'<' | b'>'
            )
        });
        let byte = self.byte(0);
        match byte {
            Some(b'$') => self.dollar(true),
            Some(b'`') => self.backquote(true),
            Some(b'\\') => self.skip_escaped(),
            Some(b'"') => {
                self.unknown(Cause::Quoting);
                self.double();
            }
            Some(b'\'') => {
                self.unknown(Cause::Quoting);
                self.single();
            }
            Some(b'<' | b'>') => {
                // Not arithmetic, though some shells start it even here.
                if self.byte(1) == Some(b'(') {
                    self.unknown(Cause::Quoting);
                }
                self.at += 1;
            }
            Some(byte) => self.bracket(byte),
            None => (),
        }
    }

    fn bracket(&mut self, byte: u8) {
        let next = self.byte(1);
        let Some(Frame::Arithmetic(frame)) = self.stack.last_mut() else { return };
        let square = matches!(frame.kind, ArithmeticKind::Bracket | ArithmeticKind::Subscript);
        let (open, close) = if square { (b'[', b']') } else { (b'(', b')') };
        if byte == open {
            frame.parens += 1;
        } else if byte == close && frame.parens > 0 {
            frame.parens -= 1;
        } else if byte == close && (square || next == Some(b')')) {
            let end = self.at;
            self.at += if square { 1 } else { 2 };
            self.close_arithmetic(end);
            return;
        } else if byte == close {
            let joined = self.joins(1) == Some(close);
            self.not_arithmetic();
            if joined {
                self.unknown(Cause::Quoting);
            }
            return;
        }
        self.at += 1;
    }

    fn close_arithmetic(&mut self, end: usize) {
        let Some(Frame::Arithmetic(frame)) = self.stack.pop() else { return };
        let text = self.between(frame.start, end);
        if !(frame.kind == ArithmeticKind::Subscript && matches!(text, "@" | "*")) {
            self.evaluated(text);
        }
        if frame.fed {
            self.unknown(Cause::EvaluatedNumber);
        }
        let is_square = matches!(frame.kind, ArithmeticKind::Bracket | ArithmeticKind::Subscript);
        if !is_square && !self.counts_to(frame.start, end) {
            self.unknown(Cause::Quoting);
        }
        self.word().reveal();
        match frame.kind {
            ArithmeticKind::Expansion | ArithmeticKind::Bracket => (),
            ArithmeticKind::Command => {
                self.word().finish();
                self.end_compound();
            }
            ArithmeticKind::For => {
                self.word().finish();
                self.list().state = State::ForDo;
            }
            ArithmeticKind::Subscript => {
                if text.is_empty() {
                    self.unknown(Cause::Syntax);
                }
                self.word().subscript();
            }
        }
    }

    /// It looked like arithmetic, and is a command that begins with a parenthesis.
    fn not_arithmetic(&mut self) {
        let Some(Frame::Arithmetic(frame)) = self.stack.pop() else { return };
        self.rewinds += 1;
        if self.rewinds > MAX_REWINDS || frame.kind == ArithmeticKind::For {
            self.stop(Cause::Syntax);
            return;
        }
        let is_certain = self.counts_as_commands(frame.start);
        self.rewind(frame.mark);
        if !is_certain {
            self.unknown(Cause::Quoting);
        }
        self.word().reveal();
        if frame.kind == ArithmeticKind::Expansion {
            self.at += 2;
            // In a shell that takes `$((` for arithmetic always, this is an error, but for what is
            // expanded before, also in what are quotes to us.
            let rest = self.text.get(self.at..).unwrap_or("");
            if rest.contains('\'') && (rest.contains('$') || rest.contains('`')) {
                self.diverge();
                if !self.is_bash() {
                    self.unknown(Cause::Quoting);
                }
            }
            self.push_list(ListKind::Substitution { quoted: frame.quoted, process: false });
            self.list().counted = Some(self.at);
        } else {
            self.word().finish();
            self.at += 1;
            self.push_list(ListKind::Subshell);
        }
    }

    /// The output of a command is put where it stands: into arithmetic, perhaps.
    pub(super) fn feed(&mut self) {
        for frame in self.stack.iter_mut().rev() {
            match frame {
                Frame::Arithmetic(frame) => frame.fed = true,
                Frame::List => break,
                _ => (),
            }
        }
    }

    /// `text` is evaluated as arithmetic: so is what the variables in it hold.
    pub(super) fn evaluated(&mut self, text: &str) {
        if self.reader.evaluate(text) {
            self.unknown(Cause::EvaluatedNumber);
        }
        if numbers::sets_code(text) {
            self.unknown(Cause::EvaluatedVariable);
        }
    }
}

/// How often a script is read again from a place where it was misread: each is no longer than the script.
const MAX_REWINDS: usize = 8;
