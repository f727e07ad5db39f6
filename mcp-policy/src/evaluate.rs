//! The evaluator: rules and a call in, a verdict out.
//!
//! It is the only one: deciding, explaining, and the check of grants and examples all go through
//! [`evaluate`].

use std::sync::Arc;

use crate::check::Checks;
use crate::facts::Facts;
use crate::predicate::{Answer, Sink, about, about_none, obstacle, on_site, under};
use crate::rule::{Decision, Rule};
use crate::ruleset::RuleSet;
use crate::truth::Truth;
use crate::why::{Reason, Why};

/// What becomes of a call, and because of what.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct Verdict {
    /// Whether it runs.
    pub decision: Decision,
    /// What that rests on.
    pub reason: Reason,
    /// The most specific of the rules that decided; nothing where none did.
    pub rule: Option<Rule>,
    /// Whether the rule is a grant.
    pub is_grant: bool,
    /// What could not be read, or kept an allow from reaching the call.
    pub causes: Vec<Why>,
}

/// What one rule says about a call.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Outcome {
    /// Nothing.
    Silent,
    /// It denies or asks; `certain` where nothing had to be assumed.
    Fires { certain: bool },
    /// It allows: all of the call, or the commands at these places.
    Covers(Cover),
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cover {
    Whole,
    Commands(Vec<usize>),
}

/// What a rule says, and why it says no more.
#[derive(Clone, Debug)]
pub(crate) struct Judged {
    pub(crate) outcome: Outcome,
    pub(crate) whys: Vec<Why>,
}

/// Decides about a call.
pub(crate) fn evaluate(
    facts: &Facts<'_>,
    rules: &RuleSet,
    grants: &[Arc<RuleSet>],
    checks: &Checks,
) -> Verdict {
    if let Some(why) = facts.refused() {
        let reason = Reason::UnreadableArguments;
        let causes = vec![why.clone()];
        return Verdict { decision: Decision::Deny, reason, rule: None, is_grant: false, causes };
    }
    let own = Tally::of(facts, rules, checks);
    let granted: Vec<Tally<'_>> = grants.iter().map(|it| Tally::of(facts, it, checks)).collect();
    let mut granted = granted.into_iter().fold(Tally::default(), Tally::merge);

    if let Some(found) = own.deny {
        return found.verdict(Decision::Deny, false);
    }
    if let Some(found) = granted.deny.take() {
        return found.verdict(Decision::Deny, true);
    }
    if let Some(found) = own.ask {
        return found.verdict(Decision::Ask, false);
    }
    if facts.is_ambiguous {
        let (decision, reason) = (Decision::Ask, Reason::AmbiguousTool);
        let causes = vec![Why::SeveralTools];
        return Verdict { decision, reason, rule: None, is_grant: false, causes };
    }
    if let Some(rule) = own.cover.reaches(facts) {
        return allowed(rule, false);
    }
    if let Some(found) = granted.ask.take() {
        return found.verdict(Decision::Ask, true);
    }
    let granted_rule = granted.cover.rule();
    let both = own.cover.merge(&granted.cover);
    if both.reaches(facts).is_some()
        && let Some(rule) = granted_rule
    {
        return allowed(rule, true);
    }
    let mut causes = own.whys;
    causes.extend(granted.whys);
    let mut distinct: Vec<Why> = Vec::new();
    causes.into_iter().for_each(|it| {
        if !distinct.contains(&it) {
            distinct.push(it);
        }
    });
    let reason = distinct.iter().filter_map(Why::reason).next().unwrap_or(Reason::NoMatch);
    Verdict { decision: Decision::Ask, reason, rule: None, is_grant: false, causes: distinct }
}

fn allowed(rule: &Rule, is_grant: bool) -> Verdict {
    let (decision, reason) = (Decision::Allow, Reason::Rule);
    Verdict { decision, reason, rule: Some(rule.clone()), is_grant, causes: Vec::new() }
}

/// What the rules of one list say together.
#[derive(Default)]
struct Tally<'r> {
    deny: Option<Found<'r>>,
    ask: Option<Found<'r>>,
    cover: Reach<'r>,
    whys: Vec<Why>,
}

struct Found<'r> {
    rule: &'r Rule,
    certain: bool,
    whys: Vec<Why>,
}

/// How much of a call is allowed.
#[derive(Default)]
struct Reach<'r> {
    whole: Option<&'r Rule>,
    /// By place, whether the command is allowed.
    commands: Vec<bool>,
    by: Option<&'r Rule>,
}

impl<'r> Tally<'r> {
    fn of(facts: &Facts<'_>, set: &'r RuleSet, checks: &Checks) -> Self {
        let mut tally = Self::default();
        for index in set.candidates(facts) {
            let Some(rule) = set.rules.get(index) else { continue };
            let judged = judge(rule, facts, checks, &mut ());
            match judged.outcome {
                Outcome::Silent => tally.whys.extend(judged.whys),
                Outcome::Fires { certain } => {
                    let found = Found { rule, certain, whys: judged.whys };
                    let place = match rule.decision {
                        Decision::Deny => &mut tally.deny,
                        Decision::Ask | Decision::Allow => &mut tally.ask,
                    };
                    *place = Found::closest(place.take(), Some(found));
                }
                Outcome::Covers(cover) => {
                    tally.whys.extend(judged.whys);
                    tally.cover.add(rule, cover);
                }
            }
        }
        tally
    }

    fn merge(self, other: Self) -> Self {
        Self {
            deny: Found::closest(self.deny, other.deny),
            ask: Found::closest(self.ask, other.ask),
            cover: self.cover.merge(&other.cover),
            whys: [self.whys, other.whys].concat(),
        }
    }
}

