//! What each predicate of a rule says about a call.

use std::borrow::Cow;

use mcp_provider::location::{Located, Place, Under};

use crate::argv::{holds_any, leads};
use crate::check::{Checks, FoundCheck};
use crate::commands::{Assignment, Cause, Code, Command, Influence, Program, Scope, Token};
use crate::facts::{Facts, FoundUrl};
use crate::fold::is_same_folded;
use crate::rule::{Decision, Directory, Rule};
use crate::truth::Truth;
use crate::why::Why;

/// An answer, and why it is not a plain one.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) truth: Truth,
    pub(crate) why: Option<Why>,
}

/// What a predicate was asked about.
pub(crate) enum Item<'f> {
    Call,
    Place(&'f Located<'f>),
    Url(&'f FoundUrl<'f>),
    Command(&'f Command),
}

/// Somebody who wants to see every single answer.
pub(crate) trait Sink {
    fn add(&mut self, predicate: &'static str, item: Item<'_>, answer: &Answer);
}

/// Nobody.
impl Sink for () {
    fn add(&mut self, _: &'static str, _: Item<'_>, _: &Answer) {}
}

impl Answer {
    pub(crate) fn plain(truth: impl Into<Truth>) -> Self {
        Self { truth: truth.into(), why: None }
    }

    fn unknown(why: Why) -> Self {
        Self { truth: Truth::Unknown, why: Some(why) }
    }

    /// Of two answers the weaker one, for an allow, or the stronger one, for the others.
    fn fold(self, other: Self, by: Decision) -> Self {
        let is_first = match by {
            Decision::Allow => self.truth <= other.truth,
            Decision::Ask | Decision::Deny => self.truth >= other.truth,
        };
        if is_first { self } else { other }
    }
}

/// Folds the answers of one predicate; without any, it is unknown for the reason `none`.
fn folded(answers: impl Iterator<Item = Answer>, by: Decision, none: Why) -> Answer {
    answers.reduce(|one, other| one.fold(other, by)).unwrap_or_else(|| Answer::unknown(none))
}

/// Whether the places of the call lie under `directory`.
pub(crate) fn under(
    directory: &Directory,
    by: Decision,
    facts: &Facts<'_>,
    sink: &mut impl Sink,
) -> Answer {
    if let Err(why) = &facts.object {
        return Answer::unknown(why.clone());
    }
    let style = facts.tables.locations.style();
    let place = directory.place(style).map(|it| match facts.root() {
        Some(root) if !it.is_absolute() => Cow::Owned(it.into_owned().rooted_at(root)),
        _ => it,
    });
    let places = facts.places();
    let listed = places.listed.iter().map(|located| {
        let answer = contains(place.as_deref(), located, by);
        sink.add("under", Item::Place(located), &answer);
        answer
    });
    let listed = folded(listed, by, Why::NoPath);
    let file = facts.urls().iter().find(|it| by == Decision::Allow && it.is_file);
    if let Some(url) = file {
        return listed.fold(Answer::unknown(Why::Unlisted(url.param.to_owned())), by);
    }
    places.others.iter().fold(listed, |sum, located| {
        let seen = contains(place.as_deref(), located, by);
        let answer = match (by, seen.truth) {
            (_, Truth::Yes) => seen,
            // It is a guess, so only a certain one makes somebody else's rule apply.
            (Decision::Ask | Decision::Deny, _) => Answer::plain(Truth::No),
            (Decision::Allow, _) => Answer::unknown(Why::Unlisted(located.param.to_owned())),
        };
        sink.add("under", Item::Place(located), &answer);
        // For an allow it never makes up for a place that is not listed.
        if by == Decision::Allow && answer.truth == Truth::Yes { sum } else { sum.fold(answer, by) }
    })
}

fn contains(directory: Option<&Place>, located: &Located<'_>, by: Decision) -> Answer {
    let place = match &located.place {
        Ok(place) => place,
        Err(reason) => return Answer::unknown(Why::Path(*reason)),
    };
    let Some(directory) = directory else { return Answer::unknown(Why::Relative) };
    match place.under(directory) {
        Under::Unknown => {
            let is_relative = place.is_absolute() != directory.is_absolute();
            Answer::unknown(if is_relative { Why::Relative } else { Why::Lookalike })
        }
        Under::No if by != Decision::Allow && is_under_folded(place, directory) => {
            Answer::unknown(Why::Lookalike)
        }
        under => Answer::plain(under),
    }
}

/// Whether a disk that takes more names for the same would find the place in the directory.
fn is_under_folded(place: &Place, directory: &Place) -> bool {
    let (own, theirs) = (place.segments(), directory.segments());
    place.is_absolute() == directory.is_absolute()
        && own.len() >= theirs.len()
        && own.iter().zip(theirs).all(|(one, other)| is_same_folded(one, other))
}

