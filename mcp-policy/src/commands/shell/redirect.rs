//! Redirection operators and their targets.

use crate::commands::reader::{Dialect, Fed};
use crate::commands::shell::frame::{Descriptor, Operator, State, Timed};
use crate::commands::shell::input::reaches_input;
use crate::commands::shell::{Document, Parser, Word};
use crate::commands::{Access, Cause, Influence, Part, Redirection, Target, Token, environment};

impl Parser<'_> {
    /// At a `<` or `>`.
    pub(super) fn redirection(&mut self, byte: u8) {
        if self.list().state == State::Condition {
            self.end_word();
            // The word may have been the `]]` that ends it.
            if self.list().state == State::Condition {
                self.at += 1;
                return;
            }
        }
        let descriptor = self.take_descriptor();
        let numbered = descriptor.is_some();
        if !numbered {
            self.end_word();
        }
        self.list().descriptor = descriptor.unwrap_or_default();
        self.at += 1;
        if self.joins(0) == Some(b'(') {
            self.unknown(Cause::Quoting);
        }
        self.skip_continuations();
        let operator = match (byte, self.byte(0)) {
            (b'<', Some(b'<')) => {
                self.at += 1;
                self.skip_continuations();
                match self.byte(0) {
                    Some(b'-') => Operator::Document { tabs: self.take() },
                    Some(b'<') if self.is_bash() => {
                        self.diverge();
                        self.at += 1;
                        Operator::String
                    }
                    Some(b'<') => return self.stop_diverged(),
                    _ => Operator::Document { tabs: false },
                }
            }
            (b'<', Some(b'&')) => {
                self.at += 1;
                Operator::DuplicateIn
            }
            (b'<', Some(b'>')) => {
                self.at += 1;
                Operator::ReadWrite
            }
            (b'<', _) => Operator::Read,
            (_, Some(b'>')) => {
                self.at += 1;
                Operator::Append
            }
            (_, Some(b'&')) => {
                self.at += 1;
                Operator::DuplicateOut { numbered }
            }
            (_, Some(b'|')) => {
                self.at += 1;
                Operator::Write
            }
            _ => Operator::Write,
        };
        if self.byte(0) == Some(b'(') {
            self.diverge();
        }
        self.expect_target(operator);
    }

    /// At the `>` of a `&>`.
    pub(super) fn redirect_both(&mut self) {
        self.at += 1;
        self.skip_continuations();
        let append = self.byte(0) == Some(b'>');
        if append {
            self.at += 1;
        }
        self.list().descriptor = Descriptor::Other;
        self.expect_target(if append { Operator::Append } else { Operator::Write });
    }

    fn take(&mut self) -> bool {
        self.at += 1;
        true
    }

    fn stop_diverged(&mut self) {
        self.diverge();
        self.stop(Cause::Syntax);
    }

    fn expect_target(&mut self, operator: Operator) {
        let list = self.list();
        let command = matches!(list.state, State::Start | State::Words | State::After);
        if list.redirect.is_some() || !command {
            return self.stop(Cause::Syntax);
        }
        list.redirect = Some(operator);
        // Only right behind `time` is its option one.
        list.timed = Timed::No;
        if self.dialect == Dialect::Zsh && matches!(self.byte(0), Some(b'!' | b'|' | b'&')) {
            // `>!` is an operator.
            self.unknown(Cause::Syntax);
        }
        let duplicate = matches!(operator, Operator::DuplicateIn | Operator::DuplicateOut { .. });
        if duplicate {
            self.skip_blanks();
            // To bash the dash is a whole word here, whatever follows.
            if self.byte(0) == Some(b'-') {
                self.diverge();
                if self.is_bash() {
                    self.take_char();
                    self.end_word();
                }
            }
        }
    }

    /// Whether the word that touches the operator names a descriptor; then it is no word.
    fn take_descriptor(&mut self) -> Option<Descriptor> {
        let bash = self.is_bash();
        if self.word().is_element() {
            // `{name[…]}` is a descriptor to bash.
            self.unknown(Cause::Quoting);
        }
        let text = self.word().bare().filter(|text| !text.is_empty())?;
        let zero = text.bytes().all(|byte| byte == b'0');
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        let variable = text
            .strip_prefix('{')
            .and_then(|text| text.strip_suffix('}'))
            .is_some_and(super::is_name);
        let length = text.len();
        let long = length > 1;
        let name = text.trim_matches(['{', '}']);
        let code = variable && environment::influence(name) == Influence::Code;
        if (variable || digits) && long {
            self.diverge();
        }
        let named = (digits && (bash || !long)) || (variable && bash);
        if digits && bash && length > MAX_DIGITS {
            // A number too large for a descriptor is a word.
            self.unknown(Cause::Quoting);
        }
        if named && code {
            self.unknown(Cause::EvaluatedVariable);
        }
        if named {
            self.word().finish();
        }
        named.then_some(if zero { Descriptor::Zero } else { Descriptor::Other })
    }

    /// The word after an operator ended.
    pub(super) fn end_target(&mut self, word: Word) {
        let Some(operator) = self.list().redirect.take() else { return };
        let descriptor_of = self.list().descriptor;
        if self.scene.fed != Fed::No && reaches_input(operator, descriptor_of, &word.token) {
            self.unknown(Cause::Code);
        }
        let (access, target) = match operator {
            Operator::Document { tabs } => {
                let target = self.document(word, tabs);
                (Access::Read, target)
            }
            Operator::String => (Access::Read, Target::Text(word.token)),
            Operator::Read => (Access::Read, file(word.token)),
            Operator::Write => (Access::Write, file(word.token)),
            Operator::Append => (Access::Append, file(word.token)),
            Operator::ReadWrite => (Access::ReadWrite, file(word.token)),
            Operator::DuplicateIn => (Access::Read, descriptor(word.token, false)),
            Operator::DuplicateOut { numbered } => {
                self.expanded_twice(&word.token);
                (Access::Write, descriptor(word.token, !numbered))
            }
        };
        let list = self.list();
        let input = match list.descriptor {
            Descriptor::Default => access == Access::Read || operator == Operator::ReadWrite,
            Descriptor::Zero => true,
            Descriptor::Other => false,
        };
        let duplicates = matches!(operator, Operator::DuplicateIn | Operator::DuplicateOut { .. });
        list.simple.mixed |= duplicates
            || matches!(target, Target::Descriptor)
            || (access != Access::Read && target != Target::Null);
        if input {
            list.simple.has_input = !matches!(target, Target::Descriptor);
            let text = matches!(target, Target::Text(_));
            list.simple.stdin = text.then_some(list.simple.redirections.len());
        }
        list.simple.redirections.push(Redirection { access, target });
    }

    /// After `>&`, bash expands a word that is no descriptor twice.
    fn expanded_twice(&mut self, token: &Token) {
        let live = ['$', '`', '\\', '"', '\'', '~', '*', '?', '[', '{', '<', '>', '('];
        let plain = |text: &str| !text.contains(live);
        for part in token.parts().iter() {
            match part {
                Part::Text(text) if plain(text) => (),
                Part::Unreadable(Cause::Number) | Part::Tilde(_) => (),
                Part::Variable(name) if super::is_name(name) => self.reader.numbers.evaluate(name),
                _ => self.unknown(Cause::EvaluatedName),
            }
        }
    }

    /// A here-document begins with the next line.
    fn document(&mut self, word: Word, tabs: bool) -> Target {
        let delimiter = match word.token {
            Token::Text(text) => text,
            Token::Gap { parts, .. } => {
                // Nothing in it is expanded; what it is, differs.
                let literal = |part: &Part| match part {
                    Part::Text(text) | Part::Glob(text) => Some(text.clone()),
                    Part::Tilde(user) => Some(format!("~{user}")),
                    Part::Variable(_) | Part::Unreadable(_) => None,
                };
                match parts.iter().map(literal).collect::<Option<String>>() {
                    Some(text) => text,
                    None => {
                        self.stop(Cause::HereDocument);
                        return Target::Unreadable(Token::unreadable(Cause::HereDocument));
                    }
                }
            }
        };
        if self.documents.len() >= MAX_DOCUMENTS {
            self.stop(Cause::TooLarge);
        }
        let level = self.level();
        if level > 0 && self.list().state == State::After {
            // bash 5.2 writes down what it read of a substitution, and of some compound commands
            // without the text.
            self.diverge();
            if self.is_bash() {
                self.unknown(Cause::HereDocument);
            }
        }
        let index = self.list().simple.redirections.len();
        let number = self.documents.len();
        self.list().simple.heredocs.push((index, number));
        self.documents.push(Document { delimiter, quoted: word.quoted, tabs, level, body: None });
        Target::Text(Token::unreadable(Cause::HereDocument))
    }
}

/// What a file name opens.
pub(crate) fn file(token: Token) -> Target {
    match token.as_text() {
        Some("/dev/null") => Target::Null,
        Some("/dev/stdin" | "/dev/stdout" | "/dev/stderr" | "/dev/tty") => Target::Descriptor,
        Some(text) if text.strip_prefix("/dev/fd/").is_some_and(is_digits) => Target::Descriptor,
        _ if token.is_path() => Target::File(token),
        _ => Target::Unreadable(token),
    }
}

/// What stands after `>&` or `<&`; with `or_file`, a file if it is no descriptor.
fn descriptor(token: Token, or_file: bool) -> Target {
    match token.as_text() {
        Some("-") => Target::Descriptor,
        Some(text) if is_digits(text.strip_suffix('-').unwrap_or(text)) => Target::Descriptor,
        Some(_) if or_file => file(token),
        Some(_) => Target::Unreadable(token),
        None => Target::Unreadable(token),
    }
}

/// Any number of so many digits can be that of a descriptor.
const MAX_DIGITS: usize = 9;
/// Here-documents whose bodies are awaited at a time.
const MAX_DOCUMENTS: usize = 64;

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
