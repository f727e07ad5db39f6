//! The URLs that a call names.

use mcp_provider::JsonObject;
use serde_json::Value;

use crate::facts::REASON;
use crate::host::UnreadableUrl;
use crate::site::Site;
use crate::tables::{UrlParams, items};

/// An argument that is a URL, or looks like one.
pub(crate) struct FoundUrl<'c> {
    /// The name of the argument.
    pub(crate) param: &'c str,
    /// Where it leads, or why nobody can tell.
    pub(crate) site: Result<Site, UnreadableUrl>,
    /// Whether it is the URL of a file.
    pub(crate) is_file: bool,
    /// Whether a table or the convention lists it.
    pub(crate) is_listed: bool,
    /// Whether it begins as a URL does, whatever its key is called.
    pub(crate) has_scheme: bool,
}

pub(super) fn find<'c>(
    tool: &str,
    arguments: &'c JsonObject,
    params: &UrlParams,
) -> Vec<FoundUrl<'c>> {
    let mut found = Vec::new();
    if let Some(names) = params.get(tool) {
        for (param, value) in names.iter().filter_map(|name| arguments.get_key_value(name)) {
            let values = items(value);
            found.extend(values.iter().map(|value| listed(param, value)));
        }
        return found;
    }
    for (key, value) in arguments {
        match &**key {
            "url" => found.push(listed(key, value)),
            // What the model says to the person is no URL, however much it looks like one.
            REASON if value.is_string() => {}
            _ => others(key, value, &mut found),
        }
    }
    found
}

fn listed<'c>(param: &'c str, value: &Value) -> FoundUrl<'c> {
    let text = value.as_str();
    let site = text.ok_or(UnreadableUrl::NotText).and_then(Site::of_url);
    FoundUrl { param, site, is_file: text.is_some_and(is_file), is_listed: true, has_scheme: true }
}

/// The strings in `value`, at any depth, that look like URLs, each with its nearest key.
fn others<'c>(key: &'c str, value: &'c Value, found: &mut Vec<FoundUrl<'c>>) {
    match value {
        Value::String(text) => {
            let has_scheme = has_scheme(text);
            let is_relative = text.starts_with("//") && !text.contains(char::is_whitespace);
            if has_scheme || is_relative || names_a_url(key) {
                // A host alone, `evil.example:3128`, is completed by the tool.
                let read = if has_scheme { Site::of_url } else { Site::of_authority };
                let (site, is_file) = (read(text), is_file(text));
                found.push(FoundUrl { param: key, site, is_file, is_listed: false, has_scheme });
            }
        }
        Value::Array(items) => items.iter().for_each(|it| others(key, it, found)),
        Value::Object(members) => members.iter().for_each(|(key, it)| others(key, it, found)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// Whether it is one word that begins with `https:`, or with any scheme and `//`.
fn has_scheme(text: &str) -> bool {
    let text = text.trim_start();
    let Some((scheme, rest)) = text.split_once(':') else { return false };
    let is_scheme = !scheme.is_empty()
        && scheme.bytes().all(|it| it.is_ascii_alphanumeric() || b"+.-".contains(&it));
    let is_web = ["http", "https"].iter().any(|it| scheme.eq_ignore_ascii_case(it));
    is_scheme && (is_web || rest.starts_with("//")) && !text.contains(char::is_whitespace)
}

fn is_file(text: &str) -> bool {
    let scheme = text.trim_start().get(..5);
    scheme.is_some_and(|it| it.eq_ignore_ascii_case("file:"))
}

fn names_a_url(key: &str) -> bool {
    let last = key.rsplit(|it: char| !it.is_ascii_alphanumeric()).next().unwrap_or(key);
    WORDS.iter().any(|word| {
        let end = last.len().checked_sub(word.len()).and_then(|place| last.get(place..));
        end.is_some_and(|end| end.eq_ignore_ascii_case(word))
    })
}

/// How the names of arguments end that hold URLs or hosts.
const WORDS: &[&str] =
    &["url", "urls", "uri", "uris", "href", "endpoint", "host", "hostname", "proxy", "webhook"];
