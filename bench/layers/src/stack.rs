//! The layers, one by one and all together.

use harness::Failure;
use mcp_leases::{Claim, Claimed, Holder, Leases, Limits, Table};
use mcp_operations::{Operations, TokioTimer};
use mcp_policy::{Floor, Policy, Rule, rules_from_json};
use mcp_provider::location::{PathStyle, Place};
use mcp_provider::{Provider, ProviderExt, ToolCall};
use mcp_reasons::Reasons;
use mcp_registry::Registry;
use mcp_unknown_keys::UnknownKeys;
use serde_json::{Value, json};

use crate::bottom::{Bottom, catalogue};

/// Any stack.
pub type Tools = Box<dyn Provider>;

/// The call that is made: a change of a file, with a reason, of which every layer has to think.
pub fn call(name: &str) -> ToolCall {
    let arguments = concat!(
        r#"{"path":"/srv/repo/src/main.rs","content":"fn main() {}\n","mode":"replace","#,
        r#""reason":"Add the guard that was asked for"}"#
    );
    ToolCall::new("call_1", name, arguments)
}

/// Each layer alone over a provider that answers at once, and that provider itself first.
///
/// # Errors
///
/// One of them could not be made, which is a mistake in here.
pub fn layers() -> Result<Vec<(&'static str, Tools)>, Failure> {
    let bottom = || Bottom::new(vec![catalogue("fs_write", 10)]);
    let registry = Registry::new();
    registry.add("fs", Bottom::new(vec![catalogue("write", 10)]))?;
    Ok(vec![
        ("the bare provider, one call", Box::new(bottom())),
        ("registry", Box::new(registry)),
        ("leases", Box::new(leases(bottom(), 100)?)),
        ("reasons", Box::new(Reasons::new(bottom()))),
        ("unknown keys", Box::new(UnknownKeys::new(bottom()).on_warning(|_| ()))),
        ("operations, no journal", Box::new(Operations::new(bottom(), TokioTimer::new()))),
        ("policy, 100 rules and the floor", Box::new(policy(bottom(), 100)?)),
    ])
}

/// All layers, in their order.
///
/// # Errors
///
/// As for [`layers`].
pub fn onion(bottom: Bottom, rules: usize, held: usize) -> Result<Tools, Failure> {
    let registry = Registry::new();
    registry.add("fs", bottom)?;
    let tools = leases(registry, held)?.layer(|inner| Operations::new(inner, TokioTimer::new()));
    let tools = tools.layer(Reasons::new).layer(UnknownKeys::new).on_warning(|_| ());
    Ok(Box::new(policy(tools, rules)?))
}

/// A policy with that many rules, of which the last allows the call.
///
/// # Errors
///
/// As for [`layers`].
pub fn policy<P: Provider>(inner: P, rules: usize) -> Result<Policy<P>, Failure> {
    let rules = self::rules(rules)?;
    Ok(Policy::builder(inner).rules(rules).floor(Floor::new("/home/dev")).build()?)
}

/// Rules of all kinds about this tool and others.
///
/// # Errors
///
/// As for [`layers`].
pub fn rules(count: usize) -> Result<Vec<Rule>, Failure> {
    let rule = |number: usize| match number % 5 {
        0 => {
            json!({ "tool": "fs_write", "decision": "deny", "under": format!("/srv/other/{number}") })
        }
        1 => json!({ "tool": format!("tool_{number}"), "decision": "allow" }),
        2 => json!({ "tool": "fs_*", "decision": "deny", "under": format!("/etc/{number}") }),
        3 => json!({ "tool": "sh_run", "decision": "allow", "command": format!("tool{number}") }),
        _ => {
            json!({ "tool": "web_fetch", "decision": "allow", "host": format!("h{number}.example.com") })
        }
    };
    let last = json!({ "tool": "fs_write", "decision": "allow", "under": "/srv/repo" });
    let rules: Vec<Value> = (1..count).map(rule).chain([last]).collect();
    Ok(rules_from_json(&Value::Array(rules))?)
}

/// One of two agents, whose lease covers the call, while `held` others are held by the other.
///
/// # Errors
///
/// As for [`layers`].
pub fn leases<P: Provider>(inner: P, held: usize) -> Result<Leases<P>, Failure> {
    let limits = Limits::default().with_leases_per_holder(usize::MAX);
    let table = Table::with_limits(TokioTimer::new(), limits)?;
    let ada = Holder::new("ada")?;
    hold(&table, &ada, ["/srv/repo/src".to_owned()])?;
    let others = (1..held).map(|it| format!("/srv/repo/docs/{it}/pages"));
    hold(&table, &Holder::new("bob")?, others)?;
    Ok(Leases::new(inner, table, ada).concurrent(|| Some(2)))
}

/// Takes a lease of each path.
///
/// # Errors
///
/// As for [`layers`].
pub fn hold(
    table: &Table,
    holder: &Holder,
    paths: impl IntoIterator<Item = String>,
) -> Result<(), Failure> {
    let places = paths.into_iter().map(|path| Place::parse(&path, PathStyle::Posix));
    let places: Vec<Place> = places.collect::<Result<_, _>>()?;
    if places.is_empty() {
        return Ok(());
    }
    let claim = Claim::new(holder.clone(), places).for_time(Limits::default().max_ttl);
    match table.acquire(&claim) {
        Claimed::Granted(_) => Ok(()),
        refused => Err(format!("{refused:?}").into()),
    }
}
