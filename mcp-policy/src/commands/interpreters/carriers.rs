//! Programs with some options or subcommands that run code, and many that do not.

use std::collections::{HashMap, HashSet};
use std::sync::LazyLock;

use crate::commands::interpreters::{containers, databases, is_input, values};
use crate::commands::{Code, Token, launchers};

/// The code among the arguments of a program that is no interpreter.
pub(crate) fn code(name: &str, words: &[Token]) -> Option<Code> {
    let inline = |found: bool| found.then_some(Code::Inline);
    match name {
        "make" | "gmake" => return inline(words.iter().any(make)),
        _ if EDITORS.contains(&name) => return inline(words.iter().any(editor)),
        _ if RUNNERS.contains(name) => {
            let says = |word: &Token| matches!(word.as_text(), Some("--version" | "--help"));
            return inline(!words.is_empty() && !words.iter().all(says));
        }
        "java" => {
            let file = |word: &Token| {
                let begun =
                    word.is_begun() && (word.may_be("-jar") || !word.start().starts_with('-'));
                begun
                    || word.as_text() == Some("-jar")
                    || word.end().ends_with(".java")
                    || !word.is_one()
            };
            return words.iter().any(file).then_some(Code::Script);
        }
        "less" | "more" | "most" => return inline(words.iter().any(pager)),
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlite" => {
            return inline(words.iter().any(|word| databases::leaves(name, word)));
        }
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" | "docker-compose" => {
            return inline(containers::runs(name, words));
        }
        "gcc" | "g++" | "cc" | "c++" | "clang" | "clang++" | "rustc"
            if words.iter().any(compiler) =>
        {
            return Some(Code::Inline);
        }
        "scp" | "sftp" if configures(name, words) => return Some(Code::Inline),
        "tar" | "gtar" | "bsdtar" => {
            // The first word may be letters without a dash.
            let old = words.first().is_some_and(|word| {
                let text = word.start();
                let letters = text.bytes().all(|it| it.is_ascii_alphabetic());
                !text.starts_with('-')
                    && letters
                    && (text.contains(['F', 'I']) || word.as_text().is_none())
            });
            if old {
                return Some(Code::Inline);
            }
        }
        _ => (),
    }
    let carries = |options: &str| {
        words.iter().enumerate().any(|(at, word)| {
            let matches =
                options.split_ascii_whitespace().any(|option| carries(name, word, option));
            matches && !is_compressor(name, word, words.get(at + 1))
        })
    };
    let entry = INDEX.get(name);
    inline(entry.is_some_and(|options| carries(options)))
}

/// A plugin of a compiler or linker, or a file with more options.
fn compiler(word: &Token) -> bool {
    word.start().starts_with('@') || word.start().contains("plugin")
}

/// Whether an option `-o` of `scp` or `sftp` sets something that runs, or may.
fn configures(name: &str, words: &[Token]) -> bool {
    let values = values::of(name);
    words.iter().enumerate().any(|(at, word)| {
        let letters = word.start().strip_prefix('-').filter(|it| !it.starts_with('-'));
        letters.is_some_and(|letters| match values.position(letters, "o") {
            Some(place) if place + 1 < letters.len() => {
                !launchers::is_plain_ssh_option(&word.without(place + 2))
            }
            // Attached, or the next word: it is not known.
            Some(_) if word.is_begun() => true,
            Some(_) => !words.get(at + 1).is_some_and(launchers::is_plain_ssh_option),
            None => word.is_begun() && values.are_open(letters),
        })
    })
}

/// Whether a program of this name has options that run code.
pub(super) fn has_options(name: &str) -> bool {
    let others = ["gmake", "java", "less", "make", "more", "most"];
    // The option of jq names a folder of its own language.
    others.contains(&name) || EDITORS.contains(&name) || (INDEX.contains_key(name) && name != "jq")
}

/// Whether `word` is `option`, with or without a value attached, or may be; long ones may be cut short.
fn carries(program: &str, word: &Token, option: &str) -> bool {
    let start = word.start();
    let letter = option.strip_prefix('-').filter(|it| it.len() == 1);
    let letters = start.strip_prefix('-').filter(|it| !it.starts_with('-'));
    if let (Some(letter), Some(letters)) = (letter, letters) {
        let values = values::of(program);
        let is_open = word.is_begun() && values.are_open(letters);
        return is_open || values.position(letters, letter).is_some();
    }
    if letter.is_none() && word.may_become_option(option) {
        return true;
    }
    let name = start.split('=').next().unwrap_or("");
    (name.len() > 2 && option.starts_with(name)) || name == option
}

