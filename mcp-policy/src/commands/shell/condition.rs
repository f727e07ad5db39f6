//! `[[ … ]]`: no commands, but words that are evaluated.

use crate::commands::shell::{Parser, Word};

impl Parser<'_> {
    /// A word of a condition ended.
    pub(super) fn condition_word(&mut self, word: Word) {
        if word.bare() == Some("]]") {
            self.list().operands.clear();
            self.end_compound();
            return;
        }
        let operands = &mut self.list().operands;
        let operator = |word: &Word| match word.bare() {
            Some("-eq" | "-ne" | "-lt" | "-le" | "-gt" | "-ge") => Some(true),
            Some("-v" | "-R") => Some(false),
            _ => None,
        };
        let before = operands.pop();
        let evaluated = before.as_ref().and_then(operator).is_some();
        let mut tokens = Vec::new();
        if operator(&word) == Some(true) {
            tokens.extend(before.map(|word| word.token));
        }
        if evaluated {
            tokens.push(word.token.clone());
        }
        operands.push(word);
        for token in tokens {
            if let Some(cause) = self.reader.evaluate_token(&token) {
                self.unknown(cause);
            }
        }
    }
}
