//! What words mean where they stand: reserved words, compound commands, their ends.

use crate::commands::reader::Dialect;
use crate::commands::shell::frame::{Frame, List, ListKind, State, Timed};
use crate::commands::shell::input::may_change_input;
use crate::commands::shell::names::prints_names;
use crate::commands::shell::number::prints_number;
use crate::commands::shell::reserved::is_reserved;
use crate::commands::shell::{Parser, Word};
use crate::commands::{Assignment, Cause, Scope, Token};

impl Parser<'_> {
    /// The word that was being read, if any, ended.
    pub(super) fn end_word(&mut self) {
        if !self.word().started() {
            return;
        }
        self.check_braces();
        self.reader.steps += self.word().looked();
        let dash = self.text.as_bytes().get(self.word().source) == Some(&b'-');
        let word = self.word().finish();
        if self.list().redirect.is_some() {
            return self.end_target(word);
        }
        match self.list().state {
            State::Start => self.first_word(word, dash),
            State::Words => self.next_word(word),
            State::After => self.after_word(&word),
            State::ForName => {
                self.list().variable = word.bare().unwrap_or("").to_owned();
                self.list().state = State::ForIn;
            }
            State::ForIn => match word.bare() {
                Some("in") => self.list().state = State::ForWords,
                _ => {
                    self.over_arguments();
                    self.loop_body(&word);
                }
            },
            State::ForWords => self.for_word(&word),
            State::ForDo => self.loop_body(&word),
            State::CaseWord => self.list().state = State::CaseIn,
            State::CaseIn if word.bare() == Some("in") => {
                self.list().state = State::CasePattern { open: false };
            }
            State::CasePattern { open: false } if word.bare() == Some("esac") => {
                self.end_compound();
            }
            State::CasePattern { .. } => {
                if word.bare() == Some("esac") {
                    // bash writes the pattern down without its parenthesis, and reads that again.
                    self.diverge();
                    if self.is_bash() {
                        self.unknown(Cause::Syntax);
                    }
                }
                self.list().state = State::CaseMore;
            }
            State::FunctionName => {
                self.define(word.bare());
                self.list().state = State::FunctionParens;
            }
            // `function name {`: the body begins without parentheses.
            State::FunctionParens => {
                self.list().state = State::Start;
                self.first_word(word, dash);
            }
            State::Condition => self.condition_word(word),
            State::CaseIn | State::CaseMore | State::FunctionClose => self.stop(Cause::Syntax),
        }
    }

    /// A word where a command may begin; whether it is written with a dash first.
    fn first_word(&mut self, word: Word, dash: bool) {
        let reserved = self.list().simple.is_empty();
        match (std::mem::take(&mut self.list().timed), word.bare()) {
            // Where bash is called `sh`, or dash is, it is a program then.
            (Timed::Word, _) if dash && self.scene.dialect == Dialect::Either => {
                self.next_word(Word::plain("time"));
            }
            (Timed::Word, Some("-p")) => {
                self.list().timed = Timed::Option;
                return;
            }
            (Timed::Word | Timed::Option, Some("--")) => return,
            _ => (),
        }
        match word.bare() {
            Some(text) if reserved && self.reserved(text) => (),
            _ => self.next_word(word),
        }
    }

    /// A word of a simple command.
    fn next_word(&mut self, mut word: Word) {
        let named = self.list().coprocess && self.list().simple.words.len() == 1;
        if named && word.bare() == Some("[[") {
            // After `coproc`, the first was a name, and this is a condition.
            self.unknown(Cause::Syntax);
        }
        let list = self.list();
        let state = if list.simple.words.is_empty() { State::Start } else { State::Words };
        if let (State::Start, Some((name, value))) = (state, word.assignment) {
            let assignment = assignment(&word.token, name, value, Scope::Command);
            let is_element = word.token.start().get(name..).is_some_and(|it| it.starts_with('['));
            if is_element {
                self.reader.numbers.array(&assignment.name);
            }
            self.list().simple.assignments.push(assignment);
            return;
        }
        if word.doubtful && state == State::Words && !self.declares() {
            word.token = Token::unreadable(Cause::Glob);
        }
        let list = self.list();
        let redirected = state == State::Start && !list.simple.redirections.is_empty();
        if redirected && word.bare().is_some_and(is_reserved) {
            // bash 5.2 writes redirections last where it writes down what it read, of
            // substitutions and functions; and reads that again.
            self.diverge();
            if self.is_bash() {
                self.unknown(Cause::Syntax);
            }
        }
        let list = self.list();
        list.state = State::Words;
        list.simple.words.push(word);
    }

    /// A command of these words may change where the next ones run.
    fn move_by(&mut self, words: &[Word]) {
        let after = crate::commands::directory::after(words, &self.directory);
        // What was kept for later runs where this leads.
        self.reader.wandering |= self.reader.keeps && after != self.directory;
        self.directory = after;
    }

    /// A line ended, by a newline or a `;`.
    pub(super) fn end_line(&mut self, newline: bool) {
        match self.list().state {
            State::ForWords => self.list().state = State::ForDo,
            State::ForIn => self.over_arguments(),
            State::ForDo => (),
            State::CaseIn | State::CasePattern { open: false } if newline => (),
            // A body may begin on a later line.
            State::FunctionParens if newline => self.list().state = State::Start,
            _ => {
                self.end_command();
                if self.list().state != State::Start {
                    self.stop(Cause::Syntax);
                }
            }
        }
    }

    /// Without words, a `for` goes over the arguments of the script.
    fn over_arguments(&mut self) {
        let variable = self.list().variable.clone();
        self.reader.give(&variable, None);
    }

    pub(super) fn end_command(&mut self) {
        self.end_command_into(false);
    }

    /// The command ended; with `piped`, another reads its output.
    pub(super) fn end_command_into(&mut self, piped: bool) {
        self.end_word();
        if self.list().redirect.is_some() {
            self.stop(Cause::Syntax);
            return;
        }
        let list = self.list();
        list.timed = Timed::No;
        if matches!(list.state, State::Words | State::After | State::Start) {
            let something = !list.simple.is_empty() || list.state == State::After;
            let simple = list.state != State::After;
            let numeric = simple && prints_number(&list.simple);
            let arrive = simple && list.names;
            let listing = simple && prints_names(&list.simple, arrive);
            if something && !piped {
                list.numeric = Some(list.numeric.unwrap_or(true) && numeric);
                list.listing = Some(list.listing.unwrap_or(true) && listing);
            }
            if something {
                list.simple.has_input |= list.untimed;
                list.untimed = piped;
                list.simple.names = arrive;
                list.names = piped && listing;
                list.coprocess = false;
            }
            self.end_simple();
            self.list().state = State::Start;
            if something {
                self.end_function();
            }
        }
    }

    /// Hands on the simple command, or the redirections of a compound one.
    pub(super) fn end_simple(&mut self) {
        if self.list().simple.is_empty() {
            return;
        }
        let mut simple = std::mem::take(&mut self.list().simple);
        self.count_after_document(!simple.heredocs.is_empty());
        simple.directory = self.directory.clone();
        self.move_by(&simple.words);
        if simple.words.is_empty() {
            for assignment in &mut simple.assignments {
                assignment.scope = Scope::Shell;
            }
        }
        for assignment in &simple.assignments {
            self.reader.give(&assignment.name, Some(&assignment.value));
        }
        self.held.push(simple);
        if self.documents.is_empty() {
            self.release();
        }
    }

    /// Hands on the commands that waited for here-documents.
    pub(super) fn release(&mut self) {
        for mut simple in std::mem::take(&mut self.held) {
            if may_change_input(&simple, self.scene.fed) {
                self.unknown(Cause::Code);
            }
            for (redirection, document) in std::mem::take(&mut simple.heredocs) {
                self.fill(&mut simple, redirection, document);
            }
            self.reader.simple(simple, self.scene);
        }
        self.documents.clear();
    }

    /// A command ends, with a here-document or not.  bash 5.2 writes down what it read of a
    /// substitution, and reads that again; after a here-document it forgets to part commands.
    fn count_after_document(&mut self, document: bool) {
        let is_substitution = |it: &&mut List| matches!(it.kind, ListKind::Substitution { .. });
        let Some(list) = self.lists.iter_mut().rev().find(is_substitution) else { return };
        list.after_document = match list.after_document {
            None => document.then_some(0),
            Some(count) => Some(count + 1),
        };
        if list.after_document.is_some_and(|count| count > 1) {
            self.diverge();
            if self.is_bash() {
                self.unknown(Cause::HereDocument);
            }
        }
    }

    /// After a `)`.
    pub(super) fn close_paren(&mut self) {
        match self.list().state {
            State::Condition => return,
            State::CaseMore => {
                self.list().state = State::After;
                self.push_list(ListKind::CaseBody);
                return;
            }
            State::FunctionClose => {
                let simple = std::mem::take(&mut self.list().simple);
                if let Some(word) = simple.words.first() {
                    self.define(word.token.as_text());
                }
                self.list().state = State::Start;
                return;
            }
            _ => (),
        }
        self.end_command();
        let (kind, state) = (self.list().kind, self.list().state);
        match kind {
            _ if state != State::Start => self.stop(Cause::Syntax),
            ListKind::Subshell => self.close_list(),
            ListKind::Substitution { .. } => self.close_substitution(),
            _ => self.stop(Cause::Syntax),
        }
    }

    fn close_substitution(&mut self) {
        let level = self.level();
        if self.documents.iter().any(|it| it.level >= level && it.body.is_none()) {
            self.unknown(Cause::HereDocument);
            self.documents.iter_mut().for_each(|it| it.level = it.level.min(level - 1));
        }
        let Some(list) = self.pop_list() else { return };
        let ListKind::Substitution { process, .. } = list.kind else { return };
        if let Some(start) = list.counted {
            // What it counts, bash keeps with the values of such quotes in their place.
            let translated =
                ["$'", "$\""].iter().any(|it| self.between(start, self.at).contains(it));
            if translated || !self.counts_to(start, self.at.saturating_sub(1)) {
                self.unknown(Cause::Quoting);
            }
        }
        if process {
            return;
        }
        if list.listing == Some(true) {
            self.reader.hidden.trust();
            self.word().becomes(Cause::Names);
        }
        match (list.numeric, self.stack.last()) {
            (Some(true), None | Some(Frame::List | Frame::Double)) => {
                self.word().becomes(Cause::Number);
            }
            (Some(true), _) => (),
            _ => return self.feed(),
        }
        self.reader.counts = true;
    }

    /// The compound command whose list ended is complete.
    pub(super) fn close_list(&mut self) {
        self.pop_list();
        self.end_compound();
    }

    /// A function of this name is being defined.
    fn define(&mut self, name: Option<&str>) {
        let directory = self.directory.clone();
        self.list().function = Some(directory);
        self.reader.define(name);
    }

    /// If a function was being defined, it is.
    fn end_function(&mut self) {
        if let Some(before) = self.list().function.take() {
            self.reader.wandering |= before != self.directory;
        }
    }

    pub(super) fn pop_list(&mut self) -> Option<List> {
        let Some(list) = self.lists.pop() else {
            // The script itself ends with its text.
            self.stop(Cause::Syntax);
            return None;
        };
        self.stack.pop();
        // The next round begins where this one ends.
        let again = matches!(list.kind, ListKind::LoopCondition | ListKind::LoopBody);
        if again && list.entered != self.directory {
            self.reader.wandering = true;
        }
        if let Some(outside) = &list.outside {
            self.directory = outside.clone();
        }
        Some(list)
    }

    /// A compound command ended: redirections may follow.
    pub(super) fn end_compound(&mut self) {
        self.list().state = State::After;
    }

    /// At a `;;` or its relatives.
    pub(super) fn end_clause(&mut self) {
        self.end_command();
        if self.list().kind != ListKind::CaseBody || self.list().state != State::Start {
            return self.stop(Cause::Syntax);
        }
        self.pop_list();
        self.list().state = State::CasePattern { open: false };
    }

    /// Whether what was read of the command can be the name of a function.
    pub(super) fn is_function_name(&mut self) -> bool {
        let simple = &self.list().simple;
        simple.words.len() == 1 && simple.assignments.is_empty() && simple.redirections.is_empty()
    }
}

/// The assignment that a word is written as.
fn assignment(token: &Token, name: usize, value: usize, scope: Scope) -> Assignment {
    let name = token.start().get(..name).unwrap_or("");
    Assignment::new(name, token.without(value), scope)
}
