//! Clients of databases: what of their code runs a program, or touches other files.

use crate::commands::Token;

/// Whether a word is a command that leaves the database, or code that does.
pub(super) fn leaves(name: &str, word: &Token) -> bool {
    let Some(text) = word.as_text() else { return true };
    let letters = text.strip_prefix('-').filter(|it| !it.starts_with('-')).unwrap_or("");
    if name == "psql" && letters.contains('f') {
        return true;
    }
    // What is attached to an option is a line, too.
    let text = letters.strip_prefix('e').unwrap_or(text);
    let option = ["-cmd", "--cmd", "-init", "--init", "-f", "--file"];
    if option.iter().any(|it| text.split('=').next() == Some(it)) || text.contains('\\') {
        return true;
    }
    let text = text.to_ascii_lowercase();
    let words = || text.split(|it: char| !it.is_alphanumeric() && it != '_');
    let has = |wanted: &str| words().any(|word| word == wanted);
    text.contains("program")
        || FUNCTIONS.iter().any(|it| has(it))
        || (has("vacuum") && has("into"))
        || text.lines().any(|it| is_command(it.trim_start()))
}

/// Functions and statements that run a program, or write or read another file.
const FUNCTIONS: &[&str] = &["attach", "edit", "fts3_tokenizer", "load_extension", "writefile"];

/// Whether a line is a command of the client that may run a program or a file.
fn is_command(line: &str) -> bool {
    let harmless = [
        ".echo",
        ".eqp",
        ".exit",
        ".expert",
        ".explain",
        ".limit",
        ".lint",
        ".open",
        ".schema",
        ".separator",
        ".sha3sum",
        ".show",
        ".stats",
        ".tables",
        ".timeout",
        ".timer",
    ];
    let word = line.split(' ').next().unwrap_or("");
    let runs = [".s", ".e", ".i", ".l", ".o", ".r", ".a", ".t", "system", "source"];
    !harmless.contains(&word) && runs.iter().any(|it| word.starts_with(it))
}
