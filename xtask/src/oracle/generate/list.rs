//! Commands, and lists of them.

use crate::generate::{builtins, documents, expansions, nested, words, wrappers};
use crate::random::Random;

/// Commands, one after the other.
pub(crate) fn list(random: &mut Random, depth: usize) -> String {
    let mut script = command(random, depth);
    for _ in 0..random.below(3) {
        let separator = random.one_of(SEPARATORS);
        script = format!("{script}{separator}{}", command(random, depth));
    }
    script
}

pub(crate) fn command(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return simple(random, 0);
    }
    let below = depth - 1;
    match random.below(40) {
        0..=12 => compound(random, below),
        13 | 14 => documents::document(random, below),
        15 => format!("! {}", command(random, below)),
        16 => format!(
            "{} {}",
            random.one_of(&["time", "time -p", "time --", "! time", "time !", "! !"]),
            command(random, below)
        ),
        17 => format!("{} # {}\n", command(random, below), random.one_of(COMMENTS)),
        18..=21 => wrappers::wrapper(random, below),
        22..=24 => nested::shell(random, below),
        25..=27 => builtins::builtin(random, below),
        28 => format!("coproc {}{}", random.one_of(&["", "A ", "git "]), command(random, below)),
        29 => words::assignment(random, below),
        30 => words::redirection(random, below),
        _ => simple(random, depth),
    }
}

/// A compound command, perhaps with redirections.
fn compound(random: &mut Random, below: usize) -> String {
    let body = |random: &mut Random| list(random, below);
    let word = |random: &mut Random| words::word(random, below);
    let text = match random.below(26) {
        0 => format!("if {}; then {}; fi", body(random), body(random)),
        1 => format!(
            "if {}\nthen {}\nelif rm; then git\nelse {}\nfi",
            body(random),
            body(random),
            body(random)
        ),
        2 => format!("while rm; do {}; break; done", body(random)),
        3 => format!("until git; do {}; done", body(random)),
        4 => format!("for x in {}; do {}; done", word(random), body(random)),
        5 => format!("for x\ndo\n{}\ndone", body(random)),
        6 => format!("for x in a b; {{ {}; }}", body(random)),
        7 => format!(
            "for ((i={}; i<{}; i++)); do {}; break; done",
            random.below(3),
            random.below(3),
            body(random)
        ),
        8 => format!(
            "for (( {} ; {} ; 1 )) do {}; break; done",
            expansions::arithmetic(random, below),
            random.below(2),
            body(random)
        ),
        9 | 10 => case(random, below),
        11 => format!("( {} )", body(random)),
        12 => format!("({})", body(random)),
        13 => format!("{{ {}; }}", body(random)),
        14 => format!("{{\n{}\n}}", body(random)),
        15 => format!("f() {{ {}; }}; f {}", body(random), word(random)),
        16 => format!("f() ( {} )\nf {}", body(random), word(random)),
        17 => format!(
            "function {} {{ {}; }}; f",
            random.one_of(&["f", "f()", "f ( )", "git"]),
            body(random)
        ),
        18 => {
            format!("{} () {{ {}; }}\ngit a; rm", random.one_of(&["git", "rm", "f"]), body(random))
        }
        19 | 20 => condition(random, below),
        21 => format!("(( {} ))", expansions::arithmetic(random, below)),
        22 => format!("(({}))", body(random)),
        23 => format!("(( {} )); {}", word(random), simple(random, 0)),
        24 => format!("select x in {}; do {}; break; done", word(random), body(random)),
        _ => format!(
            "f() {}\nf",
            random.one_of(&[
                "if git; then rm; fi",
                "for x in 1; do rm; done",
                "[[ a ]]",
                "(( 1 ))",
                "(rm)",
                "while rm; do git; done"
            ])
        ),
    };
    match random.below(8) {
        0 => format!("{text} {}", words::redirection(random, below)),
        1 => format!("{text} {} {}", words::redirection(random, 0), words::redirection(random, 0)),
        2 => format!("{text} <<E\n{}\nE\n", list(random, 0)),
        _ => text,
    }
}

