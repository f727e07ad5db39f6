//! A call as it was asked for, and the places that it names, read once.

use mcp_provider::location::{Located, Locations, Place};
use mcp_provider::{Arguments, ToolCall};
use serde_json::Value;

use crate::guess::Glance;
use crate::plain::{Found, Plain};
use crate::{hidden, words};

/// What a model asked for with a call, kept while the call itself goes on.
pub(crate) struct Asked<'locations> {
    pub(crate) tool: String,
    pub(crate) arguments: Arguments,
    pub(crate) targets: Targets<'locations>,
    /// How the arguments are written, where that is plain.
    pub(crate) plain: Option<Plain>,
}

/// The arguments of a call that name places, and those places.
#[derive(Default)]
pub(crate) struct Targets<'locations> {
    /// In the order of the table.
    pub(crate) named: Vec<Target<'locations>>,
    /// Those that can be read.
    pub(crate) places: Vec<Place>,
}

/// An argument that names a place, or should.
pub(crate) struct Target<'locations> {
    /// The name of the argument.
    pub(crate) param: &'locations str,
    /// Which of the places it is, or how a sentence names what cannot be read.
    pub(crate) place: Result<usize, String>,
    /// Whether it is the whole argument, and not one of a list.
    pub(crate) is_whole: bool,
}

impl<'locations> Asked<'locations> {
    /// Reads where `call` points, as far as its arguments can be read, and takes out of them what
    /// only this layer may say.
    pub(crate) fn new(
        call: &mut ToolCall,
        locations: &'locations Locations,
        glance: &Glance,
    ) -> Self {
        let plain = call.arguments.as_text().and_then(|text| {
            let plain = Plain::read(text, &mut |key, text, holds_controls| {
                glance.may_be_place(key, text, holds_controls)
            })?;
            let hidden = plain.find(text, hidden::EXPECTED_REVISIONS);
            (hidden == Found::Nothing).then_some(plain)
        });
        let asked = match plain {
            Some(plain) => Self { plain: Some(plain), ..Self::of(call) },
            None => Self::unread(call),
        };
        let targets = asked.plain_targets(locations);
        let targets = targets.unwrap_or_else(|| asked.parsed_targets(locations));
        Self { targets, ..asked }
    }

    /// The same without a look at where it points.
    pub(crate) fn unread(call: &mut ToolCall) -> Self {
        if let Some(arguments) = hidden::without(&call.arguments) {
            call.arguments = arguments;
        }
        Self::of(call)
    }

    fn of(call: &ToolCall) -> Self {
        let (tool, arguments) = (call.name.clone(), call.arguments.clone());
        Self { tool, arguments, targets: Targets::default(), plain: None }
    }

    /// Other arguments that look as if they named places.
    pub(crate) fn guesses(&self, locations: &Locations, glance: &Glance) -> Vec<Place> {
        let Self { tool, arguments, plain, .. } = self;
        let is_named = |key: &str| locations.params().names(tool).any(|it| it == key);
        let is_worth_a_look = match (plain, arguments.as_text()) {
            (Some(plain), Some(text)) => plain.picked(text).any(|key| !is_named(key)),
            (None, Some(_)) => true,
            (_, None) => arguments.as_object().is_ok_and(|arguments| {
                let mut others = arguments.iter().filter(|(key, _)| !is_named(key));
                others.any(|(key, value)| glance.may_hold_place(key, value))
            }),
        };
        if !is_worth_a_look {
            return Vec::new();
        }
        let Ok(arguments) = arguments.as_object() else { return Vec::new() };
        let guesses = locations.unlisted(tool, arguments);
        guesses.into_iter().filter_map(|it| it.place.ok()).collect()
    }

    /// Where the call points, if that is written plainly.
    fn plain_targets(&self, locations: &'locations Locations) -> Option<Targets<'locations>> {
        let (tool, text) = (&self.tool, self.arguments.as_text()?);
        let plain = self.plain.as_ref()?;
        let mut targets = Targets::default();
        for param in locations.params().names(tool) {
            match plain.find(text, param) {
                Found::Nothing => {}
                Found::Text(path) => {
                    let place = locations.place(tool, path);
                    let place = place.map_err(|why| words::named(&Value::from(path), why));
                    targets.push(param, place, true);
                }
                Found::Other => return None,
            }
        }
        Some(targets)
    }

    /// Where the call points, as a parser reads it.
    fn parsed_targets(&self, locations: &'locations Locations) -> Targets<'locations> {
        let tool = &self.tool;
        let mut targets = Targets::default();
        let Ok(arguments) = self.arguments.as_object() else { return targets };
        for Located { param, value, place, .. } in locations.located(tool, arguments) {
            let mut params = locations.params().names(tool);
            let Some(param) = params.find(|it| *it == param) else { continue };
            let is_whole = arguments.get(param).is_some_and(Value::is_string);
            targets.push(param, place.map_err(|why| words::named(value, why)), is_whole);
        }
        targets
    }
}

impl<'locations> Targets<'locations> {
    /// Where the target points, if that can be read.
    pub(crate) fn place(&self, target: &Target<'_>) -> Option<&Place> {
        target.place.as_ref().ok().and_then(|it| self.places.get(*it))
    }

    fn push(&mut self, param: &'locations str, place: Result<Place, String>, is_whole: bool) {
        let place = place.map(|place| {
            self.places.push(place);
            self.places.len() - 1
        });
        self.named.push(Target { param, place, is_whole });
    }
}
