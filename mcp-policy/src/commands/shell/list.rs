//! Commands, outside quotes: where words end, and what stands between them.

use crate::commands::reader::Fed;
use crate::commands::shell::Parser;
use crate::commands::shell::frame::{ArithmeticKind, State};
use crate::commands::{Cause, Part};

impl Parser<'_> {
    pub(super) fn in_list(&mut self) {
        let at = self.at;
        if !self.word().started() {
            self.word().source = at;
        }
        let end = self.run_end(is_plain);
        if end > self.at {
            if self.byte(0) == Some(b'#') && !self.word().started() {
                self.comment();
                return;
            }
            let text = self.between(self.at, end);
            self.word().push(text);
            self.at = end;
            return;
        }
        let Some(byte) = self.byte(0) else { return };
        match byte {
            b'<' | b'>' if self.byte(1) == Some(b'(') && self.is_bash() => {
                self.diverge();
                self.substitution(2, false, true);
            }
            b' ' | b'\t' => {
                self.at += 1;
                self.end_word();
            }
            b'\n' => {
                self.end_word();
                self.at += 1;
                self.newline();
            }
            b'<' | b'>' => self.redirection(byte),
            b'(' => self.open_paren(),
            b')' => {
                self.end_word();
                self.at += 1;
                self.close_paren();
            }
            b';' | b'&' | b'|' => {
                self.end_word();
                self.operator(byte);
            }
            _ => self.in_word(byte),
        }
    }

    /// A byte with a meaning inside words.
    fn in_word(&mut self, byte: u8) {
        let text = self.text;
        let at = self.at;
        match byte {
            b'\\' => return self.backslash(),
            b'\'' => return self.single(),
            b'"' => return self.double(),
            b'$' => return self.dollar(false),
            b'`' => return self.backquote(false),
            b'~' => return self.tilde(),
            b'[' if self.is_subscript() => {
                self.diverge();
                if self.is_bash() {
                    return self.arithmetic(ArithmeticKind::Subscript, 1, true);
                }
                self.word().open_bracket(at);
            }
            b'*' | b'?' => {
                let glob = if byte == b'*' { "*" } else { "?" };
                self.word().gap(Part::Glob(glob.to_owned()), true);
            }
            b'[' => self.word().open_bracket(at),
            b']' => self.word().close_bracket(|from| text.get(from..at).unwrap_or("")),
            b'{' if self.is_bash() => self.word().open_brace(at),
            b'}' if self.is_bash() => {
                if self.word().close_brace(|from| text.get(from..at).unwrap_or("")) {
                    self.diverge();
                }
            }
            b'{' => self.word().literal_brace(),
            b'}' => {
                if self.word().has_braces() {
                    self.diverge();
                }
                self.word().push("}");
            }
            b',' => self.word().comma(),
            b'=' => {
                let append = self.word().ends_with(b"+");
                if append {
                    self.diverge();
                }
                let append = append && self.is_bash();
                self.word().equals(append);
            }
            _ => return self.take_char(),
        }
        self.at += 1;
    }

    /// At a `~`: a home folder, if it begins the word or a value.
    fn tilde(&mut self) {
        let bash = self.is_bash();
        let behind = self.word().ends_with(b"=:");
        let home = self.word().behind_home().filter(|_| bash && behind);
        let (length, again) = home.map_or((0, false), |text| (text.len(), !text.contains('/')));
        if !self.reader.spend(length) {
            return self.stop(Cause::TooLarge);
        }
        let word = self.word();
        let value = again || word.awaits_value() || (word.in_assignment() && word.ends_with(b":"));
        if word.started() && !value {
            if bash && behind && word.left_home() {
                // bash looks through the rest of a value that began like a home folder.
                self.unknown(Cause::Quoting);
            }
            self.at += 1;
            self.word().push("~");
            return;
        }
        self.at += 1;
        let start = self.at;
        self.at = self.run_end(|it| it.is_ascii_alphanumeric() || b"._+-".contains(&it));
        let user = self.between(start, self.at);
        if self.is_continued(0) {
            self.unknown(Cause::Quoting);
        }
        let ends = match self.byte(0) {
            None | Some(b'/' | b' ' | b'\t' | b'\n' | b';' | b'&' | b'|' | b'(' | b')') => true,
            Some(b'<' | b'>') => true,
            Some(b':') => {
                if !value {
                    self.diverge();
                }
                value || self.is_bash()
            }
            Some(b'=') if self.byte(1) == Some(b'~') => {
                self.diverge();
                self.is_bash()
            }
            _ => false,
        };
        if ends {
            self.word().gap(Part::Tilde(user.to_owned()), false);
        } else {
            if value {
                self.word().leave_home();
            }
            self.word().push("~");
            self.word().push(user);
        }
    }

    /// Whether the word so far is a name that a subscript may follow; reports where that is not certain.
    fn is_subscript(&mut self) -> bool {
        let list = self.list();
        let starts = match list.state {
            State::Start => true,
            State::Words => list.simple.words.is_empty() || list.coprocess,
            _ => false,
        };
        if !starts || list.redirect.is_some() || !list.word.is_name() {
            return false;
        }
        let mixed = !list.simple.assignments.is_empty() && !list.simple.redirections.is_empty();
        if mixed || (list.coprocess && list.state == State::Words) {
            // bash reads it as one, or not, by what stands right before the word.
            self.unknown(Cause::Syntax);
        }
        true
    }

    /// Whether the words of this command are read like assignments.
    pub(super) fn declares(&mut self) -> bool {
        let first = self.list().simple.words.first().and_then(|word| word.token.as_text());
        first.is_some_and(|it| DECLARING.contains(&it))
    }

    /// At a `#` that begins a word: nothing until the line ends.
    fn comment(&mut self) {
        if self.list().state == State::Condition && self.after_match() {
            self.unknown(Cause::Quoting);
        }
        if self.dialect == crate::commands::reader::Dialect::Zsh {
            // An interactive one reads on.
            self.unknown(Cause::Quoting);
        }
        self.at = self.run_end(|byte| byte != b'\n');
    }

    pub(super) fn after_match(&mut self) -> bool {
        self.list().operands.last().and_then(|word| word.bare()) == Some("=~")
    }

    /// Over backslashes at line ends: they join what they part.
    pub(super) fn skip_continuations(&mut self) {
        while self.byte(0) == Some(b'\\') && self.byte(1) == Some(b'\n') {
            self.at += 2;
        }
    }

    /// At `;`, `&` or `|`, between words.
    fn operator(&mut self, byte: u8) {
        self.at += 1;
        self.skip_continuations();
        let next = self.byte(0);
        if self.list().state == State::Condition {
            self.list().operands.clear();
            // `&&` and `||` join conditions; the others are errors that end nothing.
            if next == Some(byte) && byte != b';' {
                self.at += 1;
            } else {
                self.unknown(Cause::Syntax);
            }
            return;
        }
        match (byte, next) {
            (b';', Some(b';')) => {
                self.at += 1;
                self.skip_continuations();
                if self.byte(0) == Some(b'&') {
                    self.at += 1;
                }
                self.end_clause();
            }
            (b';', Some(b'&')) => {
                self.at += 1;
                self.end_clause();
            }
            (b'&', Some(b'>')) => {
                self.diverge();
                if self.is_bash() {
                    self.redirect_both();
                } else {
                    self.separate(false);
                }
            }
            (b'&' | b'|', Some(again)) if again == byte => {
                self.at += 1;
                self.separate(false);
            }
            (b'|', Some(b'&')) => {
                self.diverge();
                // What is read are errors, too.
                self.end_word();
                self.list().simple.mixed = true;
                self.at += 1;
                self.separate(true);
            }
            (b'|', _) => {
                if self.list().state == State::CaseMore {
                    self.list().state = State::CasePattern { open: true };
                } else {
                    self.separate(true);
                }
            }
            (b';', _) => self.end_line(false),
            _ => {
                if self.scene.fed != Fed::No && !self.text.ends_with('\n') {
                    // Of a file, the end is read once more where a child has moved the place in it.
                    self.unknown(Cause::Code);
                }
                self.separate(false);
            }
        }
    }

    /// A separator that joins commands; with `piped`, the output of the first is the input of the next.
    fn separate(&mut self, piped: bool) {
        self.end_command_into(piped);
        if !matches!(self.list().state, State::Start) {
            self.stop(Cause::Syntax);
        }
    }

    fn newline(&mut self) {
        match self.list().state {
            State::Condition => (),
            _ => self.end_line(true),
        }
        self.read_documents();
        if self.documents.iter().all(|document| document.body.is_some()) {
            self.release();
        }
    }
}

/// Whether a byte has no meaning outside quotes, unless a word begins with it.
pub(super) fn is_plain(byte: u8) -> bool {
    PLAIN.get(usize::from(byte)).copied().unwrap_or(false)
}

const PLAIN: [bool; 256] = {
    let mut plain = [true; 256];
    let special = b" \t\n;&|()<>\\'\"$`~*?[]{},=";
    let mut index = 0;
    while index < special.len() {
        plain[special[index] as usize] = false;
        index += 1;
    }
    plain
};

/// The builtins whose words are read like assignments.
const DECLARING: &[&str] = &["alias", "declare", "export", "local", "readonly", "typeset"];
