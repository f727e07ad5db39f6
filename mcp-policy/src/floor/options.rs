//! Options and operands among the arguments of a command.

use std::borrow::Cow;

use crate::commands::{Cause, Command, Part, Token};

/// The name of the program in lower case, without what Windows drops at its end.
pub(super) fn program(command: &Command) -> Option<Cow<'_, str>> {
    let name = command.program.name()?;
    let trimmed = Some(name.trim_end_matches(['.', ' '])).filter(|it| !it.is_empty());
    let name = trimmed.unwrap_or(name);
    Some(match name.bytes().any(|it| it.is_ascii_uppercase()) {
        true => Cow::Owned(name.to_ascii_lowercase()),
        false => Cow::Borrowed(name),
    })
}

/// Whether the program is one of `names`.
pub(super) fn is_one_of(command: &Command, names: &[&str]) -> bool {
    program(command).is_some_and(|it| names.contains(&&*it))
}

/// The words that can be read.
pub(super) fn texts(command: &Command) -> impl Iterator<Item = &str> {
    command.tokens.iter().filter_map(Token::as_text)
}

/// The words that are options: those that begin with `-`, up to `--`.
pub(super) fn options(command: &Command) -> impl Iterator<Item = &str> {
    texts(command).take_while(|it| *it != "--").filter(|it| it.len() > 1 && it.starts_with('-'))
}

/// The words that are no options, gaps among them.
pub(super) fn operands(command: &Command) -> Vec<&Token> {
    operands_of(&command.tokens)
}

/// The same among `tokens`.
pub(super) fn operands_of(tokens: &[Token]) -> Vec<&Token> {
    let end = tokens.iter().position(|it| it.as_text() == Some("--"));
    let (before, after) = tokens.split_at(end.unwrap_or(tokens.len()));
    let is_option = |it: &Token| {
        let start = it.start();
        start.len() > 1 && start.starts_with('-')
    };
    before.iter().filter(|it| !is_option(it)).chain(after.iter().skip(1)).collect()
}

/// Whether an option is there: `long` or an abbreviation of it, of at least `shortest` letters,
/// or one of the letters `short` in a cluster.
pub(super) fn has(command: &Command, short: &str, long: &str, shortest: usize) -> bool {
    options(command).any(|it| is_option(it, short, long, shortest))
}

pub(super) fn is_option(word: &str, short: &str, long: &str, shortest: usize) -> bool {
    match word.strip_prefix("--") {
        Some(word) => {
            let name = word.split('=').next().unwrap_or(word);
            !long.is_empty() && name.len() >= shortest && long.starts_with(name)
        }
        None => word.strip_prefix('-').is_some_and(|it| it.contains(|it| short.contains(it))),
    }
}

/// Whether a gap may hide an option: it begins with nothing that is known, and is no file name.
pub(super) fn may_be_option(token: &Token) -> bool {
    let is_name = |part: &Part| {
        matches!(part, Part::Glob(_) | Part::Tilde(_) | Part::Unreadable(Cause::Arriving))
    };
    let parts = token.parts();
    token.as_text().is_none()
        && (token.start().is_empty() || token.start().starts_with('-'))
        && !parts.first().is_some_and(is_name)
}

/// Whether some gap may hide an option.
pub(super) fn may_hide_option(command: &Command) -> bool {
    command.tokens.iter().any(may_be_option)
}
