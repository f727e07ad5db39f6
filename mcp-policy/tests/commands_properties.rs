//! What holds of every decomposition, whatever the text.

mod commands;

use std::collections::BTreeSet;

use mcp_policy::commands::{Decomposition, Program, Token, decompose, decompose_words};
use proptest::prelude::*;

/// Scripts of the shell, whole or damaged: words, operators and openings in any order.
fn scripts() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(PIECES);
    let piece =
        prop_oneof![9 => pieces.prop_map(str::to_owned), 1 => any::<char>().prop_map(String::from)];
    prop::collection::vec(piece, 0..40).prop_map(|pieces| pieces.concat())
}

const PIECES: &[&str] = &[
    "git ",
    "rm ",
    "x",
    " ",
    "\n",
    ";",
    "&",
    "|",
    "&&",
    "(",
    ")",
    "{ ",
    "; }",
    "'",
    "\"",
    "\\",
    "`",
    "$",
    "$(",
    "$((",
    "))",
    "${",
    "}",
    "<<E\n",
    "E\n",
    "<",
    ">",
    "2>&1",
    ">&",
    "<(",
    "[",
    "]",
    "[[ ",
    " ]]",
    "if ",
    "then ",
    "fi",
    "for i in ",
    "do ",
    "done",
    "case x in ",
    "a) ",
    ";; ",
    "esac",
    "while ",
    "f() ",
    "#",
    "=",
    "x=",
    "x=(",
    "a[",
    "$'",
    "$\"",
    "{a,b}",
    "*",
    "~",
    "!",
    "time ",
    "coproc ",
    "eval ",
    "bash -c ",
    "env ",
    "-S ",
    "trap ",
    "sudo ",
    "xargs ",
    "\\\n",
    "\r",
    "\0",
    "\u{301}",
    "<<<",
    "declare ",
    "let ",
    "set -",
    "function ",
    "select ",
    "@(",
    "$@",
    "\"$x\" ",
    "+",
    "-",
    "@P",
];

fn dialects(script: &str) -> Vec<Decomposition> {
    ["bash", "sh", "zsh", "ksh"].map(|shell| decompose_words(&[shell, "-c", script])).into()
}

fn names(decomposition: &Decomposition) -> BTreeSet<String> {
    let name = |program: &Program| program.name().map(str::to_owned);
    decomposition.commands.iter().filter_map(|command| name(&command.program)).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    /// P7.
    #[test]
    fn nothing_makes_it_panic(script in scripts(), words in prop::collection::vec(any::<String>(), 0..6)) {
        dialects(&script);
        decompose_words(&words);
        decompose_words(&words.iter().map(|word| format!("{word}{script}")).collect::<Vec<_>>());
    }

    /// P7, with gaps where they can be.
    #[test]
    fn gaps_are_never_taken_for_text(words in prop::collection::vec(prop::sample::select(WORDS), 1..8), gap in 0usize..8) {
        let mut tokens: Vec<Token> = words.iter().map(|word| Token::new(*word)).collect();
        let at = gap.min(tokens.len() - 1);
        tokens[at] = Token::unreadable(mcp_policy::commands::Cause::NotText);
        let with_gap = decompose(&tokens);
        // The gap may be any word: whatever could run then, ran already or is unknown now.
        for word in ["rm", "-c", "--", "-x"] {
            let mut known = tokens.clone();
            known[at] = Token::new(word);
            let known = decompose(&known);
            let covered = !with_gap.is_complete() || names(&known).is_subset(&names(&with_gap));
            prop_assert!(covered, "{words:?} with {word:?} at {at} runs {:?}, and {:?} was read", names(&known), names(&with_gap));
        }
    }

    /// There is always an answer.
    #[test]
    fn no_call_is_without_a_command(script in scripts()) {
        for decomposition in dialects(&script) {
            prop_assert!(!decomposition.commands.is_empty(), "{script:?}");
        }
    }

    /// P3.
    #[test]
    fn blanks_and_quotes_around_plain_words_change_nothing(words in prop::collection::vec("[a-z][a-z0-9./-]{0,8}", 1..6), blanks in "[ \t]{1,3}") {
        let plain = decompose_words(&["bash", "-c", &words.join(" ")]);
        prop_assume!(plain.is_complete());
        let spaced = decompose_words(&["bash", "-c", &words.join(&blanks)]);
        prop_assert_eq!(&plain, &spaced);
        let (first, rest) = words.split_first().expect("one word at least");
        let quoted = rest.iter().fold(first.clone(), |line, word| format!("{line} '{word}'"));
        prop_assert_eq!(plain, decompose_words(&["bash", "-c", &quoted]));
    }

    /// P4.
    #[test]
    fn joined_scripts_run_what_each_of_them_runs(a in prop::sample::select(WHOLE), b in prop::sample::select(WHOLE)) {
        let read = |script: &str| decompose_words(&["bash", "-c", script]);
        let mut both = names(&read(a));
        both.extend(names(&read(b)));
        let joined = [
            format!("{a}; {b}"), format!("{a}\n{b}"), format!("{a} && {b}"), format!("{a} | {b}"), format!("{{ {a}; {b}; }}"),
            format!("({a}; {b})"), format!("if {a}; then {b}; fi"), format!("{a} & {b}"), format!("! {a} || {b}"),
            format!("f() {{ {a}; }}\n{b}"), format!("case x in (x) {a};; *) {b}; esac"), format!("echo \"$( {a})\" `x`; {b}"),
        ];
        for script in joined {
            let read = read(&script);
            let whole = read.is_complete() == (read_complete(a) && read_complete(b));
            let all = both.is_subset(&names(&read));
            prop_assert!(all && (whole || script.contains('`')), "{script:?} is read as {}", commands::show(&read, &[]));
        }
    }

    /// P13.
    #[test]
    fn a_wrapper_hides_nothing(wrapper in prop::sample::select(WRAPPERS), script in prop::sample::select(WHOLE)) {
        let bare = decompose_words(&["bash", "-c", script]);
        let mut words: Vec<&str> = wrapper.split(' ').collect();
        words.extend(["bash", "-c", script]);
        let wrapped = decompose_words(&words);
        prop_assert!(names(&bare).is_subset(&names(&wrapped)));
        prop_assert!(bare.is_complete() || !wrapped.is_complete());
    }
}

