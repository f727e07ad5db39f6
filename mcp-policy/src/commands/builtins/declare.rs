//! `declare`, `export` and their like: they set variables, and say what those are.

use crate::commands::builtins::names::{is_evaluated, name_cause};
use crate::commands::numbers::sets_code;
use crate::commands::reader::Reader;
use crate::commands::resolve::Call;
use crate::commands::shell::{is_name, is_number};
use crate::commands::{Arguments, Assignment, Cause, Part, Scope, Token, environment};

/// `declare`, `export` and their like.
pub(super) fn declare(
    reader: &mut Reader,
    call: &mut Call,
    name: &str,
    words: &[Token],
) -> Option<Cause> {
    let mut cause = None;
    let (mut exported, mut number) = (name == "export", matches!(name, "integer" | "float"));
    if name == "nameref" {
        cause = Some(Cause::EvaluatedName);
    }
    let (mut options, mut array, mut functions) = (true, false, false);
    for word in words {
        let start = word.start();
        if options && start.starts_with(['-', '+']) {
            let Some(text) = word.as_text() else { return Some(Cause::EvaluatedName) };
            options = text != "--";
            exported |= text.contains('x');
            array |= text.contains(['a', 'A']);
            functions |= text.contains('f');
            if functions && exported {
                // The next shell has them too, as this one writes them down.
                cause = cause.or(Some(Cause::ShellOption));
            }
            number |= text.contains(['i', 'E', 'F']);
            if text.contains('n') && name != "export" {
                cause = cause.or(Some(Cause::EvaluatedName));
            }
            continue;
        }
        let Some((left, _)) = start.split_once('=') else {
            if word.as_text().is_none() {
                return Some(Cause::EvaluatedName);
            }
            cause = cause.or_else(|| name_cause(reader, word));
            if number {
                reader.numbers.evaluate(start);
            }
            if array {
                reader.numbers.array(start);
            }
            if exported && is_name(start) {
                let value = Token::Gap {
                    parts: vec![Part::Variable(start.to_owned())],
                    arguments: Arguments::One,
                };
                call.assignments.push(Assignment::new(start, value, Scope::Exported));
            }
            continue;
        };
        let target = left.strip_suffix('+').unwrap_or(left);
        cause = cause.or_else(|| name_cause(reader, &Token::new(target)));
        let value = word.without(left.len() + 1);
        if value.start().trim_start().starts_with('(') {
            // The elements of an array, and their subscripts.
            let text = value.start();
            let expands = is_evaluated(text) || text.contains(['<', '>']);
            if expands || sets_code(text) || reader.evaluate(text) {
                cause = cause.or(Some(Cause::EvaluatedName));
            }
        }
        let (target, element) = match target.split_once('[') {
            Some((name, _)) => (name, true),
            None => (target, false),
        };
        if value.as_text().is_none() && !is_number(&value) && name != "export" {
            reader.numbers.taint_whole(target);
        }
        if array || element {
            reader.numbers.array(target);
        }
        if number {
            // Whatever it is given from here on, too.
            reader.numbers.evaluate(target);
            cause = reader.evaluate_token(&value).or(cause);
        } else {
            reader.give(target, Some(&value));
        }
        let scope = if exported { Scope::Exported } else { Scope::Shell };
        let assignment = Assignment::new(target, value, scope);
        if environment::is_run_by_shells(target) {
            cause = cause.or(Some(Cause::EvaluatedVariable));
        }
        call.assignments.push(assignment);
    }
    cause
}
