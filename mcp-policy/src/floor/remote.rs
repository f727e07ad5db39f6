//! What acts beyond the files of this machine.

use crate::commands::{Command, Redirection, Target};
use crate::floor::options::{has, operands, options, program, texts};
use crate::floor::spot::Home;
use crate::truth::Truth;

/// Whether the command opens this machine to a container, or destroys something elsewhere.
pub(super) fn danger(home: &Home, command: &Command, _: &[Command]) -> Truth {
    if command.redirections.iter().any(connects) {
        return Truth::Yes;
    }
    let Some(name) = program(command).filter(|it| PROGRAMS.contains(&&**it)) else {
        return Truth::No;
    };
    let fed = command.redirections.iter().filter_map(|it| match &it.target {
        Target::Text(token) => token.as_text(),
        _ => None,
    });
    let words: Vec<&str> = texts(command).chain(fed).collect();
    let has = |these: &[&str]| words.iter().any(|it| these.contains(it));
    let plain: Vec<&str> = words.iter().copied().filter(|it| !it.starts_with('-')).collect();
    let begins = |these: &[&str]| plain.starts_with(these);
    match Some(&*name) {
        Some("docker" | "podman" | "nerdctl") => {
            let opens = words.iter().any(|it| OPENS.iter().any(|start| it.starts_with(start)));
            let prunes = has(&["prune"]) && has(&["system", "volume"]);
            let composes =
                begins(&["compose"]) && has(&["down", "rm"]) && has(&["-v", "--volumes", "--rmi"])
                    || begins(&["compose", "cp"]);
            opens || mounts_vital(home, command, &words) || prunes || composes
        }
        Some("kubectl" | "oc") => has(&["delete", "drain", "exec", "replace"]),
        Some("helm") => has(&["delete", "uninstall"]),
        Some("mongosh" | "mysql" | "psql" | "sqlite3") => {
            reads_commands(command, &name)
                || command.redirections.iter().any(unseen)
                || words.iter().any(|it| {
                    let text = it.to_ascii_lowercase();
                    DATABASE.iter().any(|word| text.contains(word))
                        || text.split(['\n', ';']).any(leaves)
                })
        }
        Some("dropdb" | "dropuser") => true,
        Some("redis-cli") => words.iter().any(|it| it.to_ascii_lowercase().starts_with("flush")),
        Some("pulumi" | "terraform" | "tofu") => {
            has(&["destroy"]) || has(&["-auto-approve", "--auto-approve", "--yes"])
        }
        Some("aws") => {
            begins(&["s3", "rm"]) && has(&["--recursive"])
                || begins(&["s3", "rb"])
                || plain
                    .get(1)
                    .is_some_and(|it| it.starts_with("delete-") || it.starts_with("terminate-"))
        }
        Some("az" | "gcloud" | "gsutil") => has(&["delete", "rb"]) || begins(&["rm"]),
        Some("gh" | "glab") => {
            has(&["delete"]) && has(&["--yes", "-y", "repo", "release", "secret"])
        }
        _ => false,
    }
    .into()
}

/// Whether the shell opens a connection in the place of a file.
fn connects(redirection: &Redirection) -> bool {
    match &redirection.target {
        Target::File(token) | Target::Unreadable(token) => {
            ["/dev/tcp/", "/dev/udp/"].iter().any(|it| token.start().starts_with(it))
        }
        _ => false,
    }
}

/// Whether a database's shell reads commands that nobody sees here: it is given none.
fn reads_commands(command: &Command, name: &str) -> bool {
    let is_given = |it: &Redirection| matches!(it.target, Target::Text(_));
    let asks = |short: &str, long: &[&str]| {
        has(command, short, "", 1)
            || options(command).any(|it| long.iter().any(|long| it.starts_with(long)))
    };
    let has_query = match name {
        "sqlite3" => operands(command).len() > 1 || asks("", &["-cmd", "-help", "-version"]),
        "psql" => asks("cflV", &["--command", "--file", "--list", "--version", "--help"]),
        "mysql" => asks("eV", &["--execute", "--version", "--help"]),
        _ => return false,
    };
    !has_query && !command.redirections.iter().any(is_given)
}

/// Whether a text that the command is given cannot be read.
fn unseen(redirection: &Redirection) -> bool {
    matches!(&redirection.target, Target::Text(token) if token.as_text().is_none())
}

/// Whether a command of a database's own shell leaves the database: `.shell`, `\!`, `.output`.
fn leaves(line: &str) -> bool {
    let line = line.trim_start();
    let own = line.strip_prefix('.').map(|it| it.split(' ').next().unwrap_or(it));
    // They can be shortened.
    own.is_some_and(|own| {
        own.len() > 1 && OWN_COMMANDS.iter().any(|it| it.starts_with(own) || own.starts_with(it))
    }) || ["\\!", "\\o", "\\w", "\\copy"].iter().any(|it| line.starts_with(it))
}

/// Whether a folder of the machine that matters is mounted into a container.
fn mounts_vital(home: &Home, command: &Command, words: &[&str]) -> bool {
    let source = |word: &str| {
        let value = word.split_once('=').map_or(word, |(_, value)| value);
        value.split(':').next().unwrap_or(value).to_owned()
    };
    words.windows(2).any(|pair| match pair {
        ["-v" | "--volume" | "--mount", value] => is_vital(home, command, &mount_source(value)),
        [word, _] if word.starts_with("--volume=") => is_vital(home, command, &source(word)),
        [word, _] if word.starts_with("-v") && word.contains(':') => {
            is_vital(home, command, &source(word.trim_start_matches("-v")))
        }
        _ => false,
    })
}

/// The machine's side of `SOURCE:TARGET` or `type=bind,source=SOURCE,…`.
fn mount_source(value: &str) -> String {
    let keyed = value
        .split(',')
        .find_map(|it| it.strip_prefix("source=").or_else(|| it.strip_prefix("src=")));
    let plain = value.split(':').next().unwrap_or(value);
    keyed.unwrap_or(plain).to_owned()
}

fn is_vital(home: &Home, command: &Command, source: &str) -> bool {
    let spot = home.spot_of(source, command);
    spot.is_absolute && (home.is_vital(&spot.segments) || source.ends_with("docker.sock"))
}

const PROGRAMS: &[&str] = &[
    "aws",
    "az",
    "docker",
    "dropdb",
    "dropuser",
    "gcloud",
    "gh",
    "glab",
    "gsutil",
    "helm",
    "kubectl",
    "mongosh",
    "mysql",
    "nerdctl",
    "oc",
    "podman",
    "psql",
    "pulumi",
    "redis-cli",
    "sqlite3",
    "terraform",
    "tofu",
];

const DATABASE: &[&str] = &[
    "drop ",
    "truncate ",
    "delete from",
    "dropdatabase",
    "to program",
    "from program",
    "load_extension",
    "writefile(",
    "into outfile",
    "lo_export",
];

/// What of `sqlite3` runs programs or writes other files.
const OWN_COMMANDS: &[&str] = &[
    "archive", "backup", "clone", "excel", "import", "load", "once", "output", "read", "restore",
    "save", "shell", "system",
];

const OPENS: &[&str] = &["--privileged", "--pid=host", "--userns=host", "--cap-add"];
