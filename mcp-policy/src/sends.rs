//! The check `sends-data`: whether a command carries something of this machine away.

use crate::commands::{Access, Cause, Command, Part, Target, Token};
use crate::truth::Truth;

/// Whether `command`, one of `all`, sends files, text or the output of other commands somewhere.
///
/// What only goes to this machine itself is not sent, unless it comes from a file.
pub(crate) fn sends_data(command: &Command, all: &[Command]) -> Truth {
    let Some(name) = command.program.name().map(str::to_ascii_lowercase) else {
        return if command.program.cause().is_some() { Truth::Unknown } else { Truth::No };
    };
    let carried: Vec<Sent> = match &*name {
        "curl" => options(command, CURL_VALUES).filter_map(|it| it.sent(CURL, CURL_LONG)).collect(),
        "wget" => options(command, WGET_VALUES).filter_map(|it| it.sent(WGET, WGET_LONG)).collect(),
        "ftp" | "nc" | "ncat" | "netcat" | "scp" | "sftp" | "socat" | "telnet" => vec![Sent::File],
        "rsync" => match command.tokens.last() {
            Some(it) if it.as_text().is_none_or(|it| it.contains(':')) => vec![Sent::File],
            _ => Vec::new(),
        },
        "git" if reaches_out(command) => Vec::new(),
        "dig" | "drill" | "host" | "nslookup" | "ping" | "ping6" | "traceroute" => Vec::new(),
        _ => return Truth::No,
    };
    if carried.contains(&Sent::File) {
        return Truth::Yes;
    }
    if is_local(command) {
        return Truth::No;
    }
    if !carried.is_empty() {
        return Truth::Yes;
    }
    if command.tokens.iter().any(|it| may_carry(it, all)) { Truth::Unknown } else { Truth::No }
}

/// What an option sends.
#[derive(Clone, Copy, PartialEq)]
enum Sent {
    /// Text of the command itself.
    Text,
    /// A file, the input, the output of another command, or what a file of options says.
    File,
}

/// An option of a command, with its value if it has one.
struct Given<'c> {
    /// A letter, or the long name without `--`.
    name: &'c str,
    value: Option<&'c Token>,
    /// The part of the value that is in the same word.
    glued: &'c str,
}

impl Given<'_> {
    /// What it sends, if it is one of the letters or the names (which can be shortened).
    fn sent(&self, letters: &str, long: &[&str]) -> Option<Sent> {
        let is_meant = match self.name.len() {
            0 => false,
            1 => letters.contains(self.name),
            // `--url` is whole, and no short form of `--url-query`.
            _ => self.name != "url" && long.iter().any(|it| it.starts_with(self.name)),
        };
        let names_file =
            |text: &str| text.starts_with('@') || text.contains("=@") || text.contains("=<");
        let always = [
            "K",
            "T",
            "e",
            "i",
            "config",
            "execute",
            "upload-file",
            "post-file",
            "body-file",
            "input-file",
        ];
        let is_file = always
            .iter()
            .any(|it| *it == self.name || self.name.len() > 1 && it.starts_with(self.name))
            || names_file(self.glued)
            || self.glued.is_empty()
                && self.value.is_some_and(|it| {
                    names_file(it.start()) || it.as_text().is_none_or(|it| it.contains('@'))
                });
        is_meant.then_some(if is_file { Sent::File } else { Sent::Text })
    }
}

/// The options of a command whose letters `values` take a value.
fn options<'c>(command: &'c Command, values: &'c str) -> impl Iterator<Item = Given<'c>> {
    command.tokens.iter().enumerate().flat_map(move |(place, token)| {
        let next = command.tokens.get(place + 1);
        let word = token.start();
        let mut found = Vec::new();
        if let Some(long) = word.strip_prefix("--") {
            let (name, glued) = long.split_once('=').unwrap_or((long, ""));
            found.push(Given { name, value: next, glued });
        } else if let Some(cluster) = word.strip_prefix('-') {
            for (at, letter) in cluster.char_indices() {
                let end = at + letter.len_utf8();
                let name = cluster.get(at..end).unwrap_or_default();
                let glued = cluster.get(end..).unwrap_or_default();
                if values.contains(letter) {
                    found.push(Given { name, value: next, glued });
                    break;
                }
                found.push(Given { name, value: None, glued: "" });
            }
        }
        found
    })
}

/// Whether `git` talks to another machine.
fn reaches_out(command: &Command) -> bool {
    let words = command.tokens.iter().filter_map(Token::as_text);
    words
        .into_iter()
        .any(|it| ["clone", "fetch", "ls-remote", "pull", "push", "remote"].contains(&it))
}

/// Whether the word holds what another command printed, or a variable that holds it.
fn may_carry(token: &Token, all: &[Command]) -> bool {
    let set = |name: &str| {
        // With so many commands nobody looks for each variable in all.
        all.len() > MANY
            || all.iter().flat_map(|it| &it.assignments).any(|it| {
                it.name == name && it.value.as_text().is_none_or(|text| text.starts_with('-'))
            })
    };
    let carries = |part: &Part| match part {
        Part::Unreadable(Cause::Home | Cause::Glob) | Part::Text(_) | Part::Tilde(_) => false,
        Part::Unreadable(_) => true,
        Part::Variable(name) => set(name),
        Part::Glob(_) => false,
    };
    token.parts().iter().any(carries)
}

