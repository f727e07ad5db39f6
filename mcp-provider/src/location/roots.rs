//! Which directory the relative paths of a tool start from.

use serde_json::Value;

use crate::location::{PathStyle, Place, TableError, Unreadable};

/// The directories that relative paths start from, by the beginning of a tool's name.
///
/// The longest beginning wins, and the empty one is for every tool.  A beginning must end
/// where a word of the name ends: `fs` is for `fs`, `fs_read` and `fs-x`, and not for
/// `fsck_run`; `fs_` is for everything that starts with it.
#[derive(Clone, Debug, Default)]
pub struct Roots {
    style: PathStyle,
    entries: Vec<(String, Place)>,
}

impl Roots {
    /// Roots on a disk of the style `style`.
    ///
    /// # Errors
    ///
    /// Fails at the first entry whose directory cannot be read, whose prefix holds a `*`, or
    /// whose prefix was there before.
    pub fn new<K: AsRef<str>, V: AsRef<str>>(
        entries: impl IntoIterator<Item = (K, V)>,
        style: PathStyle,
    ) -> Result<Self, TableError> {
        let mut roots = Self { style, entries: Vec::new() };
        for (prefix, directory) in entries {
            roots.add(prefix.as_ref(), Some(directory.as_ref()), &directory.as_ref().into())?;
        }
        Ok(roots)
    }

    /// Reads roots from a JSON object of prefix and directory.
    ///
    /// # Errors
    ///
    /// Fails as [`new`](Self::new) does, and where the JSON is of another shape.
    pub fn from_json(json: &Value, style: PathStyle) -> Result<Self, TableError> {
        let mut roots = Self { style, entries: Vec::new() };
        let entries = "tool-name prefixes and directories, such as {\"fs\": \"/srv/work\"}";
        for (prefix, directory) in TableError::entries(json, "roots", entries)? {
            roots.add(prefix, directory.as_str(), directory)?;
        }
        Ok(roots)
    }

    /// The style of the disk.
    pub fn style(&self) -> PathStyle {
        self.style
    }

    /// The directory that relative paths of `tool` start from, if there is one.
    pub fn get(&self, tool: &str) -> Option<&Place> {
        let covering = self.entries.iter().filter(|(prefix, _)| covers(prefix, tool));
        covering.max_by_key(|(prefix, _)| prefix.len()).map(|(_, directory)| directory)
    }

    fn add(&mut self, prefix: &str, text: Option<&str>, json: &Value) -> Result<(), TableError> {
        let prefix = prefix.to_owned();
        if prefix.contains('*') {
            return Err(TableError::Prefix { prefix });
        }
        if self.entries.iter().any(|(other, _)| *other == prefix) {
            return Err(TableError::Duplicate { table: "roots", entry: prefix });
        }
        let read = text.ok_or(Unreadable::NotText).and_then(|it| Place::parse(it, self.style));
        match read {
            Ok(directory) => self.entries.push((prefix, directory)),
            Err(reason) => {
                return Err(TableError::Directory { prefix, directory: json.to_string(), reason });
            }
        }
        Ok(())
    }
}

/// Whether `tool` starts with `prefix`, and no word of its name is cut in two.
fn covers(prefix: &str, tool: &str) -> bool {
    let Some(rest) = tool.strip_prefix(prefix) else { return false };
    !prefix.ends_with(char::is_alphanumeric) || !rest.starts_with(char::is_alphanumeric)
}
