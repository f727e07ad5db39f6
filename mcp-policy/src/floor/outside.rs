//! Files outside the workspace.

use std::borrow::Cow;

use crate::commands::{Command, Token};
use crate::floor::delete::{find_starts, finds_to_delete};
use crate::floor::options::{is_one_of, operands, options};
use crate::floor::spot::{Home, Rest, Spot};
use crate::floor::write::written;
use crate::truth::Truth;

/// Whether the command deletes, moves or writes files outside the workspace.
pub(super) fn leaves(home: &Home, command: &Command, _: &[Command]) -> Truth {
    if !home.has_workspace() {
        return Truth::No;
    }
    let mut spots = written(home, command);
    let more: Vec<Cow<'_, Token>> = if is_one_of(command, &["find"]) && finds_to_delete(command) {
        find_starts(command).into_iter().map(Cow::Borrowed).collect()
    } else if options(command).any(|it| it == "--remove-files") {
        operands(command).into_iter().map(Cow::Borrowed).collect()
    } else {
        Vec::new()
    };
    spots.extend(more.iter().map(|it| home.spot(it, command)));
    let is_outside = |spot: &Spot| match spot.is_absolute {
        true => !home.is_workspace(spot) && !is_scratch(spot),
        // It climbs out of where the call starts, which is in the workspace.
        false => spot.climbs > 0 && !spot.is_after_change && spot.rest != Rest::Unknown,
    };
    spots.iter().any(is_outside).into()
}

/// Whether anybody may write there: temporary files, and devices (which have a rule of their own).
fn is_scratch(spot: &Spot) -> bool {
    let names: Vec<&str> = spot.segments.iter().map(|it| &**it).collect();
    matches!(
        &*names,
        ["tmp" | "dev", _, ..] | ["var", "tmp", _, ..] | ["private", "tmp" | "var", _, ..]
    )
}
