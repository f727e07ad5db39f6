//! Random scripts.

mod builtins;
mod corpus;
mod damage;
mod documents;
mod evaluators;
mod expansions;
mod launched;
mod list;
mod nested;
mod plain;
mod reach;
mod tangles;
mod words;
mod wrappers;

use crate::random::Random;

/// A script to try.
#[derive(Clone, Debug, Eq, PartialEq)]
pub(crate) struct Script {
    pub(crate) text: String,
    /// Whether it is so simple that it must be read whole, and does all that is read.
    pub(crate) is_plain: bool,
    /// Whether the shell reads it from its standard input.
    pub(crate) is_input: bool,
}

impl Script {
    /// Another text, given to the shell in the same way.
    pub(crate) fn with(&self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self.clone() }
    }
}

/// The script that these numbers make.
pub(crate) fn script(random: &mut Random) -> Script {
    if random.percent(6) {
        return Script { text: plain::script(random), is_plain: true, is_input: false };
    }
    let depth = random.one_of(&[1, 1, 2, 2, 2, 3]);
    let mut text = match random.below(13) {
        12 => tangles::script(random),
        0 | 1 => corpus::script(random),
        2..=4 => list::simple(random, depth),
        5..=8 => list::command(random, depth),
        _ => list::list(random, depth),
    };
    while text.len() > LONGEST {
        text = list::list(random, 2);
    }
    if random.percent(90) {
        text = joined(&text);
    }
    if random.percent(16) {
        for _ in 0..1 + random.below(3) {
            text = damage::damaged(random, &text);
        }
    }
    if random.percent(8) {
        for _ in 0..1 + random.below(2) {
            text = damage::parted(random, &text);
        }
    }
    // A program that is started for sure shows whether what is before it was read to its end.
    if random.percent(30) {
        let ends = if random.percent(80) { ENDS } else { WRONG_ENDS };
        text.push_str(random.one_of(ends));
    }
    Script { text: tamed(&text), is_plain: false, is_input: random.percent(8) }
}

/// The script without operators that begin a line: pieces that end with one were put together.
fn joined(script: &str) -> String {
    let mut joined = script.to_owned();
    for operator in ["; ", "&& ", "|| ", "| ", "& ", "|& ", "&&", "|", "&"] {
        for before in ["\n", "\n ", "& "] {
            joined = joined.replace(&format!("{before}{operator}"), before);
        }
    }
    joined
}

/// Whether a script can do no harm even where it has the rights of the person who runs it.
pub(crate) fn is_safe(script: &str) -> bool {
    tamed(script) == script
}

/// The script without what leaves its folder or ends other processes.
fn tamed(script: &str) -> String {
    let mut tamed = String::with_capacity(script.len());
    for (at, letter) in script.char_indices() {
        let rest = script.get(at..).unwrap_or("");
        // An absolute path begins a word; one in the middle of a word is relative.
        let is_inside = tamed.ends_with(|it: char| it.is_alphanumeric() || ".}#%/*~".contains(it));
        let is_slash = letter == '/' && !rest.starts_with("/dev/null") && !is_inside;
        if letter != '\0' && !is_slash {
            tamed.push(letter);
        }
    }
    for word in FORBIDDEN {
        while tamed.contains(word) {
            tamed = tamed.replace(word, "");
        }
    }
    tamed
}

const LONGEST: usize = 500;

const FORBIDDEN: &[&str] =
    &["kill", "ulimit", "suspend", "/dev/tcp", "/dev/udp", "/proc", "/bin", "/usr", "/sys"];

const ENDS: &[&str] = &[
    "\ntouch z",
    "; touch z",
    " && touch z",
    "\n# '\ntouch z",
    " | touch z",
    "\n\ntouch 'z'",
    ";touch z #",
    " || touch z\ntouch z",
    "&touch z",
];

/// Only a shell that is still inside something takes them.
const WRONG_ENDS: &[&str] = &["\n)\ntouch z", "\n}\ntouch z", "\nfi\ntouch z", "\nE\ntouch z"];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_numbers_make_the_same_script() {
        let made = |seed| script(&mut Random::new(seed, 3));
        assert!((0..200).all(|seed| made(seed) == made(seed)));
        assert!((0..200).any(|seed| made(seed) != made(seed + 1)));
    }

    #[test]
    fn no_script_leaves_its_folder() {
        let cases = [
            ("git >/etc/x", "git >etc/x"),
            ("./git x/y >/dev/null", "./git x/y >/dev/null"),
            ("${x//a/b} '/a'", "${x//a/b} 'a'"),
            ("kikillll 1", " 1"),
            ("a\0b", "ab"),
        ];
        for (script, expected) in cases {
            assert_eq!(tamed(script), expected);
        }
        for seed in 0..500 {
            let made = script(&mut Random::new(seed, 0));
            assert!(is_safe(&made.text), "{made:?}");
        }
    }
}
