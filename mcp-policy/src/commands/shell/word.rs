//! A word, while it is being read.

mod brackets;

use std::ops::Range;

use crate::commands::shell::is_name;
use crate::commands::{Arguments, Cause, Part, Token};

/// A word as the grammar needs it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Word {
    pub(crate) token: Token,
    /// Some of it stood in quotes, or behind a backslash.
    pub(crate) quoted: bool,
    /// The length of its name, and of what stands up to its value, if it is written as an assignment.
    pub(crate) assignment: Option<(usize, usize)>,
    /// Where it is no assignment, a bracket in it may be a pattern, or with `nullglob` nothing.
    pub(crate) doubtful: bool,
}

impl Word {
    pub(crate) fn plain(text: &str) -> Self {
        Self { token: Token::new(text), quoted: false, assignment: None, doubtful: false }
    }

    /// The word, if it may be a reserved one.
    pub(crate) fn bare(&self) -> Option<&str> {
        self.token.as_text().filter(|_| !self.quoted)
    }
}

/// Collects the pieces of one word.
#[derive(Debug, Default)]
pub(crate) struct Builder {
    parts: Vec<Part>,
    text: String,
    started: bool,
    quoted: bool,
    left_home: bool,
    any: bool,
    /// How many expansions are open whose text is not part of the word.
    opaque: u32,
    braces: Vec<Brace>,
    brace: bool,
    /// The braces that were taken for an expansion.
    expanded: Vec<Range<usize>>,
    /// Quotes in quotes, or a `$[`: to the expansion of braces they are not what they are to us.
    tricky: bool,
    /// The value is a list in parentheses.
    array: bool,
    /// Where in the script the word begins.
    pub(crate) source: usize,
    /// How many bytes were looked at again.
    looked: usize,
    /// Nothing of the text is certain.
    tangled: bool,
    bracket: Option<(Spot, usize)>,
    /// A bracket ended, unless it was empty so far.
    hollow: bool,
    /// In a bracket was a `]` that seems not to end it.
    doubtful: bool,
    assignment: Option<(usize, usize)>,
    /// An equals sign was read: what comes after is no name.
    equal: bool,
    /// A subscript was read whose text is not kept.
    subscript: bool,
    /// A line ended in it, and goes on.
    joined: bool,
}

/// A place in a word: pieces before it, and bytes of the piece at it.
type Spot = (usize, usize);

#[derive(Debug)]
struct Brace {
    spot: Spot,
    source: usize,
    comma: bool,
}

impl Builder {
    /// How many bytes of the word were looked at again.
    pub(crate) fn looked(&self) -> usize {
        self.looked
    }

    pub(crate) fn started(&self) -> bool {
        self.started
    }

    /// Begins the word, though it may stay empty.
    pub(crate) fn quote(&mut self) {
        self.started = true;
        self.quoted = true;
    }

    pub(crate) fn push(&mut self, text: &str) {
        self.started = true;
        if self.opaque == 0 {
            self.text.push_str(text);
        }
    }

    /// A line ends here, and goes on: if the word does, what touches there is not looked for.
    pub(crate) fn join(&mut self) {
        self.joined |= self.started && self.opaque == 0;
    }

    /// Adds something that becomes one argument, or with `any` an unknown number of them.
    pub(crate) fn gap(&mut self, part: Part, any: bool) {
        self.started = true;
        if self.opaque > 0 {
            return;
        }
        self.any |= any;
        if !self.text.is_empty() {
            self.parts.push(Part::Text(std::mem::take(&mut self.text)));
        }
        self.parts.push(part);
    }

    /// It may become any number of arguments, for what is hidden in it.
    pub(crate) fn many(&mut self) {
        self.any = true;
    }

    /// A subscript, which is not part of what is kept.
    pub(crate) fn subscript(&mut self) {
        self.subscript = true;
        self.push("[]");
    }

    /// The substitution that was added last gives something milder than any text.
    pub(crate) fn becomes(&mut self, cause: Cause) {
        if let (Some(last), 0) = (self.parts.last_mut(), self.opaque) {
            *last = Part::Unreadable(cause);
        }
    }

    /// From here on nothing belongs to the word, until [`Builder::reveal`].
    pub(crate) fn hide(&mut self) {
        self.started = true;
        self.opaque += 1;
    }

    pub(crate) fn reveal(&mut self) {
        self.opaque = self.opaque.saturating_sub(1);
    }

    /// The literal and unquoted text so far, if there is nothing else.
    pub(crate) fn bare(&self) -> Option<&str> {
        (self.parts.is_empty() && !self.quoted && self.opaque == 0).then_some(self.text.as_str())
    }

    /// Whether the word so far is a name, that a subscript may follow.
    pub(crate) fn is_name(&mut self) -> bool {
        // A name that is long is looked at once only.
        let first = self.bracket.is_none() && !self.subscript && !self.equal;
        self.looked += if first { self.text.len() } else { 0 };
        first && self.bare().is_some_and(is_name)
    }

