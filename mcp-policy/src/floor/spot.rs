//! Where a word of a command points on this machine, as far as it can be read.

use std::borrow::Cow;

use crate::commands::{Command, Directory, Part, Token};

/// The folders that the floor knows.
#[derive(Clone, Debug)]
pub(super) struct Home {
    home: Vec<String>,
    /// The same as text.
    text: String,
    config: Option<Vec<String>>,
    workspaces: Vec<Vec<String>>,
}

/// Where a word points.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Spot {
    /// Whether it is known from the root of the disk on.
    pub(super) is_absolute: bool,
    /// How far it climbs from where the call starts; only where it is not absolute.
    pub(super) climbs: usize,
    /// The names on the way; `..` is collapsed.
    pub(super) segments: Vec<String>,
    /// What follows, and is not known.
    pub(super) rest: Rest,
    /// Whether it rests on an earlier change of folder, which may have failed.
    pub(super) is_after_change: bool,
}

/// What follows the known part of a path.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Rest {
    /// Nothing: it is known whole.
    Nothing,
    /// A pattern that stands for everything in the folder.
    All,
    /// Something inside the folder, or nobody knows where.
    Unknown,
}

impl Home {
    pub(super) fn new(home: &str) -> Self {
        let home = collapse(home.split('/')).1;
        Self { text: format!("/{}", home.join("/")), home, config: None, workspaces: Vec::new() }
    }

    pub(super) fn protect(&mut self, folder: &str) {
        self.config = Some(self.folder(folder));
    }

    pub(super) fn work_in(&mut self, folder: &str) {
        self.workspaces.push(self.folder(folder));
    }

    fn folder(&self, folder: &str) -> Vec<String> {
        let folder = match folder.strip_prefix('~') {
            Some(rest) => Cow::Owned(format!("{}{rest}", self.text)),
            None => Cow::Borrowed(folder),
        };
        collapse(folder.split('/')).1
    }

    pub(super) fn has_workspace(&self) -> bool {
        !self.workspaces.is_empty()
    }

    /// Whether the spot is one of the workspaces or inside it.
    pub(super) fn is_workspace(&self, spot: &Spot) -> bool {
        let inside = |folder: &Vec<String>| spot.segments.starts_with(folder);
        spot.is_absolute && self.workspaces.iter().any(inside)
    }

    /// Where `token` points, for a command that runs where `command` does.
    pub(super) fn spot(&self, token: &Token, command: &Command) -> Spot {
        self.seen_from(token, &command.directory)
    }

    /// Where a text points that is part of a word.
    pub(super) fn spot_of(&self, text: &str, command: &Command) -> Spot {
        self.spot(&Token::new(text), command)
    }

    fn seen_from(&self, token: &Token, directory: &Directory) -> Spot {
        let (text, rest) = self.flatten(token);
        let (known, cut) = match rest {
            Rest::Nothing => (&*text, ""),
            _ => text.rsplit_once('/').map_or(("", &*text), |(known, cut)| {
                (if known.is_empty() { "/" } else { known }, cut)
            }),
        };
        // Only a pattern that stands alone after a slash is everything in a folder.
        let rest = if rest == Rest::All && !cut.is_empty() { Rest::Unknown } else { rest };
        let starts_unknown = rest == Rest::Unknown && known.is_empty() && cut.is_empty();
        let is_absolute = known.starts_with('/');
        let (climbs, segments) = collapse(known.split('/'));
        let own = Spot { is_absolute, climbs, segments, rest, is_after_change: false };
        if is_absolute || starts_unknown {
            return own;
        }
        match directory {
            Directory::Start => own,
            Directory::Unknown(_) => Spot { is_after_change: true, rest: Rest::Unknown, ..own },
            Directory::Moved(changes) => {
                let start = Spot {
                    is_absolute: false,
                    climbs: 0,
                    segments: Vec::new(),
                    rest: Rest::Nothing,
                    is_after_change: false,
                };
                let folder = changes.iter().fold(start, |folder, change| {
                    folder.then(self.seen_from(change, &Directory::Start))
                });
                Spot { is_after_change: true, ..folder.then(own) }
            }
        }
    }

    /// The text that a word begins with, with the home folder in its place, and what follows.
    fn flatten(&self, token: &Token) -> (String, Rest) {
        if let Token::Text(text) = token {
            return (self.expand(text), Rest::Nothing);
        }
        let parts = token.parts();
        let mut text = String::new();
        for (place, part) in parts.iter().enumerate() {
            match part {
                Part::Text(more) => text.push_str(more),
                Part::Tilde(user) => match self.of_user(user) {
                    Some(folder) => text.push_str(&folder),
                    None => return (text, Rest::Unknown),
                },
                Part::Variable(name) if name == "HOME" => text.push_str(&self.text),
                Part::Glob(pattern) => {
                    let is_all = pattern.chars().all(|it| it == '*') && place + 1 == parts.len();
                    let is_dots = text.ends_with("/.") || text == ".";
                    if is_all && is_dots {
                        text.pop();
                    }
                    return (text, if is_all { Rest::All } else { Rest::Unknown });
                }
                Part::Variable(_) | Part::Unreadable(_) => return (text, Rest::Unknown),
            }
        }
        (text, Rest::Nothing)
    }

