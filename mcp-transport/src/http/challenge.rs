//! What a server says in headers about an answer that it refuses.

use std::time::{Duration, SystemTime};

use http::HeaderMap;
use http::header::{RETRY_AFTER, WWW_AUTHENTICATE};

use crate::Challenge;

/// Reads the challenges of all `WWW-Authenticate` headers (RFC 9110, section 11.6.1).
///
/// What is no challenge is skipped, parameters may be separated by anything, and values need no
/// quotes: servers get this wrong, and a half-understood challenge still says where to go.
/// Nothing beyond the first 64 KiB, and nothing beyond 64 challenges, is read.
pub(crate) fn challenges(headers: &HeaderMap) -> Vec<Challenge> {
    let mut challenges = Vec::new();
    let mut budget = MAX_BYTES;
    for value in headers.get_all(WWW_AUTHENTICATE) {
        let bytes = value.as_bytes();
        let bytes = bytes.get(..budget).unwrap_or(bytes);
        budget -= bytes.len();
        read(&String::from_utf8_lossy(bytes), &mut challenges);
    }
    challenges.truncate(MAX_CHALLENGES);
    challenges
}

/// Reads how long the server asks to be left alone: a number of seconds, or a date.
pub(crate) fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let value = headers.get(RETRY_AFTER)?.to_str().ok()?.trim();
    if !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit()) {
        // However many digits: far enough in the future, and near enough to count with.
        let seconds = value.parse().unwrap_or(u32::MAX);
        return Some(Duration::from_secs(seconds.into()));
    }
    let date = httpdate::parse_http_date(value).ok()?;
    Some(date.duration_since(now).unwrap_or_default())
}

/// Reads one header; every step takes something, so it ends.
fn read(header: &str, challenges: &mut Vec<Challenge>) {
    let mut rest = Scanner(header);
    // A parameter of a header goes to a challenge of that header.
    let first = challenges.len();
    let mut is_element = true;
    loop {
        is_element |= rest.separators();
        let name = rest.take_while(is_token);
        if name.is_empty() {
            match rest.0.chars().next() {
                None => return,
                Some('"') => drop(rest.quoted()),
                Some(_) => rest.skip_one(),
            }
        } else if let Some(value) = rest.value() {
            if let Some(challenge) = challenges.get_mut(first..).and_then(<[_]>::last_mut) {
                challenge.params.entry(name.to_ascii_lowercase()).or_insert(value);
            }
        } else if is_element {
            if challenges.len() == MAX_CHALLENGES {
                return;
            }
            let mut challenge = Challenge::new(name);
            challenge.token = rest.token68();
            challenges.push(challenge);
        }
        is_element = false;
    }
}

/// What is left of a header.
struct Scanner<'a>(&'a str);

impl<'a> Scanner<'a> {
    fn take_while(&mut self, is_taken: impl Fn(char) -> bool) -> &'a str {
        let length = self.0.find(|char| !is_taken(char)).unwrap_or(self.0.len());
        let (taken, rest) = self.0.split_at(length);
        self.0 = rest;
        taken
    }

    fn skip_one(&mut self) {
        let mut chars = self.0.chars();
        chars.next();
        self.0 = chars.as_str();
    }

    /// Skips what stands between two elements, and says whether a comma was there.
    fn separators(&mut self) -> bool {
        self.take_while(|char| is_space(char) || matches!(char, ',' | ';')).contains(',')
    }

    /// The value after an equals sign.
    fn value(&mut self) -> Option<String> {
        let rest = self.0.trim_start_matches(is_space).strip_prefix('=')?;
        self.0 = rest.trim_start_matches(is_space);
        if self.0.starts_with('"') {
            return Some(self.quoted());
        }
        // More than a token, because URLs are written here without quotes.
        Some(self.take_while(|char| !is_space(char) && !matches!(char, ',' | ';')).to_owned())
    }

    /// A quoted string; one without an end goes on to the end of the header.
    fn quoted(&mut self) -> String {
        let mut text = String::new();
        let mut chars = self.0.chars();
        chars.next();
        while let Some(char) = chars.next() {
            match char {
                '"' => break,
                '\\' => text.extend(chars.next()),
                _ => text.push(char),
            }
        }
        self.0 = chars.as_str();
        text
    }

    /// The one value that can stand in the place of parameters, up to the end of its element.
    fn token68(&mut self) -> Option<String> {
        let start = self.0.trim_start_matches(is_space);
        let mut rest = Scanner(start);
        rest.take_while(|char| char.is_ascii_alphanumeric() || "-._~+/".contains(char));
        let length = start.len() - rest.0.len();
        rest.take_while(|char| char == '=');
        let token = &start[..start.len() - rest.0.len()];
        let after = rest.0.trim_start_matches(is_space);
        if length == 0 || !(after.is_empty() || after.starts_with(',')) {
            return None;
        }
        self.0 = after;
        Some(token.to_owned())
    }
}

