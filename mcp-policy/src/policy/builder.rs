//! The choices that make a policy.

use std::fmt;
use std::sync::{Arc, Mutex};

use mcp_provider::Latest;

use crate::check::{Check, Checks};
use crate::example::check_examples;
use crate::floor::Floor;
use crate::grants::Grants;
use crate::policy::Policy;
use crate::policy::settings::Settings;
use crate::question::Asker;
use crate::question_lock::QuestionLock;
use crate::rule::{InvalidRule, Rule};
use crate::ruleset::RuleSet;
use crate::tables::Tables;

/// The choices that make a [`Policy`].
pub struct PolicyBuilder<P> {
    inner: P,
    rules: Vec<Rule>,
    floor: Option<Floor>,
    grants: Vec<Rule>,
    book: Option<Grants>,
    tables: Tables,
    checks: Checks,
    asker: Option<Arc<dyn Asker>>,
    lock: QuestionLock,
    hides_tools: bool,
    claims: bool,
}

impl<P> PolicyBuilder<P> {
    pub(super) fn new(inner: P) -> Self {
        Self {
            inner,
            rules: Vec::new(),
            floor: None,
            grants: Vec::new(),
            book: None,
            tables: Tables::default(),
            checks: Checks::new(),
            asker: None,
            lock: QuestionLock::new(),
            hides_tools: true,
            claims: false,
        }
    }

    /// The rules; without any, every call is asked about.
    #[must_use]
    pub fn rules(self, rules: Vec<Rule>) -> Self {
        Self { rules, ..self }
    }

    /// Rules against destruction, before all others.
    #[must_use]
    pub fn floor(self, floor: Floor) -> Self {
        Self { floor: Some(floor), ..self }
    }

    /// Grants of this policy alone, such as those of an earlier session.
    #[must_use]
    pub fn grants(self, grants: Vec<Rule>) -> Self {
        Self { grants, ..self }
    }

    /// A book of grants that it shares with others: what is always allowed is written there.
    #[must_use]
    pub fn grants_book(self, book: Grants) -> Self {
        Self { book: Some(book), ..self }
    }

    /// Which arguments are paths, URLs and commands.
    #[must_use]
    pub fn tables(self, tables: Tables) -> Self {
        Self { tables, ..self }
    }

    /// A check that rules can name.
    #[must_use]
    pub fn check(mut self, name: impl Into<String>, check: impl Check + 'static) -> Self {
        self.checks.insert(name, check);
        self
    }

    /// Who answers; without anybody, what would be asked is refused at once.
    #[must_use]
    pub fn asker(self, asker: impl Asker + 'static) -> Self {
        Self { asker: Some(Arc::new(asker)), ..self }
    }

    /// The lock that its questions wait for, shared with others that ask the same person.
    #[must_use]
    pub fn question_lock(self, lock: QuestionLock) -> Self {
        Self { lock, ..self }
    }

    /// Shows tools in listings that a rule denies altogether.  Usually they are left out.
    #[must_use]
    pub fn show_denied_tools(self) -> Self {
        Self { hides_tools: false, ..self }
    }

    /// Has the server's questions during its calls put to its own asker: see
    /// [`Claim`](crate::Claim).
    #[must_use]
    pub fn claim_elicitations(self) -> Self {
        Self { claims: true, ..self }
    }

    /// The policy.
    ///
    /// # Errors
    ///
    /// Fails where a rule or a grant cannot be used on the disk that the tables speak of, or an
    /// example in a rule does not hold.
    pub fn build(self) -> Result<Policy<P>, InvalidPolicy> {
        let mut checks = self.checks;
        let mut floor = Vec::new();
        if let Some(it) = self.floor {
            floor = it.rules();
            checks.extend(it.checks());
        }
        check_rules(&self.rules, &self.tables, &checks)?;
        check_rules(&self.grants, &self.tables, &checks)?;
        let rules = RuleSet::new([floor.clone(), self.rules].concat());
        let settings = Settings {
            floor,
            own_grants: Grants::new(self.grants),
            book: self.book,
            tables: self.tables,
            checks,
            asker: self.asker,
            lock: self.lock,
            hides_tools: self.hides_tools,
            claims: self.claims,
            latest: Latest::default(),
        };
        let rules = Mutex::new(Arc::new(rules));
        Ok(Policy { inner: self.inner, settings: Arc::new(settings), rules })
    }
}

impl<P> fmt::Debug for PolicyBuilder<P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PolicyBuilder").field("rules", &self.rules).finish_non_exhaustive()
    }
}

/// Fails at the first rule that cannot be used here.
pub(super) fn check_rules(
    rules: &[Rule],
    tables: &Tables,
    checks: &Checks,
) -> Result<(), InvalidPolicy> {
    let style = tables.locations.style();
    for (index, rule) in rules.iter().enumerate() {
        if rule.under.as_ref().is_some_and(|it| it.place(style).is_none()) {
            let reason =
                format!("'{rule}' names a directory that the disk of the roots cannot have");
            return Err(InvalidPolicy(InvalidRule::because(reason).at(index)));
        }
        check_examples(rule, tables, checks).map_err(|it| InvalidPolicy(it.at(index)))?;
    }
    Ok(())
}

/// A policy cannot be made of these rules.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error(transparent)]
pub struct InvalidPolicy(InvalidRule);
