//! What a person reads about the runs.

use std::time::Duration;

use crate::conformance::expected::Expected;
use crate::conformance::play::Played;
use crate::conformance::sets::SETS;

/// A line for each run: what was checked, and what became of it.
pub(crate) fn table(results: &[Played]) -> String {
    let mut lines = vec![line(["revision", "scenario", "passed", "failed", "warnings", "strict"])];
    lines.extend(results.iter().map(|it| {
        let scored = if it.run.is_scored { "" } else { " (not scored)" };
        line([
            it.run.revision,
            &format!("{}{scored}", it.run.scenario),
            &it.passed.to_string(),
            &it.failed.to_string(),
            &it.warned.to_string(),
            if it.is_strict() { "yes" } else { "no" },
        ])
    }));
    lines.join("\n")
}

fn line([revision, scenario, passed, failed, warned, strict]: [&str; 6]) -> String {
    format!("{revision:10}  {scenario:52} {passed:>6} {failed:>6} {warned:>8}  {strict}")
}

/// How many of each set pass strictly.
pub(crate) fn totals(results: &[Played], time: Duration) -> String {
    let mut lines = Vec::new();
    for set in SETS {
        let of_set = || results.iter().filter(|it| it.run.revision == set.revision);
        let strict = |is_scored| {
            let group = || of_set().filter(move |it| it.run.is_scored == is_scored);
            format!("{} of {}", group().filter(|it| it.is_strict()).count(), group().count())
        };
        lines.push(format!(
            "{}: strict {} scored, {} not scored; checks: {} passed, {} failed, {} warned",
            set.revision,
            strict(true),
            strict(false),
            of_set().map(|it| it.passed).sum::<usize>(),
            of_set().map(|it| it.failed).sum::<usize>(),
            of_set().map(|it| it.warned).sum::<usize>(),
        ));
    }
    lines.push(format!("{} runs in {:.1} s", results.len(), time.as_secs_f64()));
    lines.join("\n")
}

/// What there is to say about one run.
pub(crate) fn details(played: &Played, is_expected_to_fail: bool) -> String {
    let Played { run, complaints, out, .. } = played;
    let verdict = match (played.is_strict(), is_expected_to_fail) {
        (true, true) => {
            "passes, and is expected to fail: take it off conformance/expected-failures.yml"
        }
        (true, false) => "passes",
        (false, true) => "fails as expected",
        (false, false) => "DOES NOT PASS STRICTLY",
    };
    let mut lines = vec![format!("{} at {} {verdict}", run.scenario, run.revision)];
    lines.extend(complaints.iter().map(|complaint| format!("  {complaint}")));
    if played.passed == 0 && played.failed == 0 {
        lines.push("  the suite saw nothing of the client that it could check".to_owned());
    }
    lines.push(format!("  see {}", out.display()));
    lines.join("\n")
}

/// Fails where a run is not as expected.
pub(crate) fn verdict(results: &[Played], expected: &Expected) -> Result<(), String> {
    let odd: Vec<String> = results
        .iter()
        .filter(|it| it.is_strict() == expected.is_failure(&it.run.scenario))
        .map(|it| {
            let what = if it.is_strict() { "passes unexpectedly" } else { "does not pass" };
            format!("{} at {} {what}", it.run.scenario, it.run.revision)
        })
        .collect();
    if odd.is_empty() { Ok(()) } else { Err(odd.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::conformance::play::tests::played;

    const GOOD: &str = r#"[{"id":"a","status":"SUCCESS"}]"#;
    const BAD: &str = r#"[{"id":"a","status":"FAILURE","errorMessage":"no token"}]"#;

    #[test]
    fn a_run_must_be_as_expected_either_way() {
        let listed = Expected::parse("client:\n  - auth/dpop # later\n").unwrap();
        let cases: &[(&str, &str, Result<(), &str>)] = &[
            ("initialize", GOOD, Ok(())),
            ("auth/dpop", BAD, Ok(())),
            ("initialize", BAD, Err("initialize at 2025-11-25 does not pass")),
            ("auth/dpop", GOOD, Err("auth/dpop at 2025-11-25 passes unexpectedly")),
        ];
        for (scenario, checks, expected) in cases {
            let found = verdict(&[played(scenario, true, checks)], &listed);
            assert_eq!(found, expected.map_err(str::to_owned), "{scenario}");
        }
    }

    #[test]
    fn the_totals_count_what_is_strict() {
        let results = [played("initialize", true, GOOD), played("auth/dpop", false, BAD)];
        let totals = totals(&results, Duration::from_secs(2));
        let first = "2025-11-25: strict 1 of 2 scored, 0 of 0 not scored; \
                     checks: 1 passed, 1 failed, 0 warned";
        assert_eq!(totals.lines().next(), Some(first));
        assert!(totals.ends_with("2 runs in 2.0 s"), "{totals}");
    }

    #[test]
    fn details_name_the_check_that_failed() {
        let details = details(&played("initialize", true, BAD), false);
        assert!(details.contains("FAILURE a: no token"), "{details}");
    }
}
