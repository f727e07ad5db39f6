//! What begins with a dollar or a backtick, or is a pipe with a name.

use crate::generate::{documents, list, words};
use crate::random::Random;

pub(crate) fn expansion(random: &mut Random, depth: usize) -> String {
    let below = depth.saturating_sub(1);
    if depth == 0 {
        return random.one_of(&["$x", "${x}", "$(rm)", "`rm`", "$((1))", "$@", "$1"]).to_owned();
    }
    match random.below(22) {
        0..=2 => format!("$({})", list::list(random, below)),
        3 | 4 => backticks(&list::simple(random, below)),
        5 => backticks(&format!("git {}", backticks(&list::simple(random, 0)))),
        6 => format!("$(({}))", arithmetic(random, below)),
        7 => format!("$[{}]", arithmetic(random, below)),
        8 => format!("$(({}) )", list::list(random, below)),
        9 => format!("{}({})", random.one_of(&["<", ">"]), list::list(random, below)),
        10 => format!("$({})", random.one_of(ODD)),
        11 => format!("$(\n{}\n)", documents::document(random, below)),
        12 => format!("${{x[{}]}}", arithmetic(random, below)),
        13 => format!("${{x{}}}", random.one_of(OPERATORS)),
        14 => format!(
            "$({} # {})\n)",
            list::simple(random, 0),
            random.one_of(&["'", ")", "a", "(", "`"])
        ),
        15 => format!("${{{} {}; }}", random.one_of(&["", "|"]), list::simple(random, 0)),
        16 => format!(
            "${{!{}}}",
            random.one_of(&["x", "x*", "x@", "x[@]", "x-$(rm)", "1", "#", "x:-a"])
        ),
        _ => parameter(random, below),
    }
}

/// `${…}` with a word.
fn parameter(random: &mut Random, depth: usize) -> String {
    let name = random
        .one_of(&["x", "x", "1", "@", "#", "y[0]", "x[@]", "?", "!x", "x[1+1]", "-", "10", "_"]);
    let operator = random.one_of(&[
        ":-", "-", ":=", "=", ":+", "+", ":?", "?", "#", "##", "%", "%%", "/", "//", "/#", "/%",
        ":", "^", ",,", "@", "/a/",
    ]);
    let word = match random.below(4) {
        0 => words::inside_double(random, depth),
        1 => format!("{} {}", words::word(random, depth), words::word(random, 0)),
        2 => random
            .one_of(&[
                "'}'", "\"}\"", "\\}", "{", "}", "'a", "\"a", "{a}", "$'}'", "(", ")", "#",
                "<(rm)", "`rm`",
            ])
            .to_owned(),
        _ => words::word(random, depth),
    };
    format!("${{{name}{operator}{word}}}")
}

/// `text` in backticks, with the escapes that it needs there.
fn backticks(text: &str) -> String {
    format!("`{}`", text.replace('\\', "\\\\").replace('`', "\\`"))
}

/// An expression, or what looks like one.
pub(crate) fn arithmetic(random: &mut Random, depth: usize) -> String {
    let operand = |random: &mut Random| match random.below(12) {
        0 => words::word(random, depth),
        1 => format!("x[{}]", words::word(random, depth)),
        2 => format!("$({})", list::simple(random, 0)),
        3 => "`rm`".to_owned(),
        4 => random
            .one_of(&[
                "$x", "${x}", "$#", "${#x}", "x", "y", "a[1]", "'x'", "\"1\"", "$((2))", "(1)",
                "16#ff", "1e", "'",
            ])
            .to_owned(),
        _ => random.one_of(&["1", "2", "0", "07", "0x1f", "1", "10"]).to_owned(),
    };
    let mut text = operand(random);
    for _ in 0..random.below(3) {
        let operator = random.one_of(&[
            "+", "-", "*", "/", "%", "<<", ">>", "<", ">", "==", "&&", "||", "?1:", ",", "=", "+=",
            "&", "|", "^", " ", ";", ") + (", "# ",
        ]);
        text = format!("{text}{operator}{}", operand(random));
    }
    match random.below(8) {
        0 => format!("({text})"),
        1 => format!("{text}++"),
        2 => format!(" {text} "),
        3 => format!("x={text}"),
        _ => text,
    }
}

const ODD: &[&str] = &[
    "case x in x) rm y;; esac",
    "cat <<E\nrm\nE\n",
    "# rm )\ngit",
    "(git); rm",
    "<data",
    "case x in (x) rm;; esac",
    "(rm)",
    " (git) ",
    "",
    "git ')' rm",
    "git \")\" rm",
    "git \\) rm",
    "cat <<E\n)\nE\n",
    "cat <<'E'\n'\nE\nrm",
    "if git; then rm; fi",
    "{ git; }",
    "case $x in a) git;; b|c) rm;; esac",
    "echo git # )\n",
    "for x in a; do rm; done",
    "f() { rm; }; f",
    "[[ a == b) ]]",
    "(( 1 ))",
    "case in in in) rm;; esac",
    "git <<< ')'",
    "cat <<-E\n\t)\n\tE\n",
    "git;",
    "git &",
    "git\n#)\n",
    "< data ",
    "case a in esac; rm",
    "case x in esac) git;; esac",
    "case x in\n#)\nx) rm;; esac",
    "cat <<E; git\n$(rm)\nE\n",
    "`rm`",
    "git a#) rm",
    "git ${x#)} rm",
];

const OPERATORS: &[&str] = &[
    ":-a",
    ":=$(rm)",
    "#a",
    "##*/",
    "%.*",
    "/a/b",
    "//a/$(git)",
    ":1",
    ":$(rm):1",
    "@P",
    "@Q",
    "^^",
    ",,",
    "[0]",
    "[@]",
    "-'}'",
    ":-'a'",
    "#'}'",
    "-\"}\"",
    "-`rm`",
    "+<(rm)",
    "-$((1))",
    "!",
    "-a b",
    "-{a}",
    "@E",
    "@A",
    "@a",
    "@K",
    ":x",
    ": -1",
    ":1:y",
    "/#a/b",
    "/%a/`rm`",
    "/\\//b",
    "/'/'/b",
    "-$'}'",
    "-\\}",
    "-${y-$(rm)}",
    ":?$(rm)",
    ":+\"$(rm)\"",
    "~",
    "~~",
    "[$(rm)]",
    "[x]",
    "[*]",
    "[-1]",
    "@",
    "[@]@P",
    "[@]:1",
    "/$(rm)/x",
    "%%\"}\"",
    "#\"$(rm)\"",
    "",
    "#",
    " ",
    "-\n",
    "-~",
    "-*",
    "-<(rm)",
    "-\"'\"",
    "-'\"'",
    ":-",
    "^$(rm)",
];