/// `tar -I zstd`: a program that only packs.
fn is_compressor(name: &str, word: &Token, next: Option<&Token>) -> bool {
    if !matches!(name, "tar" | "gtar") {
        return false;
    }
    let text = word.as_text().unwrap_or("");
    let value = match text {
        "-I" | "--use-compress-program" => next.and_then(Token::as_text),
        _ => text.strip_prefix("-I").or_else(|| text.strip_prefix("--use-compress-program=")),
    };
    matches!(
        value,
        Some(
            "zstd"
                | "pzstd"
                | "gzip"
                | "pigz"
                | "bzip2"
                | "pbzip2"
                | "xz"
                | "pixz"
                | "lz4"
                | "lzip"
        )
    )
}

/// `--eval`, a shell, or a function of make in a variable; a makefile that is no file.
fn make(word: &Token) -> bool {
    let text = word.start();
    let hidden = word.is_hidden() && !word.is_one();
    let short = |text: &str| text.starts_with('-') && !text.starts_with("--") && text.contains('E');
    // What is begun may go on as one of them.
    let begun = word.is_begun()
        && !text.contains('=')
        && (word.may_become_option("--eval") || CODE.iter().any(|it| it.starts_with(text)));
    hidden
        || begun
        || text.starts_with("--ev")
        || (short(text) && !text.contains('='))
        || (text.starts_with('-') && text.ends_with("f-"))
        || is_input(word)
        || text.strip_prefix("-f").is_some_and(|file| is_input(&Token::new(file)))
        || (text.starts_with("--") && value_of(word).is_some_and(|file| is_input(&file)))
        || text.split_once('=').is_some_and(|(name, value)| {
            let name = name.trim_end_matches([':', '+', '?', '!']);
            let runs = COMMANDS.contains(&name) && value.contains(['/', ' ', '\t', '#', ';', '\n']);
            let plugs = ["wrapper", "plugin", "specs"].iter().any(|it| value.contains(it));
            !name.starts_with('-')
                && (CODE.contains(&name)
                    || runs
                    || plugs
                    || name.contains('$')
                    || value.contains(['$', '`']))
        })
}

/// Variables of make that hold code, or options.
const CODE: &[&str] = &["SHELL", ".SHELLFLAGS", "MAKEFLAGS", "MAKEFILES", "GNUMAKEFLAGS"];

/// Variables of make that name programs of its own rules.
const COMMANDS: &[&str] = &[
    "AR", "ARFLAGS", "AS", "CC", "CO", "CPP", "CTANGLE", "CWEAVE", "CXX", "FC", "GET", "LD", "LEX",
    "LINT", "M2C", "MAKE", "MAKEINFO", "PC", "RM", "TANGLE", "TEX", "TEXI2DVI", "WEAVE", "YACC",
];

/// What stands behind the equals sign of an option.
fn value_of(word: &Token) -> Option<Token> {
    let (name, _) = word.start().split_once('=')?;
    Some(word.without(name.len() + 1))
}

const EDITORS: &[&str] = &["vi", "vim", "nvim", "view", "gvim", "vimdiff", "ex", "rvim", "neovim"];

/// Commands of an editor: any but a line, or a pattern to begin at.
fn editor(word: &Token) -> bool {
    let text = word.start();
    if word.is_begun() && text.starts_with(['+', '-']) {
        return true;
    }
    match text.strip_prefix('+') {
        Some(rest) => !rest.starts_with('/') && !rest.bytes().all(|it| it.is_ascii_digit()),
        None => {
            let long = ["--cmd", "--startuptime", "--remote", "--server"];
            let short = |it: &str| {
                it.len() > 1
                    && !it.starts_with("--")
                    && it.contains(['c', 'S', 's', 'u', 'l', 'V', 'w', 'W', 'q', 't', 'i'])
            };
            (text.starts_with('-') && short(text)) || long.iter().any(|it| text.starts_with(it))
        }
    }
}

