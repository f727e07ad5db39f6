//! The places that a call names.

use serde_json::Value;

use crate::JsonObject;
use crate::location::params::items;
use crate::location::unlisted::unlisted;
use crate::location::{PathParams, PathStyle, Place, Roots, Under, Unreadable};

/// Finds the places that calls name: which arguments are paths, and where those start from.
#[derive(Clone, Debug, Default)]
pub struct Locations {
    roots: Roots,
    params: PathParams,
}

/// An argument that names a place.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Located<'call> {
    /// The name of the argument.
    pub param: &'call str,
    /// The value as the model gave it; of a list, one of its items.
    pub value: &'call Value,
    /// Where it points, seen from the tool's root, or why nobody can tell.
    pub place: Result<Place, Unreadable>,
}

impl Locations {
    /// Places as `roots` and `params` find them.
    pub fn new(roots: Roots, params: PathParams) -> Self {
        Self { roots, params }
    }

    /// The roots.
    pub fn roots(&self) -> &Roots {
        &self.roots
    }

    /// The path parameters.
    pub fn params(&self) -> &PathParams {
        &self.params
    }

    /// The style of the disk.
    pub fn style(&self) -> PathStyle {
        self.roots.style()
    }

    /// Where `text` points when `tool` reads it: a relative path starts from the tool's root.
    ///
    /// # Errors
    ///
    /// Fails where nobody can tell.
    pub fn place(&self, tool: &str, text: &str) -> Result<Place, Unreadable> {
        let place = Place::parse(text, self.style())?;
        Ok(match self.roots.get(tool) {
            Some(root) => place.rooted_at(root),
            None => place,
        })
    }

    /// The arguments of a call to `tool` that name places, in the order of the table.
    ///
    /// An argument that is there and is not a string is unreadable, one that is not there is
    /// left out, and a list counts item by item.
    pub fn located<'call>(&self, tool: &str, arguments: &'call JsonObject) -> Vec<Located<'call>> {
        let present = self.params.names(tool).filter_map(|name| arguments.get_key_value(name));
        present
            .flat_map(|(param, value)| items(value).iter().map(move |value| (&**param, value)))
            .map(|(param, value)| self.locate(tool, param, value))
            .collect()
    }

    /// Other arguments of a call to `tool` that look as if they named places.
    ///
    /// They are a reason to refuse, and never one to allow: a destination outside belongs to
    /// the call as much as the path inside.  Looked at are all strings at any depth that
    /// [`located`](Self::located) has not returned.  A string counts if it begins as an
    /// absolute path, a home directory, a drive, a share or a `file:` URI, if it climbs with
    /// `..`, or if the last word of its key says so (`output_path`, `targetDir`,
    /// `destination`).
    ///
    /// It is a guess, so a tool with an entry in the table is spared it: that entry says what
    /// its paths are.  `url` is not looked at.
    pub fn unlisted<'call>(&self, tool: &str, arguments: &'call JsonObject) -> Vec<Located<'call>> {
        if self.params.listed(tool).is_some() {
            return Vec::new();
        }
        let is_known = |key: &str| key == "url" || self.params.names(tool).any(|it| it == key);
        let others = arguments.iter().filter(|(key, _)| !is_known(key));
        others
            .flat_map(|(key, value)| unlisted(key, value, self.style()))
            .map(|(param, value)| self.locate(tool, param, value))
            .collect()
    }

    fn locate<'call>(&self, tool: &str, param: &'call str, value: &'call Value) -> Located<'call> {
        let text = value.as_str().ok_or(Unreadable::NotText);
        Located { param, value, place: text.and_then(|text| self.place(tool, text)) }
    }
}

impl Located<'_> {
    /// Whether it lies in `directory`; unknown where its place is.
    pub fn under(&self, directory: &Place) -> Under {
        self.place.as_ref().map_or(Under::Unknown, |place| place.under(directory))
    }
}
