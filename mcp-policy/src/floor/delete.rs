//! Deleting folders.

use crate::commands::{Command, Token};
use crate::floor::code::MANY;
use crate::floor::options::{has, is_one_of, may_hide_option, operands, options, program, texts};
use crate::floor::spot::{Home, Rest, Spot};
use crate::truth::Truth;

/// Whether the command certainly deletes a vital folder.
pub(super) fn destroys(home: &Home, command: &Command, _: &[Command]) -> Truth {
    let is_lost = |spot: &Spot| match spot.rest {
        Rest::Nothing => !spot.is_after_change && is_vital(home, spot),
        Rest::All => is_vital(home, spot),
        Rest::Unknown => false,
    };
    deleted(home, command, true).iter().any(is_lost).into()
}

/// Whether the command deletes folders, and perhaps vital ones.
pub(super) fn may_destroy(home: &Home, command: &Command, all: &[Command]) -> Truth {
    let is_rm = is_one_of(command, &["rm"]);
    // What `find` hands to it lies below where `find` starts, and that is judged there.
    if is_rm && command.via.last().is_some_and(|it| it.name == "find") {
        return Truth::No;
    }
    if is_rm && !is_recursive(command) {
        // Something must hide both the option and the target, or be any number of words.
        let hides = command.tokens.iter().any(|it| {
            it.as_text().is_none() && !it.is_one() && crate::floor::options::may_be_option(it)
        });
        let vital = operands(command).iter().any(|it| is_vital(home, &home.spot(it, command)));
        let fed = command.via.last().is_some_and(|it| it.name == "xargs") && lists_vital(home, all);
        let unknown = hides || fed || vital && may_hide_option(command);
        return if unknown { Truth::Unknown } else { Truth::No };
    }
    let is_doubtful = |spot: &Spot| {
        let climbs_out = !spot.is_absolute && spot.climbs > 0 && spot.segments.is_empty();
        match spot.rest {
            Rest::Nothing => is_vital(home, spot) || climbs_out,
            Rest::All | Rest::Unknown => true,
        }
    };
    let is_tilde = |it: &&Token| it.as_text() == Some("~");
    let doubtful = deleted(home, command, false).iter().any(is_doubtful);
    // A lone `~` is a file of that name, unless something on the way expands it.
    (doubtful || is_rm && operands(command).iter().any(is_tilde)).into()
}

/// Whether one of the commands lists what is in a vital folder, perhaps for `xargs`.
pub(super) fn lists_vital(home: &Home, all: &[Command]) -> bool {
    let lists = |it: &&Command| is_one_of(it, &["fd", "find", "ls", "rg"]);
    // With so many commands nobody looks for each in all.
    all.len() > MANY
        || all.iter().filter(lists).any(|it| {
            let words = if is_one_of(it, &["find"]) { find_starts(it) } else { operands(it) };
            words.into_iter().any(|word| {
                let spot = home.spot(word, it);
                is_vital(home, &spot) && spot.rest != Rest::Unknown
            })
        })
}

fn is_vital(home: &Home, spot: &Spot) -> bool {
    spot.is_absolute && home.is_vital(&spot.segments)
}

/// The spots that the command deletes with all that is in them; `certain` leaves out what
/// depends on more than the place.
fn deleted(home: &Home, command: &Command, certain: bool) -> Vec<Spot> {
    let spots = |tokens: Vec<&Token>| tokens.into_iter().map(|it| home.spot(it, command)).collect();
    match program(command).as_deref() {
        Some("rm") if is_recursive(command) => spots(operands(command)),
        Some("find") if finds_to_delete(command) => {
            let is_filtered = texts(command).any(|it| FILTERS.contains(&it));
            let starts = find_starts(command);
            let vital = |it: &Spot| it.is_absolute && home.is_vital(&it.segments);
            let all: Vec<Spot> = match starts.is_empty() {
                true => vec![home.spot_of(".", command)],
                false => spots(starts),
            };
            match (certain, is_filtered) {
                (true, true) => Vec::new(),
                (true, false) => all,
                // Searching below a folder of one's own is everyday work.
                (false, _) => all
                    .into_iter()
                    .filter(|it| vital(it) || it.rest == Rest::Unknown && !it.is_after_change)
                    .collect(),
            }
        }
        Some("rsync") if options(command).any(|it| it.starts_with("--del")) => {
            let target = operands(command).pop();
            let spot = target.map(|it| home.spot(it, command));
            spot.into_iter().filter(|it| certain || is_vital(home, it)).collect()
        }
        Some("mv") => {
            let mut sources = operands(command);
            sources.pop();
            let all: Vec<Spot> = spots(sources);
            let counts = |it: &Spot| it.rest == Rest::Nothing || !certain && it.rest == Rest::All;
            all.into_iter().filter(|it| is_vital(home, it) && counts(it)).collect()
        }
        // What goes into an archive goes away.
        Some("bsdtar" | "tar") if !certain && options(command).any(|it| it == "--remove-files") => {
            vital_operands(home, command)
        }
        Some("7z" | "zip") if !certain && has(command, "ms", "move", 2) => {
            vital_operands(home, command)
        }
        Some("rmdir") if !certain => vital_operands(home, command),
        _ => Vec::new(),
    }
}

fn vital_operands(home: &Home, command: &Command) -> Vec<Spot> {
    let all = operands(command).into_iter().map(|it| home.spot(it, command));
    all.filter(|it| is_vital(home, it)).collect()
}

fn is_recursive(command: &Command) -> bool {
    has(command, "rR", "recursive", 1)
}

pub(super) fn finds_to_delete(command: &Command) -> bool {
    let runs_rm = command.tokens.windows(2).any(|pair| match pair {
        [exec, rm] => {
            let is_exec =
                ["-exec", "-execdir", "-ok", "-okdir"].contains(&exec.as_text().unwrap_or(""));
            is_exec && rm.as_text().is_some_and(|it| it.rsplit('/').next() == Some("rm"))
        }
        _ => false,
    });
    runs_rm || texts(command).any(|it| it == "-delete")
}

/// The folders that `find` starts from.
pub(super) fn find_starts(command: &Command) -> Vec<&Token> {
    let is_expression = |it: &Token| it.start().starts_with(['-', '(', '!']);
    let globals = ["-H", "-L", "-P"];
    let words = command.tokens.iter().filter(|it| !globals.contains(&it.as_text().unwrap_or("")));
    words.take_while(|it| !is_expression(it)).collect()
}

/// What narrows a search, so that not everything is found.
const FILTERS: &[&str] = &[
    "-amin",
    "-anewer",
    "-atime",
    "-cmin",
    "-cnewer",
    "-ctime",
    "-empty",
    "-group",
    "-iname",
    "-inum",
    "-ipath",
    "-iregex",
    "-links",
    "-mmin",
    "-mtime",
    "-name",
    "-newer",
    "-nogroup",
    "-nouser",
    "-path",
    "-perm",
    "-regex",
    "-samefile",
    "-size",
    "-user",
    "-wholename",
];
