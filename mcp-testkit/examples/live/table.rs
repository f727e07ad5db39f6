//! The report that a person reads.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

use crate::data::Later;
use crate::report::Report;

pub(crate) fn print_heading() {
    print_columns(["peer", "era", "version", "tools", "steps", "oddities", "exit", "time"]);
}

pub(crate) fn print_row(report: &Report) {
    if let Some(why) = &report.skipped {
        return println!("{:26} !! SKIPPED: {why}", report.peer);
    }
    let oddities: Vec<_> = report.oddities().iter().map(u32::to_string).collect();
    print_columns([
        &report.peer,
        &report.era,
        &report.version,
        &report.tools.map_or_else(String::new, |tools| tools.to_string()),
        &format!("{}/{}", report.passed, report.steps),
        &oddities.join(" "),
        &report.exit,
        &format!("{:.1} s", report.time.as_secs_f64()),
    ]);
    for failure in &report.failures {
        println!("  FAILED: {}", failure.title);
        for difference in &failure.differences {
            println!("    {}", difference.what);
            println!("      expected {}", shortened(&difference.expected));
            println!("      found    {}", shortened(&difference.found));
        }
    }
    if report.has_failed() && !report.stderr.is_empty() {
        println!("  the last of its stderr:");
        for line in &report.stderr {
            println!("    | {line}");
        }
    }
}

fn print_columns([peer, era, version, tools, steps, oddities, exit, time]: [&str; 8]) {
    println!(
        "{peer:26} {era:6} {version:10} {tools:>5} {steps:>7}  {oddities:16} {exit:10} {time:>7}"
    );
}

/// The oddities, each with its proofs or the lack of them.
pub(crate) fn print_oddities(oddities: &BTreeMap<u32, String>, reports: &[Report]) {
    println!("\noddities, and what proves them:");
    for (oddity, text) in oddities {
        let proofs: BTreeSet<String> = reports
            .iter()
            .flat_map(|report| report.proofs.iter().map(move |proof| (report, proof)))
            .filter(|(_, (proved, _))| proved == oddity)
            .map(|(report, (_, step))| match &*report.era {
                "" => format!("{}: {step}", report.peer),
                era => format!("{}/{era}: {step}", report.peer),
            })
            .collect();
        println!("{oddity:3}  {text}");
        for proof in &proofs {
            println!("       {proof}");
        }
        if proofs.is_empty() {
            println!("       NOT PROVED");
        }
    }
}

pub(crate) fn print_later(later: &[&Later]) {
    for Later { peer, era, method, .. } in later {
        println!("not yet: {peer}/{era} {method}");
    }
}

pub(crate) fn print_sum(reports: &[Report], later: usize, time: Duration) {
    let sum = |count: fn(&Report) -> usize| reports.iter().map(count).sum::<usize>();
    println!(
        "\n{} runs, {} of {} steps passed, {} runs failed, {} skipped, {later} steps not yet, {:.1} s",
        sum(|it| usize::from(it.skipped.is_none())),
        sum(|it| it.passed),
        sum(|it| it.steps),
        sum(|it| usize::from(it.has_failed())),
        sum(|it| usize::from(it.skipped.is_some())),
        time.as_secs_f64(),
    );
}

/// A value that fits on a screen.
fn shortened(text: &str) -> String {
    const LONGEST: usize = 1_000;
    if text.chars().count() <= LONGEST {
        return text.to_owned();
    }
    text.chars().take(LONGEST).chain("...".chars()).collect()
}
