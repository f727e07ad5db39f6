//! Braces and brackets in a word: what they enclose is one piece of it.

use crate::commands::shell::word::{Brace, Builder, Spot};
use crate::commands::shell::{brace, bracket, is_name};
use crate::commands::{Cause, Part};

impl Builder {
    pub(crate) fn open_brace(&mut self, source: usize) {
        self.brace = true;
        if self.opaque == 0 && self.braces.len() >= MAX_BRACES {
            return self.gap(Part::Unreadable(Cause::Brace), true);
        }
        if self.opaque == 0 {
            self.braces.push(Brace { spot: self.spot(), source, comma: false });
        }
        self.push("{");
    }

    /// A brace that expands nothing here, and may elsewhere.
    pub(crate) fn literal_brace(&mut self) {
        self.brace = true;
        self.push("{");
    }

    /// Whether the word holds an opening brace that expands nothing here.
    pub(crate) fn has_braces(&self) -> bool {
        self.brace
    }

    /// Whether the word is written `{name[…]}`.
    pub(crate) fn is_element(&self) -> bool {
        let name = |text: &str| text.strip_prefix('{').is_some_and(is_name);
        match self.parts.as_slice() {
            [] => {
                let parts = self.text.split_once('[');
                parts.is_some_and(|(before, rest)| name(before) && rest.ends_with("]}"))
            }
            [Part::Text(text), ..] => self.text.ends_with('}') && name(text),
            _ => false,
        }
    }

    pub(crate) fn comma(&mut self) {
        if let Some(brace) = self.braces.last_mut().filter(|_| self.opaque == 0) {
            brace.comma = true;
        }
        self.push(",");
    }

    /// An unquoted `}`; `between` gives the source since an opening brace.
    pub(crate) fn close_brace<'t>(&mut self, between: impl Fn(usize) -> &'t str) -> bool {
        let brace = if self.opaque == 0 { self.braces.pop() } else { None };
        if let Some(brace) = brace {
            let short = between(brace.source);
            // A dollar takes the brace with it, or not, as it is nested.
            self.tangled |= self.text.ends_with('$');
            // A sequence is short; a longer text is not searched, so that reading stays linear.
            if brace.comma || short.len() > MAX_SEQUENCE || short.contains("..") {
                let cause = if brace::is_sequence(short) { Cause::Number } else { Cause::Brace };
                // With an expansion inside, where the braces end is not certain.
                self.tangled |= short.len() > MAX_SEQUENCE || short.contains(['$', '`']);
                self.expanded.retain(|it| it.start < brace.source);
                self.expanded.push(brace.source..brace.source + short.len() + 1);
                self.back_to(brace.spot);
                self.gap(Part::Unreadable(cause), true);
                return true;
            }
        }
        self.push("}");
        false
    }

    pub(crate) fn open_bracket(&mut self, source: usize) {
        if self.opaque == 0 && self.bracket.is_none() {
            self.bracket = Some((self.spot(), source));
        }
        self.push("[");
    }

    /// An unquoted `]`; `between` gives the source since the opening bracket.
    pub(crate) fn close_bracket<'t>(&mut self, between: impl Fn(usize) -> &'t str) {
        // It may be the end of one before it.
        self.tangled |= self.hollow && self.opaque == 0;
        if let Some((spot, source)) = self.bracket.filter(|_| self.opaque == 0) {
            let inside = between(source);
            self.doubtful |= !bracket::ends(inside);
            if bracket::ends(inside) {
                self.bracket = None;
                self.hollow |= bracket::may_be_empty(inside);
                // Braces come first, and may take the bracket apart.
                self.tangled |= self.braces.iter().any(|brace| brace.source > source);
                self.tangled |= bracket::leaves_class(inside);
                self.back_to(spot);
                self.gap(Part::Glob(format!("{}]", between(source))), true);
                return;
            }
        }
        self.push("]");
    }

    fn spot(&self) -> Spot {
        (self.parts.len(), self.text.len())
    }

    /// Forgets what came after `spot`.
    fn back_to(&mut self, (parts, text): Spot) {
        if self.parts.len() > parts {
            if let Some(Part::Text(before)) = self.parts.get(parts) {
                self.text = before.clone();
            }
            self.parts.truncate(parts);
        }
        // Shorter only if the piece at the spot was another kind; then there was no text.
        self.text.truncate(text);
        if self.bracket.is_some_and(|(spot, _)| spot > (parts, text)) {
            self.bracket = None;
        }
    }
}

const MAX_BRACES: usize = 64;
const MAX_SEQUENCE: usize = 64;
