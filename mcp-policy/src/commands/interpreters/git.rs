//! `git`: configuration and options that run a program.

use crate::commands::interpreters::may_be_option;
use crate::commands::{Code, Token};

/// The code that a call of git is told to run, if it is.
pub(crate) fn code(words: &[Token]) -> Option<Code> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        let start = word.start();
        if !may_be_option(word) {
            break;
        }
        at += 1;
        let value = words.get(at);
        match start {
            "-c" if word.as_text().is_some() => {
                if !value.is_some_and(is_harmless) {
                    return Some(Code::Inline);
                }
                at += 1;
            }
            "-C" | "--git-dir" | "--work-tree" | "--namespace" | "--super-prefix"
            | "--attr-source" | "--shallow-file" => at += 1,
            // Another folder of programs, or values from the environment.
            _ if start.starts_with("--exec-path=") || start.starts_with("--config-env") => {
                return Some(Code::Inline);
            }
            _ if start.starts_with("-c") => return Some(Code::Inline),
            _ if word.as_text().is_none() && !start.contains('=') => return Some(Code::Inline),
            _ => (),
        }
    }
    let subcommand = words.get(at)?.as_text();
    let rest = words.get(at + 1..).unwrap_or(&[]);
    subcommand.is_none_or(|subcommand| runs(subcommand, rest)).then_some(Code::Inline)
}

/// Whether a subcommand is named that has options which run something.
pub(super) fn has_options(words: &[Token]) -> bool {
    words.iter().filter_map(Token::as_text).any(|word| WITH_OPTIONS.contains(&word))
}

const WITH_OPTIONS: &[&str] = &[
    "archive",
    "clone",
    "difftool",
    "fetch",
    "fetch-pack",
    "grep",
    "init",
    "ls-remote",
    "mergetool",
    "pull",
    "push",
    "rebase",
    "send-pack",
    "submodule",
];

/// Whether a subcommand is told to run something.
fn runs(subcommand: &str, words: &[Token]) -> bool {
    let taking = TAKING.iter().find(|(name, _)| *name == subcommand).map_or("", |(_, it)| *it);
    let has = |options: &[&str]| {
        words.iter().any(|word| {
            let name = word.start().split('=').next().unwrap_or("");
            options.iter().any(|option| match option.strip_prefix("--") {
                _ if word.may_become_option(option) => true,
                // A long option may be cut short.
                Some(_) => name == *option || (name.len() > 2 && option.starts_with(name)),
                None => has_letter(name, option, taking),
            })
        })
    };
    let second = |name: &str| words.first().is_some_and(|word| word.may_be(name));
    let transport = || {
        has(&["--upload-pack", "--receive-pack", "--exec"])
            || words.iter().any(|word| ["ext::", "fd::"].iter().any(|it| may_begin(word, it)))
    };
    match subcommand {
        "rebase" => has(&["-x", "--exec", "-i", "--interactive"]) || merges(words, true),
        "merge" => merges(words, true),
        "cherry-pick" | "revert" => merges(words, false),
        "pull" if merges(words, true) => true,
        "difftool" | "mergetool" => has(&["-x", "--extcmd", "-t", "--tool"]),
        "grep" => has(&["-O", "--open-files-in-pager"]),
        "filter-branch" | "filter-repo" | "send-email" | "instaweb" => true,
        "bisect" => second("run") || (words.len() > 1 && (second("view") || second("visualize"))),
        "submodule" => {
            let first = words.iter().find(|word| !word.start().starts_with('-'));
            first.is_some_and(|word| word.may_be("foreach")) || transport()
        }
        "for-each-repo" | "daemon" | "cvsserver" | "shell" | "http-backend" | "remote-ext"
        | "remote-fd" | "merge-index" | "submodule--helper" | "web--browse"
        | "difftool--helper" | "quiltimport" | "archimport" | "cvsimport" => true,
        "config" => configures(words),
        "clone" => has(&["-c", "--config", "-u", "--upload-pack", "--template"]) || transport(),
        "init" => has(&["--template"]),
        "fetch" | "pull" | "push" | "ls-remote" | "fetch-pack" | "send-pack" | "archive" => {
            transport()
        }
        "remote" => transport(),
        "diff" | "log" | "show" | "blame" => has(&["--ext-diff"]),
        // Any other names a program, which may be one in a folder.
        other => other.contains('/'),
    }
}

/// Whether a strategy is named that is a program of somebody; with `short`, `-s` names one.
fn merges(words: &[Token], short: bool) -> bool {
    const KNOWN: &[&str] = &["octopus", "ort", "ours", "recursive", "resolve", "subtree"];
    let is_known = |word: Option<&Token>| {
        word.and_then(Token::as_text).is_some_and(|text| KNOWN.contains(&text))
    };
    words.iter().enumerate().any(|(at, word)| {
        let next = words.get(at + 1);
        match word.start().split_once('=') {
            Some((name, _)) if is_strategy(name) => !is_known(Some(&word.without(name.len() + 1))),
            None if is_strategy(word.start()) => !is_known(next),
            None if short && word.start() == "-s" => !is_known(next),
            None if short && word.start().starts_with("-s") => !is_known(Some(&word.without(2))),
            _ => false,
        }
    })
}

