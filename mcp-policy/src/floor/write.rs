//! The agent's configuration, and files that decide what runs.

use std::borrow::Cow;

use crate::commands::{Access, Command, Directory, Part, Target, Token};
use crate::floor::options::{has, is_one_of, operands, operands_of, program, texts};
use crate::floor::sensitive::is_sensitive;
use crate::floor::spot::{Home, Rest, Spot};
use crate::truth::Truth;

/// Whether the command certainly changes the agent's configuration.
pub(super) fn writes_config(home: &Home, command: &Command, _: &[Command]) -> Truth {
    written(home, command).iter().any(|it| home.is_config(it)).into()
}

/// Whether the command reads the agent's configuration, or perhaps changes it.
pub(super) fn touches_config(home: &Home, command: &Command, _: &[Command]) -> Truth {
    let Some(name) = home.config_name() else { return Truth::No };
    let links_above = program(command).as_deref() == Some("ln")
        && operands(command).iter().any(|it| home.is_above_config(&home.spot(it, command)));
    if links_above {
        return Truth::Yes;
    }
    // No word leads there without its name, and few hold it.
    if !mentions(command, name) {
        return Truth::No;
    }
    let files = command.redirections.iter().filter_map(file).chain(&command.tokens);
    let is_near = |token: &Token| {
        let spot = home.spot(token, command);
        let ends_there = token.as_text().is_none() && names(token, name);
        home.is_config(&spot) || ends_there
    };
    let is_text = |it: &str| home.config_text().is_some_and(|config| it.contains(&config));
    let near = files.into_iter().any(is_near)
        || embedded(command).any(|it| home.is_config(&home.spot_of(it, command)))
        || texts(command).any(is_text)
        || written(home, command).iter().any(|it| home.is_config(it));
    near.into()
}

/// Whether `name` is in a word of the command, or in the folder that it runs in.
fn mentions(command: &Command, name: &str) -> bool {
    let folders: &[Token] = match &command.directory {
        Directory::Moved(changes) => changes,
        _ => &[],
    };
    let files = command.redirections.iter().filter_map(file);
    let holds = |text: &str| {
        !name.is_ascii()
            || text
                .as_bytes()
                .windows(name.len())
                .any(|it| it.eq_ignore_ascii_case(name.as_bytes()))
    };
    files.chain(&command.tokens).chain(folders).any(|token| match token {
        Token::Text(text) => holds(text),
        Token::Gap { parts, .. } => parts.iter().any(|part| match part {
            Part::Text(text) | Part::Glob(text) => holds(text),
            _ => false,
        }),
    })
}

/// Whether a known part of the word holds the name as a whole segment.
fn names(token: &Token, name: &str) -> bool {
    token.parts().iter().any(|part| match part {
        Part::Text(text) => text.split('/').any(|it| it == name),
        _ => false,
    })
}

/// Whether the command writes a file that decides what runs, or who may log in, or has one for the
/// value of an option, which may say that.
pub(super) fn writes_sensitive(home: &Home, command: &Command, _: &[Command]) -> Truth {
    if names_sensitive(home, command) {
        return Truth::Yes;
    }
    if !may_write(command) {
        return Truth::No;
    }
    let links_home = program(command).as_deref() == Some("ln")
        && operands(command).iter().any(|it| home.is_home(&home.spot(it, command).segments));
    let by_end = |token: &Token| {
        let spot = home.spot_of(token.end(), command);
        token.as_text().is_none() && token.end().contains('/') && is_sensitive(home, &spot)
    };
    let writes = written(home, command).iter().any(|it| is_sensitive(home, it));
    let tokens = written_tokens(command);
    (links_home || writes || tokens.iter().any(|it| by_end(it)) || unpacks(home, command)).into()
}

/// Whether such a file is the value of an option: no table holds all the options that write.
fn names_sensitive(home: &Home, command: &Command) -> bool {
    if is_one_of(command, READERS) {
        return false;
    }
    let is = |text: &str| !text.is_empty() && is_sensitive(home, &home.spot_of(text, command));
    let is_option = |text: &str| text.starts_with('-') && text != "--" && text != "-";
    let attached = |text: &str| text.split_once('=').is_some_and(|(_, value)| is(value));
    let words: Vec<&str> = texts(command).collect();
    let next = |pair: &[&str]| matches!(pair, [option, file] if is_option(option) && is(file));
    words.iter().any(|word| is_option(word) && attached(word)) || words.windows(2).any(next)
}

/// Programs that read what they name, or whose options are known in another place.
const READERS: &[&str] = &[
    ".",
    "[",
    "ag",
    "awk",
    "base64",
    "bat",
    "cat",
    "cksum",
    "cmp",
    "cp",
    "cut",
    "diff",
    "egrep",
    "fd",
    "fgrep",
    "file",
    "find",
    "git",
    "grep",
    "head",
    "jq",
    "less",
    "ls",
    "md5sum",
    "more",
    "mv",
    "readlink",
    "realpath",
    "rg",
    "rsync",
    "scp",
    "sed",
    "sha256sum",
    "source",
    "stat",
    "tail",
    "tar",
    "test",
    "tree",
    "uniq",
    "wc",
    "xxd",
    "yq",
    "zip",
];

