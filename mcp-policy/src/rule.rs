//! A rule: plain data that says what may be called.

mod parts;
mod raw;

use std::fmt;

use mcp_provider::location::ToolPattern;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use self::parts::{
    CommandLine, CommandPattern, Decision, Directory, Example, ExampleCall, InvalidPart, Severity,
};
use self::raw::RawRule;
use crate::host::HostPattern;
use crate::site::Scheme;

/// What may become of the calls that it speaks about.
///
/// In JSON it is an object; only `tool` and `decision` are required, and a member that is not
/// listed here is refused:
///
/// ```json
/// {"tool": "sh_run", "decision": "ask", "under": "work", "host": "*.docs.rs",
///  "scheme": "https", "port": 443, "command": "git", "args": ["push"], "args-any": ["--force", "-f"], "check": "name",
///  "note": "why", "severity": "danger", "match": [{"command": "git push -f"}],
///  "not-match": [{"tool": "sh_run", "arguments": {}}]}
/// ```
///
/// Everything that it says must hold.  An allow holds only where all of it is certain; a deny
/// and an ask hold also where something is unknown.
#[derive(Clone, Debug, Deserialize, PartialEq, Serialize)]
#[serde(try_from = "RawRule", into = "RawRule")]
pub struct Rule {
    pub(crate) tool: ToolPattern,
    pub(crate) decision: Decision,
    pub(crate) under: Option<Directory>,
    pub(crate) host: Option<HostPattern>,
    pub(crate) scheme: Option<Scheme>,
    pub(crate) port: Option<u16>,
    pub(crate) command: Option<CommandPattern>,
    pub(crate) args: Vec<String>,
    pub(crate) args_any: Vec<String>,
    pub(crate) check: Option<String>,
    pub(crate) note: Option<String>,
    pub(crate) severity: Option<Severity>,
    pub(crate) matching: Vec<Example>,
    pub(crate) not_matching: Vec<Example>,
}

impl Rule {
    /// A rule about every call to the tools that `tool` names: `fs_write`, `fs_*`, `*`.
    ///
    /// # Errors
    ///
    /// Fails where `tool` is not a tool pattern.
    pub fn new(decision: Decision, tool: &str) -> Result<Self, InvalidRule> {
        let tool = ToolPattern::parse(tool).map_err(InvalidRule::because)?;
        Ok(Self::bare(decision, tool))
    }

    /// Reads a rule from JSON.
    ///
    /// # Errors
    ///
    /// Fails where the JSON is of another shape than [`Rule`] describes.
    pub fn from_json(json: Value) -> Result<Self, InvalidRule> {
        if !json.is_object() {
            return Err(InvalidRule::because(format!("a rule must be an object, not {json}")));
        }
        serde_json::from_value(json).map_err(InvalidRule::because)
    }

    /// The rule as JSON.
    pub fn to_json(&self) -> Value {
        serde_json::to_value(self).unwrap_or_default()
    }

    /// The same rule, for places in `directory` only.
    ///
    /// # Errors
    ///
    /// Fails where `directory` is no plain path.
    pub fn under(self, directory: &str) -> Result<Self, InvalidRule> {
        let under = Some(Directory::parse(directory).map_err(InvalidRule::because)?);
        Ok(Self { under, ..self })
    }

    /// The same rule, for URLs on `host` only.
    ///
    /// # Errors
    ///
    /// Fails where `host` is no host pattern.
    pub fn host(self, host: &str) -> Result<Self, InvalidRule> {
        let host = Some(HostPattern::parse(host).map_err(InvalidRule::because)?);
        Ok(Self { host, ..self })
    }

    /// The same rule, for URLs of one scheme only.
    #[must_use]
    pub fn scheme(self, scheme: Scheme) -> Self {
        Self { scheme: Some(scheme), ..self }
    }

    /// The same rule, for URLs of one port only, be it written or the usual one of the scheme.
    ///
    /// # Errors
    ///
    /// Fails where `port` is 0.
    pub fn port(self, port: u16) -> Result<Self, InvalidRule> {
        match port {
            0 => Err(InvalidRule::because("no site has the port 0")),
            port => Ok(Self { port: Some(port), ..self }),
        }
    }

    /// The same rule, for commands of `program` that begin with the arguments `args` only.
    ///
    /// # Errors
    ///
    /// Fails where `program` is no pattern of programs.
    pub fn command<A: Into<String>>(
        self,
        program: &str,
        args: impl IntoIterator<Item = A>,
    ) -> Result<Self, InvalidRule> {
        let command = Some(CommandPattern::parse(program).map_err(InvalidRule::because)?);
        Ok(Self { command, args: args.into_iter().map(Into::into).collect(), ..self })
    }

