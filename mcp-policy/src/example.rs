//! The examples in rules, tried.

use mcp_provider::Arguments;
use serde_json::json;

use crate::check::Checks;
use crate::evaluate::{Cover, Outcome, judge};
use crate::facts::Facts;
use crate::rule::{Example, InvalidRule, Rule};
use crate::tables::Tables;

/// Fails at the first example of the rule that does not hold.
pub(crate) fn check_examples(
    rule: &Rule,
    tables: &Tables,
    checks: &Checks,
) -> Result<(), InvalidRule> {
    let wanted = rule.matching.iter().map(|it| (it, true));
    for (example, wanted) in wanted.chain(rule.not_matching.iter().map(|it| (it, false))) {
        let (tool, arguments) = call(rule, example, tables);
        let facts = Facts::new(&tool, &arguments, tables);
        let is_matched =
            rule.is_about(&tool, tables.folds_tool_names) && speaks(rule, &facts, checks);
        if is_matched != wanted {
            let (name, does) = match wanted {
                true => ("match", "does not speak about it"),
                false => ("not-match", "speaks about it"),
            };
            let example = serde_json::to_string(example).unwrap_or_default();
            let reason = format!("the {name} example {example} fails: '{rule}' {does}");
            return Err(InvalidRule::because(reason));
        }
    }
    Ok(())
}

/// Whether the rule, alone, decides about the call.
fn speaks(rule: &Rule, facts: &Facts<'_>, checks: &Checks) -> bool {
    match judge(rule, facts, checks, &mut ()).outcome {
        Outcome::Silent => false,
        Outcome::Fires { .. } | Outcome::Covers(Cover::Whole) => true,
        Outcome::Covers(Cover::Commands(places)) => facts
            .commands()
            .is_some_and(|commands| commands.started().all(|(place, _)| places.contains(&place))),
    }
}

fn call(rule: &Rule, example: &Example, tables: &Tables) -> (String, Arguments) {
    match example {
        Example::Call(call) => (call.tool.clone(), call.arguments.clone().into()),
        Example::Command(line) => {
            // Some tool that the rule is about.
            let pattern = rule.tool.to_string();
            let tool = match pattern.strip_suffix('*') {
                Some("") => "sh_run".to_owned(),
                Some(start) => format!("{start}run"),
                None => pattern,
            };
            let names = tables.commands.get(&tool).cloned().unwrap_or_default();
            let arguments = match names.shell {
                Some(shell) => json!({ shell: line.command }),
                None => {
                    let program = names.command.unwrap_or_else(|| "command".to_owned());
                    let args = names.args.unwrap_or_else(|| "args".to_owned());
                    json!({ program: "bash", args: ["-c", line.command] })
                }
            };
            (tool, arguments.into())
        }
    }
}
