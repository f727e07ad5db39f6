//! Options that may hide in words of which nothing is known.
//!
//! Some options run a program: `tar --to-command=rm`.  In `tar -xf a "$x"` the variable may hold
//! one.  Where the script gives it a value, that value tells; where it does not, the variable comes
//! from whoever starts the shell, and is taken for what it seems to be.

use std::collections::HashSet;

use crate::commands::reader::Reader;
use crate::commands::resolve::Call;
use crate::commands::{Cause, Part, Token, interpreters, numbers};

/// Which variables are operands of programs with such options, and which may hold one.
#[derive(Debug, Default)]
pub(crate) struct Hidden {
    operands: HashSet<String>,
    dashed: HashSet<String>,
}

impl Hidden {
    /// `name` is given this value; `None` if nothing is known of it.
    pub(crate) fn give(&mut self, name: &str, value: Option<&Token>) {
        if value.is_none_or(may_hold_option) && !self.dashed.contains(name) {
            self.dashed.insert(name.to_owned());
        }
    }

    /// Whether a variable that may hold an option is such an operand.
    pub(crate) fn meet(&self) -> bool {
        !self.operands.is_disjoint(&self.dashed)
    }
}

impl Reader {
    /// Whether an option that runs something may hide in the words of this call; that of a variable
    /// is known in the end.
    pub(crate) fn hides_option(&mut self, name: &str, call: &Call) -> bool {
        let Some(values) = interpreters::with_options(name, call.arguments()) else {
            return false;
        };
        // What `find` puts into a command begins with a folder.
        let found = call.scene.via.last().is_some_and(|via| via.name == "find");
        let are_names = found || (call.names && !values.names);
        let mut is_value = false;
        for (place, word) in call.arguments().iter().enumerate() {
            match word.as_text() {
                Some("--") if !is_value => return false,
                Some(text) => {
                    is_value = !is_value && values.take_next(text, place);
                    continue;
                }
                None => (),
            }
            if std::mem::take(&mut is_value) && word.is_one() {
                continue;
            }
            let named = are_names && word.cause() == Some(Cause::Arriving);
            if !named && self.hides_in(word, values.names) {
                return true;
            }
        }
        false
    }

    /// Whether the word may be an option, or become one among others; with `names`, of a file.
    pub(crate) fn hides_in(&mut self, word: &Token, names: bool) -> bool {
        let mut begins = true;
        for part in word.parts().iter() {
            match part {
                Part::Text(text) if begins && text.starts_with('-') => return true,
                Part::Variable(name) if is_given_by_shells(name) => return true,
                Part::Variable(name) if is_count(name) => (),
                // It may be empty, and the word begins behind it.
                Part::Variable(name) => {
                    self.hidden.operands.insert(name.clone());
                    continue;
                }
                Part::Glob(_) if begins && names => return true,
                Part::Unreadable(Cause::Number | Cause::Process | Cause::Home) => (),
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

/// Whether a value, or one of the words it becomes, may be an option.
fn may_hold_option(value: &Token) -> bool {
    let dashes = |text: &str| text.split_ascii_whitespace().any(|it| it.starts_with('-'));
    value.parts().iter().any(|part| match part {
        // What is before it may be empty.
        Part::Text(text) => dashes(text),
        Part::Variable(name) => !is_count(name),
        Part::Unreadable(cause) => !matches!(cause, Cause::Number | Cause::Process | Cause::Home),
        Part::Tilde(_) | Part::Glob(_) => false,
    })
}

/// Whether the shell itself puts a number into the variable.
fn is_count(name: &str) -> bool {
    matches!(name, "#" | "?" | "$" | "!")
}
