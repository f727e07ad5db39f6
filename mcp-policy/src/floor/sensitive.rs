//! Files that decide what runs, or who may log in.

use crate::floor::spot::{Home, Spot};

/// Whether a file at the spot decides what runs, or who may log in.
pub(super) fn is_sensitive(home: &Home, spot: &Spot) -> bool {
    let names: Vec<String> = spot.segments.iter().map(|it| it.to_lowercase()).collect();
    let names: Vec<&str> = names.iter().map(|it| &**it).collect();
    let Some((last, above)) = names.split_last() else { return false };
    let in_home = home.below_home(&spot.segments).filter(|_| spot.is_absolute).is_some();
    let is_system = spot.is_absolute && names.first().is_some_and(|it| SYSTEM.contains(it));
    let is_temporary = matches!(&*names, ["var" | "private", "tmp" | "folders" | "var", ..]);
    let in_hooks =
        above.windows(2).any(|it| matches!(it, [repo, "hooks"] if repo.ends_with(".git")));
    STARTUP.contains(last)
        || names.contains(&".git")
        || in_hooks
        || above.iter().any(|it| FOLDERS.contains(it))
        || FOLDERS.contains(last)
        || PATHS.iter().any(|path| holds(&names, path))
        || in_home && (*last == "authorized_keys" || above.contains(&".ssh"))
        || is_system && !is_temporary
}

/// Whether `path`, as segments, is somewhere in `names`.
fn holds(names: &[&str], path: &[&str]) -> bool {
    names.windows(path.len()).any(|it| it == path)
}

/// Folders at the top of a disk whose files the system runs by.
const SYSTEM: &[&str] =
    &["bin", "boot", "etc", "lib", "lib64", "library", "proc", "sbin", "sys", "system", "usr"];

/// Files that a program reads at its start, and runs.
const STARTUP: &[&str] = &[
    ".bash_aliases",
    ".bash_login",
    ".bash_logout",
    ".bash_profile",
    ".bashrc",
    ".cshrc",
    ".envrc",
    ".gdbinit",
    ".gitattributes",
    ".gitconfig",
    ".gitmodules",
    ".inputrc",
    ".kshrc",
    ".login",
    ".mkshrc",
    ".netrc",
    ".npmrc",
    ".profile",
    ".pypirc",
    ".tcshrc",
    ".vimrc",
    ".xinitrc",
    ".xprofile",
    ".yarnrc",
    ".zlogin",
    ".zlogout",
    ".zprofile",
    ".zshenv",
    ".zshrc",
];

/// Folders whose files something runs, or that decide who may log in.
const FOLDERS: &[&str] = &[
    ".gnupg",
    ".husky",
    ".ssh",
    "cron.d",
    "cron.daily",
    "cron.hourly",
    "launchagents",
    "launchdaemons",
    "profile.d",
    "sudoers.d",
];

/// The same, where one name says too little.
const PATHS: &[&[&str]] = &[
    &[".config", "autostart"],
    &[".config", "fish"],
    &[".config", "git"],
    &[".config", "nvim"],
    &[".github", "workflows"],
    &[".vscode", "tasks.json"],
    &["systemd", "user"],
    &["spool", "cron"],
];
