//! Checks that are no steps of a peer.

mod interpreters;
mod two_eras;

use std::sync::Arc;

use serde_json::Value;

use crate::data::{Custom, name_of};
use crate::journal::Journal;
use crate::places::Places;
use crate::report::Report;

pub(crate) async fn play(
    report: &mut Report,
    custom: &Custom,
    peers: &[Value],
    places: &Places,
    journal: &Arc<Journal>,
) {
    match &*custom.name {
        "interpreter-that-installed" => interpreters::judge(report, &custom.oddities, places).await,
        "two-eras-in-one-process" => {
            let Some(peer) = peers.iter().find(|peer| name_of(peer) == two_eras::PEER) else {
                return report.fail("the data", "a peer of that name", two_eras::PEER);
            };
            two_eras::judge(report, &custom.oddities, peer, places, journal).await;
        }
        name => report.fail("the data", "a check that there is code for", name),
    }
}