fn is_space(char: char) -> bool {
    matches!(char, ' ' | '\t')
}

fn is_token(char: char) -> bool {
    char.is_ascii_alphanumeric() || "!#$%&'*+-.^_`|~".contains(char)
}

const MAX_BYTES: usize = 64 << 10;
const MAX_CHALLENGES: usize = 64;

#[cfg(test)]
mod tests {
    use http::HeaderValue;
    use proptest::prelude::*;

    use super::*;

    fn headers(values: &[&[u8]]) -> HeaderMap {
        let values = values.iter().map(|value| HeaderValue::from_bytes(value).unwrap());
        values.map(|value| (WWW_AUTHENTICATE, value)).collect()
    }

    /// `Scheme token; name=value …`, one for each challenge.
    fn shown(values: &[&str]) -> Vec<String> {
        let values: Vec<_> = values.iter().map(|value| value.as_bytes()).collect();
        let show = |challenge: &Challenge| {
            let token = challenge.token.iter().map(|token| format!(" {token}")).collect::<String>();
            let params = challenge.params.iter().map(|(name, value)| format!("; {name}={value}"));
            format!("{}{token}{}", challenge.scheme, params.collect::<String>())
        };
        challenges(&headers(&values)).iter().map(show).collect()
    }

    /// Spec 76.
    #[test]
    fn challenges_are_read_as_servers_write_them() {
        let cases: &[(&[&str], &[&str])] = &[
            (&[], &[]),
            (&[""], &[]),
            (&["Bearer"], &["Bearer"]),
            (&["Basic realm=\"simple\""], &["Basic; realm=simple"]),
            (
                &[
                    "Newauth realm=\"apps\", type=1, title=\"Login to \\\"apps\\\"\", Basic realm=\"simple\"",
                ],
                &["Newauth; realm=apps; title=Login to \"apps\"; type=1", "Basic; realm=simple"],
            ),
            (
                &[
                    "Bearer error=\"insufficient_scope\", scope=\"files:read files:write\", resource_metadata=\"https://mcp.example.com/.well-known/oauth-protected-resource\"",
                ],
                &[
                    "Bearer; error=insufficient_scope; resource_metadata=https://mcp.example.com/.well-known/oauth-protected-resource; scope=files:read files:write",
                ],
            ),
            (&["Negotiate, Basic realm=\"x\""], &["Negotiate", "Basic; realm=x"]),
            (
                &["Negotiate a87421000492aa874209af8bc028=="],
                &["Negotiate a87421000492aa874209af8bc028=="],
            ),
            (&["Negotiate ab/c+== , Bearer a=b"], &["Negotiate ab/c+==", "Bearer; a=b"]),
            (&["Bearer a=b", "Basic c=d, Bearer"], &["Bearer; a=b", "Basic; c=d", "Bearer"]),
            // A parameter never goes to a challenge of another header.
            (&["Bearer a=b", "c=d"], &["Bearer; a=b"]),
            (&["BEARER Realm=x, REALM=y"], &["BEARER; realm=x"]),
            (&["Bearer realm = \"x\" ,, scope\t=\ty"], &["Bearer; realm=x; scope=y"]),
            (&[",, ,Bearer a=b,,"], &["Bearer; a=b"]),
            (&["Bearer realm=\"\", b=\"\\\\\""], &["Bearer; b=\\; realm="]),
            // Commas, equals signs and schemes inside quotes are text.
            (&["Bearer a=\"x, Basic realm=y\", b=z"], &["Bearer; a=x, Basic realm=y; b=z"]),
            (&["Bearer a=\"世界\""], &["Bearer; a=世界"]),
            // What is wrong, and still of use.
            (&["Bearer, realm=\"x\""], &["Bearer; realm=x"]),
            (&["Bearer a=\"x\" b=\"y\"; c=z"], &["Bearer; a=x; b=y; c=z"]),
            (
                &["Bearer resource_metadata=https://a.example/.well-known?x=1"],
                &["Bearer; resource_metadata=https://a.example/.well-known?x=1"],
            ),
            (&["Bearer a=\"never ends, b=c"], &["Bearer; a=never ends, b=c"]),
            (&["Bearer a=\"x\\"], &["Bearer; a=x"]),
            (&["Bearer \"junk, Basic\", a=b"], &["Bearer; a=b"]),
            (&["Bearer one two three, a=b, Basic"], &["Bearer; a=b", "Basic"]),
            (&["@@@, Bearer a=b"], &["Bearer; a=b"]),
            (&["a=b, Bearer c=d"], &["Bearer; c=d"]),
            (&["Bearer a=, b=c"], &["Bearer a=; b=c"]),
            (&["Bearer x=y, a=, b=c"], &["Bearer; a=; b=c; x=y"]),
        ];
        for (values, expected) in cases {
            assert_eq!(shown(values), *expected, "{values:?}");
        }
    }