    /// A literal `~` alone is a file of that name; before a slash or a user it is meant as a home.
    fn expand(&self, text: &str) -> String {
        let Some(rest) = text.strip_prefix('~').filter(|it| !it.is_empty()) else {
            return text.to_owned();
        };
        let (user, rest) = match rest.split_once('/') {
            Some((user, rest)) => (user, format!("/{rest}")),
            None => (rest, String::new()),
        };
        match user {
            "" => format!("{}{rest}", self.text),
            user => self.of_user(user).map_or_else(|| text.to_owned(), |it| format!("{it}{rest}")),
        }
    }

    fn of_user(&self, user: &str) -> Option<String> {
        match user {
            "" => Some(self.text.clone()),
            "root" => Some("/root".to_owned()),
            user if self.home.last().is_some_and(|it| it == user) => self.of_user(""),
            _ => None,
        }
    }

    /// Whether the spot is a folder that nobody may lose: the root, one of the system, the home
    /// folder, or a folder above it.
    pub(super) fn is_vital(&self, segments: &[String]) -> bool {
        let above_home = segments.len() <= self.home.len() && starts_with(&self.home, segments);
        above_home
            || matches!(segments, [one] if SYSTEM.iter().any(|it| one.eq_ignore_ascii_case(it)))
    }

    pub(super) fn is_home(&self, segments: &[String]) -> bool {
        segments.len() == self.home.len() && starts_with(segments, &self.home)
    }

    /// The names below the home folder.
    pub(super) fn below_home<'s>(&self, segments: &'s [String]) -> Option<&'s [String]> {
        starts_with(segments, &self.home).then(|| segments.get(self.home.len()..)).flatten()
    }

    /// Whether the spot is the agent's configuration or inside it.
    pub(super) fn is_config(&self, spot: &Spot) -> bool {
        let inside = |config: &Vec<String>| starts_with(&spot.segments, config);
        spot.is_absolute && self.config.as_ref().is_some_and(inside)
    }

    /// Whether the spot is a folder above the agent's configuration.
    pub(super) fn is_above_config(&self, spot: &Spot) -> bool {
        let above = |config: &Vec<String>| starts_with(config, &spot.segments);
        spot.is_absolute && self.config.as_ref().is_some_and(above)
    }

    /// The last name of the folder of the configuration.
    pub(super) fn config_name(&self) -> Option<&str> {
        self.config.as_ref()?.last().map(|it| &**it)
    }

    /// The folder of the configuration, as text.
    pub(super) fn config_text(&self) -> Option<String> {
        self.config.as_ref().map(|it| format!("/{}", it.join("/")))
    }
}

impl Spot {
    /// Where `next` leads, seen from here.
    fn then(mut self, next: Self) -> Self {
        if next.is_absolute {
            return next;
        }
        if self.rest != Rest::Nothing {
            return Self { rest: Rest::Unknown, ..self };
        }
        for _ in 0..next.climbs {
            if self.segments.pop().is_none() && !self.is_absolute {
                self.climbs += 1;
            }
        }
        self.segments.extend(next.segments);
        Self { rest: next.rest, ..self }
    }
}

/// Whether `path` begins with `start`, in whatever case.
pub(super) fn starts_with(path: &[String], start: &[String]) -> bool {
    path.len() >= start.len()
        && path.iter().zip(start).all(|(one, other)| one.to_lowercase() == other.to_lowercase())
}

/// How far a path climbs above its start, and the names after that.
fn collapse<'t>(segments: impl Iterator<Item = &'t str>) -> (usize, Vec<String>) {
    let (mut climbs, mut names) = (0, Vec::<String>::new());
    for segment in segments {
        match segment {
            "" | "." => {}
            ".." => {
                if names.pop().is_none() {
                    climbs += 1;
                }
            }
            name => names.push(name.to_owned()),
        }
    }
    (climbs, names)
}

/// The folders at the top of a disk that a system needs.
const SYSTEM: &[&str] = &[
    "Applications",
    "Library",
    "System",
    "Users",
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib32",
    "lib64",
    "private",
    "proc",
    "root",
    "run",
    "sbin",
    "sys",
    "usr",
    "var",
];
