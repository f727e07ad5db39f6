//! `conformance/expected-failures.yml`: what does not pass yet, and why.

use crate::conformance::sets::Run;

/// The scenarios that are expected to fail.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Expected(Vec<String>);

impl Expected {
    /// Reads the file: the suite reads it as YAML, and this the few shapes of a line that we use.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let mut scenarios = Vec::new();
        for line in text.lines() {
            if line.trim().is_empty() || line.starts_with('#') || line == "client:" {
                continue;
            }
            let entry = line.strip_prefix("  - ").ok_or_else(|| format!("{line:?} is no entry"))?;
            let (scenario, why) = entry.split_once('#').unwrap_or((entry, ""));
            let (scenario, why) = (scenario.trim(), why.trim());
            if !scenario.starts_with(ALLOWED) {
                return Err(format!("only {ALLOWED} may be listed, and {scenario:?} is not"));
            }
            if why.is_empty() {
                return Err(format!("{scenario} does not say why it fails (`# why` behind it)"));
            }
            if scenarios.iter().any(|listed| listed == scenario) {
                return Err(format!("{scenario} is listed twice"));
            }
            scenarios.push(scenario.to_owned());
        }
        Ok(Self(scenarios))
    }

    pub(crate) fn is_failure(&self, scenario: &str) -> bool {
        self.0.iter().any(|listed| listed == scenario)
    }

    /// Fails where something is listed that no set has.
    pub(crate) fn check(&self, runs: &[Run]) -> Result<(), String> {
        let is_run = |scenario: &&String| runs.iter().any(|run| run.scenario == **scenario);
        match self.0.iter().find(|scenario| !is_run(scenario)) {
            Some(scenario) => Err(format!("{scenario} is expected to fail, and no set has it")),
            None => Ok(()),
        }
    }
}

/// What may be listed.
const ALLOWED: &str = "auth/";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_authorisation_may_be_listed_and_each_entry_says_why() {
        let cases: &[(&str, Result<&[&str], &str>)] = &[
            ("client:\n", Ok(&[])),
            ("# why\nclient:\n  - auth/dpop # no proof of possession\n", Ok(&["auth/dpop"])),
            ("client:\n  - auth/dpop\n", Err("does not say why")),
            ("client:\n  - auth/dpop #\n", Err("does not say why")),
            ("client:\n  - sse-retry # too hard\n", Err("only auth/ may be listed")),
            ("client:\n  - auth/a # x\n  - auth/a # x\n", Err("twice")),
            ("client:\n- auth/a # x\n", Err("no entry")),
            ("server:\n  - auth/a # x\n", Err("no entry")),
        ];
        for (text, wanted) in cases {
            match (Expected::parse(text), wanted) {
                (Ok(found), Ok(wanted)) => assert_eq!(found.0, *wanted, "{text:?}"),
                (Err(found), Err(wanted)) => assert!(found.contains(wanted), "{found}"),
                (found, _) => panic!("{text:?}: {found:?}"),
            }
        }
    }

    #[test]
    fn what_is_listed_is_run() {
        let listed = Expected(vec!["auth/dpop".to_owned()]);
        let run = |scenario: &str| {
            let scenario = scenario.to_owned();
            Run { revision: "2025-11-25", scenario, is_scored: true }
        };
        assert_eq!(listed.check(&[run("initialize"), run("auth/dpop")]), Ok(()));
        assert!(listed.check(&[run("initialize")]).unwrap_err().starts_with("auth/dpop"));
    }
}
