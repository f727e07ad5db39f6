//! Steps that have the server tell of changes.

use mcp_client::protocol::{ResourceUpdated, method};
use mcp_client::{Notification, Subscription, SubscriptionEvent};
use tokio::time::{Duration, Instant, sleep, timeout};

use crate::checks::Checks;
use crate::data::{Bare, Subscribe};
use crate::journal::Entry;
use crate::stage::{SOON, Stage};

/// Subscribes, makes changes, hears of them, and ends it.
pub(crate) async fn subscribe(stage: &Stage, step: &Subscribe) -> Checks {
    let mut checks = Checks::default();
    let call = stage.client.subscribe(step.filter.clone());
    let call = if step.restart { call.reopen() } else { call };
    let mut subscription = match (call.await, step.refused) {
        (Ok(subscription), false) => subscription,
        (Err(error), true) => {
            checks.contains("the error", &error.to_string(), "the server does not offer to tell");
            return checks;
        }
        (outcome, is_refused) => {
            let expected = if is_refused { "an error" } else { "a subscription" };
            checks.holds("the answer", false, expected, &outcome);
            return checks;
        }
    };
    checks.equal("not honored", &subscription.missing(), &step.missing);
    if step.restart {
        let restarted = super::restarting::restart(stage, None).await;
        checks.passed += restarted.passed;
        checks.differences.extend(restarted.differences);
        let event = next(&mut subscription).await;
        let is_reopened = matches!(event, Some(Some(SubscriptionEvent::Reopened)));
        checks.holds("after the restart", is_reopened, "that it is open again", &event);
    }
    change(stage, &step.calls, &mut checks).await;
    for expected in &step.hears {
        let event = next(&mut subscription).await;
        let told = match &event {
            Some(Some(SubscriptionEvent::Changed(notification))) => Some(describe(notification)),
            _ => None,
        };
        checks.holds("an event", told.as_deref() == Some(expected), expected, &event);
    }
    checks.equal("its end", &subscription.end(), &None);
    drop(subscription);
    quiet(stage, step, &mut checks).await;
    checks
}

/// Sees that the server falls silent, where it tells nobody but subscribers.
async fn quiet(stage: &Stage, step: &Subscribe, checks: &mut Checks) {
    if stage.era != mcp_client::protocol::Era::Modern {
        return;
    }
    let told = |entry: &Entry| match entry {
        Entry::Notified { method } => {
            (method == method::RESOURCE_UPDATED || method == method::TOOLS_CHANGED).then_some(())
        }
        _ => None,
    };
    let deadline = Instant::now() + SOON;
    loop {
        let mark = stage.journal.mark();
        change(stage, &step.calls, checks).await;
        // There is nothing to wait for where nothing is to come.
        sleep(Duration::from_millis(100)).await;
        let count = stage.journal.since(mark, told).len();
        if count == 0 || Instant::now() >= deadline {
            return checks.equal("notifications after the end", &count, &0);
        }
    }
}

async fn change(stage: &Stage, calls: &[Bare], checks: &mut Checks) {
    for Bare { tool, arguments } in calls {
        let outcome = stage.client.call_tool(&**tool, arguments).await;
        let is_success = outcome.as_ref().is_ok_and(|result| !result.is_error());
        checks.holds("a change", is_success, "a result", &outcome);
    }
}

/// The next event, if there is one soon.
async fn next(subscription: &mut Subscription) -> Option<Option<SubscriptionEvent>> {
    timeout(2 * SOON, subscription.next()).await.ok()
}

fn describe(notification: &Notification) -> String {
    match notification.decode::<ResourceUpdated>() {
        Ok(updated) if notification.method == method::RESOURCE_UPDATED => {
            format!("{} {}", notification.method, updated.uri)
        }
        _ => notification.method.clone(),
    }
}
