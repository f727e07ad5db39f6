//! What may stand in a file, whichever it is.

use crate::tidy::Files;

/// A file longer than this holds two ideas.
const LONGEST: usize = 400;

/// Sleeps that a test cannot do without: the file, and the reason.
const SLEEPS_ALLOWED: &[(&str, &str)] = &[
    ("mcp-testkit/tests/misbehaving/play.rs", "its cases say how long a client does nothing"),
    ("mcp-testkit/tests/misbehaving/server.rs", "its cases say how long a person thinks"),
];

// Cut in two, so that this file does not break the rules it states.
const SLEEPS: &[&str] = &[concat!("thread::", "sleep"), concat!("time::", "sleep")];
const IGNORED: &str = concat!("#[", "ignore");
const UNFINISHED: &[&str] = &[
    concat!("TO", "DO"),
    concat!("FIX", "ME"),
    concat!("todo", "!("),
    concat!("unimplemented", "!("),
];
/// Paths that mean something on one machine only.
const ELSEWHERE: &[&str] =
    &[concat!("/wo", "rk/"), concat!(".lib", "rary/"), concat!("../sh", "ared")];

/// The kinds of file that people write; what tools write may hold any letters.
const WRITTEN: &[&str] = &["js", "json", "md", "mjs", "py", "rs", "sh", "toml", "ts"];

pub(crate) fn violations(files: &Files) -> Vec<String> {
    let mut violations: Vec<String> =
        files.iter().flat_map(|(path, text)| of_file(path, text)).collect();
    for (path, _) in SLEEPS_ALLOWED {
        if !test_lines(path, files.text(path)).any(|(_, line)| sleeps(line)) {
            violations.push(format!("{path}: does not sleep, take it out of SLEEPS_ALLOWED"));
        }
    }
    violations
}

fn of_file(path: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let (_, kind) = path.rsplit_once('.').unwrap_or_default();
    for (number, line) in numbered(text) {
        for word in ELSEWHERE.iter().filter(|word| line.contains(**word)) {
            violations.push(format!("{path}:{number}: {word} means nothing on another machine"));
        }
        if WRITTEN.contains(&kind) && !path.ends_with("package-lock.json") {
            for word in UNFINISHED.iter().filter(|word| has_word(line, word)) {
                violations.push(format!("{path}:{number}: finish what {word} stands for"));
            }
        }
    }
    if kind == "rs" {
        violations.extend(of_rust(path, text));
    }
    violations
}

fn of_rust(path: &str, text: &str) -> Vec<String> {
    let mut violations = Vec::new();
    let length = text.lines().count();
    if length > LONGEST {
        violations.push(format!(
            "{path}: {length} lines; look for the second idea, {LONGEST} is the most"
        ));
    }
    if path.contains("/src/") && !path.ends_with("/src/lib.rs") && !text.starts_with("//! ") {
        violations.push(format!("{path}: open with `//! ` and what the file is for"));
    }
    for (number, _) in numbered(text).filter(|(_, line)| line.contains(IGNORED)) {
        violations.push(format!("{path}:{number}: run the test, or delete it"));
    }
    if SLEEPS_ALLOWED.iter().all(|(allowed, _)| *allowed != path) {
        for (number, _) in test_lines(path, text).filter(|(_, line)| sleeps(line)) {
            violations
                .push(format!("{path}:{number}: a test waits for what happens, it does not sleep"));
        }
    }
    violations
}

/// The lines of a Rust file that are test code: all of it under `tests`, else its test module.
pub(crate) fn test_lines<'a>(path: &str, text: &'a str) -> impl Iterator<Item = (usize, &'a str)> {
    let whole = path.contains("/tests/") || path.ends_with("/tests.rs");
    let mut attribute = false;
    let mut inside = whole;
    numbered(text).filter(move |(_, line)| {
        inside |= attribute && line.trim_start_matches("pub(crate) ").starts_with("mod ");
        attribute = *line == "#[cfg(test)]";
        inside
    })
}

pub(crate) fn numbered(text: &str) -> impl Iterator<Item = (usize, &str)> {
    text.lines().enumerate().map(|(index, line)| (index + 1, line))
}

fn sleeps(line: &str) -> bool {
    let code = line.split("//").next().unwrap_or_default();
    SLEEPS.iter().any(|sleep| code.contains(sleep))
}

/// Whether `word` stands in `line` and is not the middle of another.
fn has_word(line: &str, word: &str) -> bool {
    let part = |it: char| it.is_ascii_alphanumeric() || it == '_';
    line.match_indices(word).any(|(at, _)| {
        let end = &line[at + word.len()..];
        !line[..at].ends_with(part) && (word.ends_with('(') || !end.starts_with(part))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_knows_its_lines() {
        let [sleep, tokio_sleep] = [SLEEPS[0], SLEEPS[1]];
        let [later, broken, hole, _] = UNFINISHED else { panic!() };
        let place = ELSEWHERE[0];
        let module = "//! M.\n\n#[cfg(test)]\nmod tests {\n";
        let cases: &[(&str, String, &[&str])] = &[
            ("a/src/x.rs", "//! What it is for.\n".into(), &[]),
            ("a/src/x.rs", "use std::fs;\n".into(), &["a/src/x.rs: open with `//! `"]),
            ("a/src/bin/x.rs", "/// Words.".into(), &["open with `//! `"]),
            ("a/src/lib.rs", "#![doc = \"x\"]".into(), &[]),
            ("a/tests/x.rs", "use std::fs;\n".into(), &[]),
            ("a/tests/x.rs", "\n".repeat(LONGEST), &[]),
            ("a/tests/x.rs", "\n".repeat(LONGEST + 1), &["a/tests/x.rs: 401 lines"]),
            ("a/tests/x.rs", format!("#[test]\n{IGNORED}]"), &["a/tests/x.rs:2: run the test"]),
            ("a/tests/x.rs", format!("std::{sleep}(x)"), &["x.rs:1: a test waits"]),
            ("a/tests/x.rs", format!("tokio::{tokio_sleep}(x)"), &["x.rs:1: a test waits"]),
            ("a/tests/x.rs", format!("wait(); // not std::{sleep}"), &[]),
            ("a/src/x.rs", format!("//! M.\n{sleep}(x)"), &[]),
            ("a/src/x.rs", format!("{module}{sleep}(x)"), &["x.rs:5: a test waits"]),
            ("a/src/x.rs", format!("//! M.\n#[cfg(test)]\nuse x;\n{sleep}(x)"), &[]),
            ("a/src/x/tests.rs", format!("//! M.\n{sleep}(x)"), &["tests.rs:2: a test waits"]),
            ("a/README.md", format!("{later}: words"), &["README.md:1: finish"]),
            ("a/README.md", format!("{broken} {later}"), &["finish", "finish"]),
            ("a/README.md", format!("{later}S and my_{later}"), &[]),
            ("a/src/x.rs", format!("//! M.\n{hole})"), &["x.rs:2: finish"]),
            ("Cargo.toml", "todo = \"warn\"".into(), &[]),
            ("b/package-lock.json", format!("\"sha512-{later}/\""), &[]),
            ("b/package-lock.json", format!("{place}x"), &["package-lock.json:1"]),
            (".ci/run", format!("cd {place}x"), &[".ci/run:1:"]),
        ];
        for (path, text, expected) in cases {
            let violations = of_file(path, text);
            assert_eq!(violations.len(), expected.len(), "{path} {text:?}: {violations:#?}");
            for (violation, part) in violations.iter().zip(*expected) {
                assert!(violation.contains(part), "{part} is not in {violation}");
            }
        }
    }
}
