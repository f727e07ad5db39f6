//! What a run counts.

use std::collections::BTreeMap;

use mcp_policy::commands::Decomposition;

/// Counts of one part of a run, or of all.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub(crate) struct Tally {
    /// Readings of a script: one for each shell.
    pub(crate) scripts: u64,
    /// Readings that know all that would run.
    pub(crate) complete: u64,
    /// Scripts that were run: those whose reading could be wrong.
    pub(crate) runs: u64,
    /// Scripts that had to be stopped.
    pub(crate) stopped: u64,
    /// Programs that ran.
    pub(crate) programs: u64,
    /// Files that scripts wrote.
    pub(crate) files: u64,
    pub(crate) misses: u64,
    /// Why readings are not complete.
    pub(crate) causes: BTreeMap<String, u64>,
}

impl Tally {
    pub(crate) fn read(&mut self, reading: &Decomposition) {
        self.scripts += 1;
        self.complete += u64::from(reading.is_complete());
        for cause in reading.causes() {
            *self.causes.entry(format!("{cause:?}")).or_default() += 1;
        }
    }

    pub(crate) fn add(&mut self, other: Self) {
        for ((_, own), (_, others)) in self.counts().into_iter().zip(other.clone().counts()) {
            *own += *others;
        }
        for (cause, count) in other.causes {
            *self.causes.entry(cause).or_default() += count;
        }
    }

    /// One line for [`Tally::parse`].
    pub(crate) fn print(mut self) -> String {
        let causes = std::mem::take(&mut self.causes);
        let counts = self.counts().map(|(name, count)| format!("{name}={count}"));
        let causes = causes.iter().map(|(cause, count)| format!("{CAUSE}{cause}={count}"));
        counts.into_iter().chain(causes).collect::<Vec<_>>().join(" ")
    }

    pub(crate) fn parse(line: &str) -> Self {
        let mut tally = Self::default();
        for (name, count) in line.split(' ').filter_map(|pair| pair.split_once('=')) {
            let count = count.parse().unwrap_or(0);
            if let Some(cause) = name.strip_prefix(CAUSE) {
                tally.causes.insert(cause.to_owned(), count);
            }
            if let Some((_, own)) = tally.counts().into_iter().find(|(own, _)| *own == name) {
                *own = count;
            }
        }
        tally
    }

    /// The sentence at the end of a run.
    pub(crate) fn sum_up(&self) -> String {
        let Self { scripts, complete, runs, stopped, programs, files, misses, causes } = self;
        let share = (complete * 100).checked_div(*scripts).unwrap_or(0);
        let mut causes: Vec<(&String, &u64)> = causes.iter().collect();
        causes.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
        let causes: Vec<String> =
            causes.iter().map(|(cause, count)| format!("{cause} {count}")).collect();
        format!(
            "{scripts} scripts, {programs} programs run, {complete} complete ({share} %), {misses} missed\n   \
             ({runs} run, {stopped} of them stopped, {files} files written; unknown: {})",
            causes.join(", ")
        )
    }

    fn counts(&mut self) -> [(&'static str, &mut u64); 7] {
        [
            ("scripts", &mut self.scripts),
            ("complete", &mut self.complete),
            ("runs", &mut self.runs),
            ("stopped", &mut self.stopped),
            ("programs", &mut self.programs),
            ("files", &mut self.files),
            ("misses", &mut self.misses),
        ]
    }
}

const CAUSE: &str = "cause:";

#[cfg(test)]
mod tests {
    use mcp_policy::commands::decompose_words;

    use super::*;

    #[test]
    fn parts_add_up_to_the_whole() {
        let mut part = Tally { runs: 2, programs: 3, misses: 1, ..Tally::default() };
        part.read(&decompose_words(&["git", "a"]));
        part.read(&decompose_words(&["bash", "-c", "$x"]));
        assert_eq!((part.scripts, part.complete), (2, 1));
        assert_eq!(Tally::parse(&part.clone().print()), part);
        let mut whole = part.clone();
        whole.add(part);
        assert_eq!((whole.scripts, whole.runs, whole.programs, whole.misses), (4, 4, 6, 2));
        assert_eq!(whole.causes.get("Variable"), Some(&2));
        let sentence = "4 scripts, 6 programs run, 2 complete (50 %), 2 missed";
        assert!(whole.sum_up().starts_with(sentence), "{}", whole.sum_up());
    }
}
