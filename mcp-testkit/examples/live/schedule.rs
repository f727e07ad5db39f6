//! Which runs there are, two of them at a time, none of them for ever.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::{Instant, timeout, timeout_at};

use crate::data::{Custom, Data, Peer, name_of};
use crate::journal::Journal;
use crate::places::Places;
use crate::report::Report;
use crate::{custom, run, table};

/// How many peers run at a time.
const AT_A_TIME: usize = 2;
/// How long one run may take.
const ONE: Duration = Duration::from_secs(90);
/// How long all of them may take.
const ALL: Duration = Duration::from_secs(600);

/// A line of the table before it is played.
#[derive(Clone)]
enum Item {
    Run { peer: Arc<Value>, index: usize, era: String, is_impatient: bool },
    Custom { custom: Custom, peers: Arc<[Value]> },
}

/// Plays what is named, prints the table, and says whether all is well.
pub(crate) async fn play(data: Data, places: Places, names: &[String]) -> Result<bool, String> {
    let start = Instant::now();
    let items = select(&data, names)?;
    table::print_heading();
    let slots = Arc::new(Semaphore::new(AT_A_TIME));
    let playing: Vec<(Item, JoinHandle<Report>)> = items
        .into_iter()
        .map(|item| {
            let task = tokio::spawn(play_item(item.clone(), places.clone(), Arc::clone(&slots)));
            (item, task)
        })
        .collect();
    let mut reports = Vec::new();
    for (item, task) in playing {
        let stop = task.abort_handle();
        let report = match timeout_at(start + ALL, task).await {
            Ok(Ok(report)) => report,
            Ok(Err(error)) => item.failed("no panic", &error.to_string()),
            Err(_) => {
                stop.abort();
                item.failed("that all runs end in time", &format!("{ALL:?} were not enough"))
            }
        };
        table::print_row(&report);
        reports.push(report);
    }
    Ok(conclude(&data, names, &reports, start.elapsed()))
}

/// The items that are named; all of them if none is.
fn select(data: &Data, names: &[String]) -> Result<Vec<Item>, String> {
    let peers: Arc<[Value]> = data.peers.clone().into();
    let mut items = Vec::new();
    for raw in &data.peers {
        let runs = Peer::read(raw.clone())?.runs;
        let peer = Arc::new(raw.clone());
        items.extend(runs.iter().enumerate().map(|(index, run)| Item::Run {
            peer: Arc::clone(&peer),
            index,
            era: run.era.to_string(),
            is_impatient: run.impatient,
        }));
    }
    items.extend(
        data.custom
            .iter()
            .cloned()
            .map(|custom| Item::Custom { custom, peers: Arc::clone(&peers) }),
    );
    let known: BTreeSet<&str> = items.iter().map(Item::name).collect();
    if let Some(unknown) = names.iter().find(|name| !known.contains(&***name)) {
        let known = known.into_iter().collect::<Vec<_>>().join(", ");
        return Err(format!("there is no peer {unknown:?}; there are {known}"));
    }
    items.retain(|item| names.is_empty() || names.iter().any(|name| name == item.name()));
    Ok(items)
}

async fn play_item(item: Item, places: Places, slots: Arc<Semaphore>) -> Report {
    // The semaphore is never closed.
    let _slot = slots.acquire_owned().await;
    let (start, journal) = (Instant::now(), Arc::new(Journal::default()));
    let mut report = item.report();
    let playing = timeout(ONE, async {
        match &item {
            Item::Run { peer, index, .. } => match places.missing(peer) {
                Some(missing) => report.skipped = Some(missing),
                None => run::play(&mut report, (peer, *index), &places, &journal).await,
            },
            Item::Custom { custom, peers } => {
                custom::play(&mut report, custom, peers, &places, &journal).await;
            }
        }
    });
    if playing.await.is_err() {
        report.fail("the run", "an end in time", &format!("{ONE:?} were not enough"));
    }
    report.time = start.elapsed();
    if report.has_failed() {
        report.stderr = journal.stderr_tail(20);
    }
    report
}

/// Prints what is to be said about all runs together, and says whether all is well.
fn conclude(data: &Data, names: &[String], reports: &[Report], time: Duration) -> bool {
    let later: Vec<_> =
        data.later.iter().filter(|later| names.is_empty() || names.contains(&later.peer)).collect();
    table::print_later(&later);
    let is_skipped = reports.iter().any(|report| report.skipped.is_some());
    let mut is_well = reports.iter().all(|report| !report.has_failed());
    if names.is_empty() && !is_skipped {
        table::print_oddities(&data.oddities, reports);
        let proved: BTreeSet<u32> = reports.iter().flat_map(Report::oddities).collect();
        is_well &= data.oddities.keys().all(|oddity| proved.contains(oddity));
    }
    table::print_sum(reports, later.len(), time);
    if is_skipped && every_check_must_run() {
        eprintln!("live: nothing may be skipped where CI=true");
        is_well = false;
    }
    is_well
}

/// Whether this run is the one that decides: then nothing is skipped.
fn every_check_must_run() -> bool {
    std::env::var("CI").is_ok_and(|value| value == "true")
}

impl Item {
    fn name(&self) -> &str {
        match self {
            Self::Run { peer, .. } => name_of(peer),
            Self::Custom { custom, .. } => &custom.name,
        }
    }

    fn report(&self) -> Report {
        match self {
            Self::Run { era, is_impatient: true, .. } => {
                Report::new(&format!("{}, impatient", self.name()), era)
            }
            Self::Run { era, .. } => Report::new(self.name(), era),
            Self::Custom { .. } => Report::new(self.name(), ""),
        }
    }

    fn failed(&self, expected: &str, found: &str) -> Report {
        let mut report = self.report();
        report.fail("the run", expected, found);
        report
    }
}
