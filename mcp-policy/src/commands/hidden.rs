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

/// Which variables are operands of programs with such options, and which may hold one.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    operands: HashSet<String>,
    dashed: HashSet<String>,
    /// The variables in the value of a variable.
    copies: HashMap<String, HashSet<String>>,
    /// A program was trusted to print names of files.
    named: bool,
}

impl Hidden {
    /// `name` is given this value; `None` if nothing is known of it.
    pub(crate) fn give(&mut self, name: &str, value: Option<&Token>) {
        if value.is_none_or(may_hold_option) && !self.dashed.contains(name) {
            self.dashed.insert(name.to_owned());
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

    /// Whether a variable that may hold an option is such an operand; with `functions`, one may have
    /// run instead of a program.
    pub(crate) fn meet(&self, functions: bool) -> bool {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut left: Vec<&str> = self.operands.iter().map(String::as_str).collect();
        while let Some(name) = left.pop() {
            if !seen.insert(name) {
                continue;
            }
            if self.dashed.contains(name) {
                return true;
            }
            left.extend(self.copies.get(name).into_iter().flatten().map(String::as_str));
        }
        self.named && functions
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
            let arrives = word.parts().first() == Some(&Part::Unreadable(Cause::Arriving));
            if arrives && are_names {
                self.hidden.named |= !found;
            } else if self.hides_in(word, values.names) {
                return true;
            }
        }
        false
    }

    /// Whether the word may be an option of which nothing is known, or become one among others; with
    /// `names`, of a file.
    pub(crate) fn hides_in(&mut self, word: &Token, names: bool) -> bool {
        let mut begins = true;
        for (at, part) in word.parts().iter().enumerate() {
            match part {
                Part::Text(text) if text.is_empty() => continue,
                // What is before it may be empty.
                Part::Text(text) if begins && at > 0 && may_begin(text) => return true,
                Part::Variable(name) if is_given_by_shells(name) => return true,
                Part::Variable(name) if is_count(name) => continue,
                Part::Variable(name) => {
                    self.hidden.operands.insert(name.clone());
                    continue;
                }
                Part::Glob(_) | Part::Unreadable(Cause::Names) if begins && names => return true,
                // A number may begin with a dash.
                Part::Unreadable(Cause::Number) if begins && !word.end().is_empty() => return true,
                Part::Unreadable(Cause::Names | Cause::Number | Cause::Process) => continue,
                Part::Unreadable(Cause::Glob | Cause::Brace) if !begins => (),
                Part::Unreadable(_) => return true,
                Part::Text(_) | Part::Tilde(_) | Part::Glob(_) => (),
            }
            begins = false;
            // There is another beginning only where the word becomes several.
            if word.is_one() {
                break;
            }
        }
        false
    }
}

/// Whether a script can decide what is in the variable without naming it.
fn is_given_by_shells(name: &str) -> bool {
    let folder = matches!(name, "PWD" | "OLDPWD");
    numbers::is_argument(name) || (numbers::is_set_by_shells(name) && !folder)
}

/// Whether a value, or one of the words it becomes, may be an option, but for the variables in it.
fn may_hold_option(value: &Token) -> bool {
    value.parts().iter().any(|part| match part {
        // What is before it may be empty.
        Part::Text(text) => {
            let code = text.ends_with(".java") || (text.contains('=') && text.contains(['$', '`']));
            code || text.split_ascii_whitespace().any(may_begin)
        }
        Part::Variable(name) => is_given_by_shells(name),
        Part::Unreadable(Cause::Names | Cause::Number | Cause::Process) => false,
        Part::Unreadable(_) => true,
        Part::Tilde(_) | Part::Glob(_) => false,
    })
}

/// Whether an option begins with this text, or may.
fn may_begin(text: &str) -> bool {
    BEGINNINGS.iter().any(|start| text.starts_with(start))
}

/// Programs that find options, or variables, behind a `--`.
const WITHOUT_END: &[&str] = &["gmake", "make", "py.test", "pytest"];

/// What options begin with: those of editors and compilers, and the variables of make, too.
const BEGINNINGS: &[&str] = &["-", "+", "@", "SHELL", ".SHELL", "MAKEF", "GNUMAKEF"];

/// Whether the shell itself puts a number into the variable.
fn is_count(name: &str) -> bool {
    matches!(name, "#" | "?" | "$" | "!")
}
