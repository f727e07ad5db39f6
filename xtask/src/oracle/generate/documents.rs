//! Commands with here-documents.

use crate::generate::{list, words};
use crate::random::Random;

/// A command with a here-document or two, and what follows them.
pub(crate) fn document(random: &mut Random, depth: usize) -> String {
    let delimiter = match random.below(3) {
        0 => random.one_of(DELIMITERS),
        _ => random.one_of(&["E", "'E'", "-E", "\"E\"", "-'E'"]),
    };
    let ends = end_of(delimiter);
    let body = body(random, depth);
    let program = random.one_of(&[
        "cat",
        "git",
        "bash",
        "sh",
        "cat",
        "dash -s",
        "rm",
        "tee x",
        "while read x; do git $x; done",
        "{ git; }",
        "(rm)",
        ":",
    ]);
    let rest = random.one_of(&[
        "",
        "",
        "",
        "",
        "",
        "",
        "",
        " a",
        "; rm",
        " | rm",
        " && git",
        " <<F",
        " # '",
        " \\",
        " >o",
        " | bash",
        " <<-'F'",
        " 2>&1; git",
        " $(rm",
        " \"",
        "; }",
    ]);
    let more = if rest.ends_with("<<F") || rest.ends_with("'F'") {
        format!("{}\nF\n", random.one_of(&["more", "$(rm)", "\t`rm`", "F ", "'"]))
    } else {
        String::new()
    };
    let fd = random.one_of(&["", "", "", "0", "3", "{x}"]);
    let last =
        random.one_of(&["\n", "\n", "\n", "\n", "\n", "\n", "\n", "\n", "", " \n", "\r\n", ")\n"]);
    let end = if delimiter.starts_with('-') { format!("\t{ends}") } else { ends };
    format!(
        "{program} {fd}<<{delimiter}{rest}\n{body}\n{end}{last}{more}{}",
        list::simple(random, 0)
    )
}

fn body(random: &mut Random, depth: usize) -> String {
    match random.below(10) {
        0 => words::word(random, depth),
        1 => format!("it's\n{}", list::list(random, depth)),
        2 => format!("$({})", list::list(random, depth)),
        3 => format!(
            "\t{}\\\n{}",
            random.one_of(&["a", "\"", "`rm`", "${x:-$(rm)}", "E", "\tE"]),
            random.one_of(&["b", "E", "", "E\n"])
        ),
        4 => words::inside_double(random, depth),
        5 => random.one_of(BODIES).to_owned(),
        _ => list::list(random, depth),
    }
}

/// The line that ends a document with this delimiter.
fn end_of(delimiter: &str) -> String {
    let kept = |it: &char| !matches!(it, '\'' | '"' | '\\' | '-' | ' ' | '\n');
    let word: String = delimiter.chars().filter(kept).collect();
    match word.strip_prefix("$E") {
        Some(rest) => format!("E{rest}"),
        None => word,
    }
}

const DELIMITERS: &[&str] = &[
    "E", "'E'", "\\E", "\"E\"", "E", "-E", "- 'E'", "git", "$x", " E", "-\"E\"", "E'F'", "$'E'",
    "''", "E\\\nF", "${x}", "$(E)", "`E`", "\"E\"F", "E1", "!", "#E", "\\$E", "{E}", "$\"E\"", "é",
    "'E F'", "E;", "-\\E",
];

const BODIES: &[&str] = &[
    "\\$(rm)",
    "\\`rm\\`",
    "$x",
    "${x:-`rm`}",
    "\\\\$(rm)",
    "\\",
    "a\\\nE\nrm",
    "\"$(rm)\"",
    "'$(rm)'",
    "$((x[$(rm)]))",
    "E \nrm",
    " E\nrm",
    "\tE\nrm",
    "${x:-'a'}",
    "${x:-\"a\"}",
    "${x#\"}\"}",
    "$(cat <<E\nrm\nE\n)",
    "`cat <<F\nrm\nF\n`",
    "$",
    "${",
    "$(rm",
    "\\E",
    "E\\",
    "$'a'",
    "<(rm)",
    "$(git ')')",
    "\"",
    "#",
    "${x/a/$(rm)}",
    "\r",
    "E\r\nrm",
];