fn read_complete(script: &str) -> bool {
    decompose_words(&["bash", "-c", script]).is_complete()
}

/// P5: a script that is cut short is never read as one that runs less and is complete, where what
/// is left would still start what was there.
#[test]
fn a_script_that_is_cut_short_keeps_its_commands_or_is_incomplete() {
    for script in WHOLE.iter().chain(LONG) {
        let cuts = script.char_indices().map(|(at, _)| at).chain([script.len()]);
        for at in cuts {
            let (head, tail) = script.split_at(at);
            for (part, shell) in [(head, "bash"), (head, "sh"), (tail, "bash"), (tail, "sh")] {
                let read = decompose_words(&[shell, "-c", part]);
                let found = read.commands.len();
                assert!(found > 0, "{shell}: {part:?} is read as nothing");
            }
            // Whole lines before the cut are read already, whatever comes after them.
            let lines = head.rsplit_once('\n').map_or("", |(lines, _)| lines);
            let before = decompose_words(&["bash", "-c", lines]);
            let now = decompose_words(&["bash", "-c", head]);
            if !lines.trim().is_empty() && before.is_complete() && now.is_complete() {
                assert!(names(&before).is_subset(&names(&now)), "{head:?}");
            }
        }
    }
}

/// A quote that is left open, or a bracket, is never a complete script.
#[test]
fn an_opening_without_an_end_is_never_complete() {
    let openings = [
        "'",
        "\"",
        "`",
        "$(",
        "${",
        "$((",
        "$'",
        "<(",
        "(",
        "{ ",
        "if ",
        "while ",
        "case x in ",
        "x=(",
        "f() {",
        "[[ ",
    ];
    for opening in openings {
        for script in WHOLE {
            let script = format!("{script}; echo {opening}");
            let script = match opening {
                "(" | "{ " | "if " | "while " | "case x in " | "f() {" | "[[ " => {
                    script.replace("echo ", "")
                }
                _ => script,
            };
            assert!(!read_complete(&script), "{script:?}");
        }
    }
}

/// Scripts that are complete, and end where they end.
const WHOLE: &[&str] = &[
    "git status",
    "git log \"$x\" | head -n 3",
    "cd web && npm run build 2>&1",
    "for f in *.rs; do grep -n x \"$f\"; done",
    "if [ -f x ]; then cat x; else touch x; fi",
    "case $x in a) ls;; *) rm y;; esac",
    "FOO=1 make -j4 > out.log",
    "while read -r l; do wc \"$l\"; done < list",
    "git commit -m \"$(date +%F)\"",
    "x=$(git rev-parse HEAD)",
    "[[ -d a && $b == c* ]]",
    "bash -c 'ls; rm x'",
    "timeout 5 env A=1 rm x",
    "(cd x; ls)",
    "eval \"ls x\"",
    "python3 -c 'print(1)'",
    "$tool --version",
];

const LONG: &[&str] = &[
    "cat <<'E'\nit's $(rm)\nE\ngit status # it's\nls \"a\nb\" && rm 'x'\n",
    "cat <<E | tee out\n$(ls) `pwd` ${x:-$(id)} \\$(rm)\nE\nfor i in 1 2\ndo\n  echo $((i + 1))\ndone\n",
    "f() {\n  local x=$1\n  git log \"$x\"\n}\nf main &\nwait\n",
    "a=(1 \"2 3\" $(seq 3)); echo \"${a[@]}\" {x,y}z $'a\\'b' <(ls) >/dev/null\n",
];

const WRAPPERS: &[&str] = &[
    "env",
    "env -i A=1",
    "env -u git",
    "timeout -s KILL 5",
    "nice -n 5",
    "nohup",
    "stdbuf -oL",
    "setsid -w",
    "sudo -u root",
    "time -p",
    "command",
    "exec",
    "builtin command",
    "flock L",
    "xargs -n 1",
    "busybox",
    "ionice -c 3",
    "doas",
    "find . -exec",
];

const WORDS: &[&str] = &[
    "env", "timeout", "5", "-s", "KILL", "bash", "-c", "rm x", "sudo", "-u", "xargs", "find", ".",
    "-exec", ";", "nice", "-n", "git", "--", "sh", "-x", "su", "flock", "L", "A=1", "exec", "-a",
    "nohup", "eval", "command",
];
