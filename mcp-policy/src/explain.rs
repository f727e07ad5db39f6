//! Why a call is allowed, asked about or denied, in every detail.

use std::fmt;

use serde::Serialize;

use crate::check::Checks;
use crate::commands::Command;
use crate::display::display_text;
use crate::evaluate::{Cover, Outcome, Verdict, judge};
use crate::facts::Facts;
use crate::predicate::{Answer, Item, Sink};
use crate::rule::{Decision, Rule};
use crate::ruleset::RuleSet;
use crate::truth::Truth;
use crate::why::{Reason, Why};

/// What becomes of a call, with the answer of every predicate of every rule about its tool.
///
/// It prints as text, one line for each rule and each answer.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Explanation {
    /// The name of the tool.
    pub tool: String,
    /// Whether the call runs.
    pub decision: Decision,
    /// What that rests on.
    pub reason: Reason,
    /// The rule that decided.
    pub rule: Option<Rule>,
    /// Whether that rule is a grant.
    pub is_grant: bool,
    /// What could not be read, or kept an allow from reaching the call.
    pub causes: Vec<Why>,
    /// The places that the call names.
    pub paths: Vec<String>,
    /// The hosts that the call names.
    pub hosts: Vec<String>,
    /// What the call would run.
    pub commands: Vec<Command>,
    /// What cannot be read about it, whatever the rules need.
    pub unknown: Vec<String>,
    /// What each rule about the tool says, in the order of the rules; grants come last.
    pub rules: Vec<RuleTrace>,
    /// What "always" would remember.
    pub suggestion: Vec<Rule>,
}

/// What one rule says about a call.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RuleTrace {
    /// The rule.
    pub rule: Rule,
    /// Whether it is a grant.
    pub is_grant: bool,
    /// What it does: `silent`, `fires`, `fires, as far as can be told`, `covers the call` or
    /// `covers commands 0, 2`.
    pub outcome: String,
    /// The answers of its predicates.
    pub answers: Vec<PredicateTrace>,
}

/// What one predicate says about one thing.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct PredicateTrace {
    /// `under`, `host`, `command` or `check`.
    pub predicate: &'static str,
    /// What it was asked about: an argument or a command.
    pub item: String,
    /// Its answer.
    pub answer: Truth,
    /// Why it is not a plain one.
    pub cause: Option<Why>,
}

impl Sink for Vec<PredicateTrace> {
    fn add(&mut self, predicate: &'static str, item: Item<'_>, answer: &Answer) {
        let item = match item {
            Item::Call => "the call".to_owned(),
            Item::Place(located) => format!("{}={}", located.param, located.value),
            Item::Url(url) => match &url.site {
                Ok(site) => format!("{} on {}", url.param, site.host),
                Err(_) => url.param.to_owned(),
            },
            Item::Command(command) => line(command),
        };
        let cause = answer.why.clone();
        self.push(PredicateTrace { predicate, item, answer: answer.truth, cause });
    }
}

pub(crate) fn explanation(
    facts: &Facts<'_>,
    verdict: Verdict,
    sets: &[(&RuleSet, bool)],
    checks: &Checks,
    suggestion: Vec<Rule>,
) -> Explanation {
    let mut rules = Vec::new();
    for (set, is_grant) in sets {
        for rule in set.about(facts.tool, facts.tables.folds_tool_names) {
            let mut answers = Vec::new();
            let judged = judge(rule, facts, checks, &mut answers);
            let outcome = match judged.outcome {
                Outcome::Silent => "silent".to_owned(),
                Outcome::Fires { certain: true } => "fires".to_owned(),
                Outcome::Fires { certain: false } => "fires, as far as can be told".to_owned(),
                Outcome::Covers(Cover::Whole) => "covers the call".to_owned(),
                Outcome::Covers(Cover::Commands(places)) => {
                    let places: Vec<String> = places.iter().map(usize::to_string).collect();
                    format!("covers commands {}", places.join(", "))
                }
            };
            rules.push(RuleTrace { rule: rule.clone(), is_grant: *is_grant, outcome, answers });
        }
    }
    Explanation {
        tool: facts.tool.to_owned(),
        decision: verdict.decision,
        reason: verdict.reason,
        rule: verdict.rule,
        is_grant: verdict.is_grant,
        causes: verdict.causes,
        paths: facts.paths(),
        hosts: hosts(facts),
        commands: commands(facts),
        unknown: unknown(facts),
        rules,
        suggestion,
    }
}

