//! What does not change in the life of a policy, and what it makes of a call.

use std::sync::Arc;

use mcp_provider::{Latest, ToolCall};

use crate::check::Checks;
use crate::display::display_text;
use crate::elicit::ElicitHook;
use crate::evaluate::{Verdict, evaluate};
use crate::explain::{commands, hosts};
use crate::facts::Facts;
use crate::grants::Grants;
use crate::policy::listing::Listing;
use crate::question::{Asker, Question};
use crate::question_lock::QuestionLock;
use crate::refusal;
use crate::rule::{Decision, Rule};
use crate::ruleset::RuleSet;
use crate::suggest::suggest;
use crate::tables::Tables;

pub(super) struct Settings {
    pub(super) floor: Vec<Rule>,
    pub(super) own_grants: Grants,
    pub(super) book: Option<Grants>,
    pub(super) tables: Tables,
    pub(super) checks: Checks,
    pub(super) asker: Option<Arc<dyn Asker>>,
    pub(super) lock: QuestionLock,
    pub(super) hides_tools: bool,
    pub(super) claims: bool,
    /// The last listing.
    pub(super) latest: Latest<Listing>,
}

/// What the rules make of a call.
pub(super) enum Step {
    Run,
    Refuse(String),
    Ask(Box<Question>),
}

impl Settings {
    /// The call as the rules see it.
    pub(super) fn facts<'c>(&'c self, call: &'c ToolCall) -> Facts<'c> {
        let mut facts = Facts::new(&call.name, &call.arguments, &self.tables);
        facts.is_ambiguous = self.latest.get().is_ambiguous(&call.name);
        facts
    }

    pub(super) fn grant_sets(&self) -> Vec<Arc<RuleSet>> {
        let books = [Some(&self.own_grants), self.book.as_ref()];
        books
            .into_iter()
            .flatten()
            .map(Grants::snapshot)
            .filter(|it| !it.rules.is_empty())
            .collect()
    }

    pub(super) fn grants(&self) -> Vec<Rule> {
        self.grant_sets().iter().flat_map(|it| it.rules.iter().cloned()).collect()
    }

    pub(super) fn hook(&self) -> ElicitHook {
        ElicitHook { asker: self.asker.clone(), lock: self.lock.clone() }
    }

    /// What the rules and grants of this moment make of a call.
    pub(super) fn consider(&self, call: &ToolCall, rules: &RuleSet) -> Step {
        if call.name.is_empty() {
            return Step::Refuse(refusal::malformed());
        }
        let facts = self.facts(call);
        let verdict = evaluate(&facts, rules, &self.grant_sets(), &self.checks);
        match verdict.decision {
            Decision::Allow => Step::Run,
            Decision::Deny => Step::Refuse(refusal::by_rule(&call.name, &verdict, &facts.paths())),
            Decision::Ask if self.asker.is_none() => {
                Step::Refuse(refusal::headless(&call.name, &verdict, &facts.paths()))
            }
            Decision::Ask => Step::Ask(Box::new(self.question(call, &facts, verdict, rules))),
        }
    }

    fn question(
        &self,
        call: &ToolCall,
        facts: &Facts<'_>,
        verdict: Verdict,
        rules: &RuleSet,
    ) -> Question {
        let is_open = verdict.rule.is_none();
        let suggestion = if is_open { suggest(facts, rules, &self.checks) } else { Vec::new() };
        let text = match call.arguments.as_text() {
            Some(text) => text.to_owned(),
            None => call.arguments.to_json().map(|it| it.to_string()).unwrap_or_default(),
        };
        Question {
            tool: call.name.clone(),
            arguments: facts.object.as_ref().map(|it| (*it).clone()).unwrap_or_default(),
            call: call.clone(),
            original: None,
            display: display_text(&text),
            rule: verdict.rule,
            reason: verdict.reason,
            causes: verdict.causes,
            paths: facts.paths(),
            hosts: hosts(facts),
            commands: commands(facts),
            is_remembered: !suggestion.is_empty(),
            suggestion,
        }
    }
}