/// Whether files whose names are not known are put into a vital folder, or anywhere at all.
fn unpacks(home: &Home, command: &Command) -> bool {
    let values = match program(command).as_deref() {
        Some("bsdtar" | "tar") => option_values(command, "C", &["--directory"]),
        Some("7z" | "unzip") => option_values(command, "do", &[]),
        Some("patch") => option_values(command, "d", &["--directory"]),
        _ => return false,
    };
    let is_tar = is_one_of(command, &["bsdtar", "tar"]);
    let first = texts(command).next().unwrap_or_default();
    let extracts =
        has(command, "x", "extract", 3) || first.contains('x') && !first.starts_with("--");
    let is_absolute =
        has(command, "P", "absolute-names", 3) || !first.starts_with('-') && first.contains('P');
    let is_vital = |spot: &Spot| spot.is_absolute && home.is_vital(&spot.segments);
    is_tar && extracts && is_absolute
        || (!is_tar || extracts) && values.iter().any(|it| is_vital(&home.spot(it, command)))
}

/// The spots that the command writes.
pub(super) fn written(home: &Home, command: &Command) -> Vec<Spot> {
    if !may_write(command) {
        return Vec::new();
    }
    let mut spots: Vec<Spot> =
        written_tokens(command).iter().map(|it| home.spot(it, command)).collect();
    spots.extend(embedded(command).map(|it| home.spot_of(it, command)));
    spots.extend(into_folder(home, command));
    spots
}

/// Whether anything here knows the command to write.
fn may_write(command: &Command) -> bool {
    command.redirections.iter().any(|it| it.access != Access::Read)
        || program(command)
            .is_some_and(|it| ALL.contains(&&*it) || LAST.contains(&&*it) || OTHERS.contains(&&*it))
}

/// The file that a redirection writes.
fn file(redirection: &crate::commands::Redirection) -> Option<&Token> {
    match &redirection.target {
        Target::File(token) | Target::Unreadable(token) => Some(token),
        _ => None,
    }
}

/// The words, or parts of words, that are files which the command writes.
fn written_tokens(command: &Command) -> Vec<Cow<'_, Token>> {
    let redirected = command.redirections.iter().filter(|it| it.access != Access::Read);
    let mut tokens: Vec<Cow<'_, Token>> = redirected.filter_map(file).map(Cow::Borrowed).collect();
    let operands = operands(command);
    let name = program(command);
    match name.as_deref() {
        Some(name) if ALL.contains(&name) => tokens.extend(operands.into_iter().map(Cow::Borrowed)),
        Some(name) if LAST.contains(&name) => {
            if !has(command, "t", "target-directory", 1) {
                tokens.extend(
                    operands.last().filter(|_| operands.len() > 1).map(|it| Cow::Borrowed(*it)),
                );
            }
            if name == "mv" {
                tokens.extend(operands.into_iter().map(Cow::Borrowed));
            }
        }
        Some("chmod" | "chown" | "chgrp") => {
            tokens.extend(operands.into_iter().skip(1).map(Cow::Borrowed));
        }
        Some("sed" | "perl" | "yq") if has(command, "i", "in-place", 1) => {
            tokens.extend(operands.into_iter().skip(1).map(Cow::Borrowed));
        }
        Some("ed" | "emacs" | "nano" | "nvim" | "pico" | "vi" | "vim") => {
            tokens.extend(operands.into_iter().map(Cow::Borrowed));
        }
        Some("git") if operands.first().is_some_and(|it| is_maker(it)) => {
            tokens.extend(operands.into_iter().skip(1).map(Cow::Borrowed));
        }
        Some("dd") => {
            let output = command.tokens.iter().filter(|it| it.start().starts_with("of="));
            tokens.extend(output.map(|it| Cow::Owned(it.without(3))));
        }
        _ => {}
    }
    if matches!(name.as_deref(), Some("rsync" | "scp")) {
        // A host before the path: it may be this one.
        let target = operands_of(&command.tokens).pop().and_then(Token::as_text);
        let path = target.and_then(|it| it.split_once(':')).map(|(_, path)| path);
        tokens.extend(path.map(|it| Cow::Owned(Token::new(it))));
    }
    tokens.extend(by_option(command));
    tokens
}

/// Subcommands of `git` that make files where their operands say.
fn is_maker(word: &Token) -> bool {
    word.as_text().is_some_and(|it| ["bundle", "clone", "init", "worktree"].contains(&it))
}

