//! Whether arguments that a program was given are those that were read.

use mcp_policy::commands::{Arguments, Part, Token};

/// Whether `tokens` can become `args`.
pub(crate) fn becomes<S: AsRef<str>>(tokens: &[Token], args: &[S]) -> bool {
    // Which prefixes of `args` the tokens so far can have become.
    let mut reached = vec![false; args.len() + 1];
    if let Some(start) = reached.first_mut() {
        *start = true;
    }
    for token in tokens {
        let mut next = vec![false; args.len() + 1];
        for from in (0..=args.len()).filter(|at| reached.get(*at) == Some(&true)) {
            for (to, is_reached) in next.iter_mut().enumerate().skip(from) {
                let taken = args.get(from..to).unwrap_or(&[]);
                *is_reached = *is_reached || takes(token, taken);
            }
        }
        reached = next;
    }
    reached.last() == Some(&true)
}

/// Whether one token can become just these arguments.
fn takes<S: AsRef<str>>(token: &Token, args: &[S]) -> bool {
    match (token, args) {
        (Token::Text(text), [arg]) => text == arg.as_ref(),
        (Token::Gap { parts, .. }, [arg]) => fits(parts, arg.as_ref()),
        (Token::Gap { parts, arguments: Arguments::Any }, []) => {
            // What is written stays, whatever becomes of the rest; but for a pattern that fits no file.
            let is_pattern = parts.iter().any(|part| matches!(part, Part::Glob(_)));
            is_pattern || (token.start().is_empty() && token.end().is_empty())
        }
        (Token::Gap { arguments: Arguments::Any, .. }, [first, .., last]) => {
            first.as_ref().starts_with(token.start()) && last.as_ref().ends_with(token.end())
        }
        _ => false,
    }
}

/// Whether `text` is the known parts, in order, with anything in place of the others.
fn fits(parts: &[Part], text: &str) -> bool {
    match parts.split_first() {
        None => text.is_empty(),
        Some((Part::Text(known), rest)) => {
            text.strip_prefix(known.as_str()).is_some_and(|text| fits(rest, text))
        }
        Some((_, rest)) => {
            let ends = text.char_indices().map(|(at, _)| at).chain([text.len()]);
            ends.filter_map(|at| text.get(at..)).any(|text| fits(rest, text))
        }
    }
}

#[cfg(test)]
mod tests {
    use mcp_policy::commands::decompose_words;

    use super::*;

    #[test]
    fn tokens_become_arguments_or_do_not() {
        let cases: &[(&str, &[&str], bool)] = &[
            ("git", &[], true),
            ("git", &["a"], false),
            ("git a 'b c'", &["a", "b c"], true),
            ("git a b", &["a"], false),
            ("git a b", &["b", "a"], false),
            ("git ''", &[""], true),
            ("git ''", &[], false),
            ("git \"$x\"", &[""], true),
            ("git \"$x\"", &[], false),
            ("git \"$x\"", &["a", "b"], false),
            ("git $x", &[], true),
            ("git $x b", &["a", "a", "b"], true),
            ("git $x b", &["a", "a"], false),
            ("git a$x", &["ab", "c"], true),
            ("git a$x", &["b"], false),
            ("git a$x", &["b", "c"], false),
            ("git a$x", &[], false),
            ("git a${x}b", &["a", "b"], true),
            ("git a${x}b", &["a", "c"], false),
            ("git \"a${x}b${y}c\"", &["a-b-bc"], true),
            ("git \"a${x}b${y}c\"", &["a-c"], false),
            ("git ~/a", &["/home/dev/a"], true),
            ("git ~/a", &["/home/dev/b"], false),
            ("git *.rs", &["a.rs", "b.rs"], true),
            ("git *.rs", &["a.rs", "b.md"], false),
            ("git *.rs", &[], true),
        ];
        for (script, args, expected) in cases {
            let read = decompose_words(&["bash", "-c", script]);
            let tokens = read.commands.first().map(|it| it.tokens.clone()).unwrap_or_default();
            assert_eq!(becomes(&tokens, args), *expected, "{script} {args:?} {tokens:?}");
        }
    }
}
