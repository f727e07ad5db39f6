#![doc = include_str!("../README.md")]

mod argv;
mod check;
pub mod commands;
mod defaults;
mod display;
mod duplicate;
mod elicit;
mod evaluate;
mod example;
mod explain;
mod facts;
mod floor;
mod fold;
mod grants;
mod host;
mod lint;
mod policy;
mod predicate;
mod question;
mod question_lock;
mod refusal;
mod rule;
mod ruleset;
mod schema;
mod secrets;
mod sends;
mod site;
mod suggest;
mod tables;
mod truth;
mod why;

pub use mcp_provider::{self as provider, async_trait};

pub use crate::check::{Check, Checks};
pub use crate::defaults::default_rules;
pub use crate::display::display_text;
pub use crate::elicit::{Claim, ElicitHook};
pub use crate::evaluate::Verdict;
pub use crate::explain::{Explanation, PredicateTrace, RuleTrace};
pub use crate::floor::Floor;
pub use crate::grants::Grants;
pub use crate::host::{Host, HostPattern, InvalidHostPattern, UnreadableUrl};
pub use crate::lint::{Finding, lint};
pub use crate::policy::{GrantDecision, InvalidPolicy, Policy, PolicyBuilder};
pub use crate::question::{Answer, Asker, InvalidAnswer, Question};
pub use crate::question_lock::QuestionLock;
pub use crate::rule::{
    CommandLine, CommandPattern, Decision, Directory, Example, ExampleCall, InvalidPart,
    InvalidRule, Rule, Severity,
};
pub use crate::ruleset::rules_from_json;
pub use crate::schema::RULES_SCHEMA;
pub use crate::site::Scheme;
pub use crate::tables::{CommandNames, CommandParams, InvalidTable, Tables, UrlParams};
pub use crate::truth::Truth;
pub use crate::why::{Reason, Why};
