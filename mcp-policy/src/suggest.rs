//! The grants that would let a call through the next time.

mod lengths;

use std::sync::Arc;

use mcp_provider::location::{Place, ToolPattern};

use self::lengths::{LONGER, NEVER, PROGRAM_ALONE, WORDS};
use crate::check::Checks;
use crate::commands::{Command, Program, Token};
use crate::evaluate::evaluate;
use crate::facts::Facts;
use crate::predicate::obstacle;
use crate::rule::{Decision, Rule};
use crate::ruleset::RuleSet;

/// The narrowest allows that cover the call; none where anything about it is unreadable.
///
/// What is offered is tried first: were it remembered, the call would run without a question.
pub(crate) fn suggest(facts: &Facts<'_>, rules: &RuleSet, checks: &Checks) -> Vec<Rule> {
    let Some(offered) = candidates(facts) else { return Vec::new() };
    let grants = [Arc::new(RuleSet::new(offered.clone()))];
    let verdict = evaluate(facts, rules, &grants, checks);
    if verdict.decision == Decision::Allow { offered } else { Vec::new() }
}

/// What [`suggest`] would offer, whatever the rules say about it.
pub(crate) fn suggest_unchecked(facts: &Facts<'_>) -> Vec<Rule> {
    candidates(facts).unwrap_or_default()
}

fn candidates(facts: &Facts<'_>) -> Option<Vec<Rule>> {
    facts.object.as_ref().ok()?;
    let tool = ToolPattern::parse(facts.tool).ok().filter(ToolPattern::is_exact)?.to_string();
    let rule = || Rule::new(Decision::Allow, &tool).ok();
    if facts.commands().is_some() {
        return commands(facts, &rule);
    }
    let places = &facts.places().listed;
    if !places.is_empty() {
        let directory = common_directory(facts)?;
        return Some(vec![rule()?.under(&directory.to_string()).ok()?]);
    }
    let mut hosts = Vec::new();
    for url in facts.urls() {
        let host = &url.site.as_ref().ok()?.host;
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    match &*hosts {
        [] => Some(vec![rule()?]),
        [host] => Some(vec![rule()?.host(&host.to_string()).ok()?]),
        _ => None,
    }
}

/// One rule for each command that would run.
fn commands(facts: &Facts<'_>, rule: &impl Fn() -> Option<Rule>) -> Option<Vec<Rule>> {
    let commands = facts.commands()?;
    let mut rules: Vec<Rule> = Vec::new();
    for (_, command) in commands.started() {
        let new = command_rule(rule()?, command)?;
        if obstacle(&new, command).is_some() {
            return None;
        }
        if !rules.contains(&new) {
            rules.push(new);
        }
    }
    (1..=MAX_RULES).contains(&rules.len()).then_some(rules)
}

fn command_rule(rule: Rule, command: &Command) -> Option<Rule> {
    let Program::Known { name, .. } = &command.program else { return None };
    if NEVER.iter().any(|it| name.eq_ignore_ascii_case(it)) || command.code.is_some() {
        return None;
    }
    if command.tokens.iter().any(|it| it.as_text().is_none()) {
        return None;
    }
    let words: Vec<&str> = command.tokens.iter().filter_map(Token::as_text).collect();
    let known = WORDS.iter().find(|(program, _)| program == name);
    let count = match known {
        Some((_, count)) => {
            let is_it = |it: &&(&str, &str, usize)| it.0 == name && words.first() == Some(&it.1);
            LONGER.iter().find(is_it).map_or(*count, |(.., longer)| *longer)
        }
        None if PROGRAM_ALONE.contains(&&**name) => 0,
        // Nothing is known about it, so only the very same command is offered.
        None => words.len(),
    };
    let leading = words.get(..count)?;
    // A rule without arguments is one about every use of the program.
    if known.is_some() && leading.iter().any(|it| it.starts_with('-')) {
        return rule.command(name, words).ok();
    }
    if count == 0 && known.is_none() && !PROGRAM_ALONE.contains(&&**name) {
        return None;
    }
    rule.command(name, leading.iter().copied()).ok()
}

/// The deepest directory that holds all places of the call, but not above the tool's root.
fn common_directory(facts: &Facts<'_>) -> Option<Place> {
    let mut common: Option<Place> = None;
    let mut all_in_root = true;
    for located in &facts.places().listed {
        let place = located.place.as_ref().ok()?;
        all_in_root &= facts.root().is_some_and(|root| place.under(root).allows());
        let directory = place.parent().unwrap_or_else(|| place.clone());
        common = match common {
            None => Some(directory),
            Some(one) => Some(one.common(&directory)?),
        };
    }
    let common = common?;
    match facts.root() {
        Some(root) if all_in_root && !common.under(root).allows() => Some(root.clone()),
        _ => Some(common),
    }
}

const MAX_RULES: usize = 8;
