//! What variables can change.

use crate::commands::{Influence, Token};

/// What setting the variable `name` can change, whatever its value.
pub(crate) fn influence(name: &str) -> Influence {
    let within = |list: &[&str]| {
        list.iter().any(|it| match it.strip_suffix('*') {
            Some(prefix) => name.starts_with(prefix),
            None => *it == name,
        })
    };
    if within(HARMLESS) {
        Influence::Harmless
    } else if within(CODE) || name.ends_with("PAGER") || name.ends_with("EDITOR") {
        Influence::Code
    } else {
        Influence::Unrecognised
    }
}

/// What giving the variable `name` this value can change: some decide what runs, and can be told to run nothing.
pub(crate) fn influence_of(name: &str, value: &Token) -> Influence {
    let pager = name.ends_with("PAGER") || name.ends_with("EDITOR");
    match value.as_text() {
        Some("" | "cat" | "less" | "true" | ":") if pager => Influence::Harmless,
        Some("0" | "1") if name == "GIT_TERMINAL_PROMPT" => Influence::Harmless,
        _ => influence(name),
    }
}

/// Whether a shell itself runs what the variable holds.
pub(crate) fn is_run_by_shells(name: &str) -> bool {
    matches!(
        name,
        "BASH_ENV"
            | "BASHOPTS"
            | "ENV"
            | "MAILPATH"
            | "POSIXLY_CORRECT"
            | "PROMPT_COMMAND"
            | "PS0"
            | "PS1"
            | "PS2"
            | "PS3"
            | "PS4"
            | "SHELLOPTS"
            | "ZDOTDIR"
    ) || name.starts_with("BASH_FUNC_")
}

/// Languages, colours, credentials, and switches that only turn things off.
const HARMLESS: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "CARGO_TERM_*",
    "CI",
    "CLICOLOR",
    "CLICOLOR_FORCE",
    "COLORTERM",
    "COLUMNS",
    "DEBIAN_FRONTEND",
    "DEBUG",
    "FORCE_COLOR",
    "GH_TOKEN",
    "GITHUB_TOKEN",
    "GIT_AUTHOR_*",
    "GIT_COMMITTER_*",
    "GIT_OPTIONAL_LOCKS",
    "GIT_TERMINAL_PROMPT",
    "LANG",
    "LANGUAGE",
    "LC_*",
    "LINES",
    "LOG_LEVEL",
    "NODE_ENV",
    "NO_COLOR",
    "NPM_TOKEN",
    "OPENAI_API_KEY",
    "PIP_DISABLE_PIP_VERSION_CHECK",
    "PYTHONDONTWRITEBYTECODE",
    "PYTHONHASHSEED",
    "PYTHONIOENCODING",
    "PYTHONUNBUFFERED",
    "PYTHONUTF8",
    "RUST_BACKTRACE",
    "RUST_LOG",
    "TERM",
    "TZ",
];

/// Search paths, preloads, hooks, editors, pagers, options of interpreters, and what shells evaluate.
const CODE: &[&str] = &[
    "ANSIBLE_*",
    "ANT_OPTS",
    "AWKLIBPATH",
    "AWKPATH",
    "BASHOPTS",
    "BASH_*",
    "BAT_*",
    "BROWSER",
    "BUNDLE_*",
    "BUN_*",
    "CARGO*",
    "CC",
    "CDPATH",
    "CLASSPATH",
    "COMPOSER_*",
    "CURL_HOME",
    "CVS_RSH",
    "CXX",
    "DENO_*",
    "DOCKER_*",
    "DYLD_*",
    "EDITOR",
    "ELECTRON_*",
    "ENV",
    "FCEDIT",
    "FPATH",
    "FZF_*",
    "GCONV_PATH",
    "GEM_*",
    "GIT_*",
    "GLOBIGNORE",
    "GNUPGHOME",
    "GOFLAGS",
    "GOTOOLCHAIN",
    "GRADLE_OPTS",
    "GREP_OPTIONS",
    "HELM_*",
    "HG*",
    "HISTFILE",
    "HOME",
    "HOSTALIASES",
    "IFS",
    "INPUTRC",
    "JAVA_TOOL_OPTIONS",
    "JDK_JAVA_OPTIONS",
    "KUBECONFIG",
    "LD",
    "LD_*",
    "LESS",
    "LESSCLOSE",
    "LESSKEY*",
    "LESSOPEN",
    "LOCPATH",
    "LUA_*",
    "MAILPATH",
    "MAKEFILES",
    "MAKEFLAGS",
    "MANOPT",
    "MANPAGER",
    "MAVEN_OPTS",
    "MYVIMRC",
    "NETRC",
    "NLSPATH",
    "NODE_*",
    "NPM_*",
    "OPENSSL_*",
    "PAGER",
    "PATH",
    "PERL*",
    "PHP*",
    "PIP_*",
    "POSIXLY_CORRECT",
    "PROMPT_COMMAND",
    "PS0",
    "PS1",
    "PS2",
    "PS3",
    "PS4",
    "PYTHON*",
    "RIPGREP_CONFIG_PATH",
    "RSYNC_RSH",
    "RUBY*",
    "RUSTC",
    "RUSTC_*",
    "RUSTDOC",
    "RUSTFLAGS",
    "RUSTUP_*",
    "SBT_OPTS",
    "SHELL",
    "SHELLOPTS",
    "SSH_*",
    "SUDO_ASKPASS",
    "SUDO_EDITOR",
    "SVN_*",
    "SYSTEMD_*",
    "TAR_OPTIONS",
    "TERMINFO",
    "TEXTDOMAIN",
    "TEXTDOMAINDIR",
    "TF_*",
    "UV_*",
    "VIMINIT",
    "VISUAL",
    "WGETRC",
    "XDG_*",
    "ZDOTDIR",
    "_JAVA_OPTIONS",
    "fpath",
    "npm_config_*",
];