/// Whether every address among the words is this machine.
fn is_local(command: &Command) -> bool {
    let goes_elsewhere = command.tokens.iter().any(|it| {
        ["-x", "--proxy", "--connect-to", "--resolve", "--preproxy", "--socks"]
            .iter()
            .any(|option| it.start().starts_with(option))
    });
    let mut found = false;
    for word in command.tokens.iter().map(Token::start) {
        let word = word.split_once("://").map_or(word, |(_, rest)| rest);
        let host = word.split(['/', '?', '#']).next().unwrap_or(word);
        let name = host.split_once(':').map_or(host, |(name, _)| name);
        if ["localhost", "127.0.0.1", "0.0.0.0"].contains(&name) || host.starts_with("[::1]") {
            found = true;
        } else if host.contains('.') && !host.starts_with('-') && !word.starts_with(['{', '.']) {
            return false;
        }
    }
    let reads = command
        .redirections
        .iter()
        .any(|it| it.access == Access::Read && matches!(it.target, Target::Unreadable(_)));
    found && !goes_elsewhere && !reads
}

/// More commands than anybody compares with each other.
const MANY: usize = 500;

const CURL: &str = "FKTd";
const CURL_VALUES: &str = "ABCDEFHKPQTUXYbcdehmortuwxyz";
const CURL_LONG: &[&str] = &[
    "config",
    "data",
    "data-ascii",
    "data-binary",
    "data-raw",
    "data-urlencode",
    "form",
    "form-string",
    "json",
    "upload-file",
    "url-query",
    "variable",
];
const WGET: &str = "Bei";
const WGET_VALUES: &str = "ABDIOPQRTUXaeiltow";
const WGET_LONG: &[&str] = &[
    "base",
    "body-data",
    "body-file",
    "config",
    "execute",
    "input-file",
    "post-data",
    "post-file",
    "use-askpass",
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::commands::decompose_words;

    #[test]
    fn what_is_carried_away_is_found_and_fetching_is_not() {
        use Truth::{No, Unknown, Yes};
        let cases = [
            ("curl https://a.example/x", No),
            ("curl -fsSL -o x https://a.example/x", No),
            ("curl -H \"Authorization: Bearer $TOKEN\" https://a.example", No),
            ("curl -A data https://a.example", No),
            ("curl \"$URL\"", No),
            ("curl -d x=1 https://a.example", Yes),
            ("curl -dx=1 https://a.example", Yes),
            ("curl -sXPOST -d@x https://a.example", Yes),
            ("curl --json '{}' https://a.example", Yes),
            ("curl --dat x https://a.example", Yes),
            ("curl --url https://a.example", No),
            ("curl --url-query @x https://a.example", Yes),
            ("curl -Fa=@x https://a.example", Yes),
            ("curl -T x ftp://a.example", Yes),
            ("curl -K x", Yes),
            ("curl -d x=1 http://localhost:3000/", No),
            ("curl -d x=1 127.0.0.1:3000", No),
            ("curl -d @x http://localhost:3000/", Yes),
            ("curl --json @x http://localhost:3000/", Yes),
            ("curl -d x=1 http://localhost.a.example/", Yes),
            ("curl -d x=1 http://localhost/ http://a.example/", Yes),
            ("curl -d x=1 -x a.example:1 http://localhost/", Yes),
            ("curl -d \"$(cat x)\" http://localhost/", Yes),
            ("curl https://a.example/$(cat x)", Unknown),
            ("curl -H \"X: `cat x`\" https://a.example", Unknown),
            ("X=$(cat x); curl https://a.example/$X", Unknown),
            ("X=-Tx; curl \"$X\" https://a.example", Unknown),
            ("X=1; curl \"https://a.example/$X\"", No),
            ("cat x | xargs -I{} curl https://a.example/{}", Unknown),
            ("wget https://a.example", No),
            ("wget -qO- https://a.example", No),
            ("wget --post-file=x https://a.example", Yes),
            ("wget -e http_proxy=a https://a.example", Yes),
            ("wget -i x -B https://a.example/", Yes),
            ("dig a.example", No),
            ("dig $(cat x).a.example", Unknown),
            ("nc a.example 80", Yes),
            ("scp x a.example:", Yes),
            ("rsync -a x a.example:y", Yes),
            ("rsync -a x y", No),
            ("git fetch https://a.example/$(cat x)", Unknown),
            ("git log --grep=\"$(cat x)\"", No),
            ("echo \"$(cat x)\"", No),
        ];
        for (text, expected) in cases {
            let all = decompose_words(&["bash", "-c", text]).commands;
            let found = all.iter().map(|it| sends_data(it, &all)).max().unwrap_or(No);
            assert_eq!(found, expected, "{text}");
        }
    }
}
