//! Shells and builtins that are given code as text.

use crate::generate::{list, words};
use crate::random::Random;

/// A shell, and the code it is given.
pub(crate) fn shell(random: &mut Random, depth: usize) -> String {
    let inner = list::list(random, depth.saturating_sub(1));
    let shell = random.one_of(&[
        "sh",
        "bash",
        "dash",
        "env bash",
        "exec sh",
        "command sh",
        "nice bash",
        "env -i bash",
        "timeout 5 sh",
        "'bash'",
        "./bash",
    ]);
    let quoted = quoted(random, &inner);
    let args = random.one_of(&["", "", "", " x", " git rm", " -- a", " \"$@\"", " $x"]);
    match random.below(20) {
        0 | 1 => format!("eval {quoted}"),
        2 => format!("eval {inner}"),
        3 => format!("eval {} {quoted}", words::program(random)),
        4 => format!("{shell} <<'E'\n{inner}\nE\n"),
        5 => format!("{shell} <<E\n{inner}\nE\n"),
        6 => format!("{shell} <<< {quoted}"),
        7 => format!(
            "trap {quoted} {}",
            random
                .one_of(&["EXIT", "0", "DEBUG", "ERR", "RETURN", "INT", "EXIT INT", "-- EXIT", ""])
        ),
        8 | 9 => format!("{shell} -{} {quoted}{args}", random.one_of(FLAGS)),
        10 => format!("{shell} -c \"{}\"{args}", inner.replace(['\\', '"', '$', '`'], "")),
        11 => format!("{shell} -c \"{inner}\"{args}"),
        12 => format!(
            "echo {quoted} | {shell}{}",
            random.one_of(&["", " -s", " -", " -s a", " -e", " -s -- rm"])
        ),
        13 => format!("xargs -I{{}} {shell} -c {quoted} <data"),
        14 => format!(
            "find data -exec {shell} -c {quoted} {} \\;",
            random.one_of(&["{}", "a {}", "", "-- {}"])
        ),
        15 => format!(
            "{shell} {}",
            random.one_of(&[
                "run",
                "data",
                "-x run",
                "-- run",
                "< run",
                "-s < run",
                "-s a < run",
                "./run",
                "d",
                "$x",
                "--version",
                "-i",
                "--rcfile run -c git",
                "-n -c rm",
                "-O extglob -c git",
                "-o pipefail -c rm"
            ])
        ),
        16 => format!("{shell} -c {inner}"),
        17 => format!("{shell} -c{quoted}"),
        _ => format!("{shell} -c {quoted}{args}"),
    }
}

/// `text` as one word, quoted one way or another.
fn quoted(random: &mut Random, text: &str) -> String {
    match random.below(6) {
        0 => format!(
            "\"{}\"",
            text.replace('\\', "\\\\").replace('"', "\\\"").replace('$', "\\$").replace('`', "\\`")
        ),
        1 => format!("$'{}'", text.replace('\\', "\\\\").replace('\'', "\\'")),
        2 => format!("'{}'", text.replace('\'', "'\"'\"'")),
        3 => format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\"").replace('`', "\\`")),
        _ => format!("'{}'", text.replace('\'', "'\\''")),
    }
}

const FLAGS: &[&str] = &[
    "ec",
    "ce",
    "xc",
    "c -e",
    "c --",
    "o errexit -c",
    "uc",
    "c +x",
    "c -o pipefail",
    "e -c",
    "-norc -c",
    "fc",
    "c -x --",
    "kc",
    "-posix -c",
    "lc",
    "pc",
    "-login -c",
    "ic",
    "c -",
    "vc",
    "nc",
    "rc",
    "co errexit",
    "oc errexit",
    "O extglob -c",
    "-verbose -c",
    "ac",
    "cs",
    "sc",
    "+c -c",
    "c -c",
    "-noprofile --norc -c",
    "o posix -c",
    "Cc",
    "bc",
    "Ec",
    "Tc",
    "hc",
    "+e -c",
    "+o errexit -c",
];