pub(crate) fn commands(facts: &Facts<'_>) -> Vec<Command> {
    facts.commands().map(|it| it.list.clone()).unwrap_or_default()
}

/// The hosts that the call certainly names.
pub(crate) fn hosts(facts: &Facts<'_>) -> Vec<String> {
    let sites = facts.urls().iter().filter_map(|it| it.site.as_ref().ok());
    sites.map(|it| it.host.to_string()).collect()
}

fn unknown(facts: &Facts<'_>) -> Vec<String> {
    if let Err(why) = &facts.object {
        return vec![why.to_string()];
    }
    let places = facts.places().listed.iter().filter_map(|it| it.place.as_ref().err());
    let places = places.map(|it| Why::Path(*it).to_string());
    let urls = facts.urls().iter().filter(|it| it.is_listed);
    let urls = urls.filter_map(|it| it.site.as_ref().err()).map(|it| Why::Url(*it).to_string());
    let mut all: Vec<String> = places.chain(urls).collect();
    if let Some(commands) = facts.commands() {
        all.extend(commands.causes().map(|it| Why::Program(it).to_string()));
        let codes = commands.list.iter().filter_map(|it| it.code);
        all.extend(codes.map(|it| Why::Code(it).to_string()));
        let tokens = commands.list.iter().flat_map(|it| &it.tokens);
        all.extend(tokens.filter_map(|it| it.cause()).map(|it| Why::Argument(it).to_string()));
    }
    let mut distinct = Vec::new();
    all.into_iter().for_each(|it| {
        if !distinct.contains(&it) {
            distinct.push(it);
        }
    });
    distinct
}

/// A command as one would show it.
pub(crate) fn line(command: &Command) -> String {
    let program = match &command.program {
        crate::commands::Program::Known { word, .. } => word.clone(),
        crate::commands::Program::Shell => "(the shell itself)".to_owned(),
        crate::commands::Program::Unknown(cause) => format!("(unknown: {cause})"),
    };
    let words = command.tokens.iter().map(ToString::to_string);
    display_text(&std::iter::once(program).chain(words).collect::<Vec<_>>().join(" "))
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let tool = display_text(&self.tool);
        write!(f, "{tool}: {} ({})", self.decision, self.reason.as_str())?;
        if let Some(rule) = &self.rule {
            let kind = if self.is_grant { "grant" } else { "rule" };
            write!(f, ", because of the {kind} '{rule}'")?;
        }
        writeln!(f)?;
        for cause in &self.causes {
            writeln!(f, "  because {cause}")?;
        }
        for path in &self.paths {
            writeln!(f, "  path {}", display_text(path))?;
        }
        for host in &self.hosts {
            writeln!(f, "  host {host}")?;
        }
        for (place, command) in self.commands.iter().enumerate() {
            writeln!(f, "  command {place}: {}", line(command))?;
        }
        for unknown in &self.unknown {
            writeln!(f, "  unknown: {unknown}")?;
        }
        for trace in &self.rules {
            let kind = if trace.is_grant { "grant" } else { "rule" };
            writeln!(f, "  {kind} '{}' {}", trace.rule, trace.outcome)?;
            for answer in &trace.answers {
                let truth = match answer.answer {
                    Truth::Yes => "yes",
                    Truth::No => "no",
                    Truth::Unknown => "unknown",
                };
                let item = display_text(&answer.item);
                write!(f, "    {} {item}: {truth}", answer.predicate)?;
                match &answer.cause {
                    Some(cause) => writeln!(f, ", {cause}")?,
                    None => writeln!(f)?,
                }
            }
        }
        for rule in &self.suggestion {
            writeln!(f, "  \"always\" would remember '{rule}'")?;
        }
        Ok(())
    }
}
