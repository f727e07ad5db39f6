//! The smallest script that still shows what a larger one did.

/// Takes parts out of `script` as long as `still` holds.
pub(crate) fn minimise<E>(
    script: &str,
    mut still: impl FnMut(&str) -> Result<bool, E>,
) -> Result<String, E> {
    let mut chars: Vec<char> = script.chars().collect();
    let mut part = chars.len().div_ceil(2);
    let mut tries = 0;
    while part > 0 && tries < MOST_TRIES {
        let mut shorter = false;
        let mut at = 0;
        while at < chars.len() && tries < MOST_TRIES {
            tries += 1;
            let rest = chars.get(at + part..).unwrap_or(&[]);
            let without: Vec<char> = chars.iter().take(at).chain(rest).copied().collect();
            if still(&without.iter().collect::<String>())? {
                chars = without;
                shorter = true;
            } else {
                at += part;
            }
        }
        if !shorter {
            part /= 2;
        }
    }
    Ok(chars.into_iter().collect())
}

const MOST_TRIES: usize = 800;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_matters_stays() {
        type Case<'a> = (&'a str, fn(&str) -> bool, &'a str);
        let cases: &[Case<'_>] = &[
            ("git status; rm x; echo done", |it| it.contains("rm"), "rm"),
            ("a(b)c(d)e", |it| it.matches('(').count() == 2, "(("),
            ("é'é", |it| it.contains('\''), "'"),
            ("", |_| true, ""),
        ];
        for (script, still, expected) in cases {
            assert_eq!(
                minimise(script, |it| Ok::<bool, ()>(still(it))),
                Ok((*expected).to_owned())
            );
        }
    }

    #[test]
    fn an_error_ends_it() {
        assert_eq!(minimise("git", |_| Err("no bash")), Err("no bash"));
    }
}
