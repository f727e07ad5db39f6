//! Arithmetic runs what is substituted in the subscripts it finds, even in the values of variables.

use std::collections::HashSet;

use crate::commands::reader::Reader;
use crate::commands::{Cause, Influence, Part, Token, environment};

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
        if name.starts_with("BASH_") || ARRAYS.contains(&name) {
            self.array(name);
        }
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

/// Arrays that bash makes itself, besides those whose names begin with its own.
const ARRAYS: &[&str] = &[
    "COMPREPLY",
    "COMP_WORDS",
    "COPROC",
    "DIRSTACK",
    "FUNCNAME",
    "GROUPS",
    "MAPFILE",
    "PIPESTATUS",
];

fn insert(names: &mut HashSet<String>, name: &str) {
    if !names.contains(name) {
        names.insert(name.to_owned());
    }
}

/// Whether a shell itself puts text into the variable that a script can choose.
pub(crate) fn is_set_by_shells(name: &str) -> bool {
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
        if !text.contains(['\\', '\'', '"']) {
            return self.evaluate_joined(text);
        }
        // Without the quotes, a dollar may stand before what it expands.
        let text = text.replace("\\\n", "");
        let hidden = ["\\", "$\"", "$'"].iter().any(|it| text.contains(it));
        self.evaluate_joined(&text.replace(['\'', '"'], "")) || hidden
    }

    fn evaluate_joined(&mut self, text: &str) -> bool {
        let bytes = text.as_bytes();
        let mut unknown = false;
        let mut at = 0;
        while let Some(byte) = bytes.get(at) {
            let rest = bytes.get(at..).unwrap_or(&[]);
            let before = bytes.get(..at).unwrap_or(&[]);
            if is_letter(*byte) {
                let length = rest.iter().position(|byte| !is_part(*byte)).unwrap_or(rest.len());
                let name = text.get(at..at + length).unwrap_or("");
                self.numbers.evaluate(name);
                at += length;
                let next = bytes.get(at);
                if next == Some(&b'[') {
                    // An assignment makes it an array.
                    self.numbers.array(name);
                }
                // What is expanded right behind it is a part of the name.
                let whole = matches!(before, [.., b'$'] | [.., b'$', b'{']);
                let number = before.last().is_some_and(u8::is_ascii_digit);
                unknown |= matches!(next, Some(b'$' | b'`')) && !whole && !number;
            } else {
                unknown |= match before {
                    [.., b'$', b'{'] => matches!(byte, b'0'..=b'9' | b'@' | b'*' | b'-' | b'!'),
                    [.., b'$'] => matches!(byte, b'0'..=b'9' | b'@' | b'*' | b'-'),
                    [.., b'{'] => matches!(byte, b'0'..=b'9' | b'@' | b'*'),
                    _ => false,
                };
                at += 1;
                let joins = bytes.get(at).is_some_and(|it| is_part(*it) || b"$`".contains(it));
                unknown |= *byte == b'}' && joins && !ends_plainly(before);
            }
        }
        unknown
    }

    /// The value of a word is evaluated as arithmetic: why that may run something.
    pub(crate) fn evaluate_token(&mut self, token: &Token) -> Option<Cause> {
        let mut cause = None;
        let parts = token.parts();
        for (index, part) in parts.iter().enumerate() {
            match part {
                Part::Text(text) | Part::Glob(text) => {
                    if index + 1 < parts.len() && ends_in_name(text) {
                        // What is expanded behind it is a part of the name.
                        cause = cause.or(Some(Cause::EvaluatedNumber));
                    }
                    // What stands between a dollar and its parenthesis may be nothing.
                    if is_expanded(text) || (text.ends_with('$') && index + 1 < parts.len()) {
                        cause = Some(Cause::EvaluatedName);
                    }
                    if sets_code(text) {
                        cause = cause.or(Some(Cause::EvaluatedVariable));
                    }
                    if self.evaluate(text) {
                        cause = cause.or(Some(Cause::EvaluatedNumber));
                    }
                }
                Part::Variable(name) if is_argument(name) => {
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

/// Whether arithmetic may put a number into a variable that decides what runs.
pub(crate) fn sets_code(text: &str) -> bool {
    let is_code = |name: &str| environment::influence(name) == Influence::Code;
    text.contains(['=', '+', '-']) && names(text).any(is_code)
}

/// The names in arithmetic.
fn names(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|it: char| !it.is_ascii_alphanumeric() && it != '_');
    words.filter(|word| word.starts_with(|it: char| it.is_ascii_alphabetic() || it == '_'))
}

/// Whether the parameter may hold anything, though no script sets it by its name.
pub(crate) fn is_argument(name: &str) -> bool {
    matches!(name, "@" | "*" | "-") || name.starts_with(|it: char| it.is_ascii_digit())
}

/// Whether what `text` ends with begins a name.
fn ends_in_name(text: &str) -> bool {
    let start = text.trim_end_matches(|it: char| it.is_ascii_alphanumeric() || it == '_').len();
    text.as_bytes().get(start).is_some_and(|it| is_letter(*it))
}

/// Whether a `}` after this ends `${name}`, which is a number if the name is never anything else.
fn ends_plainly(before: &[u8]) -> bool {
    let name = before.iter().rev().take_while(|it| is_part(**it)).count();
    before.get(..before.len() - name).is_some_and(|rest| rest.ends_with(b"${"))
}

fn is_letter(byte: u8) -> bool {
    byte.is_ascii_alphabetic() || byte == b'_'
}

fn is_part(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether text that is expanded again may run something.
fn is_expanded(text: &str) -> bool {
    ["$(", "${", "$[", "`"].iter().any(|opening| text.contains(opening))
}
