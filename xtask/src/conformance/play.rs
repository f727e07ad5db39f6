//! Plays scenarios, a few at a time, each alone with its own mock server.

use std::path::{Path, PathBuf};
use std::process::{Child, ExitStatus, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::conformance::sets::Run;
use crate::conformance::suite::Suite;
use crate::tool;

/// What became of a run.
#[derive(Debug)]
pub(crate) struct Played {
    pub(crate) run: Run,
    /// How the suite's runner ended: with failure also where our program did, or a time-out.
    pub(crate) is_success: bool,
    pub(crate) passed: usize,
    pub(crate) failed: usize,
    pub(crate) warned: usize,
    /// The checks that failed or warned, a line each.
    pub(crate) complaints: Vec<String>,
    /// Where everything that was seen is kept.
    pub(crate) out: PathBuf,
}

impl Played {
    /// Whether the client did all that the scenario wants, and nothing odd.
    pub(crate) fn is_strict(&self) -> bool {
        self.is_success && self.passed > 0 && self.failed == 0 && self.warned == 0
    }
}

/// Plays `runs`, in no order; the results are in theirs.
pub(crate) fn all(
    suite: &Suite,
    client: &Path,
    runs: &[Run],
    out: &Path,
) -> Result<Vec<Played>, String> {
    let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    thread::scope(|scope| {
        for _ in 0..AT_A_TIME {
            scope.spawn(|| {
                while let Some((at, run)) = {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    runs.get(at).map(|run| (at, run))
                } {
                    let played = one(suite, client, run, out);
                    results.lock().unwrap_or_else(PoisonError::into_inner).push((at, played));
                }
            });
        }
    });
    let mut results = results.into_inner().unwrap_or_else(PoisonError::into_inner);
    results.sort_by_key(|(at, _)| *at);
    results.into_iter().map(|(_, played)| played).collect()
}

fn one(suite: &Suite, client: &Path, run: &Run, out: &Path) -> Result<Played, String> {
    let out = out.join(run.revision).join(run.scenario.replace('/', "-"));
    tool::create_folder(&out)?;
    let mut command = suite.play(run, client, &out);
    command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    let child = command.spawn().map_err(|error| format!("the suite: {error}"))?;
    let ended = wait(child, LONGEST).map_err(|error| format!("{}: {error}", run.scenario))?;
    let checks = match find(&out, "checks.json")? {
        Some(file) => tool::read_file(&file)?,
        None => "[]".to_owned(),
    };
    let mut played = Played {
        run: run.clone(),
        is_success: ended.is_some_and(|status| status.success()),
        passed: 0,
        failed: 0,
        warned: 0,
        complaints: Vec::new(),
        out,
    };
    count(&mut played, &checks).map_err(|error| format!("{}: {error}", run.scenario))?;
    if ended.is_none() {
        played.complaints.push(format!("the suite was not done after {LONGEST:?}"));
    }
    if let Some(file) = find(&played.out, "stderr.txt")? {
        played.complaints.extend(tool::read_file(&file)?.lines().map(str::to_owned));
    }
    Ok(played)
}

/// Counts what the suite checked, as it wrote it down.
fn count(played: &mut Played, checks: &str) -> Result<(), String> {
    let checks: Vec<Value> = serde_json::from_str(checks).map_err(|error| error.to_string())?;
    for check in &checks {
        match check["status"].as_str() {
            Some("SUCCESS") => played.passed += 1,
            Some("FAILURE") => played.failed += 1,
            Some("WARNING") => played.warned += 1,
            Some("INFO" | "SKIPPED") => continue,
            other => return Err(format!("a check of the unknown status {other:?}")),
        }
        if check["status"] != "SUCCESS" {
            let text = |name: &str| check[name].as_str().unwrap_or_default();
            let why = check["errorMessage"].as_str().unwrap_or_else(|| text("description"));
            played.complaints.push(format!("{} {}: {why}", text("status"), text("id")));
        }
    }
    Ok(())
}

/// Waits for the end of a child, and ends it after `longest`.
fn wait(mut child: Child, longest: Duration) -> std::io::Result<Option<ExitStatus>> {
    let started = Instant::now();
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(Some(status));
        }
        if started.elapsed() > longest {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

/// The file of that name under `folder`: the suite puts it into folders with the time in their name.
fn find(folder: &Path, name: &str) -> Result<Option<PathBuf>, String> {
    for path in tool::entries(folder)? {
        if path.is_dir() {
            if let Some(found) = find(&path, name)? {
                return Ok(Some(found));
            }
        } else if path.file_name().is_some_and(|found| found == name) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}

/// How many scenarios run at a time: some measure how long the client waits, to a quarter of a
/// second, so the machine must not be full.
const AT_A_TIME: usize = 2;
/// How long one may take.  The suite gives up after 30 seconds, and our program after 20.
const LONGEST: Duration = Duration::from_secs(60);

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// A run of which the suite's runner said `is_success`, with these checks.
    pub(crate) fn played(scenario: &str, is_success: bool, checks: &str) -> Played {
        let (revision, scenario) = ("2025-11-25", scenario.to_owned());
        let mut played = Played {
            run: Run { revision, scenario, is_scored: true },
            is_success,
            passed: 0,
            failed: 0,
            warned: 0,
            complaints: Vec::new(),
            out: PathBuf::from("out"),
        };
        count(&mut played, checks).unwrap();
        played
    }

    #[test]
    fn only_successes_and_a_good_end_are_strict() {
        let check = |status: &str| format!(r#"{{"id":"a","status":"{status}"}}"#);
        let list = |all: &[&str]| {
            format!("[{}]", all.iter().map(|it| check(it)).collect::<Vec<_>>().join(","))
        };
        let cases: &[(&[&str], bool, bool)] = &[
            (&["SUCCESS", "INFO", "SKIPPED"], true, true),
            (&["SUCCESS"], false, false),
            (&["SUCCESS", "WARNING"], true, false),
            (&["SUCCESS", "FAILURE"], true, false),
            (&["INFO", "SKIPPED"], true, false),
            (&[], true, false),
        ];
        for (checks, is_success, expected) in cases {
            let played = played("x", *is_success, &list(checks));
            assert_eq!(played.is_strict(), *expected, "{checks:?} {is_success}");
        }
    }

    #[test]
    fn a_status_that_nobody_knows_is_no_success() {
        let mut run = played("x", true, "[]");
        assert!(count(&mut run, r#"[{"id":"a","status":"MAYBE"}]"#).is_err());
        assert!(count(&mut run, "not JSON").is_err());
    }
}
