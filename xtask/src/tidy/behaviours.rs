//! Every behaviour is covered: the ids of `BEHAVIOURS.md`, and where they are named.

use std::collections::BTreeSet;
use std::fmt;

use crate::tidy::{Files, sources};

const LIST: &str = "BEHAVIOURS.md";
const DECISIONS: &str = "ARCHITECTURE.md";

/// Which behaviours nobody covers, and which names are those of no behaviour.
pub(crate) fn violations(files: &Files) -> Vec<String> {
    let (listed, mut violations) = read_list(files.text(LIST));
    let prefixes: BTreeSet<&str> = listed.iter().map(|id| id.prefix).collect();
    let mut covered = BTreeSet::<&Id<'_>>::new();
    for (path, number, line) in naming_lines(files) {
        for Mention { first, last } in mentions(line) {
            covered.extend(listed.range(first..=last));
            if prefixes.contains(first.prefix) && !listed.contains(&first) {
                violations.push(format!(
                    "{path}:{number}: {first} is not in {LIST}; correct the id, or list it there"
                ));
            }
        }
    }
    let uncovered = listed.iter().filter(|id| !covered.contains(id));
    violations.extend(uncovered.map(|id| {
        format!("{LIST}: name {id} in the test that covers it, or decide it in {DECISIONS}")
    }));
    violations
}

/// The ids of the list, and what is wrong with how it is written.
fn read_list(text: &str) -> (BTreeSet<Id<'_>>, Vec<String>) {
    let (mut listed, mut violations) = (BTreeSet::new(), Vec::new());
    for (number, line) in sources::numbered(text).filter(|(_, line)| line.starts_with('*')) {
        let Some(Mention { first, last }) = listed_ids(line) else {
            violations
                .push(format!("{LIST}:{number}: write `* **B-GROUP-1** What the client does.`"));
            continue;
        };
        for id in (first.number..=last.number).map(|number| Id { number, ..first }) {
            if !listed.insert(id) {
                violations.push(format!("{LIST}:{number}: list {id} once"));
            }
        }
    }
    if listed.is_empty() {
        violations.push(format!("{LIST}: list the behaviours that tests name"));
    }
    (listed, violations)
}

/// The ids of a line of the list, one or `B-A-1 to B-A-3`, if the line says something about them.
fn listed_ids(line: &str) -> Option<Mention<'_>> {
    let (first, rest) = read_id(line.strip_prefix("* **")?)?;
    let (last, rest) = match rest.strip_prefix(" to ") {
        Some(rest) => read_id(rest).filter(|(last, _)| first.prefix == last.prefix)?,
        None => (first, rest),
    };
    let is_said = rest.strip_prefix("** ")?.ends_with(['.', ')']);
    (is_said && first <= last).then_some(Mention { first, last })
}

/// Every line that may cover a behaviour: its file, its number, its text.
fn naming_lines(files: &Files) -> impl Iterator<Item = (&str, usize, &str)> {
    let tests = files
        .iter()
        .filter(|(path, _)| path.ends_with(".rs"))
        .flat_map(|(path, text)| sources::test_lines(path, text).map(move |it| (path, it)));
    let decisions = sources::numbered(files.text(DECISIONS)).map(|it| (DECISIONS, it));
    tests.chain(decisions).map(|(path, (number, line))| (path, number, line))
}

/// What ids begin with: `B` for the client and what it is made of, others for the layers.
const FAMILIES: &[&str] = &["AP", "B", "G", "L", "O", "P", "R", "T", "U", "W"];

/// The number of a behaviour within its group.
#[derive(Clone, Copy, Debug, Eq, Ord, PartialEq, PartialOrd)]
struct Id<'a> {
    /// A family and its group, `B-REG`, or a family alone, `R`.
    prefix: &'a str,
    number: u32,
}

impl fmt::Display for Id<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.prefix, self.number)
    }
}

/// One id, or all from one to another of the same group.
struct Mention<'a> {
    first: Id<'a>,
    last: Id<'a>,
}

