//! Which arguments of a tool are paths.

use std::borrow::Cow;

use serde_json::Value;

use crate::location::{TableError, ToolPattern};

/// The arguments that hold paths, by tool.
///
/// Of several entries that match a tool the most specific counts; a tool that none matches
/// follows the convention: `path`, `from` and `to`.
#[derive(Clone, Debug, Default)]
pub struct PathParams {
    entries: Vec<(ToolPattern, Vec<Cow<'static, str>>)>,
}

impl PathParams {
    /// Path parameters by tool pattern.  An empty list says that a tool points nowhere.
    ///
    /// # Errors
    ///
    /// Fails at the first entry whose pattern is none or was there before, or that holds an
    /// empty name.
    pub fn new<K: AsRef<str>, N: Into<String>>(
        entries: impl IntoIterator<Item = (K, impl IntoIterator<Item = N>)>,
    ) -> Result<Self, TableError> {
        let mut params = Self::default();
        for (pattern, names) in entries {
            params.add(pattern.as_ref(), names.into_iter().map(|it| Some(it.into())).collect())?;
        }
        Ok(params)
    }

    /// Reads path parameters from a JSON object of tool pattern and list of names, or one name.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new) does, and where the JSON is of another shape.
    pub fn from_json(json: &Value) -> Result<Self, TableError> {
        let mut params = Self::default();
        let entries = "tool patterns and argument names, such as {\"patch_*\": [\"target\"]}";
        for (pattern, names) in TableError::entries(json, "path-params", entries)? {
            let names = items(names).iter().map(|it| it.as_str().map(str::to_owned));
            params.add(pattern, names.collect())?;
        }
        Ok(params)
    }

    /// The names of the arguments of `tool` that hold paths, in their order.
    pub fn names(&self, tool: &str) -> impl Iterator<Item = &str> {
        self.listed(tool).unwrap_or(&CONVENTION).iter().map(|it| &**it)
    }

    /// The names that the table has for `tool`, if it has an entry that matches.
    pub(super) fn listed(&self, tool: &str) -> Option<&[Cow<'static, str>]> {
        let matching = self.entries.iter().filter(|(pattern, _)| pattern.matches(tool));
        matching.max_by_key(|(pattern, _)| pattern.specificity()).map(|(_, names)| &**names)
    }

    fn add(&mut self, pattern: &str, names: Option<Vec<String>>) -> Result<(), TableError> {
        let parsed = ToolPattern::parse(pattern)?;
        let pattern = pattern.to_owned();
        if self.entries.iter().any(|(other, _)| *other == parsed) {
            return Err(TableError::Duplicate { table: "path-params", entry: pattern });
        }
        match names.filter(|names| names.iter().all(|it| !it.is_empty())) {
            Some(names) => {
                self.entries.push((parsed, names.into_iter().map(Cow::Owned).collect()));
                Ok(())
            }
            None => Err(TableError::Names { pattern }),
        }
    }
}

/// The items of a list, or the one value that stands for a list of one.
pub(super) fn items(value: &Value) -> &[Value] {
    match value {
        Value::Array(items) => items,
        one => std::slice::from_ref(one),
    }
}

static CONVENTION: [Cow<'static, str>; 3] =
    [Cow::Borrowed("path"), Cow::Borrowed("from"), Cow::Borrowed("to")];
