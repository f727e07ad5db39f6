//! The rules of those who wait.

use crate::contract::{Broken, TTL, Tested, claim, ensure, failed, holder};
use crate::{Claimed, HoldAndWait, LeaseStore, Queued, Refusal, WaiterId};

/// Gets `name` into the queue for `path`.
async fn queue<S: LeaseStore>(
    store: &Tested<S>,
    name: &str,
    path: &str,
    hold: HoldAndWait,
) -> Result<WaiterId, Broken> {
    match store.0.enqueue(claim(name, &[path])?, hold).await.map_err(failed)? {
        Queued::Waiting { waiter, conflicts } => {
            ensure(!conflicts.is_empty(), "who waits is told what for", &conflicts)?;
            Ok(waiter)
        }
        settled @ Queued::Settled(_) => {
            ensure(false, "who wants what another holds gets into the queue", &settled)?;
            Ok(WaiterId::new(0))
        }
    }
}

pub(super) async fn served_in_order<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "what is given back goes to those who wait, in their order";
    store.acquire("a", &["/w"]).await?;
    let first = queue(store, "b", "/w/1", HoldAndWait::Refuse).await?;
    let second = queue(store, "c", "/w", HoldAndWait::Refuse).await?;
    let third = queue(store, "d", "/w/2", HoldAndWait::Refuse).await?;
    let waiters = store.status().await?.waiters;
    let is_listed = waiters.iter().map(|it| it.id).eq([first, second, third])
        && waiters.iter().all(|it| it.blockers.iter().map(|it| it.as_str()).eq(["a"]));
    ensure(is_listed, "the status lists who waits, and for whom", &waiters)?;
    // A wait that is looked at and given up is a wait all the same.
    drop(store.0.settled(first));
    store.0.release(&holder("a")?, None).await.map_err(failed)?;
    for waiter in [first, third] {
        let claimed = store.settled(waiter).await?;
        ensure(matches!(claimed, Some(Claimed::Granted(_))), rule, &claimed)?;
    }
    for name in ["b", "d"] {
        let still = store.status().await?.waiters;
        ensure(still.iter().map(|it| it.id).eq([second]), rule, &still)?;
        store.0.release(&holder(name)?, None).await.map_err(failed)?;
    }
    let claimed = store.settled(second).await?;
    ensure(matches!(claimed, Some(Claimed::Granted(_))), rule, &claimed)
}

pub(super) async fn served_at_the_end<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "who waits is woken when the lease ends by itself";
    store.acquire("a", &["/w"]).await?;
    let waiter = queue(store, "b", "/w", HoldAndWait::Refuse).await?;
    let claimed = store.settled(waiter).await?;
    ensure(matches!(claimed, Some(Claimed::Granted(_))), rule, &claimed)?;
    let leases = store.leases().await?;
    let is_new = leases.iter().all(|it| it.holder.as_str() == "b" && it.expires_in > TTL / 4);
    ensure(is_new && leases.len() == 1, "a lease begins when it is granted", &leases)
}

pub(super) async fn left<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "who leaves the queue is gone, with what it got and never heard of";
    store.acquire("a", &["/w"]).await?;
    let first = queue(store, "b", "/w", HoldAndWait::Refuse).await?;
    let second = queue(store, "c", "/w", HoldAndWait::Refuse).await?;
    let third = queue(store, "d", "/w", HoldAndWait::Refuse).await?;
    store.0.leave(second);
    store.until(rule, |it| it.waiters.iter().map(|it| it.id).eq([first, third])).await?;
    store.0.release(&holder("a")?, None).await.map_err(failed)?;
    store.0.leave(first);
    store.0.leave(first);
    let claimed = store.settled(third).await?;
    ensure(matches!(claimed, Some(Claimed::Granted(_))), rule, &claimed)?;
    store.until(rule, |it| it.waiters.is_empty() && it.leases.len() == 1).await
}

pub(super) async fn withdrawn<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    let rule = "who is released waits no longer, and is told so";
    store.acquire("a", &["/w"]).await?;
    let one = queue(store, "b", "/w", HoldAndWait::Refuse).await?;
    let other = queue(store, "c", "/w", HoldAndWait::Refuse).await?;
    store.0.release_holder(&holder("b")?).await.map_err(failed)?;
    let ended = store.settled(one).await?;
    ensure(ended == Some(Claimed::Refused(Refusal::Withdrawn)), rule, &ended)?;
    store.0.release_all().await.map_err(failed)?;
    let ended = store.settled(other).await?;
    ensure(ended == Some(Claimed::Refused(Refusal::Withdrawn)), rule, &ended)?;
    store.until(rule, |status| status.is_empty()).await
}

pub(super) async fn no_circles<S: LeaseStore>(store: &Tested<S>) -> Result<(), Broken> {
    for (name, path) in [("a", "/1"), ("b", "/2"), ("c", "/3")] {
        store.acquire(name, &[path]).await?;
    }
    let held = store.0.enqueue(claim("a", &["/2"])?, HoldAndWait::Refuse).await.map_err(failed)?;
    let is_refused = matches!(held, Queued::Settled(Claimed::Refused(Refusal::HoldAndWait { .. })));
    ensure(is_refused, "who holds does not wait, where that is refused", &held)?;
    queue(store, "a", "/2", HoldAndWait::Allow).await?;
    queue(store, "b", "/3", HoldAndWait::Allow).await?;
    let rule = "nobody waits in a circle, and the circle is named";
    let closed = store.0.enqueue(claim("c", &["/1"])?, HoldAndWait::Allow).await.map_err(failed)?;
    let Queued::Settled(Claimed::Refused(Refusal::Deadlock { cycle, .. })) = &closed else {
        return ensure(false, rule, &closed);
    };
    ensure(cycle.iter().map(|it| it.as_str()).eq(["c", "a", "b", "c"]), rule, cycle)
}
