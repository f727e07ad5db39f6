//! Rules that do not do what their author meant.

use std::fmt;

use serde::Serialize;

use crate::check::Checks;
use crate::rule::{Decision, Rule};
use crate::tables::Tables;

/// What is odd about a rule.
#[non_exhaustive]
#[derive(Clone, Debug, Eq, PartialEq, Serialize)]
pub struct Finding {
    /// The place of the rule in its list, counted from 0.
    pub index: usize,
    /// The rule, as one line.
    pub rule: String,
    /// What is odd.
    pub oddity: String,
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rule {} '{}' {}", self.index, self.rule, self.oddity)
    }
}

/// Looks for rules that can never do anything, or not what they seem to.
///
/// `tools` are the names of the tools as this policy lists them, if they are known: a rule that
/// names none of them may have been written for another place in the stack.
pub fn lint(
    rules: &[Rule],
    tools: Option<&[&str]>,
    tables: &Tables,
    checks: &Checks,
) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (index, rule) in rules.iter().enumerate() {
        let mut find = |oddity: String| {
            findings.push(Finding { index, rule: rule.to_string(), oddity });
        };
        if let Some(tools) = tools
            && !tools.iter().any(|it| rule.tool.matches(it))
        {
            let near = nearest(rule, tools);
            let hint = near.map(|it| format!("; perhaps it means {it:?}")).unwrap_or_default();
            find(format!("names no tool that is listed here{hint}"));
        }
        if let Some(name) = &rule.check
            && !checks.contains(name)
        {
            let effect = match rule.decision {
                Decision::Allow => "so it never allows",
                Decision::Ask | Decision::Deny => "so it applies to every call",
            };
            find(format!("names the check {name:?}, which is not there, {effect}"));
        }
        let exact = rule.tool.to_string();
        let names = rule.tool.is_exact().then(|| tables.locations.params().names(&exact).count());
        if rule.under.is_some() && names == Some(0) {
            find("is about places, and the tables say that its tool names none".to_owned());
        }
        if rule.under.is_some() && rule.command.is_some() && rule.decision == Decision::Allow {
            find("needs both a path argument and a command; \"under\" does not look at the arguments of commands".to_owned());
        }
        if rule.decision == Decision::Allow
            && let Some(deny) = rules.iter().find(|it| shadows(it, rule))
        {
            find(format!("never allows anything: '{deny}' denies all that it covers"));
        }
        if let Some(first) = rules.iter().take(index).position(|it| it == rule) {
            find(format!("is the same as rule {first}"));
        }
    }
    findings
}

/// Whether `deny` denies every call that `allow` could allow.
fn shadows(deny: &Rule, allow: &Rule) -> bool {
    let (pattern, other) = (deny.tool.to_string(), allow.tool.to_string());
    let covers_tool = match (deny.tool.is_exact(), allow.tool.is_exact()) {
        (true, true) => pattern == other,
        (true, false) => false,
        (false, _) => other.starts_with(pattern.trim_end_matches('*')),
    };
    let covers_command = match (&deny.command, &allow.command) {
        (None, _) => true,
        (Some(deny), Some(allow)) => deny == allow,
        (Some(_), None) => false,
    };
    let covers_args = allow.args.starts_with(&deny.args)
        && (deny.args_any.is_empty() || deny.args_any.iter().any(|it| allow.args.contains(it)));
    let covers_under = match (&deny.under, &allow.under) {
        (None, _) => true,
        (Some(deny), Some(allow)) => match (deny.posix(), allow.posix()) {
            (Some(deny), Some(allow)) => allow.under(deny).allows(),
            _ => deny == allow,
        },
        (Some(_), None) => false,
    };
    let covers_host = match (&deny.host, &allow.host) {
        (None, _) => true,
        (Some(deny), Some(allow)) => deny == allow,
        (Some(_), None) => false,
    };
    let covers_site = (deny.scheme.is_none() || deny.scheme == allow.scheme)
        && (deny.port.is_none() || deny.port == allow.port);
    let covers_check = deny.check.is_none() || deny.check == allow.check;
    deny.decision == Decision::Deny
        && covers_tool
        && covers_command
        && covers_args
        && covers_under
        && covers_host
        && covers_site
        && covers_check
}

/// The tool whose name ends like that of the rule, or that the name of the rule ends like.
fn nearest<'t>(rule: &Rule, tools: &[&'t str]) -> Option<&'t str> {
    let name = rule.tool.to_string();
    let name = name.trim_end_matches('*');
    let is_near =
        |tool: &&&str| !name.is_empty() && (tool.ends_with(name) || name.ends_with(**tool));
    tools.iter().find(is_near).copied()
}