/// Finds the ids of a line: `B-A-1`, `B-A-1/2/3`, and `B-A-1 to B-A-3` with what lies between.
fn mentions(line: &str) -> Vec<Mention<'_>> {
    let part = |it: char| it.is_ascii_alphanumeric() || it == '-' || it == '_';
    let mut found = Vec::new();
    let letters = line.match_indices(|it: char| it.is_ascii_uppercase());
    for (at, _) in letters.filter(|(at, _)| !line[..*at].ends_with(part)) {
        let Some((first, mut rest)) = read_id(&line[at..]) else { continue };
        let end = rest.strip_prefix(" to ").and_then(read_id).map(|(end, _)| end);
        let last = end.filter(|end| end.prefix == first.prefix).unwrap_or(first);
        found.push(Mention { first, last: last.max(first) });
        while let Some((number, after)) = rest.strip_prefix('/').and_then(read_number) {
            let next = Id { number, ..first };
            found.push(Mention { first: next, last: next });
            rest = after;
        }
    }
    found
}

/// Reads an id at the beginning of `text`, and returns what follows it as well.
fn read_id(text: &str) -> Option<(Id<'_>, &str)> {
    let (prefix, _) = text.split_at(text.find(|it: char| it.is_ascii_digit())?);
    let (number, rest) = read_number(&text[prefix.len()..])?;
    let prefix = prefix.strip_suffix('-')?;
    let mut parts = prefix.split('-');
    let is_family = parts.next().is_some_and(|it| FAMILIES.contains(&it));
    let is_group = |it: &str| !it.is_empty() && it.bytes().all(|it| it.is_ascii_uppercase());
    (is_family && parts.all(is_group)).then_some((Id { prefix, number }, rest))
}

