//! A call as it was asked for, and the places that it names, read once.

use mcp_provider::ToolCall;
use mcp_provider::location::{Locations, Place};
use serde_json::Value;

use crate::words;

/// A call on its way, as its model made it.
pub(crate) struct Asked {
    pub(crate) call: ToolCall,
    pub(crate) targets: Vec<Target>,
}

/// An argument that names a place, or should.
pub(crate) struct Target {
    /// The name of the argument.
    pub(crate) param: String,
    /// Where it points, or what a sentence says that cannot.
    pub(crate) place: Result<Place, String>,
    /// Whether it is the whole argument, and not one of a list.
    pub(crate) is_whole: bool,
}

impl Asked {
    /// Reads where `call` points, as far as its arguments can be read.
    pub(crate) fn new(call: ToolCall, locations: &Locations) -> Self {
        let mut targets = Vec::new();
        if let Ok(arguments) = call.arguments.as_object() {
            targets.extend(locations.located(&call.name, arguments).into_iter().map(|it| Target {
                param: it.param.to_owned(),
                is_whole: arguments.get(it.param).is_some_and(Value::is_string),
                place: it.place.map_err(|why| words::named(it.value, why)),
            }));
        }
        Self { call, targets }
    }

    /// The same without a look at where it points.
    pub(crate) fn unread(call: ToolCall) -> Self {
        Self { call, targets: Vec::new() }
    }

    /// The places that can be read.
    pub(crate) fn places(&self) -> impl Iterator<Item = &Place> {
        self.targets.iter().filter_map(|it| it.place.as_ref().ok())
    }
}
