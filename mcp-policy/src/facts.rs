//! What a call says: its places, its URLs and its commands, each read when a rule asks.

mod command;
mod url;

use std::cell::OnceCell;

use mcp_provider::location::{Located, Place};
use mcp_provider::{Arguments, JsonObject};

pub(crate) use self::command::Commands;
pub(crate) use self::url::FoundUrl;
use crate::duplicate::duplicate_key;
use crate::tables::Tables;
use crate::why::Why;

/// The argument in which a model says why it makes a call.  No rule reads it.
const REASON: &str = "reason";

/// A call as the rules see it.
pub(crate) struct Facts<'c> {
    /// The name of the tool.
    pub(crate) tool: &'c str,
    /// The tables that the call is read with.
    pub(crate) tables: &'c Tables,
    /// Whether several tools of that name are listed.
    pub(crate) is_ambiguous: bool,
    /// Its arguments, or why they cannot be read.
    pub(crate) object: Result<&'c JsonObject, Why>,
    places: OnceCell<Places<'c>>,
    urls: OnceCell<Vec<FoundUrl<'c>>>,
    commands: OnceCell<Option<Commands>>,
}

/// The places that a call names.
pub(crate) struct Places<'c> {
    /// Those that a table or the convention lists.
    pub(crate) listed: Vec<Located<'c>>,
    /// Those that only look like places.
    pub(crate) others: Vec<Located<'c>>,
}

impl<'c> Facts<'c> {
    pub(crate) fn new(tool: &'c str, arguments: &'c Arguments, tables: &'c Tables) -> Self {
        let duplicate = arguments.as_text().and_then(duplicate_key);
        let object = match (duplicate, arguments.as_object()) {
            (Some(key), Ok(_)) => Err(Why::DuplicateKey(key)),
            (_, Err(error)) => Err(Why::Arguments(error.to_string())),
            (None, Ok(object)) => Ok(object),
        };
        let places = OnceCell::new();
        let is_ambiguous = false;
        let (urls, commands) = (OnceCell::new(), OnceCell::new());
        Self { tool, tables, is_ambiguous, object, places, urls, commands }
    }

    /// Why the call is refused whatever the rules say.
    pub(crate) fn refused(&self) -> Option<&Why> {
        self.object.as_ref().err().filter(|why| matches!(why, Why::DuplicateKey(_)))
    }

    /// The places that the call names.
    pub(crate) fn places(&self) -> &Places<'c> {
        self.places.get_or_init(|| {
            let locations = &self.tables.locations;
            let Ok(object) = &self.object else {
                return Places { listed: Vec::new(), others: Vec::new() };
            };
            // What the model says to the person is no place, however much it looks like one.
            let reason = object.get(REASON);
            let is_reason = |it: &Located<'_>| reason.is_some_and(|at| std::ptr::eq(at, it.value));
            let mut others = locations.unlisted(self.tool, object);
            others.retain(|it| !is_reason(it));
            Places { listed: locations.located(self.tool, object), others }
        })
    }

    /// The URLs that the call names.
    pub(crate) fn urls(&self) -> &[FoundUrl<'c>] {
        self.urls.get_or_init(|| {
            let object = self.object.as_ref().ok();
            object.map(|it| url::find(self.tool, it, &self.tables.urls)).unwrap_or_default()
        })
    }

    /// What the call would run; nothing where it names no command.
    pub(crate) fn commands(&self) -> Option<&Commands> {
        let read = || {
            let object = self.object.as_ref().ok()?;
            command::read(object, self.tables.commands.get(self.tool))
        };
        self.commands.get_or_init(read).as_ref()
    }

    /// The directory that relative paths of the tool start from.
    pub(crate) fn root(&self) -> Option<&Place> {
        self.tables.locations.roots().get(self.tool)
    }

    /// The places that the call certainly names, as text, in the order of the table.
    pub(crate) fn paths(&self) -> Vec<String> {
        let text = |it: &Located<'_>| match (&it.place, it.value.as_str()) {
            (Ok(place), _) => Some(place.to_string()),
            (Err(_), text) => text.map(str::to_owned),
        };
        self.places().listed.iter().filter_map(text).collect()
    }
}