/// The files that the command writes because an option says so.
fn by_option(command: &Command) -> Vec<Cow<'_, Token>> {
    let (letters, long): (&str, &[&str]) = match program(command).as_deref() {
        Some("cp" | "mv" | "install" | "ln") => ("t", &["--target-directory"]),
        Some("tar" | "bsdtar") => {
            let first = texts(command).next().unwrap_or_default();
            let packs = has(command, "cru", "create", 3)
                || !first.starts_with('-') && first.contains(['c', 'r', 'u']);
            (if packs { "Cf" } else { "C" }, &["--directory", "--one-top-level"])
        }
        Some("curl") => (
            "Dco",
            &[
                "--cookie-jar",
                "--dump-header",
                "--etag-save",
                "--libcurl",
                "--output",
                "--output-dir",
                "--stderr",
                "--trace",
                "--trace-ascii",
            ],
        ),
        Some("wget") => (
            "OPao",
            &[
                "--append-output",
                "--directory-prefix",
                "--output-document",
                "--output-file",
                "--save-cookies",
            ],
        ),
        Some("unzip" | "7z") => ("do", &[]),
        Some("patch") => ("do", &["--directory", "--output"]),
        Some("find") => ("", &["-fls", "-fprint", "-fprint0", "-fprintf"]),
        Some("git") => ("o", &["--export-marks", "--output", "--output-directory"]),
        Some("cc" | "gcc" | "rustc" | "sort" | "tree") => ("o", &["--out-dir", "--output"]),
        _ => return Vec::new(),
    };
    option_values(command, letters, long)
}

/// What follows the options `letters` and `long`, in the same word or the next.
fn option_values<'c>(command: &'c Command, letters: &str, long: &[&str]) -> Vec<Cow<'c, Token>> {
    let mut found = Vec::new();
    for (place, token) in command.tokens.iter().enumerate() {
        let next = || command.tokens.get(place + 1).map(Cow::Borrowed);
        let start = token.start();
        let name = start.split('=').next().unwrap_or(start);
        // They may be shortened.
        let is_long = |it: &str| it == name || name.len() > 2 && it.starts_with(name);
        if name.starts_with('-') && long.iter().any(|it| is_long(it)) {
            match name.len() == start.len() && token.as_text().is_some() {
                true => found.extend(next()),
                false => found.push(Cow::Owned(token.without(name.len() + 1))),
            }
        } else if let Some(cluster) = start.strip_prefix('-').filter(|it| !it.starts_with('-'))
            && let Some(at) = cluster.find(|it| letters.contains(it))
        {
            let end = at + 2;
            match end == start.len() && token.as_text().is_some() {
                true => found.extend(next()),
                false => found.push(Cow::Owned(token.without(end))),
            }
        }
    }
    found
}

/// Files that a script of `sed` writes: what follows a `w`.
fn embedded(command: &Command) -> impl Iterator<Item = &str> {
    let is_sed = program(command).is_some_and(|it| it == "sed" || it == "gsed");
    texts(command).filter(move |_| is_sed).flat_map(|script| {
        script.match_indices("w ").filter_map(|(place, _)| {
            let file = script.get(place + 2..)?.lines().next()?;
            Some(file.trim())
        })
    })
}

/// Files that are copied into a folder under their own names.
fn into_folder(home: &Home, command: &Command) -> Vec<Spot> {
    let is_copy = program(command).is_some_and(|it| ["cp", "mv", "install", "ln"].contains(&&*it));
    let operands = operands_of(&command.tokens);
    let Some((target, sources)) = operands.split_last().filter(|_| is_copy) else {
        return Vec::new();
    };
    let folder = home.spot(target, command);
    let last = |it: &&Token| it.as_text().and_then(|it| it.rsplit('/').next()).map(str::to_owned);
    sources
        .iter()
        .filter_map(last)
        .map(|name| Spot {
            segments: folder.segments.iter().cloned().chain([name]).collect(),
            rest: Rest::Nothing,
            ..folder.clone()
        })
        .collect()
}

/// Programs that write all their operands, or put others in their place.
const ALL: &[&str] = &[
    "black", "isort", "rustfmt", "bunzip2", "bzip2", "gunzip", "gzip", "mkdir", "patch", "rm",
    "rmdir", "shred", "sponge", "tee", "touch", "truncate", "unlink", "unxz", "xz", "zstd",
];

/// Programs that write their last operand.
const LAST: &[&str] = &["cp", "install", "link", "ln", "mv", "rsync", "scp", "uniq", "xxd"];

/// Programs that write what an option names, or what they are told otherwise.
const OTHERS: &[&str] = &[
    "7z", "bsdtar", "cc", "chgrp", "chmod", "chown", "curl", "dd", "ed", "emacs", "find", "gcc",
    "git", "gsed", "nano", "nvim", "perl", "pico", "rustc", "sed", "sort", "tar", "tree", "unzip",
    "vi", "vim", "wget", "yq",
];