fn case(random: &mut Random, below: usize) -> String {
    let mut text = format!("case {} in", words::word(random, below));
    for _ in 0..1 + random.below(2) {
        let pattern = match random.below(3) {
            0 => words::word(random, 0),
            1 => random.one_of(PATTERNS).to_owned(),
            _ => format!("{}|{}", words::word(random, 0), words::word(random, below)),
        };
        let open = random.one_of(&[" ", " (", "\n", "\n( ", " # )\n"]);
        let close = random.one_of(&[") ", ")", " ) ", ")\n"]);
        let end = random.one_of(&[";;", ";;", " ;& ", ";;& ", "\n;;\n", ""]);
        text = format!("{text}{open}{pattern}{close}{}{end}", list(random, below));
    }
    format!("{text}{}esac", random.one_of(&[" ", "\n", " *) git;; ", "\n*) rm\n"]))
}

fn condition(random: &mut Random, below: usize) -> String {
    let left = words::word(random, below);
    let right = match random.below(3) {
        0 => random
            .one_of(&[
                "(a|b)",
                "^a+$",
                "[)]",
                "a\\ b",
                "x(y)",
                "a*(b)",
                "\"a\"",
                "$(rm)",
                "( rm )",
                "a)",
                "(",
                "[[:alpha:]]",
            ])
            .to_owned(),
        _ => words::word(random, below),
    };
    let text = match random.below(6) {
        0 => format!(
            "[[ {} {right} ]]",
            random.one_of(&["-n", "-f", "! -z", "-v", "-t", "! -v", "-o", "-R"])
        ),
        1 => format!("[[ ( {left} == {right} ) && -n x ]]"),
        2 => format!("[[ {left}\n&& {right} ]]"),
        _ => format!("[[ {left} {} {right} ]]", random.one_of(TESTS)),
    };
    format!("{text}{}", random.one_of(&["", " && git", "; rm", "\ngit"]))
}

/// A program with what stands around it.
pub(crate) fn simple(random: &mut Random, depth: usize) -> String {
    let below = depth.saturating_sub(1);
    let mut parts = Vec::new();
    if random.percent(12) {
        parts.push(words::assignment(random, below));
    }
    if random.percent(8) {
        parts.push(words::redirection(random, below));
    }
    parts.push(words::program(random));
    for _ in 0..random.below(4) {
        if random.percent(10) {
            parts.push(words::redirection(random, below));
        }
        parts.push(words::word(random, depth));
    }
    if random.percent(12) {
        parts.push(words::redirection(random, below));
    }
    parts.join(random.one_of(&[" ", " ", " ", "  ", "\t", " \\\n"]))
}

const SEPARATORS: &[&str] = &[
    "; ",
    " && ",
    " || ",
    " | ",
    " & ",
    "\n",
    "\n\n",
    " |& ",
    ";",
    "&&",
    "|",
    "&",
    "\r\n",
    " \\\n&& ",
    " |\n",
    " &&\n",
    "; # c\n",
    " ||\n# c\n\n",
    "\n \t",
    " \\\n",
    " &\n",
    "\n# it's\n",
];

const TESTS: &[&str] = &[
    "==", "=", "-eq", "=~", "<", "&& -f", "|| !", "-lt", "!=", "&& ( -f", "-nt", "=~", ">", "-ef",
];

const COMMENTS: &[&str] = &[
    "'", "it's", "\"", "${", "$(", "`", "\\", "<<E", ")", "rm", "fi", "((", "a\\", "}", ";;",
    "esac",
];

const PATTERNS: &[&str] = &[
    "*", "a*", "[a-z]", "[)]*", "'a)'", "\"b\"", "$(rm)", "@(a|b)", "!(a)", "esac", "in", "a\\)",
    "${x)}", "$x", "''", "\\*", "#", "if", "?(x)",
];
