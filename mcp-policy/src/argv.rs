//! The arguments of a command, compared with those that a rule names.

use crate::commands::Token;
use crate::rule::Decision;
use crate::truth::Truth;

/// Whether `tokens` begin with `wanted`.
///
/// For a deny and an ask, options before the first wanted word are skipped: `git -C x push` is
/// `git push` to them.
pub(crate) fn leads(wanted: &[String], program: &str, tokens: &[Token], by: Decision) -> Truth {
    let plain = leads_from(wanted, tokens, by);
    let begins_with_option = wanted.first().is_none_or(|it| it.starts_with('-'));
    let skips = tokens.first().is_some_and(|it| it.start().starts_with('-'));
    if by == Decision::Allow || plain == Truth::Yes || begins_with_option || !skips {
        return plain;
    }
    let (past, past_values) = past_options(program, tokens);
    let after = |place: usize| leads_from(wanted, tokens.get(place..).unwrap_or_default(), by);
    let perhaps = after(past_values).min(Truth::Unknown);
    plain.or(after(past)).or(if is_git(program) { after(past_values) } else { perhaps })
}

/// Whether one of `wanted` is among `tokens`.
pub(crate) fn holds_any(wanted: &[String], tokens: &[Token], by: Decision) -> Truth {
    let pairs = wanted.iter().flat_map(|want| tokens.iter().map(move |token| (want, token)));
    pairs.map(|(want, token)| same(want, token, by)).fold(Truth::No, Truth::or)
}

/// How many leading words are options with what belongs to them: at least, and at most.
pub(crate) fn past_options(program: &str, tokens: &[Token]) -> (usize, usize) {
    let is_option = |it: &Token| it.start().starts_with('-');
    let past = tokens.iter().take_while(|it| is_option(it)).count();
    let mut place = 0;
    while let Some(token) = tokens.get(place).filter(|it| is_option(it)) {
        let text = token.as_text().unwrap_or_default();
        let takes_value = match is_git(program) {
            true => GIT_VALUES.contains(&text),
            false => !text.contains('=') && text != "--",
        };
        let has_value = tokens.get(place + 1).is_some_and(|it| is_git(program) || !is_option(it));
        place += if takes_value && has_value { 2 } else { 1 };
    }
    (past, place)
}

fn leads_from(wanted: &[String], tokens: &[Token], by: Decision) -> Truth {
    let mut all = Truth::Yes;
    for (place, want) in wanted.iter().enumerate() {
        let Some(token) = tokens.get(place) else { return Truth::No };
        if !token.is_one() {
            // It becomes any number of words, so nothing after it has a place.
            return all.and(Truth::Unknown);
        }
        all = all.and(same(want, token, by));
        if all == Truth::No {
            return all;
        }
    }
    all
}

/// Whether `token` is `want`; to a deny and an ask `--want=value` is, too.
fn same(want: &str, token: &Token, by: Decision) -> Truth {
    let is_value_of = |text: &str| {
        by != Decision::Allow
            && want.starts_with("--")
            && text.strip_prefix(want).is_some_and(|rest| rest.starts_with('='))
    };
    if let Some(text) = token.as_text() {
        return (text == want || is_value_of(text)).into();
    }
    if is_value_of(token.start()) {
        return Truth::Yes;
    }
    let fits = want.starts_with(token.start()) && want.ends_with(token.end());
    let value_fits =
        by != Decision::Allow && want.starts_with("--") && want.starts_with(token.start());
    if fits || value_fits { Truth::Unknown } else { Truth::No }
}

fn is_git(program: &str) -> bool {
    program.eq_ignore_ascii_case("git")
}

/// The options of `git` itself whose value is the next word.
pub(crate) const GIT_VALUES: &[&str] = &[
    "--attr-source",
    "--config-env",
    "--exec-path",
    "--git-dir",
    "--namespace",
    "--shallow-file",
    "--super-prefix",
    "--work-tree",
    "-C",
    "-c",
];
