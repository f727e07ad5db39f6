//! Options that take the next word as their value, of programs with options that run code.
//!
//! A word that is surely a value is no option, whatever it holds.  Options are left out whose value
//! some versions take only where it is attached, or not if it looks like an option.

use std::collections::HashMap;
use std::sync::LazyLock;

/// What is known of the options of such a program.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(crate) struct Values {
    /// Letters that take a value, which may stand behind others: `-xzf`.
    letters: &'static str,
    /// Whole words that do.
    words: &'static str,
    /// Whole words that do so only before all others.
    first: &'static str,
    /// More letters whose value may be attached, and is all that follows.
    attached: &'static str,
    /// A word with a dash is one option, however many letters it has.
    single: bool,
    /// Options are found among the names of files, too.
    pub(crate) names: bool,
    /// The first word may be letters without a dash.
    old: bool,
}

impl Values {
    /// Whether `option`, the word at that place, takes the next one as its value.
    pub(crate) fn take_next(&self, option: &str, at: usize) -> bool {
        if self.words.split(' ').any(|word| word == option) {
            return true;
        }
        if at == 0 && !self.first.is_empty() && self.first == option {
            return true;
        }
        let letters = match option.strip_prefix('-') {
            Some(letters) if !letters.starts_with('-') => letters,
            None if self.old && at == 0 => option,
            _ => return false,
        };
        // What follows the first of them is its value.
        let first = letters.find(|letter| self.letters.contains(letter));
        first.is_some_and(|at| at + 1 == letters.len())
    }

    /// Where in `letters` the option `letter` stands, not in the value of one before it.
    pub(super) fn position(&self, letters: &str, letter: &str) -> Option<usize> {
        let reach = if self.single { 1 } else { letters.len() };
        let takes = |it: char| self.letters.contains(it) || self.attached.contains(it);
        let mut own = letters.char_indices().take_while(|(at, _)| *at < reach);
        let (at, found) = own.find(|(_, it)| letter.starts_with(*it) || takes(*it))?;
        letter.starts_with(found).then_some(at)
    }

    /// Whether what is not known behind `letters` may be more of them.
    pub(super) fn are_open(&self, letters: &str) -> bool {
        let takes = |it: char| it == '=' || self.letters.contains(it) || self.attached.contains(it);
        !letters.contains(takes) && (letters.is_empty() || !self.single)
    }
}

/// What is known of the options of the program `name`, which has some that run code.
pub(super) fn of(name: &str) -> Values {
    INDEX.get(name).copied().unwrap_or(NONE)
}

const NONE: Values = Values {
    letters: "",
    words: "",
    first: "",
    attached: "",
    single: false,
    names: false,
    old: false,
};

static INDEX: LazyLock<HashMap<&str, Values>> = LazyLock::new(|| {
    let names = |(names, values): &(&'static str, Values)| {
        let values = *values;
        names.split(' ').map(move |name| (name, values))
    };
    VALUES.iter().flat_map(names).collect()
});

/// Of the manuals of the programs.
const VALUES: &[(&str, Values)] = &[
    (
        "tar gtar bsdtar",
        Values {
            letters: "CTXbf",
            words: "--file --directory --exclude --exclude-from --files-from",
            names: true,
            old: true,
            ..NONE
        },
    ),
    (
        "rsync",
        Values {
            letters: "BTf",
            words: "--exclude --include --exclude-from --include-from --files-from --filter",
            names: true,
            ..NONE
        },
    ),
    ("zip", Values { names: true, ..NONE }),
    ("scp sftp", Values { letters: "JPcil", attached: "o", ..NONE }),
    ("pytest py.test", Values { attached: "DWkmnor", ..NONE }),
    ("man", Values { attached: "CELMRSemrs", ..NONE }),
    ("ssh-keygen ssh-add", Values { attached: "CEFHIMNOPRVYZafmnrtwz", ..NONE }),
    (
        "curl",
        Values {
            letters: "ACDEFHPQTUXYbcdehmortuwxyz",
            words: "--data --data-raw --data-binary --data-urlencode --header --output --user \
                    --request --url --form --form-string --cookie --cookie-jar --max-time \
                    --connect-timeout --retry --user-agent --referer --proxy --cacert --cert --key \
                    --write-out --json --output-dir --range --upload-file",
            ..NONE
        },
    ),
    (
        "wget",
        Values {
            letters: "OPQTUailotw",
            attached: "ABDIRX",
            words: "--header --output-document --directory-prefix --user --password --post-data",
            ..NONE
        },
    ),
    (
        "rg",
        Values {
            letters: "ABCEMTdefgjmrt",
            words: "--glob --iglob --type --type-not --regexp --file --max-count --context --replace --sort",
            ..NONE
        },
    ),
    ("sort gsort", Values { letters: "STkot", words: "--key --output", ..NONE }),
    ("split gsplit", Values { letters: "Cabln", words: "--lines --bytes --number", ..NONE }),
    (
        "gcc g++ cc c++ clang clang++",
        Values {
            words: "-o -I -L -l -D -U -x -isystem -include",
            attached: "DILOUWglmotx",
            single: true,
            ..NONE
        },
    ),
    ("cargo", Values { words: "--features --manifest-path", ..NONE }),
    ("go", Values { words: "-o -run -bench -tags -count -timeout -p -C", ..NONE }),
    ("git", Values { words: "--depth --onto --origin --git-dir --work-tree", first: "-C", ..NONE }),
    ("openssl", Values { words: "-in -out -key -cert -subj -connect -days", ..NONE }),
    ("make gmake", Values { words: "-C --directory", ..NONE }),
    ("java", Values { words: "-cp -classpath --class-path -p --module-path", ..NONE }),
    (
        "docker podman nerdctl docker-compose",
        Values {
            words: "-H --host -c --context --config -l --log-level -f --file -p --project-name --profile \
                    --env-file",
            ..NONE
        },
    ),
    (
        "kubectl oc",
        Values {
            words: "-n --namespace --context --cluster --kubeconfig --user -s --server",
            ..NONE
        },
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_takes_a_value_is_the_last() {
        let cases = [
            ("tar", "-xzf", 1, true),
            ("tar", "xzf", 0, true),
            ("tar", "xzf", 1, false),
            ("tar", "-fC", 0, false),
            ("tar", "-x", 0, false),
            ("tar", "--file", 0, true),
            ("tar", "--file=x", 0, false),
            ("curl", "-sSLo", 0, true),
            ("curl", "-s", 0, false),
            ("curl", "o", 0, false),
            ("gcc", "-o", 3, true),
            ("gcc", "-co", 3, false),
            ("less", "-o", 0, false),
        ];
        for (name, option, at, expected) in cases {
            assert_eq!(of(name).take_next(option, at), expected, "{name} {option}");
        }
    }
}
