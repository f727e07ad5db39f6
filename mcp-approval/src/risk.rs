//! How much harm a call can do: classes, and what raises them.

use std::fmt;
use std::sync::Arc;

use mcp_provider::location::{InvalidToolPattern, ToolPattern};
use mcp_provider::{JsonObject, shield};
use serde::{Deserialize, Serialize};

/// How much harm a call can do.  A later class is a higher one.
///
/// In JSON: `"read-only"`, `"mutating"`, `"sensitive"`.
#[allow(clippy::exhaustive_enums, reason = "three classes, in this order, are the whole scale")]
#[derive(
    Clone, Copy, Debug, Default, Deserialize, Eq, Hash, Ord, PartialEq, PartialOrd, Serialize,
)]
#[serde(rename_all = "kebab-case")]
pub enum Risk {
    /// It changes nothing, and shows nothing that is secret.
    ReadOnly,
    /// It changes something: every tool that says nothing else.
    #[default]
    Mutating,
    /// It touches secrets, money, other people, or what cannot be undone.
    Sensitive,
}

impl Risk {
    /// The word for it, as in JSON.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::ReadOnly => "read-only",
            Self::Mutating => "mutating",
            Self::Sensitive => "sensitive",
        }
    }
}

impl fmt::Display for Risk {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// Looks at the arguments of a call and says which class they make it.
///
/// The highest word counts: a resolver can raise what is declared, and never lower it.  One that
/// panics makes the call sensitive.
pub trait Resolver: Send + Sync {
    /// The class of a call to `tool` with `arguments`.
    fn risk(&self, tool: &str, arguments: &JsonObject) -> Risk;
}

impl<F: Fn(&str, &JsonObject) -> Risk + Send + Sync> Resolver for F {
    fn risk(&self, tool: &str, arguments: &JsonObject) -> Risk {
        self(tool, arguments)
    }
}

/// The classes of tools, and of their calls.  A tool that nobody declared is mutating.
#[derive(Clone, Default)]
pub struct Risks {
    declared: Vec<(ToolPattern, Risk)>,
    resolvers: Vec<(ToolPattern, Arc<dyn Resolver>)>,
}

impl Risks {
    /// Every tool is mutating.
    pub fn new() -> Self {
        Self::default()
    }

    /// Declares the class of the tools that `tools` names: `fs_read`, `fs_*`, `*`.
    ///
    /// The closest pattern counts; of two that are the same, the higher class.
    ///
    /// # Errors
    ///
    /// Fails where `tools` is not a tool pattern.
    pub fn declare(mut self, tools: &str, risk: Risk) -> Result<Self, InvalidToolPattern> {
        self.declared.push((ToolPattern::parse(tools)?, risk));
        Ok(self)
    }

    /// Has `resolver` look at the arguments of each call to the tools that `tools` names.
    ///
    /// # Errors
    ///
    /// Fails where `tools` is not a tool pattern.
    pub fn resolve(
        mut self,
        tools: &str,
        resolver: impl Resolver + 'static,
    ) -> Result<Self, InvalidToolPattern> {
        self.resolvers.push((ToolPattern::parse(tools)?, Arc::new(resolver)));
        Ok(self)
    }

    /// The class that is declared for `tool`, whatever its arguments.
    pub fn declared(&self, tool: &str) -> Risk {
        let about = self.declared.iter().filter(|(tools, _)| tools.matches(tool));
        let closest = about.max_by_key(|(tools, risk)| (tools.specificity(), *risk));
        closest.map(|(_, risk)| *risk).unwrap_or_default()
    }

    /// The class of a call to `tool`; `arguments` are nothing where they cannot be read.
    ///
    /// Where a resolver should look at arguments that cannot be read, the call is sensitive.
    pub fn of(&self, tool: &str, arguments: Option<&JsonObject>) -> Risk {
        let said = self.resolvers_of(tool).map(|resolver| match arguments {
            Some(arguments) => shield(|| resolver.risk(tool, arguments)).unwrap_or(Risk::Sensitive),
            None => Risk::Sensitive,
        });
        said.fold(self.declared(tool), Risk::max)
    }

    /// Whether a call to `tool` may need approval: all but what is read-only whatever it is given.
    pub fn may_need_approval(&self, tool: &str) -> bool {
        self.declared(tool) > Risk::ReadOnly || self.resolvers_of(tool).next().is_some()
    }

    fn resolvers_of(&self, tool: &str) -> impl Iterator<Item = &Arc<dyn Resolver>> {
        self.resolvers.iter().filter(move |(tools, _)| tools.matches(tool)).map(|(_, it)| it)
    }
}

impl fmt::Debug for Risks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let resolved: Vec<&ToolPattern> = self.resolvers.iter().map(|(tools, _)| tools).collect();
        f.debug_struct("Risks")
            .field("declared", &self.declared)
            .field("resolved", &resolved)
            .finish()
    }
}
