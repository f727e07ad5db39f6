//! Reserved words, and what they open and close.

use crate::commands::shell::frame::{ListKind, State, Timed};
use crate::commands::shell::{Parser, Word};
use crate::commands::{Cause, Influence, environment};

/// Whether bash reserves the word where a command begins.
pub(super) fn is_reserved(text: &str) -> bool {
    RESERVED.contains(&text)
}

const RESERVED: &[&str] = &[
    "!", "[[", "]]", "case", "coproc", "do", "done", "elif", "else", "esac", "fi", "for",
    "function", "if", "in", "select", "then", "time", "until", "while", "{", "}",
];

impl Parser<'_> {
    /// Handles `text` if it is a reserved word where a command may begin.
    pub(super) fn reserved(&mut self, text: &str) -> bool {
        let kind = self.list().kind;
        match text {
            "!" => (),
            "{" => self.push_list(ListKind::Braces),
            "if" => self.push_list(ListKind::IfCondition),
            "while" | "until" => self.push_list(ListKind::LoopCondition),
            "for" => self.list().state = State::ForName,
            "case" => self.list().state = State::CaseWord,
            "time" if self.list().untimed => return false,
            "[[" | "function" | "select" | "coproc" | "time" => return self.bash_word(text),
            "then" if kind == ListKind::IfCondition => self.list().kind = ListKind::Then,
            "elif" if kind == ListKind::Then => self.list().kind = ListKind::IfCondition,
            "else" if kind == ListKind::Then => self.list().kind = ListKind::Else,
            "fi" if matches!(kind, ListKind::Then | ListKind::Else) => self.close_list(),
            "do" if kind == ListKind::LoopCondition => self.list().kind = ListKind::LoopBody,
            "done" if kind == ListKind::LoopBody => self.close_list(),
            "}" if kind == ListKind::Braces => self.close_list(),
            "esac" if kind == ListKind::CaseBody => {
                self.pop_list();
                self.end_compound();
            }
            "then" | "elif" | "else" | "fi" | "do" | "done" | "}" | "esac" => {
                self.stop(Cause::Syntax);
            }
            _ => return false,
        }
        true
    }

    /// Handles a word that only some shells reserve.
    fn bash_word(&mut self, text: &str) -> bool {
        self.diverge();
        if !self.is_bash() {
            return false;
        }
        match text {
            "[[" => self.list().state = State::Condition,
            "function" => self.list().state = State::FunctionName,
            "select" => self.list().state = State::ForName,
            "coproc" => {
                self.list().untimed = true;
                self.list().coprocess = true;
                self.skip_blanks();
                // bash takes its own name for a command here.
                if self.byte(0) == Some(b'(') || self.level() > 0 {
                    self.unknown(Cause::Syntax);
                }
            }
            _ => self.list().timed = Timed::Word,
        }
        true
    }

    pub(super) fn skip_blanks(&mut self) {
        self.skip_continuations();
        while matches!(self.byte(0), Some(b' ' | b'\t')) {
            self.at += 1;
            self.skip_continuations();
        }
    }

    /// A word right after a compound command: only what ends the list may stand there.
    pub(super) fn after_word(&mut self, word: &Word) {
        self.end_simple();
        let closing = ["then", "elif", "else", "fi", "do", "done", "}", "esac"];
        match word.bare() {
            Some(text) if closing.contains(&text) => {
                self.list().state = State::Start;
                self.reserved(text);
            }
            _ => self.stop(Cause::Syntax),
        }
    }

    pub(super) fn for_word(&mut self, word: &Word) {
        let variable = self.list().variable.clone();
        self.reader.give(&variable, Some(&word.token));
    }

    /// The word after the head of a `for`.
    pub(super) fn loop_body(&mut self, word: &Word) {
        if environment::influence(&self.list().variable) == Influence::Code {
            self.unknown(Cause::EvaluatedVariable);
        }
        match word.bare() {
            Some("do") => self.push_list(ListKind::LoopBody),
            Some("{") if self.is_bash() => self.push_list(ListKind::Braces),
            _ => self.stop(Cause::Syntax),
        }
    }
}
