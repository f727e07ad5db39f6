//! Options that may hide in words of which nothing is known.
//!
//! Some options run a program: `tar --to-command=rm`.  In `tar -xf a "$x"` the variable may hold
//! one.  Where the script gives it a value, that value tells; where it does not, the variable comes
//! from whoever starts the shell, and is taken for what it seems to be.  So are names of files that
//! are looked for, but for programs that are known to find options among them.

use std::collections::{HashMap, HashSet};

use crate::commands::reader::Reader;
use crate::commands::resolve::Call;
use crate::commands::{Cause, Part, Token, interpreters, numbers};

/// What a value may be, and what would do harm where it is put.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub(crate) struct Traits {
    /// An option, or several words of which one is.
    pub(crate) option: bool,
    /// Names of files, of which one may be an option.
    pub(crate) names: bool,
    /// Code without a dash, for programs that take it: make, java.
    pub(crate) code: bool,
    /// A number, which may be negative: with letters behind it, an option.
    pub(crate) number: bool,
}

impl Traits {
    pub(crate) const OPTION: Self = Self { option: true, names: false, code: false, number: false };
    const ALL: Self = Self { option: true, names: true, code: true, number: true };

    fn meets(self, other: Self) -> bool {
        (self.option && other.option)
            || (self.names && other.names)
            || (self.code && other.code)
            || (self.number && other.number)
    }

    fn or(self, other: Self) -> Self {
        Self {
            option: self.option || other.option,
            names: self.names || other.names,
            code: self.code || other.code,
            number: self.number || other.number,
        }
    }
}

/// Which variables are operands of programs with such options, and what they may hold.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    operands: HashMap<String, Traits>,
    values: HashMap<String, Traits>,
    /// The variables in the value of a variable.
    copies: HashMap<String, HashSet<String>>,
    /// A program was trusted to print names of files.
    named: bool,
}

impl Hidden {
    /// `name` is given this value; `None` if nothing is known of it.
    pub(crate) fn give(&mut self, name: &str, value: Option<&Token>) {
        let traits = value.map_or(Traits::ALL, traits);
        if traits != Traits::default() {
            add(&mut self.values, name, traits);
        }
        for part in value.map(Token::parts).unwrap_or_default().iter() {
            if let Part::Variable(copied) = part {
                let copies = self.copies.entry(name.to_owned()).or_default();
                copies.insert(copied.clone());
            }
        }
    }

    /// A program is trusted to print names of files.
    pub(crate) fn trust(&mut self) {
        self.named = true;
    }

    /// Whether a variable that may hold an option is such an operand; with `shadowed`, something else
    /// may have printed what was taken for names.
    pub(crate) fn meet(&self, shadowed: bool) -> bool {
        (self.named && shadowed)
            || self.operands.iter().any(|(name, wanted)| self.has(name, *wanted))
    }

    /// Whether the variable, or one that is copied into it, may hold what is wanted.
    fn has(&self, name: &str, wanted: Traits) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut left = vec![name];
        while let Some(name) = left.pop() {
            if !seen.insert(name) {
                continue;
            }
            if self.values.get(name).is_some_and(|it| it.meets(wanted)) {
                return true;
            }
            left.extend(self.copies.get(name).into_iter().flatten().map(String::as_str));
        }
        false
    }
}

fn add(names: &mut HashMap<String, Traits>, name: &str, traits: Traits) {
    match names.get_mut(name) {
        Some(before) => *before = before.or(traits),
        None => drop(names.insert(name.to_owned(), traits)),
    }
}

impl Reader {
    /// Whether an option that runs something may hide in the words of this call; that of a variable
    /// is known in the end.
    pub(crate) fn hides_option(&mut self, name: &str, call: &Call) -> bool {
        let Some(values) = interpreters::with_options(name, call.arguments()) else {
            return false;
        };
        // What `find` puts in the place of a word begins with a folder.
        let found = call.scene.via.last().is_some_and(|via| via.name == "find");
        let are_names = found || (call.names && !values.names);
        let code = WITH_CODE.contains(&name);
        let wanted = Traits { names: values.names, code, ..Traits::OPTION };
        let mut is_value = false;
        for (place, word) in call.arguments().iter().enumerate() {
            match word.as_text() {
                Some("--") if !is_value && !WITHOUT_END.contains(&name) => return false,
                Some(text) => {
                    is_value = !is_value && values.take_next(text, place);
                    continue;
                }
                None => (),
            }
            if std::mem::take(&mut is_value) && word.is_one() {
                continue;
            }
            if WITH_WORDS.contains(&name) {
                self.put(word, wanted);
            }
            let arrives = word.parts().first() == Some(&Part::Unreadable(Cause::Arriving));
            if arrives && are_names {
                self.hidden.named |= !found;
            } else if self.hides_in(word, wanted) {
                return true;
            }
        }
        false
    }