/// Whether it is the option, which may be cut short, though not to that for its options.
fn is_strategy(name: &str) -> bool {
    name.len() > 4 && "--strategy".starts_with(name)
}

/// Whether the word begins with `start`, or may where not all of it is known.
fn may_begin(word: &Token, start: &str) -> bool {
    word.start().starts_with(start) || (word.is_begun() && start.starts_with(word.start()))
}

/// Whether `-abc` holds the option `letter`, and not in a value that one of `taking` takes.
fn has_letter(name: &str, option: &str, taking: &str) -> bool {
    let letters = name.strip_prefix('-').filter(|it| !it.starts_with('-')).unwrap_or("");
    let wanted = option.trim_start_matches('-');
    let own = letters.split(|it| taking.contains(it)).next().unwrap_or("");
    own.contains(wanted)
}

/// Subcommands with options that run something, and letters of theirs that take a value.
const TAKING: &[(&str, &str)] = &[("clone", "bjo"), ("grep", "ABCefm"), ("rebase", "CXs")];

/// Whether `git config` sets something that runs.
fn configures(words: &[Token]) -> bool {
    let reads = [
        "--get",
        "--get-all",
        "--get-regexp",
        "--get-urlmatch",
        "-l",
        "--list",
        "--get-color",
        "--get-colorbool",
    ];
    // Only the first word says so, behind options that say where.
    let read = |word: &Token| word.as_text().is_some_and(|text| reads.contains(&text));
    let place = |word: &&Token| word.as_text().is_some_and(|text| PLACES.contains(&text));
    let first = words.iter().find(|word| !place(word));
    if first.is_some_and(|word| matches!(word.as_text(), Some("get" | "list")) || read(word)) {
        return false;
    }
    if words.iter().any(|word| word.as_text() == Some("--")) {
        // What looks like an option behind it is none.
        return true;
    }
    let operands: Vec<&Token> = words
        .iter()
        .filter(|word| {
            !word.start().starts_with('-') && !matches!(word.as_text(), Some("set" | "unset"))
        })
        .collect();
    let edits = words.iter().any(|word| matches!(word.as_text(), Some("-e" | "--edit" | "edit")));
    match operands.as_slice() {
        _ if edits => true,
        [] => false,
        [one] => one.as_text().is_none(),
        [key, ..] => !key.as_text().is_some_and(is_harmless_key),
    }
}

/// Options of `git config` that say where, or how it is shown.
const PLACES: &[&str] = &[
    "--global",
    "--local",
    "--system",
    "--worktree",
    "--show-origin",
    "--show-scope",
    "--null",
    "--name-only",
    "-z",
];

/// Whether `name=value` sets something that runs nothing.
fn is_harmless(setting: &Token) -> bool {
    let start = setting.start();
    let key = start.split('=').next().unwrap_or("");
    if key.eq_ignore_ascii_case("core.pager") || key.eq_ignore_ascii_case("core.editor") {
        return matches!(
            setting.as_text().and_then(|it| it.split_once('=')),
            Some((_, "cat" | "true" | ":" | ""))
        );
    }
    let known = setting.as_text().is_some() || start.contains('=');
    known && is_harmless_key(key)
}

fn is_harmless_key(key: &str) -> bool {
    let key = key.to_ascii_lowercase();
    let within = |entry: &&str| match entry.strip_suffix('*') {
        Some(prefix) => key.starts_with(prefix),
        None => key == **entry,
    };
    HARMLESS.iter().any(within)
}

/// Settings of colours, names, formats and switches.
const HARMLESS: &[&str] = &[
    "advice.*",
    "apply.*",
    "author.*",
    "blame.*",
    "branch.autosetupmerge",
    "branch.autosetuprebase",
    "branch.sort",
    "color.*",
    "column.*",
    "commit.gpgsign",
    "commit.verbose",
    "committer.*",
    "core.abbrev",
    "core.autocrlf",
    "core.bare",
    "core.checkstat",
    "core.commentchar",
    "core.compression",
    "core.eol",
    "core.filemode",
    "core.ignorecase",
    "core.longpaths",
    "core.precomposeunicode",
    "core.preloadindex",
    "core.quotepath",
    "core.safecrlf",
    "core.symlinks",
    "core.whitespace",
    "diff.algorithm",
    "diff.colormoved",
    "diff.context",
    "diff.mnemonicprefix",
    "diff.noprefix",
    "diff.renamelimit",
    "diff.renames",
    "fetch.*",
    "format.pretty",
    "gc.auto",
    "grep.*",
    "help.autocorrect",
    "http.postbuffer",
    "http.version",
    "i18n.*",
    "init.defaultbranch",
    "log.*",
    "merge.conflictstyle",
    "merge.ff",
    "merge.renamelimit",
    "pack.*",
    "protocol.version",
    "pull.*",
    "push.autosetupremote",
    "push.default",
    "push.followtags",
    "rebase.autosquash",
    "rebase.autostash",
    "rerere.*",
    "status.*",
    "tag.gpgsign",
    "tag.sort",
    "user.email",
    "user.name",
    "user.useconfigonly",
    "versionsort.*",
];
