//! What `${…}` does, besides naming a variable.

use crate::commands::shell::Parser;
use crate::commands::{Cause, Influence, environment};

impl Parser<'_> {
    /// The text inside a `${…}` that does more than name a variable.
    pub(super) fn check_parameter(&mut self, inside: &str) {
        if !self.reader.spend(inside.len()) {
            return self.stop(Cause::TooLarge);
        }
        if inside.contains("\\\n") {
            self.unknown(Cause::Quoting);
        }
        if inside.contains('@') && inside.ends_with('P') {
            self.unknown(Cause::EvaluatedPrompt);
        }
        let rest = inside.strip_prefix(['!', '#']).unwrap_or(inside);
        let part = |it: char| it.is_ascii_alphanumeric() || it == '_';
        let (name, operator) = rest.split_at(rest.find(|it| !part(it)).unwrap_or(rest.len()));
        // What is no name may be the arguments.
        let special = ['@', '*', '#', '?', '-', '$', '!'];
        let operator = match operator.strip_prefix(special).filter(|_| name.is_empty()) {
            Some(rest) if rest.starts_with(':') => rest,
            _ => operator,
        };
        if inside.starts_with('!') {
            self.reader.numbers.evaluate(name);
            if rest.starts_with(|it: char| it.is_ascii_digit() || matches!(it, '@' | '*')) {
                // The arguments of a script or function may be anything.
                self.unknown(Cause::EvaluatedNumber);
            }
        }
        if ["[@]", "$@", "{@", "{!"].iter().any(|it| inside.contains(it)) {
            // Even in quotes it may be several words, or none.
            self.word().many();
        }
        if operator.starts_with('[') && !closes_subscript(operator) {
            // bash looks for the end of the subscript first.
            self.unknown(Cause::Parameter);
        }
        let all = operator.starts_with("[@]") || operator.starts_with("[*]");
        if let Some(subscript) = operator.strip_prefix('[').filter(|_| !all) {
            self.evaluated_source(subscript);
        }
        match operator.strip_prefix(':') {
            Some(rest) if !rest.starts_with(['-', '=', '?', '+']) => self.evaluated_source(rest),
            Some(rest) if rest.starts_with('=') => self.assigned(name),
            None if operator.starts_with('=') => self.assigned(name),
            _ => {
                if let Some((_, offset)) = operator.split_once("]:") {
                    self.evaluated_source(offset);
                }
                if operator.starts_with('[') && ["]=", "]:="].iter().any(|it| operator.contains(it))
                {
                    self.assigned(name);
                    self.reader.numbers.array(name);
                }
            }
        }
    }

    fn evaluated_source(&mut self, text: &str) {
        if text.contains("$(") || text.contains('`') {
            self.unknown(Cause::EvaluatedNumber);
        }
        self.evaluated(text);
    }

    /// An expansion gives `name` a value.
    fn assigned(&mut self, name: &str) {
        self.reader.give(name, None);
        if environment::influence(name) == Influence::Code {
            self.unknown(Cause::EvaluatedVariable);
        }
    }
}

/// Whether the bracket that `text` begins with is closed in it, and what is open inside with it.
fn closes_subscript(text: &str) -> bool {
    let (mut open, mut quote) = (Vec::new(), None);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\\' => drop(bytes.next()),
            _ if quote.is_some() => quote = quote.filter(|it| *it != byte),
            b'\'' | b'"' | b'`' => quote = Some(byte),
            b'(' => open.push(b')'),
            b'[' => open.push(b']'),
            b'{' => open.push(b'}'),
            _ if open.last() == Some(&byte) => {
                open.pop();
                if open.is_empty() {
                    return true;
                }
            }
            _ => (),
        }
    }
    false
}

/// Whether `text` can name a variable.
pub(crate) fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_')
        && bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_')
}
