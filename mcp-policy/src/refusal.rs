//! What a model reads about a call that did not run.

use std::borrow::Cow;

use mcp_provider::Arguments;

use crate::evaluate::Verdict;
use crate::rule::Rule;
use crate::why::{Reason, Why};

/// The rule whole, with its author's remark after it.
fn named(rule: &Rule) -> String {
    let note = rule.remark().map(|it| format!(" ({it})")).unwrap_or_default();
    format!("'{rule}'{note}")
}

/// A rule or a grant denies the call.
pub(crate) fn by_rule(tool: &str, verdict: &Verdict, paths: &[String]) -> String {
    let causes = list(verdict.causes.iter().map(Why::to_string));
    let Some(rule) = &verdict.rule else {
        return format!(
            "Permission denied: {tool} was not run, because {causes}. Write the arguments as one \
             JSON object in which every key is there once, and call again"
        );
    };
    let kind = if verdict.is_grant { "the user's standing decision" } else { "the rule" };
    let matched = match verdict.is_grant {
        true => format!("matched the rule {} ({kind})", named(rule)),
        false => format!("matched the rule {}", named(rule)),
    };
    let unsure = match verdict.reason {
        Reason::Rule => String::new(),
        _ => format!(
            ", which could not be ruled out: parts of the call cannot be checked here ({causes})"
        ),
    };
    let advice = match verdict.reason {
        Reason::Rule => {
            "Do not try the same by another way; do without it, or tell the user what you need"
        }
        Reason::UnreadablePath => {
            "Write plain paths, without '..', '~' or variables, and call again"
        }
        Reason::UnreadableUrl => "Write a plain http or https URL and call again",
        Reason::UnreadableCommand => {
            "Write the command plainly, one program and its literal arguments, and call again"
        }
        Reason::UnreadableArguments => "Write the arguments as one JSON object and call again",
        Reason::FailedCheck | Reason::NoMatch | Reason::AmbiguousTool => {
            "Tell the user; calling again will not help"
        }
    };
    format!("Permission denied: {tool} {matched}{unsure}{}. {advice}", places(paths))
}

/// Nobody is there to be asked.
pub(crate) fn headless(tool: &str, verdict: &Verdict, paths: &[String]) -> String {
    let because = because(verdict);
    format!(
        "Permission needed: {tool} needs approval{because}, but this agent runs without a \
         permission prompt{}. Do without this call, or use a tool that needs no approval",
        places(paths)
    )
}

/// The person said no, once.
pub(crate) fn by_user(tool: &str) -> String {
    format!(
        "Permission denied: the user refused this call to {tool}. Do not repeat it; do something \
         else, or ask the user what they want instead"
    )
}

/// The person said no for good.
pub(crate) fn by_user_always(tool: &str, rules: &[Rule]) -> String {
    if rules.is_empty() {
        return by_user(tool);
    }
    let rules = list(rules.iter().map(|it| format!("'{it}'")));
    format!(
        "Permission denied: the user refused this call to {tool} and every later one like it: \
         {rules} is in force now. Do not try again"
    )
}

/// The person said no, and why.
pub(crate) fn with_reason(tool: &str, message: &str) -> String {
    format!("Permission denied: {tool} was not run. {message}")
}

/// What is said before the result of a call that ran with other arguments.
pub(crate) fn edited(arguments: &Arguments) -> String {
    let arguments = shown(arguments);
    format!("The arguments of this call were changed before it ran. It ran with: {arguments}\n\n")
}

/// A call that was edited is refused for `why`.
pub(crate) fn after_edit(arguments: &Arguments, why: &str) -> String {
    format!("The arguments of this call were changed to {}. {why}", shown(arguments))
}

/// An edited call was edited again, and still has to be asked about.
pub(crate) fn edited_too_often(tool: &str) -> String {
    format!(
        "Permission denied: the arguments of this call to {tool} were changed twice, and it still \
         needs approval; nothing was run. Tell the user before you try again"
    )
}

/// Arguments as JSON, cut where they are long.
fn shown(arguments: &Arguments) -> String {
    let mut text = arguments.to_object_text().map(Cow::into_owned).unwrap_or_default();
    let end = (0..=MAX_SHOWN.min(text.len())).rfind(|it| text.is_char_boundary(*it)).unwrap_or(0);
    let rest = text.len() - end;
    if rest > 0 {
        text.truncate(end);
        text.push_str(&format!("… ({rest} bytes more)"));
    }
    text
}

/// How many bytes of changed arguments a model is shown.
const MAX_SHOWN: usize = 4096;

/// There was no usable answer.
pub(crate) fn no_answer(tool: &str, error: &str) -> String {
    let error = error.lines().next().unwrap_or_default();
    format!(
        "Permission denied: the question about {tool} got no usable answer ({error}), and nothing \
         was remembered. Tell the user before you try again"
    )
}

/// The call came from inside the question that it would have to wait for.
pub(crate) fn reentrant(tool: &str) -> String {
    format!(
        "Permission denied: this call to {tool} was made while the user is being asked about \
         another one, by the code that asks. It would wait for itself; make it afterwards"
    )
}

/// The call names no tool.
pub(crate) fn malformed() -> String {
    "Permission denied: malformed tool call, it names no tool; call one of the listed tools"
        .to_owned()
}

fn because(verdict: &Verdict) -> String {
    match (&verdict.rule, &*verdict.causes) {
        (Some(rule), _) => format!(" (rule {})", named(rule)),
        (None, []) => " (no rule allows it)".to_owned(),
        (None, causes) => {
            format!(" (no rule allows it: {})", list(causes.iter().map(Why::to_string)))
        }
    }
}

fn places(paths: &[String]) -> String {
    if paths.is_empty() { String::new() } else { format!(" (paths: {})", paths.join(", ")) }
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join("; ")
}
