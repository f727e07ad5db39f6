//! Git commands that lose work or history, or let git run something.

use crate::argv::past_options;
use crate::commands::{Command, Token};
use crate::floor::options::{is_one_of, is_option, may_be_option};
use crate::floor::spot::Home;
use crate::truth::Truth;

/// Whether the command is a dangerous use of git.
pub(super) fn danger(_: &Home, command: &Command, _: &[Command]) -> Truth {
    if !is_one_of(command, &["git"]) {
        return Truth::No;
    }
    let (_, past) = past_options("git", &command.tokens);
    let rest = command.tokens.get(past..).unwrap_or_default();
    match rest.split_first() {
        None => Truth::No,
        Some((word, rest)) => match word.as_text() {
            Some(word) => subcommand(word, &Rest(rest)),
            None => Truth::Unknown,
        },
    }
}

fn subcommand(word: &str, rest: &Rest<'_>) -> Truth {
    match word {
        "push" => {
            let forces = rest.words().any(|it| it.starts_with("--force") || it.starts_with('+'))
                || rest.has("fd", "delete", 2)
                || rest.has("", "mirror", 1)
                || rest.has("", "prune", 3)
                || rest.words().any(|it| it.len() > 1 && it.starts_with(':'));
            rest.surely(forces)
        }
        "reset" => rest.surely(rest.has("", "hard", 1)),
        "apply" => rest.certainly(rest.has("", "unsafe-paths", 3)),
        "read-tree" => rest.certainly(rest.has("u", "reset", 1)),
        "hook" => rest.certainly(rest.first_is(&["run"])),
        "prune" => rest.certainly(!rest.has("n", "dry-run", 1)),
        "clean" => (!rest.has("n", "dry-run", 1)).into(),
        "stash" => rest.surely(rest.first_is(&["clear", "drop"])),
        "checkout" | "switch" => {
            let forces =
                rest.has("f", "force", 1) || word == "switch" && rest.has("", "discard-changes", 2);
            rest.certainly(forces || word == "checkout" && rest.names_everything())
        }
        "restore" => {
            let only_index = rest.has("S", "staged", 2) && !rest.has("W", "worktree", 1);
            rest.certainly(!only_index && rest.names_everything())
        }
        "branch" => {
            let deletes = rest.has("d", "delete", 1) && rest.has("f", "force", 1);
            rest.certainly(rest.has("D", "", 1) || deletes)
        }
        "tag" => rest.certainly(rest.has("d", "delete", 1)),
        "update-ref" => rest.certainly(rest.has("d", "", 1) || rest.has("", "stdin", 1)),
        "reflog" => rest.certainly(rest.first_is(&["expire", "delete"])),
        "gc" => {
            let now = rest.words().any(|it| it.starts_with("--prune="));
            rest.certainly(now)
        }
        "rm" => rest.certainly(rest.has("r", "", 1) && rest.has("f", "force", 1)),
        "worktree" => rest.certainly(rest.first_is(&["remove"]) && rest.has("f", "force", 1)),
        "filter-branch" | "filter-repo" => Truth::Yes,
        "config" => {
            let names_code = rest.words().any(names_code);
            let only_reads = rest.words().any(|it| it.starts_with("--get") || it == "get");
            let values = rest.words().filter(|it| !it.starts_with('-')).count();
            rest.certainly(names_code && !only_reads && values > 1)
        }
        "remote" => rest.certainly(rest.words().any(is_foreign)),
        "clone" | "fetch" | "ls-remote" | "pull" => rest.certainly(rest.words().any(is_foreign)),
        word if KNOWN.contains(&word) => Truth::No,
        // An alias of the user's own, perhaps for one of the above.
        _ => {
            let forces = rest.words().any(|it| it.starts_with("--force") || it == "--hard");
            (forces || rest.has("fD", "", 1)).into()
        }
    }
}

/// What follows a subcommand.
struct Rest<'t>(&'t [Token]);

impl<'t> Rest<'t> {
    fn words(&self) -> impl Iterator<Item = &'t str> {
        self.0.iter().filter_map(Token::as_text)
    }

    /// Whether an option is there, before `--`.
    fn has(&self, short: &str, long: &str, shortest: usize) -> bool {
        let options = self.words().take_while(|it| *it != "--");
        options.filter(|it| it.starts_with('-')).any(|it| is_option(it, short, long, shortest))
    }

    fn first_is(&self, words: &[&str]) -> bool {
        self.words().next().is_some_and(|it| words.contains(&it))
    }

    /// Whether paths stand for all files.
    fn names_everything(&self) -> bool {
        self.words().any(|it| [".", "./", ":/", "*", ":"].contains(&it))
    }

    /// Yes, or unknown where a gap may hide what makes it one.
    fn surely(&self, known: bool) -> Truth {
        match known {
            true => Truth::Yes,
            false if self.0.iter().any(may_be_option) => Truth::Unknown,
            false => Truth::No,
        }
    }

    /// Yes where it is written, and no otherwise.
    fn certainly(&self, known: bool) -> Truth {
        known.into()
    }
}

/// Whether a setting of git's is run as a command, or names a folder of such.
fn names_code(setting: &str) -> bool {
    let setting = setting.to_ascii_lowercase();
    let ends = ["command", "cmd", "editor", "pager", "hookspath", "helper", "program", "fsmonitor"];
    setting.starts_with("alias.")
        || setting.starts_with("filter.")
        || setting.starts_with("include")
        || ends.iter().any(|it| setting.ends_with(it))
        || setting.contains(".cmd")
        || setting == "diff.external"
}

/// Whether an address names a program as its transport.
fn is_foreign(address: &str) -> bool {
    address.starts_with("ext::") || address.starts_with("fd::")
}

const KNOWN: &[&str] = &[
    "add",
    "am",
    "annotate",
    "archive",
    "bisect",
    "blame",
    "bundle",
    "cat-file",
    "check-ignore",
    "cherry",
    "cherry-pick",
    "commit",
    "commit-tree",
    "count-objects",
    "describe",
    "diff",
    "diff-tree",
    "difftool",
    "for-each-ref",
    "format-patch",
    "fsck",
    "grep",
    "hash-object",
    "help",
    "init",
    "log",
    "ls-files",
    "ls-tree",
    "merge",
    "merge-base",
    "mergetool",
    "mv",
    "name-rev",
    "notes",
    "rebase",
    "repack",
    "rev-list",
    "rev-parse",
    "revert",
    "shortlog",
    "show",
    "show-branch",
    "show-ref",
    "sparse-checkout",
    "status",
    "submodule",
    "symbolic-ref",
    "var",
    "verify-commit",
    "version",
    "whatchanged",
    "write-tree",
];