    /// Whether the last thing in the word is a literal `byte`.
    pub(crate) fn ends_with(&self, bytes: &[u8]) -> bool {
        let last = match self.parts.last() {
            Some(Part::Glob(text)) if self.text.is_empty() => text.as_bytes().last(),
            _ => self.text.as_bytes().last(),
        };
        self.opaque == 0 && last.is_some_and(|last| bytes.contains(last))
    }

    /// An unquoted `=`: what stands before it may be a name.
    pub(crate) fn equals(&mut self, append: bool) {
        let first = self.opaque == 0 && !std::mem::replace(&mut self.equal, true);
        // What is no assignment, for its subscript, may have home folders in its value all the same.
        self.left_home |= first && !self.subscript && self.begins_element();
        if first && !self.quoted && self.parts.is_empty() {
            self.looked += self.text.len();
            let before = if append { self.text.strip_suffix('+') } else { None };
            let target = before.unwrap_or(&self.text);
            let name = target.split_once('[').map_or(target, |(name, _)| name);
            let subscript = target.get(name.len()..).unwrap_or("");
            let element = self.subscript && subscript == "[]";
            if is_name(name) && (subscript.is_empty() || element) {
                self.assignment = Some((name.len(), self.text.len() + 1));
            }
        }
        self.push("=");
    }

    /// Whether the word begins with a name and a bracket.
    fn begins_element(&self) -> bool {
        let text = match self.parts.first() {
            Some(Part::Text(text)) => text,
            Some(_) => return false,
            None => &self.text,
        };
        let bracket = matches!(self.parts.get(1), Some(Part::Glob(text)) if text.starts_with('['));
        match text.split_once('[') {
            Some((name, _)) => is_name(name),
            None => bracket && is_name(text),
        }
    }

    /// Whether the word is an assignment whose value has not begun.
    pub(crate) fn awaits_value(&self) -> bool {
        self.opaque == 0
            && self.parts.is_empty()
            && self.assignment.is_some_and(|(_, value)| value == self.text.len())
    }

    /// What is written behind a home folder, if that was the last expansion in the word.
    pub(crate) fn behind_home(&self) -> Option<&str> {
        let is_home = matches!(self.parts.last(), Some(Part::Tilde(_)));
        (self.opaque == 0 && is_home).then_some(self.text.as_str())
    }

    /// A tilde where a home folder may stand turned out to be none.
    pub(crate) fn leave_home(&mut self) {
        self.left_home = true;
    }

    pub(crate) fn left_home(&self) -> bool {
        self.left_home
    }

    pub(crate) fn in_assignment(&self) -> bool {
        self.assignment.is_some()
    }

    /// The value of the word is an array, whose elements are not part of what is kept.
    pub(crate) fn array(&mut self) {
        self.array = true;
        self.gap(Part::Unreadable(Cause::Parameter), false);
        self.hide();
    }

    pub(crate) fn is_array(&self) -> bool {
        self.array
    }

    pub(crate) fn tricky(&mut self) {
        self.tricky = true;
    }

    pub(crate) fn is_tricky(&self) -> bool {
        self.tricky
    }

    /// Whether it is worth looking for an expansion of braces.
    pub(crate) fn may_expand_braces(&self) -> bool {
        self.brace || self.tricky || self.array
    }

    /// What was taken for an expansion of braces, counted from `start`.
    pub(crate) fn expansions(&self, start: usize) -> Vec<Range<usize>> {
        let counted =
            |it: &Range<usize>| it.start.saturating_sub(start)..it.end.saturating_sub(start);
        self.expanded.iter().map(counted).collect()
    }

    /// Nothing of the text is certain.
    pub(crate) fn tangle(&mut self) {
        self.tangled = true;
    }

    pub(crate) fn finish(&mut self) -> Word {
        let doubtful = self.doubtful && self.bracket.is_some();
        let special = !self.parts.is_empty() || self.brace || self.bracket.is_some();
        let tangled =
            self.tangled || (doubtful && self.assignment.is_none()) || (self.joined && special);
        let Self { mut parts, text, quoted, any, assignment, subscript, .. } = std::mem::take(self);
        if tangled {
            return Word {
                token: Token::unreadable(Cause::Brace),
                quoted,
                assignment: None,
                doubtful,
            };
        }
        let hidden = subscript && assignment.is_none();
        parts.extend(hidden.then_some(Part::Unreadable(Cause::Glob)));
        let token = if parts.is_empty() {
            Token::Text(text)
        } else {
            if !text.is_empty() {
                parts.push(Part::Text(text));
            }
            let arguments = if any || hidden { Arguments::Any } else { Arguments::One };
            Token::Gap { parts, arguments }
        };
        Word { token, quoted, assignment, doubtful }
    }
}
