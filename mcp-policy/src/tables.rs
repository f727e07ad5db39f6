//! Which arguments of a tool are commands, URLs and places.

use mcp_provider::location::{InvalidToolPattern, Locations, ToolPattern};
use serde::Deserialize;
use serde_json::Value;

/// What the arguments of each tool mean.
#[non_exhaustive]
#[derive(Clone, Debug, Default)]
pub struct Tables {
    /// Which arguments are paths, and where those start from.
    pub locations: Locations,
    /// Which arguments name a command.
    pub commands: CommandParams,
    /// Which arguments are URLs.
    pub urls: UrlParams,
    /// Whether the provider takes names of tools that differ in case for the same.  A deny and an
    /// ask then apply in whatever case; an allow is to the letter all the same.
    pub folds_tool_names: bool,
}

/// Which arguments of a tool name a command and what it is given.
///
/// Of several entries that match a tool the most specific counts; a tool that none matches
/// follows the convention: `command`, `args`, `stdin`, `env` and `cwd`.
#[derive(Clone, Debug, Default)]
pub struct CommandParams {
    entries: Vec<(ToolPattern, CommandNames)>,
}

/// The names of the arguments of one tool that hold its command.
///
/// In JSON, where each member that is left out has its usual name:
///
/// ```json
/// {"command": "program", "args": "argv", "stdin": "input", "env": "environment", "cwd": "folder"}
/// ```
///
/// or, for a tool that hands one string to a shell, `{"shell": "command"}`.
#[non_exhaustive]
#[derive(Clone, Debug, Default, Deserialize, Eq, PartialEq)]
#[serde(deny_unknown_fields, default)]
pub struct CommandNames {
    /// The argument with the program.
    pub command: Option<String>,
    /// The argument with the list of the program's arguments.
    pub args: Option<String>,
    /// The argument with a text that is handed to a shell, in the place of the two above.
    pub shell: Option<String>,
    /// The argument with the text that the program reads.
    pub stdin: Option<String>,
    /// The argument with an object of variables.
    pub env: Option<String>,
    /// The argument with the folder that the program runs in.
    pub cwd: Option<String>,
}

impl CommandParams {
    /// Reads command parameters from a JSON object of tool pattern and [`CommandNames`].
    ///
    /// # Errors
    ///
    /// Fails at the first entry that cannot be read.
    pub fn from_json(json: &Value) -> Result<Self, InvalidTable> {
        let mut params = Self::default();
        let entries = "tool patterns and argument names, such as {\"sh_*\": {\"args\": \"argv\"}}";
        for (pattern, names) in object(json, "command-params", entries)? {
            let parsed = pattern_of(pattern, params.entries.iter().map(|(it, _)| it))?;
            let invalid = |reason: String| InvalidTable::Entry {
                table: "command-params",
                pattern: pattern.clone(),
                reason,
            };
            let names: CommandNames =
                serde_json::from_value(names.clone()).map_err(|it| invalid(it.to_string()))?;
            if names.shell.is_some() && (names.command.is_some() || names.args.is_some()) {
                return Err(invalid(
                    "\"shell\" takes the place of \"command\" and \"args\"".into(),
                ));
            }
            params.entries.push((parsed, names));
        }
        Ok(params)
    }

    /// The entry for `tool`, if one matches.
    pub(crate) fn get(&self, tool: &str) -> Option<&CommandNames> {
        closest(&self.entries, tool)
    }
}

/// Which arguments of a tool are URLs.
///
/// Of several entries that match a tool the most specific counts; a tool that none matches
/// follows the convention: `url`.
#[derive(Clone, Debug, Default)]
pub struct UrlParams {
    entries: Vec<(ToolPattern, Vec<String>)>,
}

impl UrlParams {
    /// Reads URL parameters from a JSON object of tool pattern and list of names, or one name.
    ///
    /// # Errors
    ///
    /// Fails at the first entry that cannot be read.
    pub fn from_json(json: &Value) -> Result<Self, InvalidTable> {
        let mut params = Self::default();
        let entries = "tool patterns and argument names, such as {\"web_*\": [\"uri\"]}";
        for (pattern, names) in object(json, "url-params", entries)? {
            let parsed = pattern_of(pattern, params.entries.iter().map(|(it, _)| it))?;
            let names: Option<Vec<String>> = items(names)
                .iter()
                .map(|it| it.as_str().filter(|it| !it.is_empty()).map(str::to_owned))
                .collect();
            let names = names.ok_or_else(|| InvalidTable::Entry {
                table: "url-params",
                pattern: pattern.clone(),
                reason: "it must be an argument's name, or a list of such names".to_owned(),
            })?;
            params.entries.push((parsed, names));
        }
        Ok(params)
    }

    /// The names that the table has for `tool`, if an entry matches.
    pub(crate) fn get(&self, tool: &str) -> Option<&[String]> {
        closest(&self.entries, tool).map(|it| &**it)
    }
}

/// Why a table cannot be used.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
pub enum InvalidTable {
    /// The same pattern is there twice.
    #[error("the tool pattern {pattern:?} is there twice; keep one of them")]
    Duplicate {
        /// The pattern.
        pattern: String,
    },
    /// What an entry says cannot be used.
    #[error("{table} {pattern:?}: {reason}")]
    Entry {
        /// The table.
        table: &'static str,
        /// The tools it is about.
        pattern: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The table is not an object.
    #[error("{table} must be an object of {entries}")]
    NotAnObject {
        /// The table.
        table: &'static str,
        /// What it should hold.
        entries: &'static str,
    },
    /// An entry is not about tools.
    #[error(transparent)]
    Pattern(#[from] InvalidToolPattern),
}

fn object<'json>(
    json: &'json Value,
    table: &'static str,
    entries: &'static str,
) -> Result<&'json mcp_provider::JsonObject, InvalidTable> {
    json.as_object().ok_or(InvalidTable::NotAnObject { table, entries })
}

fn pattern_of<'a>(
    pattern: &str,
    mut others: impl Iterator<Item = &'a ToolPattern>,
) -> Result<ToolPattern, InvalidTable> {
    let parsed = ToolPattern::parse(pattern)?;
    if others.any(|it| *it == parsed) {
        return Err(InvalidTable::Duplicate { pattern: pattern.to_owned() });
    }
    Ok(parsed)
}

fn closest<'a, T>(entries: &'a [(ToolPattern, T)], tool: &str) -> Option<&'a T> {
    let matching = entries.iter().filter(|(pattern, _)| pattern.matches(tool));
    matching.max_by_key(|(pattern, _)| pattern.specificity()).map(|(_, names)| names)
}

/// The items of a list, or the one value that stands for a list of one.
pub(crate) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}
