//! Arithmetic runs what is substituted in the subscripts it finds, even in the values of variables.

use std::collections::HashSet;

use crate::commands::reader::Reader;
use crate::commands::{Cause, Part, Token};

/// Which variables are evaluated as arithmetic, and which may hold anything.
#[derive(Debug, Default)]
pub(crate) struct Numbers {
    evaluated: HashSet<String>,
    tainted: HashSet<String>,
}

impl Numbers {
    pub(crate) fn evaluate(&mut self, name: &str) {
        insert(&mut self.evaluated, name);
    }

    pub(crate) fn taint(&mut self, name: &str) {
        insert(&mut self.tainted, name);
        if COUNTING.contains(&name) {
            self.evaluate(name);
        }
    }

    /// `name` is an array: to give it a text as a whole is to read that as a list of words.
    pub(crate) fn array(&mut self, name: &str) {
        self.evaluated.insert(format!("{name}[]"));
    }

    /// A builtin gives `name` a text as a whole.
    pub(crate) fn taint_whole(&mut self, name: &str) {
        self.tainted.insert(format!("{name}[]"));
    }

    /// Whether a variable that may hold anything is evaluated.
    pub(crate) fn meet(&self) -> bool {
        self.evaluated.iter().any(|name| self.tainted.contains(name) || is_set_by_shells(name))
    }
}

/// Variables that are numbers, and evaluate what they are given.
const COUNTING: &[&str] = &[
    "BASHPID",
    "BASH_SUBSHELL",
    "COLUMNS",
    "COMP_CWORD",
    "EPOCHREALTIME",
    "EPOCHSECONDS",
    "EUID",
    "HISTCMD",
    "LINENO",
    "LINES",
    "OPTIND",
    "PPID",
    "RANDOM",
    "SECONDS",
    "SRANDOM",
    "UID",
];

fn insert(names: &mut HashSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// Whether a shell itself puts text into the variable that a script can choose.
fn is_set_by_shells(name: &str) -> bool {
    let counts = matches!(name, "BASHPID" | "BASH_SUBSHELL" | "BASH_VERSINFO");
    let words = [
        "COMP_LINE",
        "COMP_WORDS",
        "COMPREPLY",
        "DIRSTACK",
        "FUNCNAME",
        "MAPFILE",
        "MATCH",
        "OLDPWD",
        "OPTARG",
        "PWD",
        "READLINE_LINE",
        "REPLY",
        "_",
        "argv",
        "funcstack",
        "match",
    ];
    (name.starts_with("BASH") && !counts) || words.contains(&name)
}

impl Reader {
    /// `text` is evaluated as arithmetic, and with it what the variables hold that it names.
    ///
    /// Whether it names what cannot be known, such as the arguments of the script.
    pub(crate) fn evaluate(&mut self, text: &str) -> bool {
        // Expansions in expansions are looked at once for each that they stand in.
        if !self.spend(text.len()) {
            return true;
        }
        if !text.contains('\\') {
            return self.evaluate_joined(text);
        }
        let text = text.replace("\\\n", "");
        self.evaluate_joined(&text) || text.contains('\\')
    }

    fn evaluate_joined(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut arguments = false;
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            if byte.is_ascii_alphabetic() || *byte == b'_' {
                let rest = bytes.get(at..).unwrap_or(&[]);
                let part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
                let length = rest.iter().position(|byte| !part(byte)).unwrap_or(rest.len());
                self.numbers.evaluate(text.get(at..at + length).unwrap_or(""));
                at += length;
            } else {
                let before = at.checked_sub(1).and_then(|before| bytes.get(before));
                let expands = matches!(before, Some(b'$' | b'{'));
                arguments |= expands && matches!(byte, b'1'..=b'9' | b'@' | b'*');
                at += 1;
            }
        }
        arguments
    }

    /// The value of a word is evaluated as arithmetic: why that may run something.
    pub(crate) fn evaluate_token(&mut self, token: &Token) -> Option<Cause> {
        let mut cause = None;
        for part in token.parts().iter() {
            match part {
                Part::Text(text) | Part::Glob(text) => {
                    if is_expanded(text) {
                        cause = Some(Cause::EvaluatedName);
                    }
                    if self.evaluate(text) {
                        cause = cause.or(Some(Cause::EvaluatedNumber));
                    }
                }
                Part::Variable(name) if matches!(name.as_bytes(), [b'1'..=b'9' | b'@' | b'*']) => {
                    cause = cause.or(Some(Cause::EvaluatedNumber));
                }
                Part::Variable(name) => self.numbers.evaluate(name),
                Part::Unreadable(Cause::Number) | Part::Tilde(_) => (),
                Part::Unreadable(_) => cause = cause.or(Some(Cause::EvaluatedNumber)),
            }
        }
        cause
    }
}

/// The names in arithmetic.
pub(crate) fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    words.filter(|word| word.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_'))
}

/// Whether text that is expanded again may run something.
fn is_expanded(text: &str) -> bool {
    ["$(", "${", "$[", "`"].iter().any(|opening| text.contains(opening))
}