    /// Whether the word may be an option of which nothing is known, or become one among others, or
    /// else what is `wanted`.
    pub(crate) fn hides_in(&mut self, word: &Token, wanted: Traits) -> bool {
        let mut begins = true;
        let parts = word.parts();
        for (at, part) in parts.iter().enumerate() {
            // What a number would be an option with.
            let letters = parts.get(at + 1).is_some_and(|next| match next {
                Part::Text(text) => text.starts_with(|it: char| it.is_ascii_alphanumeric()),
                _ => true,
            });
            match part {
                Part::Text(text) if text.is_empty() => continue,
                // What is before it may be empty.
                Part::Text(text) if begins && at > 0 && may_begin(text) => return true,
                Part::Variable(name) if is_given_by_shells(name) => return true,
                Part::Variable(name) if is_count(name) => continue,
                Part::Variable(name) => {
                    let names = wanted.names && !word.is_one();
                    let number = begins && letters;
                    let wanted = Traits { names, number, ..wanted };
                    add(&mut self.hidden.operands, name, wanted);
                    continue;
                }
                Part::Tilde(user) => match user.as_str() {
                    "-" => add(&mut self.hidden.operands, "OLDPWD", wanted),
                    "+" => add(&mut self.hidden.operands, "PWD", wanted),
                    _ => (),
                },
                Part::Glob(_) | Part::Unreadable(Cause::Names) if begins && wanted.names => {
                    return true;
                }
                Part::Unreadable(Cause::Number) if begins && letters => return true,
                Part::Unreadable(Cause::Names | Cause::Number | Cause::Process) => continue,
                Part::Unreadable(Cause::Glob | Cause::Brace) if !begins => (),
                Part::Unreadable(_) => return true,
                Part::Text(_) | Part::Glob(_) => (),
            }
            begins = false;
            // There is another beginning only where the word becomes several.
            if word.is_one() {
                break;
            }
        }
        false
    }

    /// The variables in the word are operands, wherever in it they stand.
    fn put(&mut self, word: &Token, wanted: Traits) {
        for part in word.parts().iter() {
            if let Part::Variable(name) = part {
                add(&mut self.hidden.operands, name, wanted);
            }
        }
    }
}

/// Whether a script can decide what is in the variable without naming it.
fn is_given_by_shells(name: &str) -> bool {
    let folder = matches!(name, "PWD" | "OLDPWD");
    numbers::is_argument(name) || (numbers::is_set_by_shells(name) && !folder)
}

/// What a value may be, but for the variables in it.
fn traits(value: &Token) -> Traits {
    let of = |part: &Part| match part {
        Part::Text(text) => Traits {
            // What is before it may be empty.
            option: text.split_ascii_whitespace().any(may_begin),
            code: text.contains(['$', '`', '=']) || text.ends_with(".java"),
            names: text.contains(['*', '?', '[']),
            number: false,
        },
        Part::Variable(name) if is_given_by_shells(name) => Traits::ALL,
        Part::Glob(_) | Part::Unreadable(Cause::Names) => {
            Traits { names: true, ..Traits::default() }
        }
        Part::Unreadable(Cause::Number) => Traits { number: true, ..Traits::default() },
        Part::Variable(_) | Part::Tilde(_) | Part::Unreadable(Cause::Process) => Traits::default(),
        Part::Unreadable(_) => Traits::ALL,
    };
    value.parts().iter().map(of).fold(Traits::default(), Traits::or)
}

/// Whether an option begins with this text, or may.
fn may_begin(text: &str) -> bool {
    BEGINNINGS.iter().any(|start| text.starts_with(start))
}

/// Programs that find options, or variables, behind a `--`.
const WITHOUT_END: &[&str] = &["gmake", "make", "py.test", "pytest"];

/// Programs that take code without a dash.
const WITH_CODE: &[&str] = &["gmake", "java", "make"];

/// Programs that look at all of a word: for variables, or further options.
const WITH_WORDS: &[&str] = &["gmake", "go", "make"];

/// What options begin with: those of editors and compilers, and the variables of make, too.
const BEGINNINGS: &[&str] = &["-", "+", "@", "SHELL", ".SHELL", "MAKEF", "GNUMAKEF"];

/// Whether the shell itself puts a number into the variable.
fn is_count(name: &str) -> bool {
    matches!(name, "#" | "?" | "$" | "!")
}
