//! Words, however they are quoted.

use crate::generate::{expansions, list};
use crate::random::Random;

/// A program, written one way or another.
pub(crate) fn program(random: &mut Random) -> String {
    let name = random.one_of(PROGRAMS);
    match random.below(30) {
        0 => format!("'{name}'"),
        1 => format!("\"{name}\""),
        2 => format!("\\{name}"),
        3 | 4 => disguised(random, name),
        5 => format!("$'{name}'"),
        6 => random.one_of(NAMED_BY_VALUE).to_owned(),
        7 => escaped(random, name),
        _ => name.to_owned(),
    }
}

/// `text`, quoted somewhere in its middle.
fn disguised(random: &mut Random, text: &str) -> String {
    let (head, tail) = text.split_at_checked(1 + random.below(2)).unwrap_or((text, ""));
    match random.below(8) {
        0 => format!("'{head}'{tail}"),
        1 => format!("{head}\"{tail}\""),
        2 => format!("{head}''{tail}"),
        3 => format!("{head}\\\n{tail}"),
        4 => format!("{head}\\{tail}"),
        5 => format!("$'{head}'\"{tail}\""),
        6 => format!("{head}$'{tail}'"),
        _ => format!("{head}\"\"'{tail}'"),
    }
}

/// `text` in `$'…'`, some of its letters as numbers.
fn escaped(random: &mut Random, text: &str) -> String {
    let mut written = String::from("$'");
    for byte in text.bytes() {
        match random.below(6) {
            0 => written.push_str(&format!("\\x{byte:02x}")),
            1 => written.push_str(&format!("\\{byte:03o}")),
            2 => written.push_str(&format!("\\u00{byte:02x}")),
            _ => written.push(char::from(byte)),
        }
    }
    written.push('\'');
    written
}

/// An argument.
pub(crate) fn word(random: &mut Random, depth: usize) -> String {
    if depth == 0 {
        return random.one_of(PLAIN).to_owned();
    }
    match random.below(34) {
        0..=8 => expansions::expansion(random, depth),
        9 | 10 => format!("\"{}\"", inside_double(random, depth)),
        11 => format!("{}{}", word(random, 0), word(random, depth - 1)),
        12 => format!("{{a,{}}}", word(random, depth - 1)),
        13 => format!("'{}'", list::simple(random, 0).replace('\'', "")),
        14 => format!("$'{}'", random.one_of(ANSI)),
        15 => format!("$\"{}\"", inside_double(random, depth)),
        16 => format!("x[{}]", word(random, depth - 1)),
        17 => format!("{}({}|b)", random.one_of(&["@", "!", "*", "?", "+"]), word(random, 0)),
        18 => format!(
            "{}/{}",
            random.one_of(&["d", ".", "~", "$x", "*"]),
            random.one_of(&["*", "inner", "x", "[a-z]*"])
        ),
        19 => format!("{}={}", random.one_of(&["a", "--x", "of", "~"]), word(random, depth - 1)),
        20 => format!("{}\\\n{}", word(random, 0), word(random, 0)),
        21 => disguised(random, "a b"),
        _ => random.one_of(PLAIN).to_owned(),
    }
}

/// Text in double quotes.
pub(crate) fn inside_double(random: &mut Random, depth: usize) -> String {
    let mut text = String::new();
    for _ in 0..1 + random.below(3) {
        match random.below(6) {
            0 | 1 => text.push_str(&expansions::expansion(random, depth)),
            2 => text.push_str(random.one_of(IN_DOUBLE)),
            3 => text.push_str(&word(random, 0).replace('"', "\\\"")),
            _ => text.push_str(random.one_of(&["a", " ", "b c", "rm", "; rm x; "])),
        }
    }
    text
}

pub(crate) fn assignment(random: &mut Random, depth: usize) -> String {
    let value = word(random, depth);
    match random.below(14) {
        0 => format!("x[{}]={value}", word(random, depth.saturating_sub(1))),
        1 => format!("x+={value}"),
        2 => format!("x=({value} {})", word(random, 0)),
        3 => format!("x=([{}]={value} b)", word(random, 0)),
        4 => "x='a[$(rm)]'".to_owned(),
        5 => format!("A={}", program(random)),
        6 => format!(
            "{}={value}",
            random.one_of(&[
                "IFS",
                "PATH",
                "PS4",
                "HOME",
                "BASH_ENV",
                "_",
                "OPTIND",
                "PROMPT_COMMAND"
            ])
        ),
        7 => format!("x=\n{}", program(random)),
        8 => format!("x={value} y={}", word(random, 0)),
        9 => format!("x+=({value})"),
        _ => format!("x={value}"),
    }
}

pub(crate) fn redirection(random: &mut Random, depth: usize) -> String {
    let operator = random.one_of(REDIRECTIONS);
    match operator {
        "2>&1" | ">&2" | "2>&-" | "<&-" | "3>&1" | ">&-" | "2>&1-" => operator.to_owned(),
        _ if random.percent(50) => format!("{operator}{}", random.one_of(FILES)),
        _ => format!("{operator}{}", word(random, depth)),
    }
}

pub(crate) const PROGRAMS: &[&str] =
    &["git", "rm", "touch", "cat", "ls", "grep", "gen", "wc", "tee", "git", "rm", "cp", "make"];

