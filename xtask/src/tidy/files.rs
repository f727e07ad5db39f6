//! The text of every file that git tracks, or would.

use std::collections::BTreeMap;

use crate::tool;

/// Path, with `/`, to text.
#[derive(Debug, Default)]
pub(crate) struct Files(BTreeMap<String, String>);

impl Files {
    /// Reads the workspace.  What is not text, and what is deleted but not yet committed, is left out.
    pub(crate) fn load() -> Result<Self, String> {
        let mut git = tool::program("git");
        git.args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"]);
        let paths = tool::read(&mut git)?;
        let root = tool::root();
        let read = |path: &str| {
            std::fs::read_to_string(root.join(path)).ok().map(|text| (path.to_owned(), text))
        };
        Ok(Self(paths.split_terminator('\0').filter_map(read).collect()))
    }

    /// The text of a file; empty if it is not there, which no rule is content with.
    pub(crate) fn text(&self, path: &str) -> &str {
        self.0.get(path).map_or("", String::as_str)
    }

    pub(crate) fn has(&self, path: &str) -> bool {
        self.0.contains_key(path)
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.0.iter().map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

impl<'a> FromIterator<(&'a str, &'a str)> for Files {
    fn from_iter<I: IntoIterator<Item = (&'a str, &'a str)>>(files: I) -> Self {
        Self(files.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect())
    }
}