fn read_number(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|it: char| !it.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if rest.starts_with(|it: char| it.is_alphanumeric() || it == '_') {
        return None;
    }
    Some((digits.parse().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const THREE: &str =
        "# Words\n\n* **B-A-1** One.\n* **B-A-2** Two (decided)\n* **B-A-3** Three.\n";

    const RANGE: &str = "# Words\n\n* **B-A-1 to B-A-3** The same three times.\n";

    #[test]
    fn ids_are_found_however_they_are_joined() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            ("// B-A-1", &["B-A-1"]),
            ("/// B-A-1, B-LONG-23: words.", &["B-A-1", "B-LONG-23"]),
            ("(**B-A-1**)", &["B-A-1"]),
            ("B-A-13/14/15.", &["B-A-13", "B-A-14", "B-A-15"]),
            ("B-A-1/B-A-2", &["B-A-1", "B-A-2"]),
            ("B-A-7 to B-A-10, B-A-12", &["B-A-7 to B-A-10", "B-A-10", "B-A-12"]),
            ("B-A-10 to B-A-7", &["B-A-10", "B-A-7"]),
            ("B-A-1 to B-C-9", &["B-A-1", "B-C-9"]),
            ("B-A-1 to be", &["B-A-1"]),
            (
                "R-A-1, U-A-2 to U-A-4, AP-A-01 and R-B-1/2",
                &["R-A-1", "U-A-2 to U-A-4", "U-A-4", "AP-A-1", "R-B-1", "R-B-2"],
            ),
            ("UTF-8, X-1, RU-1, A-1, XAP-1, APX-1, Ap-1, R--1, R1, R-", &[]),
            ("B-A-1x, B-A-, B--1, B-a-1, AB-A-1, A-B-A-1, B-A-99999999999", &[]),
        ];
        for (line, expected) in cases {
            let found = mentions(line).into_iter().map(|Mention { first, last }| {
                if first == last { first.to_string() } else { format!("{first} to {last}") }
            });
            assert_eq!(found.collect::<Vec<_>>(), *expected, "{line}");
        }
    }

    #[test]
    fn every_id_is_covered_and_every_name_is_known() {
        let all = "// B-A-1 to B-A-3";
        let cases: &[(&str, &str, &str, &[&str])] = &[
            // The list, a file, its text, what is told.
            (THREE, "a/tests/x.rs", all, &[]),
            (THREE, "a/tests/y/x.rs", "// B-A-1/2/3", &[]),
            (THREE, "ARCHITECTURE.md", "B-A-1, B-A-2 and B-A-3 are", &[]),
            (THREE, "a/src/x.rs", "//! M.\n#[cfg(test)]\nmod tests {\n// B-A-1 to B-A-3\n}", &[]),
            (THREE, "a/src/x/tests.rs", "//! B-A-1, B-A-2, B-A-3", &[]),
            (THREE, "a/tests/x.rs", "// B-A-1, B-A-3", &["BEHAVIOURS.md: name B-A-2 in the test"]),
            // Not tests.
            (THREE, "a/src/x.rs", all, &["name B-A-1", "name B-A-2", "name B-A-3"]),
            (THREE, "a/tests/x.md", all, &["name B-A-1", "name B-A-2", "name B-A-3"]),
            // Names of nothing.
            (THREE, "a/tests/x.rs", "\n// B-A-1 to B-A-4", &["a/tests/x.rs:2: B-A-4 is not in"]),
            (THREE, "a/tests/x.rs", "// B-A-1/2/3/30", &["a/tests/x.rs:1: B-A-30 is not in"]),
            (THREE, "ARCHITECTURE.md", "B-A-0 to B-A-3", &["ARCHITECTURE.md:1: B-A-0 is not in"]),
            (THREE, "a/tests/x.rs", "// B-A-1 to B-A-3, B-OTHER-1", &[]),
            // Several ids that one line of the list is about.
            (RANGE, "a/tests/x.rs", all, &[]),
            (RANGE, "a/tests/x.rs", "// B-A-1, B-A-2", &["BEHAVIOURS.md: name B-A-3 in the test"]),
            (RANGE, "a/tests/x.rs", "// B-A-1 to B-A-3, B-A-4", &["x.rs:1: B-A-4 is not in"]),
            ("* **B-A-1 to B-A-1** a.", "a/tests/x.rs", "// B-A-1", &[]),
            (
                "* **B-A-1 to B-A-3** a.\n* **B-A-2** b.",
                "a/tests/x.rs",
                all,
                &["2: list B-A-2 once"],
            ),
            ("* **B-A-1** a.\n* **B-A-3 to B-A-2** b.", "x.rs", "", &["2: write", "name B-A-1"]),
            ("* **B-A-1** a.\n* **B-A-2 to B-C-3** b.", "x.rs", "", &["2: write", "name B-A-1"]),
            ("* **B-A-1** a.\n* **B-A-2 to 3** b.", "x.rs", "", &["2: write", "name B-A-1"]),
            // The list itself.
            ("", "a/tests/x.rs", all, &["BEHAVIOURS.md: list the behaviours"]),
            ("* **B-A-1** a.\n* **B-A-1** b.", "a/tests/x.rs", "// B-A-1", &["2: list B-A-1 once"]),
            ("* **B-A-1** a.\n* **B-A-2**", "a/tests/x.rs", "// B-A-1", &["2: write `* **B-GROUP"]),
            ("* **B-A-1** a.\n* B-A-2: b.", "a/tests/x.rs", "// B-A-1", &["2: write `* **B-GROUP"]),
            ("* **B-A-1** a.\n* **B-A-2** b", "a/tests/x.rs", "// B-A-1", &["2: write `* **B-G"]),
        ];
        for (list, path, text, expected) in cases {
            let files: Files = [("BEHAVIOURS.md", *list), (*path, *text)].into_iter().collect();
            let violations = violations(&files);
            assert_eq!(violations.len(), expected.len(), "{path} {text:?}: {violations:#?}");
            for (violation, part) in violations.iter().zip(*expected) {
                assert!(violation.contains(part), "{part} is not in {violation}");
            }
        }
    }
}
