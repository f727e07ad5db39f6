//! How much work a decomposition is: counted, not timed.

use crate::commands::reader::{MAX_BYTES, MAX_COMMANDS};
use crate::commands::{Cause, Decomposition, Invocation, Token};

fn invocation(shell: &str, script: &str) -> Invocation {
    Invocation::new([shell, "-c", script].map(Token::new))
}

/// Steps taken, and what was found.
fn read(shell: &str, script: &str) -> (usize, Decomposition) {
    let invocation = invocation(shell, script);
    let mut reader = invocation.reader();
    reader.read_all();
    (reader.steps, invocation.decompose())
}

/// How many words and letters a decomposition holds.
fn size(decomposition: &Decomposition) -> usize {
    let letters = |token: &Token| token.to_string().len() + 1;
    let command = |command: &crate::commands::Command| {
        let values = command.assignments.iter().map(|it| letters(&it.value));
        1 + command.via.len() + command.tokens.iter().map(letters).chain(values).sum::<usize>()
    };
    decomposition.commands.iter().map(command).sum()
}

/// P6: openings, operators and words, again and again.
const AGAIN: &[&str] = &[
    "(",
    "$(",
    "\"$( ",
    "((",
    "$((",
    "$((a)+",
    "${x:-",
    "${x[",
    "{",
    "{a,",
    "{a,b}",
    "{a..",
    "a{",
    "}",
    "[",
    "[a",
    "[]",
    "[[ ",
    "`",
    "`\\`",
    "\"",
    "'",
    "$'",
    "$\"",
    "<<A\n",
    "cat <<A ",
    "<<A;",
    "a <<E\n",
    "$(cat <<E\n",
    "cat <<A\nx $y\nA\n",
    "<(",
    "@(",
    "a=(",
    "a[",
    "a[1]",
    "=",
    "x=1 ",
    "x;",
    "a|",
    "a&",
    "\n",
    "\\\n",
    "\\",
    "~",
    "é",
    "$x",
    "x y ",
    ">f ",
    "f(){ ",
    "while a; do ",
    "if a; then ",
    "case x in a) ",
    "[[ a =~ (",
    "[[ x -eq y ]];",
    "((x));",
    "echo `x`;",
    "cd ..;",
    "time ",
    "! ",
    "#",
    "x#\n",
    "echo $(x);",
    "$(( $( ",
    "select x in ",
    "for x in a; do ",
    "coproc ",
    "function f ",
    ";;",
    "2>&1 ",
    "trap x 0;",
];

#[test]
fn steps_are_linear_in_the_length_of_the_script() {
    for piece in AGAIN {
        for shell in ["bash", "sh"] {
            let script = |length: usize| piece.repeat(length / piece.len());
            let (steps, decomposition) = read(shell, &script(12_000));
            // Some texts hold themselves: those are read once for each depth.
            assert!(steps <= 2 * MAX_BYTES, "{shell}: {piece:?} takes {steps} steps");
            let (half, _) = read(shell, &script(6_000));
            assert!(
                steps <= half * 3 + 1_000,
                "{shell}: {piece:?} takes {half}, then {steps} steps"
            );
            let size = size(&decomposition);
            assert!(size <= 2_000_000, "{shell}: {piece:?} is read as {size} letters");
        }
    }
}

/// A long word, and then something that may look back at it.
#[test]
fn long_words_are_looked_at_once() {
    for piece in [
        "[", "[0]", "=", "-=", "{", "}", ",", "]", "~", ":~", "<a", ">a", "$x", "'a'", "(a)",
        "\\\n",
    ] {
        for start in ["a", "0", "{a", "a=", "-"] {
            let script = format!(
                "{}{}",
                start.repeat(8_000 / start.len()),
                piece.repeat(8_000 / piece.len())
            );
            let (steps, _) = read("sh", &script);
            assert!(steps <= 160_000, "{start:?} and then {piece:?} takes {steps} steps");
        }
    }
}

/// Texts in texts are read up to a depth and a size, and not more.
#[test]
fn nesting_ends_with_a_cause() {
    let causes = |script: &str| invocation("bash", script).decompose().causes();
    assert_eq!(causes(&"$(".repeat(300)), [Cause::TooDeep]);
    assert_eq!(causes(&"( ".repeat(300)), [Cause::TooDeep]);
    assert_eq!(causes(&"((".repeat(300)), [Cause::Unterminated]);
    assert_eq!(causes(&format!("{}rm{}", "( ".repeat(150), ")".repeat(150))), []);
    assert_eq!(causes(&"{ ".repeat(300)), [Cause::TooDeep]);
    assert_eq!(causes(&format!("{}rm", "eval ".repeat(30))), [Cause::TooDeep]);
    assert_eq!(causes(&format!("{}rm", "env ".repeat(30))), [Cause::TooDeep]);
    assert_eq!(causes(&format!("{}rm", "xargs ".repeat(30))), [Cause::TooDeep]);
    assert_eq!(causes(&"<<A ".repeat(100)), [Cause::TooLarge, Cause::HereDocument]);
    let commands = invocation("bash", &"x;".repeat(MAX_COMMANDS * 2)).decompose().commands;
    assert_eq!(commands.len(), MAX_COMMANDS + 1);
    assert_eq!(commands.last().and_then(|it| it.program.cause()), Some(Cause::TooLarge));
    assert_eq!(causes(&"x".repeat(MAX_BYTES + 1)), [Cause::TooLarge]);
    let backquotes = (0..12).fold("rm".to_owned(), |script, _| {
        format!("echo `{}`", script.replace('\\', "\\\\").replace('`', "\\`"))
    });
    assert_eq!(causes(&backquotes), []);
}

/// Nothing read twice is read four times, and so on: `sh` in `sh` in ….
#[test]
fn two_readings_do_not_multiply() {
    let line = format!("echo {{a,b}} {}\n", "c".repeat(100));
    let mut script = line.clone();
    for level in 0..14 {
        script = format!("{line}sh <<'E{level}'\n{script}E{level}\n");
    }
    let (steps, _) = read("sh", &script);
    // Each of the levels is a part of all, and is read in two ways.
    assert!(steps <= script.len() * 60, "{} letters take {steps} steps", script.len());
}

/// What is evaluated inside what is evaluated is looked at again only so often.
#[test]
fn expansions_in_expansions_are_bounded() {
    for opening in ["${x[", "${x:-", "$((a[", "$(( ${x:", "\"${x#"] {
        let script = format!("{}{}", opening.repeat(60), "a b ".repeat(25_000));
        let closing = "}])))\"".repeat(60);
        let (steps, _) = read("bash", &(script.clone() + &closing));
        assert!(steps <= 3 * MAX_BYTES, "{opening:?} takes {steps} steps");
    }
}