/// Whether the URLs of the call lead where the rule says.
pub(crate) fn on_site(rule: &Rule, facts: &Facts<'_>, sink: &mut impl Sink) -> Answer {
    let by = rule.decision;
    if let Err(why) = &facts.object {
        return Answer::unknown(why.clone());
    }
    let ask = |url: &FoundUrl<'_>| match &url.site {
        Ok(found) => match found.is_meant(rule) {
            Truth::Unknown => Answer::unknown(Why::Site),
            truth => Answer::plain(truth),
        },
        Err(reason) => Answer::unknown(Why::Url(*reason)),
    };
    let (listed, others): (Vec<_>, Vec<_>) = facts.urls().iter().partition(|it| it.is_listed);
    let answers = listed.into_iter().map(|url| {
        let answer = ask(url);
        sink.add("host", Item::Url(url), &answer);
        answer
    });
    let sum = folded(answers, by, Why::NoUrl);
    others.into_iter().fold(sum, |sum, url| {
        let seen = ask(url);
        let answer = match (by, seen.truth) {
            (_, Truth::Yes) => seen,
            (Decision::Allow, _) => Answer::unknown(Why::Unlisted(url.param.to_owned())),
            (_, Truth::Unknown) if url.has_scheme => seen,
            _ => Answer::plain(Truth::No),
        };
        sink.add("host", Item::Url(url), &answer);
        if by == Decision::Allow && answer.truth == Truth::Yes { sum } else { sum.fold(answer, by) }
    })
}

/// Whether `command`, one of `all`, is one that the rule speaks about.
pub(crate) fn about(
    rule: &Rule,
    command: &Command,
    all: &[Command],
    check: Option<&FoundCheck<'_>>,
    sink: &mut impl Sink,
) -> Answer {
    let mut sum = Answer::plain(Truth::Yes);
    if rule.command.is_some() {
        let answer = runs(rule, command);
        sink.add("command", Item::Command(command), &answer);
        sum = sum.fold(answer, Decision::Allow);
    }
    if let Some(check) = check {
        let (truth, why) = check.ask(|check| check.holds(command, all));
        let why = why.or_else(|| {
            (truth == Truth::Unknown).then(|| command.program.cause().map(Why::Program)).flatten()
        });
        let answer = Answer { truth, why };
        sink.add("check", Item::Command(command), &answer);
        sum = sum.fold(answer, Decision::Allow);
    }
    sum
}

/// The same for a call that names no command.
pub(crate) fn about_none(
    rule: &Rule,
    facts: &Facts<'_>,
    checks: &Checks,
    sink: &mut impl Sink,
) -> Answer {
    let missing = || match &facts.object {
        Err(why) => why.clone(),
        Ok(_) => Why::NoCommand,
    };
    let mut sum = Answer::plain(Truth::Yes);
    if rule.command.is_some() {
        let answer = Answer::unknown(missing());
        sink.add("command", Item::Call, &answer);
        sum = sum.fold(answer, Decision::Allow);
    }
    if let Some(name) = &rule.check {
        let is_readable = facts.object.is_ok();
        let (truth, why) = checks.find(name).ask(|it| it.holds_without_command(is_readable));
        let why = why.or_else(|| (truth == Truth::Unknown).then(missing));
        let answer = Answer { truth, why };
        sink.add("check", Item::Call, &answer);
        sum = sum.fold(answer, Decision::Allow);
    }
    sum
}

fn runs(rule: &Rule, command: &Command) -> Answer {
    let by = rule.decision;
    let Some(pattern) = &rule.command else { return Answer::plain(Truth::Yes) };
    let name = match &command.program {
        Program::Known { name, .. } => name,
        Program::Shell => return Answer::plain(Truth::No),
        Program::Unknown(cause) => return Answer::unknown(Why::Program(*cause)),
    };
    let is_meant = match by {
        Decision::Allow => pattern.matches(name),
        Decision::Ask | Decision::Deny => pattern.matches_folded(name),
    };
    if !is_meant {
        return Answer::plain(Truth::No);
    }
    let mut truth = leads(&rule.args, name, &command.tokens, by);
    if !rule.args_any.is_empty() {
        truth = truth.and(holds_any(&rule.args_any, &command.tokens, by));
    }
    let why = (truth == Truth::Unknown).then(|| {
        let cause = command.tokens.iter().find_map(Token::cause);
        Why::Argument(cause.unwrap_or(Cause::NotText))
    });
    Answer { truth, why }
}

/// What keeps an allow by program from covering `command`, though it speaks about it.
pub(crate) fn obstacle(rule: &Rule, command: &Command) -> Option<Why> {
    rule.command.as_ref()?;
    if !command.program.is_bare() {
        return Some(Why::PathToProgram);
    }
    if command.redirections.iter().any(|it| it.writes_file()) {
        return Some(Why::WritesFile);
    }
    let decides = command.assignments.iter().find(|it| match influence(it, command) {
        Influence::Harmless => false,
        Influence::Code => true,
        Influence::Unrecognised => it.scope != Scope::Shell,
    });
    if let Some(assignment) = decides {
        return Some(Why::Environment(assignment.name.clone()));
    }
    match command.code? {
        Code::Script => None,
        // The rule names the package itself.
        Code::Package if rule.args.iter().any(|it| !it.starts_with('-')) => None,
        code => Some(Why::Code(code)),
    }
}

/// What a variable can change, for the command that it is set for.
pub(crate) fn influence(assignment: &Assignment, command: &Command) -> Influence {
    // How a line is split that the shell reads into variables decides nothing that runs.
    let reads = command.program.name().is_some_and(|it| READERS.contains(&it));
    match assignment.scope {
        Scope::Command if assignment.name == "IFS" && reads => Influence::Harmless,
        _ => assignment.influence,
    }
}

const READERS: &[&str] = &["mapfile", "read", "readarray"];