    /// The same rule, for calls that the check `name` answers with yes only.
    #[must_use]
    pub fn check(self, name: impl Into<String>) -> Self {
        Self { check: Some(name.into()), ..self }
    }

    /// The same rule with a remark for whoever reads it.
    #[must_use]
    pub fn note(self, note: impl Into<String>) -> Self {
        Self { note: Some(note.into()), ..self }
    }

    /// The same rule, marked as one about danger.
    #[must_use]
    pub fn danger(self) -> Self {
        Self { severity: Some(Severity::Danger), ..self }
    }

    /// The same rule with another decision.
    #[must_use]
    pub fn with_decision(self, decision: Decision) -> Self {
        Self { decision, ..self }
    }

    /// The tools it speaks about.
    pub fn tool(&self) -> &ToolPattern {
        &self.tool
    }

    /// What it decides.
    pub fn decision(&self) -> Decision {
        self.decision
    }

    /// What its author wrote beside it.
    pub fn remark(&self) -> Option<&str> {
        self.note.as_deref()
    }

    /// Whether it is about danger.
    pub fn is_danger(&self) -> bool {
        self.severity == Some(Severity::Danger)
    }

    /// Whether it speaks about every call to its tools.
    pub fn is_blanket(&self) -> bool {
        self.under.is_none()
            && !self.is_about_sites()
            && self.command.is_none()
            && self.check.is_none()
    }

    /// Whether it speaks about some URLs only.
    pub(crate) fn is_about_sites(&self) -> bool {
        self.host.is_some() || self.scheme.is_some() || self.port.is_some()
    }

    pub(crate) fn allows(&self) -> bool {
        self.decision == Decision::Allow
    }

    /// Whether it speaks about the tool; to a deny and an ask, with `folds`, in whatever case.
    pub(crate) fn is_about(&self, tool: &str, folds: bool) -> bool {
        if self.tool.matches(tool) || !folds || self.allows() {
            return self.tool.matches(tool);
        }
        let pattern = self.tool.to_string().to_ascii_lowercase();
        let tool = tool.to_ascii_lowercase();
        match pattern.strip_suffix('*') {
            Some(start) => tool.starts_with(start),
            None => tool == pattern,
        }
    }

    /// How much it says; of two rules the larger one is the closer one.
    pub(crate) fn specificity(&self) -> impl Ord {
        let (command, under, host) = (&self.command, &self.under, &self.host);
        let tool = self.tool.specificity();
        let command = command.as_ref().map(CommandPattern::specificity);
        let args = self.args.len() + self.args_any.len();
        let under = under.as_ref().map(Directory::depth);
        let host = host.as_ref().map(HostPattern::specificity);
        // Nothing is less than something, and `Option` orders so.
        let site = (host, self.scheme, self.port);
        (tool, command, args, self.check.is_some(), under, site)
    }

    fn bare(decision: Decision, tool: ToolPattern) -> Self {
        Self {
            tool,
            decision,
            under: None,
            host: None,
            scheme: None,
            port: None,
            command: None,
            args: Vec::new(),
            args_any: Vec::new(),
            check: None,
            note: None,
            severity: None,
            matching: Vec::new(),
            not_matching: Vec::new(),
        }
    }
}

/// The rule as one line, but for its remark and examples: `deny sh_* command rm args ["-rf"] check x`.
impl fmt::Display for Rule {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.decision, self.tool)?;
        if let Some(under) = &self.under {
            write!(f, " under {under}")?;
        }
        if let Some(host) = &self.host {
            write!(f, " on {host}")?;
        }
        if let Some(scheme) = &self.scheme {
            write!(f, " by {scheme}")?;
        }
        if let Some(port) = &self.port {
            write!(f, " port {port}")?;
        }
        if let Some(command) = &self.command {
            write!(f, " command {command}")?;
        }
        if !self.args.is_empty() {
            write!(f, " args {:?}", self.args)?;
        }
        if !self.args_any.is_empty() {
            write!(f, " args-any {:?}", self.args_any)?;
        }
        if let Some(check) = &self.check {
            write!(f, " check {check}")?;
        }
        Ok(())
    }
}

/// A value is not a rule.
#[derive(Clone, Debug, Eq, PartialEq, thiserror::Error)]
#[error("invalid policy rule{}: {reason}", .place.map(|it| format!(" {it}")).unwrap_or_default())]
pub struct InvalidRule {
    place: Option<usize>,
    reason: String,
}

impl InvalidRule {
    pub(crate) fn because(reason: impl fmt::Display) -> Self {
        Self { place: None, reason: reason.to_string() }
    }

    /// The same, of the rule at `index` in its list.
    pub(crate) fn at(self, index: usize) -> Self {
        Self { place: Some(index), ..self }
    }

    /// Where in its list the rule stands, counted from 0.
    pub fn index(&self) -> Option<usize> {
        self.place
    }
}
