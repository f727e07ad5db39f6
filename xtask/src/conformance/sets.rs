//! The sets of scenarios that the suite has frozen, one for each revision.

/// A frozen set.
#[derive(Debug)]
pub(crate) struct Set {
    pub(crate) revision: &'static str,
    /// How many client scenarios it has: a set that was only half read must not pass.
    scored: usize,
    not_scored: usize,
}

/// The sets that are run, oldest first.
pub(crate) const SETS: &[Set] = &[
    Set { revision: "2025-11-25", scored: 18, not_scored: 7 },
    Set { revision: "2026-07-28", scored: 32, not_scored: 7 },
];

/// A scenario, at the revision of its set.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Run {
    pub(crate) revision: &'static str,
    pub(crate) scenario: String,
    pub(crate) is_scored: bool,
}

impl Set {
    /// Reads the client scenarios from the suite's own description of the set.
    pub(crate) fn read(&self, text: &str) -> Result<Vec<Run>, String> {
        let run = |scenario: &str, is_scored| {
            let (revision, scenario) = (self.revision, scenario.trim().to_owned());
            Run { revision, scenario, is_scored }
        };
        let (mut runs, mut section, mut scenario) = (Vec::new(), "", "");
        for line in text.lines() {
            if !line.starts_with([' ', '-', '#']) {
                section = line.trim_end().trim_end_matches(':');
            } else if let Some(found) = line.strip_prefix("  - scenario:") {
                scenario = found;
            } else if let ("client", Some(found)) = (section, line.strip_prefix("  - ")) {
                runs.push(run(found, true));
            } else if section == "not_scored" && line.trim() == "leg: client" {
                runs.push(run(scenario, false));
            }
        }
        let scored = runs.iter().filter(|run| run.is_scored).count();
        let (found, expected) = ((scored, runs.len() - scored), (self.scored, self.not_scored));
        if found != expected {
            return Err(format!(
                "the set {} has {found:?} client scenarios, scored and not, where {expected:?} \
                 are known: look at what changed, then at `SETS`",
                self.revision,
            ));
        }
        Ok(runs)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
# A set.
server:
  - ping

client:
  - initialize
  - auth/basic-cimd

not_scored:
  - scenario: auth/dpop
    leg: client
    reason: extension
  - scenario: server-session-lifecycle
    leg: server
    reason: added-after-release
    note: >-
      leg of the server
";

    #[test]
    fn a_set_is_its_client_scenarios() {
        let set = Set { revision: "2025-11-25", scored: 2, not_scored: 1 };
        let runs = set.read(TEXT).unwrap();
        let found: Vec<_> = runs.iter().map(|run| (&*run.scenario, run.is_scored)).collect();
        assert_eq!(found, [("initialize", true), ("auth/basic-cimd", true), ("auth/dpop", false)]);
    }

    #[test]
    fn a_set_of_another_size_is_not_run() {
        let set = Set { revision: "2025-11-25", scored: 3, not_scored: 1 };
        for text in ["", TEXT] {
            assert!(set.read(text).unwrap_err().contains("(3, 1)"), "{text}");
        }
    }
}
