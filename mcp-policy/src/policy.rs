//! The layer: a provider whose calls go through the rules.

mod builder;
mod listing;
mod settings;
mod settle;

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use async_trait::async_trait;
use mcp_provider::{
    Provider, ProviderError, ToolCall, ToolDeclaration, ToolResult, contain, execute_contained,
};

pub use self::builder::{InvalidPolicy, PolicyBuilder};
use self::settings::Settings;
use self::settle::Run;
use crate::elicit::{Claim, ElicitHook};
use crate::evaluate::{Verdict, evaluate};
use crate::explain::{Explanation, explanation};
use crate::question_lock::QuestionLock;
use crate::refusal;
use crate::rule::{Decision, Rule};
use crate::ruleset::RuleSet;
use crate::suggest::suggest;

/// A provider that runs a call only if the rules, or a person, allow it.
///
/// Calls of a batch are decided one after another, and the allowed ones go on as one batch.  Each
/// of the others gets a result that says why it was refused, and certainly did not run.
pub struct Policy<P> {
    inner: P,
    settings: Arc<Settings>,
    rules: Mutex<Arc<RuleSet>>,
}

/// What the grants alone say about a call.
#[non_exhaustive]
#[derive(Clone, Debug, PartialEq)]
pub struct GrantDecision {
    /// Allow, or deny.
    pub decision: Decision,
    /// The grant that decides.
    pub rule: Rule,
    /// What a model would read, for a deny.
    pub message: Option<String>,
}

impl<P> Policy<P> {
    /// A policy over `inner`, with its settings to be chosen.
    pub fn builder(inner: P) -> PolicyBuilder<P> {
        PolicyBuilder::new(inner)
    }

    /// The rules, without those of the floor.
    pub fn rules(&self) -> Vec<Rule> {
        let floor = self.settings.floor.len();
        self.rule_set().rules.iter().skip(floor).cloned().collect()
    }

    /// Replaces the rules, all of them or none; those of the floor stay.
    ///
    /// A batch that is under way keeps the rules it began with.
    ///
    /// # Errors
    ///
    /// Fails where one of the rules cannot be used here, or an example in it does not hold; the
    /// old rules then stay.
    pub fn replace_rules(&self, rules: Vec<Rule>) -> Result<(), InvalidPolicy> {
        let settings = &self.settings;
        builder::check_rules(&rules, &settings.tables, &settings.checks)?;
        let set = Arc::new(RuleSet::new([settings.floor.clone(), rules].concat()));
        *self.rules.lock().unwrap_or_else(PoisonError::into_inner) = set;
        Ok(())
    }

    /// The grants in force: this policy's own, then those of its book.
    pub fn grants(&self) -> Vec<Rule> {
        self.settings.grants()
    }

    /// Whether somebody can be asked.
    pub fn is_interactive(&self) -> bool {
        self.settings.asker.is_some()
    }

    /// The lock that its questions wait for.
    pub fn question_lock(&self) -> &QuestionLock {
        &self.settings.lock
    }

    /// Where the elicitations of the servers under it go.
    pub fn elicit_hook(&self) -> ElicitHook {
        self.settings.hook()
    }

    /// The verdict about a call, without asking anybody.
    pub fn decide(&self, call: &ToolCall) -> Verdict {
        let settings = &self.settings;
        let facts = settings.facts(call);
        evaluate(&facts, &self.rule_set(), &settings.grant_sets(), &settings.checks)
    }

    /// Everything that leads to the verdict about a call.
    pub fn explain(&self, call: &ToolCall) -> Explanation {
        let settings = &self.settings;
        let (rules, grants) = (self.rule_set(), settings.grant_sets());
        let facts = settings.facts(call);
        let verdict = evaluate(&facts, &rules, &grants, &settings.checks);
        let suggestion = match (verdict.decision, &verdict.rule) {
            (Decision::Ask, None) => suggest(&facts, &rules, &settings.checks),
            _ => Vec::new(),
        };
        let mut sets = vec![(&*rules, false)];
        sets.extend(grants.iter().map(|it| (&**it, true)));
        explanation(&facts, verdict, &sets, &settings.checks, suggestion)
    }

    /// What the grants alone decide about a call; nothing where they would leave it to a person.
    ///
    /// Nobody is asked, and no question is waited for.
    pub fn grant_decision(&self, call: &ToolCall) -> Option<GrantDecision> {
        let settings = &self.settings;
        let facts = settings.facts(call);
        let none = RuleSet::default();
        let verdict = evaluate(&facts, &none, &settings.grant_sets(), &settings.checks);
        let rule = verdict.rule.clone()?;
        let message = match verdict.decision {
            Decision::Ask => return None,
            Decision::Allow => None,
            Decision::Deny => Some(refusal::by_rule(&call.name, &verdict, &facts.paths())),
        };
        Some(GrantDecision { decision: verdict.decision, rule, message })
    }

    /// The provider under it.
    pub fn get_ref(&self) -> &P {
        &self.inner
    }

    fn rule_set(&self) -> Arc<RuleSet> {
        Arc::clone(&self.rules.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

#[async_trait]
impl<P: Provider> Provider for Policy<P> {
    async fn tools_for_llm(&self) -> Result<Vec<ToolDeclaration>, ProviderError> {
        let settings = &self.settings;
        let turn = settings.latest.begin();
        let mut tools = contain(async { self.inner.tools_for_llm().await })
            .await
            .map_err(|panicked| ProviderError::new(format!("the tool provider {panicked}")))??;
        turn.end(settings.latest.get().next(&tools));
        if settings.hides_tools {
            let (rules, folds) = (self.rule_set(), settings.tables.folds_tool_names);
            if rules.hides_any() {
                tools.retain(|tool| tool.name().is_none_or(|name| !rules.hides(name, folds)));
            }
        }
        Ok(tools)
    }

    async fn execute_tool_calls(&self, calls: Vec<ToolCall>) -> Vec<ToolResult> {
        let rules = self.rule_set();
        let (mut results, mut allowed, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for (place, mut call) in calls.into_iter().enumerate() {
            match self.settings.settle(&mut call, &rules).await {
                Err(why) => results.push((place, ToolResult::not_sent(call.id, why))),
                Ok(run) => {
                    self.claim(&mut call);
                    let note = (run == Run::Edited).then(|| refusal::edited(&call.arguments));
                    places.push((place, note));
                    allowed.push(call);
                }
            }
        }
        if !allowed.is_empty() {
            let answers = execute_contained(&self.inner, "The tool provider", allowed).await;
            results.extend(places.into_iter().zip(answers).map(|((place, note), mut answer)| {
                if let Some(note) = note {
                    answer.content.insert_str(0, &note);
                }
                (place, answer)
            }));
        }
        results.sort_by_key(|(place, _)| *place);
        results.into_iter().map(|(_, result)| result).collect()
    }
}

impl<P> Policy<P> {
    /// Marks a call that goes on, so that what its server asks comes to this policy's asker.
    fn claim(&self, call: &mut ToolCall) {
        let settings = &self.settings;
        if settings.claims && settings.asker.is_some() && !Claim::is_on(&call.extensions) {
            call.extensions.insert(Claim(settings.hook()));
        }
    }
}

impl<P> fmt::Debug for Policy<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules: Vec<String> = self.rule_set().rules.iter().map(Rule::to_string).collect();
        f.debug_struct("Policy").field("rules", &rules).finish_non_exhaustive()
    }
}
