//! Steps in which a server that is reached over HTTP goes away and comes back.

use mcp_client::{Delivery, Error};
use tokio::time::timeout;

use crate::checks::Checks;
use crate::data::Bare;
use crate::journal::Entry;
use crate::stage::{SOON, Stage};

/// Kills the server, in the middle of a call if there is one, and starts it again.
pub(crate) async fn restart(stage: &Stage, during: Option<&Bare>) -> Checks {
    let mut checks = Checks::default();
    let Some(process) = &stage.process else {
        checks.holds("the data", false, "a server over HTTP", "one over stdio");
        return checks;
    };
    let call = match during {
        Some(call) => Some(begin(stage, call, &mut checks).await),
        None => None,
    };
    checks.equal("killing", &process.end().await, &Ok(()));
    checks.equal("starting", &process.start().await, &Ok(()));
    if let Some(call) = call {
        // It may look for the rest of the answer first, as often as the server has said.
        let outcome = timeout(4 * SOON, call).await;
        let is_unknown = matches!(&outcome, Ok(Ok(Err(error)))
            if error.delivery() == Delivery::Unknown && !matches!(error, Error::Timeout { .. }));
        checks.holds("the call", is_unknown, "an error whose outcome is unknown", &outcome);
    }
    checks
}

type Called = tokio::task::JoinHandle<Result<mcp_client::protocol::CallToolResult, Error>>;

/// Makes a call, and waits until the server has begun it, of which it reports progress.
async fn begin(stage: &Stage, call: &Bare, checks: &mut Checks) -> Called {
    let journal = &stage.journal;
    let begun = |entry: &Entry| matches!(entry, Entry::Begun).then_some(());
    let before = journal.all(begun).len();
    let progress = std::sync::Arc::clone(journal);
    let request = stage.client.call_tool(&*call.tool, &call.arguments);
    let request = request.progress(move |_| progress.write(Entry::Begun)).into_future();
    let called = tokio::spawn(request);
    let count = journal.wait_for(before + 1, SOON, begun).await.len();
    checks.holds("the call", count > before, "that the server has begun it", &count);
    called
}

/// Sees how many connections the client has made.
pub(crate) fn connections(stage: &Stage, count: usize) -> Checks {
    let mut checks = Checks::default();
    checks.equal("connections", &stage.journal.connections(), &count);
    checks
}