impl<'r> Found<'r> {
    /// The more specific one; of two that are equal, the first.
    fn closest(one: Option<Self>, other: Option<Self>) -> Option<Self> {
        match (one, other) {
            (Some(one), Some(other)) if other.rule.specificity() > one.rule.specificity() => {
                Some(other)
            }
            (one, other) => one.or(other),
        }
    }

    fn verdict(self, decision: Decision, is_grant: bool) -> Verdict {
        let kind = self.whys.iter().filter_map(Why::reason).next();
        let reason = match self.certain {
            true => Reason::Rule,
            false => kind.unwrap_or(Reason::UnreadableCommand),
        };
        let causes = if self.certain { Vec::new() } else { self.whys };
        Verdict { decision, reason, rule: Some(self.rule.clone()), is_grant, causes }
    }
}

impl<'r> Reach<'r> {
    fn add(&mut self, rule: &'r Rule, cover: Cover) {
        let closer = |old: Option<&'r Rule>| match old {
            Some(old) if rule.specificity() <= old.specificity() => Some(old),
            _ => Some(rule),
        };
        match cover {
            Cover::Whole => self.whole = closer(self.whole),
            Cover::Commands(places) => {
                for place in places {
                    if self.commands.len() <= place {
                        self.commands.resize(place + 1, false);
                    }
                    if let Some(it) = self.commands.get_mut(place) {
                        *it = true;
                    }
                }
                self.by = closer(self.by);
            }
        }
    }

    fn merge(mut self, other: &Self) -> Self {
        if let Some(rule) = other.whole {
            self.add(rule, Cover::Whole);
        }
        if let Some(rule) = other.by {
            let places = other.commands.iter().enumerate().filter(|(_, is_allowed)| **is_allowed);
            self.add(rule, Cover::Commands(places.map(|(place, _)| place).collect()));
        }
        self
    }

    fn rule(&self) -> Option<&'r Rule> {
        self.whole.or(self.by)
    }

    /// The rule to name where all of the call is allowed.
    fn reaches(&self, facts: &Facts<'_>) -> Option<&'r Rule> {
        let by_commands = self.by.is_some()
            && facts.commands().is_some_and(|commands| {
                let mut starts = commands.started().map(|(place, _)| place).peekable();
                starts.peek().is_some()
                    && starts.all(|place| self.commands.get(place) == Some(&true))
            });
        match (self.whole, self.by.filter(|_| by_commands)) {
            (Some(whole), Some(by)) if by.specificity() > whole.specificity() => Some(by),
            (whole, by) => whole.or(by),
        }
    }
}

/// What `rule` says about a call to one of its tools.
pub(crate) fn judge(
    rule: &Rule,
    facts: &Facts<'_>,
    checks: &Checks,
    sink: &mut impl Sink,
) -> Judged {
    let by = rule.decision;
    let (mut truth, mut is_plain_no, mut whys) = (Truth::Yes, false, Vec::new());
    let mut take = |answer: Answer| {
        truth = truth.and(answer.truth);
        is_plain_no |= answer.truth == Truth::No && answer.why.is_none();
        whys.extend(answer.why);
    };
    if let Some(directory) = &rule.under {
        take(under(directory, by, facts, sink));
    }
    if rule.is_about_sites() {
        take(on_site(rule, facts, sink));
    }
    let mut covered = None;
    if rule.command.is_some() || rule.check.is_some() {
        let (answer, places) = over_commands(rule, facts, checks, sink);
        take(answer);
        covered = Some(places);
    }
    let outcome = match (by, covered) {
        (Decision::Ask | Decision::Deny, _) if truth.fires() => {
            Outcome::Fires { certain: truth == Truth::Yes }
        }
        (Decision::Allow, None) if truth == Truth::Yes => Outcome::Covers(Cover::Whole),
        (Decision::Allow, Some(places)) if truth == Truth::Yes => {
            Outcome::Covers(Cover::Commands(places))
        }
        _ => Outcome::Silent,
    };
    // A no that is certain needs no reason, unless it is what keeps an allow away.
    if truth == Truth::No && is_plain_no {
        whys = Vec::new();
    }
    Judged { outcome, whys }
}

/// What the rule says about the commands of the call, and which of them an allow covers.
fn over_commands(
    rule: &Rule,
    facts: &Facts<'_>,
    checks: &Checks,
    sink: &mut impl Sink,
) -> (Answer, Vec<usize>) {
    let Some(commands) = facts.commands() else {
        return (about_none(rule, facts, checks, sink), Vec::new());
    };
    let all = &commands.list;
    let check = rule.check.as_deref().map(|name| checks.find(name));
    if rule.decision != Decision::Allow {
        let answers = all.iter().map(|it| about(rule, it, all, check.as_ref(), sink));
        let sum = answers.reduce(|one, other| if one.truth >= other.truth { one } else { other });
        return (sum.unwrap_or_else(|| Answer::plain(Truth::No)), Vec::new());
    }
    let mut places = Vec::new();
    let mut why = None;
    for (place, command) in commands.started() {
        let answer = about(rule, command, all, check.as_ref(), sink);
        match answer.truth {
            Truth::Yes => match obstacle(rule, command).or_else(|| commands.spoiled.clone()) {
                None => places.push(place),
                obstacle => why = why.or(obstacle),
            },
            Truth::Unknown => why = why.or(answer.why),
            Truth::No => {}
        }
    }
    let truth = if places.is_empty() { Truth::No } else { Truth::Yes };
    (Answer { truth, why }, places)
}
