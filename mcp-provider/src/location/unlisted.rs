//! Arguments that look like places though no table lists them.

use serde_json::Value;

use crate::location::read::{Anchor, check};
use crate::location::{PathStyle, Unreadable};

/// The strings in `value`, at any depth, that look like places, each with its nearest key.
pub(super) fn unlisted<'call>(
    key: &'call str,
    value: &'call Value,
    style: PathStyle,
) -> Vec<(&'call str, &'call Value)> {
    match value {
        Value::String(text) if names_a_place(key) || looks_like_a_place(text, style) => {
            vec![(key, value)]
        }
        Value::Array(items) => items.iter().flat_map(|it| unlisted(key, it, style)).collect(),
        Value::Object(members) => {
            members.iter().flat_map(|(key, it)| unlisted(key, it, style)).collect()
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => Vec::new(),
    }
}

fn names_a_place(key: &str) -> bool {
    let last = last_word(key);
    WORDS.iter().any(|word| word.eq_ignore_ascii_case(last))
}

/// The last word of `output_path`, `outputPath`, `output-path` or `PATH`.
fn last_word(key: &str) -> &str {
    let word = key.rsplit(|it: char| !it.is_alphanumeric()).next().unwrap_or(key);
    let pairs = word.char_indices().zip(word.chars().skip(1));
    let humps = pairs.filter(|((_, one), next)| one.is_uppercase() && next.is_lowercase());
    let begin = humps.last().map_or(0, |((place, _), _)| place);
    word.get(begin..).unwrap_or(word)
}

fn looks_like_a_place(text: &str, style: PathStyle) -> bool {
    match check(text, style) {
        Ok((anchor, _)) => anchor != Anchor::Here,
        // Text of several lines is a document that happens to begin like a path.
        Err(Unreadable::Control | Unreadable::Empty) => false,
        Err(
            Unreadable::Drive | Unreadable::Home | Unreadable::NetworkShare | Unreadable::Parent,
        ) => true,
        Err(Unreadable::Uri) => {
            text.get(..5).is_some_and(|scheme| scheme.eq_ignore_ascii_case("file:"))
        }
        Err(_) => text.starts_with('/'),
    }
}

const WORDS: &[&str] = &[
    "cwd",
    "dest",
    "destination",
    "dir",
    "directories",
    "directory",
    "dirs",
    "dst",
    "file",
    "filename",
    "filepath",
    "files",
    "folder",
    "folders",
    "from",
    "path",
    "paths",
    "root",
    "source",
    "src",
    "target",
    "to",
];