/// Commands of a pager: any but a place to begin at.
fn pager(word: &Token) -> bool {
    let text = word.start();
    if word.is_begun() && text.starts_with(['+', '-']) {
        return true;
    }
    match text.strip_prefix('+') {
        Some(rest) => {
            let rest = rest.trim_start_matches('+');
            !(rest.is_empty()
                || rest == "G"
                || rest == "F"
                || rest.bytes().all(|it| it.is_ascii_digit()))
        }
        None => {
            let short = text.starts_with('-') && !text.starts_with("--");
            (short && text.contains('k'))
                || text.starts_with("--lesskey")
                || text.starts_with("--use-color-")
        }
    }
}

/// Programs whose arguments are, or hold, a command, in a way that is not read here.
static RUNNERS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    HashSet::from([
        "air",
        "asdf",
        "bwrap",
        "catchsegv",
        "cgexec",
        "choom",
        "concurrently",
        "coresched",
        "cpulimit",
        "cross-env",
        "cross-env-shell",
        "daemon",
        "daemonize",
        "dbus-launch",
        "dbus-run-session",
        "devbox",
        "direnv",
        "dotenv",
        "dsh",
        "dumb-init",
        "eatmydata",
        "entr",
        "env-cmd",
        "faketime",
        "fakeroot",
        "firejail",
        "flox",
        "gsudo",
        "heaptrack",
        "hyperfine",
        "incus",
        "linux32",
        "linux64",
        "lxc",
        "mise",
        "mosh",
        "mpiexec",
        "mpirun",
        "newgrp",
        "nodemon",
        "numactl",
        "pdsh",
        "please",
        "proot",
        "proxychains",
        "proxychains4",
        "pssh",
        "rexec",
        "rlwrap",
        "rr",
        "rsh",
        "runas",
        "salloc",
        "sem",
        "setarch",
        "softlimit",
        "srun",
        "sshpass",
        "start-stop-daemon",
        "systemd-inhibit",
        "systemd-nspawn",
        "tini",
        "torify",
        "torsocks",
        "tsocks",
        "valgrind",
        "watchexec",
        "winpty",
        "xvfb-run",
    ])
});

static INDEX: LazyLock<HashMap<&str, &str>> = LazyLock::new(|| {
    let names = |(names, options): &(&'static str, &'static str)| {
        let options = *options;
        names.split(' ').map(move |name| (name, options))
    };
    CARRIERS.iter().flat_map(names).collect()
});

/// Programs, and their options that name a program or carry code.
const CARRIERS: &[(&str, &str)] = &[
    (
        "tar gtar bsdtar",
        "--to-command --checkpoint-action -I --use-compress-program --rsh-command -F --info-script \
         --new-volume-script --rmt-command",
    ),
    ("rsync", "-e --rsh --rsync-path --rsync-filter-program -M --remote-option"),
    ("scp sftp", "-S -D -F -b"),
    ("man", "-P --pager -H --html -p --preprocessor"),
    ("rg", "--pre --hostname-bin"),
    ("sort gsort", "--compress-program"),
    ("split gsplit", "--filter"),
    ("fzf", "--preview --bind --execute"),
    ("gdb lldb", "-e --eval-command -x --command -ex -ix -iex -o --one-line -s --source -c -P"),
    ("zip", "-T --unzip-command -TT"),
    ("cargo", "--config"),
    ("gcc g++ cc c++ clang clang++", "-wrapper -B --prefix -fplugin -fplugin-arg -specs --specs"),
    ("rustc", "-C --codegen -Z"),
    ("just", "-c --command --shell --shell-arg --chooser --cygpath -e --edit"),
    ("ctest", "--test-command --build-makeprogram --build-and-test"),
    ("mypy", "--python-executable"),
    ("ssh-keygen ssh-add", "-D -s"),
    ("curl", "-K --config"),
    ("wget", "--use-askpass -e --execute"),
    ("apt apt-get aptitude", "-o --option -c --config-file"),
    ("dpkg", "--pre-invoke --post-invoke"),
    ("openssl", "-engine -provider"),
    ("ansible", "-m --module-name -a --args"),
    ("pip pip3", "--global-option --install-option --config-settings --editor --python"),
    ("hg", "--config"),
    ("svn", "--config-option --diff-cmd --editor-cmd"),
    ("entr", "-s"),
    ("jq", "-L --library-path"),
    ("nix", "-c --command --expr"),
    ("nix-shell", "-c --run --command -E"),
    ("pytest py.test", "-p -c -o --override-ini --pdb --pdbcls --trace --tx --config-file"),
    ("journalctl systemctl", "--root --image"),
];
