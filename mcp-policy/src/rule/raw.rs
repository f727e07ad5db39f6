//! A rule as JSON has it, before anything is checked.

use mcp_provider::location::ToolPattern;
use serde::{Deserialize, Deserializer, Serialize};

use crate::host::HostPattern;
use crate::rule::{CommandPattern, Decision, Directory, Example, InvalidRule, Rule, Severity};
use crate::site::Scheme;

#[derive(Deserialize, Serialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub(super) struct RawRule {
    tool: String,
    decision: Decision,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    under: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    host: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    scheme: Option<Scheme>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    port: Option<u16>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    command: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    args: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    args_any: Option<Vec<String>>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    check: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    note: Option<String>,
    #[serde(default, deserialize_with = "present", skip_serializing_if = "Option::is_none")]
    severity: Option<Severity>,
    #[serde(default, rename = "match", skip_serializing_if = "Vec::is_empty")]
    matching: Vec<Example>,
    #[serde(
        default,
        rename = "not-match",
        alias = "not_match",
        skip_serializing_if = "Vec::is_empty"
    )]
    not_matching: Vec<Example>,
}

/// A member that may be left out, but not null: null is a mistake, and would widen the rule.
fn present<'de, D: Deserializer<'de>, T: Deserialize<'de>>(json: D) -> Result<Option<T>, D::Error> {
    T::deserialize(json).map(Some)
}

impl TryFrom<RawRule> for Rule {
    type Error = InvalidRule;

    fn try_from(raw: RawRule) -> Result<Self, InvalidRule> {
        let because = InvalidRule::because;
        if raw.command.is_none() && (raw.args.is_some() || raw.args_any.is_some()) {
            return Err(because("\"args\" and \"args-any\" need a \"command\" beside them"));
        }
        if raw.args_any.as_ref().is_some_and(Vec::is_empty) {
            return Err(because("\"args-any\" is empty, and no command holds any of nothing"));
        }
        let args = raw.args.unwrap_or_default();
        let args_any = raw.args_any.unwrap_or_default();
        if args.iter().chain(&args_any).any(String::is_empty) {
            return Err(because("\"args\" and \"args-any\" must not hold empty strings"));
        }
        if raw.check.as_ref().is_some_and(String::is_empty) {
            return Err(because("\"check\" must be the name of a check"));
        }
        if raw.port == Some(0) {
            return Err(because("no site has the port 0"));
        }
        Ok(Self {
            tool: ToolPattern::parse(&raw.tool).map_err(InvalidRule::because)?,
            decision: raw.decision,
            under: raw
                .under
                .as_deref()
                .map(Directory::parse)
                .transpose()
                .map_err(InvalidRule::because)?,
            host: raw
                .host
                .as_deref()
                .map(HostPattern::parse)
                .transpose()
                .map_err(InvalidRule::because)?,
            scheme: raw.scheme,
            port: raw.port,
            command: raw
                .command
                .as_deref()
                .map(CommandPattern::parse)
                .transpose()
                .map_err(InvalidRule::because)?,
            args,
            args_any,
            check: raw.check,
            note: raw.note,
            severity: raw.severity,
            matching: raw.matching,
            not_matching: raw.not_matching,
        })
    }
}

impl From<Rule> for RawRule {
    fn from(rule: Rule) -> Self {
        let some = |list: Vec<String>| Some(list).filter(|it| !it.is_empty());
        Self {
            tool: rule.tool.to_string(),
            decision: rule.decision,
            under: rule.under.map(|it| it.to_string()),
            host: rule.host.map(|it| it.to_string()),
            scheme: rule.scheme,
            port: rule.port,
            command: rule.command.map(|it| it.to_string()),
            args: some(rule.args),
            args_any: some(rule.args_any),
            check: rule.check,
            note: rule.note,
            severity: rule.severity,
            matching: rule.matching,
            not_matching: rule.not_matching,
        }
    }
}