    #[test]
    fn a_flood_of_challenges_is_cut() {
        assert_eq!(shown(&[&"Bearer a=b, ".repeat(3000)]).len(), MAX_CHALLENGES);
        assert_eq!(shown(&["Bearer a=b"; 100]).len(), MAX_CHALLENGES);
        let long = format!("Bearer a={}", "x".repeat(MAX_BYTES));
        let read = challenges(&headers(&[long.as_bytes(), b"Basic"]));
        assert_eq!(read.len(), 1);
        assert_eq!(read[0].param("a").map(str::len), Some(MAX_BYTES - "Bearer a=".len()));
    }

    #[test]
    fn a_server_says_when_to_come_back_in_seconds_or_with_a_date() {
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        let cases = [
            ("0", Some(0)),
            ("120", Some(120)),
            (" 5 ", Some(5)),
            ("99999999999999999999999", Some(u64::from(u32::MAX))),
            ("Sun, 06 Nov 1994 08:49:37 GMT", Some(0)),
            ("Sun, 06 Nov 1994 08:50:07 GMT", Some(30)),
            ("Sun, 06 Nov 1994 08:49:00 GMT", Some(0)),
            ("soon", None),
            ("-1", None),
            ("1.5", None),
            ("", None),
        ];
        for (value, expected) in cases {
            let headers = HeaderMap::from_iter([(RETRY_AFTER, value.parse().unwrap())]);
            assert_eq!(retry_after(&headers, now), expected.map(Duration::from_secs), "{value}");
        }
        assert_eq!(retry_after(&HeaderMap::new(), now), None);
    }

    proptest! {
        #[test]
        fn whatever_a_server_sends_is_read(
            values in prop::collection::vec(
                prop_oneof![
                    "[ -~\t]{0,80}",
                    "([A-Za-z]{1,3}|[ \t,;=\"\\\\/]|世){0,40}",
                ],
                0..4,
            )
        ) {
            let values: Vec<_> = values.iter().map(String::as_bytes).collect();
            let length = values.iter().map(|value| value.len()).sum::<usize>();
            let read = challenges(&headers(&values));
            // Nothing is made up: all that was read is no longer than what was sent.
            let texts = read.iter().flat_map(|challenge| {
                let params = challenge.params.iter().flat_map(|(name, value)| [name, value]);
                params.chain([&challenge.scheme]).chain(&challenge.token)
            });
            prop_assert!(texts.map(String::len).sum::<usize>() <= length);
            prop_assert!(read.iter().all(|challenge| !challenge.scheme.is_empty()));
        }

        #[test]
        fn what_is_written_by_the_rules_is_read_back(
            written in prop::collection::vec(
                ("[A-Z][a-z]{0,8}", prop::collection::btree_map("[a-z]{1,5}", "[ -~]{0,10}", 1..4)),
                0..4,
            )
        ) {
            let escape = |text: &str| text.replace('\\', "\\\\").replace('"', "\\\"");
            let written_out = written.iter().map(|(scheme, params)| {
                let params = params.iter().map(|(name, value)| format!("{name}=\"{}\"", escape(value)));
                format!("{scheme} {}", params.collect::<Vec<_>>().join(", "))
            });
            let header = written_out.collect::<Vec<_>>().join(", ");
            let read = challenges(&headers(&[header.as_bytes()]));
            let read: Vec<_> = read.into_iter().map(|read| (read.scheme, read.params)).collect();
            prop_assert_eq!(read, written);
        }
    }
}
