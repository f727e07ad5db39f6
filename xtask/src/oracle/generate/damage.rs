//! Scripts with something wrong in them.

use crate::random::Random;

/// `script` with a letter taken out, put in or doubled, or a piece moved.
pub(crate) fn damaged(random: &mut Random, script: &str) -> String {
    let chars: Vec<char> = script.chars().collect();
    let at = random.below(chars.len() + 1);
    let (head, tail) = chars.split_at(at.min(chars.len()));
    let text = |chars: &[char]| chars.iter().collect::<String>();
    let piece = |random: &mut Random, most: usize| {
        let end = random.below(tail.len() + 1).min(most);
        (text(tail.get(..end).unwrap_or(&[])), text(tail.get(end..).unwrap_or(&[])))
    };
    match random.below(10) {
        0 => text(head) + &text(tail.get(1..).unwrap_or(&[])),
        1 => {
            let (piece, _) = piece(random, 12);
            text(head) + &piece + &text(tail)
        }
        2 => {
            let (piece, rest) = piece(random, 20);
            piece + &text(head) + &rest
        }
        3 => {
            let (_, rest) = piece(random, 8);
            text(head) + &rest
        }
        4 if random.percent(30) => text(head),
        5 => {
            let letter = char::from_u32(1 + u32::try_from(random.below(0x7e)).unwrap_or(0));
            text(head) + &letter.map(String::from).unwrap_or_default() + &text(tail)
        }
        6 => {
            // Both quotes or brackets of a pair, around whatever is there.
            let (open, close) = random.one_of(PAIRS);
            let (piece, rest) = piece(random, 15);
            text(head) + open + &piece + close + &rest
        }
        _ => text(head) + random.one_of(LETTERS) + &text(tail),
    }
}

/// `script` with something put into it of which nothing is left when it runs.
pub(crate) fn parted(random: &mut Random, script: &str) -> String {
    let places: Vec<usize> =
        script.char_indices().map(|(at, _)| at).chain([script.len()]).collect();
    let (head, tail) = script.split_at(random.one_of(&places));
    format!("{head}{}{tail}", random.one_of(NOTHING))
}

const NOTHING: &[&str] = &[
    "\"$()\"",
    "$()",
    "\"$u\"",
    "$u",
    "${u}",
    "''",
    "\"\"",
    "\"${u-}\"",
    "$''",
    "\\\n",
    "\"`:`\"",
];

const PAIRS: &[(&str, &str)] = &[
    ("'", "'"),
    ("\"", "\""),
    ("`", "`"),
    ("$(", ")"),
    ("${", "}"),
    ("$((", "))"),
    ("(", ")"),
    ("{ ", "; }"),
    ("[[ ", " ]]"),
    ("(( ", " ))"),
    ("$'", "'"),
    ("<(", ")"),
    ("<<E\n", "\nE\n"),
    ("if ", "; then rm; fi"),
    ("eval '", "'"),
    ("$[", "]"),
    ("x[", "]"),
    ("{", ",b}"),
    ("\"$(", ")\""),
    ("bash -c '", "'"),
];

const LETTERS: &[&str] = &[
    "'",
    "\"",
    "\\",
    "`",
    "$",
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    "&",
    "|",
    ";",
    "\n",
    " ",
    "#",
    "=",
    "!",
    "~",
    "*",
    "\\\n",
    "$(",
    "${",
    "$((",
    "))",
    "<<",
    "<(",
    "$'",
    "\t",
    "\r",
    "\u{301}",
    ",",
    "E",
    "@",
    "?",
    "+",
    "-",
    "1",
    "2",
    "in",
    "do",
    "time ",
    "[[",
    "]]",
    " #",
    "\r\n",
    "\u{feff}",
    "\u{a0}",
    "\u{b}",
    "\u{c}",
    "\u{7f}",
    "\u{1}",
    "case ",
    "esac ",
    "; ",
    "\n\n",
    "<<E\n",
    "\nE\n",
    "&&",
    "||",
    ";;",
    "$'\\",
    "$\"",
    "\u{85}",
    "\u{2028}",
    "rm ",
    " rm\n",
    "x=",
    "x=(",
    "f()",
    "function ",
    "coproc ",
    "-",
    "{a,b}",
    "\\'",
    "\\\\",
    "exec ",
    "eval ",
    "alias ",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_script_can_be_damaged() {
        for script in ["", "é", "git a; rm"] {
            let made: Vec<String> =
                (0..50).map(|seed| damaged(&mut Random::new(seed, 0), script)).collect();
            assert!(made.iter().any(|it| it != script), "{script:?}");
            let longer = parted(&mut Random::new(1, 0), script);
            assert!(longer.len() > script.len(), "{script:?}");
        }
    }
}