const NAMED_BY_VALUE: &[&str] = &[
    "$x",
    "${x}",
    "$(gen)",
    "`gen`",
    "g?t",
    "{git,rm}",
    "\"$x\"",
    "$@",
    "$(echo rm)",
    "~git",
    "./git",
    "$'\\x72m'",
    "$\"rm\"",
    "[g]it",
    "r{m,}",
    "${x:-rm}",
    "${x-git} a",
    "\"$(gen)\"",
    "$((1))",
    "<(rm)",
    "$_",
    "${0}",
    "*",
];

const PLAIN: &[&str] = &[
    "a",
    "b",
    "-f",
    "x.txt",
    "1",
    "{}",
    "-exec",
    "=",
    "a=b",
    "#x",
    "~",
    "-",
    "--",
    "git",
    "rm",
    "'a b'",
    "\"a b\"",
    "'it''s'",
    "\\;",
    "\\#",
    "$x",
    "${x}",
    "\"$x\"",
    "$@",
    "\"$@\"",
    "*",
    "x?",
    "[ab]",
    "{a,b}",
    "{1..3}",
    "$'a\\tb'",
    "$\"a\"",
    "$1",
    "${#x}",
    "$?",
    "in",
    "do",
    "then",
    "}",
    "{",
    "!",
    "]]",
    "a\\\nb",
    "''",
    "\\'",
    "\\\"",
    "a#b",
    "$",
    "%",
    "'#'",
    "'$(rm)'",
    "x+=1",
    "time",
    "--help",
    "-c",
    "+x",
    "é",
    "'\n'",
    "\"\n\"",
    "\\\\",
    "$((x))",
    "$((1+1))",
    "<(rm)",
    "a\\ b",
    "~/x",
    "x/y",
    "d/*",
    "{a..c}",
    "{a,b}{1,2}",
    "a{b",
    "a}",
    "{,}",
    "$$",
    "$!",
    "$#",
    "$-",
    "\"$*\"",
    "${@}",
    "'a\\'",
    "\"a\\\\\"",
    "\\\n",
    "\"\\\n\"",
    "'\\\n'",
    "$''",
    "$\"\"",
    "\"'\"",
    "'\"'",
    "\\$x",
    "\"\\$x\"",
    "\"\\`rm\\`\"",
    "a=~",
    "x=~/y:~/z",
    "--a=~/b",
    "\"~\"",
    "\\~",
    "~+",
    "~-",
    "[!a]*",
    "[[:alpha:]]*",
    "\\*",
    "'*'",
    "a\"b\"'c'\\d",
    "!!",
    "\u{a0}",
    "a\u{a0}b",
    "\u{2028}",
    "$'\\u00e9'",
    "^",
    "a^b",
    "@",
    "[",
    "]",
    "[]",
    "{a",
    ",",
    "{a,b",
    "{a b,c}",
    "x{1..2}y",
    "{1..3..2}",
    "{a,$x}",
    "{$(rm),b}",
    "{'a,b',c}",
    "\\{a,b}",
    "{a\\,b}",
    "${x}{a,b}",
    "${",
    "$(",
    "$[1]",
    "$[x]",
    "`",
    "`rm`",
];

const ANSI: &[&str] = &[
    "a\\'; rm x",
    "b",
    "a\\nb",
    "\\x41",
    "\\101",
    "\\u263a",
    "\\cA",
    "\\e[0m",
    "\\\\",
    "\\'",
    "\\\"",
    "$(rm)",
    "`rm`",
    "\\x",
    "\\0",
    "a\\0b",
    "\\q",
    "\\xff",
    "\\777",
    "\\u",
    "\\U0001F600",
    "\\",
    "\\c'",
    "\\c\\\\",
    "a\\\nb",
    "\\x{41}",
    "\\?",
    "#",
    "\n",
];

const IN_DOUBLE: &[&str] = &[
    "\\\"",
    "\\\\",
    "\\$x",
    "\\`",
    "\\\n",
    "'",
    "\\a",
    "$",
    "!",
    "`rm`",
    "$(rm)",
    "${x}",
    "#",
    "\n",
    "\\n",
    "$'a'",
    "{a,b}",
    "~",
    "*",
    "<(rm)",
    "$((1))",
    "$[1]",
    "\\'",
    "`echo \\`rm\\``",
    "`echo \\\"a\\\"`",
    "$(echo \"b\")",
    "${x:-'a'}",
    "${x:-\"a\"}",
    "${x#'a'}",
];

const REDIRECTIONS: &[&str] = &[
    "<", ">", ">>", ">|", "<>", "2>", "2>&1", "&>", "&>>", ">&", "<&", "12>", "{fd}>", "<<<", "> ",
    "1<>", ">&2", "2>&-", "<&-", "3>&1", "2>>", "0<", "<<< ", "{x}<", ">&-", "2>&1-", "3<>", "&> ",
    ">& ", "99>", ">\\\n", "2 >", "{x[1]}>",
];

const FILES: &[&str] = &[
    "o",
    "/dev/null",
    "o1",
    "d/o",
    "./o",
    "\"o\"",
    "'o 2'",
    "o$x",
    "$x",
    "~/o",
    "1",
    "-",
    "2",
    "o*",
    "$(gen)",
    "o\\ 3",
    "é",
    "data",
    "&1",
    "${x:-o}",
    "{o,p}",
    "x.txt",
    "<(rm)",
    ">(rm)",
    "$'o'",
    "o; rm",
    "o&",
    "o|git",
    "1o",
    "o1 2",
    "&-",
    "(rm)",
    "o)",
];
