//! Scripts without choices: every program in them runs, once, with what is written.

use crate::random::Random;

pub(crate) fn script(random: &mut Random) -> String {
    let mut script = part(random, 2);
    for _ in 0..random.below(4) {
        let separator = random.one_of(&[
            "; ",
            " && ",
            "\n",
            " | ",
            ";",
            "\n\n",
            " &&\n",
            " |\n",
            " \\\n&& ",
            "; # it's\n",
        ]);
        script = format!("{script}{separator}{}", part(random, 2));
    }
    script
}

fn part(random: &mut Random, depth: usize) -> String {
    let below = depth.saturating_sub(1);
    match random.below(if depth == 0 { 8 } else { 18 }) {
        8 => format!("( {} )", part(random, below)),
        9 => format!("{{ {}; }}", part(random, below)),
        10 => format!("if {}; then {}; fi", part(random, below), part(random, below)),
        11 => format!("git $( {} )", part(random, below)),
        12 => format!("touch \"a $( {} ) b\"", part(random, below)),
        13 => format!("bash -c '{}'", part(random, 0).replace('\'', "'\\''")),
        14 => format!("cat <<'E'\nrm $(git) '\nE\n{}", part(random, below)),
        15 => format!("cat <<E\na $( {} ) b\nE\n{}", part(random, 0), part(random, below)),
        16 => format!("for x in 1; do {}; done", part(random, below)),
        17 => {
            format!("case a in b) rm;; a) {};; esac", part(random, below)).replace("b) rm;; ", "")
        }
        _ => simple(random),
    }
}

fn simple(random: &mut Random) -> String {
    let mut text = random
        .one_of(&[
            "git",
            "touch",
            "ls",
            "cp",
            "make",
            "cat",
            "'git'",
            "\"touch\"",
            "l\\s",
            "A=1 git",
        ])
        .to_owned();
    for _ in 0..random.below(4) {
        text = format!("{text} {}", random.one_of(WORDS));
    }
    match random.below(8) {
        0 => format!("{text} >o"),
        1 => format!("{text} 2>&1"),
        2 => format!("{text} >/dev/null 2>&1"),
        3 => format!("{text} <data"),
        _ => text,
    }
}

const WORDS: &[&str] = &[
    "a",
    "-f",
    "--x=y",
    "'a b'",
    "\"c d\"",
    "e\\ f",
    "'it'\\''s'",
    "\"a'b\"",
    "'$(rm)'",
    "\\$x",
    "\"\\$x\"",
    "a#b",
    "''",
    "\"\"",
    "a=b",
    "é",
    "x/y",
    "'\n'",
    "\"a\\\nb\"",
    "'*'",
    "\\*",
    "1",
    "--",
    "-",
    "{}",
    "'|'",
    "\"&&\"",
    "\\;",
    "'`'",
    "@",
    "%",
    "a:b",
    "^",
    "+x",
    "$",
    "=",
    "'#'",
    "in",
    "do",
];
