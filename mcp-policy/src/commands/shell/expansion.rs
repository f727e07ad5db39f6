//! `$…`, backquotes and process substitutions.

use crate::commands::reader::JobKind;
use crate::commands::shell::Parser;
use crate::commands::shell::frame::{ArithmeticKind, Frame, ListKind, Span};
use crate::commands::{Cause, Part};

impl Parser<'_> {
    /// At a `$`.
    pub(super) fn dollar(&mut self, quoted: bool) {
        match self.byte(1) {
            Some(b'(') if self.byte(2) == Some(b'(') => {
                self.arithmetic(ArithmeticKind::Expansion, 3, quoted);
            }
            Some(b'(') => self.substitution(2, quoted, false),
            Some(b'{') => self.parameter(quoted),
            Some(b'[') if self.is_bash() => {
                self.word().tricky();
                self.arithmetic(ArithmeticKind::Bracket, 2, quoted);
            }
            Some(b'\'') if !quoted && self.is_bash() => {
                self.diverge();
                self.escaped();
            }
            Some(b'"') if !quoted && self.is_bash() => {
                // Its text may be translated, and then expanded.
                self.diverge();
                self.word().gap(Part::Unreadable(Cause::Translated), false);
                self.at += 1;
                self.double();
            }
            Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
                let start = self.at + 1;
                self.at = start;
                self.at = self.run_end(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
                let name = self.between(start, self.at);
                if self.joins(0).is_some_and(|it| it.is_ascii_alphanumeric() || it == b'_') {
                    // The name goes on.
                    self.unknown(Cause::Quoting);
                }
                self.variable(name, quoted);
            }
            Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!' | b'0'..=b'9') => {
                let name = self.between(self.at + 1, self.at + 2);
                if name == "$" && matches!(self.byte(2), Some(b'{' | b'(' | b'[' | b'\'' | b'"')) {
                    // To bash, the second dollar may open what follows.
                    self.unknown(Cause::Quoting);
                }
                self.at += 2;
                self.variable(name, quoted);
            }
            next => {
                if next == Some(b'[') || (matches!(next, Some(b'\'' | b'"')) && !quoted) {
                    self.diverge();
                }
                let quote = next == Some(b'\'') && !quoted;
                if self.is_continued(1) || (quote && self.ends_apart()) {
                    self.unknown(Cause::Quoting);
                }
                self.word().push("$");
                self.at += 1;
            }
        }
    }

    /// Whether `$'…'` ends elsewhere for a shell that knows it than for one that sees a plain quote.
    fn ends_apart(&self) -> bool {
        let rest = self.text.as_bytes().get(self.at + 2..).unwrap_or(&[]);
        let text = rest.split(|byte| *byte == b'\'').next().unwrap_or(&[]);
        text.iter().rev().take_while(|byte| **byte == b'\\').count() % 2 == 1
    }

    fn variable(&mut self, name: &str, quoted: bool) {
        let any = !quoted || name == "@";
        self.word().gap(Part::Variable(name.to_owned()), any);
    }

    /// At `$(`, `<(` or `>(`, which are `skip` bytes long.
    pub(super) fn substitution(&mut self, skip: usize, quoted: bool, process: bool) {
        let cause = if process { Cause::Process } else { Cause::Substitution };
        self.at += skip;
        // `<()` is no word at all; whether it is that is not sure with a comment or a joined line.
        let rest = self.text.get(self.at..).unwrap_or("");
        let first = rest.trim_start_matches([' ', '\t', '\n']);
        let is_empty = process && first.starts_with([')', '#', '\\']);
        if self.joins(0) == Some(b'(') {
            self.unknown(Cause::Quoting);
        }
        self.word().gap(Part::Unreadable(cause), is_empty || (!quoted && !process));
        self.push_list(ListKind::Substitution { quoted, process });
    }

    /// At `${`.
    fn parameter(&mut self, quoted: bool) {
        let body = matches!(self.stack.last(), Some(Frame::Body));
        self.at += 2;
        let start = self.at;
        let end = self.run_end(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        let name = self.between(start, end);
        let special =
            || matches!(self.byte(0), Some(b'@' | b'*' | b'#' | b'?' | b'-' | b'$' | b'!'));
        if end > start && self.text.as_bytes().get(end) == Some(&b'}') {
            self.at = end + 1;
            self.variable(name, quoted);
        } else if special() && self.byte(1) == Some(b'}') {
            let name = self.between(start, start + 1);
            self.at += 2;
            self.variable(name, quoted);
        } else {
            // Later versions of bash run `${ commands; }`, and where any ends `${[}]}` and its like.
            if !self.is_parameter(start, end) {
                self.unknown(Cause::Parameter);
            }
            // To dash, the colon takes the brace with it.
            let after = end + usize::from(end == start);
            if self.text.as_bytes().get(after..).is_some_and(|it| it.starts_with(b":}")) {
                self.diverge();
                self.unknown(Cause::Parameter);
            }
            let many = self.many_values(end);
            let length = self.byte(0) == Some(b'#');
            let cause = if length { Cause::Number } else { Cause::Parameter };
            self.word().gap(Part::Unreadable(cause), !quoted || many);
            self.word().hide();
            self.push(Frame::Parameter(Span { start, quoted, body }));
        }
    }

    /// Whether what stands in the braces, a name up to `end`, is a parameter and perhaps an operator.
    fn is_parameter(&self, start: usize, end: usize) -> bool {
        let byte = |at: usize| self.text.as_bytes().get(at).copied().unwrap_or(b' ');
        let operator = |at: usize| b":-=?+#%/^,@[~}".contains(&byte(at));
        let name = |at: usize| byte(at).is_ascii_alphanumeric() || byte(at) == b'_';
        match byte(start) {
            _ if end > start => operator(end),
            b'#' | b'!' => {
                name(start + 1) || operator(start + 1) || b"*$!".contains(&byte(start + 1))
            }
            b'@' | b'*' | b'?' | b'-' | b'$' => operator(start + 1),
            _ => false,
        }
    }

    /// Whether the expansion up to `name_end` names all elements of something.
    fn many_values(&self, name_end: usize) -> bool {
        let rest = self.text.as_bytes().get(name_end..).unwrap_or(&[]);
        rest.starts_with(b"[@]")
            || matches!(self.byte(0), Some(b'@'))
            // `${!prefix@}`, `${!name[@]}` and `${!reference}`: several words are possible.
            || self.byte(0) == Some(b'!')
    }

    /// Inside `${…}`.
    pub(super) fn in_parameter(&mut self, span: Span) {
        self.at = self.run_end(|byte| {
            !matches!(byte, b'}' | b'\\' | b'\'' | b'"' | b'$' | b'`' | b'<' | b'>')
        });
        match self.byte(0) {
            Some(b'}') => {
                self.at += 1;
                self.stack.pop();
                self.word().reveal();
                let inside = self.between(span.start, self.at - 1);
                self.check_parameter(inside);
            }
            Some(b'\\') => self.skip_escaped(),
            Some(b'\'') if span.quoted => {
                self.quote_in_arithmetic();
                self.quote_in_quotes();
            }
            Some(b'\'') => self.single(),
            Some(b'"') => {
                if span.body || (span.quoted && !self.is_bash()) {
                    self.unknown(Cause::Quoting);
                }
                if span.quoted {
                    self.diverge();
                    self.word().tricky();
                }
                self.quote_in_arithmetic();
                self.double();
            }
            Some(b'$') => self.dollar(span.quoted),
            Some(b'`') => self.backquote(span.quoted),
            Some(_) => {
                let process = self.byte(1) == Some(b'(');
                if process && span.quoted {
                    // Text after some operators; in a pattern (`%`, `#`, `/`, `^`, `,`) bash runs it.
                    self.unknown(Cause::Process);
                } else if process {
                    self.diverge();
                }
                if process && !span.quoted && self.is_bash() {
                    self.substitution(2, false, true);
                } else {
                    self.at += 1;
                }
            }
            None => (),
        }
    }

    /// Over a backslash and what follows it.
    pub(super) fn skip_escaped(&mut self) {
        self.at += 1;
        let rest = self.text.get(self.at..).unwrap_or("");
        self.at += rest.chars().next().map_or(0, char::len_utf8);
    }

    /// At a quote: in arithmetic what stands on both sides of it is joined, and then expanded.
    fn quote_in_arithmetic(&mut self) {
        let inner = self.stack.iter().rev().take_while(|it| !matches!(it, Frame::List));
        if inner.into_iter().any(|it| matches!(it, Frame::Arithmetic(_))) {
            self.unknown(Cause::Quoting);
        }
    }

    /// At a `'` in `"${…}"`: a quote for some operators and shells, a letter for others.
    fn quote_in_quotes(&mut self) {
        let start = self.at + 1;
        let rest = self.text.as_bytes().get(start..).unwrap_or(&[]);
        let special = |byte: &u8| matches!(byte, b'\'' | b'"' | b'`' | b'$' | b'\\' | b'}' | b'\n');
        let length = rest.iter().position(special);
        match length.and_then(|length| Some((length, rest.get(length)?))) {
            Some((length, b'\'')) => self.at = start + length + 1,
            _ => {
                self.unknown(Cause::Quoting);
                self.at += 1;
            }
        }
    }

    /// At a backquote.
    pub(super) fn backquote(&mut self, quoted: bool) {
        let start = self.at + 1;
        let bytes = self.text.as_bytes();
        let mut end = start;
        loop {
            match bytes.get(end) {
                Some(b'`') => break,
                Some(b'\\') => end += 2,
                Some(_) => end += 1,
                None => {
                    self.at = self.text.len();
                    self.stop(Cause::Unterminated);
                    return;
                }
            }
        }
        self.reader.steps += end - start;
        let inside = self.between(start, end);
        self.at = end + 1;
        self.word().gap(Part::Unreadable(Cause::Substitution), !quoted);
        if quoted && inside.contains('"') {
            self.word().tricky();
        }
        self.feed();
        // Only right in double quotes is it certain whether the backslash before a quote goes.
        let mut open = self.stack.iter().rev().take_while(|it| !matches!(it, Frame::List));
        let uncertain = open.any(|it| matches!(it, Frame::Body | Frame::Parameter(_)));
        let script = unescape_backquoted(inside, quoted);
        if quoted && uncertain && inside.contains("\\\"") {
            self.unknown(Cause::Quoting);
        }
        self.add_job(script, JobKind::Script);
    }
}

/// What stands between backquotes, without the backslashes that protected it from them.
fn unescape_backquoted(inside: &str, quoted: bool) -> String {
    let mut script = String::with_capacity(inside.len());
    let mut chars = inside.chars().peekable();
    while let Some(char) = chars.next() {
        // A continued line is joined before anything else is known, even in single quotes.
        if char == '\\' && chars.next_if_eq(&'\n').is_some() {
            continue;
        }
        let escapes = |next: &char| matches!(next, '`' | '\\' | '$') || (quoted && *next == '"');
        match chars.next_if(|next| char == '\\' && escapes(next)) {
            Some(next) => script.push(next),
            None => script.push(char),
        }
    }
    script
}
